// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_PRINT_HPP
#define AXE_PROGRAM_IMPL_PRINT_HPP

#include <axe/program/impl/printer.hpp>

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

/// As the operator's equation reads, then the options.
inline void Printer::put(int id, int depth, const Operation& o)
{
    const auto at = [&](std::size_t i) { return i < o.operands.size() ? view(o.operands[i]) : std::string("?"); };
    const std::vector<View> sources(o.operands.begin() + (o.operands.empty() ? 0 : 1), o.operands.end());
    const std::string f = name(o.function);
    const IndexedOperands indexed = indexed_operands_of(o);
    const auto chosen = [&] { // "i, j"
        std::string out = at(static_cast<std::size_t>(indexed.first));
        for (int k = 1; k < indexed.count; ++k) out += ", " + at(static_cast<std::size_t>(indexed.first + k));
        return out;
    };
    const auto masked = [&] { return o.masked ? " where " + at(static_cast<std::size_t>(indexed.mask)) : std::string(); };
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
        words += std::string(o.accumulate ? " += " : " = ") + (o.negate_a ? "-" : "") + at(1) + (o.transpose_a ? "^T" : "") +
                 " * " + (o.negate_b ? "-" : "") + at(2) + (o.transpose_b ? "^T" : "") +
                 (o.scale_d != 0 ? "; D by 2^-" + std::to_string(o.scale_d) : "") +
                 (o.unless_zero ? " unless " + print(p_, o.start) + " is 0" : "");
    else if (o.op == Op::atomic_rows)
        words += " at " + chosen() + " = " + f + "(" + at(0) + ", " + at(static_cast<std::size_t>(std::max(indexed.rows, 0))) +
                 ")" + masked() + (indexed.before >= 0 ? ", before " + at(static_cast<std::size_t>(indexed.before)) : "");
    else if (o.op == Op::compare_exchange)
        words += " at " + chosen() + " = " + at(static_cast<std::size_t>(std::max(indexed.rows, 0))) + " where " +
                 at(static_cast<std::size_t>(std::max(indexed.before, 0))) +
                 (o.masked ? " and " + at(static_cast<std::size_t>(indexed.mask)) : "");
    else if (o.op == Op::iota)
        words += " = " + print(p_, o.start) + " + index " + listed(o.axes, [](int axis) { return std::to_string(axis); });
    else if (o.op == Op::scan)
        words += " = " + f + "(" + at(1) + " along " + listed(o.axes, [](int axis) { return std::to_string(axis); }) + ")" +
                 (o.exclusive ? "; exclusive" : "");
    else if (o.op == Op::scaled_gemm)
        words += std::string(o.accumulate ? " += " : " = ") + at(1) + (o.transpose_a ? "^T" : "") + " by " + at(3) + " * " + at(2) +
                 (o.transpose_b ? "^T" : "") + " by " + at(4);
    else if (o.op == Op::gather)
        words += " = " + at(1) + " at " + chosen() + masked() + (o.masked ? ", else " + number_text(o.number) : "");
    else if (o.op == Op::scatter)
        words += " at " + chosen() + " = " + at(static_cast<std::size_t>(std::max(indexed.rows, 2))) + masked();
    else if (o.op == Op::atomic)
        words += call(f, {o.operands.begin(), o.operands.end()});
    else if (o.op == Op::load_reduce)
        words += call(f, sources);
    else if (o.op == Op::reduce_all)
        words += call(f, {o.operands.begin(), o.operands.end()});
    else if (o.op == Op::copy || o.op == Op::copy_async || o.op == Op::store_all)
        words += " = " + at(1);
    else if (o.op == Op::raw) {
        const auto written = static_cast<std::size_t>(std::clamp(written_count(o), 0, static_cast<int>(o.operands.size())));
        words = "raw " + listed(std::vector<View>(o.operands.begin(), o.operands.begin() + static_cast<std::ptrdiff_t>(written)),
                                [&](const View& v) { return view(v); });
        words += call(o.raw == nullptr ? "?" : o.raw->name,
                      {o.operands.begin() + static_cast<std::ptrdiff_t>(written), o.operands.end()});
    } else if (o.op == Op::prefetch || o.op == Op::shift_rows) {
    } else { // of a user's own
        words += call(name(o.op), sources);
        if (o.function != Function::identity) words += "; " + f;
        if (o.number != 0) words += "; " + number_text(o.number);
        if (!o.axes.empty()) words += "; over " + listed(o.axes, [](int axis) { return std::to_string(axis); });
        if (o.accumulate) words += "; accumulate";
    }
    if (o.op.row().all_copies) {
        constexpr std::string_view any = " of any device";
        for (std::size_t found = words.find(any); found != std::string::npos; found = words.find(any, found + 1))
            words.replace(found, any.size(), " of all devices");
    }
    if (!o.options.schedule.empty()) words += "; schedule " + o.options.schedule;
    if (o.options.vector_bytes != 0) words += "; vector_bytes " + std::to_string(o.options.vector_bytes);
    if (o.options.only_fastest) words += "; only_fastest";
    if (o.options.completes_on >= 0) words += "; completes on mbarrier " + std::to_string(o.options.completes_on);
    if (o.options.multicast != 0) words += "; multicast " + std::to_string(o.options.multicast);
    if (o.options.pair) words += "; pair";
    if (o.options.cache != CacheHint::none) words += std::string("; cache ") + name(o.options.cache);
    if (o.options.fill_nan) words += "; NaN outside";
    if (o.options.byte_mask != 0xffff) words += "; byte mask " + std::to_string(o.options.byte_mask);
    if (!o.kept_rows.empty()) words += "; keeps rows " + listed(o.kept_rows, [](std::uint32_t w) { return std::to_string(w); });
    if (!o.zero_columns.empty())
        words += "; zero columns " + listed(o.zero_columns, [](std::uint32_t w) { return std::to_string(w); });
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
    if (!(i.start == Affine())) words += "; from " + print(p_, i.start);
    if (!i.parameters.empty()) words += "; (" + listed(i.parameters, [](std::int64_t n) { return std::to_string(n); }) + ")";
    if (i.async) words += "; async";
    if (i.completes_on >= 0) words += "; completes on mbarrier " + std::to_string(i.completes_on);
    if (i.multicast != 0) words += "; multicast " + std::to_string(i.multicast);
    if (i.pair) words += "; pair";
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
    if (v.remote) out += v.device ? " of device (" + print(program, *v.device) + ")" : std::string(" of any device");
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
