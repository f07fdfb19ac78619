// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_PROBE_HPP
#define AXE_MAP_LAYOUT_PROBE_HPP

#include <axe/layout/layout.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/layout/errors.hpp>
#include <axe/map/mixed_radix/box.hpp>
#include <axe/support/factor.hpp>

/// The layout of a function of which only values are known.
namespace axe {
inline namespace v0 {
namespace detail {

/// One stride on one result, or none.
struct ResultStride {
    int result = 0;
    std::int64_t stride = 0;
};

/// One digit of the row-major index, and what a step of it moves.
struct ProbedDigit {
    std::int64_t extent;
    ResultStride stride;
};

/// The only layout that a function f of [0, n) can be: its digits, outermost first, and f(0).
///
/// The stride of its innermost iter is f(1) − f(0), and its extent is the least divisor m of n with f(m) − f(0) ≠ m·(f(1) − f(0)):
/// that holds wherever m is inside the iter. The next one in steps of that, and so on.
/// @param values  values(index, out) writes one value for each result; false when one overflows
/// Cost: a value for each divisor of n, of which a 64-bit integer has at most 103,680, and iter.
template <class F>
Status probe_digits(std::int64_t size, std::size_t results, F&& values, std::vector<ProbedDigit>& out,
                    std::vector<std::int64_t>& origin)
{
    std::vector<std::int64_t> here(results), divisors{1};
    if (!values(0, here)) return value_overflows();
    origin = here;
    const auto take = [&](std::int64_t p) {
        const std::size_t known = divisors.size();
        for (std::size_t i = 0; i < known; ++i) divisors.push_back(divisors[i] * p);
        std::sort(divisors.begin(), divisors.end());
        divisors.erase(std::unique(divisors.begin(), divisors.end()), divisors.end());
    };
    for_each_prime_factor(size, take);
    // The difference of the values here and at 0, when it is on one result.
    const auto single = [&](ResultStride& s) {
        int moved = 0;
        for (std::size_t j = 0; j < results; ++j) {
            if (here[j] == origin[j]) continue;
            s.result = static_cast<int>(j);
            if (++moved > 1 || !sub(here[j], origin[j], s.stride)) return false;
        }
        return true;
    };
    const auto follows = [&](const ResultStride& s, std::int64_t times) {
        for (std::size_t j = 0; j < results; ++j) {
            std::int64_t expected = origin[j];
            if (static_cast<int>(j) == s.result && !add_product(s.stride, times, expected)) return false;
            if (here[j] != expected) return false;
        }
        return true;
    };
    out.clear();
    for (std::int64_t inside = 1; inside < size;) {
        ResultStride s;
        if (!values(inside, here)) return value_overflows();
        if (!single(s)) return no_value_of_layout(inside);
        std::int64_t end = size;
        for (const std::int64_t d : divisors) {
            if (d <= inside || d % inside != 0 || d == size) continue;
            if (!values(d, here)) return value_overflows();
            if (follows(s, d / inside)) continue;
            end = d;
            break;
        }
        out.push_back({end / inside, s});
        inside = end;
    }
    std::reverse(out.begin(), out.end());
    return {};
}

/// out += the digits of the index times their strides; false when a number overflows.
inline bool add_digits_at(const std::vector<ProbedDigit>& digits, std::int64_t index, std::vector<std::int64_t>& out)
{
    for (std::size_t k = digits.size(); k-- > 0; index /= digits[k].extent)
        if (!add_product(index % digits[k].extent, digits[k].stride.stride, out[static_cast<std::size_t>(digits[k].stride.result)]))
            return false;
    return true;
}

/// The layout of a map without range variables, compared with it at all points: its digits, outermost first, and f(0).
///
/// `errc::too_hard` with both when not every point was compared.
inline Status probe_layout(const IndexPool& pool, const std::vector<IndexExpr>& results,
                           const std::vector<IndexVariable>& variables, const DigitVariables& flat,
                           std::vector<ProbedDigit>& digits, std::vector<std::int64_t>& origin)
{
    const FlatDimensions& dimensions = flat.dimensions;
    std::vector<std::int64_t> at, here(results.size()), expected;
    for (const IndexVariable& v : variables) at.push_back(v.bounds.low);
    IndexEvaluator evaluate(pool, nullptr);
    const auto values = [&](std::vector<std::int64_t>& out) {
        evaluate.at(at.data());
        for (std::size_t j = 0; j < out.size(); ++j)
            if (!evaluate(results[j], out[j])) return false;
        return true;
    };
    const auto values_at = [&](std::int64_t index, std::vector<std::int64_t>& out) {
        for (std::size_t d = 0; d < dimensions.size(); ++d) at[d] = dimensions[d].at(index);
        return values(out);
    };
    if (const Status e = probe_digits(flat.flat_size, results.size(), values_at, digits, origin); !e.ok()) return e;
    Error found;
    const auto last = variables.begin() + static_cast<std::ptrdiff_t>(dimensions.size());
    const bool all = visit_box({variables.begin(), last}, [&](const std::vector<std::int64_t>& point) {
        std::copy(point.begin(), point.end(), at.begin());
        const std::int64_t index = flat.index_of(point);
        expected = origin;
        if (!values(here))
            found = value_overflows();
        else if (!add_digits_at(digits, index, expected) || here != expected)
            found = no_value_of_layout(index);
        return found.ok();
    });
    return !found.ok() || all ? found : unseen();
}

/// The form of one result.
inline DigitForm form_of_digits(DigitForms& forms, const std::vector<ProbedDigit>& digits, const std::vector<std::int64_t>& origin,
                                int result)
{
    forms.open(origin[static_cast<std::size_t>(result)]);
    std::int64_t step = 1;
    for (std::size_t k = digits.size(); k-- > 0; step *= digits[k].extent)
        if (digits[k].stride.result == result)
            forms.put({0, step, 0, k == 0 ? 0 : digits[k].extent, 0, 0, 0}, digits[k].stride.stride);
    return forms.close();
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
