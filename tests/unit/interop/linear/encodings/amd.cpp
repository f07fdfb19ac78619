// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/amd.hpp>
#include <axe/interop/linear/properties.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

TEST_CASE("amd: transposed, elements of 64 bits, refusals")
{
    // Rows and columns exchanged are a transposed tensor's.
    for (const bool mfma : {true, false}) {
        const auto of = [&](bool transposed) {
            MfmaEncoding a;
            a.instruction = {32, 32, 8};
            a.transposed = transposed;
            a.warps_per_block = {1, 1};
            WmmaEncoding b;
            b.transposed = transposed;
            return mfma ? to_linear_layout(a, {32, 32}).value() : to_linear_layout(b, {16, 16}).value();
        };
        const LinearLayout rows = of(false), columns = of(true);
        const int n = rows.out[0].bits;
        for (int i = 0; i < rows.bases.size(); ++i)
            CHECK(columns.bases[i] == (rows.bases[i] >> n | (rows.bases[i] & ((std::uint64_t{1} << n) - 1)) << n));
    }
    MfmaEncoding e;
    e.instruction = {16, 16, 4};
    e.warps_per_block = {1, 1};
    e.element_bits = 64; // v_mfma_f64_16x16x4f64: row 4·r + l / 16
    CHECK(images(to_linear_layout(e, {16, 16}).value(), "register") == List{4, 8});
    CHECK(images(to_linear_layout(e, {16, 16}).value(), "lane") == List{16, 32, 64, 128, 1, 2});
    e.element_bits = 16;
    CHECK(refusal(e, {64, 64}) == "an accumulator has elements of 32 or 64 bits, got 16");
    e.element_bits = 32;
    e.version = 5;
    CHECK(refusal(e, {64, 64}) == "MFMA has versions 1 to 4, got 5");
    e.version = 3;
    e.instruction = {4, 4, 4};
    CHECK(refusal(e, {64, 64}) == "MFMA is 32 x 32, 16 x 16, 64 x 4 or 4 x 64, got 4 x 4");
    e.instruction = {64, 4, 4};
    CHECK(refusal(e, {64, 64}) == "MFMA of 64 x 4 is always transposed");
    e.instruction = {32, 32};
    CHECK(refusal(e, {64, 64}) == "the shape of an instruction is M, N and K, got 2 numbers");
    CHECK(refusal(e, {64}) == "MFMA takes matrices or batches of matrices; this tensor has 1 dimension");
    WmmaEncoding w;
    w.version = 4;
    CHECK(refusal(w, {64, 64}) == "WMMA has versions 1 to 3, got 4");
    w.version = 2;
    w.instruction = {32, 16, 16};
    CHECK(refusal(w, {64, 64}) == "WMMA is 16 x 16 with a K that is a power of two, got 32 x 16 x 16");
    w.instruction = {16, 16};
    CHECK(refusal(w, {64, 64}) == "the shape of an instruction is M, N and K, got 2 numbers");
    CHECK(refusal(w, {64}) == "WMMA takes matrices or batches of matrices; this tensor has 1 dimension");
    w.instruction = {16, 16, 16};
    w.warps = {{0, 1}, {1}};
    CHECK(refusal(w, {64, 64}) == "the basis of warp bit 1 has 1 entry, the tensor 2 dimensions");
    w.warps = {{1, 1}};
    CHECK(refusal(w, {64, 64}) ==
          "the basis of warp bit 0 must be a power of two in one dimension and 0 in the others, or all zeros");
    w.warps = {{0, 2}};
    CHECK(refusal(w, {64, 64}) == "along dimension 1 a warp starts 2 tiles further; the next warp must start 1 tile further");
    w.warps = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    CHECK(refusal(w, {64, 64}) == "the warps have at most 8 bits");
    w.warps = {{0, 0}};
    CHECK(images(to_linear_layout(w, {16, 16}).value(), "warp") == List{0});
}

TEST_CASE("amd: every element of every shape once, in each of the 64 or 32 lanes as many")
{
    struct Case {
        Shape instruction;
        bool transposed;
        int bits;
    };
    for (const Case& c : {Case{{32, 32, 8}, false, 32}, Case{{32, 32, 8}, true, 32}, Case{{16, 16, 16}, false, 32},
                          Case{{16, 16, 4}, false, 64}, Case{{64, 4, 4}, true, 32}, Case{{4, 64, 4}, false, 32}}) {
        MfmaEncoding e;
        e.instruction = c.instruction;
        e.transposed = c.transposed;
        e.element_bits = c.bits;
        e.warps_per_block = {1, 1};
        const Shape tile{c.instruction[0], c.instruction[1]};
        INFO(tile[0] << " x " << tile[1]);
        const LinearLayout l = to_linear_layout(e, tile).value();
        CHECK(images(l, "lane").size() == 6);
        CHECK(is_invertible(l));
        // Warps and batches: one tile each, in order.
        e.warps_per_block = {1, 2, 2};
        const LinearLayout many = to_linear_layout(e, {2, 2 * tile[0], 2 * tile[1]}).value();
        CHECK(is_invertible(many));
        CHECK(images(many, "warp").size() == 2);
    }
    for (const int version : {1, 2, 3})
        for (const bool transposed : {false, true}) {
            WmmaEncoding w;
            w.version = version;
            w.transposed = transposed;
            w.warps = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
            const LinearLayout l = to_linear_layout(w, {2, 32, 32}).value();
            CHECK(images(l, "lane").size() == 5);
            CHECK(images(l, "warp") == List{16 << 6, 16 << 1, 1});
            CHECK(is_invertible(l));
        }
    // More warps than tiles have the same as the first.
    MfmaEncoding e;
    e.instruction = {32, 32, 8};
    e.warps_per_block = {2, 1};
    CHECK(images(to_linear_layout(e, {32, 32}).value(), "warp") == List{0});
    e.warps_per_block = {3, 1};
    CHECK(refusal(e, {32, 32}) == "entry 0 of warpsPerCTA is 3; it must be a power of two");
    e.version = 0;
    CHECK(refusal(e, {32, 32}) == "MFMA has versions 1 to 4, got 0");
}
