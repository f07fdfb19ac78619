// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_DIGITS_HPP
#define AXE_MAP_TILE_DIGITS_HPP

#include <axe/map/tile_form.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Digit i of a source is ⌊(source mod cuts[i + 1]) / cuts[i]⌋; the last has no mod.
struct TileSourceDigits {
    std::vector<std::int64_t> cuts{};   ///< 1 first, each divides the next
    std::vector<int> users{};           ///< for each digit: how many results and sums it is in
    std::vector<IndexInterval> clips{}; ///< for each digit: what the domain leaves of it
    bool is_needed = false;             ///< is it, or is a digit of it, in a result or a constraint?
};

/// coefficient · digit `digit` of a source
struct TileDigit {
    std::int64_t coefficient = 1;
    int source = 0, digit = 0;
    friend bool operator==(const TileDigit&, const TileDigit&) = default;
};

struct TileSum {
    std::int64_t constant = 0;
    std::vector<TileDigit> digits{};
};

/// A constraint that clips no single digit.
struct TileBound {
    TileSum sum{};
    IndexInterval interval{};
    int result = -1; ///< the result that is this sum but for a constant, none
};

/// A map as sums of digits, each source cut where any of its digits begins or ends.
class TilePlan {
  public:
    explicit TilePlan(const IndexingMap& map) : forms_(map), variables_(map.variables.size())
    {
        std::vector<TileForm> result_forms, bound_forms;
        for (const IndexExpr r : map.results) result_forms.push_back(forms_(r));
        for (const IndexConstraint& c : map.constraints) bound_forms.push_back(forms_(c.expression));
        error = forms_.error;
        if (error) return;
        digits.resize(forms_.sources.size());
        for (const auto* list : {&result_forms, &bound_forms})
            for (const TileForm& f : *list) need(f);
        for (std::size_t s = digits.size(); s-- > 0;)
            if (digits[s].is_needed) need(forms_.sources[s].form);
        for (TileSourceDigits& s : digits) cut(s);
        if (error) return;
        for (std::size_t s = 0; s < digits.size(); ++s) {
            sums.push_back(expanded(forms_.sources[s].form));
            if (digits[s].is_needed) use(sums.back());
        }
        for (const TileForm& f : result_forms) {
            results.push_back(expanded(f));
            use(results.back());
        }
        for (std::size_t i = 0; i < bound_forms.size(); ++i) add_bound(expanded(bound_forms[i]), map.constraints[i].interval);
    }

    std::vector<TileSourceDigits> digits{}; ///< for each source
    std::vector<TileSum> sums{};            ///< for each source: what it is the sum of, nothing for a variable
    std::vector<TileSum> results{};
    std::vector<TileBound> bounds{};
    Error error{};
    bool is_empty = false; ///< a constraint that never holds

    [[nodiscard]] bool is_variable(std::size_t source) const noexcept { return source < variables_; }

  private:
    void need(const TileForm& f)
    {
        for (const TileTerm& t : f.terms) {
            TileSourceDigits& s = digits[static_cast<std::size_t>(t.source)];
            s.is_needed = true;
            s.cuts.push_back(t.low);
            if (t.high != 0) s.cuts.push_back(t.high);
        }
    }
    void cut(TileSourceDigits& s)
    {
        s.cuts.push_back(1);
        std::sort(s.cuts.begin(), s.cuts.end());
        s.cuts.erase(std::unique(s.cuts.begin(), s.cuts.end()), s.cuts.end());
        for (std::size_t i = 1; i < s.cuts.size(); ++i)
            if (s.cuts[i] % s.cuts[i - 1] != 0 && !error)
                error = Error(errc::no_layout, -1, "no tile: an index is cut at {0} and at {1}, which is no multiple of it",
                              s.cuts[i - 1], s.cuts[i]);
        s.users.assign(s.cuts.size(), 0);
        s.clips.assign(s.cuts.size(), every_integer);
    }
    TileSum expanded(const TileForm& f)
    {
        TileSum out{f.constant, {}};
        for (const TileTerm& t : f.terms) {
            const auto& cuts = digits[static_cast<std::size_t>(t.source)].cuts;
            for (std::size_t i = 0; i < cuts.size(); ++i) {
                if (cuts[i] < t.low || (t.high != 0 && cuts[i] >= t.high)) continue;
                TileDigit d{0, t.source, static_cast<int>(i)};
                if (!mul(t.coefficient, cuts[i] / t.low, d.coefficient)) fail();
                for (std::size_t k = 0; k < out.digits.size(); ++k) {
                    if (out.digits[k].source != d.source || out.digits[k].digit != d.digit) continue;
                    if (!add(out.digits[k].coefficient, d.coefficient, d.coefficient)) fail();
                    out.digits.erase(out.digits.begin() + static_cast<std::ptrdiff_t>(k));
                    break;
                }
                if (d.coefficient == every_integer.low) fail();
                if (d.coefficient != 0) out.digits.push_back(d);
            }
        }
        return out;
    }
    void fail()
    {
        if (!error) error = Error(errc::overflow, -1, "a number of the tile leaves the integer");
    }
    void use(const TileSum& sum)
    {
        for (const TileDigit& d : sum.digits) ++digits[static_cast<std::size_t>(d.source)].users[static_cast<std::size_t>(d.digit)];
    }
    void add_bound(const TileSum& sum, const IndexInterval& interval)
    {
        if (sum.digits.empty()) {
            is_empty = is_empty || !interval.contains(sum.constant);
            return;
        }
        IndexInterval rest;
        const bool fits = sub(interval.low, sum.constant, rest.low) && sub(interval.high, sum.constant, rest.high);
        if (fits && sum.digits.size() == 1 && rest.low != every_integer.low && rest.high != every_integer.low) {
            const TileDigit d = sum.digits[0];
            const std::int64_t c = d.coefficient > 0 ? d.coefficient : -d.coefficient;
            if (d.coefficient < 0) rest = {-rest.high, -rest.low};
            IndexInterval& clip = digits[static_cast<std::size_t>(d.source)].clips[static_cast<std::size_t>(d.digit)];
            clip = intersection(clip, {-floor_div(-rest.low, c), floor_div(rest.high, c)});
            is_empty = is_empty || clip.is_empty();
            return;
        }
        TileBound bound{sum, interval, -1};
        for (std::size_t r = 0; r < results.size() && fits; ++r) {
            TileBound as_result{results[r], {}, static_cast<int>(r)};
            if (std::is_permutation(sum.digits.begin(), sum.digits.end(), results[r].digits.begin(), results[r].digits.end()) &&
                add(rest.low, results[r].constant, as_result.interval.low) &&
                add(rest.high, results[r].constant, as_result.interval.high))
                bound = as_result;
        }
        bounds.push_back(bound);
    }

    TileForms forms_;
    std::size_t variables_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
