// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SPECIFICATION_TYPES_HPP
#define AXE_PROGRAM_IMPL_SPECIFICATION_TYPES_HPP

#include <axe/program/operators.hpp>
#include <axe/program/specification.hpp>

/// What the shapes and types of formulas have in common: integers or not, axes, broadcasts.
namespace axe {
inline namespace v0 {
namespace detail {

/// A node whose operands are known. Its functions give problems without the words that say where.
struct FormulaTyping {
    const FormulaNode& formula;
    std::vector<const SpecificationNode*> operands;
    SpecificationNode& out;

    [[nodiscard]] const SpecificationNode& operand(int i) const { return *operands[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const Shape& shape(int i) const { return operand(i).shape; }
    [[nodiscard]] int count() const { return static_cast<int>(operands.size()); }
};
using Typed = Result<void, Problem>;

/// A number of the integers that every integer type of a working precision has.
inline bool is_whole_number(double x)
{
    return x >= -0x1p31 && x < 0x1p31 && x == static_cast<double>(static_cast<std::int64_t>(x));
}

/// Is the type one that an operation may be computed in where the user states it?
inline Typed need_float(DType type)
{
    if (is_float(type)) return {};
    return Problem(errc::bad_argument, "a working type is a floating-point type, not {0}", {name(type)});
}

/// Are the operands from `first` on integers, numbers beside integers among them?
inline bool whole_operands(const FormulaTyping& t, int first = 0)
{
    bool some = false;
    for (int i = first; i < t.count(); ++i) {
        const SpecificationNode& n = t.operand(i);
        if (n.literal ? !is_whole_number(n.formula->number) : !is_whole(n.type)) return false;
        some = some || !n.literal;
    }
    return some;
}
/// f64 where an operand is, else f32.
inline DType float_type(const FormulaTyping& t)
{
    for (const SpecificationNode* n : t.operands)
        if (!n->literal && n->type == DType::f64) return DType::f64;
    return DType::f32;
}
/// The type of what holds any of the operands from `first` on: theirs where it is one, else the working type.
inline DType common_type(const FormulaTyping& t, int first)
{
    std::optional<DType> one;
    bool same = true;
    for (int i = first; i < t.count(); ++i)
        if (!t.operand(i).literal) {
            same = same && (!one || *one == t.operand(i).type);
            one = t.operand(i).type;
        } else {
            same = same && (!is_whole(one.value_or(DType::f32)) || is_whole_number(t.operand(i).formula->number));
        }
    if (same && one) return *one;
    return whole_operands(t, first) ? DType::i32 : float_type(t);
}
inline void work_in(FormulaTyping& t, bool whole)
{
    t.out.whole = whole && !t.formula.working;
    t.out.working = t.formula.working.value_or(whole ? DType::i32 : float_type(t));
    t.out.type = t.out.working;
}

inline Typed need_integers(Function f, bool whole)
{
    if (f.row().domain != Domain::bits || whole) return {};
    return Problem(errc::bad_argument, "{0} is of integers, and an operand is not", {name(f)});
}

/// An axis, counted from the end if negative; −1: no such dimension.
inline int axis_of(int axis, int rank) { return axis < -rank || axis >= rank ? -1 : axis < 0 ? axis + rank : axis; }
inline Typed no_axis(int axis, const Shape& shape)
{
    return Problem(errc::out_of_domain, "no dimension {0} in an operand of {1}", {axis, shape_words(shape)});
}
inline Typed check_shape(const Shape& shape)
{
    const auto n = volume(shape);
    return n ? Typed() : Typed(errc::bad_extent, n.error().message().c_str());
}

/// The shape that all broadcast to. Dimensions are aligned at the last.
inline Typed broadcast_shapes(const std::vector<Shape>& shapes, Shape& out)
{
    int rank = 0;
    for (const Shape& s : shapes) rank = std::max(rank, s.size());
    out = {};
    for (int d = 0; d < rank; ++d) {
        std::int64_t extent = 1;
        for (const Shape& s : shapes) {
            const int at = d - (rank - s.size());
            if (at < 0 || s[at] == 1 || s[at] == extent) continue;
            if (extent != 1)
                return Problem(errc::size_mismatch,
                               "shapes {0} and {1} do not broadcast: dimension {2} from the end is {3} and {4}",
                               {shape_words(shapes.front()), shape_words(s), rank - d, extent, s[at]});
            extent = s[at];
        }
        out.push_back(extent);
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
