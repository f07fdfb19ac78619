// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_AMD_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_AMD_HPP

#include <axe/interop/linear/encodings/builder.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// The accumulator of AMD's MFMA instructions (64 lanes), M × N of 32 × 32, 16 × 16, 64 × 4 or 4 × 64. Transposed: a lane's neighboring
/// registers are columns. Versions 1 to 4 are CDNA's; they differ in the instructions they have, not in this.
struct MfmaEncoding {
    int version = 3;
    Shape instruction{}; ///< M, N, K
    bool transposed = false;
    Shape warps_per_block{};
    BlockBases blocks{};
    int element_bits = 32;
};

/// The accumulator of AMD's WMMA instructions (32 lanes), 16 × 16; where each bit of a warp's number goes, counted in tiles.
struct WmmaEncoding {
    int version = 2;
    bool transposed = false;
    InlineVector<Coord, LinearLayout::max_dims> warps{};
    Shape instruction{16, 16, 16}; ///< M, N, K
    BlockBases blocks{};
};

namespace detail {

constexpr Error instruction_rank(std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "the shape of an instruction is M, N and K, got {0} numbers", rank);
}

constexpr void check_mfma(EncodingBuilder& b, const MfmaEncoding& e) noexcept
{
    if (!b.error().ok()) return;
    if (e.version < 1 || e.version > 4)
        return b.fail(Error(errc::bad_argument, -1, "MFMA has versions 1 to 4, got {0}", e.version));
    if (b.rank() != 2 && b.rank() != 3)
        return b.fail(
            Error(errc::rank_mismatch, -1, "MFMA takes matrices or batches of matrices; this tensor has {0} dimensions", b.rank()));
    if (e.instruction.size() != 3) return b.fail(instruction_rank(e.instruction.size()));
    const std::int64_t m = e.instruction[0], n = e.instruction[1];
    if (!((m == 32 && n == 32) || (m == 16 && n == 16) || (m == 64 && n == 4) || (m == 4 && n == 64)))
        return b.fail(Error(errc::bad_extent, 0, "MFMA is 32 x 32, 16 x 16, 64 x 4 or 4 x 64, got {0} x {1}", m, n));
    if (m == 64 && !e.transposed) return b.fail(Error(errc::bad_argument, -1, "MFMA of 64 x 4 is always transposed"));
    if (e.element_bits != 32 && e.element_bits != 64)
        return b.fail(Error(errc::bad_argument, -1, "an accumulator has elements of 32 or 64 bits, got {0}", e.element_bits));
    b.check({e.warps_per_block, "warpsPerCTA has {0} entries, the tensor {1} dimensions",
             "entry {0} of warpsPerCTA is {1}; it must be a power of two"});
}

constexpr void check_wmma(EncodingBuilder& b, const WmmaEncoding& e) noexcept
{
    if (!b.error().ok()) return;
    if (e.version < 1 || e.version > 3)
        return b.fail(Error(errc::bad_argument, -1, "WMMA has versions 1 to 3, got {0}", e.version));
    if (b.rank() != 2 && b.rank() != 3)
        return b.fail(
            Error(errc::rank_mismatch, -1, "WMMA takes matrices or batches of matrices; this tensor has {0} dimensions", b.rank()));
    if (e.instruction.size() != 3) return b.fail(instruction_rank(e.instruction.size()));
    if (e.instruction[0] != 16 || e.instruction[1] != 16 || exponent(e.instruction[2]) < 0)
        return b.fail(Error(errc::bad_extent, 0, "WMMA is 16 x 16 with a K that is a power of two, got {0} x {1} x {2}",
                            e.instruction[0], e.instruction[1], e.instruction[2]));
    if (e.warps.overfull()) return b.fail(Error(errc::capacity, -1, "the warps have at most {0} bits", LinearLayout::max_dims));
    for (int w = 0; w < e.warps.size(); ++w) {
        if (e.warps[w].size() != b.rank())
            return b.fail(Error(errc::rank_mismatch, w, "the basis of warp bit {0} has {1} entries, the tensor {2} dimensions", w,
                                e.warps[w].size(), b.rank()));
        for (int d = 0, some = 0; d < b.rank(); ++d)
            if (e.warps[w][d] != 0 && (exponent(e.warps[w][d]) < 0 || some++ > 0))
                return b.fail(Error(
                    errc::bad_extent, w,
                    "the basis of warp bit {0} must be a power of two in one dimension and 0 in the others, or all zeros", w));
    }
}

/// Warps along the dimensions of matrices by tiles of 16; along dimension `shared` all have the same.
constexpr void wmma_warps(EncodingBuilder& b, const WmmaEncoding& e, int shared = -1) noexcept
{
    for (const Coord& basis : e.warps) {
        int along = -1;
        for (int d = 0; d < b.rank(); ++d)
            if (basis[d] != 0) along = d;
        if (along < 0 || along == shared)
            b.zeros(EncodingBuilder::warps, 1);
        else if (const int bit = exponent(basis[along]) + (along >= b.rank() - 2 ? 4 : 0); bit == b.taken(along))
            b.identity(EncodingBuilder::warps, along, 1);
        else
            b.fail(Error(errc::bad_argument, -1,
                         "along dimension {0} a warp starts {1} tiles further; the next warp must start {2} tiles further", along,
                         basis[along], std::int64_t{1} << (b.taken(along) - (along >= b.rank() - 2 ? 4 : 0))));
    }
}

} // namespace detail

/// L = (4 registers × lanes × registers) along M and N, then warps along N, the rest of N, warps along M, the rest
///
///   32 × 32:  row = 8·(r / 4) + 4·(l / 32) + r mod 4,  column = l mod 32      (transposed: columns and rows exchanged)
///
/// Elements of 64 bits are one row a register. Errors: those of the lists and of the instruction's shape. Cost: linear in the bits.
/// [Triton, AMDMfmaEncodingAttr; AMD matrix instruction calculator]
constexpr Result<LinearLayout> to_linear_layout(const MfmaEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    detail::check_mfma(b, encoding);
    if (!b.error().ok()) return b.error();
    const int rank = b.rank(), rows = rank - 2, columns = rank - 1;
    const int m = detail::exponent(encoding.instruction[0]), n = detail::exponent(encoding.instruction[1]);
    const int high = encoding.element_bits == 64 ? 0 : 2;
    const int along = encoding.transposed ? columns : rows, across = encoding.transposed ? rows : columns;
    const int across_bits = encoding.transposed ? m : n;
    b.identity(EncodingBuilder::registers, along, high);
    b.identity(EncodingBuilder::lanes, across, across_bits);
    b.identity(EncodingBuilder::lanes, along, 6 - across_bits);
    b.identity(EncodingBuilder::registers, along, m + n - 6 - high);
    const auto warps = [&](int d) { return detail::exponent(encoding.warps_per_block[d]); };
    b.identity(EncodingBuilder::warps, columns, warps(columns));
    b.fill(columns, b.block_bits(columns));
    b.identity(EncodingBuilder::warps, rows, warps(rows));
    if (rank == 3) b.identity(EncodingBuilder::warps, 0, warps(0));
    return b.distributed(detail::row_major_order(rank));
}

/// L = a tile of 16 × 16 (version 1: lane l has rows 2r + l / 16; versions 2 and 3: rows r + 8·(l / 16); column l mod 16), then warps
///
/// Transposed: rows and columns exchanged. Errors: those of the lists. Cost: linear in the bits.      [Triton, AMDWmmaEncodingAttr]
constexpr Result<LinearLayout> to_linear_layout(const WmmaEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    detail::check_wmma(b, encoding);
    if (!b.error().ok()) return b.error();
    const int rank = b.rank();
    const int along = encoding.transposed ? rank - 1 : rank - 2, across = encoding.transposed ? rank - 2 : rank - 1;
    b.identity(EncodingBuilder::lanes, across, 4);
    if (encoding.version == 1) b.identity(EncodingBuilder::lanes, along, 1);
    b.identity(EncodingBuilder::registers, along, 3);
    if (encoding.version != 1) b.identity(EncodingBuilder::lanes, along, 1);
    detail::wmma_warps(b, encoding);
    return b.distributed(detail::row_major_order(rank));
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
