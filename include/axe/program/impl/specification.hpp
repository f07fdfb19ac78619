// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SPECIFICATION_HPP
#define AXE_PROGRAM_IMPL_SPECIFICATION_HPP

#include <axe/program/impl/specification_shapes.hpp>
#include <axe/program/print.hpp>
#include <axe/program/specification.hpp>

#include <unordered_map>

namespace axe {
inline namespace v0 {
namespace detail {

/// Writes formulas, and stops where the text is long enough.
class FormulaText {
  public:
    FormulaText(const Program& program, std::size_t most) : program_(program), most_(most) {}

    std::string of(const Formula& formula)
    {
        write(formula.node());
        if (out_.size() > most_) out_.resize(most_), out_ += "...";
        return out_;
    }

  private:
    void write(const FormulaNode& n)
    {
        using Kind = FormulaNode::Kind;
        if (out_.size() > most_) return;
        if (n.kind == Kind::tensor) {
            out_ += name_at(program_.tensors, n.tensor);
            return;
        }
        if (n.kind == Kind::number) {
            out_ += number_text(n.number);
            return;
        }
        const char* sign = n.kind == Kind::function ? sign_of(n.function) : nullptr;
        if (sign != nullptr && n.operands.size() == 2) {
            out_ += '(';
            write(n.operands[0].node());
            out_ += sign;
            write(n.operands[1].node());
            out_ += ')';
        } else {
            call(n);
        }
        if (n.working) out_ += std::string(".in(") + axe::name(*n.working) + ")";
    }
    void call(const FormulaNode& n)
    {
        using Kind = FormulaNode::Kind;
        const bool reduces = n.kind == Kind::reduce;
        out_ += n.kind == Kind::function                 ? axe::name(n.function)
                : n.kind == Kind::by_function            ? n.name.c_str()
                : reduces && n.function == Function::add ? "sum"
                : reduces                                ? axe::name(n.function)
                                                         : row_of(n).name;
        out_ += '(';
        bool first = true;
        const auto item = [&](const std::string& text) {
            out_ += (first ? "" : ", ") + text;
            first = false;
        };
        for (const Formula& operand : n.operands) {
            item("");
            write(operand.node());
        }
        if (n.kind != Kind::slice && !n.shape.empty() && n.kind != Kind::by_function) item("{" + list(n.shape) + "}");
        if (n.axes.size() == 1)
            item(std::to_string(n.axes[0]));
        else if (!n.axes.empty() || reduces)
            item("{" + list(n.axes) + "}");
        if (n.kind == Kind::shift) item("{" + list(n.begin) + "}");
        if (n.kind == Kind::slice) {
            item(std::to_string(n.begin[0]));
            item(std::to_string(n.shape[0]));
            if (n.step != 1) item(std::to_string(n.step));
        }
        if (n.kind == Kind::shift && n.number != 0) item(number_text(n.number));
        if (n.type && n.kind != Kind::by_function) item(axe::name(*n.type));
        if (n.keep) item("keep_dims");
        if (n.transpose_a) item("transpose_a");
        if (n.transpose_b) item("transpose_b");
        out_ += ')';
    }
    template <class List>
    static std::string list(const List& numbers)
    {
        return listed(numbers, [](auto n) { return std::to_string(n); });
    }
    static const char* sign_of(Function f)
    {
        return f == Function::add          ? " + "
               : f == Function::sub        ? " - "
               : f == Function::mul        ? " * "
               : f == Function::div        ? " / "
               : f == Function::less       ? " < "
               : f == Function::less_equal ? " <= "
                                           : nullptr;
    }

    const Program& program_;
    std::size_t most_;
    std::string out_{};
};

/// Adds a formula's nodes to a specification, operands first; what it has already is found again.
class FormulaReader {
  public:
    FormulaReader(const Program& program, Specification& into, KernelTag owner) : program_(program), into_(into), owner_(owner)
    {
        for (std::size_t i = 0; i < into.nodes.size(); ++i) known_[into.nodes[i].formula.get()] = static_cast<int>(i);
    }

    Result<int, Problem> add(const Formula& formula)
    {
        if (const auto at = known_.find(&formula.node()); at != known_.end()) return at->second;
        const FormulaNode& n = formula.node();
        SpecificationNode out;
        out.formula = formula.shared();
        for (const Formula& operand : n.operands) {
            const auto place = add(operand);
            if (!place) return place;
            out.operands.push_back(*place);
        }
        FormulaTyping typing{n, {}, out};
        for (const int place : out.operands) typing.operands.push_back(&into_.nodes[static_cast<std::size_t>(place)]);
        const FormulaKind& row = row_of(n);
        Typed e = n.working ? need_float(*n.working) : Typed();
        if (e.ok()) e = row.type != nullptr ? row.type(typing) : of_tensor(n, out);
        if (!e.ok()) return Problem(e.code(), FormulaText(program_, 100).of(formula) + ": " + e.error().text);
        into_.nodes.push_back(std::move(out));
        const int place = static_cast<int>(into_.nodes.size()) - 1;
        known_[&n] = place;
        return place;
    }

  private:
    Typed of_tensor(const FormulaNode& n, SpecificationNode& out) const
    {
        if (n.owner.kernel != owner_.kernel || n.tensor < 0 || static_cast<std::size_t>(n.tensor) >= program_.tensors.size())
            return {errc::bad_argument, "the tensor is another kernel's; a formula is of tensors of its own kernel"};
        const ProgramTensor& tensor = program_.tensors[static_cast<std::size_t>(n.tensor)];
        if (tensor.binding != Binding::input && tensor.binding != Binding::inout)
            return Problem(errc::bad_argument, "{0} is {1}; a formula is of inputs",
                           {tensor.name, tensor.binding == Binding::output ? "an output" : "local"});
        out.shape = tensor.shape;
        out.type = out.working = tensor.dtype;
        return {};
    }

    const Program& program_;
    Specification& into_;
    KernelTag owner_;
    std::unordered_map<const FormulaNode*, int> known_{};
};

} // namespace detail

AXE_DECL Result<void, Problem> specify(const Program& program, Specification& specification, const TensorRef& tensor,
                                       const Formula& formula)
{
    const auto where = [&](const std::string& what) {
        return program.name + ", specification of " + detail::name_at(program.tensors, tensor.id()) + ": " + what;
    };
    const KernelTag owner = tensor.view().owner;
    if (tensor.id() < 0 || static_cast<std::size_t>(tensor.id()) >= program.tensors.size())
        return {errc::bad_argument, where("the program has no such tensor")};
    const ProgramTensor& out = program.tensors[static_cast<std::size_t>(tensor.id())];
    if (out.binding != Binding::output && out.binding != Binding::inout)
        return {errc::bad_argument,
                where(out.binding == Binding::input ? "an input is not computed; name an output or inout"
                                                    : "a local tensor is not seen outside; name an output or inout")};
    if (specification.find(tensor.id()) != nullptr) return {errc::bad_argument, where("a second formula; an output has one")};
    if (formula.node().depth > max_formula_depth)
        return {errc::capacity, where(detail::worded("the formula is {0} operations deep; at most {1}",
                                                     {formula.node().depth, max_formula_depth}))};
    const auto node = detail::FormulaReader(program, specification, owner).add(formula);
    if (!node) return {node.code(), where(node.error().text)};
    const SpecificationNode& result = specification.nodes[static_cast<std::size_t>(*node)];
    if (!(result.shape == out.shape))
        return {errc::size_mismatch, where(detail::worded("{0} is {1}, the output is {2}",
                                                          {print(program, formula, 100), detail::shape_words(result.shape),
                                                           detail::shape_words(out.shape)}))};
    specification.outputs.push_back({tensor.id(), *node});
    return {};
}

AXE_DECL std::string print(const Program& program, const Formula& formula, std::size_t most)
{
    return detail::FormulaText(program, most).of(formula);
}

AXE_DECL std::string print(const Program& program, const Specification& specification)
{
    std::string out;
    for (const Specification::Output& o : specification.outputs)
        out += detail::name_at(program.tensors, o.tensor) + " = " +
               print(program, Formula(*specification.nodes[static_cast<std::size_t>(o.node)].formula)) + "\n";
    return out;
}

} // namespace v0
} // namespace axe

#endif
