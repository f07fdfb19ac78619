// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_PROGRESSIONS_HPP
#define AXE_MAP_LAYOUT_PROGRESSIONS_HPP

#include <axe/layout/exact/replica_set.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// Finite sets of integers as sums of arithmetic progressions.
namespace axe {
inline namespace v0 {
namespace detail {

/// { 0, s, …, (n−1)·s } ⊕ … = A, or that there are none.
///
/// A sum of progressions is the mirror image of itself. Strides are tried in increasing order: with P the sums so far, the least
/// member of A outside P is reached by a stride that is itself, or by one inside P; so there are few to try. A stride that would only
/// lengthen an earlier progression is left out, since the longer one is tried as well.
class TermSearch {
  public:
    struct Term {
        std::int64_t extent, stride;
    };
    /// The terms of the sum that was found.
    std::vector<Term> terms{};

    /// @param set  ascending, from 0
    Answer run(const std::vector<std::int64_t>& set)
    {
        set_ = &set;
        taken_.assign(set.size(), false);
        for (std::size_t i = 0; i < set.size(); ++i)
            if (set[i] != set.back() - set[set.size() - 1 - i]) return Answer::no;
        terms.clear();
        sums_.assign(1, 0);
        taken_[0] = true;
        if (extend(0)) return Answer::yes;
        return is_limited_ ? Answer::too_hard : Answer::no;
    }

  private:
    static constexpr std::size_t most_terms = 16;

    /// Goes on from the sums so far, all members below `from` being among them.
    bool extend(std::size_t from)
    {
        const std::vector<std::int64_t>& set = *set_;
        while (from < set.size() && taken_[from]) ++from;
        if (from == set.size()) return true;
        is_limited_ = is_limited_ || terms.size() == most_terms;
        if (is_limited_) return false;
        const std::int64_t last = terms.empty() ? 0 : terms.back().stride;
        for (std::size_t i = from; i > 0 && set[i] > last; --i)
            if (!is_absorbed(set[i]) && with_stride(set[i], from)) return true;
        return false;
    }
    [[nodiscard]] bool is_absorbed(std::int64_t stride) const
    {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const Term& t) { return stride % t.stride == 0 && stride / t.stride <= t.extent; });
    }
    /// The longest progression that stays within the set is tried first.
    bool with_stride(std::int64_t stride, std::size_t from)
    {
        const std::size_t before = sums_.size();
        std::vector<std::size_t> ends{before}; // how many sums there are for each extent
        while (add_layer(stride, before, static_cast<std::int64_t>(ends.size()))) ends.push_back(sums_.size());
        for (bool found = false; ends.size() > 1; ends.pop_back()) {
            terms.push_back({static_cast<std::int64_t>(ends.size()), stride});
            found = extend(from);
            if (found) return true;
            terms.pop_back();
            drop_to(ends[ends.size() - 2]);
            if (is_limited_) return false;
        }
        return false;
    }
    /// Adds what the first `count` sums reach by `times` strides; false, and nothing added, when that leaves the set.
    bool add_layer(std::int64_t stride, std::size_t count, std::int64_t times)
    {
        const std::vector<std::int64_t>& set = *set_;
        const std::size_t before = sums_.size();
        std::int64_t far = 0;
        if (!mul(stride, times, far) || far > set.back()) return false;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int64_t sum = sums_[k];
            const auto at = set.back() - far < sum ? set.end() : std::lower_bound(set.begin(), set.end(), sum + far);
            is_limited_ = is_limited_ || --steps_ <= 0;
            if (at == set.end() || *at != sum + far || is_limited_) {
                drop_to(before);
                return false;
            }
            if (const auto i = static_cast<std::size_t>(at - set.begin()); !taken_[i]) {
                taken_[i] = true;
                sums_.push_back(*at);
            }
        }
        return true;
    }
    void drop_to(std::size_t count)
    {
        for (; sums_.size() > count; sums_.pop_back())
            taken_[static_cast<std::size_t>(std::lower_bound(set_->begin(), set_->end(), sums_.back()) - set_->begin())] = false;
    }

    const std::vector<std::int64_t>* set_ = nullptr;
    std::vector<bool> taken_{};        ///< which members are sums so far
    std::vector<std::int64_t> sums_{}; ///< those, in the order in which they came
    std::int64_t steps_ = 4 * search_limit;
    bool is_limited_ = false;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
