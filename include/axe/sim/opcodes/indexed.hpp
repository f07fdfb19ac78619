// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_INDEXED_HPP
#define AXE_SIM_OPCODES_INDEXED_HPP

#include <axe/sim/memory/box_copies.hpp>
#include <axe/sim/memory/element_bits.hpp>
#include <axe/sim/opcodes/opcode.hpp>

#include <array>

namespace axe {
inline namespace v0 {
namespace sim {

/// An index that names no row of a view without a guard: number `number` of so many.
inline std::string no_such_row_text(const std::string& who, std::int64_t row, const LaneAccess& chosen, std::int64_t number,
                                    std::int64_t indices)
{
    return detail::worded("{0} accesses row {1} of {2}, whose view has {3} rows; that is index {4} of the {5}",
                          {who, row, chosen.plan->name(), chosen.view->extents[0], number, indices});
}

/// `indexed` D, A, I … with parameters {0 gather | 1 scatter}: D = A, where in the view of A (of D) the index in dimension 0 is what I's
/// element says; its distribution names elements of row 0. A row outside the tensor is a fault, of a guarded view zeros (dropped).
///
/// Lanes access vectors that lie along the last dimension of the view, with one index for each.
///
/// A second parameter is how many indices there are, of dimensions 0, 1, …; one more operand is a mask: where its element is 0, nothing is
/// accessed, and a gather's D is `number`.
///
/// Asynchronous, of a gather to shared memory: indices and mask are read at once, D and A by the agent's engine, in its open group. With all
/// checks A is read when it starts *and* when it is waited for: a difference is a fault. D is written at the wait.
class Indexed : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Indexed>();
        e->other_devices = true;
        const auto& parameters = p.instruction->parameters;
        e->indices_ = parameters.size() > 1 ? parameters[1] : 1;
        const auto least = static_cast<std::size_t>(2 + std::clamp(e->indices_, std::int64_t{1}, std::int64_t{max_rank}));
        if (auto problem = resolve_operands(p, *e, least, least + 1); !problem.ok()) return problem;
        if (parameters.empty() || parameters.size() > 2 || parameters[0] < 0 || parameters[0] > 1)
            return p.refuse("its parameter must be 0 (gather) or 1 (scatter)");
        if (p.instruction->operands.size() > least) e->mask_ = static_cast<int>(least);
        e->chosen_ = parameters[0] == 0 ? 1 : 0;
        e->rows_ = 1 - e->chosen_;
        e->chosen_by_data = e->chosen_;
        const LaneAccess& chosen = e->operands[static_cast<std::size_t>(e->chosen_)];
        if (chosen.in_registers())
            return p.refuse("{0} is in {1}; the lane that holds a row is not known before the run",
                            {chosen.plan->name(), chosen.plan->tensor->memory});
        if (auto problem = check_chosen(p, *e); !problem.ok()) return problem;
        if (auto problem = check_async(p, *e); !problem.ok()) return problem;
        if (p.instruction->async) e->ends_by = EndsBy::copies;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements row_at;
        std::array<LaneElements, max_rank + 1> index_at; // and the mask's
        if (!block.names_device(*operands[static_cast<std::size_t>(chosen_)].view, agent, statement)) return false;
        if (!block.places(*this, rows_, column, agent, row_at)) return false;
        for (int k = 2; k < static_cast<int>(operands.size()); ++k)
            if (!block.places(*this, k, column, agent, index_at[static_cast<std::size_t>(k - 2)])) return false;
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        const auto col = static_cast<std::size_t>(column);
        const bool later = instruction->async && block.full();
        const Actor now = block.actor(agent, index), actor = later ? block.engine(agent, index) : now;
        const auto started = std::make_shared<Started>();
        std::vector<std::int32_t> table(c.entries(), inactive);
        std::vector<std::int64_t> origin;
        for (const Affine& o : c.view->origin) origin.push_back(o(block.variables(agent)));
        std::int64_t active = 0;
        for (std::size_t i = 0; i < c.entries(); ++i) {
            if (row_at.table[i] == inactive || c.table[col * c.entries() + i] == inactive) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(c.lanes));
            std::int64_t chosen_at[max_rank] = {};
            bool takes_part = true, chosen_by_mask = true;
            for (int k = 2; takes_part && k < static_cast<int>(operands.size()); ++k) {
                const LaneElements& at = index_at[static_cast<std::size_t>(k - 2)];
                takes_part = at.table[i] > outside;
                if (!takes_part) continue;
                if (block.full() && !check(block, k, at, i, col, agent, lane, now, false)) return false;
                const LaneAccess& x = operands[static_cast<std::size_t>(k)];
                const DType type = x.plan->tensor->dtype;
                const std::uint64_t bits =
                    load_bits(block.data(x, agent) + place_of_element(x, at, i, col, 0) * x.plan->width, x.plan->width);
                if (k == mask_)
                    chosen_by_mask = decode(type, bits) != 0;
                else
                    chosen_at[k - 2] = decode_int(type, bits);
            }
            if (!takes_part) continue;
            if (!chosen_by_mask) {
                if (chosen_ == 0 || row_at.table[i] <= outside) continue;
                if (block.full() && !check(block, rows_, row_at, i, col, agent, lane, actor, true)) return false;
                const LaneAccess& r = operands[static_cast<std::size_t>(rows_)];
                const std::uint64_t bits = encode(r.plan->tensor->dtype, instruction->number);
                if (later) {
                    started->add(place_of_element(r, row_at, i, col, 0), Started::none, lane, bits);
                    continue;
                }
                for (int e = 0; e < r.vector; ++e)
                    std::memcpy(block.data(r, agent) + place_of_element(r, row_at, i, col, e) * r.plan->width, &bits,
                                static_cast<std::size_t>(r.plan->width));
                continue;
            }
            std::int64_t coord[max_rank];
            bool is_there = false;
            if (!locate(block, agent, lane, chosen_at, origin, col * c.entries() + i, coord, is_there)) return false;
            ++active;
            if (c.vector > 1 && !is_together(block, agent, lane, coord, is_there)) return false;
            if (is_there) {
                const std::int64_t place = place_of(coord);
                table[i] = static_cast<std::int32_t>(place);
                if (const int memory = block.watched_in(*c.view, agent); memory >= 0 && has(coord, *block.watch_of_run()))
                    block.watch(this, statement, block.plan(c.tensor), c.tensor, agent, lane, chosen_ == 0, 1, memory);
                if (block.full() && !touch(block, agent, lane, coord, place, actor)) return false;
                if (block.full() && chosen_ == 0 && !block.is_alone_in_bytes(*this, 0, actor, lane, place, c.bytes)) return false;
            } else {
                table[i] = outside;
            }
            if (row_at.table[i] > outside && block.full() && !check(block, rows_, row_at, i, col, agent, lane, actor, chosen_ == 1))
                return false;
            if (!later)
                move(block, agent, table[i], row_at, i, col);
            else if (row_at.table[i] > outside)
                start(block, agent, lane, table[i], row_at, i, col, *started);
        }
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            tally.issues += c.issues;
            tally.lanes += static_cast<std::int64_t>(c.entries());
            tally.lanes_active += active;
            block.count(*this, rows_, column, row_at);
            for (int k = 2; k < static_cast<int>(operands.size()); ++k)
                block.count(*this, k, column, index_at[static_cast<std::size_t>(k - 2)]);
            block.count(*this, chosen_, column, {table.data(), 0, true});
        }
        if (later) {
            Block* at = &block;
            block.start_async(agent, [this, at, agent, started] { return finish(*at, agent, *started); });
        }
        return true;
    }

  protected:
    /// What an asynchronous gather has read and not yet written.
    struct Started {
        static constexpr std::int64_t none = -1;
        struct Copy {
            std::int64_t to, from; ///< places; `none`: the bytes are no element's
            int lane;
        };
        std::vector<Copy> copies{};
        std::vector<std::uint64_t> bits{}; ///< one element each
        void add(std::int64_t to, std::int64_t from, int lane, std::uint64_t element)
        {
            copies.push_back({to, from, lane});
            bits.push_back(element);
        }
    };
    static Result<void, Problem> check_async(const Preparation& p, const Indexed& e)
    {
        if (!p.instruction->async) return {};
        const LaneAccess &d = e.operands[0], &a = e.operands[1];
        if (e.chosen_ != 1 || d.vector != 1 || d.plan->owner != Owner::block || a.plan->owner != Owner::device)
            return p.refuse("asynchronous it gathers single elements from global to shared memory");
        return same_types(p);
    }
    void start(Block& block, int agent, int lane, std::int32_t chosen, const LaneElements& row_at, std::size_t i,
               std::size_t column, Started& started) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        const std::int64_t to = place_of_element(d, row_at, i, column, 0);
        if (chosen == outside) return started.add(to, Started::none, lane, 0);
        started.add(to, chosen, lane, load_bits(block.data(a, agent) + std::int64_t{chosen} * a.plan->width, a.plan->width));
    }
    bool finish(Block& block, int agent, const Started& started) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        for (std::size_t i = 0; i < started.copies.size(); ++i) {
            const auto& copy = started.copies[i];
            if (copy.from >= 0 && load_bits(block.data(a, agent) + copy.from * a.plan->width, a.plan->width) != started.bits[i])
                return block.fail(FaultKind::async_source, statement,
                                  changed_text(block.describe(*this, 1, agent, copy.lane, copy.from), "asynchronous load"));
            store_bits(block.data(d, agent) + copy.to * d.plan->width, started.bits[i], d.plan->width);
        }
        return true;
    }

    /// Are there rows to choose among, by an integer for each vector?
    static Result<void, Problem> check_chosen(const Preparation& p, const Indexed& e)
    {
        const LaneAccess& chosen = e.operands[static_cast<std::size_t>(e.chosen_)];
        if (e.operands[0].vector != e.operands[1].vector)
            return p.refuse("the vectors of {0} and of {1} have different numbers of elements",
                            {e.operands[0].plan->name(), e.operands[1].plan->name()});
        for (std::size_t k = 2; k < e.operands.size(); ++k)
            if (e.operands[k].vector != 1)
                return p.refuse("a lane accesses {0} elements at a time; it must be one", {e.operands[k].vector});
        if (chosen.vector > 1 &&
            !lies_along(*p.instruction->operands[static_cast<std::size_t>(e.chosen_)].distribution, *chosen.view))
            return p.refuse("the vectors of {0} do not lie along the last dimension of its view", {chosen.plan->name()});
        if (e.indices_ < 1 || e.indices_ > chosen.view->rank()) return p.refuse(no_rows_text(chosen.plan->name()));
        for (int k = 0; k < static_cast<int>(e.indices_); ++k) {
            if (chosen.view->dims[k] < 0) return p.refuse(no_rows_text(chosen.plan->name()));
            const LaneAccess& index = e.operands[static_cast<std::size_t>(2 + k)];
            if (is_float(index.plan->tensor->dtype))
                return p.refuse("{0} has elements of {1}; an index is an integer",
                                {index.plan->name(), name(index.plan->tensor->dtype)});
        }
        return {};
    }
    /// Are the elements of each vector neighbors in the last dimension of the view, in steps of 1?
    static bool lies_along(const Distribution& part, const View& view)
    {
        const int last = view.rank() - 1;
        if (last < 0 || view.dims[last] < 0 || view.steps[last] != 1) return false;
        const auto vector = static_cast<std::size_t>(part.vector);
        for (std::size_t i = 0; i + vector <= part.element.size(); i += vector) {
            const std::int64_t first = part.element[i];
            if (first >= 0 && first % view.extents[last] + part.vector > view.extents[last]) return false;
            for (std::size_t k = 1; first >= 0 && k < vector; ++k)
                if (part.element[i + k] != first + static_cast<std::int64_t>(k)) return false;
        }
        return true;
    }
    /// The dimension of the tensor along which vectors lie.
    [[nodiscard]] int along() const
    {
        const View& view = *operands[static_cast<std::size_t>(chosen_)].view;
        return view.dims[view.rank() - 1];
    }
    [[nodiscard]] std::int64_t place_of(const std::int64_t* coord) const
    {
        const TensorPlan& plan = *operands[static_cast<std::size_t>(chosen_)].plan;
        const std::int64_t place = plan.address(coord) - plan.low;
        return plan.swizzle.bits > 0 ? plan.swizzle(place) : place;
    }
    /// Is the vector from an element on one access of its memory, all inside or all outside? False: a fault.
    bool is_together(Block& block, int agent, int lane, const std::int64_t* coord, bool is_there) const
    {
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        std::int64_t last[max_rank];
        std::copy_n(coord, c.dims(), last);
        const int d = along();
        last[d] += c.vector - 1;
        const std::int64_t extent = c.plan->tensor->shape[d];
        bool whole = (coord[d] < 0) == (last[d] < 0) && (coord[d] < extent) == (last[d] < extent);
        if (whole && is_there) {
            const std::int64_t place = place_of(coord), byte = c.plan->base + (c.plan->low + place) * c.plan->width;
            whole = place_of(last) == place + c.vector - 1 && byte % c.bytes == 0;
        }
        if (whole) return true;
        return block.fail(FaultKind::misaligned, statement,
                          detail::worded("the {0} bytes of {1} from {2} on are no aligned vector inside of it",
                                         {c.bytes, lane_text(lane, agent), element_text(*c.plan, coord)}));
    }
    /// Is the watched element one of the vector from here on?
    [[nodiscard]] bool has(const std::int64_t* coord, const Watch& watch) const
    {
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        for (int d = 0; d < c.dims(); ++d) {
            const std::int64_t away = watch.coordinate[d] - coord[d];
            if (away < 0 || away >= (c.vector > 1 && d == along() ? c.vector : 1)) return false;
        }
        return true;
    }
    /// The coordinate of the element that an index chooses, the first of a vector. False: a fault.
    bool locate(Block& block, int agent, int lane, const std::int64_t* chosen, const std::vector<std::int64_t>& origin,
                std::size_t entry, std::int64_t* coord, bool& is_there) const
    {
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        const auto dims = static_cast<std::size_t>(c.dims());
        for (std::size_t d = 0; d < dims; ++d) coord[d] = origin[d] + c.least[entry * dims + d];
        int beyond = -1; // the first dimension whose index is no element of the view
        for (int k = 0; k < static_cast<int>(indices_); ++k) {
            coord[c.view->dims[k]] += chosen[k] * c.view->steps[k];
            if (beyond < 0 && (chosen[k] < 0 || chosen[k] >= c.view->extents[k])) beyond = k;
        }
        is_there = beyond < 0 && is_inside(c.plan->tensor->shape, coord);
        if (!is_there && !c.view->guarded)
            return block.fail(FaultKind::out_of_bounds, statement,
                              beyond < 0 ? outside_text(lane_text(lane, agent), element_text(*c.plan, coord), *c.plan)
                                         : beyond_text(lane_text(lane, agent), c, beyond, chosen[beyond], entry));
        const int there = block.memory_of(*c.view, agent).number;
        if (is_there && c.plan->owner == Owner::device && !c.plan->of_all_devices &&
            !c.plan->device.holds(c.plan->device(coord), there))
            return block.fail(
                FaultKind::wrong_owner, statement,
                elsewhere_text(lane_text(lane, agent), element_text(*c.plan, coord), c.plan->device(coord), there, c.is_remote()));
        return true;
    }

    /// Which of the indices is no element of what it numbers. An entry of the tables has one of them: its number among them, row-major.
    [[nodiscard]] std::string beyond_text(const std::string& who, const LaneAccess& c, int dimension, std::int64_t chosen,
                                          std::size_t entry) const
    {
        const LaneAccess& x = operands[2];
        const std::size_t lanes = static_cast<std::size_t>(x.lanes), row = entry / lanes,
                          issues = static_cast<std::size_t>(x.issues);
        const Distribution& part = *instruction->operands[2].distribution;
        const std::int64_t element =
            part.element[part.at(static_cast<int>(row % issues), static_cast<int>(row / issues), static_cast<int>(entry % lanes))];
        // Behind the dimensions of the indices are those of a row, along which they repeat.
        std::int64_t after = 1, elements = 1;
        for (int k = x.view->rank() - c.view->rank() + static_cast<int>(indices_); k < x.view->rank(); ++k)
            after *= x.view->extents[k];
        for (int k = 0; k < x.view->rank(); ++k) elements *= x.view->extents[k];
        const std::int64_t number = element / after, count = std::max<std::int64_t>(1, elements / after);
        if (indices_ == 1) return no_such_row_text(who, chosen, c, number, count);
        return detail::worded(
            "{0} accesses {2} at {1} in dimension {6}, where its view has {3} elements; that is index {4} of the {5}",
            {who, chosen, c.plan->name(), c.view->extents[dimension], number, count, dimension});
    }

    bool touch(Block& block, int agent, int lane, const std::int64_t* coord, std::int64_t place, const Actor& actor) const
    {
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        return touch_all(
            block.shadow(c, actor), *c.plan, {place, 1, 0, true}, c.vector, chosen_ == 0, actor, c.plan->owner == Owner::block,
            [&](std::int64_t i, const Conflict& found) {
                std::int64_t at[max_rank];
                std::copy_n(coord, c.dims(), at);
                if (i > 0) at[along()] += i;
                std::string where = c.plan->place_text(place + i);
                if (c.is_remote() && !c.plan->of_all_devices) where = on_device_text(where, block.memory_of(*c.view, agent).number);
                return block.conflict(statement, placed_text(lane_text(lane, agent), element_text(*c.plan, at), where),
                                      chosen_ == 0, found, &actor);
            },
            lane);
    }

    bool check(Block& block, int operand, const LaneElements& at, std::size_t i, std::size_t column, int agent, int lane,
               const Actor& actor, bool writing) const
    {
        const LaneAccess& a = operands[static_cast<std::size_t>(operand)];
        if (!a.in_registers()) {
            const std::int64_t place = place_of_element(a, at, i, column, 0);
            return writing ? block.write(*this, operand, actor, lane, place, a.bytes)
                           : block.read(*this, operand, actor, lane, place, a.bytes);
        }
        for (int e = 0; e < a.vector; ++e) {
            const std::int64_t place = place_of_element(a, at, i, column, e);
            if (writing)
                block.write_register(a, agent, lane, place);
            else if (!block.read_register(*this, operand, agent, lane, place))
                return false;
        }
        return true;
    }

    void move(Block& block, int agent, std::int32_t chosen, const LaneElements& row_at, std::size_t i, std::size_t column) const
    {
        const LaneAccess &c = operands[static_cast<std::size_t>(chosen_)], &r = operands[static_cast<std::size_t>(rows_)];
        const bool has_row = row_at.table[i] > outside;
        for (int e = 0; e < c.vector; ++e) {
            const Stretch::At there{chosen == outside ? 0 : std::int64_t{chosen} + e, 0, 0, true};
            const Stretch::At here{has_row ? place_of_element(r, row_at, i, column, e) : 0, 0, 0, true};
            if (chosen_ == 1) { // gather
                if (has_row)
                    move_elements(*r.plan, block.data(r, agent), here, *c.plan, chosen == outside ? nullptr : block.data(c, agent),
                                  there, 1);
            } else if (chosen != outside) {
                move_elements(*c.plan, block.data(c, agent), there, *r.plan, has_row ? block.data(r, agent) : nullptr, here, 1);
            }
        }
    }

    int chosen_ = 1, rows_ = 0; ///< which operand an index chooses in
    std::int64_t indices_ = 1;  ///< operands 2, 3, …
    int mask_ = -1;             ///< the operand that is a mask
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
