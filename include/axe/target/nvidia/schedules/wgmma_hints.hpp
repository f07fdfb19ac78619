// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_WGMMA_HINTS_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_WGMMA_HINTS_HPP

#include <axe/schedule/hints.hpp>
#include <axe/target/nvidia/schedules/wgmma.hpp>

/// Where accumulators are laid out for products of warpgroups, without the program's saying so.
namespace axe {
inline namespace v0 {

/// The layout of an accumulator [M, N] of whole warpgroups, each with a box of wgmma's tiles, 64 × n:
///
///   tile(grid of warpgroups and of repetitions, D of the atom)
///
/// n is the widest with which the most warpgroups have a part. `errc::size_mismatch` when M is not a multiple of 64 or N of no n;
/// `errc::bad_argument` of agents that are not whole warpgroups. Cost: that of `accumulator_layout`.
inline Result<Layout, Problem> warpgroup_accumulator_layout(const Machine& machine, const ExecutionScope& place, const Shape& shape,
                                                            DType type)
{
    if (auto e = detail::check_warpgroups(place); !e.ok()) return e;
    return accumulator_layout(machine, place, shape, detail::wgmma_accumulators(machine, type), 4);
}

/// The layout of A [M, K] in registers for products of warpgroups into D [M, N] of such a layout: each warpgroup has the rows of its
/// tiles of D, each warp 16 of 64.
///
///   tile(D's rows of tiles × K / k, A of the atom m64 × k)
///
/// `errc::size_mismatch` when K is not a multiple of k; the errors of `untile` when D is not made of accumulators of a warpgroup.
/// Cost: that of `untile` for each n.
inline Result<Layout, Problem> warpgroup_operand_layout(const Machine& machine, const Layout& d, DType sum, const Shape& cells,
                                                        std::int64_t depth, DType type)
{
    const std::int64_t k = 32 / storage_bytes(type);
    if (depth % k != 0) return Problem(errc::size_mismatch, detail::depth_text(depth, k));
    const Atom* left = nullptr;
    for (const Atom& row : machine.atoms)
        if (detail::same_text(row.operand, "A") && detail::same_text(row.scope, "warpgroup") && row.dims[1] == k) left = &row;
    if (left == nullptr || !detail::has_wgmma(machine))
        return Problem(errc::bad_argument, "{0} has no products of warpgroups", {machine.name});
    Error why;
    for (const Atom& atom : detail::wgmma_accumulators(machine, sum)) {
        const auto grid = grid_of_tiles(d, Shape{1, cells[0], cells[1]}, atom);
        if (!grid) {
            why = grid.error();
            continue;
        }
        const auto outer =
            operand_layout(*grid, Shape{1, cells[0] / 64, cells[1] / atom.dims[1]}, MatrixSide::a, depth / k, true, Axis{"reg"});
        if (!outer) return Problem(outer.error(), "");
        const auto out = tile(*outer, Shape{1, cells[0] / 64, depth / k}, left->layout(), Shape{1, 64, k});
        if (!out) return Problem(out.error(), "");
        return *out;
    }
    return Problem(why, "");
}

namespace detail {

/// The layout of A's tensor, which may be transposed, for a product into D of this layout.
inline Result<Layout, Problem> asked_of_left(const Request& request, const MatrixProduct& p, const Layout& d)
{
    const ProgramTensor& a = request.tensor(p.a);
    auto out = warpgroup_operand_layout(request.machine(), d, request.tensor(p.d).dtype, Shape{p.m, p.n}, p.k, a.dtype);
    if (!out || !request.operation().transpose_a) return out;
    const auto turned = permute(*out, Shape{p.m, p.k}, Order{1, 0});
    if (!turned) return Problem(turned.error(), a.name + ": ");
    return *turned;
}
/// Is A, whose layout is given, in its place for a product into D of this layout?
inline bool wgmma_takes_from_registers(const Request& request, const MatrixProduct& p, const Layout& d)
{
    const auto asked = asked_of_left(request, p, d);
    return asked && equal(*asked, request.tensor(p.a).layout.layout).yes();
}

inline Result<Layout, Problem> hinted_warpgroup_accumulator(const HintRequest& r);

/// What the first gemm that reads a tensor in registers as A asks of it, where that gemm is a product of warpgroups.
inline Result<Layout, Problem> hinted_warpgroup_operand(const HintRequest& r)
{
    const Problem no(errc::no_layout, r.tensor().name + ": no product of warpgroups reads it first");
    for (const Use& use : uses_of(r.program, r.id)) {
        if (use.operation->op != Op::gemm || use.operation->operands[1].tensor != r.id) continue;
        const Request request(r.program, r.target, *use.operation, use.place);
        const auto p = matrix_product_of(request);
        if (!p || !has_wgmma_types(request) || p->d.rank() != 2 || !request.memory(p->b).roles.has(Role::shared)) return no;
        const ProgramTensor &d = request.tensor(p->d), &a = r.tensor();
        Result<Layout, Problem> of_d = d.layout.layout;
        if (d.hint == LayoutHint::accumulator) {
            HintRequest other = r;
            other.id = p->d.tensor;
            of_d = hinted_warpgroup_accumulator(other);
        }
        if (!of_d) return of_d;
        if (a.shape.size() != 2 || d.shape.size() != 2 || p->m != d.shape[0] || a.shape[0] * a.shape[1] != p->m * p->k) return no;
        return asked_of_left(request, *p, *of_d);
    }
    return no;
}

/// The layout, where the first gemm into the tensor is one that wgmma can do as far as is known yet: operands in shared memory whose
/// layouts are given must have descriptors, others may get such.
inline Result<Layout, Problem> hinted_warpgroup_accumulator(const HintRequest& r)
{
    const Problem no(errc::no_layout, r.tensor().name + ": no product of warpgroups writes it first");
    for (const Use& use : uses_of(r.program, r.id)) {
        if (use.operation->op != Op::gemm || use.operation->operands[0].tensor != r.id) continue;
        const Request request(r.program, r.target, *use.operation, use.place);
        const auto p = matrix_product_of(request);
        if (!p || !has_wgmma_types(request) || !use.place.in_block || p->d.rank() != 2) return no;
        const std::int64_t k = 32 / storage_bytes(request.tensor(p->a).dtype);
        if (p->k % k != 0) return no;
        auto layout = warpgroup_accumulator_layout(r.program.machine, use.place, r.tensor().shape, r.tensor().dtype);
        if (!layout) return layout;
        for (const MatrixSide side : {MatrixSide::a, MatrixSide::b}) {
            const View& v = side == MatrixSide::a ? p->a : p->b;
            if (side == MatrixSide::a && is_private(r.program.machine, request.memory(v)) && !v.guarded) {
                const LayoutHint hint = request.tensor(v).hint;
                if (hint == LayoutHint::operand_a) continue;
                if (hint != LayoutHint::none || !wgmma_takes_from_registers(request, *p, *layout)) return no;
                continue;
            }
            if (!request.memory(v).roles.has(Role::shared) || v.guarded) return no;
            if (request.tensor(v).hint == LayoutHint::none)
                if (auto e = check_wgmma_operand(request, v, side, side == MatrixSide::a ? 64 : 8, k); !e.ok()) return e.error();
        }
        return layout;
    }
    return no;
}

} // namespace detail

/// Before the rules of all machines whose lanes load and store.
inline constexpr HintRule wgmma_hints[] = {
    {"warpgroups", "as the products of warpgroups ask",
     [](const HintRequest& r) {
         return r.tensor().hint == LayoutHint::accumulator && is_private(r.program.machine, r.memory()) &&
                detail::has_wgmma(r.program.machine) && detail::hinted_warpgroup_accumulator(r).has_value();
     },
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const auto layout = detail::hinted_warpgroup_accumulator(r);
         if (!layout) return layout.error();
         HintedLayout out;
         out.layout.layout = *layout;
         out.detail = "as the product of warpgroups asks";
         return out;
     }},
    {"warpgroup_operand", "as the products of warpgroups take it from registers",
     [](const HintRequest& r) {
         return r.tensor().hint == LayoutHint::operand_a && is_private(r.program.machine, r.memory()) &&
                detail::has_wgmma(r.program.machine) && detail::hinted_warpgroup_operand(r).has_value();
     },
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const auto layout = detail::hinted_warpgroup_operand(r);
         if (!layout) return layout.error();
         HintedLayout out;
         out.layout.layout = *layout;
         out.detail = "as the product of warpgroups asks";
         return out;
     }},
};

} // namespace v0
} // namespace axe

#endif
