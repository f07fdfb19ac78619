// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_REFINE_HPP
#define AXE_RELAYOUT_REFINE_HPP

#include <axe/relayout/nest.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// The address of x; the last digit runs on.
constexpr std::int64_t address_of(const DigitList& digits, std::int64_t x) noexcept
{
    std::int64_t sum = 0;
    for (int k = 0; k < digits.size() && x != 0; ++k) {
        const std::int64_t q = k + 1 == digits.size() ? 0 : x / digits[k].extent;
        sum += (x - q * digits[k].extent) * digits[k].step;
        x = q;
    }
    return sum;
}

/// Two addresses over one range of x, cut into nests of loops: the common refinement of both maps.
///
/// x is written in digits of a mixed radix  1 = c_0 | c_1 | … | c_k,  at each of which both sides' digits can be cut, so that the
/// address of a sum of digits is the sum of their addresses. Between two neighboring cuts each side has one digit, which is a
/// loop; or the sides' digits clash (6 = 2·3 against 3·2), and the range between is a list of pieces, in each of which both move
/// evenly. A range that is not whole (a prefix of padded rows) is a few boxes of such digits.
class Refinement {
  public:
    /// Some values of x, all with one shape: x of the box are  base + Σ z_k·…
    using Box = CopyNest;

    /// @param limit the most boxes that are made; past it, `exhausted`
    Refinement(const DigitList& to, const DigitList& from, std::int64_t lo, std::int64_t hi, std::size_t limit)
        : to_(to), from_(from), limit_(limit)
    {
        find_cuts(hi, false);
        if (has_clash(hi)) find_cuts(hi, true);
        prepare_segments(hi);
        for (std::int64_t x = lo; x < hi && !exhausted_;) {
            int level = cuts_.size() - 1;
            while (level > 0 && (x % cuts_[level] != 0 || cuts_[level] > hi - x)) --level;
            const std::int64_t c = cuts_[level];
            std::int64_t count = (hi - x) / c;
            if (level + 1 < cuts_.size()) count = std::min(count, (cuts_[level + 1] - x % cuts_[level + 1]) / c);
            Box box;
            box.to = address_of(to_, x);
            box.from = address_of(from_, x);
            emit_level(box, level, x / c, count);
            x += count * c;
        }
    }

    [[nodiscard]] const std::vector<Box>& boxes() const noexcept { return boxes_; }
    [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }

  private:
    using Cuts = InlineVector<std::int64_t, CopyNest::max_loops>;
    struct Segment {
        CopyLoop loop;                 ///< of a whole digit; extent 0: any number, of the last
        std::int64_t to_run, from_run; ///< how long each side moves evenly
        [[nodiscard]] bool clashes() const noexcept { return to_run < loop.extent || from_run < loop.extent; }
    };

    /// Can the side's digits be cut at p: is  address(x) = address(x mod p) + address(x − x mod p)?
    static bool admits(const DigitList& digits, std::int64_t p) noexcept
    {
        for (int k = 0; k + 1 < digits.size(); ++k) {
            const std::int64_t n = digits[k].extent;
            if (p % n != 0) return n % p == 0;
            p /= n;
            if (p == 1) return true;
        }
        return true; // the last one runs on
    }

    void find_cuts(std::int64_t hi, bool with_common)
    {
        std::vector<std::int64_t> candidates;
        const auto add_side = [&](const DigitList& digits) {
            std::int64_t p = 1;
            for (int k = 0; k + 1 < digits.size(); ++k) {
                p *= digits[k].extent;
                if (p >= hi) break;
                candidates.push_back(p);
            }
        };
        add_side(to_);
        const std::size_t of_to = candidates.size();
        add_side(from_);
        if (with_common) {
            const std::size_t plain = candidates.size();
            for (std::size_t i = 0; i < of_to; ++i)
                for (std::size_t k = of_to; k < plain; ++k) {
                    const std::int64_t g = gcd(candidates[i], candidates[k]);
                    candidates.push_back(g);
                    std::int64_t both = 0;
                    if (mul(candidates[i] / g, candidates[k], both) && both < hi) candidates.push_back(both);
                }
        }
        std::sort(candidates.begin(), candidates.end());
        cuts_ = {};
        cuts_.push_back(1);
        for (const std::int64_t p : candidates)
            if (p > cuts_.back() && p % cuts_.back() == 0 && admits(to_, p) && admits(from_, p) && !cuts_.push_back(p))
                exhausted_ = true;
    }

    /// From x = p on, for how many values of x/p does the side move by one step?
    static std::int64_t run_from(const DigitList& digits, std::int64_t p, std::int64_t most) noexcept
    {
        for (int k = 0; k + 1 < digits.size(); ++k) {
            const std::int64_t n = digits[k].extent;
            if (p < n) return std::min(n / p, most);
            p /= n;
        }
        return most;
    }

    bool has_clash(std::int64_t hi)
    {
        prepare_segments(hi);
        for (const Segment& s : segments_)
            if (s.clashes()) return true;
        return false;
    }

    void prepare_segments(std::int64_t hi)
    {
        segments_ = {};
        for (int i = 0; i < cuts_.size(); ++i) {
            const std::int64_t c = cuts_[i], extent = i + 1 < cuts_.size() ? cuts_[i + 1] / c : (hi + c - 1) / c;
            segments_.push_back(
                {{extent, address_of(to_, c), address_of(from_, c)}, run_from(to_, c, extent), run_from(from_, c, extent)});
        }
    }

    /// Digit `level` from t on, `count` values of it, the digits below whole. `box` has the address of t·c_level already.
    void emit_level(const Box& box, int level, std::int64_t t, std::int64_t count)
    {
        const Segment& s = segments_[level];
        if (!s.clashes()) {
            Box next = box;
            if (count > 1) next.loops.push_back({count, s.loop.to, s.loop.from});
            return emit_below(next, level);
        }
        const std::int64_t c = cuts_[level], to_start = address_of(to_, t * c), from_start = address_of(from_, t * c);
        for (const std::int64_t end = t + count; t < end && !exhausted_;) {
            const std::int64_t length = std::min({end - t, s.to_run - t % s.to_run, s.from_run - t % s.from_run});
            Box next = box;
            next.to += address_of(to_, t * c) - to_start;
            next.from += address_of(from_, t * c) - from_start;
            if (length > 1) next.loops.push_back({length, s.loop.to, s.loop.from});
            emit_below(next, level);
            t += length;
        }
    }
    void emit_below(const Box& box, int level)
    {
        if (level > 0) return emit_level(box, level - 1, 0, segments_[level - 1].loop.extent);
        if (boxes_.size() >= limit_) exhausted_ = true;
        if (!exhausted_) boxes_.push_back(box);
    }

    const DigitList &to_, &from_;
    std::size_t limit_;
    bool exhausted_ = false;
    Cuts cuts_{};
    InlineVector<Segment, CopyNest::max_loops> segments_{};
    std::vector<Box> boxes_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
