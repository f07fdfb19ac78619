// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PROBE_LAYOUT_HPP
#define AXE_MAP_PROBE_LAYOUT_HPP

#include <axe/layout/layout.hpp>
#include <axe/map/box_domain.hpp>
#include <axe/map/evaluate.hpp>
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

/// The only layout that the map can be, from its values at a few points, compared with it at all points.
///
/// If f is a layout, the stride of its innermost iter is f(1) − f(0), and its extent is the least divisor m of n with
/// f(m) − f(0) ≠ m·(f(1) − f(0)): that holds wherever m is inside the iter. The next one in steps of that, and so on.
class LayoutProbe {
  public:
    struct Digit {
        std::int64_t extent;
        ResultStride stride;
    };

    LayoutProbe(const IndexPool& pool, const std::vector<IndexExpr>& results, const std::vector<IndexVariable>& variables,
                const DigitVariables& digits)
        : results_(&results),
          variables_(&variables),
          dimensions_(&digits.dimensions),
          size_(digits.flat_size),
          evaluate_(pool, nullptr)
    {
        for (const IndexVariable& v : variables) at_.push_back(v.bounds.low);
        here_.resize(results.size());
    }

    /// The digits, outermost first, and f(0); `errc::too_hard` with both when not every point was compared.
    Error find(std::vector<Digit>& out, std::vector<std::int64_t>& origin)
    {
        if (!values_at(0)) return leaves();
        origin_ = here_;
        std::vector<std::int64_t> divisors{1};
        const auto take = [&](std::int64_t p) {
            const std::size_t known = divisors.size();
            for (std::size_t i = 0; i < known && divisors.size() < most_divisors; ++i) divisors.push_back(divisors[i] * p);
            std::sort(divisors.begin(), divisors.end());
            divisors.erase(std::unique(divisors.begin(), divisors.end()), divisors.end());
        };
        for_each_prime_factor(size_, take);
        if (divisors.size() >= most_divisors)
            return Error(errc::too_hard, -1, "the {0} points of the domain have more divisors than are tried", size_);
        std::vector<Digit> inside_out;
        for (std::int64_t inside = 1; inside < size_;) {
            ResultStride s;
            if (!values_at(inside)) return leaves();
            if (!single(s)) return not_at(inside);
            std::int64_t end = size_;
            for (const std::int64_t d : divisors) {
                if (d <= inside || d % inside != 0 || d == size_) continue;
                if (!values_at(d)) return leaves();
                if (follows(s, d / inside)) continue;
                end = d;
                break;
            }
            inside_out.push_back({end / inside, s});
            inside = end;
        }
        out.assign(inside_out.rbegin(), inside_out.rend());
        origin = origin_;
        return compare(out);
    }

    static Error not_at(std::int64_t index)
    {
        return Error(errc::no_layout, -1, "the value at row-major index {0} is none that a layout has there", index);
    }

  private:
    static constexpr std::size_t most_divisors = 1 << 14;
    static Error leaves() { return Error(errc::overflow, -1, "a value of the map leaves the integer"); }

    bool values_at(std::int64_t index)
    {
        for (std::size_t d = 0; d < dimensions_->size(); ++d) {
            const FlatDimension& f = (*dimensions_)[d];
            at_[d] = f.low + index / f.weight % f.extent;
        }
        return values();
    }
    bool values()
    {
        evaluate_.at(at_.data());
        for (std::size_t j = 0; j < here_.size(); ++j)
            if (!evaluate_((*results_)[j], here_[j])) return false;
        return true;
    }
    /// The difference of the values here and at 0, when it is on one result.
    bool single(ResultStride& out) const
    {
        int moved = 0;
        for (std::size_t j = 0; j < here_.size(); ++j) {
            if (here_[j] == origin_[j]) continue;
            out.result = static_cast<int>(j);
            if (++moved > 1 || !sub(here_[j], origin_[j], out.stride)) return false;
        }
        return true;
    }
    [[nodiscard]] bool follows(const ResultStride& s, std::int64_t times) const
    {
        for (std::size_t j = 0; j < here_.size(); ++j) {
            std::int64_t expected = origin_[j];
            if (static_cast<int>(j) == s.result && !add_product(s.stride, times, expected)) return false;
            if (here_[j] != expected) return false;
        }
        return true;
    }
    Error compare(const std::vector<Digit>& digits)
    {
        Error found;
        const bool all = visit_box({variables_->begin(), variables_->begin() + static_cast<std::ptrdiff_t>(dimensions_->size())},
                                   [&](const std::vector<std::int64_t>& at) {
                                       std::copy(at.begin(), at.end(), at_.begin());
                                       std::int64_t index = 0;
                                       for (std::size_t d = 0; d < at.size(); ++d)
                                           index += (at[d] - (*dimensions_)[d].low) * (*dimensions_)[d].weight;
                                       if (!values()) {
                                           found = leaves();
                                           return false;
                                       }
                                       std::vector<std::int64_t>& expected = expected_;
                                       expected = origin_;
                                       std::int64_t rest = index;
                                       bool fits = true;
                                       for (std::size_t k = digits.size(); k-- > 0; rest /= digits[k].extent)
                                           fits = fits && add_product(rest % digits[k].extent, digits[k].stride.stride,
                                                                      expected[static_cast<std::size_t>(digits[k].stride.result)]);
                                       if (!fits || here_ != expected) found = not_at(index);
                                       return !found;
                                   });
        if (found || all) return found;
        return Error(errc::too_hard, -1, "a layout was found alike on some of the {0} points only", size_);
    }

    const std::vector<IndexExpr>* results_;
    const std::vector<IndexVariable>* variables_;
    const std::vector<FlatDimension>* dimensions_;
    std::int64_t size_;
    IndexEvaluator evaluate_;
    std::vector<std::int64_t> at_{}, here_{}, origin_{}, expected_{};
};

/// The form of one result.
inline DigitForm form_of_digits(DigitForms& forms, const std::vector<LayoutProbe::Digit>& digits,
                                const std::vector<std::int64_t>& origin, int result)
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
