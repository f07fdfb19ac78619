// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_SWIZZLED_SHARED_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_SWIZZLED_SHARED_HPP

#include <axe/interop/linear/encodings/builder.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// Shared memory by rows (order[0] fastest), whose vectors of `vec` elements change places from row to row: `per_phase` rows have one
/// phase, and there are `max_phase` of them.
struct SwizzledSharedEncoding {
    int vec = 1, per_phase = 1, max_phase = 1;
    Shape order{};
    BlockBases blocks{};
};

/// Shared memory as NVIDIA's TMA and wgmma take it: tiles of 8 rows of `swizzle_bytes`, in which pieces of 16 bytes change places.
struct NvmmaSharedEncoding {
    int swizzle_bytes = 0; ///< 0, 32, 64 or 128
    int element_bits = 16;
    bool transposed = false; ///< the first dimension is contiguous, not the last
    bool fp4_padded = false; ///< bytes of two 4-bit numbers, each 8 followed by 8 that are unused
    BlockBases blocks{};
};

/// The multiple of bytes at which such memory must begin: 16.
constexpr int alignment(const SwizzledSharedEncoding&) noexcept { return 16; }
/// 128, and 1024 with a swizzle of 128 bytes: 8 rows.
constexpr int alignment(const NvmmaSharedEncoding& e) noexcept { return e.swizzle_bytes == 0 ? 128 : 8 * e.swizzle_bytes; }

/// offset bit of column 2^i → (0, 2^i);   offset bit of row r = 2^i → (r, vec·((r / perPhase) mod maxPhase) mod columns)
///
/// Other dimensions follow in order. A tensor of one dimension is not swizzled. Errors: those of the lists, and `errc::bad_extent` when
/// vec, perPhase or maxPhase is not a power of two. Cost: linear in the bits.      [Triton, SwizzledSharedEncodingAttr]
constexpr Result<LinearLayout> to_linear_layout(const SwizzledSharedEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    b.check_order(encoding.order);
    if (!b.error().ok()) return b.error();
    if (detail::exponent(encoding.vec) < 0 || detail::exponent(encoding.per_phase) < 0 || detail::exponent(encoding.max_phase) < 0)
        return Error(errc::bad_extent, -1, "vec, perPhase and maxPhase must be powers of two, got {0}, {1} and {2}", encoding.vec,
                     encoding.per_phase, encoding.max_phase);
    const int columns = static_cast<int>(encoding.order[0]);
    b.fill(columns, b.block_bits(columns));
    if (b.rank() > 1) {
        const int rows = static_cast<int>(encoding.order[1]);
        const std::uint64_t width = std::uint64_t{1} << b.block_bits(columns);
        for (int bit = 0; bit < b.block_bits(rows); ++bit) {
            const std::uint64_t phase = (std::uint64_t{1} << bit) / static_cast<std::uint64_t>(encoding.per_phase) %
                                        static_cast<std::uint64_t>(encoding.max_phase);
            b.twisted(EncodingBuilder::registers, rows, columns, static_cast<std::uint64_t>(encoding.vec) * phase % width);
        }
    }
    return b.shared(encoding.order);
}

/// In a tile of 8 rows of `swizzle_bytes`, with w = 128 / element_bits elements in 16 bytes:
///
///   offset bit of column 2^i → (0, 2^i);   offset bit of row r → (r, w·((r / perPhase) mod maxPhase)),
///   perPhase = 128 / swizzle_bytes,  maxPhase = swizzle_bytes / 16
///
/// then rows (of all outer dimensions, the inner first) up to 256 a dimension, then what is left, dimension 0 first. Without a swizzle:
/// row-major in pieces of 256. Padded: the fourth bit of the offset goes nowhere.
/// Errors: `errc::bad_argument` for other swizzles or elements, `errc::bad_extent` when a block has less than a tile. Cost: linear in the
/// bits.      [Triton, NVMMASharedEncodingAttr; PTX ISA, shared memory matrix layout]
constexpr Result<LinearLayout> to_linear_layout(const NvmmaSharedEncoding& encoding, const Shape& tensor) noexcept
{
    EncodingBuilder b(tensor, encoding.blocks);
    if (!b.error().ok()) return b.error();
    const int bytes = encoding.swizzle_bytes, width = encoding.element_bits, rank = b.rank();
    if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
        return Error(errc::bad_argument, -1, "a swizzle has 0, 32, 64 or 128 bytes, got {0}", bytes);
    if (width != 8 && width != 16 && width != 32)
        return Error(errc::bad_argument, -1, "elements must have 8, 16 or 32 bits, got {0}", width);
    if (encoding.fp4_padded && (width != 8 || bytes != 128))
        return Error(errc::bad_argument, -1, "padded elements need 8 bits and a swizzle of 128 bytes, got {0} bits and {1} bytes",
                     width, bytes);
    if (rank < 2 && bytes != 0)
        return Error(errc::rank_mismatch, -1, "a swizzle needs at least 2 dimensions, this tensor has {0}", rank);

    const Shape order = detail::row_major_order(rank);
    const int columns = encoding.transposed ? 0 : rank - 1;
    Shape outer; // the inner first
    for (int d = rank - 1; d >= 0; --d)
        if (d != columns) outer.push_back(d);
    const auto limited = [&](int d) { return b.block_bits(d) < 8 ? b.block_bits(d) : 8; }; // a TMA box has 256 at most

    const int tile = bytes == 0 ? limited(columns) : detail::exponent(8 * bytes / width) - (encoding.fp4_padded ? 1 : 0);
    int rows = 0;
    for (const std::int64_t d : outer) rows += limited(static_cast<int>(d));
    if (bytes != 0 && (b.block_bits(columns) < tile || rows < 3))
        return Error(errc::bad_extent, columns, "a tile has 8 rows of {0} elements; a block of this tensor has {1} rows of {2}",
                     std::int64_t{1} << tile, std::int64_t{1} << rows, std::int64_t{1} << b.block_bits(columns));
    if (encoding.fp4_padded) {
        b.fill(columns, 3);
        b.zeros(EncodingBuilder::registers, 1);
    }
    b.fill(columns, tile);
    int row = 0;
    for (const std::int64_t d : outer)
        for (int bit = 0; bit < limited(static_cast<int>(d)); ++bit, ++row) {
            std::uint64_t twist = 0;
            if (row < 3 && bytes != 0) {
                const int phase = (1 << row) / (128 / bytes) % (bytes / 16);
                twist = static_cast<std::uint64_t>((encoding.fp4_padded ? 8 : 128 / width) * phase);
            }
            b.twisted(EncodingBuilder::registers, static_cast<int>(d), columns, twist);
        }
    for (int d = 0; d < rank; ++d) b.fill(d, b.block_bits(d));
    return b.shared(order);
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
