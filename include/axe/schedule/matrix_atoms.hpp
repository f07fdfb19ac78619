// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_MATRIX_ATOMS_HPP
#define AXE_SCHEDULE_MATRIX_ATOMS_HPP

#include <axe/machine/atoms_of.hpp>
#include <axe/tensor/dtype.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace axe {
inline namespace v0 {

/// A matrix instruction of one warp: the rows of A [m,k], B [k,n] and C [m,n], which is D's as well.
struct MatrixAtom {
    Atom a{}, b{}, c{};

    [[nodiscard]] const char* name() const noexcept { return c.name; }
    [[nodiscard]] std::int64_t m() const noexcept { return c.dims[0]; }
    [[nodiscard]] std::int64_t n() const noexcept { return c.dims[1]; }
    [[nodiscard]] std::int64_t k() const noexcept { return a.dims[1]; }
};

/// The type as PTX spells it; where the names are ours as well, they are the same.      [PTX ISA, fundamental types]
constexpr const char* ptx_type(DType type) noexcept
{
    switch (type) {
    case DType::i32: return "s32";
    case DType::i16: return "s16";
    case DType::i8: return "s8";
    case DType::i4: return "s4";
    default: return name(type);
    }
}

/// The instructions of one warp that the machine has for D = A·B + D with these types, the largest first: by m·n, then by k.
///
/// Without `a` and `b`, those of any operands that write D's type. Types of less than 8 bits are left out: they share bytes in the
/// instruction's registers and not in a tensor's memory; so are accumulators of f16, as schedules
/// sum f16 in f32. Cost: linear in the number of atoms.
inline std::vector<MatrixAtom> matrix_atoms(const Machine& machine, DType d, std::optional<DType> a = {},
                                            std::optional<DType> b = {})
{
    using detail::same_text;
    std::vector<MatrixAtom> out;
    const auto larger = [](const MatrixAtom& x, const MatrixAtom& y) {
        return x.m() * x.n() != y.m() * y.n() ? x.m() * x.n() > y.m() * y.n() : x.k() > y.k();
    };
    for (const Atom& c : machine.atoms) {
        if (!same_text(c.operand, "C") || !same_text(c.scope, "warp") || !same_text(c.element, ptx_type(d))) continue;
        if (same_text(c.element, "f16") || !has_instruction(machine, c.name)) continue;
        const Atom *left = find_atom(machine, c.name, c.arch, "A"), *right = find_atom(machine, c.name, c.arch, "B");
        if (left == nullptr || right == nullptr) continue;
        if (a && !same_text(left->element, ptx_type(*a))) continue;
        if (b && !same_text(right->element, ptx_type(*b))) continue;
        if (same_text(left->element, "s4") || same_text(left->element, "b1")) continue;
        const MatrixAtom atom{*left, *right, c};
        out.insert(std::upper_bound(out.begin(), out.end(), atom, larger), atom);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
