// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_MBARRIERS_HPP
#define AXE_SIM_REFERENCE_MBARRIERS_HPP

#include <axe/machine/machine.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/program.hpp>
#include <axe/sim/control/phase.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace ref {

/// The mbarriers of a block, by the counts that the simulator keeps.
class Mbarriers {
  public:
    [[nodiscard]] sim::PhaseCount& phase(int id) { return phases_[id]; }
    Result<void, Problem> need_set_up(int id, const char* used, int agent)
    {
        if (phases_[id].is_set_up()) return {};
        return {errc::out_of_domain, sim::not_set_up_text(id, used, agent)};
    }

    /// An operation that completes on one has done so: it has brought its bytes, or, where it is committed, arrives.
    Result<void, Problem> complete(const Program& program, const Operation& operation)
    {
        const int id = operation.options.completes_on;
        if (auto e = need_set_up(id, "used", 0); !e.ok()) return e;
        sim::PhaseCount& p = phases_[id];
        const View& d = operation.operands[0];
        const Memory* memory = find_memory(program.machine, tensor_of(program, d).memory.c_str());
        if (is_matrix_product(operation.op) || (memory != nullptr && is_partitioned(*memory))) return arrive(p, id);
        return bring(id, volume(d.extents).value_or(0) * bits(tensor_of(program, d).dtype) / 8);
    }
    Result<void, Problem> bring(int id, std::int64_t bytes)
    {
        if (auto e = need_set_up(id, "used", 0); !e.ok()) return e;
        sim::PhaseCount& p = phases_[id];
        p.bring(bytes);
        if (p.is_beyond()) return {errc::out_of_domain, sim::bytes_beyond_text(id, p.bytes)};
        p.turn();
        return {};
    }

    /// What an agent may do with one, but wait for it.
    Result<void, Problem> act(int agent, const Mbarrier& m)
    {
        using Action = Mbarrier::Action;
        sim::PhaseCount& p = phases_[m.id];
        if (m.action == Action::init) {
            if (m.number < 1 || m.number > most_mbarrier_arrivals) return {errc::bad_argument, sim::arrivals_text(m.number)};
            if (p.is_set_up()) return {errc::out_of_domain, sim::live_text(m.id)};
            p = {m.number, m.number, 0, 0};
            return {};
        }
        if (auto e = need_set_up(m.id, "used", agent); !e.ok()) return e;
        if (m.action == Action::invalidate) {
            p = {};
            return {};
        }
        const bool arrives = m.action != Action::expect_more && m.action != Action::include_copies;
        if (arrives && p.is_full()) return {errc::out_of_domain, sim::one_more_text(m.id, p.expected)};
        if (m.action == Action::expect_bytes || m.action == Action::expect_more) p.bring(-m.number);
        if (p.is_beyond()) return {errc::out_of_domain, sim::bytes_beyond_text(m.id, p.bytes)};
        if (arrives) return arrive(p, m.id);
        p.turn();
        return {};
    }

  private:
    static Result<void, Problem> arrive(sim::PhaseCount& p, int id)
    {
        if (p.is_full()) return {errc::out_of_domain, sim::one_more_text(id, p.expected)};
        p.arrive();
        p.turn();
        return {};
    }

    std::map<int, sim::PhaseCount> phases_{};
};

} // namespace ref
} // namespace v0
} // namespace axe

#endif
