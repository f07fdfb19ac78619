// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_SHARED_TILE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_SHARED_TILE_HPP

#include <axe/sim/memory/range_cells.hpp>
#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/tcgen05/shared_elements.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// A tile of an operand that is read by one descriptor: mn × k, from (first, step) of the view on.
struct DescribedTile {
    int mn_dim = 0; ///< of the view: 0, [MN, K]; 1, [K, MN]
    std::int64_t first = 0, step = 0, mn = 0, k = 0;
    int least_mn_major = 2; ///< bytes of the narrowest elements that may be contiguous along MN
    int per_byte = 1;       ///< elements, which the simulator has in as many bytes: 2 of 4 bits
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
            detail::tile_shared_descriptor(tile.mn, tile.k, plan.tensor->dtype, tile.per_byte, address, tile.least_mn_major));
    const auto& made = *static_cast<const Result<SharedDescriptor, Problem>*>(found.get());
    if (made) return &*made;
    find(0, 0);
    block.fail(FaultKind::misaligned, e.statement,
               detail::no_descriptor_text(plan.name(), coord_text(coord, dims), made.error().text));
    return nullptr;
}

/// The pieces of 16 bytes that an operation reads by a descriptor, `depth` of k, one after the other: of each row of A (column of B)
/// from `begin` on the next elements of k; MN-major, of each of those of k the next along MN.
struct DescribedPieces {
    const SharedDescriptor* d = nullptr;
    std::int64_t begin = 0, count = 0, depth = 0;
    int bytes = 2;    ///< of an element
    int per_byte = 1; ///< elements of a byte, which the simulator has in as many

    [[nodiscard]] std::int64_t elements() const noexcept { return 16 / bytes * per_byte; }
    [[nodiscard]] std::int64_t size() const noexcept
    {
        const std::int64_t t = elements();
        return d->mn_major ? (count + t - 1) / t * depth : count * ((depth + t - 1) / t);
    }
    /// Where piece n begins along MN and k.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> at(std::int64_t n) const noexcept
    {
        const std::int64_t t = elements(), along_k = (depth + t - 1) / t;
        if (d->mn_major) return {begin + n / depth * t, n % depth};
        return {begin + n / along_k, n % along_k * t};
    }
    [[nodiscard]] std::int64_t address(std::int64_t n) const noexcept
    {
        const auto [i, l] = at(n);
        return detail::xor_span(d->start + detail::descriptor_offset(*d, i, l / per_byte, bytes), d->span) * per_byte;
    }
    /// Adds where each is among the bytes that the shadow numbers.
    void add_places(const TensorPlan& plan, const Shadow& shadow, std::vector<std::int32_t>& out) const
    {
        const std::int64_t first = plan.base + plan.low * plan.width;
        for (std::int64_t n = 0; n < size(); ++n) out.push_back(static_cast<std::int32_t>(shadow.place_of(address(n) - first)));
    }
};

/// The fault of piece n of those that are read by a descriptor, of the k from `step` on.
inline bool described_conflict(Block& block, const Executable& e, std::size_t operand, int agent, const Actor& actor,
                               bool rows_are_mn, const DescribedPieces& pieces, std::int64_t n, std::int64_t step,
                               const Conflict& found)
{
    const TensorPlan& plan = block.plan(e.instruction->operands[operand].view.tensor);
    const auto [i, l] = pieces.at(n);
    const std::int64_t at = pieces.address(n) - (plan.base + plan.low * plan.width);
    const std::string what = placed_text(agent_text(agent), detail::in_tile_text(rows_are_mn, i, step + l, plan.name()),
                                         plan.place_text(at / plan.width));
    return block.conflict(e.statement, what, false, found, &actor);
}

/// An operand of an asynchronous operation in shared memory, MN × K, which is read by descriptors: `depth` of its k at a time.
///
/// @param rows_are_mn the view is [MN, K]; else it is [K, MN]
/// @param in the block whose memory it is in, at the same place as in the agent's own; null: that
/// @param per_byte elements of a byte, which the simulator has in as many
class SharedTile {
  public:
    SharedTile(Block& block, const Executable& e, std::size_t operand, int agent, bool rows_are_mn, std::int64_t depth,
               Block* in = nullptr, int per_byte = 1)
        : block_(&block),
          in_(in == nullptr ? &block : in),
          executable_(&e),
          operand_(operand),
          view_(&e.instruction->operands[operand].view),
          plan_(&block.plan(view_->tensor)),
          agent_(agent),
          mn_dim_(rows_are_mn ? 0 : 1),
          per_byte_(per_byte),
          depth_(depth),
          origin_(origin_of(*view_, block.variables(agent)))
    {
    }

    [[nodiscard]] std::int64_t mn() const noexcept { return view_->extents[mn_dim_]; }
    [[nodiscard]] std::int64_t k() const noexcept { return view_->extents[1 - mn_dim_]; }

    /// Calls f(step, descriptor, data) for each depth of k, whose addresses count from `data`. False: the block has a fault.
    template <class F>
    bool each_step(F f)
    {
        const std::byte* data = in_->buffer(*plan_, view_->tensor).data - (plan_->base + plan_->low * plan_->width);
        for (std::int64_t step = 0; step < k(); step += depth_) {
            const SharedDescriptor* d = descriptor(step);
            if (d == nullptr || !f(step, *d, data)) return false;
        }
        return true;
    }
    /// Calls f(i, l, along_k, bytes, n) for each piece of 16 bytes that the operation reads: n elements from (i, l) on, along k or along mn.
    /// False: the block has a fault.
    template <class F>
    bool each_piece(F f)
    {
        return each_step([&](std::int64_t step, const SharedDescriptor& d, const std::byte* data) {
            const DescribedPieces of = pieces(d);
            for (std::int64_t n = 0; n < of.size(); ++n) {
                const auto [i, l] = of.at(n);
                const std::int64_t at = of.address(n);
                if (!f(i, step + l, !d.mn_major, at, data + at, of.elements())) return false;
            }
            return true;
        });
    }
    /// Checks and notes that it is read.
    bool check()
    {
        Shadow& shadow = in_->shadow(*plan_, view_->tensor);
        if (!shadow.exists()) return true;
        const Actor actor = block_->tensor_reader(agent_, executable_->index);
        const SharedDescriptor* d = descriptor(0);
        if (d == nullptr) return false;
        auto& known = block_->workspace().found[{d, whole}];
        if (known != nullptr) { // what is read of all steps, found before
            const FirstConflict found = static_cast<const RangeCells*>(known.get())->touch(shadow, actor);
            return !found.found() || conflict_at(static_cast<std::int64_t>(found.entry), found.conflict, actor);
        }
        std::vector<std::int32_t> all;
        for (std::int64_t step = 0, n = 0; step < k(); step += depth_) {
            if ((d = descriptor(step)) == nullptr) return false;
            std::vector<std::int32_t> places;
            pieces(*d).add_places(*plan_, shadow, places);
            const FirstConflict found = RangeCells(places, 16 * per_byte_, 0, shadow, false).touch(shadow, actor);
            if (found.found()) return conflict_at(n + static_cast<std::int64_t>(found.entry), found.conflict, actor);
            n += pieces(*d).size();
            all.insert(all.end(), places.begin(), places.end());
        }
        known = std::make_shared<const RangeCells>(std::move(all), 16 * per_byte_, 0, shadow, false);
        return true;
    }

  private:
    /// A place of `Workspace::found` that no row has.
    static constexpr std::int64_t whole = -1;

    [[nodiscard]] DescribedPieces pieces(const SharedDescriptor& d) const { return {&d, 0, mn(), depth_, plan_->width, per_byte_}; }
    /// Piece n of all steps conflicts.
    bool conflict_at(std::int64_t n, const Conflict& found, const Actor& actor) const
    {
        std::int64_t step = 0;
        const SharedDescriptor* d = descriptor(0);
        for (; n >= pieces(*d).size(); d = descriptor(step)) {
            n -= pieces(*d).size();
            step += depth_;
        }
        return described_conflict(*block_, *executable_, operand_, agent_, actor, mn_dim_ == 0, pieces(*d), n, step, found);
    }
    /// Of the k from `step` on; null: the block has a fault.
    const SharedDescriptor* descriptor(std::int64_t step) const
    {
        return tile_descriptor(*block_, *executable_, operand_, agent_, origin_, {mn_dim_, 0, step, mn(), depth_, 1, per_byte_});
    }

    Block* block_;
    Block* in_;
    const Executable* executable_;
    std::size_t operand_;
    const View* view_;
    const TensorPlan* plan_;
    int agent_, mn_dim_, per_byte_;
    std::int64_t depth_;
    std::vector<std::int64_t> origin_;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
