// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_MMA_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_MMA_HPP

#include <axe/interop/linear/encodings/builder.hpp>
#include <axe/interop/linear/errors.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// The accumulator of NVIDIA's matrix instructions: version 2 is mma.sync (its shape M × N, batches before), version 3 wgmma (its shape
/// M × N × K for one of the four warps).
struct MmaEncoding {
    int version = 2;
    Shape warps_per_block{}, instruction{};
    BlockBases blocks{};
};

namespace detail {

/// A fragment of NVIDIA's matrix instructions over dimensions (outer, inner): in a thread `width` neighbors along `inner`; 4 lanes
/// along `inner`, 8 along `outer`; then registers, first along `outer`.      [PTX ISA, matrix fragments of mma.m16n8k*]
constexpr void nvidia_tile(EncodingBuilder& b, int outer, int inner, int outer_bits, int inner_bits, int width_bits) noexcept
{
    b.identity(EncodingBuilder::registers, inner, width_bits);
    b.identity(EncodingBuilder::lanes, inner, 2);
    b.identity(EncodingBuilder::lanes, outer, 3);
    b.identity(EncodingBuilder::registers, outer, outer_bits - 3);
    b.identity(EncodingBuilder::registers, inner, inner_bits - width_bits - 2);
}

constexpr void check_mma(EncodingBuilder& b, const MmaEncoding& e) noexcept
{
    if (!b.error().ok()) return;
    if (e.version != 2 && e.version != 3)
        return b.fail(Error(errc::bad_argument, -1, "NVIDIA accumulators have version 2 or 3, got {0}", e.version));
    if (b.rank() < 2) return b.fail(matrix_rank(b.rank()));
    b.check({e.warps_per_block, "warpsPerCTA has {0} entries, the tensor {1} dimensions",
             "entry {0} of warpsPerCTA is {1}; it must be a power of two"});
    if (!b.error().ok()) return;
    const int shape = e.version == 2 ? b.rank() : 3;
    if (e.instruction.size() != shape)
        return b.fail(Error(errc::rank_mismatch, -1, "instrShape has {0} entries; version {1} takes {2}", e.instruction.size(),
                            e.version, shape));
    for (int i = 0; i < e.instruction.size(); ++i)
        if (exponent(e.instruction[i]) < 0)
            return b.fail(
                Error(errc::bad_extent, i, "entry {0} of instrShape is {1}; it must be a power of two", i, e.instruction[i]));
}

} // namespace detail

/// L = mma tile (M × N of the instruction, two columns in a thread) × warps, repeated over registers, last dimension first
///
/// The warps go row-major in version 2, column-major in version 3. Errors: those of the lists; `errc::bad_extent` when the tile is not
/// made of 8 × 8 pieces. Cost: linear in the bits.      [Triton, NvidiaMmaEncodingAttr; PTX ISA, mma.m16n8k*, wgmma]
constexpr Result<LinearLayout> to_linear_layout(const MmaEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    detail::check_mma(b, encoding);
    if (!b.error().ok()) return b.error();
    const int rank = b.rank(), at = encoding.version == 2 ? rank - 2 : 0;
    const std::int64_t m = encoding.instruction[at], n = encoding.instruction[at + 1];
    if (m < 8 || n < 8) return Error(errc::bad_extent, at, "a tile of {0} x {1} is not made of 8 x 8 pieces", m, n);
    detail::nvidia_tile(b, rank - 2, rank - 1, detail::exponent(m), detail::exponent(n), 1);
    b.identities(EncodingBuilder::warps, encoding.warps_per_block, detail::row_major_order(rank, encoding.version == 3));
    return b.distributed(detail::row_major_order(rank));
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
