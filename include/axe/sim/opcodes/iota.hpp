// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_IOTA_HPP
#define AXE_SIM_OPCODES_IOTA_HPP

#include <axe/sim/memory/element_bits.hpp>
#include <axe/sim/opcodes/opcode.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `iota` D with a dimension of D's view as its parameter: each lane writes `start` + the index that its element has there.
class Iota : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Iota>();
        if (auto problem = resolve_operands(p, *e, 1, 1, true); !problem.ok()) return problem;
        const auto& parameters = p.instruction->parameters;
        const LaneAccess& d = e->operands[0];
        if (parameters.size() != 1 || parameters[0] < 0 || parameters[0] >= d.view->rank())
            return p.refuse("its parameter must be a dimension of the view that it writes");
        std::int64_t after = 1;
        for (int k = static_cast<int>(parameters[0]) + 1; k < d.view->rank(); ++k) after *= d.view->extents[k];
        const Distribution& part = *p.instruction->operands[0].distribution;
        for (int agent = 0; agent < part.agents; ++agent)
            for (int issue = 0; issue < part.issues; ++issue)
                for (int lane = 0; lane < part.lanes; ++lane)
                    for (int v = 0; v < part.vector; ++v) {
                        const std::int32_t element = part.element[part.at(issue, agent, lane, v)];
                        e->along_.push_back(element < 0 ? 0 : element / after % d.view->extents[static_cast<int>(parameters[0])]);
                    }
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to;
        if (!block.places(*this, 0, column, agent, to)) return false;
        if (block.counting()) {
            count_issues(block, *this, to);
            block.count(*this, 0, column, to);
        }
        const std::int64_t start = instruction->start(block.variables(agent));
        return for_each_copy(operands[0], to, [&](const LaneElements& copy) { return write(block, column, agent, copy, start); });
    }

  private:
    bool write(Block& block, int column, int agent, const LaneElements& to, std::int64_t start) const
    {
        const LaneAccess& d = operands[0];
        const DType type = d.plan->tensor->dtype;
        const Actor actor = block.actor(agent, index);
        std::byte* target = block.data(d, agent);
        const auto col = static_cast<std::size_t>(column), vector = static_cast<std::size_t>(d.vector);
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            if (block.full() && !d.in_registers() && !block.write(*this, 0, actor, lane, to.base + to.table[i], d.bytes))
                return false;
            for (int v = 0; v < d.vector; ++v) {
                const std::int64_t place = place_of_element(d, to, i, col, v);
                const std::int64_t number = start + along_[(col * d.entries() + i) * vector + static_cast<std::size_t>(v)];
                const std::uint64_t bits = is_whole(type) ? encode_int(type, number) : encode(type, static_cast<double>(number));
                std::memcpy(target + place * d.plan->width, &bits, static_cast<std::size_t>(d.plan->width));
                if (block.full() && d.in_registers()) block.write_register(d, agent, lane, place);
            }
        }
        return true;
    }

    std::vector<std::int64_t> along_{}; ///< [agent][issue][lane][element of the vector]
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
