// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_VIEW_HPP
#define AXE_INTEROP_SPYRE_VIEW_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/make.hpp>
#include <axe/interop/spyre/pieces.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Other sizes, strides and offset over the storage of a tensor, which stays where it is on the device.
///   device(view, c) = device(base, the element of the base at host offset  offset + Σ c_i·strides_i)
///
/// The base's elements have distinct host offsets, except for dimensions of stride 0, of which the first index is meant.
struct View {
    Tensor base{};
    Strided torch{}; ///< of the view; the offset counts from where the base's storage begins, as the base's does

    friend constexpr bool operator==(const View&, const View&) = default;
};

/// The whole of a tensor as a view.
constexpr View view_of(const Tensor& base) noexcept { return {base, base.torch}; }

/// The offsets of a base's storage as digits: first which index of each dimension, outermost first, then its place.
constexpr Result<Side> side_of(const View& view) noexcept
{
    if (const Status e = check_host(view.torch); !e.ok()) return e;
    const Tensor& base = view.base;
    Result<Side> result;
    Side& side = *result;
    side.start = view.torch.offset - base.torch.offset;
    for (const std::int64_t step : view.torch.strides) side.steps.push_back(step);
    const Strides steps = device_strides(base.device);
    InlineVector<int, max_rank> dims; // those that move, outermost first
    for (int e = 0; e < base.host.shape.size(); ++e) {
        if (base.host.shape[e] < 2 || base.host.strides[e] == 0) continue;
        int at = 0;
        while (at < dims.size() && base.host.strides[dims[at]] > base.host.strides[e]) ++at;
        dims.insert(at, e);
    }
    std::int64_t footprint = 0; // of the dimensions inside
    for (int i = dims.size() - 1; i >= 0; --i) {
        const int e = dims[i];
        if (base.host.strides[e] <= footprint)
            return Error(errc::bad_argument, e, "elements of the base share addresses on the host, in dimension {0} of stride {1}",
                         e, base.host.strides[e]);
        footprint += (base.host.shape[e] - 1) * base.host.strides[e];
    }
    for (const int e : dims) {
        side.levels.push_back({base.host.strides[e], 0, base.host.shape[e]});
        for (const detail::Link& link : detail::chain_of(base, e, steps))
            side.levels.push_back({base.host.strides[e] * link.weight, link.stride, 0});
    }
    return result;
}

namespace detail {

/// A side on which nothing moves.
constexpr Side still(const Shape& shape) noexcept
{
    Side side;
    for (int i = 0; i < shape.size(); ++i) side.steps.push_back(0);
    return side;
}

} // namespace detail

/// The device coordinate of an element of a view, of its first copy.
///
/// `errc::rank_mismatch`, `errc::out_of_domain` with the dimension, or −1 when the base has no element there; `errc::bad_argument`
/// when the base's elements share host offsets. Cost: the device's dimensions times the host's.
constexpr Result<DeviceCoord> device_coordinate(const View& view, const Coord& c) noexcept
{
    const auto side = side_of(view);
    if (!side) return side.error();
    if (c.size() != view.torch.shape.size()) return detail::coordinate_rank(c.size(), view.torch.shape.size());
    std::int64_t rest = side->start;
    for (int i = 0; i < c.size(); ++i) {
        if (c[i] < 0 || c[i] >= view.torch.shape[i]) return axe::detail::outside_dimension(i, c[i], view.torch.shape[i]);
        rest += c[i] * side->steps[i];
    }
    std::int64_t address = 0;
    const std::int64_t offset = rest + view.base.torch.offset;
    bool inside = rest >= 0;
    for (const Level& level : side->levels) {
        if (level.bound > 0) {
            inside = inside && rest / level.weight < level.bound;
        } else {
            address += rest / level.weight * level.step;
            rest %= level.weight;
        }
    }
    if (!inside || rest != 0) return Error(errc::out_of_domain, -1, "the base has no element at host offset {0}", offset);
    const Strides steps = device_strides(view.base.device);
    Result<DeviceCoord> result;
    for (int j = 0; j < steps.size(); ++j) { // row-major, so an address says which
        result->push_back(address / steps[j]);
        address %= steps[j];
    }
    return result;
}

/// Indices [begin, end) of a dimension, every `step`-th.      [torch.Tensor.__getitem__]
///
/// `errc::out_of_domain` unless 0 ≤ begin ≤ end ≤ its size, `errc::bad_argument` of a step below 1 or no such dimension.
constexpr Result<View> slice(const View& view, int dim, std::int64_t begin, std::int64_t end, std::int64_t step = 1) noexcept
{
    if (dim < 0 || dim >= view.torch.shape.size())
        return Error(errc::bad_argument, dim, "no dimension {0} exists; the view has {1} dimensions", dim, view.torch.shape.size());
    const std::int64_t n = view.torch.shape[dim];
    if (begin < 0 || end < begin || end > n)
        return Error(errc::out_of_domain, dim, "the slice [{0}, {1}) is not within the {2} elements of its dimension", begin, end,
                     n);
    if (step < 1) return Error(errc::bad_argument, dim, "the step of a slice is {0}; it must be at least 1", step);
    Result<View> result(view);
    Strided& t = result->torch;
    t.shape[dim] = end == begin ? 0 : (end - begin - 1) / step + 1;
    if (end > begin) t.offset += begin * t.strides[dim]; // of an element; so is a step, unless there is but one
    if (t.shape[dim] > 1) t.strides[dim] *= step;
    return result;
}

/// One index of a dimension, which goes.      [torch.select]
constexpr Result<View> select(const View& view, int dim, std::int64_t index) noexcept
{
    auto result = slice(view, dim, index, index < INT64_MAX ? index + 1 : index);
    if (!result) return result;
    result->torch.shape.erase(dim);
    result->torch.strides.erase(dim);
    return result;
}

/// Dimension i of the answer is dimension order[i].      [torch.permute]
constexpr Result<View> permute(const View& view, const InlineVector<int, max_rank>& order) noexcept
{
    const int rank = view.torch.shape.size();
    if (order.size() != rank) return detail::order_rank(order.size(), rank);
    Result<View> result(view);
    bool seen[max_rank]{};
    for (int i = 0; i < rank; ++i) {
        if (order[i] < 0 || order[i] >= rank || seen[order[i]])
            return Error(errc::bad_argument, i, "entry {0} of the order is {1}; it must name each dimension of the view once", i,
                         order[i]);
        seen[order[i]] = true;
        result->torch.shape[i] = view.torch.shape[order[i]];
        result->torch.strides[i] = view.torch.strides[order[i]];
    }
    return result;
}

/// Dimensions of size 1 repeated without a copy, new ones in front.      [torch.expand]
///
/// `errc::bad_extent` with the dimension of the answer whose size is neither the view's nor 1 there; `errc::rank_mismatch`.
constexpr Result<View> expand(const View& view, const Shape& sizes) noexcept
{
    const int added = sizes.size() - view.torch.shape.size();
    if (added < 0 || sizes.size() >= max_rank)
        return Error(errc::rank_mismatch, -1, "{0} dimensions cannot be expanded to {1}", view.torch.shape.size(), sizes.size());
    Result<View> result(view);
    Strided& t = result->torch;
    t.shape = sizes;
    t.strides.clear();
    for (int i = 0; i < sizes.size(); ++i) {
        const std::int64_t n = i < added ? 1 : view.torch.shape[i - added];
        if (n != sizes[i] && n != 1)
            return Error(errc::bad_extent, i, "dimension {0} of size {1} cannot be expanded to {2}", i, n, sizes[i]);
        t.strides.push_back(i < added || n != sizes[i] ? 0 : view.torch.strides[i - added]);
    }
    if (const Status e = check_host(t); !e.ok()) return e;
    return result;
}

/// The same elements in row-major order on other sizes, without a copy.      [torch.Tensor.view]
///
/// `errc::size_mismatch`; `errc::no_layout` with the dimension of the answer that no one stride walks. Cost: linear in the dimensions.
constexpr Result<View> reshape(const View& view, const Shape& sizes) noexcept
{
    const auto have = element_count(view.torch), want = element_count(contiguous(sizes));
    if (!have) return have.error();
    if (!want) return want.error();
    if (*have != *want) return axe::detail::sizes_differ(*have, *want);
    Result<View> result(view);
    if (*have == 0) {
        result->torch = contiguous(sizes);
        result->torch.offset = view.torch.offset;
        return result;
    }
    const auto layout = to_axe(view.torch);
    if (!layout) return layout.error();
    const auto strided = to_strided(*layout, sizes);
    if (!strided) return strided.error();
    result->torch = *strided;
    return result;
}

/// Any sizes, strides and offset over the base's storage.      [torch.as_strided]
///
/// `errc::out_of_domain` when the base has no element at one of the offsets, `errc::bad_argument` when several of its elements are at
/// one. Cost: the pieces in which the view's elements are evenly spaced on the device.
constexpr Result<View> as_strided(const View& view, const Strided& torch) noexcept
{
    const View out{view.base, torch};
    const auto side = side_of(out);
    if (!side) return side.error();
    for (const std::int64_t n : torch.shape)
        if (n == 0) return out;
    const auto any = [](const Piece&) { return true; };
    if (const Status e = check_cut(Pieces(torch.shape, *side, detail::still(torch.shape), any)()); !e.ok()) return e;
    return out;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
