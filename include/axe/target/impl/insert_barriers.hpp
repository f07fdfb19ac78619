// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_IMPL_INSERT_BARRIERS_HPP
#define AXE_TARGET_IMPL_INSERT_BARRIERS_HPP

#include <axe/program/validate.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/sim/run.hpp>
#include <axe/target/insert_barriers.hpp>

/// Barriers that a program lacks, found from the faults of its runs. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

class BarrierSearch {
  public:
    BarrierSearch(const Program& program, const Target& target, const Bindings& inputs, const BarrierOptions& options)
        : target_(target), inputs_(inputs), options_(options)
    {
        out_.program = program;
    }

    Result<WithBarriers, Problem> find()
    {
        for (;;) {
            auto fault = fault_of(out_.program);
            if (!fault) return fault.error();
            if (!fault->found()) break;
            if (!insert(*fault)) return Problem(errc::bad_argument, "no barrier repairs it: {0}", {fault->text});
        }
        // A later barrier may do what an earlier one was for.
        for (std::size_t i = 0; i < out_.inserted.size();) {
            Program without = out_.program;
            remove(without.body, out_.inserted[i]);
            auto fault = fault_of(without);
            if (!fault) return fault.error();
            if (fault->found()) {
                ++i;
                continue;
            }
            out_.program = std::move(without);
            out_.inserted.erase(out_.inserted.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return std::move(out_);
    }

  private:
    /// A statement in its body, and so on from the outermost body in.
    struct Step {
        Body* body = nullptr;
        std::size_t at = 0;
        bool in_grid = false;
    };

    Result<sim::Fault, Problem> fault_of(const Program& program)
    {
        if (out_.runs == options_.most_runs)
            return Problem(errc::too_hard, "barriers are looked for in {0} runs, and some are still missing", {out_.runs});
        ++out_.runs;
        if (auto problems = validate(program); !problems.empty()) return problems.front();
        const auto lowered = lower(program, target_);
        if (!lowered) return lowered.error();
        sim::RunOptions run;
        run.counters = false;
        run.most_steps = options_.most_steps;
        auto report = sim::run(lowered->program, target_, inputs_, run);
        if (!report) return report.error();
        return std::move(report->fault);
    }

    static bool find_path(Body& body, int id, bool in_grid, std::vector<Step>& out)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            out.push_back({&body, i, in_grid});
            const bool inside = in_grid || std::holds_alternative<Grid>(body[i].what);
            if (body[i].id == id || for_each_body(body[i], [&](Body& inner) { return find_path(inner, id, inside, out); }))
                return true;
            out.pop_back();
        }
        return false;
    }

    /// Puts a barrier before the access that came later in the run, or, where one is there already, before the other one, which may be
    /// the later one in the program; false where none can be, or both are there.
    bool insert(const sim::Fault& fault)
    {
        if (fault.kind != sim::FaultKind::race || fault.statement < 0 || fault.other_statement < 0) return false;
        std::vector<Step> later, earlier;
        if (!find_path(out_.program.body, fault.statement, false, later) ||
            !find_path(out_.program.body, fault.other_statement, false, earlier))
            return false;
        std::size_t common = 0;
        while (common + 1 < std::min(later.size(), earlier.size()) && later[common + 1].body == earlier[common + 1].body) ++common;
        for (const Step& place : {later[common], earlier[common]}) {
            if (!place.in_grid) return false;
            if (place.at > 0 && std::holds_alternative<Barrier>((*place.body)[place.at - 1].what)) continue;
            out_.inserted.push_back(out_.program.statements++);
            Statement barrier;
            barrier.id = out_.inserted.back();
            barrier.what = Barrier{};
            place.body->insert(place.body->begin() + static_cast<std::ptrdiff_t>(place.at), std::move(barrier));
            return true;
        }
        return false;
    }

    static void remove(Body& body, int id)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (body[i].id == id) {
                body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
            for_each_body(body[i], [&](Body& inner) { remove(inner, id); });
        }
    }

    const Target& target_;
    const Bindings& inputs_;
    BarrierOptions options_;
    WithBarriers out_{};
};

} // namespace detail

AXE_DECL Result<WithBarriers, Problem> insert_barriers(const Program& program, const Target& target, const Bindings& inputs,
                                                       const BarrierOptions& options)
{
    return detail::BarrierSearch(program, target, inputs, options).find();
}

} // namespace v0
} // namespace axe

#endif
