// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_IMPL_CHOOSE_HPP
#define AXE_TARGET_SPYRE_COMPILER_IMPL_CHOOSE_HPP

#include <axe/target/spyre/compiler/choose.hpp>
#include <axe/target/spyre/rules/move.hpp>

#include <algorithm>
#include <map>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// The sticks that a copy of a tensor has.
inline std::int64_t sticks_written(const Value& value, Stick stick)
{
    const auto t = make_tensor(contiguous(value.sizes), value.format, order_for(value, stick));
    return t ? stick_count(t->device).value_or(0) : 0;
}

/// Searches all ways together, operator by operator: of two that leave the tensors still needed with the same sticks, the cheaper one.
class StickChooser {
  public:
    static constexpr std::size_t most_states = std::size_t{1} << 16;

    explicit StickChooser(const OperatorGraph& graph) : graph_(graph)
    {
        const std::size_t tensors = graph.inputs.size() + graph.nodes.size();
        last_use_.assign(tensors, -1);
        for (std::size_t n = 0; n < graph.nodes.size(); ++n)
            for (const int t : graph.nodes[n].operands) last_use_[static_cast<std::size_t>(t)] = static_cast<int>(n);
        for (const auto& o : graph.outputs) last_use_[static_cast<std::size_t>(o.tensor)] = static_cast<int>(graph.nodes.size());
    }

    Result<StickChoice> choose()
    {
        layers_.push_back({State{}});
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            const auto& node = graph_.nodes[n];
            for (const int t : node.operands)
                if (const Status e = enter(t); !e.ok()) return e;
            if (const Status e = run(static_cast<int>(n)); !e.ok()) return e;
        }
        for (const auto& o : graph_.outputs) {
            if (const Status e = enter(o.tensor); !e.ok()) return e;
            if (const Status e = leave(o); !e.ok()) return e;
        }
        return answer();
    }

  private:
    using Mask = std::uint32_t;

    /// What is known after a step: of each tensor still needed, its own stick and those of its copies.
    struct State {
        std::map<int, std::pair<Stick, Mask>> live{};
        std::int64_t count = 0, moved = 0;
        int parent = -1, choice = -1; ///< the state before, and the rule or stick that led here
    };
    struct Step {
        int node = -1, tensor = -1; ///< an operator, or an input that comes in, or (both −1) an output
    };

    static Mask bit(Stick stick) noexcept { return Mask{1} << (stick + 1); }

    /// Has a state the tensor with this stick, perhaps for one more copy?
    bool reach(State& s, int tensor, Stick stick)
    {
        auto& [own, made] = s.live[tensor];
        if ((made & bit(stick)) != 0) return true;
        if (!can_restickify(own, stick)) {
            failed_ = {tensor, stick};
            return false;
        }
        made |= bit(stick);
        ++s.count;
        s.moved += sticks_written(graph_.value(tensor), stick);
        return true;
    }

    /// The states of the next layer: one for each way that tensors still needed are laid out.
    Status close(Step step, std::vector<State>& next)
    {
        std::map<std::map<int, std::pair<Stick, Mask>>, State> best;
        for (State& s : next) {
            const auto [at, is_new] = best.try_emplace(s.live, s);
            if (!is_new && std::pair(s.count, s.moved) < std::pair(at->second.count, at->second.moved)) at->second = s;
        }
        if (best.size() > most_states)
            return Error(errc::too_hard, step.node, "more than {0} ways to lay out the tensors that operator {1} leaves",
                         static_cast<std::int64_t>(most_states), step.node);
        std::vector<State> layer;
        for (auto& [key, s] : best) layer.push_back(std::move(s));
        layers_.push_back(std::move(layer));
        steps_.push_back(step);
        return {};
    }

    /// An input, when it is first needed.
    Status enter(int tensor)
    {
        const auto t = static_cast<std::size_t>(tensor);
        if (t >= graph_.inputs.size() || std::find(entered_.begin(), entered_.end(), tensor) != entered_.end()) return {};
        entered_.push_back(tensor);
        const auto& input = graph_.inputs[t];
        std::vector<State> next;
        for (std::size_t p = 0; p < layers_.back().size(); ++p)
            for (const Stick stick : sticks_of(input.value)) {
                if (input.stick != OperatorGraph::any && stick != stick_within(input.value, input.stick)) continue;
                State s = layers_.back()[p];
                s.parent = static_cast<int>(p);
                s.choice = stick;
                s.live[tensor] = {stick, bit(stick)};
                next.push_back(std::move(s));
            }
        return close({-1, tensor}, next);
    }

    /// An operator, by each of its rules.
    Status run(int n)
    {
        const auto& node = graph_.nodes[static_cast<std::size_t>(n)];
        const int result = static_cast<int>(graph_.inputs.size()) + n;
        std::vector<State> next;
        for (std::size_t p = 0; p < layers_.back().size(); ++p)
            for (std::size_t r = 0; r < node.op.rules.size(); ++r) {
                const StickRule& rule = node.op.rules[r];
                State s = layers_.back()[p];
                bool possible = true;
                for (std::size_t i = 0; i < node.operands.size() && possible; ++i)
                    possible = reach(s, node.operands[i], rule.operands[i]);
                if (!possible) continue;
                for (auto it = s.live.begin(); it != s.live.end();)
                    it = last_use_[static_cast<std::size_t>(it->first)] <= n ? s.live.erase(it) : std::next(it);
                if (last_use_[static_cast<std::size_t>(result)] > n) s.live[result] = {rule.result, bit(rule.result)};
                s.parent = static_cast<int>(p);
                s.choice = static_cast<int>(r);
                next.push_back(std::move(s));
            }
        if (next.empty()) return no_way(n);
        return close({n, -1}, next);
    }

    Status leave(const OperatorGraph::Output& output)
    {
        std::vector<State> next;
        for (std::size_t p = 0; p < layers_.back().size(); ++p) {
            State s = layers_.back()[p];
            s.parent = static_cast<int>(p);
            const Stick wanted = stick_within(graph_.value(output.tensor), output.stick);
            if (output.stick == OperatorGraph::any || reach(s, output.tensor, wanted)) next.push_back(std::move(s));
        }
        if (next.empty()) return no_way(static_cast<int>(graph_.nodes.size()));
        return close({}, next);
    }

    [[nodiscard]] Status no_way(int n) const
    {
        if (failed_.stick == sparse)
            return Error(
                errc::no_layout, n,
                "no mechanism to scatter a stick of tensor {0} to several sticks for operator {1}: reduce it within sticks",
                failed_.tensor, n);
        return Error(
            errc::no_layout, n,
            "operator {1} needs elements of tensor {0} gathered from several sticks: make it with dimension {2} within sticks",
            failed_.tensor, n, failed_.stick);
    }

    /// The cheapest way, step by step from its end.
    StickChoice answer() const
    {
        const auto& last = layers_.back();
        const auto cheapest = std::min_element(last.begin(), last.end(), [](const State& a, const State& b) {
            return std::pair(a.count, a.moved) < std::pair(b.count, b.moved);
        });
        StickChoice out;
        out.moved = cheapest->moved;
        out.sticks.assign(last_use_.size(), OperatorGraph::any);
        out.rules.assign(graph_.nodes.size(), -1);
        int at = static_cast<int>(cheapest - last.begin());
        for (std::size_t k = steps_.size(); k-- > 0;) {
            const State& s = layers_[k + 1][static_cast<std::size_t>(at)];
            if (steps_[k].node >= 0) out.rules[static_cast<std::size_t>(steps_[k].node)] = s.choice;
            if (steps_[k].tensor >= 0) out.sticks[static_cast<std::size_t>(steps_[k].tensor)] = s.choice;
            at = s.parent;
        }
        const auto need = [&](int tensor, Stick stick) {
            const Restickify copy{tensor, out.sticks[static_cast<std::size_t>(tensor)], stick};
            if (copy.from != stick && std::find(out.restickifies.begin(), out.restickifies.end(), copy) == out.restickifies.end())
                out.restickifies.push_back(copy);
        };
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            const StickRule& rule = graph_.nodes[n].op.rules[static_cast<std::size_t>(out.rules[n])];
            for (std::size_t i = 0; i < rule.operands.size(); ++i) need(graph_.nodes[n].operands[i], rule.operands[i]);
            out.sticks[graph_.inputs.size() + n] = rule.result;
        }
        for (const auto& o : graph_.outputs)
            if (o.stick != OperatorGraph::any) need(o.tensor, stick_within(graph_.value(o.tensor), o.stick));
        return out;
    }

    struct Failure {
        int tensor = -1;
        Stick stick = sparse;
    };

    const OperatorGraph& graph_;
    std::vector<int> last_use_{}; ///< the last operator that reads a tensor; that many operators: an output
    std::vector<int> entered_{};
    std::vector<std::vector<State>> layers_{};
    std::vector<Step> steps_{};
    Failure failed_{};
};

} // namespace detail

AXE_DECL Result<StickChoice> choose_sticks(const OperatorGraph& graph)
{
    if (const Status e = detail::check_graph(graph); !e.ok()) return e;
    return detail::StickChooser(graph).choose();
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
