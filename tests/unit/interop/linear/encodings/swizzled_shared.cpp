// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/swizzled_shared.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

TEST_CASE("shared memory: refusals, blocks, more than two dimensions")
{
    CHECK(refusal(SwizzledSharedEncoding{3, 1, 8, {1, 0}, {}}, {64, 64}) ==
          "vec, perPhase and maxPhase must be powers of two, got 3, 1 and 8");
    CHECK(refusal(SwizzledSharedEncoding{8, 1, 8, {1}, {}}, {64, 64}) == "order has 1 entry, the tensor 2 dimensions");
    // A block's piece is what is swizzled: 32 columns each.
    const LinearLayout pieces = to_linear_layout(SwizzledSharedEncoding{8, 1, 8, {1, 0}, {{0, 1}}}, {4, 64}).value();
    CHECK(images(pieces, "offset") == List{4, 8, 16, 32, 64, 1 | 8 << 2, 2 | 16 << 2});
    CHECK(images(pieces, "block") == List{32 << 2});

    NvmmaSharedEncoding e;
    e.swizzle_bytes = 48;
    CHECK(refusal(e, {64, 64}) == "a swizzle has 0, 32, 64 or 128 bytes, got 48");
    e.swizzle_bytes = 128;
    CHECK(refusal(e, {64, 32}) == "a tile has 8 rows of 64 elements; a block of this tensor has 64 rows of 32");
    CHECK(refusal(e, {4, 64}) == "a tile has 8 rows of 64 elements; a block of this tensor has 4 rows of 64");
    CHECK(refusal(e, {64}) == "a swizzle needs at least 2 dimensions, this tensor has 1");
    e.element_bits = 64;
    CHECK(refusal(e, {64, 64}) == "elements must have 8, 16 or 32 bits, got 64");
    e.element_bits = 16;
    e.fp4_padded = true;
    CHECK(refusal(e, {64, 64}) == "padded elements need 8 bits and a swizzle of 128 bytes, got 16 bits and 128 bytes");
    e.fp4_padded = false;
    // Rows of all outer dimensions make one column of tiles, the inner first.
    e.swizzle_bytes = 32;
    const LinearLayout batch = to_linear_layout(e, {2, 4, 32}).value(); // dim0: bit 0, dim1: bits 1, 2, dim2: from bit 3
    CHECK(images(batch, "offset") == List{1 << 3, 2 << 3, 4 << 3, 8 << 3, 1 << 1, 2 << 1, 1 | 8 << 3, 16 << 3});
    CHECK(alignment(e) == 256);
    CHECK(alignment(SwizzledSharedEncoding{}) == 16);
}

TEST_CASE("shared memory: each element once, swizzled as the formula of each says")
{
    // row r, column c at (c xor vec·((r / perPhase) mod maxPhase) mod columns) + columns·r
    for (const int vec : {1, 4, 8})
        for (const int per_phase : {1, 2})
            for (const int max_phase : {1, 4, 8}) {
                const LinearLayout l =
                    to_linear_layout(SwizzledSharedEncoding{vec, per_phase, max_phase, {1, 0}, {}}, {16, 32}).value();
                std::uint64_t seen = 0;
                for (std::uint64_t offset = 0; offset < 512; ++offset) {
                    const std::uint64_t row = offset / 32, place = offset % 32;
                    const std::uint64_t twist =
                        static_cast<std::uint64_t>(vec) *
                        (row / static_cast<std::uint64_t>(per_phase) % static_cast<std::uint64_t>(max_phase)) % 32;
                    CHECK(apply(l, offset) == (row | (place ^ twist) << 4));
                    seen += apply(l, offset);
                }
                CHECK(seen == 511 * 512 / 2);
            }
    // 16 bytes change places within a tile of 8 rows.
    for (const int bytes : {32, 64, 128})
        for (const int bits : {8, 16, 32}) {
            NvmmaSharedEncoding e;
            e.swizzle_bytes = bytes;
            e.element_bits = bits;
            const int width = 8 * bytes / bits, piece = 128 / bits;
            const LinearLayout l = to_linear_layout(e, {8, width}).value();
            for (int offset = 0; offset < 8 * width; ++offset) {
                const int row = offset / width, twist = piece * (row / (128 / bytes) % (bytes / 16));
                CHECK(apply(l, static_cast<std::uint64_t>(offset)) ==
                      static_cast<std::uint64_t>(row | (offset % width ^ twist) << 3));
            }
        }
    // One dimension is as it is, and order says which of two is contiguous.
    CHECK(images(to_linear_layout(SwizzledSharedEncoding{8, 1, 8, {0}, {}}, {8}).value(), "offset") == List{1, 2, 4});
    CHECK(images(to_linear_layout(SwizzledSharedEncoding{1, 1, 1, {0, 1}, {}}, {2, 4}).value(), "offset") == List{1, 2, 4});
    CHECK(refusal(SwizzledSharedEncoding{8, 0, 8, {1, 0}, {}}, {64, 64}) ==
          "vec, perPhase and maxPhase must be powers of two, got 8, 0 and 8");
    CHECK(refusal(SwizzledSharedEncoding{8, 1, -8, {1, 0}, {}}, {64, 64}) ==
          "vec, perPhase and maxPhase must be powers of two, got 8, 1 and -8");
    CHECK(refusal(SwizzledSharedEncoding{8, 1, 8, {1, 0}, {}}, {64, 65}) ==
          "dimension 1 of the tensor is 65; linear layouts have powers of two");
}
