// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_LATTICE_POINTS_HPP
#define AXE_MAP_PRESBURGER_LATTICE_POINTS_HPP

#include <axe/map/presburger/wide_int.hpp>

#include <algorithm>
#include <vector>

/// Integer points counted in closed form: below a line, in a polygon, in the residues of a progression.
namespace axe {
inline namespace v0 {
namespace detail {

/// out += sign·Σ_{0 ≤ i < n} ⌊(a·i + b)/m⌋ for m > 0, n ≥ 0; modulo 2^128, as what counts cancels what is beyond.
///
/// False when a number on the way is beyond 120 bits. Cost: that of Euclid's algorithm on a and m.
constexpr bool add_floor_sum(WideInt n, WideInt m, WideInt a, WideInt b, int sign, modular_t<std::int64_t>& out) noexcept
{
    using Modular = modular_t<std::int64_t>;
    Modular sum = 0;
    while (n > 0) {
        const WideInt slope = floor_of(a, m), level = floor_of(b, m);
        // n·(n−1)/2 without a division of what may have wrapped
        const Modular pairs = n % 2 == 0 ? Modular(n / 2) * Modular(n - 1) : Modular(n) * Modular((n - 1) / 2);
        sum += pairs * Modular(slope) + Modular(n) * Modular(level);
        a -= slope * m;
        b -= level * m;
        WideInt top = b;
        if (!add_multiple(a, n, top)) return false;
        // Points (i, k), k ≥ 1, with k·m ≤ a·i + b, i < n: column sums become row sums.
        n = floor_of(top, m);
        b = top - n * m;
        std::swap(a, m);
    }
    out += sign < 0 ? Modular{0} - sum : sum;
    return true;
}

/// The line  height·v = constant + slope·u, height > 0: a bound of v at each u.
struct MapLine {
    WideInt constant = 0, slope = 0, height = 1;
};

/// The number of points 0 ≤ u ≤ last with ⌈low_k(u)⌉ ≤ v ≤ ⌊high_k(u)⌋ for all bounds k.
class PolygonCount {
  public:
    explicit PolygonCount(WideInt last) : last_(last) {}
    std::vector<MapLine> lows{}, highs{};

    /// False when a number is beyond what can be held.
    bool run(WideInt& out)
    {
        // Between crossings one low and one high line count, or none.
        std::vector<WideInt> ends{last_};
        std::vector<MapLine> all = lows;
        all.insert(all.end(), highs.begin(), highs.end());
        for (std::size_t x = 0; x < all.size(); ++x)
            for (std::size_t y = 0; y < x; ++y)
                if (!add_crossing(all[x], all[y], ends)) return false;
        std::sort(ends.begin(), ends.end());
        modular_t<std::int64_t> total = 0;
        WideInt begin = 0;
        for (const WideInt end : ends) {
            if (end < begin) continue;
            const MapLine* low = &lows[0];
            const MapLine* high = &highs[0];
            for (const MapLine& l : lows)
                if (!keep_beyond(l, low, begin, end, 1)) return false;
            for (const MapLine& l : highs)
                if (!keep_beyond(l, high, begin, end, -1)) return false;
            int order = 0;
            if (!compare(*low, *high, begin, end, order)) return false;
            if (order <= 0 && !add_strip(*low, *high, begin, end, total)) return false;
            begin = end + 1;
        }
        out = static_cast<WideInt>(total);
        return is_sound(out) && out >= 0;
    }

  private:
    WideInt last_;

    /// Where the lines cross within the range: the last u before it; a crossing at an integer is separate.
    bool add_crossing(const MapLine& x, const MapLine& y, std::vector<WideInt>& ends) const
    {
        WideInt slope = 0, constant = 0; // of x − y, over the product of the heights
        if (!add_multiple(x.slope, y.height, slope) || !add_multiple(-y.slope, x.height, slope)) return false;
        if (!add_multiple(x.constant, y.height, constant) || !add_multiple(-y.constant, x.height, constant)) return false;
        if (slope == 0) return true;
        if (slope < 0) {
            slope = -slope;
            constant = -constant;
        }
        const WideInt at = floor_of(-constant, slope);
        if (0 <= at && at < last_) ends.push_back(at);
        if (at * slope == -constant && 0 < at && at <= last_) ends.push_back(at - 1);
        return true;
    }
    /// The sign of x − y on the whole of [begin, end], where they do not cross inside.
    static bool compare(const MapLine& x, const MapLine& y, WideInt begin, WideInt end, int& sign)
    {
        sign = 0;
        for (const WideInt u : {begin, end}) {
            WideInt a = x.constant, b = y.constant, difference = 0;
            if (!add_multiple(x.slope, u, a) || !add_multiple(y.slope, u, b)) return false;
            if (!add_multiple(a, y.height, difference) || !add_multiple(-b, x.height, difference)) return false;
            if (difference != 0) sign = difference < 0 ? -1 : 1;
        }
        return true;
    }
    static bool keep_beyond(const MapLine& l, const MapLine*& best, WideInt begin, WideInt end, int sign)
    {
        int order = 0;
        if (!compare(l, *best, begin, end, order)) return false;
        if (order * sign > 0) best = &l;
        return true;
    }
    /// Σ ⌊high⌋ − ⌈low⌉ + 1 over u in [begin, end], where ⌈x⌉ − 1 = ⌊(x·height − 1)/height⌋.
    static bool add_strip(const MapLine& low, const MapLine& high, WideInt begin, WideInt end, modular_t<std::int64_t>& total)
    {
        WideInt top = high.constant, bottom = low.constant - 1;
        if (!add_multiple(high.slope, begin, top) || !add_multiple(low.slope, begin, bottom)) return false;
        const WideInt n = end - begin + 1;
        return add_floor_sum(n, high.height, high.slope, top, 1, total) &&
               add_floor_sum(n, low.height, low.slope, bottom, -1, total);
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
