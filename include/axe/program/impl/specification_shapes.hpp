// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SPECIFICATION_SHAPES_HPP
#define AXE_PROGRAM_IMPL_SPECIFICATION_SHAPES_HPP

#include <axe/program/impl/specification_types.hpp>

/// Shape and type of each kind of node, from its operands'.
namespace axe {
inline namespace v0 {
namespace detail {

inline Typed type_number(FormulaTyping& t)
{
    t.out.literal = true;
    return {};
}

inline Typed type_iota(FormulaTyping& t)
{
    if (auto e = check_shape(t.formula.shape); !e.ok()) return e;
    if (axis_of(t.formula.axes[0], t.formula.shape.size()) < 0) return no_axis(t.formula.axes[0], t.formula.shape);
    t.out.shape = t.formula.shape;
    t.out.type = t.out.working = DType::i32;
    t.out.whole = true;
    return {};
}

inline Typed type_function(FormulaTyping& t)
{
    const Function f = t.formula.function;
    if (t.count() != f.row().arity)
        return Problem(errc::bad_argument, "{0} is of {1} operands, {2} are given", {name(f), f.row().arity, t.count()});
    std::vector<Shape> shapes;
    for (const SpecificationNode* n : t.operands) shapes.push_back(n->shape);
    if (auto e = broadcast_shapes(shapes, t.out.shape); !e.ok()) return e;
    const bool whole = whole_operands(t);
    if (auto e = need_integers(f, whole); !e.ok()) return e;
    if (f == Function::bit_cast)
        return {errc::bad_argument, "bit_cast is of elements that are stored; what a formula computes has no bits"};
    work_in(t, whole && f.row().domain != Domain::fractions);
    // What only chooses has the type of what it chooses from; comparisons are truth values.
    if (f == Function::equal || f == Function::less || f == Function::less_equal)
        t.out.type = DType::b1;
    else if (f == Function::select || f == Function::min || f == Function::max || f == Function::identity)
        t.out.type = common_type(t, f == Function::select ? 1 : 0);
    return {};
}

inline Typed type_cast(FormulaTyping& t)
{
    t.out.shape = t.shape(0);
    t.out.type = *t.formula.type;
    t.out.working = *t.formula.type;
    return {};
}

inline Typed type_rounded(FormulaTyping& t)
{
    if (auto e = need_float(*t.formula.type); !e.ok()) return e;
    t.out.shape = t.shape(0);
    t.out.working = *t.formula.type;
    t.out.type = float_type(t); // what it is at another scale need not be a number of the type
    return {};
}

inline Typed type_reduce(FormulaTyping& t)
{
    if (!t.formula.function.row().reduces)
        return Problem(errc::bad_argument, "{0} is not an operation of reductions", {name(t.formula.function)});
    const Shape& shape = t.shape(0);
    std::vector<bool> runs(static_cast<std::size_t>(shape.size()));
    for (const int axis : t.formula.axes) {
        const int d = axis_of(axis, shape.size());
        if (d < 0) return no_axis(axis, shape);
        if (runs[static_cast<std::size_t>(d)]) return Problem(errc::bad_argument, "the axes name dimension {0} twice", {d});
        runs[static_cast<std::size_t>(d)] = true;
    }
    for (int d = 0; d < shape.size(); ++d) {
        if (!runs[static_cast<std::size_t>(d)])
            t.out.shape.push_back(shape[d]);
        else if (t.formula.keep)
            t.out.shape.push_back(1);
    }
    const bool whole = whole_operands(t);
    if (auto e = need_integers(t.formula.function, whole); !e.ok()) return e;
    work_in(t, whole);
    if (t.formula.function == Function::min || t.formula.function == Function::max) t.out.type = t.operand(0).type;
    return {};
}

/// The widest type that a matrix product of these types grows in.
inline DType product_type(DType a, DType b)
{
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    std::optional<DType> widest;
    for (const GemmTypes& row : gemm_types)
        if (row.a == a && row.b == b && (!widest || bits(row.d) > bits(*widest))) widest = row.d;
    return widest.value_or(is_whole(a) && is_whole(b) ? DType::i32 : DType::f32);
}

inline Typed type_matmul(FormulaTyping& t)
{
    const Shape &a = t.shape(0), &b = t.shape(1);
    if (a.size() < 2 || b.size() < 2)
        return Problem(errc::rank_mismatch, "the operands are {0} and {1}; they must have at least two dimensions",
                       {shape_words(a), shape_words(b)});
    const auto last = [](const Shape& s, int from_end) { return s[s.size() - from_end]; };
    const std::int64_t m = last(a, t.formula.transpose_a ? 1 : 2), k = last(a, t.formula.transpose_a ? 2 : 1);
    const std::int64_t n = last(b, t.formula.transpose_b ? 2 : 1), l = last(b, t.formula.transpose_b ? 1 : 2);
    if (k != l)
        return Problem(errc::size_mismatch, "the operands are {0} and {1}: the inner extents are {2} and {3}; they must be equal",
                       {shape_words(a), shape_words(b), k, l});
    if (auto e = broadcast_shapes({Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)}, t.out.shape); !e.ok()) return e;
    t.out.shape.push_back(m);
    t.out.shape.push_back(n);
    work_in(t, whole_operands(t));
    if (!t.formula.working) t.out.type = t.out.working = product_type(t.operand(0).type, t.operand(1).type);
    return {};
}

inline Typed type_permute(FormulaTyping& t)
{
    const Shape& shape = t.shape(0);
    bool sound = t.formula.axes.size() == shape.size();
    std::vector<bool> seen(static_cast<std::size_t>(shape.size()));
    for (int k = 0; sound && k < shape.size(); ++k) {
        const int d = axis_of(t.formula.axes[k], shape.size());
        sound = d >= 0 && !seen[static_cast<std::size_t>(d)];
        if (!sound) break;
        seen[static_cast<std::size_t>(d)] = true;
        t.out.shape.push_back(shape[d]);
    }
    if (!sound)
        return Problem(errc::bad_argument, "the order of {0} numbers does not name each dimension of {1} once",
                       {t.formula.axes.size(), shape_words(shape)});
    t.out.type = t.operand(0).type;
    return {};
}

inline Typed type_reshape(FormulaTyping& t)
{
    if (auto e = check_shape(t.formula.shape); !e.ok()) return e;
    if (volume(t.formula.shape).value_or(0) != volume(t.shape(0)).value_or(0))
        return Problem(errc::size_mismatch, "{0} and {1} do not have as many elements",
                       {shape_words(t.shape(0)), shape_words(t.formula.shape)});
    t.out.shape = t.formula.shape;
    t.out.type = t.operand(0).type;
    return {};
}

inline Typed type_slice(FormulaTyping& t)
{
    const int d = axis_of(t.formula.axes[0], t.shape(0).size());
    if (d < 0) return no_axis(t.formula.axes[0], t.shape(0));
    const std::int64_t begin = t.formula.begin[0], extent = t.formula.shape[0], step = t.formula.step, whole = t.shape(0)[d];
    // In this order nothing overflows.
    const bool inside =
        extent >= 1 && step >= 1 && begin >= 0 && begin < whole && (extent == 1 || extent - 1 <= (whole - 1 - begin) / step);
    if (!inside)
        return Problem(errc::out_of_domain, "{0} indices from {1} on, {2} apart, are not in dimension {3} of {4} indices",
                       {extent, begin, step, d, whole});
    t.out.shape = t.shape(0);
    t.out.shape[d] = extent;
    t.out.type = t.operand(0).type;
    return {};
}

inline Typed type_shift(FormulaTyping& t)
{
    if (t.formula.begin.size() != t.shape(0).size())
        return Problem(errc::rank_mismatch, "the offset has {0} numbers, the operand is {1}",
                       {t.formula.begin.size(), shape_words(t.shape(0))});
    t.out.shape = t.shape(0);
    t.out.type = t.operand(0).type;
    return {};
}

inline Typed type_broadcast(FormulaTyping& t)
{
    if (auto e = check_shape(t.formula.shape); !e.ok()) return e;
    Shape both;
    if (auto e = broadcast_shapes({t.formula.shape, t.shape(0)}, both); !e.ok()) return e;
    if (!(both == t.formula.shape))
        return Problem(errc::size_mismatch, "{0} does not broadcast to {1}",
                       {shape_words(t.shape(0)), shape_words(t.formula.shape)});
    t.out.shape = t.formula.shape;
    t.out.type = t.operand(0).literal ? DType::f32 : t.operand(0).type;
    // A number is still the number: broadcast(0, s) beside integers is an integer where it is cast.
    return {};
}

inline Typed type_softmax(FormulaTyping& t)
{
    if (axis_of(t.formula.axes[0], t.shape(0).size()) < 0) return no_axis(t.formula.axes[0], t.shape(0));
    t.out.shape = t.shape(0);
    work_in(t, false);
    return {};
}

inline Typed type_cumsum(FormulaTyping& t)
{
    if (axis_of(t.formula.axes[0], t.shape(0).size()) < 0) return no_axis(t.formula.axes[0], t.shape(0));
    t.out.shape = t.shape(0);
    work_in(t, whole_operands(t));
    return {};
}

inline Typed need_index(const SpecificationNode& index)
{
    if (!index.literal && is_whole(index.type)) return {};
    return Problem(errc::bad_argument, "an index of {0} is not of integers", {name(index.type)});
}

inline Typed type_gather(FormulaTyping& t)
{
    if (t.shape(0).empty()) return {errc::rank_mismatch, "rows are gathered from an operand without dimensions"};
    const int indices = t.count() - 1;
    if (indices < 1 || indices > t.shape(0).size())
        return Problem(errc::rank_mismatch, "an operand of {0} is given {1} indices; it must be 1 to {2}",
                       {shape_words(t.shape(0)), indices, t.shape(0).size()});
    std::vector<Shape> shapes;
    for (int k = 1; k <= indices; ++k) {
        if (auto e = need_index(t.operand(k)); !e.ok()) return e;
        shapes.push_back(t.shape(k));
    }
    if (auto e = broadcast_shapes(shapes, t.out.shape); !e.ok()) return e;
    for (int d = indices; d < t.shape(0).size(); ++d) t.out.shape.push_back(t.shape(0)[d]);
    if (auto e = check_shape(t.out.shape); !e.ok()) return e;
    t.out.type = t.operand(0).type;
    return {};
}

inline Typed type_scatter_add(FormulaTyping& t)
{
    if (auto e = need_index(t.operand(1)); !e.ok()) return e;
    if (t.shape(0).empty()) return {errc::rank_mismatch, "rows are added to an operand without dimensions"};
    Shape rows = t.shape(1), both;
    for (int d = 1; d < t.shape(0).size(); ++d) rows.push_back(t.shape(0)[d]);
    if (auto e = broadcast_shapes({rows, t.shape(2)}, both); !e.ok()) return e;
    if (!(both == rows))
        return Problem(errc::size_mismatch, "values of {0} do not broadcast to the {1} that the index names",
                       {shape_words(t.shape(2)), shape_words(rows)});
    t.out.shape = t.shape(0);
    const SpecificationNode &base = t.operand(0), &values = t.operand(2);
    const bool whole = is_whole(base.type) && (values.literal ? is_whole_number(values.formula->number) : is_whole(values.type));
    t.out.whole = whole && !t.formula.working;
    t.out.working = t.formula.working.value_or(whole ? DType::i32 : float_type(t));
    t.out.type = t.out.working;
    return {};
}

inline Typed type_concat(FormulaTyping& t)
{
    if (t.count() == 0) return {errc::bad_argument, "a concatenation of no parts"};
    t.out.shape = t.shape(0);
    const int d = axis_of(t.formula.axes[0], t.out.shape.size());
    if (d < 0) return no_axis(t.formula.axes[0], t.out.shape);
    for (int i = 1; i < t.count(); ++i) {
        Shape like = t.shape(i);
        const std::int64_t extent = like.size() == t.out.shape.size() ? like[d] : 0;
        if (extent > 0) like[d] = t.out.shape[d];
        if (!(like == t.out.shape))
            return Problem(errc::size_mismatch, "part {0} is {1}, the first is {2}; they must be equal but in dimension {3}",
                           {i, shape_words(t.shape(i)), shape_words(t.shape(0)), d});
        t.out.shape[d] += extent;
    }
    t.out.type = common_type(t, 0);
    return check_shape(t.out.shape);
}

inline Typed type_by_function(FormulaTyping& t)
{
    if (!t.formula.by) return Problem(errc::bad_argument, "function {0} is empty", {quoted(t.formula.name)});
    t.out.shape = t.formula.shape;
    t.out.type = t.out.working = *t.formula.type;
    return check_shape(t.out.shape);
}

/// What each kind is called, and how many operands it has (−1: any number). In the order of `FormulaNode::Kind`.
struct FormulaKind {
    FormulaNode::Kind kind;
    const char* name;
    Typed (*type)(FormulaTyping&); ///< null of tensors, whose type is the program's
};
inline constexpr FormulaKind formula_kinds[] = {
    {FormulaNode::Kind::tensor, "tensor", nullptr},
    {FormulaNode::Kind::number, "number", type_number},
    {FormulaNode::Kind::iota, "iota", type_iota},
    {FormulaNode::Kind::function, "function", type_function},
    {FormulaNode::Kind::cast, "cast", type_cast},
    {FormulaNode::Kind::rounded, "rounded", type_rounded},
    {FormulaNode::Kind::reduce, "reduce", type_reduce},
    {FormulaNode::Kind::matmul, "matmul", type_matmul},
    {FormulaNode::Kind::permute, "permute", type_permute},
    {FormulaNode::Kind::reshape, "reshape", type_reshape},
    {FormulaNode::Kind::slice, "slice", type_slice},
    {FormulaNode::Kind::shift, "shift", type_shift},
    {FormulaNode::Kind::broadcast, "broadcast", type_broadcast},
    {FormulaNode::Kind::softmax, "softmax", type_softmax},
    {FormulaNode::Kind::gather, "gather", type_gather},
    {FormulaNode::Kind::scatter_add, "scatter_add", type_scatter_add},
    {FormulaNode::Kind::cumsum, "cumsum", type_cumsum},
    {FormulaNode::Kind::concat, "concat", type_concat},
    {FormulaNode::Kind::by_function, "by_function", type_by_function},
};
// Each kind of node has its row, in the order of the kinds.
static_assert([] {
    int i = 0;
    for (const FormulaKind& row : formula_kinds)
        if (static_cast<int>(row.kind) != i++) return false;
    return i == static_cast<int>(FormulaNode::Kind::by_function) + 1;
}());

inline const FormulaKind& row_of(const FormulaNode& node) { return formula_kinds[static_cast<int>(node.kind)]; }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
