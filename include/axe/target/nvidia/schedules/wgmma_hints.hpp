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

namespace detail {

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
};

} // namespace v0
} // namespace axe

#endif
