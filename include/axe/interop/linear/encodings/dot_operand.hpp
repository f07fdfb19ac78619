// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_DOT_OPERAND_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_DOT_OPERAND_HPP

#include <axe/interop/linear/encodings/amd.hpp>
#include <axe/interop/linear/encodings/blocked.hpp>
#include <axe/interop/linear/encodings/mma.hpp>
#include <axe/interop/linear/errors.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// Operand 0 (M × K) or 1 (K × N) of a product whose result is encoded as `parent`. `k_width`: the neighbors along K that a thread
/// has (of a blocked parent it has all of K, and k_width is 0).
template <class Parent>
struct DotOperandEncoding {
    int operand = 0;
    int k_width = 0;
    Parent parent{};
};

namespace detail {

/// Along K first, the last of the others next, and so on.
constexpr Shape operand_order(int operand, int rank) noexcept { return row_major_order(rank, operand == 1); }

template <class Parent>
constexpr void check_operand(EncodingBuilder& b, const DotOperandEncoding<Parent>& e, bool wide) noexcept
{
    if (!b.error().ok()) return;
    if (e.operand != 0 && e.operand != 1)
        return b.fail(Error(errc::bad_argument, -1, "a product has operands 0 and 1, got {0}", e.operand));
    if (b.rank() < 2) return b.fail(matrix_rank(b.rank()));
    if (wide && exponent(e.k_width) < 0)
        return b.fail(Error(errc::bad_extent, -1, "kWidth is {0}; it must be a power of two", e.k_width));
}

constexpr int k_dim(int operand, int rank) noexcept { return operand == 0 ? rank - 1 : rank - 2; }

/// The blocks of the result: along K all have the same.
constexpr BlockBases operand_blocks(BlockBases blocks, int operand, int rank) noexcept
{
    const int k = k_dim(operand, rank);
    for (int b = 0; b < blocks.size() && b < BlockBases::capacity; ++b)
        if (k >= 0 && k < blocks[b].size()) blocks[b][k] = 0;
    return blocks;
}

} // namespace detail

/// All of K in each thread; along K, lanes and warps have the same      [Triton, DotOperandEncodingAttr of a BlockedEncodingAttr]
constexpr Result<LinearLayout> to_linear_layout(const DotOperandEncoding<BlockedEncoding>& encoding, const Shape& tensor) noexcept
{
    const BlockedEncoding& parent = encoding.parent;
    EncodingBuilder b(tensor, detail::operand_blocks(parent.blocks, encoding.operand, tensor.size()));
    detail::check_operand(b, encoding, false);
    detail::check_blocked(b, parent);
    if (!b.error().ok()) return b.error();
    const int k = detail::k_dim(encoding.operand, b.rank());
    Shape mine = parent.size_per_thread;
    mine[k] = tensor[k];
    b.identities(EncodingBuilder::registers, mine, parent.order);
    b.identities_but(k, EncodingBuilder::lanes, parent.threads_per_warp, parent.order);
    b.identities_but(k, EncodingBuilder::warps, parent.warps_per_block, parent.order);
    return b.distributed(parent.order);
}

/// L = tile (16 × 8·kWidth for operand 0, 8·kWidth × 8 for operand 1) × warps, which along K have the same
///
/// Version 3 takes operand 1 from shared memory only: `errc::bad_argument`.      [Triton, DotOperandEncodingAttr of a
/// NvidiaMmaEncodingAttr; PTX ISA, mma.m16n8k*]
constexpr Result<LinearLayout> to_linear_layout(const DotOperandEncoding<MmaEncoding>& encoding, const Shape& tensor) noexcept
{
    const MmaEncoding& parent = encoding.parent;
    EncodingBuilder b(tensor, detail::operand_blocks(parent.blocks, encoding.operand, tensor.size()));
    detail::check_operand(b, encoding, true);
    detail::check_mma(b, parent);
    if (!b.error().ok()) return b.error();
    if (parent.version == 3 && encoding.operand == 1)
        return Error(errc::bad_argument, -1, "version 3 takes operand 1 from shared memory");
    const int rank = b.rank(), k = detail::k_dim(encoding.operand, rank), other = 2 * rank - 3 - k;
    const int width = detail::exponent(encoding.k_width);
    detail::nvidia_tile(b, other, k, encoding.operand == 0 ? 4 : 3, width + 3, width);
    b.identities_but(k, EncodingBuilder::warps, parent.warps_per_block, detail::row_major_order(rank, parent.version == 3));
    return b.distributed(detail::operand_order(encoding.operand, rank));
}

/// L = kWidth registers along K × lanes (M or N, then K) × registers along the rest of K × warps
///
/// Of 4 × 64 and 64 × 4, the operand of 64 has 16 times the registers along K.      [Triton, mfmaDotToLinearLayout]
constexpr Result<LinearLayout> to_linear_layout(const DotOperandEncoding<MfmaEncoding>& encoding, const Shape& tensor) noexcept
{
    const MfmaEncoding& parent = encoding.parent;
    EncodingBuilder b(tensor, detail::operand_blocks(parent.blocks, encoding.operand, tensor.size()));
    detail::check_operand(b, encoding, true);
    detail::check_mfma(b, parent);
    if (!b.error().ok()) return b.error();
    const int rank = b.rank(), k = detail::k_dim(encoding.operand, rank), other = 2 * rank - 3 - k;
    const int lanes = detail::exponent(parent.instruction[encoding.operand]);
    b.identity(EncodingBuilder::registers, k, detail::exponent(encoding.k_width));
    b.identity(EncodingBuilder::lanes, other, lanes);
    b.identity(EncodingBuilder::lanes, k, 6 - lanes);
    if (parent.instruction[encoding.operand] == 64) b.identity(EncodingBuilder::registers, k, 4);
    b.fill(k, b.block_bits(k));
    // Along K the warps are beyond the tensor and wrap.
    b.identities(EncodingBuilder::warps, parent.warps_per_block, detail::row_major_order(rank));
    return b.distributed(detail::operand_order(encoding.operand, rank));
}

/// L = kWidth registers along K × 16 lanes × 2 lanes (version 1: with the same; else along K) × registers up to the instruction's K ×
/// warps, which along K have the same      [Triton, wmmaDotOperandToLinearLayout]
constexpr Result<LinearLayout> to_linear_layout(const DotOperandEncoding<WmmaEncoding>& encoding, const Shape& tensor) noexcept
{
    const WmmaEncoding& parent = encoding.parent;
    EncodingBuilder b(tensor, detail::operand_blocks(parent.blocks, encoding.operand, tensor.size()));
    detail::check_operand(b, encoding, true);
    detail::check_wmma(b, parent);
    if (!b.error().ok()) return b.error();
    const int rank = b.rank(), k = detail::k_dim(encoding.operand, rank), other = 2 * rank - 3 - k;
    const int width = detail::exponent(encoding.k_width);
    b.identity(EncodingBuilder::registers, k, width);
    b.identity(EncodingBuilder::lanes, other, 4);
    parent.version == 1 ? b.zeros(EncodingBuilder::lanes, 1) : b.identity(EncodingBuilder::lanes, k, 1);
    b.identity(EncodingBuilder::registers, k, detail::exponent(parent.instruction[2]) - 1 - width);
    detail::wmma_warps(b, parent, k);
    return b.distributed(detail::operand_order(encoding.operand, rank));
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
