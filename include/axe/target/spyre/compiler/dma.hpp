// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_DMA_HPP
#define AXE_TARGET_SPYRE_COMPILER_DMA_HPP

#include <axe/interop/spyre/pieces.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// What one nest of loops copies; the steps are those of its `Dma`.
struct DmaNest {
    Shape ranges{}; ///< how often each loop runs
    std::int64_t host_offset = 0, device_offset = 0;

    friend constexpr bool operator==(const DmaNest&, const DmaNest&) = default;
};

/// A transfer between host and device as nests of loops, one loop for each device dimension, so by decreasing device strides:
///   for z in ranges:  device[device_offset + Σ z_j·device_strides_j]  is  host[host_offset + Σ z_j·host_strides_j]
///
/// In elements of either side.                                                       [torch-spyre, DataConversionStrideInfo]
struct Dma {
    static constexpr int max_nests = 16;

    Strides host_strides{}, device_strides{};
    InlineVector<DmaNest, max_nests> nests{};

    friend constexpr bool operator==(const Dma&, const Dma&) = default;
};

/// The device coordinate of a storage offset, taken apart greedily, from the largest step of the stride map on.
///
/// `errc::no_layout` when something is left over (upstream: "Invalid device tensor storage offset") or a coordinate leaves its
/// dimension; `errc::bad_argument` below 0; the errors of `check`. Cost: the dimensions squared.
constexpr Result<DeviceCoord> offset_coordinate(const SpyreLayout& layout, std::int64_t offset) noexcept
{
    if (const auto bytes = storage_bytes(layout); !bytes) return bytes.error();
    if (offset < 0) return Error(errc::bad_argument, -1, "the device storage offset is {0}; it must be at least 0", offset);
    Result<DeviceCoord> result;
    for (int j = 0; j < layout.stride_map.size(); ++j) result->push_back(0);
    std::int64_t rest = offset, last = INT64_MAX;
    while (rest > 0) {
        int next = -1;
        for (int j = 0; j < layout.stride_map.size(); ++j)
            if (const std::int64_t step = layout.stride_map[j];
                step > 0 && step < last && layout.device_size[j] > 1 && (next < 0 || step > layout.stride_map[next]))
                next = j;
        if (next < 0)
            return Error(errc::no_layout, -1, "invalid device storage offset {0}: no step of the stride map reaches the last {1}",
                         offset, rest);
        last = layout.stride_map[next];
        (*result)[next] = rest / last;
        if ((*result)[next] >= layout.device_size[next])
            return Error(errc::no_layout, next, "invalid device storage offset {0}: it is beyond device dimension {1} of size {2}",
                         offset, next, layout.device_size[next]);
        rest %= last;
    }
    return result;
}

namespace detail {

/// The digits of all indices as boxes, each index of each host dimension in one:  x < n  is
///   d = 0 … ⌊n/w⌋ − 1  with the digits inside for rests below w,  and  d = ⌊n/w⌋  with those for rests below n mod w.
///
/// Where w divides n there is no second box, where n < w no first one. Of copies, and of dimensions of stride 0, all that the device
/// has room for, padding too: every coordinate reads one element.
template <class F>
class DigitBoxes {
  public:
    /// @param steps  of the host dimensions on the array of the host
    /// @param exact  dimensions of stride 0 as others: only what holds an element
    constexpr DigitBoxes(const Tensor& tensor, const Strides& steps, bool exact, F f) noexcept
        : t_(tensor), steps_(steps), exact_(exact), f_(f)
    {
        for (int j = 0; j < t_.digits.size(); ++j)
            box_.push_back({0, t_.digits[j].dim == Digit::copies ? t_.device.device_size[j] : 1});
    }

    /// Calls f(box) with each, full ones first; stops when it says false.
    constexpr bool operator()() noexcept { return element_count(t_.torch).value_or(0) == 0 || dim(0); }

  private:
    [[nodiscard]] constexpr int inside(int e, int j) const noexcept
    {
        for (int k = 0; k < t_.digits.size(); ++k)
            if (t_.digits[k].dim == e && t_.digits[k].outer == j) return k;
        return Digit::none;
    }
    constexpr bool dim(int e) noexcept
    {
        if (e == t_.host.shape.size()) return f_(box_);
        int j = inside(e, Digit::none);
        if (steps_[e] == 0 && !exact_) {
            for (; j >= 0; j = inside(e, j)) box_[j] = {0, t_.device.device_size[j]};
            return dim(e + 1);
        }
        return j < 0 ? dim(e + 1) : digit(e, j, t_.host.shape[e]);
    }
    constexpr bool digit(int e, int j, std::int64_t n) noexcept
    {
        const std::int64_t w = t_.digits[j].weight, whole = n / w, rest = n % w;
        const int next = inside(e, j);
        box_[j] = {0, whole};
        if (whole > 0 && !(next < 0 ? dim(e + 1) : digit(e, next, w))) return false;
        box_[j] = {whole, whole + 1};
        return rest == 0 || digit(e, next, rest); // the innermost digit has weight 1 and leaves no rest
    }

    const Tensor& t_;
    const Strides& steps_;
    bool exact_;
    F f_;
    Region box_{};
};

/// Are elements in order inside their sticks, as far as upstream says?
constexpr bool is_in_order(Arrangement a) noexcept
{
    return a == Arrangement::standard || a == Arrangement::qfp8ch || a == Arrangement::exx2;
}

/// Is it an array of the tensor's sizes?
constexpr Error host_differs() noexcept
{
    return Error(errc::size_mismatch, -1, "the sizes of the host array and the device tensor differ");
}
constexpr Error sticks_rearranged() noexcept
{
    return Error(errc::no_layout, -1, "elements are rearranged inside sticks, but a nest of loops moves them in order");
}

constexpr Status check_array(const Tensor& tensor, const Strided& host) noexcept
{
    if (const Status e = check_host(host); !e.ok()) return e;
    if (host.shape == tensor.torch.shape) return {};
    return host_differs();
}

/// Each host dimension's step on another array of the same shape, which must form one dimension where the tensor's dimensions are merged.
constexpr Result<Strides> steps_of(const Tensor& tensor, const Strided& host) noexcept
{
    if (const Status e = check_array(tensor, host); !e.ok()) return e;
    Result<Strides> result;
    bool known[max_rank]{};
    for (int e = 0; e < tensor.host.shape.size(); ++e) result->push_back(0);
    for (int i = 0; i < host.shape.size(); ++i) {
        if (host.shape[i] == 1) continue;
        const Part part = tensor.parts[i];
        const std::int64_t step = host.strides[i] / part.weight;
        if (host.strides[i] % part.weight != 0 || (known[part.dim] && (*result)[part.dim] != step))
            return Error(errc::no_layout, i, "the layout merges dimension {0} with others, which are separate on this host", i);
        (*result)[part.dim] = step;
        known[part.dim] = true;
    }
    return result;
}

/// The steps of a transfer without nests.
constexpr Result<Dma> dma_steps(const Tensor& tensor, const Strides& steps) noexcept
{
    if (!is_in_order(tensor.device.arrangement)) return sticks_rearranged();
    Result<Dma> result;
    result->device_strides = device_strides(tensor.device);
    for (int j = 0; j < tensor.digits.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        std::int64_t step =
            tensor.device.stride_map[j] < 0 ? 1 : tensor.device.stride_map[j]; // of a loop that runs once, or copies
        if (digit.dim >= 0 && !axe::detail::mul(steps[digit.dim], digit.weight, step))
            return Error(errc::overflow, j, "the host stride of device dimension {0} overflows", j);
        result->host_strides.push_back(step);
    }
    return result;
}

/// The storage of a layout as digits of host offsets, taken apart as `offset_coordinate` does.
constexpr Side storage_side(const SpyreLayout& layout) noexcept
{
    Side side;
    const Strides steps = device_strides(layout);
    for (int j = 0; j < steps.size(); ++j) {
        const std::int64_t weight = layout.stride_map[j];
        if (weight <= 0 || layout.device_size[j] < 2) continue;
        int at = 0;
        while (at < side.levels.size() && side.levels[at].weight > weight) ++at;
        if (at == side.levels.size() || side.levels[at].weight < weight) side.levels.insert(at, {weight, steps[j], 0});
    }
    return side;
}

/// Are the elements of a box of a tensor's part where the storage has them, when all are moved by an offset?
constexpr Status check_moved(const Side& storage, const Tensor& part, const Region& box, std::int64_t offset,
                             const DeviceCoord& by) noexcept
{
    Piece piece;
    piece.starts[0] = offset;
    const Strides steps = device_strides(part.device);
    std::int64_t address = 0;
    int crossed = -1;
    for (int j = 0; j < box.size(); ++j) {
        if (by[j] + box[j].hi > part.device.device_size[j]) crossed = j;
        address += (by[j] + box[j].lo) * steps[j];
        const Digit& digit = part.digits[j];
        const std::int64_t step = digit.dim < 0 ? 0 : part.host.strides[digit.dim] * digit.weight; // one of the stride map's
        piece.starts[0] += box[j].lo * step;
        if (step > 0 && box[j].hi - box[j].lo > 1) piece.loops.push_back({j, box[j].hi - box[j].lo, 1, {step, 0}});
    }
    Carry carry;
    bool fits = crossed < 0 && level_out(storage, 0, piece, carry) == Cutting::done && piece.addresses[0] == address;
    for (int k = 0; k < piece.loops.size() && fits; ++k) {
        crossed = piece.loops[k].dim;
        fits = piece.address_steps[0][k] == steps[crossed];
    }
    if (fits) return {};
    return Error(errc::no_layout, crossed, "from device storage offset {0} on, elements cross the ends of device dimensions",
                 offset);
}

} // namespace detail

/// The nests that move a tensor between an array of its shape on the host and its place on the device, as upstream describes them.
///
/// One full nest and at most one for the remainder of the last stick, whenever an order of dimensions made the layout; an explicit
/// one has 2^k, k the digits that do not divide. Where the stride map has −1 the loop runs once, where it has 0 over all of
/// the device's extent, reading one element again and again.
///
/// A storage offset on the device, in the elements that PyTorch counts, makes the tensor a part of what the layout holds, its first
/// element there and all where the whole has them. `errc::no_layout` when the offset has no coordinate, or elements would cross the
/// end of a stick or another dimension (`plan_restickify` takes any view); when the layout merges dimensions that are not one on this host; of arrangements other than in
/// order. `errc::size_mismatch`, `errc::capacity` beyond 16 nests, `errc::overflow`. Cost: nests times dimensions.
///                                                                                   [torch-spyre, get_device_stride_infos]
constexpr Result<Dma> dma(const Tensor& tensor, const Strided& host, std::int64_t device_storage_offset = 0) noexcept
{
    const auto steps = detail::steps_of(tensor, host);
    if (!steps) return steps.error();
    Result<Dma> result = detail::dma_steps(tensor, *steps);
    if (!result) return result;
    const auto by = offset_coordinate(tensor.device, device_storage_offset);
    if (!by) return by.error();
    Dma& out = *result;
    const bool is_part = device_storage_offset != 0;
    Side storage;
    if (is_part) storage = detail::storage_side(tensor.device);
    Status moved;
    const auto add = [&](const Region& box) {
        if (is_part) moved = detail::check_moved(storage, tensor, box, device_storage_offset, *by);
        if (!moved.ok() || !out.nests.push_back({})) return false;
        DmaNest& nest = out.nests.back();
        nest.host_offset = host.offset;
        for (int j = 0; j < box.size(); ++j) {
            nest.ranges.push_back(box[j].hi - box[j].lo);
            nest.host_offset += box[j].lo * out.host_strides[j];
            nest.device_offset += (box[j].lo + (*by)[j]) * out.device_strides[j];
        }
        return true;
    };
    if (detail::DigitBoxes(tensor, *steps, is_part, add)()) return result;
    if (!moved.ok()) return moved;
    return Error(errc::capacity, Dma::max_nests, "the transfer needs more than {0} nests: too many digits do not divide",
                 Dma::max_nests);
}

/// The same with the host array that the tensor was placed from.
constexpr Result<Dma> dma(const Tensor& tensor, std::int64_t device_storage_offset = 0) noexcept
{
    return dma(tensor, tensor.torch, device_storage_offset);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
