// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_DIGITS_HPP
#define AXE_MAP_TILE_DIGITS_HPP

#include <axe/map/errors.hpp>
#include <axe/map/tile/form.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Digit i of a source is ⌊(source mod cuts[i + 1]) / cuts[i]⌋; the last has no mod.
///
/// A source that is cut where the cuts do not divide each other has digits several times, one list after another.
struct TileSourceDigits {
    int source = 0;                     ///< its number
    int first = 0, count = 1;           ///< the lists of its digits: this many from `first` on
    std::vector<std::int64_t> cuts{};   ///< 1 first, each divides the next
    std::vector<int> users{};           ///< for each digit: how many results and sums it is in
    std::vector<IndexInterval> clips{}; ///< for each digit: what the domain leaves of it
    std::vector<bool> is_bounded{};     ///< for each digit: is it in a constraint that clips no single digit
    friend bool operator==(const TileSourceDigits&, const TileSourceDigits&) = default;
};

/// coefficient · digit `digit` of a list
struct TileDigit {
    std::int64_t coefficient = 1;
    int list = 0, digit = 0;
    friend bool operator==(const TileDigit&, const TileDigit&) = default;
};

struct TileSum {
    std::int64_t constant = 0;
    std::vector<TileDigit> digits{};
    friend bool operator==(const TileSum&, const TileSum&) = default;
};

/// A constraint that clips no single digit.
struct TileBound {
    TileSum sum{};
    IndexInterval interval{};
    int result = -1; ///< the result that is this sum but for a constant, none
    friend bool operator==(const TileBound&, const TileBound&) = default;
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
        if (!error.ok()) return;
        needs_.resize(forms_.sources.size());
        for (const auto* list : {&result_forms, &bound_forms})
            for (const TileForm& f : *list) need(f);
        for (std::size_t s = needs_.size(); s-- > 0;)
            if (!needs_[s].empty()) need(forms_.sources[s].form);
        for (std::size_t s = 0; s < needs_.size(); ++s) cut(s);
        for (const TileSourceDigits& d : digits) {
            // What is not needed is in no list.
            sums.push_back(is_needed(d.source) ? expanded(forms_.sources[static_cast<std::size_t>(d.source)].form) : TileSum{});
            if (static_cast<int>(sums.size()) == d.first + 1) use(sums.back());
        }
        for (const TileForm& f : result_forms) {
            results.push_back(expanded(f));
            use(results.back());
        }
        for (std::size_t i = 0; i < bound_forms.size(); ++i) add_bound(expanded(bound_forms[i]), map.constraints[i].interval);
    }

    std::vector<TileSourceDigits> digits{}; ///< of the variables first, then of each sum after those of what it is made of
    std::vector<TileSum> sums{};            ///< for each: what its source is the sum of, nothing for a variable
    std::vector<TileSum> results{};
    std::vector<TileBound> bounds{};
    Error error{};
    bool is_empty = false; ///< a constraint that never holds

    [[nodiscard]] bool is_variable(int source) const noexcept { return static_cast<std::size_t>(source) < variables_; }
    /// Are they searched alike?
    friend bool operator==(const TilePlan& x, const TilePlan& y)
    {
        return x.variables_ == y.variables_ && x.digits == y.digits && x.sums == y.sums && x.results == y.results &&
               x.bounds == y.bounds;
    }
    /// Is it, or is a digit of it, in a result or a constraint?
    [[nodiscard]] bool is_needed(int source) const noexcept { return !needs_[static_cast<std::size_t>(source)].empty(); }

  private:
    void need(const TileForm& f)
    {
        for (const TileTerm& t : f.terms) needs_[static_cast<std::size_t>(t.source)].push_back(t);
    }
    /// Can all numbers of the list be cuts beside n?
    static bool goes_with(const std::vector<std::int64_t>& cuts, std::int64_t n)
    {
        return std::all_of(cuts.begin(), cuts.end(), [&](std::int64_t c) { return n % c == 0 || c % n == 0; });
    }
    static bool has(const TileSourceDigits& d, const TileTerm& t)
    {
        const auto is_cut = [&](std::int64_t n) { return std::binary_search(d.cuts.begin(), d.cuts.end(), n); };
        return is_cut(t.low) && (t.high == 0 || is_cut(t.high));
    }
    /// Each term of the source to the first list that it goes with.
    void cut(std::size_t s)
    {
        const auto first = digits.size();
        const auto add_list = [&] { digits.push_back({static_cast<int>(s), static_cast<int>(first), 1, {1}, {}, {}, {}}); };
        add_list();
        for (const TileTerm& t : needs_[s]) {
            std::size_t i = first;
            while (i < digits.size() && !(goes_with(digits[i].cuts, t.low) && (t.high == 0 || goes_with(digits[i].cuts, t.high))))
                ++i;
            if (i == digits.size()) add_list();
            std::vector<std::int64_t>& cuts = digits[i].cuts;
            cuts.push_back(t.low);
            if (t.high != 0) cuts.push_back(t.high);
            std::sort(cuts.begin(), cuts.end());
            cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        }
        lists_.push_back(static_cast<int>(first));
        for (std::size_t i = first; i < digits.size(); ++i) {
            digits[i].count = static_cast<int>(digits.size() - first);
            digits[i].users.assign(digits[i].cuts.size(), 0);
            digits[i].clips.assign(digits[i].cuts.size(), every_integer);
            digits[i].is_bounded.assign(digits[i].cuts.size(), false);
        }
    }
    TileSum expanded(const TileForm& f)
    {
        TileSum out{f.constant, {}};
        for (const TileTerm& t : f.terms) {
            int list = lists_[static_cast<std::size_t>(t.source)];
            while (!has(digits[static_cast<std::size_t>(list)], t)) ++list;
            const auto& cuts = digits[static_cast<std::size_t>(list)].cuts;
            for (std::size_t i = 0; i < cuts.size(); ++i) {
                if (cuts[i] < t.low || (t.high != 0 && cuts[i] >= t.high)) continue;
                TileDigit d{0, list, static_cast<int>(i)};
                if (!mul(t.coefficient, cuts[i] / t.low, d.coefficient)) fail();
                for (std::size_t k = 0; k < out.digits.size(); ++k) {
                    if (out.digits[k].list != d.list || out.digits[k].digit != d.digit) continue;
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
        if (error.ok()) error = tile_overflows();
    }
    void use(const TileSum& sum)
    {
        for (const TileDigit& d : sum.digits) ++digits[static_cast<std::size_t>(d.list)].users[static_cast<std::size_t>(d.digit)];
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
            IndexInterval& clip = digits[static_cast<std::size_t>(d.list)].clips[static_cast<std::size_t>(d.digit)];
            clip = intersection(clip, solved_for(d.coefficient, 0, rest));
            is_empty = is_empty || clip.is_empty();
            return;
        }
        for (const TileDigit& d : sum.digits)
            digits[static_cast<std::size_t>(d.list)].is_bounded[static_cast<std::size_t>(d.digit)] = true;
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
    std::vector<std::vector<TileTerm>> needs_{}; ///< for each source: the terms of it that are needed
    std::vector<int> lists_{};                   ///< for each source: the first list of its digits
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
