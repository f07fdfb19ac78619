// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_MULTIPLY_MATCH_HPP
#define AXE_MACHINE_MULTIPLY_MATCH_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/layout/slice.hpp>
#include <axe/layout/sum.hpp>
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
    Swizzled<Layout> layout{}; ///< canonical, so that D(x) + O is the least corner of the points of x
    Swizzled<Layout> atom{};
    std::int64_t rows = 0, terms = 0; ///< of A and of B transposed: its other dimension, and that of the sum
    bool terms_first = false;         ///< is it [K, rows], as B is?
    bool swizzled_alike = true;

    [[nodiscard]] constexpr std::int64_t index(std::int64_t row, std::int64_t k) const noexcept
    {
        return terms_first ? k * rows + row : row * terms + k;
    }
    /// Is element x of the layout where the atom has element y? The replica sets are one.
    [[nodiscard]] constexpr bool same(std::int64_t x, std::int64_t y) const noexcept
    {
        Point here, there;
        evaluate_into(layout.layout, x, here);
        evaluate_into(atom.layout, y, there);
        if (!swizzled_alike && (!swizzle_point(layout, here).ok() || !swizzle_point(atom, there).ok())) return false;
        return here == there;
    }
};

/// Message templates for A, B and C.
struct OperandWords {
    const char *size, *copies, *swizzled, *cut, *start, *steps;
};
inline constexpr OperandWords multiply_words[3] = {
    {"A has {0} elements, the atom's {1}", "A: element (0, 0) has other copies than in the atom",
     "A is swizzled otherwise than the atom's", "A: {0} rows are not made of tiles of memory of {1} rows",
     "A begins at {0}, where no tile of memory begins that the instruction reads",
     "A: its tiles of memory are {0} apart; the instruction takes multiples of {1}, below 2^18 bytes"},
    {"B has {0} elements, the atom's {1}", "B: element (0, 0) has other copies than in the atom",
     "B is swizzled otherwise than the atom's", "B: {0} columns are not made of tiles of memory of {1}",
     "B begins at {0}, where no tile of memory begins that the instruction reads",
     "B: its tiles of memory are {0} apart; the instruction takes multiples of {1}, below 2^18 bytes"},
    {"C has {0} elements, the atom's {1}", "C: element (0, 0) has other copies than in the atom",
     "C is swizzled otherwise than the atom's", "", "", ""},
};

constexpr bool operand_is(const Atom& atom, const char* word) noexcept
{
    const char* at = atom.operand;
    while (*at != '\0' && *at == *word) ++at, ++word;
    return *at == *word;
}

/// What an instruction reads of shared memory, told by a descriptor: tiles of an `AB` atom, rows by k, a step apart along each of
/// the two; or columns of one, where it has more k than the instruction.      [PTX ISA, matrix descriptor]
///
/// Start and steps are the program's: with k permuted in any way, row 0 has the same set of places.
constexpr Status fit_tiles(int which, const Atom& tile, OperandMatch& out) noexcept
{
    const OperandWords& words = multiply_words[which];
    const std::int64_t high = tile.dims[0], wide = tile.dims[1];
    if (out.rows % high != 0) return Error(errc::not_grouped, 0, words.cut, out.rows, high);
    if (out.terms % wide != 0 && wide % out.terms != 0)
        return Error(errc::not_grouped, 1, "{0} of k and memory tiles of {1}: one must divide the other", out.terms, wide);
    const std::int64_t deep = wide < out.terms ? wide : out.terms;
    const auto part = slice(tile.layout(), tile.shape(), {{0, high}, {0, deep}});
    if (!part) return part.error();

    const Axis axis = out.layout.axis;
    const auto at = [&](const Layout& layout, std::int64_t x) {
        Point p;
        evaluate_into(layout, x, p);
        return p[axis];
    };
    const Layout& program = out.layout.layout;
    std::int64_t least = at(program, 0), most = least, footprint = 0;
    for (std::int64_t k = 1; k < out.terms; ++k) {
        const std::int64_t v = at(program, k);
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    for (std::int64_t k = 0; k < deep; ++k) footprint = at(*part, k) > footprint ? at(*part, k) : footprint;
    const std::int64_t along_k = out.terms / deep, along_rows = out.rows / high;
    std::int64_t steps[2] = {along_rows > 1 ? at(program, high * out.terms) - at(program, 0) : 0,
                             along_k > 1 ? (most - least - footprint) / (along_k - 1) : 0};

    const std::int64_t granule = tile.width < 16 ? 16 / tile.width : 1, limit = (std::int64_t{1} << 18) / tile.width;
    const std::int64_t swizzled = in_elements(out.atom).period(), period = swizzled > granule ? swizzled : granule;
    bool begins = false;
    for (std::int64_t k = 0; k < wide; k += out.terms) begins = begins || floor_mod(least, period) == at(tile.layout(), k);
    if (!begins || least < 0) return Error(errc::no_layout, 0, words.start, least);
    for (const std::int64_t step : steps)
        if (step < 0 || step >= limit || step % period != 0) return Error(errc::no_layout, 0, words.steps, step, period);

    Layout outer;
    outer.shard = {{along_rows, steps[0], axis}, {along_k, steps[1], axis}};
    const auto whole = sum(outer, {along_rows, along_k}, *part, {high, deep});
    if (!whole) return whole.error();
    const auto canonical = canonicalize(*whole);
    if (!canonical) return canonical.error();
    out.atom.layout = *canonical;
    *out.atom.layout.offset.entry(axis) += least;
    return {};
}

constexpr Status match_operand(int which, const Atom& atom, const Swizzled<Layout>& layout, OperandMatch& out) noexcept
{
    const OperandWords& words = multiply_words[which];
    if (const Status e = check_admission(atom.layout(), atom.shape()); !e.ok()) return e;
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check(atom.swizzled()); !e.ok()) return e;
    const std::int64_t size = product(layout.layout.shard), wanted = out.rows * out.terms;
    if (size != wanted) return Error(errc::size_mismatch, -1, words.size, size, wanted);
    out.layout = {layout.swizzle, layout.axis, layout.width, {}};
    out.atom = {atom.swizzle, Axis{}, atom.width, {}};
    if (const Status e = canonicalize_into(layout.layout, out.layout.layout); !e.ok()) return e;
    if (const Status e = canonicalize_into(atom.layout(), out.atom.layout); !e.ok()) return e;
    const Swizzle here = in_elements(out.layout), there = in_elements(out.atom);
    const bool tiles = operand_is(atom, "AB");
    out.swizzled_alike = here == there && (here.bits == 0 || layout.axis == out.atom.axis);
    if (!out.swizzled_alike && (tiles || !out.layout.layout.replica.empty() || !out.atom.layout.replica.empty()))
        return Error(errc::no_layout, 0, words.swizzled);
    switch (same_replicas(out.layout.layout, out.atom.layout)) {
    case Answer::too_hard: return replicas_too_hard();
    case Answer::no: return Error(errc::no_layout, 0, words.copies);
    case Answer::yes: break;
    }
    return tiles ? fit_tiles(which, atom, out) : Error{};
}

/// M, K and N of the atoms: A is [M,K], B is [K,N], C is [M,N]. `stationary` is A as [K,M]; `AB` is a tile of A as [M,K], or of B as
/// [N,K], of which an instruction reads 32 bytes of k.
constexpr Status multiply_sizes(const MultiplyOperands<Atom>& atoms, OperandMatch& left, OperandMatch& right,
                                OperandMatch& sum) noexcept
{
    const Error no_product(errc::bad_argument, -1, "the operands of the atoms are not [M,K], [K,N] and [M,N]");
    const Shape a = atoms.a.shape(), b = atoms.b.shape(), c = atoms.c.shape();
    if (a.size() != 2 || b.size() != 2 || c.size() != 2 || operand_is(atoms.c, "AB")) return no_product;
    const bool tiles_a = operand_is(atoms.a, "AB"), tiles_b = operand_is(atoms.b, "AB");
    left.terms_first = operand_is(atoms.a, "stationary");
    right.terms_first = !tiles_b;
    left.rows = sum.rows = c[0];
    right.rows = sum.terms = c[1];
    std::int64_t terms = left.terms_first ? a[0] : a[1];
    if (tiles_a) terms = tiles_b ? 32 / atoms.b.width : b[0];
    left.terms = right.terms = terms;
    if ((!tiles_a && a[left.terms_first ? 1 : 0] != c[0]) || (!tiles_b && (b[0] != terms || b[1] != c[1]))) return no_product;
    for (const Atom* atom : {&atoms.a, &atoms.b})
        if (operand_is(*atom, "AB") && terms * atom->width != 32)
            return Error(errc::bad_argument, -1, "an instruction reads 32 bytes of k from shared memory, not {0}",
                         terms * atom->width);
    return {};
}

} // namespace detail

/// The permutation p of k with which the operands of a program are those of one instruction:
///   a(i, k) = A(i, p[k])  and  b(k, j) = B(p[k], j),  for all i, j, k;  c = C
/// where a, b, c are the layouts, A, B, C the atoms', on one shape each. The instruction then forms the same sums, its terms in another
/// order: C is as it would be, up to the rounding of sums.
///
/// A `stationary` operand is [K,M], in the program as well. Where A or B is a tile of shared memory (operand `AB`), the layout is what
/// one instruction reads, [M,K] or [N,K], with K·width of 32 bytes; it matches where its tiles may be for a descriptor: the first at a
/// multiple of the swizzle's period, or k columns of the instruction further on; the others a multiple apart.
///
/// Exists iff such a p exists, for any layouts; one is found where several exist (columns of A alike, and rows of B with them).
/// `errc::no_layout` with the operand that differs, the element (its position: row-major) and what the atom has there; the least k
/// first, and C last; `errc::not_grouped` for operands that tiles do not make. Errors: `errc::bad_argument` when the atoms are not [M,K],
/// [K,N] and [M,N], and for K > 512; `errc::size_mismatch`; `errc::too_hard` for replica sets that break the gap condition.
/// Cost: K comparisons of a column for each k at most, one and a few elements where no two begin alike.
constexpr Result<Permutation> match_multiply(const MultiplyOperands<Atom>& atoms,
                                             const MultiplyOperands<Swizzled<Layout>>& layouts) noexcept
{
    detail::OperandMatch left, right, sum;
    if (const Status e = detail::multiply_sizes(atoms, left, right, sum); !e.ok()) return e;
    const std::int64_t rows = left.rows, terms = left.terms, columns = right.rows;
    if (terms > Permutation::most)
        return Error(errc::bad_argument, -1, "{0} terms of a sum exceed the {1} entries of a permutation", terms,
                     Permutation::most);
    if (const Status e = detail::match_operand(0, atoms.a, layouts.a, left); !e.ok()) return e;
    if (const Status e = detail::match_operand(1, atoms.b, layouts.b, right); !e.ok()) return e;
    if (const Status e = detail::match_operand(2, atoms.c, layouts.c, sum); !e.ok()) return e;

    Permutation p;
    bool taken[Permutation::most]{};
    for (std::int64_t k = 0; k < terms; ++k) {
        // Being alike in A and B is an equivalence of the k: the first that is free is as good as any.
        std::int64_t found = -1, like = -1, used = -1, row = -1, column = -1;
        for (std::int64_t q = 0; q < terms && found < 0; ++q) {
            std::int64_t i = 0, j = 0;
            while (i < rows && left.same(left.index(i, k), left.index(i, q))) ++i;
            if (i < rows) {
                if (like < 0 && i > row) row = i;
                continue;
            }
            while (j < columns && right.same(right.index(j, k), right.index(j, q))) ++j;
            if (j < columns) {
                if (like < 0) like = q, column = j;
            } else if (taken[q]) {
                used = q;
            } else {
                found = q;
            }
        }
        if (found < 0 && used >= 0)
            return Error(errc::no_layout, static_cast<int>(k), "A: column {0} is column {1} of the atom, and so is an earlier one",
                         k, used);
        if (found < 0 && like >= 0)
            return Error(errc::no_layout, static_cast<int>(right.index(column, k)),
                         "B: element ({0}, {1}) is not where the atom has ({2}, {1}), as the columns of A require", k, column,
                         like);
        if (found < 0)
            return Error(errc::no_layout, static_cast<int>(left.index(row, k)),
                         "A: element ({0}, {1}) is where no column of the atom that agrees with the rows above has row {0}", row,
                         k);
        taken[found] = true;
        p.values.push_back(static_cast<std::int32_t>(found));
    }
    for (std::int64_t x = 0; x < rows * columns; ++x)
        if (!sum.same(x, x))
            return Error(errc::no_layout, static_cast<int>(x), "C: element ({0}, {1}) is not where the atom has it", x / columns,
                         x % columns);
    return p;
}
constexpr Result<Permutation> match_multiply(const MultiplyOperands<Atom>& atoms, const MultiplyOperands<Layout>& layouts) noexcept
{
    const auto plain = [](const Layout& layout) { return Swizzled<Layout>{{}, {}, 1, layout}; };
    return match_multiply(atoms, {plain(layouts.a), plain(layouts.b), plain(layouts.c)});
}

} // namespace v0
} // namespace axe

#endif
