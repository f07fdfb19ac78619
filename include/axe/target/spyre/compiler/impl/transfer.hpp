// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_IMPL_TRANSFER_HPP
#define AXE_TARGET_SPYRE_COMPILER_IMPL_TRANSFER_HPP

#include <axe/interop/spyre/pieces.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/target/spyre/compiler/transfer.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

AXE_DECL Result<void, Problem> Transfer::add(const axe::CopyNest& nest, const RelayoutOptions& options)
{
    Layout to, from;
    Shape ranges;
    bool fits = true;
    for (const axe::CopyLoop& l : nest.loops) {
        fits = fits && ranges.push_back(l.extent);
        to.shard.push_back({l.extent, l.to, {}});
        from.shard.push_back({l.extent, l.from, {}});
    }
    if (!fits)
        return Problem(
            Error(errc::capacity, max_rank, "a nest of the transfer has {1} loops; at most {0} fit", max_rank, nest.loops.size()));
    if (nest.to != 0) to.offset.entries.push_back({{}, nest.to});
    if (nest.from != 0) from.offset.entries.push_back({{}, nest.from});
    auto plan = plan_relayout(to, from, ranges, options);
    if (!plan) return plan.error();
    plans_.push_back(std::move(*plan));
    return {};
}

AXE_DECL Result<void, Problem> Transfer::fill(const SpyreLayout& layout, RelayoutOptions options)
{
    std::int64_t elements = *stick_count(layout) * *elements_per_stick(layout.format); // the bytes fit
    if (elements == 0) return {};
    const std::uint64_t bits = *options.padding;
    for (int i = 0; i < 8; ++i) padding_[i] = static_cast<std::byte>(bits >> (8 * i));
    if (options.to_type || options.from_type)
        options.bits = 8 * axe::storage_bytes(options.to_type.value_or(options.from_type.value_or(DType::f32)));
    if (options.bits == 4) padding_[0] = static_cast<std::byte>((bits & 15) * 17);
    options.padding.reset();
    options.from_type.reset();
    options.to_type.reset();
    options.scale = 1;
    options.accumulate = false;
    Layout to, from;
    to.shard.push_back({elements, 1, {}});
    from.shard.push_back({elements, 0, {}});
    auto plan = plan_relayout(to, from, {elements}, options);
    if (!plan) return plan.error();
    fill_ = std::move(*plan);
    return {};
}

namespace detail {

/// Elements move as bits of the device's format, unless types are given.
inline RelayoutOptions with_format(RelayoutOptions options, DataFormat format) noexcept
{
    if (!options.from_type && !options.to_type) options.bits = bits(format);
    return options;
}

/// The array's sizes, 1 where the device does not count a dimension: one element for all of it, which it must be on the host, too.
inline Result<Shape, Problem> counted(const Tensor& tensor, const Strided& host)
{
    if (const Status e = check_array(tensor, host); !e.ok()) return Problem(e.error());
    Shape shape = host.shape;
    for (const std::int64_t n : shape)
        if (n == 0) return shape;
    for (int i = 0; i < shape.size(); ++i) {
        bool counts = shape[i] < 2;
        for (const Digit& digit : tensor.digits) counts = counts || digit.dim == tensor.parts[i].dim;
        if (counts) continue;
        if (host.strides[i] != 0)
            return Problem(
                Error(errc::no_layout, i, "the device holds one element for all of dimension {0}, but this host has more", i));
        shape[i] = 1;
    }
    return shape;
}

/// The copy of every element of a shape from one side to the other, into all copies of a tensor.
inline Result<Transfer, Problem> plan_pieces(const Shape& shape, const Side& to, const Side& from, const Tensor* to_tensor,
                                             const RelayoutOptions& options)
{
    constexpr int max_nests = 4096;
    Transfer transfer;
    Result<void, Problem> problem;
    RelayoutOptions copy = options;
    copy.padding.reset();
    if (to_tensor != nullptr && options.padding) problem = transfer.fill(to_tensor->device, options);
    if (!problem.ok()) return problem;
    int nests = 0;
    const auto add = [&](const Piece& piece) {
        axe::CopyNest nest;
        nest.to = piece.addresses[0];
        nest.from = piece.addresses[1];
        for (int k = 0; k < piece.loops.size(); ++k)
            nest.loops.push_back({piece.loops[k].count, piece.address_steps[0][k], piece.address_steps[1][k]});
        if (to_tensor != nullptr) {
            const Strides steps = device_strides(to_tensor->device);
            for (int j = 0; j < to_tensor->digits.size(); ++j)
                if (to_tensor->digits[j].dim == Digit::copies)
                    nest.loops.push_back({to_tensor->device.device_size[j], steps[j], 0});
        }
        axe::simplify(nest);
        problem = ++nests > max_nests ? Error(errc::capacity, max_nests, "the transfer needs more than {0} nests", max_nests)
                                      : transfer.add(nest, copy);
        return problem.ok();
    };
    for (const std::int64_t n : shape)
        if (n == 0) return transfer;
    const Cutting done = Pieces(shape, to, from, add)();
    if (!problem.ok()) return problem;
    if (const Status e = check_cut(done); !e.ok()) return Problem(e.error());
    return transfer;
}

/// The same of a tensor whose elements are rearranged inside sticks, which is one layout.
inline Result<Transfer, Problem> plan_arranged(const Tensor& tensor, const Strided& host, bool to_device,
                                               const RelayoutOptions& options)
{
    const auto placed = to_axe(tensor);
    if (!placed) return Problem(placed.error());
    const auto layout = to_axe(host);
    if (!layout) return Problem(layout.error());
    Transfer transfer;
    RelayoutOptions copy = options;
    copy.padding.reset();
    if (to_device && options.padding)
        if (auto p = transfer.fill(tensor.device, options); !p.ok()) return p;
    const RelayoutSide device(placed->layout, placed->shape), array(*layout);
    auto plan = to_device ? plan_relayout(device, array, host.shape, copy) : plan_relayout(array, device, host.shape, copy);
    if (!plan) return plan.error();
    transfer.add(std::move(*plan));
    return transfer;
}

} // namespace detail

AXE_DECL Result<Transfer, Problem> plan_to_device(const Tensor& tensor, const Strided& host, const RelayoutOptions& options)
{
    const auto sizes = detail::counted(tensor, host);
    if (!sizes) return sizes.error();
    const RelayoutOptions copy = detail::with_format(options, tensor.device.format);
    if (!detail::is_in_order(tensor.device.arrangement)) return detail::plan_arranged(tensor, host, true, copy);
    return detail::plan_pieces(*sizes, side_of(tensor), side_of(host), &tensor, copy);
}

AXE_DECL Result<Transfer, Problem> plan_to_device(const Tensor& tensor, const RelayoutOptions& options)
{
    return plan_to_device(tensor, tensor.torch, options);
}

AXE_DECL Result<Transfer, Problem> plan_to_host(const Tensor& tensor, const Strided& host, const RelayoutOptions& options)
{
    auto sizes = detail::counted(tensor, host);
    if (!sizes) return sizes.error();
    const RelayoutOptions copy = detail::with_format(options, tensor.device.format);
    if (!detail::is_in_order(tensor.device.arrangement)) return detail::plan_arranged(tensor, host, false, copy);
    for (int i = 0; i < sizes->size(); ++i)
        if (host.strides[i] == 0 && (*sizes)[i] > 1) (*sizes)[i] = 1;
    return detail::plan_pieces(*sizes, side_of(host), side_of(tensor), nullptr, copy);
}

AXE_DECL Result<Transfer, Problem> plan_to_host(const Tensor& tensor, const RelayoutOptions& options)
{
    return plan_to_host(tensor, tensor.torch, options);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
