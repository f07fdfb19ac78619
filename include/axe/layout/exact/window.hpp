// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_WINDOW_HPP
#define AXE_LAYOUT_EXACT_WINDOW_HPP

#include <axe/layout/exact/digits.hpp>

/// The restriction of a canonical D to m consecutive indices, decided exactly.
///
/// The steps of a canonical D form a ruler sequence. With W_k the product of the extents inside iter k, the step into index y,
/// D(y) − D(y−1), depends only on the outermost k whose W_k divides y:  δ_k = s_k − Σ_{i>k} (n_i−1)·s_i.  Neighboring δ differ,
/// distant ones may coincide. The restriction is a D iff its steps form such a sequence again.
namespace axe {
inline namespace v0 {
namespace detail {

/// A stride on one axis, or the fact that no stride exists.
template <class Int>
struct SingleAxis {
    Int stride;
    Axis axis;
    bool exists;
};

/// The difference of two digit vectors as a stride: exists iff at most one axis moves.
template <class Int>
struct Displacement {
    Axis axes[most_digits];
    wider_t<Int> values[most_digits];
    int count = 0;

    constexpr void add(const Axis& axis, wider_t<Int> value) noexcept
    {
        if (value == 0) return;
        for (int i = 0; i < count; ++i)
            if (axes[i] == axis) {
                values[i] += value;
                return;
            }
        axes[count] = axis;
        values[count++] = value;
    }
    [[nodiscard]] constexpr bool zero() const noexcept
    {
        for (int i = 0; i < count; ++i)
            if (values[i] != 0) return false;
        return true;
    }
    /// Coordinates of checked layouts fit the integer; so do their differences that are strides of a layout.
    [[nodiscard]] constexpr SingleAxis<Int> single() const noexcept
    {
        SingleAxis<Int> out{0, Axis{}, true};
        for (int i = 0; i < count; ++i) {
            if (values[i] == 0) continue;
            if (out.stride != 0) out.exists = false;
            out.axis = axes[i];
            if (!narrow<Int>(values[i], out.stride)) out.exists = false;
        }
        return out;
    }
};

/// D(y) − D(x) over a list of iters.
template <class Int>
constexpr SingleAxis<Int> displacement(const BasicIter<Int>* iters, int count, Int x, Int y) noexcept
{
    Displacement<Int> sum;
    for (int k = count - 1; k >= 0 && x != y; --k) {
        const Int n = iters[k].extent, p = quotient(x, n), q = quotient(y, n);
        sum.add(iters[k].axis, wider_t<Int>((y - q * n) - (x - p * n)) * iters[k].stride);
        x = p;
        y = q;
    }
    return sum.single();
}

/// The coordinate on one axis of D(x).
template <class Int>
constexpr wider_t<Int> coordinate_at(const BasicIter<Int>* iters, int count, const Axis& axis, Int x) noexcept
{
    wider_t<Int> sum = 0;
    for (int k = count - 1; k >= 0; --k) {
        const Int q = quotient(x, iters[k].extent);
        if (iters[k].axis == axis) sum += wider_t<Int>(x - q * iters[k].extent) * iters[k].stride;
        x = q;
    }
    return sum;
}

/// Are the steps δ_j and δ_k of two levels the same?
template <class Int>
constexpr bool same_step(const BasicIter<Int>* iters, int j, int k) noexcept
{
    if (j == k) return true;
    if (j > k) return same_step(iters, k, j);
    if (k == j + 1) return false;
    Displacement<Int> sum; // δ_j − δ_k = s_j − Σ_{j<i<k} (n_i−1)·s_i − n_k·s_k
    sum.add(iters[j].axis, iters[j].stride);
    for (int i = j + 1; i < k; ++i) sum.add(iters[i].axis, -wider_t<Int>(iters[i].extent - 1) * iters[i].stride);
    sum.add(iters[k].axis, -wider_t<Int>(iters[k].extent) * iters[k].stride);
    return sum.zero();
}

/// The multiples u of `found` in (0, m) at which lo + u steps at level k: an arithmetic progression with periodic holes.
/// Its least member, and the greatest common divisor of all, which the first three decide.
template <class Int>
struct StepPlaces {
    wider_t<Int> least = 0;
    wider_t<Int> common = 0;
};
template <class Int>
constexpr StepPlaces<Int> step_places(Int period, Int outer_period, Int lo, Int m, Int found) noexcept
{
    using Wide = wider_t<Int>;
    StepPlaces<Int> out;
    const Int g = gcd(found, period);
    if (lo % g != 0) return out;
    // found·i ≡ −lo (mod period)
    const Int step = period / g;
    const Wide i = step == 1 ? 0 : Wide(floor_mod(Int(-(lo / g)), step)) * inverse_mod(Int(found / g), step) % step;
    const Wide stride = Wide(found) * step;
    int members = 0, holes = 0;
    Wide last = 0;
    for (Wide u = i == 0 ? stride : i * found; u < m && members < 3; u += stride) {
        if (outer_period != 0 && (Wide(lo) + u) % outer_period == 0) {
            if (members == 0 && ++holes == 2) break; // two in a row: all are holes
            continue;
        }
        if (members++ == 0) {
            out.least = u;
            out.common = u;
        } else {
            Wide a = out.common, b = u - last;
            while (b != 0) {
                const Wide r = a % b;
                a = b;
                b = r;
            }
            out.common = a;
        }
        last = u;
    }
    return out;
}

/// The canonical D of  u ↦ D(lo+u) − D(lo),  0 ≤ u < m, over canonical iters of total extent ≥ lo + m; iters innermost first are
/// appended to `out` (which is reversed by the caller). Returns whether it exists.
template <class Int>
constexpr bool window_inside_out(const BasicIter<Int>* iters, int count, Int lo, Int m, Digits<Int>& out) noexcept
{
    // Aligned inner digits come along whole; a window inside one digit is that digit's.
    while (m > 1) {
        const auto& it = iters[count - 1];
        const Int q = quotient(lo, it.extent), digit = lo - q * it.extent;
        if (m <= it.extent - digit) {
            out.push_back({m, it.stride, it.axis});
            return true;
        }
        const Int times = quotient(m, it.extent);
        if (digit != 0 || times * it.extent != m) break;
        out.push_back(it);
        lo = q;
        m = times;
        --count;
    }
    if (m <= 1) return true;

    // W_k of each level; the outermost level has none above it.
    Int period[most_digits];
    period[count - 1] = 1;
    for (int k = count - 2; k >= 0; --k) period[k] = period[k + 1] * iters[k + 1].extent;

    for (Int found = 1; found < m;) {
        int level = count - 1; // at which the step into lo + found is made
        while (level > 0 && (lo + found) % period[level - 1] == 0) --level;
        const auto stride = displacement(iters, count, lo, Int(lo + found));
        if (!stride.exists) return false;

        // The next extent ends at the first multiple of `found` with another step; all those must be its multiples.
        wider_t<Int> end = m, common = m;
        for (int k = 0; k < count; ++k) {
            if (same_step(iters, k, level)) continue;
            const auto places = step_places<Int>(period[k], k == 0 ? Int{0} : period[k - 1], lo, m, found);
            if (places.least == 0) continue;
            if (places.least < end) end = places.least;
            wider_t<Int> a = common, b = places.common;
            while (b != 0) {
                const auto r = a % b;
                a = b;
                b = r;
            }
            common = a;
        }
        if (common % end != 0) return false;
        if (!out.push_back({static_cast<Int>(end / found), stride.stride, stride.stride == 0 ? Axis{} : stride.axis})) return false;
        found = static_cast<Int>(end);
    }
    return true;
}

/// The same, appended outermost first to a canonical list, with strides negated if asked (a window read backwards).
/// @returns `errc::no_layout` when the restriction is not a D; `errc::capacity`.
template <class L>
constexpr Status append_window(const BasicIter<typename L::integer>* iters, int count, typename L::integer lo,
                               typename L::integer m, L& out, int dim, bool backwards = false) noexcept
{
    using Int = typename L::integer;
    Digits<Int> digits;
    if (!window_inside_out<Int>(iters, count, lo, m, digits))
        return Error(errc::no_layout, dim, "dimension {0}: the slice [{1}, {2}) is not a layout", dim, lo, lo + m);
    for (int i = digits.size() - 1; i >= 0; --i)
        if (!append(out.shard, digits[i].extent, backwards ? Int(-digits[i].stride) : digits[i].stride, digits[i].axis))
            return shard_capacity<L>();
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
