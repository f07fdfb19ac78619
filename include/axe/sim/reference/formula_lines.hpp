// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_FORMULA_LINES_HPP
#define AXE_SIM_REFERENCE_FORMULA_LINES_HPP

#include <axe/sim/reference/formula_operators.hpp>

/// The operations of formulas along lines of a tensor, and by indices that are elements themselves.
namespace axe {
inline namespace v0 {
namespace ref {

/// Of an operation along an axis: the first element of each line of which something is needed, with the last index that is.
struct Lines {
    std::int64_t count = 0, step = 1; ///< of a line's elements
    std::map<std::int64_t, std::int64_t> last{};
};
inline Lines lines_of(const FormulaScene& s)
{
    const Shape& shape = s.shape();
    const int axis = s.formula().axes[0], d = axis < 0 ? axis + shape.size() : axis;
    Lines out{shape[d], row_steps(shape)[d], {}};
    s.for_each([&](std::int64_t i, std::int64_t) {
        const std::int64_t index = i / out.step % out.count;
        out.last[i - index * out.step] = index; // ascending
    });
    return out;
}

// ---- softmax ------------------------------------------------------------------------------------------------------------------

/// How often a running maximum may grow along a row, each time rescaling what was summed before.
inline constexpr double softmax_rescales = 32;

/// softmax of numbers that are certain, or bounded: whatever formula a run uses.
///
/// p_j = e_j / Σ e_k, e_k = exp(x_k − m) for any m: least where x_j is least and all others greatest. The exponent may be off by the
/// roundings of x, m, their difference and a factor log2(e), `formula_ulps` of each size; e_k, sums and quotients by
/// `function_ulps` and n roundings; tiny numbers may be flushed to zero.
inline void softmax_of(const std::vector<Bounded>& x, DType working, std::vector<Bounded>& out)
{
    const double unit = unit_roundoff(working), count = static_cast<double>(x.size());
    const double least = working == DType::f64 ? 0x1p-1022 : working == DType::f32 ? 0x1p-126 : least_positive(working);
    double most = -inf, most_value = -inf;
    bool nan = false, never = false, infinite = false;
    for (const Bounded& b : x) {
        never = never || b.never_number() || b.low == inf;
        nan = nan || b.nan;
        infinite = infinite || b.high == inf;
        if (b.never_number()) continue;
        most = std::max(most, b.high);
        most_value = std::max(most_value, b.value);
    }
    out.assign(x.size(), exactly(not_a_number));
    if (never || most == -inf) return; // a NaN, an infinity less an infinity, or nothing but −∞
    double total = 0, least_sum = 0, greatest_sum = 0;
    std::vector<double> low(x.size()), high(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        const auto part = [&](double end, double sign) {
            if (end == -inf) return 0.0;
            return std::exp(end - most + sign * formula_ulps * 2 * unit * (std::fabs(end) + std::fabs(most)));
        };
        low[k] = part(x[k].low, -1);
        high[k] = part(x[k].high, 1);
        least_sum += low[k];
        greatest_sum += high[k];
        total += std::exp(x[k].value - most_value);
    }
    const double step = (function_ulps * 2 + 2) * unit, rescales = std::min(count, softmax_rescales);
    const double share = std::expm1(count * (unit + 0x1p-52) + step * (rescales + 2));
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double value = std::exp(x[k].value - most_value) / total;
        if (infinite) {
            out[k] = anything(value);
            continue;
        }
        const double others_most = std::max(greatest_sum - high[k], 0.0), others_least = std::max(least_sum - low[k], 0.0);
        Bounded& b = out[k];
        b.value = value;
        b.low = low[k] == 0 ? 0 : low[k] / (low[k] + others_most);
        b.high = high[k] == 0 ? 0 : high[k] / (high[k] + others_least);
        if (!(others_least + low[k] > 0)) b.high = 1, nan = true; // all of them may be −∞
        // Where the exponent may be off by more than a number holds, nothing is known but that it is a share of 1.
        if (!(b.low >= 0)) b.low = 0;
        if (!(b.high <= 1)) b.high = 1;
        b.low = std::max(0.0, std::min(b.low, value) * (1 - share) - (b.high > 0 ? least : 0));
        b.high = std::max(b.high, value);
        if (b.high > 0) b.high = b.high * (1 + share) + least;
        b.nan = nan;
    }
}

inline Result<void, Problem> need_softmax(const FormulaScene& s)
{
    const Lines lines = lines_of(s);
    for (const auto& [first, last] : lines.last)
        for (std::int64_t k = 0; k < lines.count && s.in.goes_on(10); ++k) s.want(0, first + k * lines.step);
    return {};
}
inline Result<void, Problem> make_softmax(const FormulaScene& s)
{
    const Lines lines = lines_of(s);
    std::vector<Bounded> x(static_cast<std::size_t>(lines.count)), out;
    for (const auto& [first, last] : lines.last) {
        if (!s.in.goes_on(150 * lines.count)) return stopped();
        for (std::int64_t k = 0; k < lines.count; ++k) x[static_cast<std::size_t>(k)] = s.working(0, first + k * lines.step);
        softmax_of(x, s.node().working, out);
        for (std::int64_t k = 0; k <= last; ++k)
            if (const std::int64_t i = first + k * lines.step; s.elements().wanted.has(i))
                s.set(s.elements().wanted.place(i), out[static_cast<std::size_t>(k)]);
    }
    return {};
}

// ---- scan ---------------------------------------------------------------------------------------------------------------------

inline Result<void, Problem> need_cumsum(const FormulaScene& s)
{
    const Lines lines = lines_of(s);
    for (const auto& [first, last] : lines.last)
        for (std::int64_t k = 0; k <= last && s.in.goes_on(10); ++k) s.want(0, first + k * lines.step);
    return {};
}
inline Result<void, Problem> make_cumsum(const FormulaScene& s)
{
    const Lines lines = lines_of(s);
    const Arithmetic in = s.arithmetic();
    const double more = s.term_roundings(0);
    for (const auto& [first, last] : lines.last) {
        Sum sum_of;
        for (std::int64_t k = 0; k <= last; ++k) {
            if (!s.in.goes_on(60)) return stopped();
            const std::int64_t i = first + k * lines.step;
            sum_of.add(s.working(0, i));
            if (!s.elements().wanted.has(i)) continue;
            const Bounded result = sum_of.result(more, in);
            s.set(s.elements().wanted.place(i), s.node().whole ? stored(result, s.node().type) : result);
        }
    }
    return {};
}

// ---- by an index --------------------------------------------------------------------------------------------------------------

/// The rows that elements of indices name, an index for each of the first dimensions of `indexed`, computed before what they index: `want` is
/// called for those to know. `all` is the shape of the indices together. Entries that are not wanted are −1.
template <class F>
Result<std::vector<std::int64_t>, Problem> rows_of(const FormulaScene& s, const Shape& indexed, int indices, const Shape& all,
                                                   F want)
{
    Evaluation before = s.in.fresh();
    std::vector<std::int64_t> wanted = want(), out(static_cast<std::size_t>(volume(all).value_or(0)), -1);
    std::vector<Strided> place;
    for (int k = 0; k < indices; ++k) {
        before.keep(s.operand_place(1 + k));
        place.push_back(broadcast_to(all, s.operand(1 + k).shape));
        for (const std::int64_t i : wanted) before.want(s.operand_place(1 + k), place.back()(i));
    }
    if (auto e = before.run(); !e.ok()) return e;
    for (const std::int64_t i : wanted) {
        std::int64_t row = 0;
        for (int k = 0; k < indices; ++k) {
            if (!s.in.goes_on(200)) return stopped();
            const std::int64_t at = place[static_cast<std::size_t>(k)](i);
            const Bounded b = before.at(s.operand_place(1 + k), at);
            const std::string which =
                detail::worded("index {0} of {1}", {at, print(s.in.program(), Formula(*s.operand(1 + k).formula), 60)});
            if (auto e = need_certain(b, which); !e.ok()) return e;
            if (!(b.value >= 0 && b.value < static_cast<double>(indexed[k])))
                return Problem(errc::out_of_domain, indices == 1
                                                        ? detail::worded("{0} is {1}; the indexed operand has {2} rows",
                                                                         {which, number_text(b.value), indexed[k]})
                                                        : detail::worded("{0} is {1}; dimension {3} of the indexed operand has {2}",
                                                                         {which, number_text(b.value), indexed[k], k}));
            row = row * indexed[k] + static_cast<std::int64_t>(b.value);
        }
        out[static_cast<std::size_t>(i)] = row;
    }
    return out;
}
/// How many elements are behind the first dimensions.
inline std::int64_t row_size(const Shape& shape, int first = 1)
{
    return volume(Shape(shape.begin() + first, shape.end())).value_or(1);
}

inline Result<void, Problem> need_gather(const FormulaScene& s)
{
    const Shape& indexed = s.operand(0).shape;
    const int indices = s.count() - 1;
    const std::int64_t size = row_size(indexed, indices);
    const Shape all(s.shape().begin(), s.shape().end() - (indexed.size() - indices));
    auto rows = rows_of(s, indexed, indices, all, [&] {
        std::vector<std::int64_t> wanted;
        s.for_each([&](std::int64_t i, std::int64_t) {
            if (wanted.empty() || wanted.back() != i / size) wanted.push_back(i / size);
        });
        return wanted;
    });
    if (!rows) return rows.error();
    s.elements().rows = std::move(*rows);
    s.for_each(
        [&](std::int64_t i, std::int64_t) { s.want(0, s.elements().rows[static_cast<std::size_t>(i / size)] * size + i % size); });
    return {};
}
inline Result<void, Problem> make_gather(const FormulaScene& s)
{
    const std::int64_t size = row_size(s.operand(0).shape, s.count() - 1);
    s.for_each([&](std::int64_t i, std::int64_t at) {
        s.set(at, s.at(0, s.elements().rows[static_cast<std::size_t>(i / size)] * size + i % size));
    });
    return {};
}

/// f(element of the result, element of the values) for each value that is added to an element that is needed.
template <class F>
void for_additions(const FormulaScene& s, F f)
{
    const std::int64_t size = row_size(s.shape());
    Shape all_values = s.operand(1).shape;
    for (int d = 1; d < s.shape().size(); ++d) all_values.push_back(s.shape()[d]);
    const Strided value = broadcast_to(all_values, s.operand(2).shape);
    const std::vector<std::int64_t>& rows = s.elements().rows;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::int64_t x = 0; x < size && s.in.goes_on(60); ++x)
            if (const std::int64_t to = rows[i] * size + x; s.elements().wanted.has(to))
                f(to, value(static_cast<std::int64_t>(i) * size + x));
}
inline Result<void, Problem> need_scatter_add(const FormulaScene& s)
{
    auto rows = rows_of(s, s.shape(), 1, s.operand(1).shape, [&] {
        std::vector<std::int64_t> wanted(static_cast<std::size_t>(volume(s.operand(1).shape).value_or(0)));
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<std::int64_t>(i);
        return wanted;
    });
    if (!rows) return rows.error();
    s.elements().rows = std::move(*rows);
    s.for_each([&](std::int64_t i, std::int64_t) { s.want(0, i); });
    for_additions(s, [&](std::int64_t, std::int64_t value) { s.want(2, value); });
    return {};
}
inline Result<void, Problem> make_scatter_add(const FormulaScene& s)
{
    std::vector<Sum> sums(static_cast<std::size_t>(s.elements().wanted.size()));
    s.for_each([&](std::int64_t i, std::int64_t at) { sums[static_cast<std::size_t>(at)].add(s.working(0, i)); });
    for_additions(s, [&](std::int64_t to, std::int64_t value) {
        sums[static_cast<std::size_t>(s.elements().wanted.place(to))].add(s.working(2, value));
    });
    const double more = std::max(s.term_roundings(0), s.term_roundings(2));
    for (std::size_t at = 0; at < sums.size() && s.in.goes_on(60); ++at) {
        const Bounded result = sums[at].result(more, s.arithmetic());
        s.set(static_cast<std::int64_t>(at), s.node().whole ? stored(result, s.node().type) : result);
    }
    return {};
}

// ---- the user's own -----------------------------------------------------------------------------------------------------------

inline Result<void, Problem> make_by_function(const FormulaScene& s)
{
    std::vector<const Array*> operands;
    for (int k = 0; k < s.count(); ++k) operands.push_back(&s.in.array(s.operand(k).formula->tensor));
    const auto count = static_cast<std::size_t>(volume(s.shape()).value_or(0));
    std::vector<Estimate> out(count);
    s.formula().by(operands, out);
    if (out.size() != count)
        return Problem(errc::size_mismatch, "function {0} of a specification gives {1} elements; its result has {2}",
                       {"`" + s.formula().name + "`", out.size(), count});
    s.for_each([&](std::int64_t i, std::int64_t at) {
        const Estimate& e = out[static_cast<std::size_t>(i)];
        const double error = std::fabs(e.absolute) + std::fabs(e.relative) * std::fabs(e.value);
        if (error == 0 || !std::isfinite(e.value))
            s.set(at, exactly(e.value));
        else
            s.set(at, {e.value, below(e.value - error), above(e.value + error), false});
    });
    return {};
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
