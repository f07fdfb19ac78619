// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_MACHINE_HPP
#define AXE_MACHINE_MACHINE_HPP

#include <axe/layout/layout.hpp>
#include <axe/machine/find_row.hpp>
#include <axe/support/tables.hpp>

namespace axe {
inline namespace v0 {
struct Atom;

/// One level of the tree of owners, as `{"warp", "warp", 32}`.
struct ScopeLevel {
    const char* name = "";
    Axis axis{};            ///< on which a layout says which member of the level holds an element
    std::int64_t count = 1; ///< the most members within one of the level outside; 0: as many as a program asks for (a grid)
};

/// Two axes that are one, read as a quotient and a remainder:  whole = extent·outer + inner,  0 ≤ inner < extent.
struct AxisSplit {
    Axis whole{}, outer{}, inner{};
    std::int64_t extent = 1;
};

/// What a program that is to run on several machines asks a memory to be.
enum class Role : std::uint8_t {
    global,      ///< where inputs and outputs are
    shared,      ///< what one unit of work stages its tiles in
    registers,   ///< operands at the arithmetic
    accumulator, ///< where a matrix product grows
};

/// The name of a role, as the enumerator is spelled.
constexpr const char* name(Role role) noexcept
{
    switch (role) {
    case Role::global: return "global";
    case Role::shared: return "shared";
    case Role::registers: return "registers";
    case Role::accumulator: return "accumulator";
    }
    return "?";
}

/// A set of roles.
struct Roles {
    std::uint8_t bits = 0;

    constexpr Roles() = default;
    constexpr Roles(std::initializer_list<Role> list) noexcept
    {
        for (const Role role : list) bits = static_cast<std::uint8_t>(bits | 1u << static_cast<unsigned>(role));
    }
    [[nodiscard]] constexpr bool has(Role role) const noexcept { return (bits >> static_cast<unsigned>(role) & 1u) != 0; }
};

/// A memory: whose it is, how its places are addressed, and what it holds.
///
/// A layout counts elements on the last axis; extents and capacity are bytes, so that an element of w bytes at coordinate c is in
/// bytes w·c … w·c + w − 1 there. Byte b of the last axis is in bank  ⌊b/word⌋ mod banks.
struct Memory {
    const char* name = "";
    const char* owner = ""; ///< the scope of which each member has one
    Roles roles{};
    InlineVector<Axis, 3> axes{};            ///< of an address: `m`, or `P` and `F`, or `reg`
    InlineVector<std::int64_t, 3> extents{}; ///< of each axis, bytes on the last one; 0: not limited
    std::int64_t capacity = 0;               ///< bytes for each owner; 0: not limited
    std::int64_t word = 0;                   ///< bytes that are in one bank together; 0 where there are no banks
    std::int64_t banks = 0;
    std::int64_t alignment = 1; ///< of what is allocated there, in bytes
    const char* source = "";
};

/// What lets the members of a scope reach each other's memory.
struct Link {
    const char* name = "";
    const char* scope = "";                      ///< between whose members
    const char* memory = "";                     ///< which of a member's memories the others reach
    InlineVector<const char*, 8> instructions{}; ///< that go over it
    const char* source = "";
};

/// A number that a schedule must know, such as `ld.bytes` = 16.
struct Limit {
    const char* name = "";
    std::int64_t value = 0;
    const char* source = "";
};

/// The most rows of atoms that a machine lists.
inline constexpr int max_atoms = 256;

/// Hardware as data: who holds what, where, and the words of what it can do. Nothing here runs; a chip is a value of this type.
struct Machine {
    const char* name = "";                ///< the generation as its vendor names it, which is also the `arch` of its atoms
    InlineVector<ScopeLevel, 8> scopes{}; ///< outermost first
    InlineVector<AxisSplit, 8> splits{};
    InlineVector<Memory, 8> memories{};
    InlineVector<Link, 4> links{};
    InlineVector<const char*, 56> instructions{}; ///< forms that it has, or families (`ld.*`) of which it has all
    InlineVector<Limit, 32> limits{};
    const char* what = ""; ///< the product that the numbers are of
    Tables<Atom> atoms{};  ///< rows of this and of other generations: `atoms_of` selects
};

/// The number of the scope with this name, outermost 0; −1 if none exists.
constexpr int scope_index(const Machine& machine, const char* name) noexcept
{
    for (int i = 0; i < machine.scopes.size(); ++i)
        if (detail::same_text(machine.scopes[i].name, name)) return i;
    return -1;
}

/// The scope with this name; null if none exists.
constexpr const ScopeLevel* find_scope(const Machine& machine, const char* name) noexcept
{
    const int i = scope_index(machine, name);
    return i < 0 ? nullptr : &machine.scopes.items[i];
}

/// Does a program choose how many members the scope has?
constexpr bool is_grid(const ScopeLevel& scope) noexcept { return scope.count == 0; }

/// The memory with this name; null if none exists.
constexpr const Memory* find_memory(const Machine& machine, const char* name) noexcept { return find_row(machine.memories, name); }

/// The memory that plays a role; null when none does. `check` holds a machine to one at most.
constexpr const Memory* memory_for(const Machine& machine, Role role) noexcept
{
    for (const Memory& memory : machine.memories)
        if (memory.roles.has(role)) return &memory;
    return nullptr;
}

/// Has an address in it two parts, a partition and a place in it? Lanes do not load from such a memory.
constexpr bool is_partitioned(const Memory& memory) noexcept { return memory.axes.size() > 1; }

/// The link with this name; null if none exists.
constexpr const Link* find_link(const Machine& machine, const char* name) noexcept { return find_row(machine.links, name); }

/// The number with this name; null if none exists.
constexpr const Limit* find_limit(const Machine& machine, const char* name) noexcept { return find_row(machine.limits, name); }

/// Is `name` what `listed` says: the same word, or, where `listed` ends in `.*`, that word without it, alone or before a dot?
constexpr bool covers(const char* listed, const char* name) noexcept
{
    while (*listed != '\0' && *listed == *name) ++listed, ++name;
    if (*listed == '\0') return *name == '\0';
    if (detail::same_text(listed, ".*")) return *name == '\0';
    return detail::same_text(listed, "*") && *name != '\0';
}

/// Has the machine this instruction: is it listed, of a family that is listed, or itself a family of which a form is listed?
///
/// With `ld.*` and `cp.async.ca` listed there are `ld`, `ld.global.v4`, `cp.async` and `cp.async.ca`, and no `cp.async.bulk`.
constexpr bool has_instruction(const Machine& machine, const char* name) noexcept
{
    for (const char* word : machine.instructions) {
        if (covers(word, name)) return true;
        const char* w = word;
        const char* n = name;
        while (*n != '\0' && *w == *n) ++w, ++n;
        if (*n == '\0' && *w == '.') return true;
    }
    return false;
}

/// The number of the scope that an axis counts members of; −1 when it counts none's.
///
/// A scope's own axis, and what splits make of it: with gpuid = 2·mesh0 + mesh1 both parts are the devices', and with
/// thread = 32·warp + lane, `thread` is the warps', the outer of the two. Axes of addresses are not a scope's.
constexpr int scope_of_axis(const Machine& machine, const Axis& axis) noexcept
{
    Axis at = axis;
    const auto scope_here = [&] {
        for (int i = 0; i < machine.scopes.size(); ++i)
            if (machine.scopes[i].axis == at) return i;
        return -1;
    };
    // First from parts to wholes, then from wholes to outer parts. Splits form trees, so no way is longer than all of them.
    for (const bool to_whole : {true, false})
        for (int steps = 0; steps <= machine.splits.size(); ++steps) {
            if (const int scope = scope_here(); scope >= 0) return scope;
            const AxisSplit* found = nullptr;
            for (const AxisSplit& split : machine.splits)
                if (to_whole ? split.outer == at || split.inner == at : split.whole == at) found = &split;
            if (found == nullptr) break;
            at = to_whole ? found->whole : found->outer;
        }
    return -1;
}

/// Is it the axis of addresses of some memory?
constexpr bool is_address_axis(const Machine& machine, const Axis& axis) noexcept
{
    for (const Memory& memory : machine.memories)
        for (const Axis& a : memory.axes)
            if (a == axis) return true;
    return false;
}

/// The outermost scope over whose members a layout spreads its elements; −1 when it names no scope's axis, so that the owner of the
/// memory holds the whole.
///
/// A layout on `warp`, `lane` and `reg` is a tensor of the warps; one of them is a tensor of the lanes. What moves nothing and is
/// nowhere else than 0 names no axis. `errc::unknown_axis` with the iter for an axis that is not a scope's and no memory's; else the
/// errors of `check`. Cost: iters times scopes and splits.
template <AnyLayout L>
constexpr Result<int> scope_of(const Machine& machine, const L& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    int outermost = machine.scopes.size();
    const auto known = [&](const Axis& axis) {
        const int scope = scope_of_axis(machine, axis);
        if (scope >= 0 && scope < outermost) outermost = scope;
        return scope >= 0 || is_address_axis(machine, axis);
    };
    for (int i = 0; i < layout.shard.size(); ++i)
        if (layout.shard[i].extent > 1 && layout.shard[i].stride != 0 && !known(layout.shard[i].axis))
            return Error(errc::unknown_axis, i, "the axis of iter {0} is not an axis of a scope or memory of the machine", i);
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].extent > 1 && layout.replica[i].stride != 0 && !known(layout.replica[i].axis))
            return Error(errc::unknown_axis, i, "the axis of replica iter {0} is not an axis of a scope or memory of the machine",
                         i);
    for (int i = 0; i < layout.offset.size(); ++i)
        if (layout.offset.entries[i].value != 0 && !known(layout.offset.entries[i].axis))
            return Error(errc::unknown_axis, i, "the axis of offset {0} is not an axis of a scope or memory of the machine", i);
    return outermost == machine.scopes.size() ? -1 : outermost;
}

} // namespace v0
} // namespace axe

#endif
