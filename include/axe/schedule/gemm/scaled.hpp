// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GEMM_SCALED_HPP
#define AXE_SCHEDULE_GEMM_SCALED_HPP

#include <axe/program/scaled_gemm.hpp>
#include <axe/schedule/gemm.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The scales of rows [row, row + rows) and one box of k, as a view of D's box: what is the same along a dimension repeats.
inline View scales_of_box(const View& scales, bool turned, std::int64_t index, int kept, std::int64_t first, std::int64_t count,
                          std::int64_t high, const View& box)
{
    // `kept` is D's dimension along which they differ, if each element has its own; else one element repeats.
    const int along = turned ? 1 - kept : kept; // the scales' dimension of it; the other one is that of k
    View out = scales;
    out.extents = box.extents;
    const auto move = [&](int d, std::int64_t by) {
        if (scales.dims[d] >= 0) out.origin[static_cast<std::size_t>(scales.dims[d])] += Affine(by * scales.steps[d]);
    };
    move(1 - along, index);
    move(along, first / high);
    const bool each = high == 1 && count > 1;
    out.dims[kept] = each ? scales.dims[along] : -1;
    out.steps[kept] = each ? scales.steps[along] : 0;
    out.dims[1 - kept] = -1;
    out.steps[1 - kept] = 0;
    return out;
}

inline Operation map_of(Function f, std::vector<View> operands)
{
    Operation out;
    out.op = Op::map;
    out.function = f;
    out.operands = std::move(operands);
    return out;
}

/// For each box of k: its products from 0 in registers laid out as D's, then D += (scale of A · scale of B) · products.
inline Result<Body, Problem> emit_scaled_product(Request& request)
{
    const Operation& op = request.operation();
    const View &d = request.view(0), a = request.view(1), b = request.view(2), sfa = request.view(3), sfb = request.view(4);
    if (!is_private(request.machine(), request.memory(d))) return Problem(errc::bad_argument, not_in_registers(request, d));
    const ScaledProduct p = scaled_product_of(op);
    const auto layout = box_layout(request, d);
    if (!layout) return layout.error();
    const View products = register_temporary(request, request.tensor(d).name + ".products", d.extents, DType::f32, *layout);
    const View scale = register_temporary(request, request.tensor(d).name + ".scale", d.extents, DType::f32, *layout);
    Body body;
    const auto nested = [&](const Operation& inner) -> Result<void, Problem> {
        auto made = emit_nested(request, inner);
        if (!made) return made.error();
        add_statements(body, std::move(*made));
        return {};
    };
    if (!op.accumulate)
        if (auto e = nested(operation_of_fill(d, 0)); !e.ok()) return e.error();
    const std::int64_t depth = p.depth(), rows = p.a_rows == 1 ? p.m : p.a_rows, columns = p.b_columns == 1 ? p.n : p.b_columns;
    for (std::int64_t k = 0; k < p.k; k += depth) {
        Operation inner = op;
        inner.op = Op::gemm;
        inner.accumulate = false;
        inner.operands = {products, narrowed(a, op.transpose_a ? 1 : 0, k, depth), narrowed(b, op.transpose_b ? 0 : 1, k, depth)};
        inner.options = {};
        if (auto e = nested(inner); !e.ok()) return e.error();
        for (std::int64_t row = 0; row < p.m; row += rows)
            for (std::int64_t col = 0; col < p.n; col += columns) {
                const auto part = [&](const View& v) { return narrowed(narrowed(v, 1, row, rows), 0, col, columns); };
                const View of_a = scales_of_box(sfa, op.transpose_a, k / p.a_depth, 0, row, rows, p.a_rows, part(d));
                const View of_b = scales_of_box(sfb, op.transpose_b, k / p.b_depth, 1, col, columns, p.b_columns, part(d));
                if (auto e = nested(map_of(Function::mul, {part(scale), of_a, of_b})); !e.ok()) return e.error();
                if (auto e = nested(map_of(Function::fma, {part(d), part(scale), part(products), part(d)})); !e.ok())
                    return e.error();
            }
    }
    request.decided(worded("{0} of {1} k, each scaled in registers", {count_words(p.k / depth, "product"), depth}));
    return body;
}

} // namespace detail

/// Products with scales, by products of each box of k and the lanes that have their sums.
inline constexpr Schedule scaled_schedules[] = {
    {Op::scaled_gemm, "scaled_in_registers", 10, "fma", "products of each box of k, which lanes scale and add", detail::has_fma,
     detail::emit_scaled_product},
};

} // namespace v0
} // namespace axe

#endif
