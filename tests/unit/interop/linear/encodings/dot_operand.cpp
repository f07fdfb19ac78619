// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/dot_operand.hpp>
#include <axe/target/atoms.hpp>
#include <tests/unit/interop/linear/encodings/encoding.hpp>

using namespace axe;
using namespace axe::linear;
using namespace encodings;

namespace {

/// Every element is where the atom has it (of copies, the first).
template <class E>
void same_as_atom(const E& encoding, const char* name, const char* arch, const char* operand)
{
    INFO(name << " " << arch << " " << operand);
    const auto atom = atoms::find(name, arch, operand);
    REQUIRE(atom);
    const Shape shape = atom->shape();
    const auto layout = to_linear_layout(encoding, shape);
    INFO(layout.error().message().c_str());
    REQUIRE(layout);
    Layout places = atom->layout();
    places.replica.clear();
    for (std::int64_t row = 0; row < shape[0]; ++row)
        for (std::int64_t column = 0; column < shape[1]; ++column) {
            const Point at = evaluate(places, shape, Coord{row, column}).value();
            std::uint64_t x = 0;
            int low = 0;
            for (const char* axis : {"reg", "lane", "warp"}) {
                x |= static_cast<std::uint64_t>(at[Axis::make(axis, static_cast<int>(std::string(axis).size())).value()]) << low;
                low += layout->in[axis == std::string("reg") ? 0 : axis == std::string("lane") ? 1 : 2].bits;
            }
            REQUIRE(apply(*layout, x) == static_cast<std::uint64_t>(row | column << layout->out[0].bits));
        }
}

} // namespace

TEST_CASE("encodings of one instruction are the atoms of the hardware")
{
    const MmaEncoding mma{2, {1, 1}, {16, 8}, {}};
    struct Row {
        const char *name, *arch;
        int k_width;
    };
    for (const Row& row :
         {Row{"mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", 2}, Row{"mma.sync.m16n8k8.f32.tf32.tf32.f32", "sm80+", 1},
          Row{"mma.sync.m16n8k32.s32.s8.s8.s32", "sm80+", 4}}) {
        same_as_atom(mma, row.name, row.arch, "C");
        same_as_atom(DotOperandEncoding<MmaEncoding>{0, row.k_width, mma}, row.name, row.arch, "A");
        same_as_atom(DotOperandEncoding<MmaEncoding>{1, row.k_width, mma}, row.name, row.arch, "B");
    }
    MfmaEncoding mfma;
    mfma.warps_per_block = {1, 1};
    for (const Row& row : {Row{"v_mfma_f32_32x32x8_f16", "gfx942", 4}, Row{"v_mfma_f32_16x16x16_f16", "gfx942", 4},
                           Row{"v_mfma_f32_32x32x2_f32", "gfx942", 1}, Row{"v_mfma_i32_16x16x32_i8", "gfx942", 8},
                           Row{"v_mfma_f64_16x16x4_f64", "gfx942", 1}}) {
        const bool large = std::string(row.name).find("32x32") != std::string::npos;
        mfma.instruction = large ? Shape{32, 32, 8} : Shape{16, 16, 16};
        mfma.element_bits = std::string(row.name).find("f64") != std::string::npos ? 64 : 32;
        same_as_atom(mfma, row.name, row.arch, "D");
        same_as_atom(DotOperandEncoding<MfmaEncoding>{0, row.k_width, mfma}, row.name, row.arch, "A");
        same_as_atom(DotOperandEncoding<MfmaEncoding>{1, row.k_width, mfma}, row.name, row.arch, "B");
    }
    WmmaEncoding wmma;
    for (const Row& row : {Row{"v_wmma_f32_16x16x16_f16", "gfx1200", 4}, Row{"v_wmma_i32_16x16x16_iu8", "gfx1200", 8},
                           Row{"v_wmma_f32_16x16x16_f16", "gfx1100", 16}}) {
        wmma.version = row.arch == std::string("gfx1100") ? 1 : 2;
        same_as_atom(wmma, row.name, row.arch, "D");
        same_as_atom(DotOperandEncoding<WmmaEncoding>{0, row.k_width, wmma}, row.name, row.arch, "A");
        same_as_atom(DotOperandEncoding<WmmaEncoding>{1, row.k_width, wmma}, row.name, row.arch, "B");
    }
}

TEST_CASE("dot operands refuse what the instructions do not have")
{
    const MmaEncoding v2{2, {4, 1}, {16, 8}, {}}, v3{3, {4, 1}, {16, 64, 16}, {}};
    using Operand = DotOperandEncoding<MmaEncoding>;
    CHECK(refusal(Operand{1, 2, v3}, {64, 64}) == "version 3 takes operand 1 from shared memory");
    CHECK(refusal(Operand{2, 2, v2}, {64, 64}) == "a product has operands 0 and 1, got 2");
    CHECK(refusal(Operand{0, 3, v2}, {64, 64}) == "kWidth is 3; it must be a power of two");
    CHECK(refusal(Operand{0, 0, v2}, {64, 64}) == "kWidth is 0; it must be a power of two");
    CHECK(refusal(Operand{0, 2, {2, {4, 1}, {16, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {}}}, {64, 64}) ==
          "instrShape has 18 entries; version 2 takes 2");
    // Blocks that divide N have the same of operand 0, whose second dimension is K; those that divide M do not.
    const LinearLayout shared = to_linear_layout(Operand{0, 2, {2, {1, 1}, {16, 8}, {{0, 1}, {1, 0}}}}, {32, 16}).value();
    CHECK(images(shared, "block") == List{0, 16});
    CHECK(shared.in[0].bits == 3);
    CHECK(refusal(DotOperandEncoding<BlockedEncoding>{0, 0, {{1}, {32}, {4}, {0}, {}}}, {64}) ==
          "a matrix has at least 2 dimensions, this tensor 1");
}

TEST_CASE("dot operands: operand 1 of a product is operand 0 of the transposed one")
{
    // The blocked parent: all of K in each thread, lanes and warps along K have the same.
    const BlockedEncoding rows{{1, 1}, {4, 8}, {2, 2}, {1, 0}, {}}, columns{{1, 1}, {8, 4}, {2, 2}, {0, 1}, {}};
    const LinearLayout a = to_linear_layout(DotOperandEncoding<BlockedEncoding>{0, 0, rows}, {16, 8}).value();
    const LinearLayout b = to_linear_layout(DotOperandEncoding<BlockedEncoding>{1, 0, columns}, {8, 16}).value();
    REQUIRE(a.bases.size() == b.bases.size());
    for (int j = 0; j < a.bases.size(); ++j) CHECK((a.bases[j] >> 4 | (a.bases[j] & 15) << 3) == b.bases[j]);
    CHECK(images(a, "register") == List{1 << 4, 2 << 4, 4 << 4, 8});
    CHECK(images(a, "lane") == List{0, 0, 0, 1, 2});
    CHECK(images(a, "warp") == List{0, 4});

    // Along K warps have the same, along the other dimension each its own; K beyond the instruction's is in registers.
    const MmaEncoding mma{2, {2, 2}, {16, 8}, {}};
    const LinearLayout left = to_linear_layout(DotOperandEncoding<MmaEncoding>{0, 2, mma}, {32, 32}).value();
    CHECK(images(left, "warp") == List{0, 16});
    const LinearLayout right = to_linear_layout(DotOperandEncoding<MmaEncoding>{1, 2, mma}, {32, 16}).value();
    CHECK(images(right, "warp") == List{8 << 5, 0});
    WmmaEncoding wmma;
    wmma.warps = {{0, 1}, {1, 0}};
    CHECK(images(to_linear_layout(DotOperandEncoding<WmmaEncoding>{0, 8, wmma}, {32, 16}).value(), "warp") == List{0, 16});
    CHECK(images(to_linear_layout(DotOperandEncoding<WmmaEncoding>{1, 8, wmma}, {16, 32}).value(), "warp") == List{16 << 4, 0});
    wmma.version = 1; // both halves of the lanes have the same
    CHECK(images(to_linear_layout(DotOperandEncoding<WmmaEncoding>{0, 16, wmma}, {16, 16}).value(), "lane") == List{1, 2, 4, 8, 0});

    MfmaEncoding mfma;
    mfma.instruction = {32, 32, 8};
    mfma.warps_per_block = {1, 1};
    CHECK(refusal(DotOperandEncoding<MfmaEncoding>{-1, 4, mfma}, {32, 32}) == "a product has operands 0 and 1, got -1");
    CHECK(refusal(DotOperandEncoding<MfmaEncoding>{0, 6, mfma}, {32, 32}) == "kWidth is 6; it must be a power of two");
    CHECK(refusal(DotOperandEncoding<WmmaEncoding>{2, 8, wmma}, {32, 32}) == "a product has operands 0 and 1, got 2");
    mfma.version = 7;
    CHECK(refusal(DotOperandEncoding<MfmaEncoding>{0, 4, mfma}, {32, 32}) == "MFMA has versions 1 to 4, got 7");
    CHECK(refusal(DotOperandEncoding<BlockedEncoding>{0, 0, rows}, {16, 6}) ==
          "dimension 1 of the tensor is 6; linear layouts have powers of two");
}
