// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_FRAME_HPP
#define AXE_SIM_REFERENCE_FRAME_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/sim/reference/elements.hpp>

/// Who runs a statement of the reference, and its scalars.
namespace axe {
inline namespace v0 {
namespace ref {

/// A device, a block, or one of the agents or lanes of an `Each`: its variables, its scalars, the tensors that it sees.
struct Frame {
    enum class Flow : std::uint8_t { runs, broke, continued };

    std::vector<std::int64_t> variables{};
    std::vector<Bounded> scalars{};
    std::vector<Elements*> tensors{}; ///< null: not allocated
    std::vector<Var> place{};         ///< the variables that say who this is
    Flow flow = Flow::runs;
    std::map<int, std::unique_ptr<Elements>> own{}; ///< what was allocated here

    /// A frame within this one: with the same contents, but no tensors allocated in it.
    [[nodiscard]] Frame inner() const
    {
        Frame out;
        out.variables = variables;
        out.scalars = scalars;
        out.tensors = tensors;
        out.place = place;
        return out;
    }
};

/// What an operator or an expression is computed in.
struct Scene {
    const Program& program;
    const Frame& frame;
    Pulse* pulse = nullptr;
};

/// "gpuid = 0, block0 = 3"
inline std::string place_text(const Scene& scene)
{
    std::string out;
    for (const Var v : scene.frame.place)
        out += (out.empty() ? "" : ", ") + scene.program.variables[static_cast<std::size_t>(v.id)].name + " = " +
               std::to_string(scene.frame.variables[static_cast<std::size_t>(v.id)]);
    return out;
}

/// The view where the frame is. `errc::bad_argument` for a tensor that is not there.
inline Result<Box, Problem> box_of(const View& view, const Scene& scene)
{
    const auto tensor = static_cast<std::size_t>(view.tensor);
    if (view.tensor < 0 || tensor >= scene.frame.tensors.size())
        return Problem(errc::bad_argument, "a view names a tensor that the program does not have");
    Box box;
    box.of = scene.frame.tensors[tensor];
    box.view = &view;
    box.extents = view.extents;
    box.pulse = scene.pulse;
    if (box.of == nullptr) return Problem(errc::bad_argument, not_allocated_text(scene.program.tensors[tensor].name));
    if (view.device && !scene.program.tensors[tensor].layout.layout.replica.empty())
        return Problem(errc::too_hard,
                       "{0} has copies on devices, and a remote view names one; state its outputs by computes() instead",
                       {scene.program.tensors[tensor].name});
    const int rank = scene.program.tensors[tensor].shape.size();
    bool sound =
        static_cast<int>(view.origin.size()) == rank && view.dims.size() == view.rank() && view.steps.size() == view.rank();
    for (int k = 0; sound && k < view.rank(); ++k) sound = view.dims[k] >= -1 && view.dims[k] < rank && view.extents[k] >= 1;
    if (!sound)
        return Problem(errc::bad_argument, "a view of {0} does not have one entry for each dimension",
                       {scene.program.tensors[tensor].name});
    for (const Affine& a : view.origin) box.origin.push_back(a(scene.frame.variables));
    return box;
}

/// A number for a message.
inline std::string number_text(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

/// A scalar that must be one number: a condition, an index.
inline Result<void, Problem> need_certain(const Bounded& b, const std::string& what)
{
    if (b.is_point()) return {};
    return Problem(errc::too_hard, "{0} depends on rounding: it is between {1} and {2}{3}; a correct run may take either branch",
                   {what, number_text(b.low), number_text(b.high), b.nan ? ", or NaN" : ""});
}

namespace scalars {

using Kind = Expression::Kind;

inline double of_points(Kind kind, double a, double b, double c)
{
    switch (kind) {
    case Kind::add: return a + b;
    case Kind::sub: return a - b;
    case Kind::mul: return a * b;
    case Kind::div: return a / b;
    case Kind::floor_div: return std::floor(a / b);
    case Kind::floor_mod: return a - b * std::floor(a / b);
    case Kind::min: return minimum(a, b);
    case Kind::max: return maximum(a, b);
    case Kind::equal: return a == b ? 1 : 0;
    case Kind::not_equal: return a != b ? 1 : 0;
    case Kind::less: return a < b ? 1 : 0;
    case Kind::less_equal: return a <= b ? 1 : 0;
    case Kind::logical_and: return a != 0 && b != 0 ? 1 : 0;
    case Kind::logical_or: return a != 0 || b != 0 ? 1 : 0;
    case Kind::logical_not: return a != 0 ? 0 : 1;
    case Kind::select: return a != 0 ? b : c;
    default: return 0;
    }
}

inline Bounded truth_of(const Bounded& a)
{
    return apply(Function::equal, std::array<Bounded, 2>{a, exactly(0)}.data(), DType::f64, false);
}
inline Bounded opposite(const Bounded& truth_value)
{
    return truth(truth_value.value != 0 ? 0 : 1, truth_value.low == 0, truth_value.high == 1);
}

inline Bounded of_intervals(Kind kind, const Bounded& a, const Bounded& b, const Bounded& c)
{
    const Bounded two[2] = {a, b};
    const auto f = [&](Function function) { return apply(function, two, DType::f64, false); };
    switch (kind) {
    case Kind::add: return f(Function::add);
    case Kind::sub: return f(Function::sub);
    case Kind::mul: return f(Function::mul);
    case Kind::div: return f(Function::div);
    case Kind::floor_div: {
        const Bounded q = f(Function::div);
        return {std::floor(q.value), std::floor(q.low), std::floor(q.high), q.nan};
    }
    case Kind::floor_mod: {
        const double most = b.magnitude();
        return {of_points(kind, a.value, b.value, 0), b.low < 0 ? -most : 0, b.high > 0 ? most : 0, a.nan || b.nan || b.has_zero()};
    }
    case Kind::min: return f(Function::min);
    case Kind::max: return f(Function::max);
    case Kind::equal: return f(Function::equal);
    case Kind::not_equal: return opposite(f(Function::equal));
    case Kind::less: return f(Function::less);
    case Kind::less_equal: return f(Function::less_equal);
    case Kind::select: return apply(Function::select, std::array<Bounded, 3>{a, b, c}.data(), DType::f64, false);
    default: break;
    }
    const Bounded not_a = truth_of(a), not_b = truth_of(b);
    if (kind == Kind::logical_not) return not_a;
    const bool both = kind == Kind::logical_and;
    const bool may_a = not_a.low == 0, may_b = not_b.low == 0, may_not_a = not_a.high == 1, may_not_b = not_b.high == 1;
    return truth(of_points(kind, a.value, b.value, 0), both ? may_a && may_b : may_a || may_b,
                 both ? may_not_a || may_not_b : may_not_a && may_not_b);
}

} // namespace scalars

/// The value of a scalar expression. Of points it is computed in f64 as a run does, to the same bits.
inline Result<Bounded, Problem> value_of(const Expression& e, const Scene& scene)
{
    using Kind = Expression::Kind;
    Problem wrong;
    const auto refuse = [&](Problem p) {
        wrong = std::move(p);
        return false;
    };
    const auto at = [&](const Expression& node, const Bounded* of, Bounded& out) {
        switch (node.kind) {
        case Kind::number: out = exactly(node.number); return true;
        case Kind::affine: out = exactly(static_cast<double>(node.affine(scene.frame.variables))); return true;
        case Kind::scalar: {
            const auto s = static_cast<std::size_t>(node.scalar);
            if (node.scalar < 0 || s >= scene.frame.scalars.size())
                return refuse({errc::bad_argument, "an expression names a scalar that the program does not have"});
            out = scene.frame.scalars[s];
            return true;
        }
        case Kind::load: {
            const auto box = box_of(node.element, scene);
            if (!box) return refuse(box.error());
            const auto element = read(*box);
            if (!element) return refuse(element.error());
            if (element->size() != 1)
                return refuse({errc::size_mismatch, detail::worded("a load takes a view of one element; the view of {0} has {1}",
                                                                   {box->tensor().name, element->size()})});
            out = element->at(0);
            return true;
        }
        default: break;
        }
        const std::size_t count = operands_of(node.kind);
        if (node.operands.size() != count)
            return refuse({errc::bad_argument,
                           detail::worded("an expression has {0} operands; it takes {1}", {node.operands.size(), count})});
        if (std::all_of(of, of + count, [](const Bounded& b) { return b.is_point(); }))
            out = exactly(scalars::of_points(node.kind, of[0].value, of[1].value, of[2].value));
        else
            out = scalars::of_intervals(node.kind, of[0], of[1], of[2]);
        return true;
    };
    Bounded value{};
    if (!fold(e, at, value)) return wrong;
    return value;
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
