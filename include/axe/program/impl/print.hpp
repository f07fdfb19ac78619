// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_PRINT_HPP
#define AXE_PROGRAM_IMPL_PRINT_HPP

#include <axe/program/print.hpp>

namespace axe {
inline namespace v0 {
AXE_DECL std::string type_text(DType type, const Shape& shape)
{
    return std::string(name(type)) + "[" + detail::listed(shape, [](std::int64_t n) { return std::to_string(n); }, ",") + "]";
}

AXE_DECL std::string print(const ProgramTensor& t)
{
    constexpr const char* hints[] = {"", "conflict_free", "operand_a", "operand_b", "accumulator", "registers"};
    std::string out = type_text(t.dtype, t.shape) + " in " + t.memory;
    if (t.base >= 0) out += ", base " + std::to_string(t.base);
    if (t.hint != LayoutHint::none) return out + ", hint " + hints[static_cast<int>(t.hint)];
    return out + ", " + (t.layout.swizzle.bits == 0 ? std::string(print(t.layout.layout).c_str()) : print(t.layout).c_str());
}

namespace detail {

AXE_DECL std::string number_text(double number)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return {text, end};
}

inline bool is_whole_view(const Program& program, const View& v)
{
    if (v.guarded || v.tensor < 0 || static_cast<std::size_t>(v.tensor) >= program.tensors.size()) return false;
    if (!(v.extents == tensor_of(program, v).shape) || static_cast<int>(v.origin.size()) != v.rank()) return false;
    for (int d = 0; d < v.extents.held(); ++d)
        if (!(v.origin[static_cast<std::size_t>(d)] == Affine(0)) || v.dims[d] != d || (v.steps[d] != 1 && v.extents[d] > 1))
            return false;
    return true;
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
                 (f.step == 1 ? "" : " by " + std::to_string(f.step)));
        body(f.body, depth + 1);
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
                 (g.cluster.empty() ? "" : "; clusters " + counted(g.in_cluster, g.cluster)) + (g.large_cluster ? ", large" : ""));
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
        constexpr const char* words[] = {"proxy fence", "tensor fence before", "tensor fence after"};
        line(id, depth, words[static_cast<int>(f.of)]);
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
        line(id, depth, words);
    }
    void put(int id, int depth, const RegisterCount& r)
    {
        const char* action = r.action == RegisterCount::Action::decrease ? "decrease to " : "increase to ";
        line(id, depth, std::string("registers ") + action + std::to_string(r.registers));
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
    void put(int id, int depth, const Operation& o);
    void put(int id, int depth, const Instruction& i);

    const Program& p_;
    std::string out_{};
};

/// As the operator's equation reads, then the options.
inline void Printer::put(int id, int depth, const Operation& o)
{
    const auto at = [&](std::size_t i) { return i < o.operands.size() ? view(o.operands[i]) : std::string("?"); };
    const std::vector<View> sources(o.operands.begin() + (o.operands.empty() ? 0 : 1), o.operands.end());
    const std::string f = name(o.function);
    std::string words = std::string(name(o.op)) + " " + at(0);
    const auto call = [&](const std::string& of, const std::vector<View>& with) {
        return " = " + of + "(" + listed(with, [&](const View& v) { return view(v); }) + ")";
    };
    if (o.op == Op::fill)
        words += " = " + number_text(o.number);
    else if (o.op == Op::map)
        words += call(f, sources);
    else if (o.op == Op::reduce)
        words += " = " + f + "(" + (o.accumulate ? at(0) + ", " : "") + at(1) + " over " +
                 listed(o.axes, [](int axis) { return std::to_string(axis); }) + ")";
    else if (o.op == Op::gemm)
        words += std::string(o.accumulate ? " += " : " = ") + at(1) + (o.transpose_a ? "^T" : "") + " * " + at(2) +
                 (o.transpose_b ? "^T" : "");
    else if (o.op == Op::gather)
        words += " = " + at(1) + " at " + at(2);
    else if (o.op == Op::scatter)
        words += " at " + at(1) + " = " + at(2);
    else if (o.op == Op::atomic)
        words += call(f, {o.operands.begin(), o.operands.end()});
    else if (o.op == Op::copy || o.op == Op::copy_async)
        words += " = " + at(1);
    else { // of a user's own
        words += call(name(o.op), sources);
        if (o.function != Function::identity) words += "; " + f;
        if (o.number != 0) words += "; " + number_text(o.number);
        if (!o.axes.empty()) words += "; over " + listed(o.axes, [](int axis) { return std::to_string(axis); });
        if (o.accumulate) words += "; accumulate";
    }
    if (!o.options.schedule.empty()) words += "; schedule " + o.options.schedule;
    if (o.options.vector_bytes != 0) words += "; vector_bytes " + std::to_string(o.options.vector_bytes);
    if (o.options.only_fastest) words += "; only_fastest";
    if (o.options.completes_on >= 0) words += "; completes on mbarrier " + std::to_string(o.options.completes_on);
    if (o.options.multicast != 0) words += "; multicast " + std::to_string(o.options.multicast);
    line(id, depth, words);
}

/// The simulator's name, the assembler's, the operands, and how they are distributed: elements of a lane an issue, for each operand where
/// they differ.
inline void Printer::put(int id, int depth, const Instruction& i)
{
    std::string words = i.opcode + (i.text.empty() || i.text == i.opcode ? "" : " \"" + i.text + "\"") + " ";
    words += listed(i.operands, [&](const Access& a) { return view(a.view); });
    if (i.function != Function::identity) words += std::string("; ") + name(i.function);
    if (i.number != 0 || i.opcode.find("fill") != std::string::npos) words += "; " + number_text(i.number);
    if (!i.parameters.empty()) words += "; (" + listed(i.parameters, [](std::int64_t n) { return std::to_string(n); }) + ")";
    if (i.async) words += "; async";
    if (i.completes_on >= 0) words += "; completes on mbarrier " + std::to_string(i.completes_on);
    if (i.multicast != 0) words += "; multicast " + std::to_string(i.multicast);
    const Distribution* first = nullptr;
    std::vector<std::string> vectors;
    for (const Access& a : i.operands) {
        if (!a.distribution) continue;
        if (first == nullptr) first = a.distribution.get();
        vectors.push_back(std::to_string(a.distribution->vector));
    }
    if (std::adjacent_find(vectors.begin(), vectors.end(), std::not_equal_to<>()) == vectors.end() && !vectors.empty())
        vectors.resize(1);
    if (first != nullptr) {
        words += "; " + count_words(first->issues, "issue") + " × " + count_words(first->agents, "agent") + " × ";
        words += count_words(first->lanes, "lane") + " × " + listed(vectors, [](const std::string& v) { return v; }, "/");
    }
    if (i.first_agent != 0 || i.agent_stride != 1)
        words += "; agents " + std::to_string(i.first_agent) + " by " + std::to_string(i.agent_stride);
    line(id, depth, words);
}

} // namespace detail

AXE_DECL std::string print(const Program& program, const Affine& a)
{
    std::string out;
    for (const Affine::Term& t : a.terms()) {
        const bool minus = t.coefficient < 0;
        out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
        const auto size = minus ? 0 - static_cast<std::uint64_t>(t.coefficient) : static_cast<std::uint64_t>(t.coefficient);
        if (size != 1) out += std::to_string(size) + "*";
        out += detail::name_at(program.variables, t.var);
    }
    if (out.empty()) return std::to_string(a.constant());
    const auto size = a.constant() < 0 ? 0 - static_cast<std::uint64_t>(a.constant()) : static_cast<std::uint64_t>(a.constant());
    if (size != 0) out += (a.constant() < 0 ? " - " : " + ") + std::to_string(size);
    return out;
}

AXE_DECL std::string print(const Program& program, const View& v)
{
    std::string out = detail::name_at(program.tensors, v.tensor);
    if (v.block) out += " of block (" + print(program, *v.block) + ")";
    if (detail::is_whole_view(program, v)) return out;
    const bool plain = detail::is_in_order(v);
    int k = 0;
    out += "[";
    for (std::size_t d = 0; d < v.origin.size(); ++d) {
        out += (d == 0 ? "" : ", ") + print(program, v.origin[d]);
        if (!plain || k >= v.rank() || v.dims[k] != static_cast<int>(d)) continue;
        out += " : +" + std::to_string(v.extents[k]) + (v.steps[k] == 1 ? "" : " : " + std::to_string(v.steps[k]));
        ++k;
    }
    for (k = 0; !plain && k < v.rank(); ++k) {
        out += (k == 0 ? "; " : ", ") + std::to_string(v.extents[k]);
        if (v.dims[k] >= 0 && v.steps[k] != 1) out += ":" + std::to_string(v.steps[k]);
        out += "@" + (v.dims[k] < 0 ? "-" : std::to_string(v.dims[k]));
    }
    return out + (v.guarded ? "]?" : "]");
}

AXE_DECL std::string print(const Program& program, const Expression& e)
{
    using Kind = Expression::Kind;
    constexpr const char* signs[] = {"",   "",   "",     "",     " + ", " - ",  " * ",   " / ",  " div ", " mod ",
                                     ", ", ", ", " == ", " != ", " < ", " <= ", " and ", " or ", ""};
    struct Part { // to be written: a node, or words
        const Expression* node;
        const char* words;
    };
    std::string out;
    std::vector<Part> parts{{&e, ""}}; // the last one first
    while (!parts.empty()) {
        const Part part = parts.back();
        parts.pop_back();
        if (part.node == nullptr) {
            out += part.words;
            continue;
        }
        const Expression& node = *part.node;
        const auto operand = [&](std::size_t i) {
            parts.push_back(i < node.operands.size() ? Part{&node.operands[i], ""} : Part{nullptr, "?"});
        };
        switch (node.kind) {
        case Kind::number: out += detail::number_text(node.number); break;
        case Kind::affine: out += print(program, node.affine); break;
        case Kind::scalar: out += detail::name_at(program.scalars, node.scalar); break;
        case Kind::load: out += print(program, node.element); break;
        case Kind::logical_not:
            out += "not ";
            operand(0);
            break;
        case Kind::select:
            out += "select(";
            parts.push_back({nullptr, ")"});
            for (std::size_t i = 3; i-- > 0;) {
                operand(i);
                if (i > 0) parts.push_back({nullptr, ", "});
            }
            break;
        default:
            out += node.kind == Kind::min ? "min(" : node.kind == Kind::max ? "max(" : "(";
            parts.push_back({nullptr, ")"});
            operand(1);
            parts.push_back({nullptr, signs[static_cast<int>(node.kind)]});
            operand(0);
        }
    }
    return out;
}

AXE_DECL std::string print(const Program& program, const Statement& statement) { return detail::Printer(program).text(statement); }
AXE_DECL std::string print(const Program& program) { return detail::Printer(program).text(); }

} // namespace v0
} // namespace axe

#endif
