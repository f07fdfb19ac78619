// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXTEND_OPCODES_HPP
#define EXTEND_OPCODES_HPP

#include <axe/sim/memory/box_walk.hpp>
#include <axe/sim/opcodes/engine.hpp>
#include <axe/sim/opcodes/engine_table.hpp>

#include <array>

namespace brook {

/// `pool_2x2` D, A: the pooling engine of a core, on whole views in its memories. How the instruction is made ready, and what one
/// execution does: each element that it reads or writes is reported to the checks, and what it does is counted.
class Pool : public axe::sim::Executable {
  public:
    static axe::sim::Prepared prepare(const axe::sim::Preparation& p)
    {
        auto made = std::make_unique<Pool>();
        if (auto problem = axe::sim::check_boxes(p, *made, 2, 2, true); !problem.ok()) return problem;
        if (auto problem = axe::sim::same_types(p); !problem.ok()) return problem;
        made->type_ = p.plan(0).tensor->dtype;
        return axe::sim::Prepared(std::unique_ptr<axe::sim::Executable>(std::move(made)));
    }

    bool run(axe::sim::Block& block, int, int agent) const override
    {
        using namespace axe::sim;
        Engine engine(block, *this, agent);
        engine.count_issue();
        engine.count(0, 1, 0);
        engine.count(1, 1, 0);
        const axe::View& d = instruction->operands[0].view;
        std::vector<double> most(static_cast<std::size_t>(*axe::volume(d.extents)));
        // A quarter of A at a time: every other row and column, from one of the four first elements on.
        for (int quarter = 0; quarter < 4; ++quarter) {
            axe::View part = instruction->operands[1].view;
            std::vector<std::int64_t> origin = engine.origin(1);
            for (int k = 0; k < 2; ++k) {
                if (part.dims[k] >= 0)
                    origin[static_cast<std::size_t>(part.dims[k])] += part.steps[k] * (k == 0 ? quarter / 2 : quarter % 2);
                part.steps[k] *= 2;
            }
            part.extents = d.extents;
            const BoxSide a = box_side(block.plan(part.tensor), part, origin);
            const bool read = walk(d.extents, &a, 1, [&](const Stretch& s) {
                bool is_there = true;
                if (!engine.reach(a, s, s.at[0], is_there)) return false;
                if (is_there && !engine.read(a, s, s.at[0])) return false;
                if (is_there) engine.count(1, 0, s.n * a.plan->width);
                for (std::int64_t i = 0; i < s.n; ++i) {
                    const double x =
                        is_there ? axe::decode(type_, load_bits(engine.data(a) + s.at[0](i) * a.plan->width, a.plan->width)) : 0;
                    double& m = most[static_cast<std::size_t>(s.index + i)];
                    m = quarter == 0 ? x : axe::Function::max.row().apply(m, x, 0);
                }
                return true;
            });
            if (!read) return false;
        }
        engine.count_operations(3 * static_cast<std::int64_t>(most.size()), false);
        const BoxSide out = engine.side(0);
        return walk(d.extents, &out, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(out, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            if (!engine.write(out, s, s.at[0])) return false;
            engine.count(0, 0, s.n * out.plan->width);
            for (std::int64_t i = 0; i < s.n; ++i)
                engine.store(out, s.at[0](i), axe::encode(type_, most[static_cast<std::size_t>(s.index + i)]));
            return true;
        });
    }

  private:
    axe::DType type_ = axe::DType::f32;
};

inline constexpr axe::sim::Opcode opcodes[] = {
    {"pool_2x2", "the pooling engine: the largest of each 2x2 elements", Pool::prepare},
};

} // namespace brook

#endif
