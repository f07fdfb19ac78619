// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_GEMM_HPP
#define AXE_SCHEDULE_GEMM_HPP

#include <axe/schedule/gemm/mma.hpp>
#include <axe/schedule/gemm/simt.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_mma_sync(const Machine& machine) noexcept { return has_instruction(machine, "mma.sync"); }
inline bool has_mma_types(const Request& r)
{
    return !matrix_atoms(r.machine(), r.tensor(0).dtype, r.tensor(1).dtype, r.tensor(2).dtype).empty();
}
inline bool has_fma(const Machine& machine) noexcept { return has_instruction(machine, "fma"); }

} // namespace detail

/// Classes of instructions for products: a matrix instruction does some hundred multiplications of a lane.
inline constexpr int lane_products = 1, matrix_products = 2;

/// Matrix products, by the matrix instructions of single warps and by lanes.
inline constexpr Schedule gemm_schedules[] = {
    {Op::gemm, "mma_sync", 40, "mma.sync", "each warp multiplies tiles of its accumulator by matrix instructions",
     detail::has_mma_sync, emit_mma_sync, matrix_products, detail::has_mma_types},
    {Op::gemm, "fma", 10, "fma", "each lane multiplies and adds for its own elements", detail::has_fma, emit_fma, lane_products},
};

} // namespace v0
} // namespace axe

#endif
