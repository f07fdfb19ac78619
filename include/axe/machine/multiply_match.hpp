// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_MULTIPLY_MATCH_HPP
#define AXE_MACHINE_MULTIPLY_MATCH_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/machine/atom.hpp>
#include <axe/machine/permutation.hpp>

namespace axe {
inline namespace v0 {

/// The three operands of one multiplication  C[m,n] += Σ_k A[m,k]·B[k,n] : of an instruction, or where a program has them.
template <class T>
struct MultiplyOperands {
    T a{}, b{}, c{};
};

namespace detail {

/// One operand: where a program has it, and where the atom does.
struct OperandMatch {
    Layout layout{}; ///< canonical, so that D(x) + O is the least corner of the points of x
    Layout atom{};

    /// Is element x of the layout where the atom has element y? The replica sets are one.
    [[nodiscard]] constexpr bool same(std::int64_t x, std::int64_t y) const noexcept
    {
        Point here, there;
        evaluate_into(layout, x, here);
        evaluate_into(atom, y, there);
        return here == there;
    }
};

/// Sentences for A, B and C.
struct OperandWords {
    const char *size, *copies, *swizzled;
};
inline constexpr OperandWords multiply_words[3] = {
    {"A has {0} elements, the atom's {1}", "A: element (0, 0) has other copies than in the atom",
     "A of the atom is swizzled: it lies in memory, and a program permutes no k there"},
    {"B has {0} elements, the atom's {1}", "B: element (0, 0) has other copies than in the atom",
     "B of the atom is swizzled: it lies in memory, and a program permutes no k there"},
    {"C has {0} elements, the atom's {1}", "C: element (0, 0) has other copies than in the atom",
     "C of the atom is swizzled: it lies in memory, and a program permutes no k there"},
};

constexpr Error match_operand(int which, const Atom& atom, const Layout& layout, OperandMatch& out) noexcept
{
    const OperandWords& words = multiply_words[which];
    if (const Error e = check_admission(atom.layout(), atom.shape())) return e;
    if (const Error e = check(layout)) return e;
    if (atom.swizzle.bits != 0) return Error(errc::bad_argument, -1, words.swizzled);
    const std::int64_t size = product(layout.shard), wanted = product(atom.layout().shard);
    if (size != wanted) return Error(errc::size_mismatch, -1, words.size, size, wanted);
    if (const Error e = canonicalize_into(layout, out.layout)) return e;
    if (const Error e = canonicalize_into(atom.layout(), out.atom)) return e;
    switch (same_replicas(out.layout, out.atom)) {
    case Answer::too_hard: return replicas_too_hard();
    case Answer::no: return Error(errc::no_layout, 0, words.copies);
    case Answer::yes: break;
    }
    return {};
}

} // namespace detail

/// The permutation p of k with which the operands of a program are those of one instruction:
///   a(i, k) = A(i, p[k])  and  b(k, j) = B(p[k], j),  for all i, j, k;  c = C
/// where a, b, c are the layouts, A, B, C the atoms', on one shape each. The instruction then forms the same sums, its terms in another order: C is as it
/// would be, up to the rounding of sums.
///
/// Exists iff there is such a p, for any layouts; one is found where there are several (columns of A alike, and rows of B with them).
/// `errc::no_layout` with the operand that differs, the element (its position: row-major) and what the atom has there; the least k
/// first, and C last. Errors: `errc::bad_argument` when the atoms are no [M,K], [K,N] and [M,N], for K > 512, and for swizzled atoms;
/// `errc::size_mismatch`; `errc::too_hard` for replica sets that break the gap condition.
/// Cost: K comparisons of a column for each k at most, one and a few elements where no two begin alike.
constexpr Result<Permutation> match_multiply(const MultiplyOperands<Atom>& atoms, const MultiplyOperands<Layout>& layouts) noexcept
{
    const Shape a = atoms.a.shape(), b = atoms.b.shape(), c = atoms.c.shape();
    if (a.size() != 2 || b.size() != 2 || c.size() != 2 || a[1] != b[0] || a[0] != c[0] || b[1] != c[1])
        return Error(errc::bad_argument, -1, "the atoms' operands are no [M,K], [K,N] and [M,N]");
    const std::int64_t rows = a[0], terms = a[1], columns = b[1];
    if (terms > Permutation::most)
        return Error(errc::bad_argument, -1, "{0} terms of a sum are more than the {1} that a permutation holds", terms,
                     Permutation::most);
    detail::OperandMatch left, right, sum;
    if (const Error e = detail::match_operand(0, atoms.a, layouts.a, left)) return e;
    if (const Error e = detail::match_operand(1, atoms.b, layouts.b, right)) return e;
    if (const Error e = detail::match_operand(2, atoms.c, layouts.c, sum)) return e;

    Permutation p;
    bool taken[Permutation::most]{};
    for (std::int64_t k = 0; k < terms; ++k) {
        // Being alike in A and B is an equivalence of the k: the first that is free is as good as any.
        std::int64_t found = -1, like = -1, used = -1, row = -1, column = -1;
        for (std::int64_t q = 0; q < terms && found < 0; ++q) {
            std::int64_t i = 0, j = 0;
            while (i < rows && left.same(i * terms + k, i * terms + q)) ++i;
            if (i < rows) {
                if (like < 0 && i > row) row = i;
                continue;
            }
            while (j < columns && right.same(k * columns + j, q * columns + j)) ++j;
            if (j < columns) {
                if (like < 0) like = q, column = j;
            } else if (taken[q]) {
                used = q;
            } else {
                found = q;
            }
        }
        if (found < 0 && used >= 0)
            return Error(errc::no_layout, static_cast<int>(k), "A: column {0} is column {1} of the atom, and so is one before it",
                         k, used);
        if (found < 0 && like >= 0)
            return Error(errc::no_layout, static_cast<int>(k * columns + column),
                         "B: element ({0}, {1}) is not where the atom has ({2}, {1}), as the columns of A want it", k, column,
                         like);
        if (found < 0)
            return Error(errc::no_layout, static_cast<int>(row * terms + k),
                         "A: element ({0}, {1}) is where no column of the atom has row {0} that is as this one above it", row, k);
        taken[found] = true;
        p.values.push_back(static_cast<std::int32_t>(found));
    }
    for (std::int64_t x = 0; x < rows * columns; ++x)
        if (!sum.same(x, x))
            return Error(errc::no_layout, static_cast<int>(x), "C: element ({0}, {1}) is not where the atom has it", x / columns,
                         x % columns);
    return p;
}

} // namespace v0
} // namespace axe

#endif
