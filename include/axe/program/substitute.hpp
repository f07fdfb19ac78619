// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_SUBSTITUTE_HPP
#define AXE_PROGRAM_SUBSTITUTE_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

#include <map>

/// Copies of statements with other variables and tensors.
namespace axe {
inline namespace v0 {

/// What variables and tensors become. A variable that a statement declares itself (of a loop, an index, a grid) becomes a variable.
struct Substitution {
    std::map<int, Affine> variables{};
    std::map<int, int> tensors{};

    void apply(Affine& a) const
    {
        Affine out(a.constant());
        bool changes = false;
        for (const Affine::Term& t : a.terms()) {
            const auto to = variables.find(t.var);
            changes |= to != variables.end();
            out += (to == variables.end() ? Affine(Var{t.var}) : to->second) * t.coefficient;
        }
        if (changes) a = std::move(out);
    }
    void apply(Var& v) const
    {
        const auto to = variables.find(v.id);
        if (to != variables.end() && to->second.terms().size() == 1) v.id = to->second.terms()[0].var;
    }
    void apply(int& tensor) const
    {
        if (const auto to = tensors.find(tensor); to != tensors.end()) tensor = to->second;
    }
    void apply(View& v) const
    {
        apply(v.tensor);
        for (Affine& a : v.origin) apply(a);
        if (v.block) apply(*v.block);
        if (v.device) apply(*v.device);
    }
    void apply(Expression& e) const
    {
        const auto made = [this](const Expression& node, Expression* operands, Expression& out) {
            out = node;
            apply(out.affine);
            if (out.kind == Expression::Kind::load) apply(out.element);
            std::vector<Expression> parts;
            for (std::size_t i = 0; i < node.operands.size(); ++i) parts.push_back(std::move(operands[i]));
            out.operands = ExpressionOperands(std::move(parts));
            return true;
        };
        Expression out;
        fold(e, made, out);
        e = std::move(out);
    }
    /// Of the statement and all in its bodies.
    void apply(Statement& s) const
    {
        std::visit([this](auto& what) { fields(what); }, s.what);
        for_each_body(s, [this](Body& body) {
            for (Statement& inner : body) apply(inner);
        });
    }

  private:
    template <class What>
    void fields(What& what) const
    {
        if constexpr (requires { what.tensor; }) apply(what.tensor);
        if constexpr (requires { what.var; }) apply(what.var);
        if constexpr (requires { what.vars; })
            for (Var& v : what.vars) apply(v);
        if constexpr (requires { what.begin; }) apply(what.begin), apply(what.end);
        if constexpr (requires { what.condition; }) apply(what.condition);
        if constexpr (requires { what.value; }) apply(what.value);
        if constexpr (requires { what.parity; }) apply(what.parity);
        if constexpr (requires { what.element; }) apply(what.element);
        if constexpr (requires { what.start; }) apply(what.start);
        if constexpr (requires { what.rank; })
            if (what.rank) apply(*what.rank);
        if constexpr (requires { what.at; })
            if (what.at) apply(*what.at);
        if constexpr (requires { what.operands; })
            for (auto& operand : what.operands) {
                if constexpr (requires { operand.view; })
                    apply(operand.view);
                else
                    apply(operand);
            }
    }
};

} // namespace v0
} // namespace axe

#endif
