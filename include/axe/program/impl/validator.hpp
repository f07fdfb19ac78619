// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATOR_HPP
#define AXE_PROGRAM_IMPL_VALIDATOR_HPP

#include <axe/machine/check_machine.hpp>
#include <axe/program/allocation.hpp>
#include <axe/program/impl/validate_tensors.hpp>
#include <axe/program/impl/validate_views.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/register_count.hpp>
#include <axe/program/shares.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Walks through a program once, in the order of its text, with what exists at each statement.
class Validator {
  public:
    explicit Validator(const Program& program) : p_(program), levels_(levels_of(program.machine)), env_(program) {}

    std::vector<Problem> problems()
    {
        if (const Status e = check(p_.machine); !e.ok()) {
            out_.push_back(Problem(e.error(), worded("{0}: its machine {1}: ", {p_.name, p_.machine.name})));
            return std::move(out_);
        }
        if (const auto e = check_sizes(p_); !e.ok()) return {e.error()}; // bodies that cannot be walked through
        std::unordered_set<std::string_view> names;
        for (int id = 0; id < static_cast<int>(p_.tensors.size()); ++id) {
            for (Problem& e : check_tensor(p_, id, names)) report_tensor(id, std::move(e));
            if (p_.tensors[static_cast<std::size_t>(id)].binding == Binding::local) continue;
            env_.tensors[static_cast<std::size_t>(id)] = 1;
            place_tensor(id);
        }
        if (env_.has_variable(p_.device.id) && !p_.machine.scopes.empty())
            env_.variable(p_.device.id) = {true, true, true, 0, p_.machine.scopes[0].count - 1};
        if (p_.thread_registers != 0)
            if (std::string wrong = thread_registers_problem(p_.machine, p_.thread_registers); !wrong.empty())
                out_.push_back({errc::bad_argument, p_.name + ": " + std::move(wrong)});
        body(p_.body);
        for (Problem& e : share_problems(p_)) out_.push_back(std::move(e));
        for (Problem& e : run_limit_problems(p_)) out_.push_back(std::move(e));
        for (Problem& e : allocation_problems(p_)) out_.push_back(std::move(e));
        return std::move(out_);
    }

  private:
    /// Who runs the statements.
    struct StatementScope {
        int level = -1;                     ///< all devices; or one member of the scope of this number
        std::int64_t agents = 1, lanes = 1; ///< in it
        std::int64_t first_of = 1;          ///< agents of the block, which slices are counted in
        std::int64_t listed = 1;            ///< agents that instructions are for: of the block, or of the slice
        std::int64_t first = 0, stride = 1; ///< of the slice
        bool in_lane = false, in_agent = false;
        bool in_loop = false;   ///< which `break` may leave
        bool divergent = false; ///< do conditions hold for some of those who run, and not for others?
    };

    void report(Problem e) { out_.push_back({e.code, statement_text(p_, id_) + what_ + ": " + e.text}); }
    void report(errc code, std::string message) { report(Problem(code, std::move(message))); }
    void report_tensor(int id, Problem e)
    {
        out_.push_back({e.code, tensor_text(p_, p_.tensors[static_cast<std::size_t>(id)]) + e.text});
    }
    void check_that(const Result<void, Problem>& e)
    {
        if (!e.ok()) report(e.error());
    }

    /// A body, with what it declares taken back at its end.
    void body(const Body& statements)
    {
        const std::size_t before = allocated_.size();
        for (const Statement& s : statements)
            std::visit(
                [&](const auto& what) {
                    id_ = s.id;
                    what_ = "";
                    visit(what);
                },
                s.what);
        for (; allocated_.size() > before; allocated_.pop_back()) env_.tensors[allocated_.back()] = 0;
    }
    /// A body with its variables and its place.
    void body(const Body& statements, const StatementScope& place, const std::vector<std::pair<Var, VariableState>>& variables)
    {
        const std::vector<std::pair<Var, VariableState>> outside = exchanged(variables);
        const bool certain = env_.certain;
        const StatementScope around = place_;
        place_ = place;
        body(statements);
        place_ = around;
        exchanged(outside);
        env_.certain = certain;
    }
    /// Gives variables these states, the last one counts; what they had before, in the order that gives it back.
    std::vector<std::pair<Var, VariableState>> exchanged(const std::vector<std::pair<Var, VariableState>>& variables)
    {
        std::vector<std::pair<Var, VariableState>> before;
        before.reserve(variables.size());
        for (const auto& [var, state] : variables) {
            before.emplace_back(var, env_.variable(var.id));
            env_.variable(var.id) = state;
        }
        std::reverse(before.begin(), before.end());
        return before;
    }
    /// May the variable be declared here?
    bool declares(Var v)
    {
        if (!env_.has_variable(v.id))
            report(env_.no_variable(v.id));
        else if (env_.variable(v.id).live)
            report(errc::bad_argument, worded("{0} is already the variable of an enclosing body", {name_at(p_.variables, v.id)}));
        else
            return true;
        return false;
    }
    /// Digits over `counts`, numbered by `vars`.
    bool declares(const std::vector<Var>& vars, const Shape& counts, bool of_lanes, std::vector<std::pair<Var, VariableState>>& out)
    {
        if (const auto n = volume(counts); !n) return report(Problem(n.error())), false;
        if (const auto e = need_as_many(vars, counts); !e.ok()) return report(e.error()), false;
        for (int d = 0; d < counts.size(); ++d) {
            const Var v = vars[static_cast<std::size_t>(d)];
            if (!declares(v)) return false;
            out.push_back({v, {true, true, of_lanes, 0, counts[d] - 1}});
        }
        return true;
    }

    void visit(const Alloc& a);
    void visit(const For& f);
    void visit(const While& w);
    void visit(const Break&) { leaves_loop("break"); }
    void visit(const Continue&) { leaves_loop("continue"); }
    void visit(const If& i);
    void visit(const Assign& a);
    void visit(const Let& l);
    void visit(const Grid& g);
    void visit(const Slice& s);
    void visit(const Each& e);
    void visit(const Operation& o);
    void visit(const Instruction& i);
    void visit(const Barrier&)
    {
        if (place_.divergent)
            report(errc::bad_argument, "a barrier under a condition that can differ between the agents of the barrier");
    }
    void visit(const Commit&) {}
    void visit(const ProxyFence& f)
    {
        const bool memory = f.of == ProxyFence::Of::memory;
        what_ = memory ? ", memory fence" : ", proxy fence";
        if (place_.level >= 0) return;
        report(errc::bad_argument, memory ? "a memory fence is for agents of a block; this is outside a block"
                                          : "a proxy fence is for agents of a block; this is outside a block");
    }
    void visit(const Wait& w)
    {
        check_that(check_wait(w));
        if (w.of == Wait::Of::products && place_.level < 0)
            report(errc::bad_argument, "a wait for products is for agents of a block; this is outside a block");
    }
    void visit(const Mbarrier& m);
    void visit(const Flag& f);
    void visit(const ClusterBarrier& b);
    void visit(const CancelLaunch& c);
    void visit(const GridDependency& d);
    void check_bytes(const View& v, std::int64_t bytes, const char* what);
    void visit(const RegisterCount& r);
    void visit(const TensorColumns& c);
    void check_columns(const TensorColumns& c);
    void check_rank(const Affine& rank);
    void check_remote(const Mbarrier& m);
    void check_block(const View& v, const std::string& who);
    void check_multicast(const Operation& o);
    void check_mask(std::uint16_t mask);
    void check_pair(const Operation& o);
    void check_group(const View& d, const View& a, bool pair);
    void note_group(bool pair);
    void visit(const NamedBarrier& b)
    {
        what_ = ", named barrier";
        if (place_.level < 0) report(errc::bad_argument, "a named barrier is for agents of a block; this is outside a block");
        if (b.id < 0 || b.id >= named_barriers)
            report(errc::bad_argument, worded("its number is {0}; it must be 0 to {1}", {b.id, named_barriers - 1}));
        if (b.threads < 1) report(errc::bad_argument, worded("it is for {0} threads; it must be at least 1", {b.threads}));
    }

    void leaves_loop(const char* word)
    {
        if (!place_.in_loop) report(errc::bad_argument, worded("{0} is not inside a loop of its scope", {word}));
    }
    void place_tensor(int id)
    {
        const ProgramTensor& t = p_.tensors[static_cast<std::size_t>(id)];
        const Memory* memory = find_memory(p_.machine, t.memory.c_str());
        if (memory == nullptr || t.hint != LayoutHint::none) return;
        std::vector<Problem> wrong;
        check_layout(p_, t, *memory, {place_.level, place_.first_of}, wrong);
        for (Problem& e : wrong) report_tensor(id, std::move(e));
    }
    std::string distribution_problem(const Instruction& i, const Access& a, const Distribution*& first) const;

    const Program& p_;
    Levels levels_;
    Environment env_;
    StatementScope place_{};
    std::vector<std::size_t> allocated_{}; ///< tensors that live, in the order of their allocation
    std::vector<Problem> out_{};
    int id_ = -1;
    std::string what_{};
    std::int64_t cluster_ = 0;   ///< blocks of a cluster, in the grid around; 0: outside clusters
    const Grid* grid_ = nullptr; ///< around
    int of_one_ = -1;            ///< the first statement in it of a product or copy in tensor memory, of single blocks
    int of_pair_ = -1;           ///< the same of pairs of blocks
    std::vector<std::pair<int, int>> in_columns_{}; ///< tensors in columns that are asked for, and the numbers of those
};

} // namespace detail

} // namespace v0
} // namespace axe

#endif
