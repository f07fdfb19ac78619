// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_FORMULA_HPP
#define AXE_PROGRAM_IMPL_FORMULA_HPP

#include <axe/program/formula.hpp>

/// How formulas are put together. What is wrong with them is found when a kernel takes them (impl/specification.hpp).
namespace axe {
inline namespace v0 {
namespace detail {

inline FormulaNode formula_node(FormulaNode::Kind kind, std::vector<Formula> operands)
{
    FormulaNode node;
    node.kind = kind;
    node.operands = std::move(operands);
    for (const Formula& operand : node.operands) node.depth = std::max(node.depth, operand.node().depth + 1);
    return node;
}

} // namespace detail

AXE_DECL Formula::Formula(FormulaNode node) : node_(std::make_shared<const FormulaNode>(std::move(node))) {}

AXE_DECL Formula::Formula(const TensorRef& tensor)
{
    FormulaNode node;
    node.kind = FormulaNode::Kind::tensor;
    node.tensor = tensor.id();
    node.owner = tensor.view().owner;
    node_ = std::make_shared<const FormulaNode>(std::move(node));
}

AXE_DECL Formula::Formula(double number)
{
    FormulaNode node;
    node.number = number;
    node_ = std::make_shared<const FormulaNode>(std::move(node));
}

AXE_DECL Formula Formula::in(DType working) const
{
    FormulaNode node = *node_;
    node.working = working;
    return Formula(std::move(node));
}

AXE_DECL Formula elementwise(Function f, std::vector<Formula> operands)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::function, std::move(operands));
    node.function = f;
    return Formula(std::move(node));
}

AXE_DECL Formula cast(const Formula& x, DType type)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::cast, {x});
    node.type = type;
    return Formula(std::move(node));
}

AXE_DECL Formula rounded(const Formula& x, DType type)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::rounded, {x});
    node.type = type;
    return Formula(std::move(node));
}

AXE_DECL Formula iota(const Shape& shape, int axis)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::iota, {});
    node.shape = shape;
    node.axes = {axis};
    return Formula(std::move(node));
}

AXE_DECL Formula reduce(Function f, const Formula& x, const InlineVector<int, max_rank>& axes, bool keep)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::reduce, {x});
    node.function = f;
    node.axes = axes;
    node.keep = keep;
    return Formula(std::move(node));
}

AXE_DECL Formula matmul(const Formula& a, const Formula& b, Matmul form)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::matmul, {a, b});
    node.transpose_a = form.transpose_a;
    node.transpose_b = form.transpose_b;
    return Formula(std::move(node));
}

AXE_DECL Formula permute(const Formula& x, const InlineVector<int, max_rank>& order)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::permute, {x});
    node.axes = order;
    return Formula(std::move(node));
}

AXE_DECL Formula reshape(const Formula& x, const Shape& shape)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::reshape, {x});
    node.shape = shape;
    return Formula(std::move(node));
}

AXE_DECL Formula slice(const Formula& x, int axis, std::int64_t begin, std::int64_t extent, std::int64_t step)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::slice, {x});
    node.axes = {axis};
    node.begin = {begin};
    node.shape = {extent};
    node.step = step;
    return Formula(std::move(node));
}

AXE_DECL Formula shift(const Formula& x, const InlineVector<std::int64_t, max_rank>& offset, double fill)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::shift, {x});
    node.begin = offset;
    node.number = fill;
    return Formula(std::move(node));
}

AXE_DECL Formula broadcast(const Formula& x, const Shape& shape)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::broadcast, {x});
    node.shape = shape;
    return Formula(std::move(node));
}

AXE_DECL Formula softmax(const Formula& x, int axis)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::softmax, {x});
    node.axes = {axis};
    return Formula(std::move(node));
}

AXE_DECL Formula gather(const Formula& x, const Formula& index)
{
    return Formula(detail::formula_node(FormulaNode::Kind::gather, {x, index}));
}

AXE_DECL Formula gather_at(const Formula& x, const std::vector<Formula>& indices)
{
    std::vector<Formula> operands{x};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return Formula(detail::formula_node(FormulaNode::Kind::gather, std::move(operands)));
}

AXE_DECL Formula scatter_add(const Formula& base, const Formula& index, const Formula& values)
{
    return Formula(detail::formula_node(FormulaNode::Kind::scatter_add, {base, index, values}));
}

AXE_DECL Formula histogram(const Formula& index, std::int64_t bins)
{
    return scatter_add(cast(broadcast(0, {bins}), DType::i32), index, 1);
}

AXE_DECL Formula cumsum(const Formula& x, int axis)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::cumsum, {x});
    node.axes = {axis};
    return Formula(std::move(node));
}

AXE_DECL Formula concat(std::vector<Formula> parts, int axis)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::concat, std::move(parts));
    node.axes = {axis};
    return Formula(std::move(node));
}

AXE_DECL Formula by_function(std::string name, FormulaFunction f, const std::vector<TensorRef>& operands, const Shape& shape,
                             DType type)
{
    FormulaNode node = detail::formula_node(FormulaNode::Kind::by_function, {operands.begin(), operands.end()});
    node.name = std::move(name);
    node.by = std::move(f);
    node.shape = shape;
    node.type = type;
    return Formula(std::move(node));
}

} // namespace v0
} // namespace axe

#endif
