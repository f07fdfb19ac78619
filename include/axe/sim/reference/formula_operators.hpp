// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_FORMULA_OPERATORS_HPP
#define AXE_SIM_REFERENCE_FORMULA_OPERATORS_HPP

#include <axe/sim/reference/formula_elements.hpp>

/// The operations of formulas whose elements come from known elements of their operands: for each kind of node, which elements of its
/// operands it needs, and what its own may be.
namespace axe {
inline namespace v0 {
namespace ref {

/// Exponentials may be computed as powers of two of a product, quotients by a reciprocal: how far the operand or the result may be off
/// for that, in units of the last place, beside `function_ulps`.
inline constexpr double formula_ulps = 4;

inline Result<void, Problem> need_nothing(const FormulaScene&) { return {}; }

// ---- element by element -------------------------------------------------------------------------------------------------------

inline Result<void, Problem> make_iota(const FormulaScene& s)
{
    Strided index{s.shape(), s.shape(), 0};
    const int axis = s.formula().axes[0], last = s.shape().size();
    for (int d = 0; d < last; ++d) index.step[d] = d == axis || d == axis + last ? 1 : 0;
    s.for_each([&](std::int64_t i, std::int64_t at) { s.set(at, exactly(static_cast<double>(index(i)))); });
    return {};
}

inline Result<void, Problem> need_broadcast(const FormulaScene& s)
{
    if (s.formula().kind == FormulaNode::Kind::function && !has_bounds(s.formula().function))
        return no_bounds(s.formula().function);
    for (int k = 0; k < s.count(); ++k) {
        const Strided from = broadcast_to(s.shape(), s.operand(k).shape);
        s.for_each([&](std::int64_t i, std::int64_t) { s.want(k, from(i)); });
    }
    return {};
}

/// A function's result before it may be rounded.
inline Bounded formula_function(Function f, Bounded* of, DType working)
{
    const double share = formula_ulps * 2 * unit_roundoff(working);
    if ((f == Function::exp || f == Function::exp2) && !of[0].never_number()) {
        if (std::isfinite(of[0].low)) of[0].low -= std::fabs(of[0].low) * share;
        if (std::isfinite(of[0].high)) of[0].high += std::fabs(of[0].high) * share;
    }
    const Bounded out = apply(f, of, working, false);
    return f == Function::div ? rising(out, [](double x) { return x; }, working) : out;
}

inline Result<void, Problem> make_function(const FormulaScene& s)
{
    const Function f = s.formula().function;
    std::vector<Strided> from;
    for (int k = 0; k < s.count(); ++k) from.push_back(broadcast_to(s.shape(), s.operand(k).shape));
    const SpecificationNode& n = s.node();
    // What chooses among operands, and what compares them, rounds nothing.
    const bool exact =
        n.type == DType::b1 || f == Function::select || f == Function::min || f == Function::max || f == Function::identity;
    s.for_each([&](std::int64_t i, std::int64_t at) {
        Bounded of[3]{};
        for (int k = 0; k < s.count(); ++k) of[k] = s.working(k, from[static_cast<std::size_t>(k)](i));
        if (n.whole)
            s.set(at, stored(apply(f, of, DType::f64, true), n.type));
        else if (exact)
            s.set(at, apply(f, of, n.working, false));
        else
            s.set(at, may_round(formula_function(f, of, n.working), n.working));
    });
    return {};
}

inline Result<void, Problem> need_same(const FormulaScene& s)
{
    s.for_each([&](std::int64_t i, std::int64_t) { s.want(0, i); });
    return {};
}
inline Result<void, Problem> make_cast(const FormulaScene& s)
{
    s.for_each([&](std::int64_t i, std::int64_t at) { s.set(at, stored(s.at(0, i), s.node().type)); });
    return {};
}
/// A relative error of one rounding, and what is lost where numbers are tiny.
inline Result<void, Problem> make_rounded(const FormulaScene& s)
{
    const DType type = s.node().working;
    const double unit = unit_roundoff(type) * (1 + 0x1p-10), least = least_positive(type);
    s.for_each([&](std::int64_t i, std::int64_t at) {
        Bounded b = may_round(s.at(0, i), type);
        if (!b.never_number()) {
            if (std::isfinite(b.low) && b.low != 0) b.low -= std::fabs(b.low) * unit + least;
            if (std::isfinite(b.high) && b.high != 0) b.high += std::fabs(b.high) * unit + least;
        }
        s.set(at, b);
    });
    return {};
}
inline Result<void, Problem> make_same(const FormulaScene& s)
{
    s.for_each([&](std::int64_t i, std::int64_t at) { s.set(at, s.at(0, i)); });
    return {};
}

// ---- other places -------------------------------------------------------------------------------------------------------------

inline Strided places_of(const FormulaScene& s)
{
    const FormulaNode& f = s.formula();
    const Shape& from = s.operand(0).shape;
    Strided out{s.shape(), row_steps(from), 0};
    if (f.kind == FormulaNode::Kind::broadcast) return broadcast_to(s.shape(), from);
    if (f.kind == FormulaNode::Kind::permute) {
        const auto steps = out.step;
        for (int k = 0; k < from.size(); ++k) out.step[k] = steps[f.axes[k] < 0 ? f.axes[k] + from.size() : f.axes[k]];
    } else { // a slice
        const int d = f.axes[0] < 0 ? f.axes[0] + from.size() : f.axes[0];
        out.first = f.begin[0] * out.step[d];
        out.step[d] *= f.step;
    }
    return out;
}
inline Result<void, Problem> need_places(const FormulaScene& s)
{
    const Strided from = places_of(s);
    s.for_each([&](std::int64_t i, std::int64_t) { s.want(0, from(i)); });
    return {};
}
inline Result<void, Problem> make_places(const FormulaScene& s)
{
    const Strided from = places_of(s);
    s.for_each([&](std::int64_t i, std::int64_t at) { s.set(at, s.at(0, from(i))); });
    return {};
}

/// f(element, place, element of the operand, or −1 outside) for each.
template <class F>
void for_shifted(const FormulaScene& s, F f)
{
    const Shape& shape = s.shape();
    const auto steps = row_steps(shape);
    s.for_each([&](std::int64_t i, std::int64_t at) {
        std::int64_t rest = i, from = 0;
        for (int d = shape.size() - 1; d >= 0; --d) {
            const std::int64_t q = rest / shape[d], c = rest - q * shape[d], by = s.formula().begin[d];
            const bool inside = by >= -c && by < shape[d] - c;
            from = from < 0 || !inside ? -1 : from + (c + by) * steps[d];
            rest = q;
        }
        f(at, from);
    });
}
inline Result<void, Problem> need_shifted(const FormulaScene& s)
{
    for_shifted(s, [&](std::int64_t, std::int64_t from) {
        if (from >= 0) s.want(0, from);
    });
    return {};
}
inline Result<void, Problem> make_shifted(const FormulaScene& s)
{
    const Bounded outside = stored(exactly(s.formula().number), s.node().type);
    for_shifted(s, [&](std::int64_t at, std::int64_t from) { s.set(at, from < 0 ? outside : s.at(0, from)); });
    return {};
}

/// f(place, part, element of the part) for each.
template <class F>
void for_parts(const FormulaScene& s, F f)
{
    const Shape& shape = s.shape();
    const int axis = s.formula().axes[0], d = axis < 0 ? axis + shape.size() : axis;
    const std::int64_t inner = row_steps(shape)[d];
    s.for_each([&](std::int64_t i, std::int64_t at) {
        std::int64_t index = i / inner % shape[d];
        const std::int64_t outer = i / inner / shape[d];
        int part = 0;
        while (index >= s.operand(part).shape[d]) index -= s.operand(part++).shape[d];
        f(at, part, (outer * s.operand(part).shape[d] + index) * inner + i % inner);
    });
}
inline Result<void, Problem> need_parts(const FormulaScene& s)
{
    for_parts(s, [&](std::int64_t, int part, std::int64_t element) { s.want(part, element); });
    return {};
}
inline Result<void, Problem> make_parts(const FormulaScene& s)
{
    for_parts(s, [&](std::int64_t at, int part, std::int64_t element) { s.set(at, s.at(part, element)); });
    return {};
}

// ---- sums ---------------------------------------------------------------------------------------------------------------------

/// Of a reduction: where the terms of an element begin, and how far each is from there.
struct Terms {
    Strided begin{};
    std::vector<std::int64_t> offsets{};
};
inline Terms terms_of(const FormulaScene& s)
{
    const Shape& from = s.operand(0).shape;
    const auto steps = row_steps(from);
    Terms out{{s.shape(), {}, 0}, {}};
    Strided inner;
    for (int d = 0; d < from.size(); ++d) {
        bool runs = false;
        for (const int axis : s.formula().axes) runs = runs || axis == d || axis + from.size() == d;
        if (!runs || s.formula().keep) out.begin.step.push_back(runs ? 0 : steps[d]);
        if (!runs) continue;
        inner.shape.push_back(from[d]);
        inner.step.push_back(steps[d]);
    }
    const std::int64_t count = volume(inner.shape).value_or(0);
    for (std::int64_t t = 0; t < count && s.in.goes_on(20); ++t) out.offsets.push_back(inner(t));
    return out;
}
inline Result<void, Problem> need_terms(const FormulaScene& s)
{
    if (!has_bounds(s.formula().function)) return no_bounds(s.formula().function);
    const Terms terms = terms_of(s);
    s.for_each([&](std::int64_t i, std::int64_t) {
        const std::int64_t begin = terms.begin(i);
        for (const std::int64_t offset : terms.offsets)
            if (s.in.goes_on(10)) s.want(0, begin + offset);
    });
    return {};
}
inline Result<void, Problem> make_reduce(const FormulaScene& s)
{
    const Terms terms = terms_of(s);
    const Function f = s.formula().function;
    const bool whole = s.node().whole;
    const DType computed = whole ? DType::f64 : s.node().working;
    const Arithmetic in = s.arithmetic();
    const double more = s.term_roundings(0);
    s.for_each([&](std::int64_t i, std::int64_t at) {
        const std::int64_t begin = terms.begin(i);
        Sum sum_of;
        Product product_of;
        Bounded folded;
        for (const std::int64_t& offset : terms.offsets) {
            if (!s.in.goes_on(50)) return;
            const Bounded b = s.working(0, begin + offset);
            if (f == Function::add)
                sum_of.add(b);
            else if (f == Function::mul)
                product_of.multiply(b);
            else
                folded =
                    &offset == &terms.offsets.front() ? b : apply(f, std::array<Bounded, 2>{folded, b}.data(), computed, whole);
        }
        const Bounded result = f == Function::add   ? sum_of.result(more, in)
                               : f == Function::mul ? product_of.result(more, in)
                                                    : folded;
        s.set(at, whole ? stored(result, s.node().type) : result);
    });
    return {};
}

/// A batch of matrix products, and of one of them the rows and columns that are needed.
struct Products {
    std::int64_t m = 0, n = 0, depth = 0;
    Strided left{}, right{};                                                 ///< of the batch: the first element of a matrix
    std::int64_t left_row = 0, left_step = 0, right_row = 0, right_step = 0; ///< from a row, and from a column, to the next

    explicit Products(const FormulaScene& s)
    {
        const Shape &a = s.operand(0).shape, &b = s.operand(1).shape, &d = s.shape();
        const bool ta = s.formula().transpose_a, tb = s.formula().transpose_b;
        m = d[d.size() - 2];
        n = d[d.size() - 1];
        depth = a[a.size() - (ta ? 2 : 1)];
        const Shape batch(d.begin(), d.end() - 2);
        const auto of = [&](const Shape& shape) {
            Strided out = broadcast_to(batch, Shape(shape.begin(), shape.end() - 2));
            const std::int64_t matrix = shape[shape.size() - 2] * shape[shape.size() - 1];
            for (std::int64_t& step : out.step) step *= matrix;
            return out;
        };
        left = of(a);
        right = of(b);
        left_row = ta ? 1 : depth;
        left_step = ta ? m : 1;
        right_row = tb ? 1 : n;
        right_step = tb ? depth : 1;
    }
};
/// Calls f(batch, rows, columns, elements) for each matrix of the result of which something is needed; elements are (row, column, place),
/// as indices of rows and columns.
struct NeededElement {
    std::int64_t row, column, place;
};
template <class F>
void for_matrices(const FormulaScene& s, const Products& p, F f)
{
    std::vector<std::int64_t> rows, columns;
    std::vector<NeededElement> elements;
    std::int64_t batch = -1;
    const auto flush = [&] {
        if (batch < 0) return;
        for (auto* list : {&rows, &columns}) {
            std::sort(list->begin(), list->end());
            list->erase(std::unique(list->begin(), list->end()), list->end());
        }
        f(batch, rows, columns, elements);
        rows.clear(), columns.clear(), elements.clear();
    };
    std::vector<std::int64_t> last_seen(static_cast<std::size_t>(p.n), -1);
    s.for_each([&](std::int64_t i, std::int64_t at) {
        const std::int64_t here = i / (p.m * p.n), row = i / p.n % p.m, column = i % p.n;
        if (here != batch) flush(), batch = here;
        if (rows.empty() || rows.back() != row) rows.push_back(row);
        if (last_seen[static_cast<std::size_t>(column)] != batch) columns.push_back(column);
        last_seen[static_cast<std::size_t>(column)] = batch;
        elements.push_back({row, column, at});
    });
    flush();
}
inline Result<void, Problem> need_matmul(const FormulaScene& s)
{
    const Products p(s);
    for_matrices(s, p, [&](std::int64_t batch, const auto& rows, const auto& columns, const auto&) {
        for (std::int64_t k = 0; k < p.depth; ++k) {
            if (!s.in.goes_on(10 * static_cast<std::int64_t>(rows.size() + columns.size()))) return;
            for (const std::int64_t r : rows) s.want(0, p.left(batch) + r * p.left_row + k * p.left_step);
            for (const std::int64_t c : columns) s.want(1, p.right(batch) + k * p.right_row + c * p.right_step);
        }
    });
    return {};
}
inline Result<void, Problem> make_matmul(const FormulaScene& s)
{
    const Products p(s);
    const SpecificationNode& n = s.node();
    const double more = n.whole || exact_products(s.operand(0).type, s.operand(1).type, n.working) ? 0 : 1;
    for_matrices(s, p, [&](std::int64_t batch, const auto& rows, const auto& columns, const auto& elements) {
        const auto m = static_cast<std::int64_t>(rows.size()), width = static_cast<std::int64_t>(columns.size());
        Values left(m * p.depth), out(m * width);
        for (std::int64_t r = 0; r < m && s.in.goes_on(20 * p.depth); ++r)
            for (std::int64_t k = 0; k < p.depth; ++k)
                left.set(r * p.depth + k,
                         s.at(0, p.left(batch) + rows[static_cast<std::size_t>(r)] * p.left_row + k * p.left_step));
        // By columns: of the right operand a few MB are held at once, whatever its size.
        const std::int64_t most = std::max<std::int64_t>(16, (1 << 20) / std::max<std::int64_t>(p.depth, 1));
        for (std::int64_t first = 0; first < width && s.in.goes_on(1); first += most) {
            const std::int64_t count = std::min(most, width - first);
            Values right(p.depth * count);
            for (std::int64_t k = 0; k < p.depth && s.in.goes_on(20 * count); ++k)
                for (std::int64_t c = 0; c < count; ++c)
                    right.set(k * count + c, s.at(1, p.right(batch) + k * p.right_row +
                                                         columns[static_cast<std::size_t>(first + c)] * p.right_step));
            const auto product =
                matrix_product(left, right, Values(m * count), false, m, count, p.depth, more, s.arithmetic(), s.in.pulse());
            if (!product) return static_cast<void>(s.in.goes_on(1)); // stopped, which the evaluation sees
            for (std::int64_t r = 0; r < m; ++r) out.gather_from(r * width + first, *product, r * count, 1, count);
        }
        const auto index_of = [](const auto& list, std::int64_t x) {
            return std::lower_bound(list.begin(), list.end(), x) - list.begin();
        };
        for (const NeededElement& e : elements) {
            if (!s.in.goes_on(50)) return;
            const std::int64_t from = index_of(rows, e.row) * width + index_of(columns, e.column);
            const Bounded b = out.at(from);
            s.set(e.place, n.whole ? stored(b, n.type) : b);
        }
    });
    return {};
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
