// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COALESCE_HPP
#define AXE_INTEROP_CUTE_COALESCE_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// Coalesces the part below each leaf of the profile; modes that the profile does not have stay as they are.
constexpr Status coalesce_by(const Part& part, const Part& profile, bool without_zeros, Layout& out) noexcept
{
    if (!profile.is_tuple()) return put_coalesced(part, without_zeros, out) ? Error{} : nodes_capacity();
    if (!part.is_tuple() || profile.rank() > part.rank())
        return Error(errc::rank_mismatch, -1, "the profile has a tuple of {0} where the layout has {1} modes", profile.rank(),
                     part.rank());
    put_tuple(out, part.rank());
    Modes targets(profile);
    for (Modes modes(part); !modes.done();) {
        const Part mode = modes.next();
        if (targets.done()) {
            if (!put_part(out, mode)) return nodes_capacity();
        } else if (const Status e = coalesce_by(mode, targets.next(), without_zeros, out); !e.ok()) {
            return e;
        }
    }
    return {};
}
constexpr Status coalesce_into(const Layout& layout, bool without_zeros, Layout& out) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    return put_coalesced(whole(layout), without_zeros, out) ? Error{} : nodes_capacity();
}
constexpr Status coalesce_into(const Layout& layout, const Layout& profile, bool without_zeros, Layout& out) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check(profile); !e.ok()) return e;
    return coalesce_by(whole(layout), whole(profile), without_zeros, out);
}

} // namespace detail

/// The fewest modes that make the same map:  coalesce(L)(x) = L(x),  flat.      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
///
/// The only flat layout of its map without extents of 1 and without neighbors that chain, s_{k+1} = n_k·s_k; `1:0` for one
/// element. Errors: those of `check`. Cost: linear.
constexpr Result<Layout> coalesce(const Layout& layout) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::coalesce_into(layout, false, *result); !e.ok()) result = e;
    return result;
}

/// The same below each leaf of a profile, of which only the tuples count: coalesce(L, (1,1)) does it mode by mode. Modes past
/// those of the profile stay as they are. `errc::rank_mismatch` where the profile has a tuple of more than the layout.
constexpr Result<Layout> coalesce(const Layout& layout, const Layout& profile) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::coalesce_into(layout, profile, false, *result); !e.ok()) result = e;
    return result;
}

/// Modes that move nothing become of extent 1, the profile stays:  filter_zeros(L)(c′) = L(c),  c′ as c but 0 in those modes.
///
/// Errors: those of `check`. Cost: linear.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> filter_zeros(const Layout& layout) noexcept
{
    Result<Layout> result;
    if (const Status e = check(layout); !e.ok()) {
        result = e;
        return result;
    }
    detail::put_part(*result, detail::whole(layout));
    for (Node& node : result->nodes)
        if (node.children < 0 && node.leaf.stride == 0) node.leaf.extent = 1;
    return result;
}

/// What moves, coalesced:  filter(L)(x′) = L(x),  x′ the index of x without the modes of stride 0.
///
/// filter(L) = coalesce(filter_zeros(L)); L takes each of its values size(L)/size(filter(L)) times as often. Errors: those of
/// `check`. Cost: linear.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> filter(const Layout& layout) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::coalesce_into(layout, true, *result); !e.ok()) result = e;
    return result;
}
/// The same below each leaf of a profile, as `coalesce` has it.
constexpr Result<Layout> filter(const Layout& layout, const Layout& profile) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::coalesce_into(layout, profile, true, *result); !e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
