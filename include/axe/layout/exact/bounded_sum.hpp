// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_BOUNDED_SUM_HPP
#define AXE_LAYOUT_EXACT_BOUNDED_SUM_HPP

#include <axe/layout/exact/digits.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// How many steps a search may take before it says `too_hard`.
inline constexpr std::int64_t search_limit = std::int64_t{1} << 20;

/// Sums  z_0·s_0 + … + z_{k−1}·s_{k−1}  of digits 0 ≤ z_i < n_i with strides s_i > 0, in increasing order of stride.
///
/// Whether a value is such a sum is decided from the largest stride down: what remains must be within the footprint of the smaller
/// strides and be a multiple of their common divisor, which leaves an arithmetic progression of digits to try. Under the gap
/// condition that is one digit a level; without it the search counts its steps.
template <class Int, int Capacity>
struct BoundedSum {
    Int extent[Capacity];
    Int stride[Capacity];
    wider_t<Int> footprint[Capacity + 1]; ///< footprint[k]: the largest sum of the first k terms
    Int common[Capacity + 1];             ///< common[k]: the greatest common divisor of the first k strides; 0 for none
    int count = 0;

    /// Puts a term in its place; extents of 1 and strides of 0 add nothing. `prepare` follows.
    constexpr void insert(Int n, Int s) noexcept
    {
        if (n == 1 || s == 0) return;
        int k = count++;
        for (; k > 0 && stride[k - 1] > s; --k) {
            extent[k] = extent[k - 1];
            stride[k] = stride[k - 1];
        }
        extent[k] = n;
        stride[k] = s;
    }
    constexpr void prepare() noexcept
    {
        footprint[0] = 0;
        common[0] = 0;
        for (int k = 0; k < count; ++k) {
            footprint[k + 1] = footprint[k] + wider_t<Int>(extent[k] - 1) * stride[k];
            common[k + 1] = gcd(common[k], stride[k]);
        }
    }

    /// Is every sum made in one way only, by the gap condition s_k > footprint[k]?
    [[nodiscard]] constexpr bool has_gaps() const noexcept
    {
        for (int k = 1; k < count; ++k)
            if (stride[k] <= footprint[k]) return false;
        return true;
    }

    /// The digits z_{k} that leave a remainder within footprint of the first k terms: first, first+step, …, ≤ last.
    struct Choices {
        wider_t<Int> first, last, step;
    };
    [[nodiscard]] AXE_COLD constexpr Choices choices(int k, wider_t<Int> value) const noexcept
    {
        using Wide = wider_t<Int>;
        const Wide s = stride[k];
        Wide lo = value - footprint[k], hi = value / s;
        lo = lo <= 0 ? 0 : (lo + s - 1) / s;
        hi = least<Wide>(hi, extent[k] - 1);
        if (k == 0) { // nothing may remain
            if (value % s != 0) return {1, 0, 1};
            return {hi == value / s ? hi : Wide(1), hi == value / s ? hi : Wide(0), 1};
        }
        const Int d = common[k + 1];
        if (value % d != 0) return {1, 0, 1};
        const Int step = common[k] / d;
        if (step > 1) { // e·(s/d) ≡ value/d  (mod step)
            const Wide e = (value / d) % step * inverse_mod(Int(stride[k] / d), step) % step;
            lo += floor_mod<Wide>(e - lo, step);
        }
        return {lo, hi, step};
    }

    /// Is the value such a sum? Digits are written to `digit` when it is given.
    /// @param steps counts down; at 0 the search ends, and the caller reports `too_hard`
    constexpr bool contains(wider_t<Int> value, std::int64_t& steps, Int* digit = nullptr) const noexcept
    {
        return contains(count, value, steps, digit);
    }

    /// The number of ways to make the value, up to `most`.
    constexpr Int ways(wider_t<Int> value, std::int64_t& steps) const noexcept { return ways(count, value, steps); }

    /// The least sum ≥ value, for a value ≤ reach.
    constexpr wider_t<Int> at_least(wider_t<Int> value, std::int64_t& steps) const noexcept
    {
        return at_least(count, value, steps);
    }

    /// The number of different sums; counts down steps as the others do.
    AXE_COLD constexpr Int cardinality(std::int64_t& steps) const noexcept
    {
        // Terms whose sums are multiples of more than the footprint of all smaller ones are independent of those.
        Int total = 1, multiple = 0;
        int last = count;
        for (int k = count - 1; k >= 0; --k) {
            multiple = gcd(multiple, stride[k]);
            if (k > 0 && multiple <= footprint[k]) continue;
            BoundedSum part;
            for (int i = k; i < last; ++i) part.insert(extent[i], stride[i]);
            part.prepare();
            if (!mul(total, part.enumerate(steps), total)) steps = 0;
            if (steps <= 0) return 0;
            last = k;
            multiple = 0;
        }
        return total;
    }

  private:
    /// The number of different sums, by the gap condition or one after another.
    AXE_COLD constexpr Int enumerate(std::int64_t& steps) const noexcept
    {
        Int members = 1;
        if (has_gaps()) {
            for (int k = 0; k < count; ++k)
                if (!mul(members, extent[k], members)) steps = 0;
            return members;
        }
        for (wider_t<Int> v = 0; v != footprint[count]; ++members) {
            if (--steps <= 0) return 0;
            v = at_least(v + 1, steps);
        }
        return members;
    }

    AXE_COLD constexpr bool contains(int k, wider_t<Int> value, std::int64_t& steps, Int* digit) const noexcept
    {
        if (value < 0 || value > footprint[k]) return false;
        if (k == 0) return value == 0;
        const Choices c = choices(k - 1, value);
        for (auto z = c.first; z <= c.last; z += c.step) {
            if (--steps <= 0) return false;
            if (digit) digit[k - 1] = static_cast<Int>(z);
            if (contains(k - 1, value - z * stride[k - 1], steps, digit)) return true;
        }
        return false;
    }

    AXE_COLD constexpr Int ways(int k, wider_t<Int> value, std::int64_t& steps) const noexcept
    {
        if (value < 0 || value > footprint[k]) return 0;
        if (k == 0) return value == 0;
        const Choices c = choices(k - 1, value);
        if (c.first > c.last) return 0;
        if (k <= 2) return static_cast<Int>((c.last - c.first) / c.step + 1); // each leaves a multiple of s_0 within its footprint
        Int total = 0;
        for (auto z = c.first; z <= c.last; z += c.step) {
            if (--steps <= 0) return 0;
            if (!add(total, ways(k - 1, value - z * stride[k - 1], steps), total)) steps = 0;
        }
        return total;
    }

    AXE_COLD constexpr wider_t<Int> at_least(int k, wider_t<Int> value, std::int64_t& steps) const noexcept
    {
        using Wide = wider_t<Int>;
        if (value <= 0 || k == 0) return 0;
        const Wide s = stride[k - 1];
        Wide z = value - footprint[k - 1];
        z = z <= 0 ? 0 : (z + s - 1) / s;
        Wide best = footprint[k];
        for (; z < extent[k - 1] && z * s < best; ++z) {
            if (--steps <= 0) break;
            const Wide sum = z * s + at_least(k - 1, value - z * s, steps);
            if (sum < best) best = sum;
            if (best == value) break;
        }
        return best;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
