// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_MAKE_HPP
#define AXE_INTEROP_SPYRE_MAKE_HPP

#include <axe/interop/spyre/errors.hpp>
#include <axe/interop/spyre/tensor.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Dimensions of the host, each once, the stick dimension last; −1 as the last: sparse, one element a stick.
using DimOrder = InlineVector<int, max_rank>;

/// The strides of a row-major tensor of these sizes, a size of 0 counting as 1. The product fits the integer.
constexpr Strided contiguous(const Shape& sizes) noexcept
{
    Strided out;
    out.shape = sizes;
    for (int d = 0; d < sizes.size(); ++d) out.strides.push_back(1);
    for (int d = sizes.size() - 2; d >= 0; --d) {
        const std::int64_t inner = sizes[d + 1] == 0 ? 1 : sizes[d + 1];
        if (!axe::detail::mul(out.strides[d + 1], inner, out.strides[d])) out.strides[d] = INT64_MAX; // rejected by `check_host`
    }
    return out;
}

/// The order of a default layout: dimensions as they are, the last in sticks.
constexpr DimOrder default_order(int rank) noexcept
{
    DimOrder order;
    for (int d = 0; d < rank; ++d) order.push_back(d);
    return order;
}

namespace detail {

/// Every dimension once, and −1 only at the end?
constexpr Status check_order(const DimOrder& order, int rank) noexcept
{
    const bool sparse = !order.empty() && !order.overfull() && order.back() == synthetic;
    if (order.size() != rank + (sparse ? 1 : 0)) return order_rank(order.size() - (sparse ? 1 : 0), rank);
    for (int i = 0; i < rank; ++i) {
        if (order[i] < 0 || order[i] >= rank)
            return Error(errc::bad_argument, i, "entry {0} of the order is {1}; dimensions are 0 to {2}", i, order[i], rank - 1);
        for (int k = 0; k < i; ++k)
            if (order[k] == order[i])
                return Error(errc::bad_argument, i, "the order names dimension {0} twice, as entries {1} and {2}", order[i], k, i);
    }
    return {};
}

} // namespace detail

/// The layout of a tensor by an order of its dimensions.                          [torch-spyre, spyre_tensor_impl.cpp]
///
/// With o the order, r its length and e the elements of a stick:
///   device_size = [ ext(o_1), …, ext(o_{r−1}), ext(o_0), e ],   ext(o_{r−1}) = ⌈size/e⌉, ext(−1) = 1, else the size
/// so sticks that differ in o_0 alone are neighbors. The stride map has the host's strides, that of the count of sticks times e; −1
/// for −1 and for dimensions of size 1; 0 stays 0. Without dimensions: [1, e] with [−1, −1].
///
/// Upstream's newest source shortens the entry of a stick count of 1, which moves nothing: compare placements (`same_placement`).
///
/// Errors: `errc::capacity`, `errc::rank_mismatch`, `errc::bad_extent`, `errc::bad_argument` with the dimension or the entry of the
/// order, `errc::overflow`. Cost: the dimensions squared.
constexpr Result<Tensor> make_tensor(const Strided& torch, DataFormat format, const DimOrder& order) noexcept
{
    if (const Status e = check_host(torch); !e.ok()) return e;
    const int rank = torch.shape.size();
    if (const Status e = detail::check_order(order, rank); !e.ok()) return e;
    const auto per_stick = elements_per_stick(format);
    if (!per_stick) return per_stick.error();
    const int r = order.size();
    if (r >= max_rank)
        return Error(errc::capacity, max_rank, "the layout has {0} device dimensions; at most {1} fit", r + 1, max_rank);

    Result<Tensor> result;
    Tensor& t = *result;
    t.torch = t.host = torch;
    t.device.format = format;
    for (int d = 0; d < rank; ++d) t.parts.push_back({d, 1});
    const int stick = r == 0 ? synthetic : order[r - 1];
    int count_of_sticks = Digit::none;
    const auto add = [&](int dim, std::int64_t size, std::int64_t weight, int outer) {
        const bool moves = dim != synthetic && torch.shape[dim] != 1;
        std::int64_t stride = synthetic;
        const bool fits = !moves || axe::detail::mul(torch.strides[dim], weight, stride);
        t.device.device_size.push_back(size);
        t.device.stride_map.push_back(stride);
        t.digits.push_back(moves ? Digit{dim, weight, outer} : Digit{});
        return fits;
    };
    bool fits = true;
    const auto add_outer = [&](int i) {
        const int dim = order[i];
        if (dim != stick) {
            fits = add(dim, torch.shape[dim], 1, Digit::none) && fits;
            return;
        }
        const std::int64_t sticks = dim == synthetic ? 1 : torch.shape[dim] / *per_stick + (torch.shape[dim] % *per_stick != 0);
        count_of_sticks = dim == synthetic ? Digit::none : t.digits.size();
        fits = add(dim, sticks, *per_stick, Digit::none) && fits;
    };
    for (int i = 1; i < r; ++i) add_outer(i);
    if (r > 0) add_outer(0);
    if (r == 0) add(synthetic, 1, 1, Digit::none);
    fits = add(stick, *per_stick, 1, count_of_sticks) && fits;
    if (!fits) return detail::stick_stride_overflows(stick);
    if (const auto bytes = storage_bytes(t.device); !bytes) return bytes.error();
    return result;
}

/// The default layout: the last dimension in sticks, the others in order.
constexpr Result<Tensor> make_tensor(const Strided& torch, DataFormat format) noexcept
{
    return make_tensor(torch, format, default_order(torch.shape.size() < max_rank ? torch.shape.size() : 0));
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
