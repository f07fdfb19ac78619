// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relayout_layouts.hpp"

#include <algorithm>

namespace axe_cli {

using axe::errc;
using axe::Layout;
using axe::Problem;
using axe::RelayoutSide;
using axe::Shape;
using axe::detail::worded;

Layout in_order(std::int64_t elements)
{
    Layout out;
    out.shard.push_back({elements, 1, axe::Axis{}});
    return out;
}

Layout first_fastest(const Shape& shape)
{
    Layout out;
    std::int64_t stride = 1;
    for (int d = 0; d < shape.size(); ++d) {
        out.shard.push_back({shape[d], stride, axe::Axis{}});
        stride *= shape[d];
    }
    return out;
}

namespace {

bool has_axis(const Layout& layout, const axe::Axis& axis)
{
    const auto is_on = [&](const auto& x) { return x.axis == axis; };
    return std::any_of(layout.shard.begin(), layout.shard.end(), is_on) ||
           std::any_of(layout.replica.begin(), layout.replica.end(), is_on) ||
           std::any_of(layout.offset.begin(), layout.offset.end(), is_on);
}

} // namespace

axe::Result<void, axe::Problem> check_pitches(const RelayoutRequest& request, const Layout& from, const Layout& to)
{
    for (const Pitch& p : request.pitches)
        if (!has_axis(from, p.axis) && !has_axis(to, p.axis))
            return {errc::bad_axis, worded("--pitch: neither --from nor --to has the axis {0}", {p.axis.name().c_str()})};
    return {};
}

axe::Result<void, axe::Problem> add_pitches(const RelayoutRequest& request, RelayoutSide& side)
{
    bool has_m = false, has_one = false;
    for (const Pitch& p : request.pitches) has_one = has_one || has_axis(side.layout.layout, p.axis);
    if (!has_one) return {};
    bool fits = true;
    for (const Pitch& p : request.pitches) {
        fits = fits && side.pitches.push_back({p.axis, p.elements});
        has_m = has_m || p.axis == axe::Axis{};
    }
    if (!has_m) fits = fits && side.pitches.push_back({axe::Axis{}, 1});
    return fits ? Problem() : Problem(errc::capacity, "--pitch is given for too many axes: with m there may be 8");
}

axe::Result<void, axe::Problem> split(RelayoutSide& side, const std::string& option, std::int64_t k)
{
    if (!side.shape.empty() && !side.shape.push_back(k)) return {errc::capacity, option + ": a shape has at most 16 dimensions"};
    if (side.layout.swizzle.bits > 0) {
        if (side.layout.width % k != 0)
            return {errc::bad_argument,
                    option + worded(": a swizzle of elements of {0} bytes moves no whole elements", {side.layout.width})};
        const auto narrow = axe::with_width(side.layout, side.layout.width / k);
        if (!narrow) return Problem(narrow.error(), option + ": ");
        side.layout = *narrow;
        for (axe::AxisPitch& p : side.pitches)
            if (!(p.axis == side.layout.axis) && !axe::detail::mul(p.pitch, k, p.pitch))
                return {errc::overflow, option + ": a pitch overflows 64 bits"};
        return {};
    }
    // All on one axis, as a stride there has the pitch in it.
    const auto pitch_of = [&](const axe::Axis& axis) {
        for (const axe::AxisPitch& p : side.pitches)
            if (p.axis == axis) return p.pitch;
        return std::int64_t{1};
    };
    Layout out;
    bool fits = true;
    const auto move = [&](const axe::Iter& it) {
        std::int64_t stride = 0;
        fits = fits && axe::detail::mul(it.stride, pitch_of(it.axis), stride) && axe::detail::mul(stride, k, stride);
        return axe::Iter{it.extent, stride, axe::Axis{}};
    };
    for (const axe::Iter& it : side.layout.layout.shard) fits = fits && out.shard.push_back(move(it));
    fits = fits && out.shard.push_back({k, 1, axe::Axis{}});
    for (const axe::Iter& it : side.layout.layout.replica) out.replica.push_back(move(it));
    std::int64_t offset = 0;
    for (const auto& entry : side.layout.layout.offset)
        fits = fits && axe::detail::add(offset, move({1, entry.value, entry.axis}).stride, offset);
    if (!fits) return {errc::overflow, option + ": its strides in parts of elements overflow 64 bits, or it has too many of them"};
    if (offset != 0) *out.offset.entry(axe::Axis{}) = offset;
    side.layout.layout = out;
    side.pitches = {};
    return {};
}

} // namespace axe_cli
