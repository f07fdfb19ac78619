// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GEMM_PRODUCT_HPP
#define AXE_SCHEDULE_GEMM_PRODUCT_HPP

#include <axe/layout/properties.hpp>
#include <axe/layout/slice.hpp>
#include <axe/schedule/matrix_layouts.hpp>

/// What the schedules of `gemm` have in common: its operands in one form, boxes of them, and the layouts of boxes in registers.
namespace axe {
inline namespace v0 {
/// The operands of a gemm:  D [batch…, M, N], A [batch…, M, K], B [batch…, K, N]: transposed operands are seen through a view that turns them back.
struct MatrixProduct {
    View d{}, a{}, b{};
    std::int64_t batch = 1, m = 0, n = 0, k = 0;

    [[nodiscard]] Shape shape() const { return Shape{batch, m, n}; }
};

namespace detail {

/// The view with its last two dimensions exchanged.
inline View turned(View v)
{
    const int r = v.rank();
    std::swap(v.extents[r - 2], v.extents[r - 1]);
    std::swap(v.dims[r - 2], v.dims[r - 1]);
    std::swap(v.steps[r - 2], v.steps[r - 1]);
    return v;
}

} // namespace detail

/// The indices [begin, begin + extent) of one dimension of a view, counted from the last: 0 is the last, 1 the one before.
inline View narrowed(View v, int from_last, std::int64_t begin, std::int64_t extent)
{
    const int k = v.rank() - 1 - from_last;
    if (v.dims[k] >= 0) v.origin[static_cast<std::size_t>(v.dims[k])] += Affine(begin * v.steps[k]);
    v.extents[k] = extent;
    return v;
}

/// The operands of the gemm that is asked for. `errc::rank_mismatch` or `errc::size_mismatch` when they are those of no product.
inline Problem idle_owner(int agent, const std::string& tensor)
{
    return Problem(errc::bad_argument, "agent {0} holds a part of {1} but does not run this gemm", {agent, tensor});
}

inline Result<MatrixProduct, Problem> matrix_product_of(const Request& request)
{
    const Operation& op = request.operation();
    MatrixProduct p{op.operands[0], op.operands[1], op.operands[2]};
    const int rank = p.d.rank();
    if (rank < 2 || p.a.rank() != rank || p.b.rank() != rank)
        return Problem(errc::rank_mismatch,
                       "the operands of a product must have the same number of dimensions, at least 2, got {0}, {1} and {2}",
                       {rank, p.a.rank(), p.b.rank()});
    if (op.transpose_a) p.a = detail::turned(p.a);
    if (op.transpose_b) p.b = detail::turned(p.b);
    for (int d = 0; d < rank - 2; ++d) p.batch *= p.d.extents[d];
    p.m = p.d.extents[rank - 2];
    p.n = p.d.extents[rank - 1];
    p.k = p.a.extents[rank - 1];
    bool fits =
        p.a.extents[rank - 2] == p.m && p.b.extents[rank - 2] == p.k && p.b.extents[rank - 1] * (op.options.pair ? 2 : 1) == p.n;
    for (int d = 0; d < rank - 2; ++d) fits = fits && p.a.extents[d] == p.d.extents[d] && p.b.extents[d] == p.d.extents[d];
    if (!fits)
        return Problem(
            errc::size_mismatch, "{0} = {1}·{2} is not a product: their extents do not match",
            {request.tensor(op.operands[0]).name, request.tensor(op.operands[1]).name, request.tensor(op.operands[2]).name});
    return p;
}

/// The layout of a view of a register tensor, on [batch, M, N], on the axes of agents, lanes and registers.
///
/// Exists when the view is a box at a fixed place, its dimensions in any order, and a lane has each element once: `errc::bad_argument`
/// otherwise; the errors of `slice` and `permute`.
inline Result<Layout, Problem> box_layout(const Request& request, const View& view)
{
    const ProgramTensor& t = request.tensor(view);
    const std::string where = t.name + ": ";
    bool box = t.layout.swizzle.bits == 0 && !view.guarded;
    Region region;
    for (int d = 0; d < t.shape.size(); ++d) {
        const Affine& o = view.origin[static_cast<std::size_t>(d)];
        box = box && o.is_constant();
        region.push_back({o.constant(), o.constant() + 1});
    }
    Order order;
    InlineVector<int, max_rank> seen; // dimensions of the tensor, ascending
    for (int k = 0; k < view.rank(); ++k) {
        const int d = view.dims[k];
        box = box && d >= 0 && (view.steps[k] == 1 || view.extents[k] == 1);
        for (int other = 0; other < k; ++other) box = box && view.dims[other] != d;
        if (box) region[d].hi = region[d].lo + view.extents[k];
    }
    if (!box)
        return Problem(errc::bad_argument, "the view of {0} is not a box of registers at a fixed place without a guard", {t.name});
    auto layout = slice(t.layout.layout, t.shape, region);
    if (!layout) return Problem(layout.error(), where);
    Shape ascending;
    for (int d = 0; d < t.shape.size(); ++d)
        for (int k = 0; k < view.rank(); ++k)
            if (view.dims[k] == d) {
                seen.push_back(k);
                ascending.push_back(view.extents[k]);
            }
    bool in_order = true;
    for (int k = 0; k < view.rank(); ++k)
        for (int at = 0; at < seen.size(); ++at)
            if (seen[at] == k) {
                order.push_back(at);
                in_order = in_order && at == k;
            }
    if (!in_order) layout = permute(*layout, ascending, order);
    if (!layout) return Problem(layout.error(), where);
    const detail::BlockAxes axes(request.machine());
    Layout::Axes owners;
    if (axes.agent) owners.push_back(*axes.agent);
    if (axes.lane) owners.push_back(*axes.lane);
    if (!owners.empty()) layout = convert_axes(request.machine(), *layout, owners);
    if (!layout) return Problem(layout.error(), where);
    // A sum that is kept twice would have to be added to twice, and once where two elements are one.
    const Decision apart = is_injective(*layout);
    if (apart.undecided()) return Problem(apart.error(), where);
    bool single = static_cast<bool>(apart);
    for (const Iter& it : layout->replica) single = single && (!(it.axis == axes.reg) || it.extent == 1 || it.stride == 0);
    if (!single) return Problem(errc::bad_argument, "a lane does not hold each element of {0} in a separate register", {t.name});
    return *layout;
}

namespace detail {

/// A temporary in registers of the shape of a view, with this layout.
inline View register_temporary(Request& request, std::string name, const Shape& shape, DType type, const Layout& layout)
{
    ProgramTensor t;
    t.name = std::move(name);
    t.shape = shape;
    t.dtype = type;
    t.layout.layout = layout;
    t.layout.width = storage_bytes(type);
    t.memory = memory_for(request.machine(), Role::registers)->name;
    return request.temporary(std::move(t));
}

inline Operation operation_of(Op op, View d, View a)
{
    Operation out;
    out.op = op;
    out.operands = {std::move(d), std::move(a)};
    return out;
}
inline Operation operation_of_fill(View d, double number)
{
    Operation out;
    out.op = Op::fill;
    out.operands = {std::move(d)};
    out.number = number;
    return out;
}

inline void add_statements(Body& body, Body&& more)
{
    for (Statement& s : more) body.push_back(std::move(s));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
