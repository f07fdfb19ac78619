// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_LEFT_INVERSE_SEARCH_HPP
#define AXE_LAYOUT_EXACT_LEFT_INVERSE_SEARCH_HPP

#include <axe/layout/exact/bounded_sum.hpp>
#include <axe/layout/exact/floor_form.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The search for M on [0, span) with M(L(x)) = x. Any such M is one whose extents are the prime factors of the span, in some order;
/// with the extents fixed its strides solve linear equations over the integers, one for each x. Equations are added only where the
/// solution at hand is seen to fail, so that there are never more than unknowns.
template <class L>
struct LeftInverseSearch {
    using Int = typename L::integer;
    using Wide = wider_t<Int>;
    static constexpr int pool_limit = 256;

    const L& layout; ///< canonical, single-valued, on one axis, least value 0
    Int start = 0;   ///< L(0)
    Int origin = 0;  ///< the index of the value 0, and so M(0)
    Int span = 1;
    Int domain = 1;
    std::int64_t steps = search_limit; ///< down to 0; one is about a microsecond
    std::int64_t nodes = 1 << 12;
    bool overflowed = false;
    bool gave_up = false;

    Int factor[most_digits]; ///< the distinct primes still to be placed, and how often
    int times[most_digits];
    int factors = 0;
    Int extent[most_digits]; ///< those placed, innermost first
    int placed = 0;
    Int pool[pool_limit]; ///< indices whose equations are known to matter
    int pooled = 0;

    Wide solution[most_digits];           ///< a stride for each extent placed
    Wide basis[most_digits][most_digits]; ///< basis[f][j]: the f-th free direction
    int free_count = 0;

    constexpr explicit LeftInverseSearch(const L& l) noexcept : layout(l) {}

    [[nodiscard]] constexpr Int value_at(Int x) const noexcept
    {
        Int v = start;
        for (int k = layout.shard.size() - 1; k >= 0; --k) {
            const auto& it = layout.shard[k];
            v += x % it.extent * it.stride;
            x /= it.extent;
        }
        return v;
    }

    /// Takes the equation  Σ_j digit_j(L(x))·t_j = x − origin  into the solution; returns whether one is left.
    constexpr bool impose(Int x) noexcept
    {
        steps -= free_count * free_count / 4; // each free direction is made short against each other one
        Wide digit[most_digits];
        Int v = value_at(x);
        for (int j = 0; j < placed; ++j) {
            digit[j] = v % extent[j];
            v /= extent[j];
        }
        const auto along = [&](const Wide* direction) {
            Wide sum = 0;
            for (int j = 0; j < placed; ++j) {
                Wide term;
                if (!mul<Wide>(digit[j], direction[j], term) || !add<Wide>(sum, term, sum)) overflowed = true;
            }
            return sum;
        };
        Wide open = Wide(x) - origin - along(solution);
        // Unimodular steps on the free directions leave one that moves the equation, by the greatest common divisor: the one that moves
        // it least is taken off the others, rounded, until no other moves it. Numbers grow slowly that way.
        Wide moves[most_digits];
        for (int f = 0; f < free_count; ++f) moves[f] = along(basis[f]);
        int mover = -1;
        for (bool alone = false; !alone && !overflowed;) {
            mover = -1;
            for (int f = 0; f < free_count; ++f)
                if (moves[f] != 0 && (mover < 0 || magnitude(moves[f]) < magnitude(moves[mover]))) mover = f;
            alone = true;
            for (int f = 0; f < free_count && mover >= 0; ++f) {
                if (f == mover || moves[f] == 0) continue;
                const Wide q = rounded(moves[f], moves[mover]);
                subtract(basis[f], q, basis[mover]);
                moves[f] -= q * moves[mover];
                alone = alone && moves[f] == 0;
            }
        }
        if (overflowed) return false;
        if (mover < 0) return open == 0;
        if (open % moves[mover] != 0) return false;
        subtract(solution, -(open / moves[mover]), basis[mover]);
        --free_count;
        for (int j = 0; j < placed; ++j) basis[mover][j] = basis[free_count][j];
        // Any multiple of what is still free may come off: what is left is short.
        for (int f = 0; f < free_count; ++f) {
            for (int g = 0; g < free_count; ++g)
                if (g != f) shorten(basis[g], basis[f]);
            shorten(solution, basis[f]);
        }
        return !overflowed;
    }

    static constexpr Wide rounded(Wide a, Wide b) noexcept
    {
        const Wide m = magnitude(b), q = floor_div<Wide>(2 * a + m, 2 * m);
        return b < 0 ? -q : q;
    }
    /// v −= k·w
    constexpr void subtract(Wide* v, Wide k, const Wide* w) noexcept
    {
        for (int j = 0; j < placed; ++j) {
            Wide term;
            if (!mul<Wide>(k, w[j], term) || !sub<Wide>(v[j], term, v[j])) overflowed = true;
        }
    }
    /// Takes the multiple of w off v that leaves it shortest. (How much is not critical, so floating point will do.)
    constexpr void shorten(Wide* v, const Wide* w) noexcept
    {
        double dot = 0, square = 0;
        for (int j = 0; j < placed; ++j) {
            dot += static_cast<double>(v[j]) * static_cast<double>(w[j]);
            square += static_cast<double>(w[j]) * static_cast<double>(w[j]);
        }
        if (square == 0) return;
        const double k = dot / square;
        if (k > 0.5 || k < -0.5) {
            if (k > 1e30 || k < -1e30) return;
            subtract(v, static_cast<Wide>(k + (k > 0 ? 0.5 : -0.5)), w);
        }
    }

    /// Solves all pooled equations that the placed extents, of product `inside`, decide.
    constexpr bool solve(Int inside) noexcept
    {
        free_count = placed;
        for (int f = 0; f < placed; ++f) {
            solution[f] = 0;
            for (int j = 0; j < placed; ++j) basis[f][j] = f == j;
        }
        for (int i = 0; i < pooled; ++i)
            if (value_at(pool[i]) < inside && !impose(pool[i])) return false;
        return true;
    }

    /// The least x at which the whole solution fails; −1 when it holds.
    constexpr Wide first_failure() noexcept
    {
        Digits<Int> m;
        for (int j = placed - 1; j >= 0; --j) {
            Int stride;
            if (!narrow<Int>(solution[j], stride)) {
                overflowed = true;
                return -1;
            }
            m.push_back({extent[j], stride, Axis{}});
        }
        Int extents[most_digits], strides[most_digits], weights[most_digits];
        Int weight = 1;
        const int count = layout.shard.size();
        for (int k = count - 1; k >= 0; --k) {
            extents[k] = layout.shard[k].extent;
            strides[k] = layout.shard[k].stride;
            weights[k] = weight;
            weight *= extents[k];
        }
        FloorForm<Int> form(extents, count);
        add_coordinate(form, m.items, m.size(), Axis{}, 1, start, strides);
        form.add(origin);
        form.add(-1, 0, weights, 1);
        return form.first_nonzero(steps);
    }

    constexpr bool place(Int inside) noexcept
    {
        if (--nodes <= 0 || steps <= 0) return false;
        if (!solve(inside)) return false;
        if (inside == span) {
            while (true) {
                const Wide x = first_failure();
                if (steps <= 0 || overflowed) return false;
                if (x < 0) return true;
                if (pooled < pool_limit) pool[pooled++] = static_cast<Int>(x);
                if (!impose(static_cast<Int>(x))) return false;
            }
        }
        for (int i = 0; i < factors; ++i) {
            if (times[i] == 0) continue;
            --times[i];
            extent[placed++] = factor[i];
            const bool found = place(inside * factor[i]);
            if (found || steps <= 0 || nodes <= 0) return found;
            gave_up = gave_up || overflowed; // another order may do with smaller numbers
            overflowed = false;
            --placed;
            ++times[i];
        }
        return false;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
