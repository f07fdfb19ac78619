// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_SCANS_HPP
#define AXE_SIM_REFERENCE_SCANS_HPP

#include <axe/sim/reference/operators.hpp>

/// Operators that go along one dimension: indices, prefixes of reductions, and rows that are shifted.
namespace axe {
inline namespace v0 {
namespace ref {

/// How many elements, row-major, come between neighbors along a dimension.
inline std::int64_t step_along(const Shape& shape, int axis)
{
    std::int64_t step = 1;
    for (int d = axis + 1; d < shape.size(); ++d) step *= shape[d];
    return step;
}

inline Result<void, Problem> run_iota(const Operands& o)
{
    const Shape& shape = o.box(0).extents;
    const int axis = o.operation.axes[0];
    const std::int64_t step = step_along(shape, axis), start = o.operation.start(o.scene.frame.variables);
    Values out(o.box(0).size());
    const auto set = [&](std::int64_t i) {
        out.set(i, stored(exactly(static_cast<double>(start + i / step % shape[axis])), o.type(0)));
    };
    if (auto e = for_each_number(o.box(0).pulse, out.size(), 20, set); !e.ok()) return e;
    return write(o.box(0), out);
}

/// All rows but the last, read before all but the first are written.
inline Result<void, Problem> run_shift_rows(const Operands& o)
{
    Box rows = o.box(0);
    const View& v = *rows.view;
    if (--rows.extents[0] == 0) return {};
    const auto old = read(rows);
    if (!old) return old.error();
    if (v.dims[0] >= 0) rows.origin[v.dims[0]] += v.steps[0];
    return write(rows, *old);
}

/// Each prefix is what a reduction of its terms may be, in any order and tree.
inline Result<void, Problem> run_scan(const Operands& o)
{
    const auto a = read(o.box(1));
    if (!a) return a.error();
    const Shape& shape = o.box(1).extents;
    const int axis = o.operation.axes[0];
    const std::int64_t n = shape[axis], step = step_along(shape, axis);
    const Function f = o.operation.function;
    const bool whole = all_whole(o, 1);
    const DType computed = whole ? DType::f64 : computed_in(o, 1);
    const Arithmetic in = arithmetic(o.type(0), computed, whole);
    // A term is rounded to the sum's type where that is narrower than its own, before it is added.
    const double more = significand_bits(o.type(1)) > significand_bits(o.type(0)) ? 1 : 0;
    const Bounded neutral = exactly(is_whole(o.type(0)) ? static_cast<double>(f.row().neutral_integer) : f.row().neutral);
    Values out(o.box(0).size());
    for (std::int64_t line = 0; line < out.size() / n; ++line) {
        const std::int64_t first = line / step * step * n + line % step;
        Sum sum_of;
        Product product_of;
        Bounded folded;
        for (std::int64_t i = 0; i < n; ++i) {
            if (!goes_on(o.box(0).pulse, 100)) return stopped();
            const Bounded term = as_operand(a->at(first + i * step), o.type(1), computed);
            const auto result = [&] {
                return f == Function::add ? sum_of.result(more, in) : f == Function::mul ? product_of.result(more, in) : folded;
            };
            if (o.operation.exclusive) out.set(first + i * step, stored(i == 0 ? neutral : result(), o.type(0), computed));
            if (f == Function::add)
                sum_of.add(term);
            else if (f == Function::mul)
                product_of.multiply(term);
            else
                folded = i == 0 ? term : apply(f, std::array<Bounded, 2>{folded, term}.data(), computed, whole);
            if (!o.operation.exclusive) out.set(first + i * step, stored(result(), o.type(0), computed));
        }
    }
    return write(o.box(0), out);
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
