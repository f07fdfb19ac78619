// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_TRANSFER_HPP
#define AXE_TARGET_SPYRE_COMPILER_TRANSFER_HPP

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
    template <class ForEachTask>
    Result<void, Problem> run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes, int tasks,
                              ForEachTask&& for_each_task) const
    {
        if (fill_)
            if (auto p = fill_->check_buffer(to, to_bytes, true); !p.ok()) return p;
        for (const RelayoutPlan& plan : plans_)
            if (auto p = plan.check(to, to_bytes, from, from_bytes); !p.ok()) return p;
        if (fill_)
            if (auto p = fill_->run(to, to_bytes, padding_, sizeof padding_, tasks, for_each_task); !p.ok()) return p;
        for (const RelayoutPlan& plan : plans_)
            if (auto p = plan.run(to, to_bytes, from, from_bytes, tasks, for_each_task); !p.ok()) return p;
        return {};
    }
    /// The same on this thread.
    Result<void, Problem> run(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
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
    Result<void, Problem> add(const axe::CopyNest& nest, const RelayoutOptions& options);

    void add(RelayoutPlan plan) { plans_.push_back(std::move(plan)); }

    /// Makes the whole of a device tensor be filled first, with the options' padding.
    Result<void, Problem> fill(const SpyreLayout& layout, RelayoutOptions options);

  private:
    std::vector<RelayoutPlan> plans_{};
    std::optional<RelayoutPlan> fill_{};
    std::byte padding_[16]{};
};

/// The copy of a tensor from an array on the host to the device.
///
/// Every coordinate that holds an element is written, copies too. Padding is left alone, or gets the options' bits (then the whole of
/// the device tensor is written first). Elements move as bits of the device's format, or as values of the options' types. The host's
/// buffer begins at its offset 0. Errors: those of sizes, of arrangements inside sticks those of `to_axe`; `errc::no_layout` when the
/// device has one element for several of the host's; `errc::capacity` of more than 4096 nests; those of `plan_relayout`.
AXE_DECL Result<Transfer, Problem> plan_to_device(const Tensor& tensor, const Strided& host, const RelayoutOptions& options = {});
AXE_DECL Result<Transfer, Problem> plan_to_device(const Tensor& tensor, const RelayoutOptions& options = {});

/// The copy of a tensor from the device to an array on the host; of copies, and of dimensions of stride 0, the first is read.
///
/// `errc::bad_argument` when the array has elements that share an address other than by stride 0. Otherwise as `plan_to_device`.
AXE_DECL Result<Transfer, Problem> plan_to_host(const Tensor& tensor, const Strided& host, const RelayoutOptions& options = {});
AXE_DECL Result<Transfer, Problem> plan_to_host(const Tensor& tensor, const RelayoutOptions& options = {});

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/compiler/impl/transfer.hpp>
#endif

#endif
