// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_BLOCK_RUN_HPP
#define AXE_TESTS_UNIT_SCHEDULE_BLOCK_RUN_HPP

#include <axe/layout/points.hpp>
#include <axe/machine/axes.hpp>
#include <axe/program/functions.hpp>
#include <axe/schedule/schedule.hpp>

#include <catch.hpp>
#include <map>
#include <set>
#include <tuple>

/// Runs the moves, maps and shuffles of one block, naively: each lane's registers and the shared memory are maps to numbers. Between two
/// barriers the agents are in no order, so what one agent writes in shared memory no other may touch.
class BlockRun {
  public:
    explicit BlockRun(const axe::Request& request) : request_(&request) {}

    using ExecutionScope = std::tuple<int, std::int64_t, std::int64_t, std::int64_t>; ///< tensor, agent, lane, address
    std::map<std::string, int> opcodes{};
    int barriers = 0;

    bool is_private(int tensor)
    {
        axe::View v;
        v.tensor = tensor;
        return request_->memory(v).roles.has(axe::Role::registers);
    }
    std::vector<ExecutionScope> places(const axe::View& view, std::int64_t element)
    {
        using namespace axe;
        const Tensor& t = request_->tensor(view);
        const Coord c = coordinate(view.extents, element);
        Coord at;
        for (const Affine& o : view.origin) at.push_back(o.constant());
        for (int k = 0; k < view.rank(); ++k)
            if (view.dims[k] >= 0) at[view.dims[k]] += c[k] * view.steps[k];
        const auto index = linear_index(t.shape, at);
        hold(index.has_value(), "an element is outside of its tensor");
        auto& known = cache_[{view.tensor, *index}];
        if (!known.empty()) return known;
        const bool mine = is_private(view.tensor);
        Layout layout = t.layout.layout;
        if (mine && find_scope(request_->machine(), "lane") != nullptr)
            layout = convert_axes(request_->machine(), layout, {"warp", "lane"}).value();
        for (const auto& p : points(layout, *index))
            known.emplace_back(view.tensor, mine ? p["warp"] + p["thread"] : -1, mine ? p["lane"] : -1,
                               p[mine ? Axis("reg") : Axis("m")]);
        return known;
    }

    void set(const axe::View& view, std::int64_t element, double value)
    {
        for (const ExecutionScope& p : places(view, element)) memory_[p] = value;
    }
    double get(const ExecutionScope& p)
    {
        const auto found = memory_.find(p);
        hold(found != memory_.end(), "read before it was written");
        return found->second;
    }

    void run(const axe::Body& body)
    {
        for (const axe::Statement& s : body) {
            if (std::holds_alternative<axe::Barrier>(s.what)) {
                ++barriers;
                writer_.clear();
                readers_.clear();
                continue;
            }
            const auto* instruction = std::get_if<axe::Instruction>(&s.what);
            REQUIRE(instruction != nullptr);
            ++opcodes[instruction->opcode];
            run(*instruction);
        }
    }

  private:
    static void hold(bool is_so, const char* otherwise)
    {
        if (!is_so) FAIL(otherwise);
    }

    ExecutionScope scope_of(const axe::View& view, std::int64_t element, int agent, int lane)
    {
        for (const ExecutionScope& p : places(view, element))
            if (std::get<1>(p) == -1 || (std::get<1>(p) == agent && std::get<2>(p) == lane)) return p;
        FAIL("agent " << agent << ", lane " << lane << " does not hold element " << element << " of "
                      << request_->tensor(view).name);
        std::abort();
    }
    double read(const ExecutionScope& p, int agent)
    {
        if (std::get<1>(p) == -1) {
            const auto w = writer_.find(p);
            hold(w == writer_.end() || w->second == agent, "a race");
            readers_[p].insert(agent);
        }
        return get(p);
    }
    void write(const ExecutionScope& p, int agent, double value)
    {
        if (std::get<1>(p) == -1) {
            const auto [w, is_new] = writer_.emplace(p, agent);
            hold(is_new || w->second == agent, "a race");
            for (const int r : readers_[p]) hold(r == agent, "a race");
        }
        memory_[p] = value;
    }

    void run(const axe::Instruction& in)
    {
        using namespace axe;
        const Distribution& d = *in.operands[0].distribution;
        for (const Access& a : in.operands) {
            REQUIRE(a.distribution->issues == d.issues);
            REQUIRE(a.distribution->agents == in.agents);
            REQUIRE(a.distribution->lanes == d.lanes);
            REQUIRE(a.distribution->vector == 1);
        }
        for (int issue = 0; issue < d.issues; ++issue)
            for (int i = 0; i < in.agents; ++i) {
                const int agent = in.first_agent + i * in.agent_stride;
                std::map<ExecutionScope, double> results; // lanes of an agent run together
                for (int lane = 0; lane < d.lanes; ++lane) {
                    const std::int32_t e = d.element[d.at(issue, i, lane)];
                    if (e < 0) continue;
                    double value[3] = {0, 0, 0};
                    for (std::size_t k = 1; k < in.operands.size(); ++k) {
                        const Access& a = in.operands[k];
                        const std::int32_t from = a.distribution->element[d.at(issue, i, lane)];
                        hold(from >= 0, "an operand takes no part");
                        int source = lane;
                        if (in.opcode == "shuffle") {
                            source = lane ^ static_cast<int>(in.parameters.at(0));
                            REQUIRE(storage_bytes(request_->tensor(a.view).dtype) <= 4);
                        }
                        value[k - 1] = read(scope_of(a.view, from, agent, source), agent);
                    }
                    if (in.opcode == "map") value[0] = in.function.row().apply(value[0], value[1], value[2]);
                    results[scope_of(in.operands[0].view, e, agent, lane)] = value[0];
                }
                for (const auto& [p, v] : results) write(p, agent, v);
            }
    }

    const axe::Request* request_;
    std::map<ExecutionScope, double> memory_{};
    std::map<ExecutionScope, int> writer_{};
    std::map<ExecutionScope, std::set<int>> readers_{};
    std::map<std::pair<int, std::int64_t>, std::vector<ExecutionScope>> cache_{};
};

#endif
