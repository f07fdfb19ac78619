// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_SHARED_TILE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_SHARED_TILE_HPP

#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/wgmma/descriptor.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// A tile of an operand that is read by one descriptor: mn × k, from (first, step) of the view on.
struct DescribedTile {
    int mn_dim = 0; ///< of the view: 0, [MN, K]; 1, [K, MN]
    std::int64_t first = 0, step = 0, mn = 0, k = 0;
    int least_mn_major = 2; ///< bytes of the narrowest elements that may be contiguous along MN
};

/// Its descriptor, made once for each place; null: the block has a fault.
///
/// @param origin the view's, now
inline const SharedDescriptor* tile_descriptor(Block& block, const Executable& e, std::size_t operand, int agent,
                                               const std::vector<std::int64_t>& origin, const DescribedTile& tile)
{
    const Access& access = e.instruction->operands[operand];
    const View& view = access.view;
    const TensorPlan& plan = block.plan(view.tensor);
    const int dims = plan.tensor->shape.size();
    std::int64_t coord[max_rank];
    const auto find = [&](std::int64_t i, std::int64_t l) {
        for (int d = 0; d < dims; ++d) coord[d] = origin[static_cast<std::size_t>(d)];
        const auto add = [&](int of, std::int64_t x) {
            if (view.dims[of] >= 0) coord[view.dims[of]] += x * view.steps[of];
        };
        add(tile.mn_dim, tile.first + i);
        add(1 - tile.mn_dim, tile.step + l);
    };
    const auto address = [&](std::int64_t i, std::int64_t l) {
        find(i, l);
        std::int64_t place = plan.address(coord) - plan.low;
        if (plan.swizzle.bits > 0) place = plan.swizzle(place);
        return plan.base + (place + plan.low) * plan.width;
    };
    find(tile.mn - 1, tile.k - 1);
    bool inside = is_inside(plan.tensor->shape, coord);
    find(0, 0);
    inside = inside && is_inside(plan.tensor->shape, coord);
    if (!inside) {
        block.fail(FaultKind::out_of_bounds, e.statement, outside_text(agent_text(agent), element_text(plan, coord), plan));
        return nullptr;
    }
    auto& found = block.workspace().found[{&access, address(0, 0)}];
    if (found == nullptr)
        found = std::make_shared<const Result<SharedDescriptor, Problem>>(
            shared_descriptor(tile.mn, tile.k, plan.width, address, tile.least_mn_major));
    const auto& made = *static_cast<const Result<SharedDescriptor, Problem>*>(found.get());
    if (made) return &*made;
    find(0, 0);
    block.fail(FaultKind::misaligned, e.statement,
               detail::no_descriptor_text(plan.name(), coord_text(coord, dims), made.error().text));
    return nullptr;
}

/// An operand of an asynchronous operation in shared memory, MN × K, which is read by descriptors: `depth` of its k at a time.
///
/// @param rows_are_mn the view is [MN, K]; else it is [K, MN]
/// @param in the block whose memory it is in, at the same place as in the agent's own; null: that
class SharedTile {
  public:
    SharedTile(Block& block, const Executable& e, std::size_t operand, int agent, bool rows_are_mn, std::int64_t depth,
               Block* in = nullptr)
        : block_(&block),
          in_(in == nullptr ? &block : in),
          executable_(&e),
          operand_(operand),
          view_(&e.instruction->operands[operand].view),
          plan_(&block.plan(view_->tensor)),
          agent_(agent),
          mn_dim_(rows_are_mn ? 0 : 1),
          depth_(depth),
          origin_(origin_of(*view_, block.variables(agent)))
    {
    }

    [[nodiscard]] std::int64_t mn() const noexcept { return view_->extents[mn_dim_]; }
    [[nodiscard]] std::int64_t k() const noexcept { return view_->extents[1 - mn_dim_]; }

    /// Calls f(i, l, along_k, bytes, n) for each piece of 16 bytes that the operation reads: n elements from (i, l) on, along k or along mn.
    /// False: the block has a fault.
    template <class F>
    bool each_piece(F f)
    {
        const std::int64_t bytes = plan_->width, t = 16 / bytes;
        const std::byte* data = in_->buffer(*plan_, view_->tensor).data - (plan_->base + plan_->low * plan_->width);
        for (std::int64_t step = 0; step < k(); step += depth_) {
            const SharedDescriptor* d = descriptor(step);
            if (d == nullptr) return false;
            for (std::int64_t i = 0; i < mn(); i += d->mn_major ? t : 1)
                for (std::int64_t l = 0; l < depth_; l += d->mn_major ? 1 : t) {
                    const std::int64_t at =
                        detail::xor_span(d->start + detail::descriptor_offset(*d, i, l, static_cast<int>(bytes)), d->span);
                    if (!f(i, step + l, !d->mn_major, at, data + at, t)) return false;
                }
        }
        return true;
    }
    /// Checks and notes that it is read.
    bool check()
    {
        Shadow& shadow = in_->shadow(*plan_, view_->tensor);
        if (!shadow.exists()) return true;
        const Actor actor = block_->tensor_reader(agent_, executable_->index);
        Past past(actor);
        return each_piece([&](std::int64_t i, std::int64_t l, bool, std::int64_t address, const std::byte*, std::int64_t) {
            const std::int64_t at = address - (plan_->base + plan_->low * plan_->width);
            const std::size_t last = shadow.granule_of(at + 15);
            for (std::size_t c = shadow.granule_of(at); c <= last; ++c) {
                const Conflict found = shadow.read(c, past, 0, true);
                if (!found.found()) continue;
                const std::string what = placed_text(agent_text(agent_), detail::in_tile_text(mn_dim_ == 0, i, l, plan_->name()),
                                                     plan_->place_text(at / plan_->width));
                return block_->conflict(executable_->statement, what, false, found, &actor);
            }
            return true;
        });
    }

  private:
    /// Of the k from `step` on; null: the block has a fault.
    const SharedDescriptor* descriptor(std::int64_t step) const
    {
        return tile_descriptor(*block_, *executable_, operand_, agent_, origin_, {mn_dim_, 0, step, mn(), depth_, 1});
    }

    Block* block_;
    Block* in_;
    const Executable* executable_;
    std::size_t operand_;
    const View* view_;
    const TensorPlan* plan_;
    int agent_, mn_dim_;
    std::int64_t depth_;
    std::vector<std::int64_t> origin_;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
