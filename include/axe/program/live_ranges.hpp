// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LIVE_RANGES_HPP
#define AXE_PROGRAM_LIVE_RANGES_HPP

#include <axe/program/levels.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

#include <algorithm>
#include <unordered_map>

/// When the tensors of a program are in use.
namespace axe {
inline namespace v0 {

/// Which agents of a block, by number.
using AgentSet = std::vector<bool>;

/// A tensor from its allocation on. Positions number the statements in the order of the text.
struct LiveRange {
    int tensor = -1;
    int statement = -1; ///< the id of the allocation
    int grid = -1;      ///< the grid around, by its number among all; −1: outside grids
    int alloc = 0;      ///< the position of the allocation
    int scope_end = 0;  ///< the last position of the body with the allocation
    int begin = 0, end = 0;
    int first_use = -1, last_use = -1;  ///< ids of statements
    int level = -1;                     ///< of the machine's scopes: who allocates; −1: all devices
    std::int64_t agents = 1, lanes = 1; ///< of the scope that allocates
    AgentSet users{};                   ///< agents of the block that use it; empty: outside grids, or not used
};

/// When tensors are in use, and what orders the uses of the agents of a block.
struct LiveRanges {
    struct Range {
        int begin = 0, end = 0;
    };
    std::vector<LiveRange> tensors{};              ///< in the order of allocation
    std::vector<Range> loops{};                    ///< the bodies of loops
    std::vector<std::pair<int, Range>> meetings{}; ///< barriers of all agents of a block: position, body

    /// Does a barrier of the whole block lie on every way from uses of `a` to uses of `b`, which are later, and back around a loop?
    [[nodiscard]] bool ordered(const LiveRange& a, const LiveRange& b) const
    {
        const auto meets = [&](int after, int before) {
            return std::any_of(meetings.begin(), meetings.end(), [&](const auto& m) {
                return m.first > after && m.first < before && m.second.begin <= after && before <= m.second.end;
            });
        };
        if (!meets(a.end, b.begin)) return false;
        const Range* around = nullptr; // the innermost loop with both
        for (const Range& loop : loops)
            if (loop.begin <= a.begin && b.end <= loop.end && (around == nullptr || loop.begin > around->begin)) around = &loop;
        return around == nullptr || std::any_of(meetings.begin(), meetings.end(), [&](const auto& m) {
                   return m.second.begin == around->begin && m.second.end == around->end && (m.first > b.end || m.first < a.begin);
               });
    }
};

namespace detail {

/// Goes through a program once, and notes who uses what when.
class LiveRangeWalk {
  public:
    explicit LiveRangeWalk(const Program& program)
        : p_(program), levels_(levels_of(program.machine)), of_(program.tensors.size(), -1)
    {
    }

    LiveRanges run()
    {
        body(p_.body);
        for (std::size_t i = 0; i < out_.tensors.size(); ++i)
            for (const int loop : loops_of_[i]) {
                LiveRange& t = out_.tensors[i];
                t.begin = std::min(t.begin, out_.loops[static_cast<std::size_t>(loop)].begin);
                t.end = std::max(t.end, out_.loops[static_cast<std::size_t>(loop)].end);
            }
        return std::move(out_);
    }

  private:
    /// Who runs the statements.
    struct Scope {
        int grid = -1, level = -1;
        std::int64_t agents = 1, lanes = 1;
        AgentSet members{};
        bool is_whole = true; ///< all agents of the block
    };
    /// An asynchronous use that no wait has ended.
    struct Open {
        int tensor;
        std::size_t depth;
    };

    void body(const Body& statements)
    {
        const int first = at_, around = first_;
        first_ = first;
        const std::size_t tensors = out_.tensors.size(), meetings = out_.meetings.size();
        ++depth_;
        for (const Statement& s : statements) {
            const int here = at_++;
            id_ = s.id;
            std::visit([&](const auto& what) { visit(what, here); }, s.what);
        }
        const int last = std::max(first, at_ - 1);
        for (std::size_t i = meetings; i < out_.meetings.size(); ++i)
            if (out_.meetings[i].second.end < 0 && out_.meetings[i].second.begin == first) out_.meetings[i].second.end = last;
        for (std::size_t i = tensors; i < out_.tensors.size(); ++i) {
            LiveRange& t = out_.tensors[i];
            if (t.scope_end >= 0) continue; // of an inner body
            t.scope_end = last;
            for (const Open& open : open_)
                if (open.tensor == t.tensor) t.end = last;
            if (of_[static_cast<std::size_t>(t.tensor)] == static_cast<int>(i)) of_[static_cast<std::size_t>(t.tensor)] = -1;
        }
        first_ = around;
        --depth_;
        for (Open& open : open_) open.depth = std::min(open.depth, depth_);
    }
    void body_in(const Body& statements, const Scope& inside)
    {
        Scope around = inside;
        std::swap(around, scope_);
        body(statements);
        std::swap(around, scope_);
    }
    template <class Condition>
    void loop(const Body& statements, Condition condition)
    {
        const auto number = static_cast<int>(out_.loops.size());
        out_.loops.push_back({at_, at_});
        loops_.push_back(number);
        condition();
        body(statements);
        loops_.pop_back();
        out_.loops[static_cast<std::size_t>(number)].end = std::max(out_.loops[static_cast<std::size_t>(number)].begin, at_ - 1);
    }

    void use(int tensor, int here, bool async = false)
    {
        if (tensor < 0 || static_cast<std::size_t>(tensor) >= of_.size() || of_[static_cast<std::size_t>(tensor)] < 0) return;
        const auto i = static_cast<std::size_t>(of_[static_cast<std::size_t>(tensor)]);
        LiveRange& t = out_.tensors[i];
        if (t.first_use < 0) t.begin = here, t.first_use = id_;
        t.end = std::max(t.end, here);
        t.last_use = id_;
        if (loops_.size() > depth_of_[i]) {
            const int outermost = loops_[depth_of_[i]]; // of those that do not allocate it anew
            if (loops_of_[i].empty() || loops_of_[i].back() != outermost) loops_of_[i].push_back(outermost);
        }
        if (t.users.size() < scope_.members.size()) t.users.resize(scope_.members.size());
        for (std::size_t a = 0; a < scope_.members.size(); ++a)
            if (scope_.members[a]) t.users[a] = true;
        if (async) open_.push_back({tensor, depth_});
    }
    void use(const Expression& e, int here)
    {
        if (e.kind == Expression::Kind::load) use(e.element.tensor, here);
        for (const Expression& part : e.operands) use(part, here);
    }

    void visit(const Alloc& a, int here)
    {
        if (a.tensor < 0 || static_cast<std::size_t>(a.tensor) >= of_.size()) return;
        LiveRange t;
        t.tensor = a.tensor;
        t.statement = id_;
        t.grid = scope_.grid;
        t.alloc = t.begin = t.end = here;
        t.scope_end = -1;
        t.level = scope_.level;
        t.agents = scope_.agents;
        t.lanes = scope_.lanes;
        of_[static_cast<std::size_t>(a.tensor)] = static_cast<int>(out_.tensors.size());
        depth_of_.push_back(loops_.size());
        loops_of_.emplace_back();
        out_.tensors.push_back(std::move(t));
    }
    void visit(const For& f, int)
    {
        loop(f.body, [] {});
    }
    void visit(const While& w, int here)
    {
        loop(w.body, [&] { use(w.condition, here); });
    }
    void visit(const If& i, int here)
    {
        use(i.condition, here);
        body(i.then);
        body(i.otherwise);
    }
    void visit(const Assign& a, int here) { use(a.value, here); }
    void visit(const Let& l, int here)
    {
        use(l.value, here);
        body(l.body);
    }
    void visit(const Grid& g, int)
    {
        Scope inside;
        inside.grid = grids_++;
        inside.level = levels_.block;
        inside.agents = std::max(1, g.agents);
        inside.lanes = levels_.lanes;
        inside.members.assign(static_cast<std::size_t>(std::min(std::max(1, g.agents), 4096)), true);
        body_in(g.body, inside);
    }
    void visit(const Slice& s, int)
    {
        Scope inside = scope_;
        if (s.of == Slice::Of::agents && scope_.grid >= 0) {
            inside.members.assign(scope_.members.size(), false);
            inside.agents = s.count;
            for (std::int64_t i = 0; i < s.count; ++i) {
                const std::int64_t member = s.first + i * s.stride;
                if (member < 0 || member >= static_cast<std::int64_t>(inside.members.size())) break;
                inside.members[static_cast<std::size_t>(member)] = true;
            }
            inside.is_whole = std::all_of(inside.members.begin(), inside.members.end(), [](bool one) { return one; });
        }
        body_in(s.body, inside);
    }
    void visit(const Each& e, int)
    {
        Scope inside = scope_;
        const bool threads = e.of == Each::Of::thread;
        inside.is_whole = false;
        inside.agents = 1;
        if (threads) inside.lanes = 1;
        inside.level = threads ? p_.machine.scopes.size() - 1 : levels_.agent >= 0 ? levels_.agent : levels_.block;
        body_in(e.body, inside);
    }
    void visit(const Operation& o, int here)
    {
        for (const View& v : o.operands) use(v.tensor, here);
        use_bytes_of(o.options.completes_on, here);
    }
    void visit(const Instruction& i, int here)
    {
        for (const Access& a : i.operands) use(a.view.tensor, here, i.async);
        use_bytes_of(i.completes_on, here);
    }
    void visit(const Barrier&, int here)
    {
        if (scope_.grid >= 0 && scope_.is_whole) out_.meetings.push_back({here, {first_, -1}});
    }
    void visit(const Wait& w, int here)
    {
        if (w.pending != 0) return;
        // What was started in this body, or in one inside it, is complete.
        for (const Open& open : open_)
            if (open.depth >= depth_) {
                const int i = of_[static_cast<std::size_t>(open.tensor)];
                if (i >= 0)
                    out_.tensors[static_cast<std::size_t>(i)].end = std::max(out_.tensors[static_cast<std::size_t>(i)].end, here);
            }
        open_.erase(std::remove_if(open_.begin(), open_.end(), [&](const Open& open) { return open.depth >= depth_; }),
                    open_.end());
    }
    void visit(const Mbarrier& m, int here)
    {
        use(m.parity, here);
        if (m.at) placed_[m.id] = m.at->tensor;
        use_bytes_of(m.id, here);
    }
    /// The bytes of an mbarrier that is placed in a tensor are in use with it.
    void use_bytes_of(int mbarrier, int here)
    {
        if (const auto at = placed_.find(mbarrier); at != placed_.end()) use(at->second, here);
    }
    void visit(const Break&, int) {}
    void visit(const Continue&, int) {}
    void visit(const Commit&, int) {}
    void visit(const ProxyFence&, int) {}
    void visit(const Flag& f, int here)
    {
        use(f.element.tensor, here);
        use(f.value, here);
    }
    void visit(const ClusterBarrier&, int) {}
    void visit(const NamedBarrier&, int) {}
    void visit(const CancelLaunch& c, int here)
    {
        use(c.element.tensor, here);
        use_bytes_of(c.mbarrier, here);
    }
    void visit(const GridDependency&, int) {}
    void visit(const RegisterCount&, int) {}
    /// Tensors in columns that are asked for have them until they are given back.
    void visit(const TensorColumns& c, int here)
    {
        std::vector<int>& in = columns_[c.id];
        if (c.at) use(c.at->tensor, here);
        if (c.action == TensorColumns::Action::allocate)
            for (const View& v : c.operands) in.push_back(v.tensor);
        if (c.action != TensorColumns::Action::relinquish)
            for (const int tensor : in) use(tensor, here);
    }

    const Program& p_;
    Levels levels_;
    Scope scope_{};
    LiveRanges out_{};
    std::vector<int> of_;                      ///< of each tensor, its place in `out_` while it exists
    std::vector<std::size_t> depth_of_{};      ///< loops around the allocation
    std::vector<std::vector<int>> loops_of_{}; ///< inside which a tensor is used that was allocated outside
    std::vector<int> loops_{};                 ///< around the statement
    std::vector<Open> open_{};
    std::size_t depth_ = 0;
    std::unordered_map<int, int> placed_{};               ///< the tensor of each mbarrier that is in one
    std::unordered_map<int, std::vector<int>> columns_{}; ///< the tensors in columns that are asked for, by number
    int at_ = 0, id_ = -1, grids_ = 0;
    int first_ = 0; ///< position of the body around
};

} // namespace detail

/// When the tensors that a program allocates are in use: from the first use to the last one; all of a loop inside which a tensor is used
/// that exists outside of it, since its value may pass the back edge; up to the wait that ends an asynchronous operation.
/// Cost: linear in statements and operands, times the depth of bodies.
inline LiveRanges live_ranges(const Program& program) { return detail::LiveRangeWalk(program).run(); }

} // namespace v0
} // namespace axe

#endif
