// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_OPERATORS_HPP
#define AXE_SIM_REFERENCE_OPERATORS_HPP

#include <axe/program/operators.hpp>
#include <axe/sim/reference/frame.hpp>
#include <axe/sim/reference/product_rows.hpp>

/// The operators by naive loops, a function each. Operands are read whole before anything is written.
namespace axe {
inline namespace v0 {
namespace ref {

/// An operator whose operands' boxes are found.
struct Operands {
    const Operation& operation;
    const Scene& scene;
    std::vector<Box> boxes{};

    [[nodiscard]] const Box& box(int i) const { return boxes[static_cast<std::size_t>(i)]; }
    [[nodiscard]] DType type(int i) const { return box(i).tensor().dtype; }
    [[nodiscard]] int size() const { return static_cast<int>(boxes.size()); }
};

inline Problem no_bounds(Function f)
{
    return Problem(errc::bad_argument,
                   detail::hinted("function `{0}` has no bounds to verify it with", "set `FunctionRow::bounds`"), {name(f)});
}

inline bool all_whole(const Operands& o, int first)
{
    bool yes = true;
    for (int i = first; i < o.size(); ++i) yes = yes && is_whole(o.type(i));
    return yes;
}
/// In what functions of the operands after D are computed: f64 where one is of it, else f32, which rounds large integers.
inline DType computed_in(const Operands& o, int first)
{
    for (int i = first; i < o.size(); ++i)
        if (o.type(i) == DType::f64) return DType::f64;
    return DType::f32;
}
/// An operand as the arithmetic gets it.
inline Bounded as_operand(const Bounded& b, DType type, DType computed)
{
    if (type != DType::i32 || computed != DType::f32 || b.magnitude() <= 0x1p24) return b;
    const Bounded converted = stored(b, DType::f32);
    return {b.value, std::min(b.low, converted.low), std::max(b.high, converted.high), false};
}

inline Result<void, Problem> run_fill(const Operands& o)
{
    Values out(o.box(0).size());
    const Bounded b = stored(exactly(o.operation.number), o.type(0));
    if (auto e = for_each_number(o.box(0).pulse, out.size(), 4, [&](std::int64_t i) { out.set(i, b); }); !e.ok()) return e;
    return write(o.box(0), out);
}

/// What is outside of the box of A, in places of `a`, becomes NaN.
inline Result<void, Problem> fill_outside(const Operands& o, Values& a)
{
    Values all(a.size());
    const auto set = [&](std::int64_t i) { all.set(i, exactly(not_a_number)); };
    if (auto e = for_each_number(o.box(1).pulse, all.size(), 8, set); !e.ok()) return e;
    auto e = for_rows(o.box(1), [&](std::int64_t first, std::int64_t, std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t x = begin; x < end; ++x) all.set(first + x, a.at(first + x));
        return Problem();
    });
    a = std::move(all);
    return e;
}
/// Writes the elements whose bytes a byte mask has; D keeps the others.
inline Result<void, Problem> write_masked(const Operands& o, const Values& a)
{
    const Shape& shape = o.box(0).extents;
    const std::int64_t width = storage_bytes(o.type(0)), row = shape.size() == 0 ? 1 : shape[shape.size() - 1];
    const auto part = [&](std::int64_t first, std::int64_t element, std::int64_t step, std::int64_t begin, std::int64_t end) {
        Elements& d = *o.box(0).of;
        for (std::int64_t x = begin; x < end; ++x) {
            const std::int64_t i = first + x, at = element + step * x;
            if ((o.operation.options.byte_mask >> (i % row * width % 16) & 1) == 0) continue;
            d.values.set(at, a.at(i));
            d.written[static_cast<std::size_t>(at)] = 1;
            if (!d.chains.empty()) d.chains.erase(at);
        }
        return Problem();
    };
    return for_rows(o.box(0), part);
}

inline Result<void, Problem> run_copy(const Operands& o)
{
    auto a = read(o.box(1));
    if (!a) return a.error();
    if (o.operation.options.fill_nan)
        if (auto e = fill_outside(o, *a); !e.ok()) return e;
    if (o.operation.options.byte_mask != 0xffff) return write_masked(o, *a);
    if (o.type(0) == o.type(1)) return write(o.box(0), *a);
    const auto convert = [&](std::int64_t i) { a->set(i, stored(a->at(i), o.type(0))); };
    if (auto e = for_each_number(o.box(0).pulse, a->size(), 40, convert); !e.ok()) return e;
    return write(o.box(0), *a);
}

/// An element of another type with the same bits. Of a number that rounding decides, and of a NaN, which has many bits, nothing is known.
inline Bounded same_bits(const Bounded& a, DType from, DType to)
{
    if (from == to) return a;
    const double value = decode(to, encode(from, a.value));
    return a.is_point() ? exactly(value) : stored(anything(value), to);
}

inline Result<void, Problem> run_map(const Operands& o)
{
    std::vector<Values> in;
    for (int i = 1; i < o.size(); ++i) {
        auto a = read(o.box(i));
        if (!a) return a.error();
        in.push_back(std::move(*a));
    }
    const bool whole = all_whole(o, 1);
    const DType computed = whole ? DType::f64 : computed_in(o, 1);
    Values out(o.box(0).size());
    Bounded of[3]{};
    for (std::int64_t i = 0; i < out.size(); ++i) {
        if (!goes_on(o.box(0).pulse, 100)) return stopped();
        for (int k = 1; k < o.size(); ++k) {
            const Bounded b = in[static_cast<std::size_t>(k - 1)].at(i);
            of[k - 1] = whole ? b : as_operand(b, o.type(k), computed);
        }
        if (o.operation.function == Function::bit_cast)
            out.set(i, same_bits(in[0].at(i), o.type(1), o.type(0)));
        else
            out.set(i, stored(apply(o.operation.function, of, computed, whole), o.type(0), computed));
    }
    return write(o.box(0), out);
}

inline Result<void, Problem> run_reduce(const Operands& o)
{
    const auto a = read(o.box(1));
    if (!a) return a.error();
    Values old;
    if (o.operation.accumulate) {
        auto d = read(o.box(0));
        if (!d) return d.error();
        old = std::move(*d);
    }
    // A's elements by rows: the kept dimensions choose the element of D, the reduced ones run.
    const Shape& shape = o.box(1).extents;
    Shape kept, reduced;
    InlineVector<std::int64_t, max_rank> kept_stride, reduced_stride;
    std::int64_t stride = 1;
    InlineVector<std::int64_t, max_rank> strides = shape;
    for (int d = shape.size() - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= shape[d];
    }
    for (int d = 0; d < shape.size(); ++d) {
        const bool runs = std::find(o.operation.axes.begin(), o.operation.axes.end(), d) != o.operation.axes.end();
        (runs ? reduced : kept).push_back(shape[d]);
        (runs ? reduced_stride : kept_stride).push_back(strides[d]);
    }
    const auto place = [](const Shape& s, const InlineVector<std::int64_t, max_rank>& by, std::int64_t i) {
        const Coord c = coordinate(s, i);
        std::int64_t sum_of = 0;
        for (int d = 0; d < s.size(); ++d) sum_of += c[d] * by[d];
        return sum_of;
    };
    const std::int64_t terms = volume(reduced).value_or(0);
    std::vector<std::int64_t> offsets;
    const auto add_offset = [&](std::int64_t t) { offsets.push_back(place(reduced, reduced_stride, t)); };
    if (auto e = for_each_number(o.box(0).pulse, terms, 20, add_offset); !e.ok()) return e;

    const Function f = o.operation.function;
    const bool whole = all_whole(o, 1);
    const DType computed = whole ? DType::f64 : computed_in(o, 1);
    const Arithmetic in = arithmetic(o.type(0), computed, whole);
    Values out(o.box(0).size());
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const std::int64_t base = place(kept, kept_stride, i);
        Sum sum_of;
        Product product_of;
        Bounded folded;
        const auto take = [&](const Bounded& b, bool first) {
            if (f == Function::add)
                sum_of.add(b);
            else if (f == Function::mul)
                product_of.multiply(b);
            else
                folded = first ? b : apply(f, std::array<Bounded, 2>{folded, b}.data(), computed, whole);
        };
        const auto take_term = [&](std::int64_t t) {
            take(as_operand(a->at(base + offsets[static_cast<std::size_t>(t)]), o.type(1), computed), t == 0);
        };
        if (auto e = for_each_number(o.box(0).pulse, terms, 20, take_term); !e.ok()) return e;
        if (o.operation.accumulate) take(old.at(i), false);
        // A term is rounded to the sum's type where that is narrower than its own, before it is added.
        const double more = significand_bits(o.type(1)) > significand_bits(o.type(0)) ? 1 : 0;
        const Bounded result = f == Function::add   ? sum_of.result(more, in)
                               : f == Function::mul ? product_of.result(more, in)
                                                    : folded;
        out.set(i, stored(result, o.type(0), computed));
    }
    return write(o.box(0), out);
}

/// A matrix as the product's loops read it: rows contiguous, whatever is transposed.
inline Result<Values, Problem> as_rows(Values from, const Shape& extents, bool transpose, Pulse* pulse)
{
    if (!transpose) return from;
    Values out(from.size());
    for (std::int64_t i = 0; i < extents[0]; ++i) {
        if (!goes_on(pulse, 8 * extents[1])) return stopped();
        out.scatter_from(i, extents[0], from, i * extents[1], extents[1]);
    }
    return out;
}

/// to[j] += Σ_k a[k]·b[k][j], k ascending; four rows of b at a time, each element of `to` loaded and stored once for them.
inline void add_rows(const double* a, const double* b, double* to, std::int64_t n, std::int64_t depth)
{
    std::int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
        const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        const double *b0 = b + k * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
        for (std::int64_t j = 0; j < n; ++j) to[j] = (((to[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j];
    }
    for (; k < depth; ++k)
        for (std::int64_t j = 0; j < n; ++j) to[j] += a[k] * b[k * n + j];
}

/// Σ_k value[i][k]·value[k][j], added to the numbers at `out`.
inline Result<void, Problem> add_product(Pulse* pulse, const double* a, const double* b, double* out, std::int64_t m,
                                         std::int64_t n, std::int64_t depth)
{
    const std::int64_t rows = std::max<std::int64_t>(1, (std::int64_t{1} << 18) / std::max<std::int64_t>(1, n)); // some 0.1 ms of b
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t first = 0; first < depth; first += rows) {
            const std::int64_t count = std::min(rows, depth - first);
            add_rows(a + i * depth + first, b + first * n, out + i * n, n, count);
            if (!goes_on(pulse, n * count / 2)) return stopped();
        }
    return {};
}

/// Products of finite matrices, from four matrix products of their values, sizes and radii r = max(high − value, value − low):
///
///   |Σ ab − Σ a'b'| ≤ Σ r_a·(|b| + r_b) + |a|·r_b,   Σ |a'b'| ≤ Σ (|a| + r_a)(|b| + r_b)   for all a' and b' that may be
inline Result<void, Problem> product_of_finite(Pulse* pulse, const Values& a, const Values& b, std::int64_t m, std::int64_t n,
                                               std::int64_t depth, std::vector<double>& sums, std::vector<double>& radius,
                                               std::vector<double>& magnitude)
{
    bool wanted = true; // by the caller
    const auto part = [&](const Values& v, auto f) {
        Zeros<double> out(static_cast<std::size_t>(v.size()));
        const auto take = [&](std::int64_t i) { out[static_cast<std::size_t>(i)] = f(v.at(i)); };
        wanted = wanted && for_each_number(pulse, v.size(), 4, take).ok();
        return out;
    };
    // What was not taken to its end is no operand.
    const auto add = [&](const Zeros<double>& x, const Zeros<double>& y, std::vector<double>& to) {
        return wanted ? add_product(pulse, x.data(), y.data(), to.data(), m, n, depth) : stopped();
    };
    const auto radius_of = [](const Bounded& x) { return std::max(x.high - x.value, x.value - x.low); };
    const auto size_of = [](const Bounded& x) { return std::fabs(x.value); };
    const auto most_of = [&](const Bounded& x) { return size_of(x) + radius_of(x); };
    if (auto e = add_product(pulse, a.value(), b.value(), sums.data(), m, n, depth); !e.ok()) return e;
    const auto most_b = part(b, most_of);
    if (auto e = add(part(a, most_of), most_b, magnitude); !e.ok()) return e;
    if (!a.all_points())
        if (auto e = add(part(a, radius_of), most_b, radius); !e.ok()) return e;
    if (b.all_points()) return {};
    return add(part(a, size_of), part(b, radius_of), radius);
}

/// left·right for matrices of rows, added to `out` where it accumulates: what the sums may be before they are written.
/// @param more how often a term may be rounded besides in additions
inline Result<Values, Problem> matrix_product(const Values& left, const Values& right, Values out, bool accumulate, std::int64_t m,
                                              std::int64_t n, std::int64_t depth, double more, const Arithmetic& in, Pulse* pulse)
{
    // `all`: is the test true of every element?
    const auto judge = [&](bool& all, auto test) -> Result<void, Problem> {
        for (const Values* v : {&left, &right, &std::as_const(out)}) {
            const auto first = first_without(pulse, *v, test);
            if (!first) return first.error();
            all = all && *first == v->size();
            if (!all) break;
        }
        return {};
    };
    const auto is_finite = [](const Bounded& x) {
        return std::isfinite(x.value) && std::isfinite(x.low) && std::isfinite(x.high) && !x.nan;
    };
    const auto is_integral = [](const Bounded& x) { return x.is_point() && x.value == std::floor(x.value); };
    bool finite = true, integral = true;
    if (auto e = judge(finite, is_finite); !e.ok()) return e.error();
    if (finite) {
        std::vector<double> sums(static_cast<std::size_t>(m * n)), radius = sums, magnitude = sums;
        if (auto e = product_of_finite(pulse, left, right, m, n, depth, sums, radius, magnitude); !e.ok()) return e;
        if (auto e = judge(integral, is_integral); !e.ok()) return e.error();
        const double roundings = static_cast<double>(depth - 1) + more + (accumulate ? 1 : 0);
        for (std::int64_t i = 0; i < m * n; ++i) {
            if (!goes_on(pulse, 50)) return stopped();
            const auto k = static_cast<std::size_t>(i);
            const Bounded d = out.at(i);                    // 0 where nothing is accumulated
            const double error = radius[k] * (1 + 0x1p-40); // its own rounding
            out.set(i, sum_of_terms(d.value + sums[k], d.low + sums[k] - error, d.high + sums[k] + error,
                                    magnitude[k] + d.magnitude(), roundings, integral, in));
        }
        return out;
    }
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            Sum sum_of;
            const auto take = [&](std::int64_t k) { sum_of.add(product(left.at(i * depth + k), right.at(k * n + j))); };
            if (auto e = for_each_number(pulse, depth, 20, take); !e.ok()) return e.error();
            if (accumulate) sum_of.add(out.at(i * n + j));
            out.set(i * n + j, sum_of.result(more, in));
        }
    return out;
}

inline Result<void, Problem> run_gemm(const Operands& o)
{
    auto a = read(o.box(1)), b = read(o.box(2));
    if (!a) return a.error();
    if (!b) return b.error();
    const Shape& shape = o.box(0).extents;
    const std::int64_t m = shape[0], n = shape[1], depth = o.box(1).extents[o.operation.transpose_a ? 0 : 1];
    Pulse* const pulse = o.box(0).pulse;
    auto left = as_rows(std::move(*a), o.box(1).extents, o.operation.transpose_a, pulse);
    auto right = as_rows(std::move(*b), o.box(2).extents, o.operation.transpose_b, pulse);
    if (!left) return left.error();
    if (!right) return right.error();
    for (std::int64_t j = 0; j < n; ++j) {
        const auto word = static_cast<std::size_t>(j / 32);
        if (word >= o.operation.zero_columns.size() || (o.operation.zero_columns[word] >> j % 32 & 1) == 0) continue;
        for (std::int64_t l = 0; l < depth; ++l) right->set(l * n + j, {0, 0, 0, false});
    }
    if (o.operation.negate_a != o.operation.negate_b) {
        const auto turn = [&](std::int64_t i) {
            const Bounded x = left->at(i);
            left->set(i, {-x.value, -x.high, -x.low, x.nan});
        };
        if (auto e = for_each_number(pulse, left->size(), 8, turn); !e.ok()) return e;
    }
    Values out(m * n);
    const ProductRows d_rows(o.box(0), o.operation.kept_rows);
    const bool adds = o.operation.accumulate && (!o.operation.unless_zero || o.operation.start(o.scene.frame.variables) != 0);
    if (adds) {
        auto d = d_rows.old();
        if (!d) return d.error();
        out = std::move(*d);
        const auto scale = [&, factor = std::ldexp(1.0, -o.operation.scale_d)](std::int64_t i) {
            const Bounded x = out.at(i);
            out.set(i, {x.value * factor, x.low * factor, x.high * factor, x.nan});
        };
        if (o.operation.scale_d != 0)
            if (auto e = for_each_number(pulse, out.size(), 8, scale); !e.ok()) return e;
    }
    const bool whole = all_whole(o, 1);
    const DType type = o.type(0), computed = whole ? DType::f64 : computed_in(o, 0);
    const double more = whole || exact_products(o.type(1), o.type(2), type) ? 0 : 1;
    auto made = matrix_product(*left, *right, std::move(out), adds, m, n, depth, more, arithmetic(type, computed, whole), pulse);
    if (!made) return made.error();
    out = std::move(*made);
    const auto round = [&](std::int64_t i) { out.set(i, stored(out.at(i), type)); };
    if (auto e = for_each_number(pulse, m * n, 40, round); !e.ok()) return e;
    return d_rows.write_all(out);
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
