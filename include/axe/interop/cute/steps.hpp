// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_STEPS_HPP
#define AXE_INTEROP_CUTE_STEPS_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

inline constexpr int most_leaves = Layout::max_nodes;

/// A layout that is stepped through, n steps of t at a time, from index 0 on: what A(t·i) is for 0 ≤ i < n, as digits.
///
/// Claim. Let e_k:d_k be A's coalesced modes, W_k = e_0·…·e_{k−1}, and let every sequence of steps be cut into pieces, m steps of
/// r·W_k each. If for each mode but the last the sum of (m − 1)·r over all its pieces is below e_k, then A of a sum of steps is the
/// sum of A of each, and a piece is (m, r·d_k). For the sums are then the digits of the index: those are unique.
///
/// Nothing is said where a piece cannot be cut so, or where digits of several sequences may carry: other ways decide.
struct Steps {
    Int extent[most_leaves], stride[most_leaves];
    Int used[most_leaves]; ///< the most that the pieces in a mode come to
    std::uint64_t basis[most_leaves];
    int count = 0;
    Int footprint = 1; ///< 1 + Σ (e_k − 1)·|d_k| but for the last mode, which runs on
    bool sound = true;

    constexpr explicit Steps(const Part& a) noexcept
    {
        int last = a.count - 1;
        while (last >= 0 && a.nodes[last].children >= 0) --last;
        for (int i = 0; i <= last; ++i) {
            const Node& node = a.nodes[i];
            if (node.children >= 0 || (node.leaf.extent == 1 && i < last)) continue;
            const std::uint64_t along = node.leaf.stride == 0 ? 0 : node.leaf.basis.path.bits;
            if (count > 0) {
                const int k = count - 1;
                Int part = 0;
                if (basis[k] == along && axe::detail::mul(extent[k], stride[k], part) && part == node.leaf.stride) {
                    extent[k] *= node.leaf.extent;
                    continue;
                }
                sound = sound && axe::detail::add(footprint, (extent[k] - 1) * axe::detail::magnitude(stride[k]), footprint);
            }
            extent[count] = node.leaf.extent;
            stride[count] = node.leaf.stride;
            basis[count] = along;
            used[count++] = 0;
        }
        Int turned = 0; // of an extent of 1, the stride may be the least integer
        sound = sound && count > 0 && axe::detail::sub(Int{0}, stride[count - 1], turned);
    }

    /// Puts the pieces of n > 1 steps of t ≥ 0; returns whether they are the whole truth.
    constexpr bool put(Int n, Int t, FlatMode& out) noexcept
    {
        using namespace axe::detail;
        if (t == 0) {
            out.put(n, 0);
            return true;
        }
        int k = 0;
        for (; k + 1 < count && t >= extent[k]; ++k) {
            const Int q = quotient(t, extent[k]);
            if (q * extent[k] != t) return false;
            t = q;
        }
        for (; k + 1 < count; ++k, t = 1) {
            const Int room = extent[k] - used[k];
            Int most = 0;
            if (mul(n - 1, t, most) && most < room) {
                used[k] += most;
                out.put(n, t * stride[k], basis[k]);
                return true;
            }
            const Int m = quotient(extent[k], t);
            if (m * t != extent[k] || extent[k] - t >= room) return false;
            const Int q = quotient(n, m);
            if (q * m != n) return false;
            used[k] += extent[k] - t;
            out.put(m, t * stride[k], basis[k]);
            n = q;
            if (n == 1) return true;
        }
        Int part = 0;
        if (!mul(n - 1, t, part) || !add(used[k], part, used[k]) || !mul(used[k], magnitude(stride[k]), part) ||
            !add(part, footprint, part))
            return false;
        out.put(n, t * stride[k], basis[k]);
        return true;
    }
};

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
