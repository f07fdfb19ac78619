// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_VIEW_AXE_HPP
#define AXE_INTEROP_SPYRE_VIEW_AXE_HPP

#include <axe/interop/spyre/to_axe.hpp>
#include <axe/interop/spyre/view.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// The address of an offset's digits.
constexpr std::int64_t address_of(const Side& side, std::int64_t offset) noexcept
{
    std::int64_t address = 0;
    for (const Level& level : side.levels) {
        if (level.bound > 0) continue;
        address += offset / level.weight * level.step;
        offset %= level.weight;
    }
    return address;
}

/// Where a dimension of n elements may have digits: each digit of the device begins anew after so many of its steps.
constexpr InlineVector<std::int64_t, 3 * max_rank> weights_of(const Side& side, std::int64_t step, std::int64_t n) noexcept
{
    InlineVector<std::int64_t, 3 * max_rank> weights;
    weights.push_back(1);
    for (const Level& level : side.levels) {
        if (level.bound > 0 || step == 0) continue;
        const std::int64_t weight = level.weight / axe::detail::gcd(level.weight, step);
        int at = weights.size();
        while (at > 0 && weights[at - 1] > weight) --at;
        if (weight < n && weights[at - 1] != weight) weights.insert(at, weight);
    }
    return weights;
}

} // namespace detail

/// The view as a layout:  layout(c) = the device address of element c, in device elements, for c in `valid`.
///
/// The shape is rounded up to whole digits. Exists iff digits divide and each dimension begins where its digits do (`errc::no_layout` with
/// the dimension). `errc::bad_extent` for an empty view, `errc::capacity`, the errors of `as_strided`. Cost: the pieces of `as_strided`.
constexpr Result<Placed> to_axe(const View& view, const Axis& axis = {}) noexcept
{
    const auto side = side_of(view);
    if (!side) return side.error();
    const Shape& sizes = view.torch.shape;
    Result<Placed> result;
    Placed& out = *result;
    const auto elements = stick_count(view.base.device), per_stick = elements_per_stick(view.base.device.format);
    if (!elements) return elements.error();
    out.elements = *elements * *per_stick; // the bytes fit
    const std::int64_t begin = detail::address_of(*side, side->start);
    if (begin != 0) out.layout.offset.entries.push_back({axis, begin});
    for (int i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 1) return axe::detail::empty_dimension(i);
        const std::int64_t most = detail::weights_of(*side, side->steps[i], sizes[i]).back();
        out.shape.push_back((sizes[i] - 1) / most * most + most);
        out.valid.push_back({0, sizes[i]});
    }
    const auto volume_of_shape = volume(out.shape);
    if (!volume_of_shape) return volume_of_shape.error();
    Side found; // the layout, as digits of the row-major number
    found.address = begin;
    std::int64_t number = *volume_of_shape;
    for (int i = 0; i < sizes.size(); ++i) {
        const auto weights = detail::weights_of(*side, side->steps[i], sizes[i]);
        std::int64_t above = out.shape[i];
        number /= above;
        found.steps.push_back(number);
        for (int k = weights.size() - 1; k >= 0; --k) {
            if (above % weights[k] != 0)
                return Error(errc::no_layout, i,
                             "dimension {0} has digits of {1} within {2} on the device, but {1} does not divide {2}", i, weights[k],
                             above);
            const std::int64_t step =
                sizes[i] > 1 ? detail::address_of(*side, side->start + weights[k] * side->steps[i]) - begin : 0;
            if (!found.levels.push_back({number * weights[k], step, 0}) ||
                !axe::detail::append(out.layout.shard, above / weights[k], step, axis))
                return axe::detail::shard_capacity<Layout>();
            above = weights[k];
        }
    }

    // Is it so everywhere? A piece that is even on both sides has one address and one step for each loop.
    int wrong = -1;
    const auto see = [&](const Piece& piece) {
        for (int i = 0; i < sizes.size(); ++i)
            if (piece.addresses[0] != piece.addresses[1] && piece.first[i] > 0) wrong = i;
        for (int l = 0; l < piece.loops.size(); ++l)
            if (piece.address_steps[0][l] != piece.address_steps[1][l]) wrong = piece.loops[l].dim;
        return wrong < 0;
    };
    const auto done = Pieces(sizes, found, *side, see)();
    if (wrong >= 0)
        return Error(errc::no_layout, wrong, "dimension {0} crosses the end of a digit, which a layout cannot do", wrong);
    if (const Status e = check_cut(done); !e.ok()) return e;
    if (const Status e = axe::check(out.layout); !e.ok()) return e;
    if (const auto canonical = canonicalize(out.layout)) out.layout = *canonical;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
