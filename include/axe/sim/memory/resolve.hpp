// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_RESOLVE_HPP
#define AXE_SIM_MEMORY_RESOLVE_HPP

#include <axe/sim/memory/view_elements.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Makes the tables of one operand.
class AccessResolver {
  public:
    AccessResolver(const std::vector<TensorPlan>& plans, const Instruction& instruction, const Access& access,
                   const std::string& where)
        : instruction_(&instruction),
          view_(&access.view),
          part_(access.distribution.get()),
          plan_(&plan_of_view(plans, access.view)),
          who_(where + ", " + plan_->name() + ": ")
    {
    }

    /// The problem names tensor, element and lane: a register that another lane holds, a vector whose elements are not contiguous.
    Result<LaneAccess, Problem> operator()()
    {
        if (auto p = begin(); !p.ok()) return p;
        for (int agent = 0; agent < out_.agents; ++agent)
            for (int issue = 0; issue < out_.issues; ++issue)
                for (int lane = 0; lane < out_.lanes; ++lane)
                    if (auto p = place_vector(agent, issue, lane); !p.ok()) return p;
        if (out_.in_registers()) find_uniform();
        if (out_.together) out_.slots.clear();
        if (auto p = finish(); !p.ok()) return p;
        return std::move(out_);
    }

  private:
    Result<void, Problem> begin()
    {
        const Shape& shape = plan_->tensor->shape;
        dims_ = shape.size();
        out_.plan = plan_;
        out_.view = view_;
        out_.tensor = view_->tensor;
        if (part_ == nullptr)
            return {errc::bad_argument, who_ + "the instruction lacks a distribution: which lane accesses which element"};
        out_.issues = part_->issues;
        out_.agents = part_->agents;
        out_.lanes = part_->lanes;
        out_.vector = part_->vector;
        out_.bytes = part_->vector * plan_->width;
        const std::size_t want = part_->at(part_->issues, 0, 0);
        if (part_->element.size() != want)
            return {errc::size_mismatch,
                    who_ + detail::worded("the distribution has {0} entries; it must have {1}", {part_->element.size(), want})};
        if (part_->agents != instruction_->agents)
            return {errc::size_mismatch,
                    who_ + detail::worded("the distribution is for {0} agents, the instruction for {1}; they must be equal",
                                          {part_->agents, instruction_->agents})};
        if (static_cast<int>(view_->origin.size()) != dims_)
            return {errc::rank_mismatch,
                    who_ + detail::worded("the origin of the view has {0} indices; the tensor has {1} dimensions",
                                          {view_->origin.size(), dims_})};
        const auto n = volume(view_->extents);
        if (!n) return Problem(n.error(), who_);
        elements_ = *n;
        bool constant = true; // a fixed view that variables name may be one that is never accessed, outside the tensor
        for (const Affine& a : view_->origin) {
            origins_.push_back(plan_->loops->of(a));
            out_.reference.push_back(origins_.back().least);
            out_.fixed = out_.fixed && origins_.back().step == 0;
            constant = constant && a.is_constant();
        }
        spots_ = ViewElements(*plan_, *view_, out_.reference,
                              elements_ <= static_cast<std::int64_t>(part_->element.size()) ? elements_ : 0);
        own_always_ = out_.in_registers() && constant;
        const std::size_t entries = out_.entries() * static_cast<std::size_t>(out_.agents);
        out_.table.assign(entries, inactive);
        if (!own_always_) {
            out_.least.assign(entries * static_cast<std::size_t>(dims_), 0);
            out_.most.assign(entries * static_cast<std::size_t>(dims_), 0);
        }
        if (out_.in_registers()) out_.slots.assign(entries * static_cast<std::size_t>(out_.vector), inactive);
        out_.footprint.resize(static_cast<std::size_t>(out_.agents));
        for (auto& r : out_.footprint) {
            r.least.assign(static_cast<std::size_t>(dims_), std::numeric_limits<std::int64_t>::max());
            r.most.assign(static_cast<std::size_t>(dims_), std::numeric_limits<std::int64_t>::min());
        }
        return {};
    }

    Result<void, Problem> place_vector(int agent, int issue, int lane)
    {
        const std::size_t from = part_->at(issue, agent, lane), at = out_.entry(agent, issue, lane);
        if (part_->element[from] < 0) return {};
        auto& footprint = out_.footprint[static_cast<std::size_t>(agent)];
        footprint.any = true;
        std::int64_t first = 0;
        for (int e = 0; e < out_.vector; ++e) {
            const std::int64_t index = part_->element[from + static_cast<std::size_t>(e)];
            if (index < 0 || index >= elements_)
                return {errc::out_of_domain,
                        who_ + detail::worded("lane {0} accesses element {1} of a view of {2} elements", {lane, index, elements_})};
            const ViewElement& s = spots_(index);
            if (!own_always_) note(s, e, at, footprint);
            if (s.nowhere) {
                // Nowhere at the reference origin: where the origin moves, each place is found when it is needed.
                out_.linear = out_.linear && out_.fixed;
                if (e == 0) out_.table[at] = outside;
                continue;
            }
            std::int64_t place = s.place;
            if (out_.in_registers()) {
                if (!is_own(agent, lane, s)) return not_own(agent, lane, s);
                place = plan_->slot(place + plan_->low, lane);
            }
            if (place <= outside || place > std::numeric_limits<std::int32_t>::max() - 64)
                return {errc::capacity,
                        who_ +
                            detail::worded("element {0} is {1} elements from the origin; an instruction takes offsets below 2^31",
                                           {spots_.coordinate(s), place})};
            if (e == 0) {
                first = place;
                out_.table[at] = static_cast<std::int32_t>(place);
            }
            if (out_.in_registers()) {
                out_.slots[at * static_cast<std::size_t>(out_.vector) + static_cast<std::size_t>(e)] =
                    static_cast<std::int32_t>(place);
                out_.together = out_.together && place == first + e;
            } else if (seen(place) != seen(first) + e) {
                return {errc::bad_argument,
                        who_ +
                            detail::worded("element {0} of lane {1} is not adjacent to the one before in {2}, in a vector of {3}",
                                           {spots_.coordinate(s), lane, plan_->tensor->memory, out_.vector})};
            }
        }
        return {};
    }

    void note(const ViewElement& s, int e, std::size_t at, LaneAccess::Reach& footprint)
    {
        std::int32_t* least = out_.least.data() + at * static_cast<std::size_t>(dims_);
        std::int32_t* most = out_.most.data() + at * static_cast<std::size_t>(dims_);
        const std::int32_t* offset = spots_.offset(s);
        for (std::size_t d = 0; d < static_cast<std::size_t>(dims_); ++d) {
            const std::int32_t o = offset[d];
            least[d] = e == 0 ? o : std::min(least[d], o);
            most[d] = e == 0 ? o : std::max(most[d], o);
            footprint.least[d] = std::min<std::int64_t>(footprint.least[d], o);
            footprint.most[d] = std::max<std::int64_t>(footprint.most[d], o);
        }
    }

    [[nodiscard]] std::int64_t seen(std::int64_t place) const noexcept
    {
        return plan_->swizzle.bits > 0 ? plan_->swizzle(place) : place;
    }

    /// Is the element in a register of the lane?
    [[nodiscard]] bool is_own(int agent, int lane, const ViewElement& s) const noexcept
    {
        return s.inside && plan_->lane.holds(s.lane, lane) &&
               plan_->agent.holds(s.agent, instruction_->first_agent + agent * instruction_->agent_stride);
    }
    [[nodiscard]] Problem not_own(int agent, int lane, const ViewElement& s) const
    {
        if (!s.inside)
            return {errc::out_of_domain, who_ + detail::worded("element {0} is outside the tensor", {spots_.coordinate(s)})};
        const int own = instruction_->first_agent + agent * instruction_->agent_stride;
        return {errc::no_layout, who_ + detail::worded("{0} accesses element {1}, which is held by {2}",
                                                       {lane_text(lane, own), spots_.coordinate(s), lane_text(s.lane, s.agent)})};
    }

    /// Do all lanes of the machine take the same register in each issue? The slots of one register are `pack` apart, lane by lane.
    void find_uniform()
    {
        if (out_.lanes != plan_->lanes) return;
        const auto per = static_cast<std::size_t>(out_.vector), lanes = static_cast<std::size_t>(out_.lanes);
        for (std::size_t row = 0; row < out_.slots.size(); row += lanes * per)
            for (std::size_t e = 0; e < per; ++e) {
                std::int32_t expected = out_.slots[row + e];
                bool all = expected > outside;
                for (std::size_t lane = 1; lane < lanes && all; ++lane)
                    all = out_.slots[row + lane * per + e] == (expected += plan_->pack);
                if (!all) return out_.uniform.clear();
                out_.uniform.push_back(static_cast<std::int32_t>(plan_->register_of(out_.slots[row + e])));
            }
    }

    Result<void, Problem> finish()
    {
        // Does the map move as a whole where the origin moves?
        for (int d = 0; d < dims_ && out_.linear && !out_.fixed; ++d) {
            if (!plan_->address.flat.empty()) {
                out_.linear = false;
                break;
            }
            const DimensionMap& map = plan_->address.dims[static_cast<std::size_t>(d)];
            const Values& origins = origins_[static_cast<std::size_t>(d)];
            out_.linear =
                map.is_linear() || origins.step == 0 || is_additive(map, plan_->tensor->shape[d], origins, spots_.offsets(d));
        }
        if (out_.in_registers() && !out_.fixed) {
            for (int d = 0; d < dims_; ++d) {
                if (origins_[static_cast<std::size_t>(d)].step == 0) continue;
                const auto still = [&](const AxisMap& m) { return m.flat.empty() && (m.dims.empty() || is_still(m, d)); };
                if (!still(plan_->agent) || !still(plan_->lane))
                    return {errc::no_layout,
                            who_ + detail::worded(
                                       "a variable moves the view in dimension {0}, on which the lane of an element depends", {d})};
            }
            if (!out_.linear) return {errc::no_layout, who_ + "the registers of a lane do not depend linearly on a variable"};
        }
        find_still();
        if (plan_->swizzle.bits > 0) {
            out_.swizzled = out_.table;
            for (auto& p : out_.swizzled)
                if (p > outside) p = static_cast<std::int32_t>(plan_->swizzle(p));
        }
        if (out_.vector > 1 && !out_.in_registers()) {
            bool first = true;
            for (const std::int32_t p : out_.swizzled.empty() ? out_.table : out_.swizzled) {
                if (p <= outside) continue;
                const auto here = static_cast<int>((plan_->low + p) * plan_->width % out_.bytes);
                out_.skew = first || here == out_.skew ? here : -1;
                first = false;
                if (out_.skew < 0) break;
            }
        }
        if (plan_->owner == Owner::device && !plan_->device.is_constant())
            for (int d = 0; d < dims_; ++d) {
                if (!plan_->device.flat.empty())
                    return {errc::no_layout, who_ + "the device of an element is not a sum over its dimensions"};
                const auto& of = spots_.offsets(d);
                const DimensionMap& m = plan_->device.dims[static_cast<std::size_t>(d)];
                const std::int64_t extent = plan_->tensor->shape[d];
                const Values& o = origins_[static_cast<std::size_t>(d)];
                const auto is_index = [&](std::int64_t i) { return i >= 0 && i < extent; };
                // Places of the tile with an index inside.
                const std::int64_t step = std::max<std::int64_t>(o.step, 1),
                                   least = of.empty() ? 0 : -*std::max_element(of.begin(), of.end()),
                                   most = of.empty() ? 0 : extent - 1 - *std::min_element(of.begin(), of.end()),
                                   first = o.least >= least ? o.least : o.least + (least - o.least + step - 1) / step * step;
                for (std::int64_t at = first; at <= std::min(o.greatest, most) && !out_.crosses; at += step)
                    out_.crosses = std::any_of(of.begin(), of.end(), [&](std::int64_t x) {
                        return is_index(at + x) && (!is_index(at) || m(at + x) != m(at));
                    });
            }
        return {};
    }

    /// Are the places those of the table, whatever the variables are?
    void find_still()
    {
        auto& whole = out_.whole_reach;
        whole = out_.footprint.front();
        for (const auto& footprint : out_.footprint)
            for (std::size_t d = 0; d < static_cast<std::size_t>(dims_) && footprint.any; ++d) {
                whole.any = true;
                whole.least[d] = std::min(whole.least[d], footprint.least[d]);
                whole.most[d] = std::max(whole.most[d], footprint.most[d]);
            }
        out_.still = out_.fixed && plan_->owner != Owner::device;
        for (int d = 0; d < dims_ && out_.still && whole.any && !own_always_; ++d) {
            const auto ud = static_cast<std::size_t>(d);
            out_.still = out_.reference[ud] + whole.least[ud] >= 0 && out_.reference[ud] + whole.most[ud] < plan_->tensor->shape[d];
        }
    }

    /// Have elements the same coordinate whatever the origin is in a dimension?
    bool is_still(const AxisMap& of, int d)
    {
        const DimensionMap& map = of.dims[static_cast<std::size_t>(d)];
        if (map.is_linear()) return map.stride == 0;
        const std::int64_t extent = plan_->tensor->shape[d];
        const Values& origins = origins_[static_cast<std::size_t>(d)];
        if (!is_additive(map, extent, origins, spots_.offsets(d))) return false;
        for (std::int64_t o = origins.least; o <= origins.greatest && o < extent; o += origins.step)
            if (map(o) != map(origins.least)) return false;
        return true;
    }

    /// Is the map affine for the origins and offsets that occur in one dimension?
    static bool is_additive(const DimensionMap& map, std::int64_t extent, const Values& origins,
                            const std::vector<std::int64_t>& offsets)
    {
        if (origins.least < 0) return false;
        const std::int64_t count = (origins.greatest - origins.least) / origins.step + 1;
        if (count * static_cast<std::int64_t>(offsets.size()) > (1 << 20)) return false;
        for (std::int64_t o = origins.least; o <= origins.greatest && o < extent; o += origins.step)
            for (const std::int64_t x : offsets) {
                if (x < 0 && origins.least + x < 0) return false;
                if (o + x >= extent || o + x < 0) continue;
                if (map(o + x) - map(o) != map(origins.least + x) - map(origins.least)) return false;
            }
        return true;
    }

    const Instruction* instruction_;
    const View* view_;
    const Distribution* part_;
    const TensorPlan* plan_;
    std::string who_;
    LaneAccess out_{};
    int dims_ = 0;
    std::int64_t elements_ = 0;
    std::vector<Values> origins_{};
    ViewElements spots_{};
    bool own_always_ = false; ///< registers that no variable moves: a lane's own, inside the tensor, or a problem
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
