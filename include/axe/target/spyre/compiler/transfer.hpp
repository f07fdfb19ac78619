// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_TRANSFER_HPP
#define AXE_TARGET_SPYRE_COMPILER_TRANSFER_HPP

#include <axe/interop/spyre/pieces.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/relayout/relayout.hpp>
#include <axe/target/spyre/compiler/dma.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A copy of a tensor between the host and the device, or on the device, as plans of which each is a nest of loops.
///
/// No two write one element; padding, where it is filled, is written first.
class Transfer {
  public:
    /// Copies, in `tasks` parts. Nothing is written unless all can be: the errors of `RelayoutPlan::run`, before the first byte.
    template <class Executor>
    Problem run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, int tasks, Executor&& executor) const
    {
        if (fill_)
            if (Problem p = fill_->check_buffer(to, to_bytes, true)) return p;
        for (const RelayoutPlan& plan : plans_)
            if (Problem p = plan.check(to, to_bytes, from, from_bytes)) return p;
        if (fill_)
            if (Problem p = fill_->run(to, to_bytes, padding_, sizeof padding_, tasks, executor)) return p;
        for (const RelayoutPlan& plan : plans_)
            if (Problem p = plan.run(to, to_bytes, from, from_bytes, tasks, executor)) return p;
        return {};
    }
    /// The same on this thread.
    Problem run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
    {
        return run(to, to_bytes, from, from_bytes, 1, [](int tasks, const auto& task) {
            for (int t = 0; t < tasks; ++t) task(t);
        });
    }

    /// Its parts, each a copy by itself; of elements in order, nests of loops.
    [[nodiscard]] const std::vector<RelayoutPlan>& plans() const noexcept { return plans_; }
    [[nodiscard]] bool fills_padding() const noexcept { return fill_.has_value(); }
    /// The elements that are written, padding not counted.
    [[nodiscard]] std::int64_t elements() const noexcept
    {
        std::int64_t n = 0;
        for (const RelayoutPlan& plan : plans_) n += plan.elements();
        return n;
    }

    /// Adds a nest: steps and addresses in elements.
    Problem add(const axe::CopyNest& nest, const RelayoutOptions& options)
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
            return Problem(Error(errc::capacity, max_rank, "a nest of the transfer has {1} loops; there is room for {0}", max_rank,
                                 nest.loops.size()));
        if (nest.to != 0) to.offset.entries.push_back({{}, nest.to});
        if (nest.from != 0) from.offset.entries.push_back({{}, nest.from});
        auto plan = plan_relayout(to, from, ranges, options);
        if (!plan) return plan.error();
        plans_.push_back(std::move(*plan));
        return {};
    }

    void add(RelayoutPlan plan) { plans_.push_back(std::move(plan)); }

    /// Makes the whole of a device tensor be filled first, with the options' padding.
    Problem fill(const SpyreLayout& layout, RelayoutOptions options)
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

  private:
    std::vector<RelayoutPlan> plans_{};
    std::optional<RelayoutPlan> fill_{};
    std::byte padding_[16]{};
};

namespace detail {

/// Elements move as bits of the device's format, unless types are given.
inline RelayoutOptions with_format(RelayoutOptions options, DataFormat format) noexcept
{
    if (!options.from_type && !options.to_type) options.bits = bits(format);
    return options;
}

/// The array's sizes, 1 where the device does not count a dimension: one element for all of it, which it must be on the host, too.
inline Outcome<Shape> counted(const Tensor& tensor, const Strided& host)
{
    if (const Error e = check_array(tensor, host)) return Problem(e);
    Shape shape = host.shape;
    for (const std::int64_t n : shape)
        if (n == 0) return shape;
    for (int i = 0; i < shape.size(); ++i) {
        bool counts = shape[i] < 2;
        for (const Digit& digit : tensor.digits) counts = counts || digit.dim == tensor.parts[i].dim;
        if (counts) continue;
        if (host.strides[i] != 0)
            return Problem(
                Error(errc::no_layout, i, "the device holds one element for all of dimension {0}, this host has more", i));
        shape[i] = 1;
    }
    return shape;
}

/// The copy of every element of a shape from one side to the other, into all copies of a tensor.
inline Outcome<Transfer> plan_pieces(const Shape& shape, const Side& to, const Side& from, const Tensor* to_tensor,
                                     const RelayoutOptions& options)
{
    constexpr int max_nests = 4096;
    Transfer transfer;
    Problem problem;
    RelayoutOptions copy = options;
    copy.padding.reset();
    if (to_tensor != nullptr && options.padding) problem = transfer.fill(to_tensor->device, options);
    if (problem) return problem;
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
        problem = ++nests > max_nests
                      ? Problem(Error(errc::capacity, max_nests, "the transfer takes more than {0} nests", max_nests))
                      : transfer.add(nest, copy);
        return !problem;
    };
    for (const std::int64_t n : shape)
        if (n == 0) return transfer;
    const Cutting done = Pieces(shape, to, from, add)();
    if (problem) return problem;
    if (const Error e = check_cut(done)) return Problem(e);
    return transfer;
}

/// The same of a tensor whose elements are rearranged inside sticks, which is one layout.
inline Outcome<Transfer> plan_arranged(const Tensor& tensor, const Strided& host, bool to_device, const RelayoutOptions& options)
{
    const auto placed = to_axe(tensor);
    if (!placed) return Problem(placed.error());
    const auto layout = to_axe(host);
    if (!layout) return Problem(layout.error());
    Transfer transfer;
    RelayoutOptions copy = options;
    copy.padding.reset();
    if (to_device && options.padding)
        if (Problem p = transfer.fill(tensor.device, options)) return p;
    const RelayoutSide device(placed->layout, placed->shape), array(*layout);
    auto plan = to_device ? plan_relayout(device, array, host.shape, copy) : plan_relayout(array, device, host.shape, copy);
    if (!plan) return plan.error();
    transfer.add(std::move(*plan));
    return transfer;
}

} // namespace detail

/// The copy of a tensor from an array on the host to the device.
///
/// Every coordinate that holds an element is written, copies too. Padding is left alone, or gets the options' bits (then the whole of
/// the device tensor is written first). Elements move as bits of the device's format, or as values of the options' types. The host's
/// buffer begins at its offset 0. Errors: those of sizes, of arrangements inside sticks those of `to_axe`; `errc::no_layout` when the
/// device has one element for several of the host's; `errc::capacity` of more than 4096 nests; those of `plan_relayout`.
inline Outcome<Transfer> plan_to_device(const Tensor& tensor, const Strided& host, const RelayoutOptions& options = {})
{
    const auto sizes = detail::counted(tensor, host);
    if (!sizes) return sizes.error();
    const RelayoutOptions copy = detail::with_format(options, tensor.device.format);
    if (!detail::is_in_order(tensor.device.arrangement)) return detail::plan_arranged(tensor, host, true, copy);
    return detail::plan_pieces(*sizes, side_of(tensor), side_of(host), &tensor, copy);
}
inline Outcome<Transfer> plan_to_device(const Tensor& tensor, const RelayoutOptions& options = {})
{
    return plan_to_device(tensor, tensor.torch, options);
}

/// The copy of a tensor from the device to an array on the host; of copies, and of dimensions of stride 0, the first is read.
///
/// `errc::bad_argument` when the array has elements that share an address other than by stride 0. Otherwise as `plan_to_device`.
inline Outcome<Transfer> plan_to_host(const Tensor& tensor, const Strided& host, const RelayoutOptions& options = {})
{
    auto sizes = detail::counted(tensor, host);
    if (!sizes) return sizes.error();
    const RelayoutOptions copy = detail::with_format(options, tensor.device.format);
    if (!detail::is_in_order(tensor.device.arrangement)) return detail::plan_arranged(tensor, host, false, copy);
    for (int i = 0; i < sizes->size(); ++i)
        if (host.strides[i] == 0 && (*sizes)[i] > 1) (*sizes)[i] = 1;
    return detail::plan_pieces(*sizes, side_of(host), side_of(tensor), nullptr, copy);
}
inline Outcome<Transfer> plan_to_host(const Tensor& tensor, const RelayoutOptions& options = {})
{
    return plan_to_host(tensor, tensor.torch, options);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
