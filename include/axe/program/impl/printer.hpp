// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_PRINTER_HPP
#define AXE_PROGRAM_IMPL_PRINTER_HPP

#include <axe/program/print.hpp>

/// What writes the lines of a program, a function for each statement.
namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL std::string number_text(double number)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return {text, end};
}

inline bool is_whole_view(const Program& program, const View& v)
{
    return v.tensor >= 0 && static_cast<std::size_t>(v.tensor) < program.tensors.size() &&
           is_whole_view(v, tensor_of(program, v).shape);
}

/// Is each view dimension one of the tensor's, in the tensor's order?
inline bool is_in_order(const View& v)
{
    int last = -1;
    for (int k = 0; k < v.extents.held(); ++k) {
        if (v.dims[k] <= last || v.dims[k] >= static_cast<int>(v.origin.size())) return false;
        last = v.dims[k];
    }
    return true;
}

/// Writes the lines of a program.
class Printer {
  public:
    explicit Printer(const Program& program) : p_(program) {}

    std::string text()
    {
        constexpr const char* bindings[] = {"local", "input", "output", "inout"};
        out_ = "kernel " + p_.name + " on " + p_.machine.name + "\n";
        for (const ProgramTensor& t : p_.tensors)
            if (t.binding != Binding::local)
                out_ += std::string("      ") + bindings[static_cast<int>(t.binding)] + " " + t.name + ": " + print(t) + "\n";
        for (const Scalar& s : p_.scalars) out_ += "      scalar " + s.name + " = " + number_text(s.initial) + "\n";
        if (p_.thread_registers != 0) out_ += "      registers " + std::to_string(p_.thread_registers) + " for each thread" + "\n";
        body(p_.body, 0);
        return out_;
    }

    /// The line of one statement, without its number and its bodies.
    std::string text(const Statement& s)
    {
        std::visit([&](const auto& what) { put(-1, 0, what); }, s.what);
        return out_.substr(6, out_.find('\n') - 6);
    }

  private:
    void line(int id, int depth, const std::string& words)
    {
        std::string number = id < 0 ? "" : std::to_string(id);
        out_ += std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') + number + "  ";
        out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + words + "\n";
    }
    void body(const Body& statements, int depth)
    {
        for (const Statement& s : statements) std::visit([&](const auto& what) { put(s.id, depth, what); }, s.what);
    }

    [[nodiscard]] std::string view(const View& v) const { return print(p_, v); }
    [[nodiscard]] std::string counted(const std::vector<Var>& vars, const Shape& counts) const
    {
        std::string out;
        for (int d = 0; d < counts.held(); ++d) {
            const int id = static_cast<std::size_t>(d) < vars.size() ? vars[static_cast<std::size_t>(d)].id : -1;
            out += (d == 0 ? "" : ", ") + name_at(p_.variables, id) + " < " + std::to_string(counts[d]);
        }
        return out;
    }

    void put(int id, int depth, const Alloc& a)
    {
        const bool there = a.tensor >= 0 && static_cast<std::size_t>(a.tensor) < p_.tensors.size();
        const std::string words = there ? ": " + print(p_.tensors[static_cast<std::size_t>(a.tensor)]) : "";
        line(id, depth, "alloc " + name_at(p_.tensors, a.tensor) + words);
    }
    void put(int id, int depth, const For& f)
    {
        line(id, depth,
             "for " + name_at(p_.variables, f.var.id) + " = " + print(p_, f.begin) + " .. " + print(p_, f.end) +
                 (f.step == 1 ? "" : " by " + std::to_string(f.step)) + stages_text(f.stages));
        body(f.body, depth + 1);
    }
    /// "; 3 stages", "; 3 stages, bulk copies", or of a loop with groups "; 2 stages: 4..5 in 0, 6 in 1 by consumers"
    [[nodiscard]] static std::string stages_text(const LoopStages& of)
    {
        if (of.count == 0) return {};
        std::string out = "; " + count_words(of.count, "stage") + (of.bulk ? ", bulk copies" : "");
        for (std::size_t k = 0; k < of.groups.size(); ++k) {
            const LoopStages::Group& g = of.groups[k];
            const auto id = static_cast<std::size_t>(g.id);
            out += (k == 0 ? ": " : ", ") + std::to_string(g.begin);
            if (g.end - g.begin != 1) out += ".." + std::to_string(g.end - 1);
            if (id < of.stages.size()) out += " in " + std::to_string(of.stages[id]);
            if (id < of.orders.size()) out += " at " + std::to_string(of.orders[id]);
            if (id < of.executors.size()) out += " by " + of.executors[id].name;
        }
        return out;
    }
    void put(int id, int depth, const While& w)
    {
        line(id, depth, "while " + print(p_, w.condition));
        body(w.body, depth + 1);
    }
    void put(int id, int depth, const Break&) { line(id, depth, "break"); }
    void put(int id, int depth, const Continue&) { line(id, depth, "continue"); }
    void put(int id, int depth, const If& i)
    {
        line(id, depth, "if " + print(p_, i.condition));
        body(i.then, depth + 1);
        if (i.otherwise.empty()) return;
        line(-1, depth, "else");
        body(i.otherwise, depth + 1);
    }
    void put(int id, int depth, const Assign& a) { line(id, depth, name_at(p_.scalars, a.scalar) + " = " + print(p_, a.value)); }
    void put(int id, int depth, const Let& l)
    {
        line(id, depth, "let " + name_at(p_.variables, l.var.id) + " = " + print(p_, l.value) + range_text(l.var));
        body(l.body, depth + 1);
    }
    /// " in 0 .. 16"
    [[nodiscard]] std::string range_text(Var v) const
    {
        if (v.id < 0 || static_cast<std::size_t>(v.id) >= p_.variables.size()) return {};
        const Variable& range = p_.variables[static_cast<std::size_t>(v.id)];
        return " in " + std::to_string(range.low) + " .. " + std::to_string(range.high);
    }
    void put(int id, int depth, const Grid& g)
    {
        line(id, depth,
             "grid " + counted(g.vars, g.counts) + "; " + count_words(g.agents, "agent") +
                 (g.cluster.empty() ? "" : "; clusters " + counted(g.in_cluster, g.cluster)) + (g.large_cluster ? ", large" : "") +
                 (g.dependent ? "; dependent" : ""));
        body(g.body, depth + 1);
    }
    void put(int id, int depth, const Slice& s)
    {
        line(id, depth,
             "only " + count_words(s.count, s.of == Slice::Of::agents ? "agent" : "device") + ", from " + std::to_string(s.first) +
                 (s.stride == 1 ? "" : " by " + std::to_string(s.stride)) +
                 (s.together > 1 ? ", " + count_words(s.count / s.together, "warpgroup") : "") +
                 (s.name.empty() ? "" : "; " + s.name));
        body(s.body, depth + 1);
    }
    void put(int id, int depth, const Each& e)
    {
        line(id, depth, std::string("each ") + (e.of == Each::Of::agent ? "agent: " : "thread: ") + counted(e.vars, e.counts));
        body(e.body, depth + 1);
    }
    void put(int id, int depth, const Barrier&) { line(id, depth, "barrier"); }
    void put(int id, int depth, const Commit&) { line(id, depth, "commit"); }
    void put(int id, int depth, const ProxyFence& f)
    {
        constexpr const char* words[] = {"proxy fence", "tensor fence before", "tensor fence after", "memory fence within "};
        constexpr const char* within[] = {"block", "cluster", "device", "system"};
        line(id, depth,
             std::string(words[static_cast<int>(f.of)]) +
                 (f.of == ProxyFence::Of::memory ? within[static_cast<int>(f.within)] : ""));
    }
    void put(int id, int depth, const NamedBarrier& b)
    {
        line(id, depth,
             "named barrier " + std::to_string(b.id) + (b.action == NamedBarrier::Action::sync ? " sync " : " arrive ") +
                 count_words(b.threads, "thread"));
    }
    void put(int id, int depth, const Wait& w)
    {
        constexpr const char* words[] = {"wait ", "wait_sources ", "wait_products ", "wait_tensor_loads ", "wait_tensor_stores "};
        line(id, depth, words[static_cast<int>(w.of)] + std::to_string(w.pending));
    }
    void put(int id, int depth, const Mbarrier& m)
    {
        constexpr const char* actions[] = {"init",       "arrive", "expect_bytes",        "wait",          "expect_more",
                                           "invalidate", "commit", "arrive_after_copies", "include_copies"};
        std::string words = std::string("mbarrier ") + std::to_string(m.id) + " " + actions[static_cast<int>(m.action)];
        using Action = Mbarrier::Action;
        if (m.action == Action::init || m.action == Action::expect_bytes || m.action == Action::expect_more)
            words += " " + std::to_string(m.number);
        if (m.action == Mbarrier::Action::wait) words += " " + print(p_, m.parity);
        if (m.rank) words += " of block (" + print(p_, *m.rank) + ")";
        if (m.multicast != 0) words += "; multicast " + std::to_string(m.multicast);
        if (m.at) words += " in " + view(*m.at);
        line(id, depth, words);
    }
    void put(int id, int depth, const RegisterCount& r)
    {
        const char* action = r.action == RegisterCount::Action::decrease ? "decrease to " : "increase to ";
        line(id, depth, std::string("registers ") + action + std::to_string(r.registers));
    }
    void put(int id, int depth, const TensorColumns& c)
    {
        using Action = TensorColumns::Action;
        std::string words = c.action == Action::allocate    ? "columns " + std::to_string(c.id) + " allocate "
                            : c.action == Action::give_back ? "columns " + std::to_string(c.id) + " give_back"
                                                            : std::string("columns relinquish");
        if (c.action == Action::allocate)
            words += std::to_string(c.columns) + " for " + listed(c.operands, [&](const View& v) { return view(v); });
        if (c.at) words += ", address in " + view(*c.at);
        if (c.pair) words += "; pair";
        line(id, depth, words);
    }
    void put(int id, int depth, const Flag& f)
    {
        constexpr const char* signs[] = {" = ", " += ", " exchanged by ", " >= ", " == "};
        constexpr const char* orders[] = {"relaxed", "acquire", "release", "acquire_release"};
        constexpr const char* withins[] = {"block", "cluster", "device", "system"};
        const auto action = static_cast<int>(f.action);
        line(id, depth,
             (f.action < Flag::Action::wait_at_least ? "flag " : "wait until ") + view(f.element) + signs[action] +
                 print(p_, f.value) + (f.before < 0 ? "" : ", before " + name_at(p_.scalars, f.before)) + "; " +
                 orders[static_cast<int>(f.order)] + ", " + withins[static_cast<int>(f.within)]);
    }
    void put(int id, int depth, const ClusterBarrier& b)
    {
        constexpr const char* actions[] = {"arrive", "arrive relaxed", "wait"};
        line(id, depth, std::string("cluster barrier ") + actions[static_cast<int>(b.action)]);
    }
    void put(int id, int depth, const CancelLaunch& c)
    {
        line(id, depth,
             "try_cancel " + view(c.element) + "; completes on mbarrier " + std::to_string(c.mbarrier) +
                 (c.to_all ? " of each block" : ""));
    }
    void put(int id, int depth, const GridDependency& d)
    {
        line(id, depth, d.action == GridDependency::Action::launch ? "launch dependents" : "wait for the grids before");
    }
    void put(int id, int depth, const Operation& o);
    void put(int id, int depth, const Instruction& i);

    const Program& p_;
    std::string out_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
