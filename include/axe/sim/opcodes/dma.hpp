// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_DMA_HPP
#define AXE_SIM_OPCODES_DMA_HPP

#include <axe/sim/opcodes/view_rules.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `dma` D, A: D = A between any memories that a block can access, types alike unless the rules of the target let it convert; what is
/// outside a guarded A arrives as zeros. A request is a descriptor: a run of neighboring bytes.
///
/// Asynchronous and with all checks, A is read when it starts *and* when it is waited for: a difference is a fault. D is written at
/// the wait.
template <class Rules>
class Dma : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Dma>();
        if (auto problem = check_boxes(p, *e, 2, 2, false); !problem.ok()) return problem;
        if (auto problem = same_extents(p); !problem.ok()) return problem;
        auto rules = Rules::of_copy(p);
        if (!rules) return rules.error();
        e->rules_ = std::move(*rules);
        if (p.instruction->async) e->ends_by = EndsBy::copies;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        const bool later = instruction->async && block.full();
        Engine engine(block, *this, agent, later);
        engine.count_issue();
        const auto started = std::make_shared<Started>();
        started->sides[0] = engine.side(0);
        started->sides[1] = engine.side(1);
        const BoxSide &d = started->sides[0], &a = started->sides[1];
        if (!rules_.hold(engine, started->sides, 2)) return false;
        const auto width = static_cast<std::size_t>(a.plan->width);
        std::int64_t ends[2] = {-1, -1};
        const bool done = walk(d.view->extents, started->sides, 2, [&](const Stretch& s) {
            bool to = true, from = true;
            if (!engine.reach(d, s, s.at[0], to)) return false;
            if (!to) return true;
            if (!engine.reach(a, s, s.at[1], from)) return false;
            const bool is_there[2] = {to, from};
            if (!engine.is_unwritten(started->sides, 2, s, is_there)) return false;
            if (from && !engine.read(a, s, s.at[1])) return false;
            if (!engine.write(d, s, s.at[0])) return false;
            count(engine, d, a, s, from, ends);
            const std::byte* source = from ? engine.data(a) : nullptr;
            if (!later) return move(engine, d, a, s, source, s.at[1]);
            if (from) {
                const std::size_t old = started->bytes.size();
                started->bytes.resize(old + static_cast<std::size_t>(s.n) * width);
                move_elements(*a.plan, started->bytes.data() + old, {0, 1, 0, true}, *a.plan, source, s.at[1], s.n);
            }
            started->jobs.push_back({s, from});
            return true;
        });
        if (!done) return false;
        if (later) {
            Block* at = &block;
            block.start_async(agent, [this, at, agent, started] { return finish(*at, agent, *started); });
        }
        return true;
    }

  private:
    Rules rules_{};

    struct Started {
        struct Job {
            Stretch stretch{};
            bool from_a = true; ///< not zeros
        };
        BoxSide sides[2]{};
        std::vector<Job> jobs{};
        std::vector<std::byte> bytes{}; ///< of A, as they were at the start
    };

    /// Descriptors: the runs in which both sides go on byte by byte. Partitions are not neighbors.
    static void count(Engine& engine, const BoxSide& d, const BoxSide& a, const Stretch& s, bool from, std::int64_t* ends)
    {
        const auto left_in_partition = [](const BoxSide& side, std::int64_t place) {
            const TensorPlan& plan = *side.plan;
            return plan.pitch == 0 ? std::numeric_limits<std::int64_t>::max() : plan.pitch - (place + plan.low) % plan.pitch;
        };
        const Stretch::At &to = s.at[0], &source = s.at[1];
        std::int64_t runs = s.n;
        if (s.n == 1 || (to.step == 1 && (!from || source.step == 1))) {
            runs = 0;
            for (std::int64_t i = 0; i < s.n; ++runs) {
                std::int64_t n = std::min(s.n - i, left_in_partition(d, to(i)));
                if (from) n = std::min(n, left_in_partition(a, source(i)));
                i += n;
            }
            const auto begins_partition = [&](const BoxSide& side, std::int64_t place) {
                return side.plan->pitch > 0 && left_in_partition(side, place) == side.plan->pitch;
            };
            const bool goes_on = from && to.place == ends[0] && source.place == ends[1] && !begins_partition(d, to.place) &&
                                 !begins_partition(a, source.place);
            runs -= goes_on ? 1 : 0;
        }
        ends[0] = to(s.n - 1) + 1;
        ends[1] = from ? source(s.n - 1) + 1 : -1;
        engine.count(0, runs, s.n * d.plan->width * static_cast<std::int64_t>(d.plan->address.copies.size()));
        if (from) engine.count(1, runs, s.n * a.plan->width);
    }

    static bool move(Engine& engine, const BoxSide& d, const BoxSide& a, const Stretch& s, const std::byte* source,
                     const Stretch::At& from)
    {
        return for_copies(*d.plan, s.at[0], s.n, [&](std::int64_t i, const Stretch::At& copy, std::int64_t n) {
            Stretch::At part = from;
            part.place = from(i);
            move_elements(*d.plan, engine.data(d), copy, *a.plan, source, part, n);
            return true;
        });
    }

    bool finish(Block& block, int agent, const Started& started) const
    {
        Engine engine(block, *this, agent, true);
        const BoxSide &d = started.sides[0], &a = started.sides[1];
        const auto width = static_cast<std::size_t>(a.plan->width);
        const std::byte* then = started.bytes.data();
        for (const auto& job : started.jobs) {
            const Stretch& s = job.stretch;
            if (!job.from_a) {
                move(engine, d, a, s, nullptr, {});
                continue;
            }
            const std::byte* now = engine.data(a);
            for (std::int64_t i = 0; i < s.n; ++i)
                if (std::memcmp(then + static_cast<std::size_t>(i) * width, now + static_cast<std::size_t>(s.at[1](i)) * width,
                                width) != 0)
                    return block.fail(
                        FaultKind::async_source, statement,
                        changed_text(placed_text(agent_text(agent), a.element_text(s.index + i), a.plan->place_text(s.at[1](i))),
                                     "DMA"));
            move(engine, d, a, s, then, {0, 1, 0, true});
            then += static_cast<std::size_t>(s.n) * width;
        }
        return true;
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
