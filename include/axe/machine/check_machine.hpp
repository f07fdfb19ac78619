// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_CHECK_MACHINE_HPP
#define AXE_MACHINE_CHECK_MACHINE_HPP

#include <axe/machine/machine.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

constexpr bool is_missing(const char* word) noexcept { return word == nullptr || *word == '\0'; }

/// The number of the first item whose name an item before it has; −1 if none exists.
template <class List>
constexpr int repeated_name(const List& list) noexcept
{
    for (int i = 1; i < list.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (same_text(list[i].name, list[k].name)) return i;
    return -1;
}

constexpr Status check_scopes(const Machine& machine) noexcept
{
    const auto& scopes = machine.scopes;
    if (scopes.overfull())
        return Error(errc::capacity, scopes.capacity, "a machine has at most {0} scopes, this one has {1}", scopes.capacity,
                     scopes.size());
    if (scopes.empty()) return Error(errc::bad_argument, -1, "a machine has at least one scope, the device");
    for (int i = 0; i < scopes.size(); ++i) {
        if (is_missing(scopes[i].name)) return Error(errc::bad_argument, i, "scope {0} has no name", i);
        if (scopes[i].count < 0)
            return Error(errc::bad_extent, i, "scope {0} has {1} members; a count is at least 1, or 0 for a grid", i,
                         scopes[i].count);
        for (int k = 0; k < i; ++k)
            if (scopes[i].axis == scopes[k].axis)
                return Error(errc::bad_axis, i, "scopes {0} and {1} have the same axis; each needs its own", k, i);
    }
    if (const int i = repeated_name(scopes); i >= 0)
        return Error(errc::bad_argument, i, "scope {0} has the same name as an outer scope", i);
    if (is_grid(scopes[0])) return Error(errc::bad_extent, 0, "the outermost scope cannot be a grid; its count must be at least 1");
    return {};
}

constexpr Status check_splits(const Machine& machine) noexcept
{
    const auto& splits = machine.splits;
    if (splits.overfull())
        return Error(errc::capacity, splits.capacity, "a machine has at most {0} splits, this one has {1}", splits.capacity,
                     splits.size());
    for (int i = 0; i < splits.size(); ++i) {
        const AxisSplit& split = splits[i];
        if (split.extent < 1)
            return Error(errc::bad_extent, i, "the extent of split {0} is {1}; it must be at least 1", i, split.extent);
        if (split.whole == split.outer || split.whole == split.inner || split.outer == split.inner)
            return Error(errc::bad_axis, i, "the three axes of split {0} must be different", i);
        for (int k = 0; k < i; ++k) {
            if (splits[k].whole == split.whole) return Error(errc::bad_axis, i, "splits {0} and {1} split the same axis", k, i);
            for (const Axis& part : {split.outer, split.inner})
                if (splits[k].outer == part || splits[k].inner == part)
                    return Error(errc::bad_axis, i, "splits {0} and {1} have a part in common", k, i);
        }
        // Each axis is a part once at most, so upwards there is one way: it ends, or comes back to where it began.
        Axis at = split.whole;
        for (int steps = 0, found = 0; found >= 0; ++steps) {
            if (steps > splits.size()) return Error(errc::bad_axis, i, "split {0} makes an axis a part of itself", i);
            found = -1;
            for (int k = 0; k < splits.size(); ++k)
                if (splits[k].outer == at || splits[k].inner == at) found = k;
            if (found >= 0) at = splits[found].whole;
        }
        if (scope_of_axis(machine, split.whole) < 0)
            return Error(errc::bad_axis, i, "neither the whole of split {0} nor its outer part is an axis of a scope", i);
        for (const ScopeLevel& scope : machine.scopes) {
            if (scope.axis == split.inner && scope.count != split.extent)
                return Error(errc::bad_extent, i, "the extent of split {0} is {1}, but its inner part is a scope of {2} members", i,
                             split.extent, scope.count);
            if (scope.axis == split.whole && scope.count % split.extent != 0)
                return Error(errc::bad_extent, i,
                             "the extent of split {0} is {1}, which does not divide the {2} members of its scope", i, split.extent,
                             scope.count);
        }
    }
    return {};
}

constexpr Status check_memory(const Machine& machine, int i) noexcept
{
    const Memory& memory = machine.memories[i];
    if (is_missing(memory.name)) return Error(errc::bad_argument, i, "memory {0} has no name", i);
    if (is_missing(memory.owner) || scope_index(machine, memory.owner) < 0)
        return Error(errc::bad_argument, i, "the owner of memory {0} is not a scope of the machine", i);
    if (memory.axes.empty() || memory.axes.overfull())
        return Error(errc::rank_mismatch, i, "memory {0} has {1} axes of addresses; it needs 1 to {2}", i, memory.axes.size(),
                     memory.axes.capacity);
    if (memory.extents.size() != memory.axes.size())
        return Error(errc::rank_mismatch, i, "memory {0} has {1} axes and {2} extents", i, memory.axes.size(),
                     memory.extents.size());
    std::int64_t bytes = 1;
    for (int k = 0; k < memory.axes.size(); ++k) {
        if (memory.extents[k] < 0)
            return Error(errc::bad_extent, i, "extent {1} of memory {0} is {2}; it must be at least 1, or 0 for no limit", i, k,
                         memory.extents[k]);
        if (!mul(bytes, memory.extents[k], bytes))
            return Error(errc::overflow, i, "the product of the extents of memory {0} overflows", i);
        if (scope_of_axis(machine, memory.axes[k]) >= 0)
            return Error(errc::bad_axis, i, "axis {1} of memory {0} counts the members of a scope", i, k);
        for (int j = 0; j < k; ++j)
            if (memory.axes[j] == memory.axes[k])
                return Error(errc::bad_axis, i, "axes {1} and {2} of memory {0} are the same", i, j, k);
    }
    if (memory.capacity != bytes)
        return Error(errc::size_mismatch, i, "the capacity of memory {0} is {1}, but its extents multiply to {2}", i,
                     memory.capacity, bytes);
    if (memory.word < 0 || memory.banks < 0 || (memory.word == 0) != (memory.banks == 0))
        return Error(errc::bad_argument, i, "memory {0} has {1} banks and words of {2} bytes; both are at least 1, or both are 0",
                     i, memory.banks, memory.word);
    if (memory.alignment < 1 || (memory.alignment & (memory.alignment - 1)) != 0)
        return Error(errc::bad_argument, i, "the alignment of memory {0} is {1}; it must be a power of 2", i, memory.alignment);
    for (int k = 0; k < i; ++k)
        if ((machine.memories[k].roles.bits & memory.roles.bits) != 0)
            return Error(errc::bad_argument, i, "memories {0} and {1} have the same role; only one memory may have it", k, i);
    return {};
}

constexpr Status check_links(const Machine& machine) noexcept
{
    const auto& links = machine.links;
    if (links.overfull())
        return Error(errc::capacity, links.capacity, "a machine has at most {0} links, this one has {1}", links.capacity,
                     links.size());
    for (int i = 0; i < links.size(); ++i) {
        if (is_missing(links[i].name)) return Error(errc::bad_argument, i, "link {0} has no name", i);
        if (is_missing(links[i].scope) || scope_index(machine, links[i].scope) < 0)
            return Error(errc::bad_argument, i, "the scope of link {0} is not a scope of the machine", i);
        if (is_missing(links[i].memory) || find_memory(machine, links[i].memory) == nullptr)
            return Error(errc::bad_argument, i, "the memory of link {0} is not a memory of the machine", i);
        if (links[i].instructions.empty() || links[i].instructions.overfull())
            return Error(errc::bad_argument, i, "link {0} has {1} instructions; it needs 1 to {2}", i, links[i].instructions.size(),
                         links[i].instructions.capacity);
        for (int k = 0; k < links[i].instructions.size(); ++k)
            if (is_missing(links[i].instructions[k]) || !has_instruction(machine, links[i].instructions[k]))
                return Error(errc::bad_argument, i, "instruction {1} of link {0} is not an instruction of the machine", i, k);
    }
    if (const int i = repeated_name(links); i >= 0)
        return Error(errc::bad_argument, i, "link {0} has the same name as an earlier link", i);
    return {};
}

constexpr Status check_words(const Machine& machine) noexcept
{
    const auto& words = machine.instructions;
    if (words.overfull())
        return Error(errc::capacity, words.capacity, "a machine has at most {0} instructions, this one has {1}", words.capacity,
                     words.size());
    for (int i = 0; i < words.size(); ++i) {
        if (is_missing(words[i])) return Error(errc::bad_argument, i, "instruction {0} has no name", i);
        for (int k = 0; k < i; ++k)
            if (covers(words[i], words[k]) || covers(words[k], words[i]))
                return Error(errc::bad_argument, i, "instructions {0} and {1} are the same, or one is a form of the other", k, i);
    }
    const auto& limits = machine.limits;
    if (limits.overfull())
        return Error(errc::capacity, limits.capacity, "a machine has at most {0} limits, this one has {1}", limits.capacity,
                     limits.size());
    for (int i = 0; i < limits.size(); ++i) {
        if (is_missing(limits[i].name)) return Error(errc::bad_argument, i, "limit {0} has no name", i);
        if (limits[i].value < 1) return Error(errc::bad_argument, i, "limit {0} is {1}; it must be at least 1", i, limits[i].value);
    }
    if (const int i = repeated_name(limits); i >= 0)
        return Error(errc::bad_argument, i, "limit {0} has the same name as an earlier limit", i);
    return {};
}

} // namespace detail

/// Is the description sound?
///
/// Names are there and each is used once; scopes have separate axes; splits form trees of scopes' axes, and an inner part that
/// is a scope has its count; every memory has an owner, axes of addresses with their extents, the capacity that these multiply to,
/// and roles that no other has; links are between members of a scope and use instructions that are there.
/// Errors name the item: `errc::bad_argument`, `errc::bad_axis`, `errc::bad_extent`, `errc::rank_mismatch`, `errc::size_mismatch`,
/// `errc::capacity`, `errc::overflow`. Cost: quadratic in the lists.
constexpr Status check(const Machine& machine) noexcept
{
    if (detail::is_missing(machine.name)) return Error(errc::bad_argument, -1, "a machine needs a name");
    if (const Status e = detail::check_scopes(machine); !e.ok()) return e;
    if (const Status e = detail::check_splits(machine); !e.ok()) return e;
    const auto& memories = machine.memories;
    if (memories.overfull())
        return Error(errc::capacity, memories.capacity, "a machine has at most {0} memories, this one has {1}", memories.capacity,
                     memories.size());
    for (int i = 0; i < memories.size(); ++i)
        if (const Status e = detail::check_memory(machine, i); !e.ok()) return e;
    if (const int i = detail::repeated_name(memories); i >= 0)
        return Error(errc::bad_argument, i, "memory {0} has the same name as an earlier memory", i);
    if (const Status e = detail::check_words(machine); !e.ok()) return e;
    if (machine.atoms.size() > max_atoms)
        return Error(errc::capacity, max_atoms, "a machine lists at most {0} rows of atoms, this one has {1}", max_atoms,
                     machine.atoms.size());
    return detail::check_links(machine);
}

} // namespace v0
} // namespace axe

#endif
