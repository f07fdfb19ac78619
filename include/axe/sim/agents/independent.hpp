// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_INDEPENDENT_HPP
#define AXE_SIM_AGENTS_INDEPENDENT_HPP

#include <axe/layout/properties.hpp>
#include <axe/program/expression_walk.hpp>
#include <axe/sim/agents/executable.hpp>

/// Do the blocks of a grid, or its clusters, access different elements of what they write, whatever the data? Then they may run side by
/// side.
namespace axe {
inline namespace v0 {
namespace sim {

/// What is known of a grid's accesses of the device's memory before it runs.
struct Independence {
    bool holds = false;
    std::vector<int> read_only{}; ///< tensors of the device that its blocks read and do not write
};

namespace detail_independent {

using Wide = wider_t<std::int64_t>;
inline constexpr Wide far = Wide{1} << 100;
inline constexpr Wide any = Wide{1} << 62; ///< from −any to any: all that a variable can be

struct Interval {
    Wide low = 0, high = 0;
};

/// Looks through the body of a grid.
class Looker {
  public:
    Looker(const std::vector<TensorPlan>& plans, const GridCode& grid) : plans_(plans), grid_(grid), accesses_(plans.size())
    {
        for (const Var v : grid.grid->vars) block_.push_back(v.id);
        for (std::size_t k = 0; k < grid.grid->in_cluster.size(); ++k)
            in_cluster_.push_back({grid.grid->in_cluster[k].id, {0, grid.grid->cluster[static_cast<int>(k)] - 1}});
    }

    Independence run()
    {
        Independence out;
        for (const auto& e : grid_.instructions)
            if (e->in_agent_order && !e->instruction->operands.empty() && is_of_device(e->instruction->operands[0].view))
                return out; // their order is seen
        note_loops(grid_.grid->body);
        if (!body(grid_.grid->body)) return out;
        for (std::size_t t = 0; t < accesses_.size(); ++t) {
            if (accesses_[t].empty() && !loaded(static_cast<int>(t))) continue;
            const bool written = std::any_of(accesses_[t].begin(), accesses_[t].end(), [](const Access& a) { return a.writes; });
            if (!written)
                out.read_only.push_back(static_cast<int>(t));
            else if (loaded(static_cast<int>(t)) || !are_apart(static_cast<int>(t)))
                return out;
        }
        out.holds = true;
        return out;
    }

  private:
    /// A term of a variable that has several values in a block, and all of them, multiplied.
    struct Term {
        Wide coefficient = 0;
        Interval values{};
    };
    struct Access {
        const View* view;
        bool writes;
        /// Of each dimension: the indices where all variables are 0; and what those variables add that have several values in a block.
        std::vector<Interval> range{};
        std::vector<std::vector<Term>> terms{};
    };

    [[nodiscard]] bool is_of_device(const View& v) const
    {
        return plans_[static_cast<std::size_t>(v.tensor)].owner == Owner::device;
    }
    [[nodiscard]] bool is_of_block(int var) const { return std::find(block_.begin(), block_.end(), var) != block_.end(); }
    /// The values of a variable that says which one of its cluster a block is; null: it is not such a one.
    [[nodiscard]] const Interval* in_cluster(int var) const
    {
        for (const auto& [id, values] : in_cluster_)
            if (id == var) return &values;
        return nullptr;
    }
    [[nodiscard]] bool loaded(int tensor) const { return std::find(loads_.begin(), loads_.end(), tensor) != loads_.end(); }

    void note_loops(const Body& statements)
    {
        for_each_statement(statements, [&](const Statement& s) {
            if (const auto* loop = std::get_if<For>(&s.what)) loops_.push_back(loop->var.id);
            if (const auto* let = std::get_if<Let>(&s.what)) loops_.push_back(let->var.id);
        });
    }
    void note_loads(const Expression& e)
    {
        for_each_node(e, [&](const Expression& node) {
            if (node.kind == Expression::Kind::load && is_of_device(node.element)) loads_.push_back(node.element.tensor);
        });
    }

    /// The values of a sum of variables: `outer(variable, values)` says those of variables that no open loop has, or that they are left
    /// out (false). False: a loop's variable is used outside the loop, where it has what is left of it; or numbers beyond all memories.
    /// @param terms if not null, what variables add comes there, and not to the sum
    template <class Outer>
    bool values_of(const Affine& a, Interval& out, Outer outer, std::vector<Term>* terms = nullptr) const
    {
        out = {a.constant(), a.constant()};
        for (const Affine::Term& t : a.terms()) {
            const auto open = std::find_if(open_.begin(), open_.end(), [&](const auto& o) { return o.first == t.var; });
            Interval v;
            if (open != open_.end())
                v = open->second;
            else if (const Interval* values = in_cluster(t.var); values != nullptr)
                v = *values;
            else if (std::find(loops_.begin(), loops_.end(), t.var) != loops_.end())
                return false;
            else if (!outer(t.var, v))
                continue;
            const Interval added{Wide{t.coefficient} * (t.coefficient > 0 ? v.low : v.high),
                                 Wide{t.coefficient} * (t.coefficient > 0 ? v.high : v.low)};
            if (added.low < -far || added.high > far) return false;
            if (terms != nullptr)
                terms->push_back({t.coefficient, added});
            else
                out.low += added.low, out.high += added.high;
            if (out.low < -far || out.high > far) return false;
        }
        return true;
    }
    /// The first and the last value that a loop's bound has in any block.
    bool bounds_of(const Affine& a, Interval& out) const
    {
        return values_of(a, out, [&](int var, Interval& v) {
            const auto k = std::find(block_.begin(), block_.end(), var) - block_.begin();
            v = k < static_cast<std::ptrdiff_t>(block_.size()) ? Interval{0, grid_.grid->counts[static_cast<int>(k)] - 1}
                                                               : Interval{-any, any};
            return true;
        });
    }

    bool body(const Body& statements)
    {
        for (const Statement& s : statements) {
            for_each_expression(s, [&](const Expression& e) { note_loads(e); });
            if (const auto* instruction = std::get_if<Instruction>(&s.what))
                if (!note(*instruction)) return false;
            const auto* loop = std::get_if<For>(&s.what);
            if (loop != nullptr) {
                Interval begin, end;
                if (is_of_block(loop->var.id) || !bounds_of(loop->begin, begin) || !bounds_of(loop->end, end)) return false;
                open_.push_back({loop->var.id, {begin.low, std::max(begin.low, end.high - 1)}});
            }
            const auto* let = std::get_if<Let>(&s.what);
            if (let != nullptr) open_.push_back({let->var.id, {-any, any}}); // whatever the data
            bool sound = true;
            for_each_body(s, [&](const Body& inner) { sound = sound && body(inner); });
            if (loop != nullptr || let != nullptr) open_.pop_back();
            if (!sound) return false;
        }
        return true;
    }

    bool note(const Instruction& instruction)
    {
        for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
            const View& v = instruction.operands[k].view;
            if (!is_of_device(v)) continue;
            Access access{&v, writes(instruction, k)};
            for (std::size_t d = 0; d < v.origin.size(); ++d) {
                Interval range;
                std::vector<Term> terms;
                if (!values_of(v.origin[d], range, [](int, Interval&) { return false; }, &terms)) return false;
                for (int i = 0; i < v.rank(); ++i)
                    if (v.dims[i] == static_cast<int>(d))
                        (v.steps[i] < 0 ? range.low : range.high) += Wide{v.steps[i]} * (v.extents[i] - 1);
                access.range.push_back(range);
                access.terms.push_back(std::move(terms));
            }
            accesses_[static_cast<std::size_t>(v.tensor)].push_back(std::move(access));
        }
        return true;
    }

    /// Two blocks that differ in a variable of n values are apart in some dimension d, where every access is at
    ///     s·variable + multiples of s·n + what is the same for all accesses and blocks + a range of fewer than |s| indices:
    /// modulo s·n, as tiles are that a block has in every n-th place.
    /// Blocks of one cluster need not be: a variable that has one value for each of them, and the same ones in all clusters, tells none.
    [[nodiscard]] bool are_apart(int tensor) const
    {
        const TensorPlan& plan = plans_[static_cast<std::size_t>(tensor)];
        if (plan.shared_bits != 0 || plan.address.copies.size() != 1 || !plan.device.is_constant() ||
            plan.device.copies.size() != 1)
            return false;
        const Decision single = is_injective(plan.tensor->layout.layout);
        if (single.undecided() || !single) return false;
        for (int k = 0; k < grid_.grid->counts.size(); ++k) {
            if (grid_.grid->counts[k] == (in_cluster_.empty() ? 1 : grid_.grid->cluster[k])) continue;
            bool apart = false;
            for (int d = 0; d < plan.tensor->shape.size() && !apart; ++d) apart = is_apart(tensor, k, d);
            if (!apart) return false;
        }
        return true;
    }
    [[nodiscard]] bool is_apart(int tensor, int k, int d) const
    {
        const int var = block_[static_cast<std::size_t>(k)];
        const auto& accesses = accesses_[static_cast<std::size_t>(tensor)];
        const auto ud = static_cast<std::size_t>(d);
        const auto outer = [&](const Access& a) { // the terms that are not in the range
            std::vector<Affine::Term> terms;
            for (const Affine::Term& t : a.view->origin[ud].terms())
                if (is_of_block(t.var) ||
                    (in_cluster(t.var) == nullptr && std::none_of(loops_.begin(), loops_.end(), [&](int l) { return l == t.var; })))
                    terms.push_back(t);
            return terms;
        };
        const auto terms = outer(accesses.front());
        Wide step = 0;
        for (const Affine::Term& t : terms) {
            if (t.var == var)
                step = t.coefficient;
            else if (is_of_block(t.var))
                return false;
        }
        if (step == 0) return false;
        const Wide period = step * grid_.grid->counts[k];
        Interval all{far, -far};
        for (const Access& a : accesses) {
            if (outer(a) != terms) return false;
            Interval range = a.range[ud];
            for (const Term& t : a.terms[ud]) {
                if (t.coefficient % period == 0) continue;
                range.low += t.values.low, range.high += t.values.high;
            }
            all.low = std::min(all.low, range.low);
            all.high = std::max(all.high, range.high);
        }
        return all.high - all.low < (step < 0 ? -step : step);
    }

    const std::vector<TensorPlan>& plans_;
    const GridCode& grid_;
    std::vector<int> block_{}, loops_{}, loads_{};
    std::vector<std::pair<int, Interval>> in_cluster_{};
    std::vector<std::pair<int, Interval>> open_{}; ///< loops around, with their variables' values
    std::vector<std::vector<Access>> accesses_;    ///< by tensor
};

} // namespace detail_independent

/// Nothing that a block of the grid writes in the device's memory is read or written by another block, but for those of its cluster, for
/// every value of the data:
///
///   each tensor that is written has a layout with one place for each element, and no byte of several elements, no atomic or other instruction whose order counts
///   writes it, no condition or scalar loads it, and for each variable b of the grid, of n values that are not all in one
///   cluster, there is a dimension in which all views of it begin at s·b + c plus a multiple of s·n, and stay within fewer than |s|
///   indices from there, c being the same for all views and blocks.
///
/// A no means only that this is not shown. Cost: linear in the grid's statements and their views.
inline Independence independence_of(const std::vector<TensorPlan>& plans, const GridCode& grid)
{
    return detail_independent::Looker(plans, grid).run();
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
