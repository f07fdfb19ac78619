// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_TENSOR_HPP
#define AXE_INTEROP_SPYRE_TENSOR_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/layout.hpp>
#include <axe/interop/strides/strided.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// What a device dimension counts: a digit of one dimension of the host.
///   d = ⌊rest/weight⌋,   rest = x, the index of host dimension `dim`, or what the digit `outer` leaves: its own rest mod its weight
struct Digit {
    static constexpr int none = -1;   ///< nothing: the coordinate is 0, the rest of the dimension is padding
    static constexpr int copies = -2; ///< nothing: every coordinate holds the same element

    int dim = none; ///< of `Tensor::host`
    std::int64_t weight = 1;
    int outer = none; ///< the device dimension of the next larger digit of the same host dimension

    friend constexpr bool operator==(const Digit&, const Digit&) = default;
};

/// For each dimension of the device.
using Digits = InlineVector<Digit, max_rank>;

/// What digit j is to count of index x.
constexpr std::int64_t rest_of(const Digits& digits, int j, std::int64_t x) noexcept
{
    const int outer = digits[j].outer;
    return outer < 0 ? x : rest_of(digits, outer, x) % digits[outer].weight;
}

/// Where a dimension of PyTorch's tensor goes: its index times `weight` is a part of the index of host dimension `dim`.
struct Part {
    int dim = 0;
    std::int64_t weight = 1;

    friend constexpr bool operator==(const Part&, const Part&) = default;
};

/// A tensor of PyTorch and its layout on the device, with what each device dimension means.
///
/// `host` is the tensor with those dimensions merged across which the layout cuts; a layout made from an order of dimensions merges
/// none. Element c is at device coordinate
///   d_j = digits_j of x[digits_j.dim],   x[e] = Σ { c_i·parts_i.weight : parts_i.dim = e }
/// and nowhere else, but for the coordinates of copies, all of which hold it. What no element is at is padding.
struct Tensor {
    Strided torch{}; ///< sizes, strides and offset on the host, in elements
    SpyreLayout device{};
    Strided host{};
    InlineVector<Part, max_rank> parts{}; ///< for each dimension of `torch`
    Digits digits{};                      ///< for each dimension of the device

    friend constexpr bool operator==(const Tensor&, const Tensor&) = default;
};

/// One coordinate for each device dimension.
using DeviceCoord = Coord;

/// The device coordinate of an element; that of its first copy where there are several.
///
/// `errc::rank_mismatch`, or `errc::out_of_domain` with the dimension. Cost: the dimensions.
constexpr Result<DeviceCoord> device_coordinate(const Tensor& tensor, const Coord& c) noexcept
{
    if (c.size() != tensor.torch.shape.size()) return detail::coordinate_rank(c.size(), tensor.torch.shape.size());
    std::int64_t x[max_rank]{};
    for (int i = 0; i < c.size(); ++i) {
        if (c[i] < 0 || c[i] >= tensor.torch.shape[i]) return axe::detail::outside_dimension(i, c[i], tensor.torch.shape[i]);
        x[tensor.parts[i].dim] += c[i] * tensor.parts[i].weight;
    }
    Result<DeviceCoord> result;
    for (int j = 0; j < tensor.digits.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        result->push_back(digit.dim < 0 ? 0 : rest_of(tensor.digits, j, x[digit.dim]) / digit.weight);
    }
    return result;
}

/// The host offset that upstream's identity gives a device coordinate:  offset + Σ d_j·stride_map_j over the entries ≥ 0.
///
/// Of padding it is the offset of some other element, or of none. The coordinate has an index for each device dimension.
constexpr std::int64_t host_offset(const Tensor& tensor, const DeviceCoord& d) noexcept
{
    std::int64_t offset = tensor.torch.offset;
    for (int j = 0; j < d.size(); ++j)
        if (tensor.device.stride_map[j] > 0) offset += d[j] * tensor.device.stride_map[j];
    return offset;
}

/// The place of a device coordinate in device elements, a stick counting as all the elements it has room for.
constexpr std::int64_t device_offset(const SpyreLayout& layout, const DeviceCoord& d) noexcept
{
    const Strides strides = device_strides(layout);
    std::int64_t offset = 0;
    for (int j = 0; j < d.size(); ++j) offset += d[j] * strides[j];
    return offset;
}

/// The number of elements: the product of PyTorch's sizes, 0 where one is 0. `errc::overflow`.
constexpr Result<std::int64_t> element_count(const Strided& torch) noexcept
{
    for (const std::int64_t n : torch.shape)
        if (n == 0) return std::int64_t{0};
    return volume(torch.shape);
}

/// Is this a tensor on the host: sizes of 0 and more, one stride of 0 and more for each, the farthest offset within the integer?
/// `errc::capacity`, `errc::rank_mismatch`, `errc::bad_extent`, `errc::bad_argument` or `errc::overflow` where it is not. Linear in the rank.
constexpr Status check_host(const Strided& torch) noexcept
{
    const int rank = torch.shape.size();
    if (rank >= max_rank)
        return Error(errc::capacity, max_rank - 1, "a Spyre tensor has at most {0} dimensions, this one has {1}", max_rank - 1,
                     rank);
    if (torch.strides.size() != rank)
        return Error(errc::rank_mismatch, -1, "the tensor has {0} dimensions, but there are {1} strides", rank,
                     torch.strides.size());
    if (torch.offset < 0) return Error(errc::bad_argument, -1, "the storage offset is {0}; it must be at least 0", torch.offset);
    std::int64_t farthest = torch.offset;
    for (int d = 0; d < rank; ++d) {
        if (torch.shape[d] < 0)
            return Error(errc::bad_extent, d, "dimension {0} has size {1}; it must be at least 0", d, torch.shape[d]);
        if (torch.strides[d] < 0)
            return Error(errc::bad_argument, d, "dimension {0} has stride {1}; it must be at least 0", d, torch.strides[d]);
        std::int64_t part = 0;
        if (torch.shape[d] > 1 &&
            (!axe::detail::mul(torch.shape[d] - 1, torch.strides[d], part) || !axe::detail::add(farthest, part, farthest)))
            return Error(errc::overflow, d, "host offsets overflow at dimension {0}", d);
    }
    if (const auto n = element_count(torch); !n) return n.error();
    return {};
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
