// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_CONTROL_CODE_HPP
#define AXE_SIM_CONTROL_CODE_HPP

#include <axe/program/messages.hpp>
#include <axe/program/walk.hpp>
#include <axe/text/common/words.hpp>

#include <algorithm>
#include <bitset>

namespace axe {
inline namespace v0 {
namespace sim {

/// Which agents of a block, or which devices.
using Members = std::bitset<256>;

/// One step of straight code: what an agent does before it goes to the next, or to `target`.
struct Step {
    enum class Kind : std::uint8_t {
        enter, ///< only `members` go on; the others go to `target`
        loop,  ///< the variable takes its first value; to `target` if none exists
        next,  ///< the next value and back to `target`; on if none exists
        test,  ///< to `target` unless the condition holds
        jump,  ///< to `target`
        assign,
        let,
        alloc,
        instruction,
        barrier,
        commit,
        wait,
        mbarrier,
        fence, ///< of proxies
        flag,
        cluster,   ///< its barrier
        named,     ///< a barrier with a number
        launch,    ///< a request to cancel one, or what a dependent grid waits for
        registers, ///< how many the agent has
        columns,   ///< of tensor memory, that are asked for or given back
        grid,
        each,     ///< the lanes of the agent go on, each for itself; of code with operators alone
        each_end, ///< the agent goes on
    };
    Kind kind = Kind::jump;
    int statement = -1;
    int target = -1;
    int item = -1; ///< of instruction and grid: which one; what is done together, an operator among them, is an instruction
    const Statement* source = nullptr;
    const Expression* condition = nullptr;
    Members members{}; ///< of enter, barrier, alloc, each, and what is done together: who comes there
};

/// The step after the `loop` or `next` at pc, which gives the loop's variable its first or its next value, if there is one.
inline int turn(const Step& step, int pc, std::vector<std::int64_t>& vars)
{
    const For& loop = std::get<For>(step.source->what);
    std::int64_t& v = vars[static_cast<std::size_t>(loop.var.id)];
    const bool first = step.kind == Step::Kind::loop;
    const std::int64_t value = first ? loop.begin(vars) : limited_sum(v, loop.step);
    const bool goes_on = value < loop.end(vars) && (first || value > v);
    if (goes_on) v = value;
    return goes_on == first ? pc + 1 : step.target;
}

/// A body as straight code, so that an agent can stop anywhere and be a number and a few variables.
struct Code {
    std::vector<Step> steps{};
    std::vector<const Statement*> instructions{}; ///< by `Step::item`
    std::vector<const Statement*> grids{};
};

namespace detail_code {

class Flattener {
  public:
    Flattener(Code& code, bool operators) : code_(&code), operators_(operators) {}

    Result<void, Problem> body(const Body& statements, const Members& members)
    {
        for (const Statement& s : statements)
            if (auto p = std::visit([&](const auto& what) { return flatten(s, what, members); }, s.what); !p.ok()) return p;
        return {};
    }

  private:
    [[nodiscard]] int here() const { return static_cast<int>(code_->steps.size()); }
    int add(Step::Kind kind, const Statement& s, int target = -1)
    {
        Step step;
        step.kind = kind;
        step.statement = s.id;
        step.target = target;
        step.source = &s;
        code_->steps.push_back(step);
        return here() - 1;
    }
    Step& at(int i) { return code_->steps[static_cast<std::size_t>(i)]; }
    static Problem refuse(errc code, const Statement& s, const char* message, std::int64_t member = 0)
    {
        return {code, detail::worded(message, {s.id, member})};
    }

    /// The statements that are one step and no more.
    static Step::Kind kind_of(const Assign&) { return Step::Kind::assign; }
    static Step::Kind kind_of(const Commit&) { return Step::Kind::commit; }
    static Step::Kind kind_of(const ProxyFence&) { return Step::Kind::fence; }
    static Step::Kind kind_of(const Flag&) { return Step::Kind::flag; }
    static Step::Kind kind_of(const ClusterBarrier&) { return Step::Kind::cluster; }
    static Step::Kind kind_of(const NamedBarrier&) { return Step::Kind::named; }
    static Step::Kind kind_of(const CancelLaunch&) { return Step::Kind::launch; }
    static Step::Kind kind_of(const GridDependency&) { return Step::Kind::launch; }
    static Step::Kind kind_of(const RegisterCount&) { return Step::Kind::registers; }
    static Step::Kind kind_of(const TensorColumns&) { return Step::Kind::columns; }
    static Step::Kind kind_of(const Wait&) { return Step::Kind::wait; }
    static Step::Kind kind_of(const Mbarrier&) { return Step::Kind::mbarrier; }
    template <class What>
    Result<void, Problem> flatten(const Statement& s, const What& what, const Members&)
    {
        return add(kind_of(what), s), Problem{};
    }
    Result<void, Problem> flatten(const Statement& s, const Alloc&, const Members& members)
    {
        at(add(Step::Kind::alloc, s)).members = members;
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Let& let, const Members& members)
    {
        add(Step::Kind::let, s);
        return body(let.body, members);
    }
    Result<void, Problem> flatten(const Statement& s, const Barrier&, const Members& members)
    {
        at(add(Step::Kind::barrier, s)).members = members;
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Instruction&, const Members& members) { return together(s, members); }
    Result<void, Problem> together(const Statement& s, const Members& members)
    {
        Step& step = at(add(Step::Kind::instruction, s));
        step.item = static_cast<int>(code_->instructions.size());
        step.members = members;
        code_->instructions.push_back(&s);
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Grid&, const Members&)
    {
        at(add(Step::Kind::grid, s)).item = static_cast<int>(code_->grids.size());
        code_->grids.push_back(&s);
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const For& loop, const Members& members)
    {
        const int begin = add(Step::Kind::loop, s);
        loops_.push_back({});
        if (auto p = body(loop.body, members); !p.ok()) return p;
        const int next = add(Step::Kind::next, s, begin + 1);
        at(begin).target = here();
        close_loop(next);
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const While& loop, const Members& members)
    {
        const int begin = add(Step::Kind::test, s);
        at(begin).condition = &loop.condition;
        loops_.push_back({});
        if (auto p = body(loop.body, members); !p.ok()) return p;
        const int next = add(Step::Kind::jump, s, begin);
        at(begin).target = here();
        close_loop(next);
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Break&, const Members&) { return leave(s, true); }
    Result<void, Problem> flatten(const Statement& s, const Continue&, const Members&) { return leave(s, false); }
    Result<void, Problem> flatten(const Statement& s, const If& choice, const Members& members)
    {
        const int test = add(Step::Kind::test, s);
        at(test).condition = &choice.condition;
        if (auto p = body(choice.then, members); !p.ok()) return p;
        if (choice.otherwise.empty()) {
            at(test).target = here();
            return {};
        }
        const int over = add(Step::Kind::jump, s);
        at(test).target = here();
        if (auto p = body(choice.otherwise, members); !p.ok()) return p;
        at(over).target = here();
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Slice& slice, const Members& members)
    {
        Members inside;
        for (std::int64_t i = 0; i < std::min(slice.count, 257); ++i) {
            const std::int64_t member = slice.first + i * slice.stride;
            if (member < 0 || member >= 256)
                return refuse(errc::out_of_domain, s, "statement {0}: a slice names member {1}", member);
            inside.set(static_cast<std::size_t>(member));
        }
        const int enter = add(Step::Kind::enter, s);
        at(enter).members = inside & members;
        if (auto p = body(slice.body, inside & members); !p.ok()) return p;
        at(enter).target = here();
        return {};
    }
    Result<void, Problem> flatten(const Statement& s, const Each& each, const Members& members)
    {
        if (operators_) {
            // Without an mbarrier inside, all can do the statement at one time.
            if (!uses_mbarriers(each.body)) return together(s, members);
            const int begin = add(Step::Kind::each, s);
            at(begin).members = members;
            auto around = std::move(loops_);
            loops_.clear();
            if (auto p = body(each.body, members); !p.ok()) return p;
            loops_ = std::move(around);
            at(begin).target = add(Step::Kind::each_end, s);
            return {};
        }
        return refuse(errc::bad_argument, s, "statement {0}: the simulator runs lowered programs, this one has an Each");
    }
    Result<void, Problem> flatten(const Statement& s, const Operation&, const Members& members)
    {
        if (operators_) return together(s, members);
        return refuse(errc::bad_argument, s, "statement {0}: the simulator runs lowered programs, this one has an operator");
    }

    struct Exits {
        std::vector<int> breaks{}, continues{};
    };
    Result<void, Problem> leave(const Statement& s, bool is_break)
    {
        if (loops_.empty()) return refuse(errc::bad_argument, s, "statement {0}: `leave` outside a loop");
        const int jump = add(Step::Kind::jump, s);
        (is_break ? loops_.back().breaks : loops_.back().continues).push_back(jump);
        return {};
    }
    void close_loop(int next)
    {
        for (const int j : loops_.back().breaks) at(j).target = here();
        for (const int j : loops_.back().continues) at(j).target = next;
        loops_.pop_back();
    }

    static bool uses_mbarriers(const Body& body)
    {
        return for_each_statement(body, [](const Statement& s) {
            return std::holds_alternative<Mbarrier>(s.what) || std::holds_alternative<NamedBarrier>(s.what);
        });
    }

    Code* code_;
    bool operators_;
    std::vector<Exits> loops_{};
};

} // namespace detail_code

/// Flattens a body that `members` run. The program must outlive the code.
///
/// @param operators may the body have operators and `Each`? `errc::bad_argument` for them where not.
inline Result<Code, Problem> flatten(const Body& body, const Members& members, bool operators = false)
{
    Code code;
    if (auto p = detail_code::Flattener(code, operators).body(body, members); !p.ok()) return p;
    return code;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
