// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_ATOMS_OF_HPP
#define AXE_MACHINE_ATOMS_OF_HPP

#include <axe/machine/atom.hpp>
#include <axe/machine/machine.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Does one generation, `length` characters of text, hold on a machine of this name?
constexpr bool is_generation_of(const char* arch, int length, const char* name) noexcept
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    int i = 0;
    while (i < length && arch[i] == name[i]) ++i;
    if (name[i] == '\0' && i == length) return true;
    // `gen90a`: forms of gen90 and of no later one
    if (name[i] == '\0' && i + 1 == length && arch[i] == 'a' && i > 0 && is_digit(arch[i - 1])) return true;
    if (length == 0 || arch[length - 1] != '+') return false;
    // `gen80+`: this one and those with a greater number after the same letters
    int start = 0;
    while (start < length && !is_digit(arch[start])) ++start;
    for (int k = 0; k < start; ++k)
        if (name[k] != arch[k]) return false;
    if (!is_digit(name[start])) return false;
    std::int64_t from = 0, number = 0;
    for (int k = start; k < length - 1; ++k) {
        if (!is_digit(arch[k])) return false;
        from = from * 10 + (arch[k] - '0');
    }
    int end = start;
    for (; is_digit(name[end]) && end < start + 9; ++end) number = number * 10 + (name[end] - '0');
    return name[end] == '\0' && number >= from;
}

} // namespace detail

/// Has a machine of this name what is of the architecture `arch`, in the words of `Atom::arch`?
///
/// Alternatives are parted by `/`; `gen80+` is gen80 and every later gen; `gen90a` is gen90 and no later one, as in vendors'
/// targets; else the words are the same.
constexpr bool holds_on(const char* arch, const char* name) noexcept
{
    for (int length = 0;; ++length) {
        if (arch[length] != '\0' && arch[length] != '/') continue;
        if (detail::is_generation_of(arch, length, name)) return true;
        if (arch[length] == '\0') return false;
        arch += length + 1;
        length = -1;
    }
}

/// The atoms that a machine has: those rows of `machine.atoms` whose architecture holds on it, in their order; of a mesh, those of
/// its devices.
///
/// @pre check(machine) passes, which holds the rows to `max_atoms`
/// Cost: linear in the number of rows.
constexpr InlineVector<const Atom*, max_atoms> atoms_of(const Machine& machine) noexcept
{
    InlineVector<const Atom*, max_atoms> out;
    for (const Atom& atom : machine.atoms)
        if (holds_on(atom.arch, machine.name)) out.push_back(&atom);
    return out;
}

/// The row of an operand of one of the machine's atoms, by its exact words; null if none exists.
///
/// Cost: linear in the number of rows.
constexpr const Atom* find_atom(const Machine& machine, const char* name, const char* arch, const char* operand) noexcept
{
    using detail::same_text;
    for (const Atom& atom : machine.atoms)
        if (same_text(atom.name, name) && same_text(atom.arch, arch) && same_text(atom.operand, operand)) return &atom;
    return nullptr;
}

} // namespace v0
} // namespace axe

#endif
