// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/slice.hpp>
#include <axe/interop/linear/encodings/swizzled_shared.hpp>
#include <axe/interop/linear/encodings/tensor_memory.hpp>
#include <axe/machine/atoms.hpp>
#include <catch.hpp>

#include <string>

/// What encodings refuse, and what the rows of cases/linear_encodings do not say.
namespace {

using namespace axe;
using namespace axe::linear;
using List = InlineVector<std::uint64_t, LinearLayout::max_bits>;

template <class E>
std::string refusal(const E& encoding, const Shape& tensor)
{
    const auto result = to_linear_layout(encoding, tensor);
    CHECK(!result);
    return result.error().sentence().c_str();
}

/// The images of one input, as words: dim0 lowest.
List images(const LinearLayout& layout, const char* name)
{
    List out;
    for (int i = 0, j = 0; i < layout.in.size(); ++i)
        for (int bit = 0; bit < layout.in[i].bits; ++bit, ++j)
            if (std::string(layout.in[i].name.name().c_str()) == name) out.push_back(layout.bases[j]);
    return out;
}

/// Every element is where the atom has it (of copies, the first).
template <class E>
void same_as_atom(const E& encoding, const char* name, const char* arch, const char* operand)
{
    INFO(name << " " << arch << " " << operand);
    const auto atom = atoms::find(name, arch, operand);
    REQUIRE(atom);
    const Shape shape = atom->shape();
    const auto layout = to_linear_layout(encoding, shape);
    INFO(layout.error().sentence().c_str());
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

constexpr BlockedEncoding good{{1, 4}, {4, 8}, {2, 2}, {1, 0}, {}};
static_assert(to_linear_layout(good, {64, 64}).value().in.size() == 4, "constexpr");

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

TEST_CASE("blocked: boxes wrap, blocks come last")
{
    // A box of four columns of a tensor that has two: the second bit of the registers goes nowhere.
    const LinearLayout small = to_linear_layout(BlockedEncoding{{1, 4}, {4, 8}, {2, 2}, {1, 0}, {}}, {1, 2}).value();
    CHECK(images(small, "register") == List{1, 0});
    CHECK(images(small, "lane") == List{0, 0, 0, 0, 0});
    // Four blocks along dimension 1, of which pairs have the same: two pieces.
    const auto blocks = block_bases({1, 4}, {1, 2}, {1, 0});
    REQUIRE(blocks);
    CHECK(*blocks == BlockBases{{0, 1}, {0, 0}});
    const LinearLayout shared = to_linear_layout(BlockedEncoding{{1, 1}, {1, 2}, {1, 1}, {1, 0}, *blocks}, {1, 8}).value();
    CHECK(images(shared, "register") == List{2});
    CHECK(images(shared, "lane") == List{1});
    CHECK(images(shared, "block") == List{4, 0});
    // More pieces than the tensor has: those beyond have the same.
    CHECK(images(to_linear_layout(BlockedEncoding{{1}, {2}, {1}, {0}, {{1}, {2}}}, {2}).value(), "block") == List{1, 0});
    // As large as may be: 2^62 elements.
    CHECK(to_linear_layout(BlockedEncoding{{1}, {32}, {4}, {0}, {}}, {std::int64_t{1} << 62}).value().bases.size() == 62);
    CHECK(refusal(BlockedEncoding{{1, 1}, {32, 1}, {4, 1}, {0, 1}, {}}, {std::int64_t{1} << 62, 2}) ==
          "the tensor has 2^63 elements; a linear layout has at most 2^62");
    CHECK(refusal(BlockedEncoding{{1}, {std::int64_t{1} << 61}, {4}, {0}, {}}, {1}) ==
          "an input of a linear layout has at most 62 bits");
}

TEST_CASE("encodings refuse lists that do not fit the tensor")
{
    BlockedEncoding e = good;
    e.size_per_thread = {1, 3};
    CHECK(refusal(e, {64, 64}) == "entry 1 of sizePerThread is 3; it must be a power of two");
    e.size_per_thread = {1, 0};
    CHECK(refusal(e, {64, 64}) == "entry 1 of sizePerThread is 0; it must be a power of two");
    e.size_per_thread = {1};
    CHECK(refusal(e, {64, 64}) == "sizePerThread has 1 entries, the tensor 2 dimensions");
    e = good;
    e.threads_per_warp = {4, -8};
    CHECK(refusal(e, {64, 64}) == "entry 1 of threadsPerWarp is -8; it must be a power of two");
    e.threads_per_warp = {};
    CHECK(refusal(e, {64, 64}) == "threadsPerWarp has 0 entries, the tensor 2 dimensions");
    e = good;
    e.warps_per_block = {5, 1};
    CHECK(refusal(e, {64, 64}) == "entry 0 of warpsPerCTA is 5; it must be a power of two");
    e.warps_per_block = {1, 1, 1};
    CHECK(refusal(e, {64, 64}) == "warpsPerCTA has 3 entries, the tensor 2 dimensions");
    e = good;
    e.order = {1};
    CHECK(refusal(e, {64, 64}) == "order has 1 entries, the tensor 2 dimensions");
    e.order = {1, 1};
    CHECK(refusal(e, {64, 64}) == "entry 1 of order is 1; order names each of the 2 dimensions once");
    e.order = {2, 0};
    CHECK(refusal(e, {64, 64}) == "entry 0 of order is 2; order names each of the 2 dimensions once");
    e = good;
    CHECK(refusal(e, {64, 48}) == "dimension 1 of the tensor is 48; linear layouts have powers of two");
    CHECK(refusal(e, {0, 64}) == "dimension 0 of the tensor is 0; linear layouts have powers of two");
    CHECK(refusal(e, {}) == "an encoding is of a tensor of 1 to 8 dimensions, not 0");
    e.blocks = {{1}};
    CHECK(refusal(e, {64, 64}) == "the basis of block bit 0 has 1 entries, the tensor 2 dimensions");
    e.blocks = {{0, 3}};
    CHECK(refusal(e, {64, 64}) == "the basis of block bit 0 has 3; it needs powers of two");
    e.blocks = {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}};
    CHECK(refusal(e, {64, 64}) == "the blocks have at most 8 bits");
    const auto sentence = [](const auto& result) { return std::string(result.error().sentence().c_str()); };
    CHECK(sentence(block_bases({1, 2}, {1, 4}, {1, 0})) == "dimension 1 is cut into 4 pieces for 2 blocks");
    CHECK(sentence(block_bases({1, 3}, {1, 1}, {1, 0})) == "entry 1 of CTAsPerCGA is 3; it must be a power of two");
    CHECK(sentence(block_bases({1, 2}, {1}, {1, 0})) == "CTASplitNum has 1 entries, the tensor 2 dimensions");
    CHECK(sentence(block_bases({1, 2}, {1, 3}, {1, 0})) == "entry 1 of CTASplitNum is 3; it must be a power of two");
    CHECK(sentence(block_bases({1, 512}, {1, 1}, {1, 0})) == "the blocks have at most 8 bits");
    CHECK(sentence(block_bases({1, 2}, {1, 1}, {1, 2})) == "entry 1 of order is 2; order names each of the 2 dimensions once");
}

TEST_CASE("mma and its operands refuse what the instructions do not have")
{
    CHECK(refusal(MmaEncoding{4, {4, 1}, {16, 8}, {}}, {64, 64}) == "NVIDIA's accumulators are of version 2 or 3, not 4");
    CHECK(refusal(MmaEncoding{2, {4, 1}, {16, 8, 16}, {}}, {64, 64}) == "instrShape has 3 entries; version 2 takes 2");
    CHECK(refusal(MmaEncoding{3, {4, 1}, {16, 64}, {}}, {64, 64}) == "instrShape has 2 entries; version 3 takes 3");
    CHECK(refusal(MmaEncoding{3, {4, 1}, {16, 96, 16}, {}}, {64, 64}) == "entry 1 of instrShape is 96; it must be a power of two");
    CHECK(refusal(MmaEncoding{2, {4, 1}, {16, 4}, {}}, {64, 64}) == "a tile of 16 x 4 is not made of 8 x 8 pieces");
    CHECK(refusal(MmaEncoding{2, {4}, {16}, {}}, {64}) == "a matrix has at least 2 dimensions, this tensor 1");
    CHECK(refusal(MmaEncoding{2, {4}, {16, 8}, {}}, {64, 64}) == "warpsPerCTA has 1 entries, the tensor 2 dimensions");
    const MmaEncoding v2{2, {4, 1}, {16, 8}, {}}, v3{3, {4, 1}, {16, 64, 16}, {}};
    using Operand = DotOperandEncoding<MmaEncoding>;
    CHECK(refusal(Operand{1, 2, v3}, {64, 64}) == "version 3 takes operand 1 from shared memory");
    CHECK(refusal(Operand{2, 2, v2}, {64, 64}) == "a product has operands 0 and 1, no 2");
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
    CHECK(refusal(e, {64, 64}) == "an accumulator has elements of 32 or 64 bits, not 16");
    e.element_bits = 32;
    e.version = 5;
    CHECK(refusal(e, {64, 64}) == "MFMA has versions 1 to 4, not 5");
    e.version = 3;
    e.instruction = {4, 4, 4};
    CHECK(refusal(e, {64, 64}) == "MFMA is 32 x 32, 16 x 16, 64 x 4 or 4 x 64, not 4 x 4");
    e.instruction = {64, 4, 4};
    CHECK(refusal(e, {64, 64}) == "MFMA of 64 x 4 is always transposed");
    e.instruction = {32, 32};
    CHECK(refusal(e, {64, 64}) == "an instruction has M, N and K; here are 2 numbers");
    CHECK(refusal(e, {64}) == "MFMA is of matrices, or of batches of them; this tensor has 1 dimensions");
    WmmaEncoding w;
    w.version = 4;
    CHECK(refusal(w, {64, 64}) == "WMMA has versions 1 to 3, not 4");
    w.version = 2;
    w.instruction = {32, 16, 16};
    CHECK(refusal(w, {64, 64}) == "WMMA is 16 x 16 with a K that is a power of two, not 32 x 16 x 16");
    w.instruction = {16, 16};
    CHECK(refusal(w, {64, 64}) == "an instruction has M, N and K; here are 2 numbers");
    CHECK(refusal(w, {64}) == "WMMA is of matrices, or of batches of them; this tensor has 1 dimensions");
    w.instruction = {16, 16, 16};
    w.warps = {{0, 1}, {1}};
    CHECK(refusal(w, {64, 64}) == "the basis of warp bit 1 has 1 entries, the tensor 2 dimensions");
    w.warps = {{1, 1}};
    CHECK(refusal(w, {64, 64}) == "the basis of warp bit 0 is one power of two in one dimension, or zeros");
    w.warps = {{0, 2}};
    CHECK(refusal(w, {64, 64}) == "a warp is 2 tiles on along dimension 1; the next is 1 on");
    w.warps = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    CHECK(refusal(w, {64, 64}) == "the warps have at most 8 bits");
    w.warps = {{0, 0}};
    CHECK(images(to_linear_layout(w, {16, 16}).value(), "warp") == List{0});
}

TEST_CASE("slice: of slices, and refusals")
{
    // Both dimensions of a matrix away, one after the other: nothing is left, everyone has it.
    const BlockedEncoding cube{{2, 1, 1}, {1, 4, 8}, {1, 1, 2}, {2, 1, 0}, {}};
    const SliceEncoding<SliceEncoding<BlockedEncoding>> line{1, {1, cube}};
    const LinearLayout left = to_linear_layout(line, {4}).value();
    CHECK(left.out == Dims{{"dim0", 2}});
    CHECK(images(left, "register") == List{1, 2});
    CHECK(images(left, "lane") == List{0, 0, 0, 0, 0});
    CHECK(refusal(SliceEncoding<BlockedEncoding>{2, good}, {64}) == "a slice of dimension 2 cannot have 1 dimensions");
    CHECK(refusal(SliceEncoding<BlockedEncoding>{-1, good}, {64}) == "a slice of dimension -1 cannot have 1 dimensions");
    const auto wrong = remove_dim(left, 1);
    CHECK(std::string(wrong.error().sentence().c_str()) == "dimension 1 is to be removed from 1");
    CHECK(remove_dim(left, 0).value().out.empty());
}

TEST_CASE("shared memory: refusals, blocks, more than two dimensions")
{
    CHECK(refusal(SwizzledSharedEncoding{3, 1, 8, {1, 0}, {}}, {64, 64}) ==
          "vec, perPhase and maxPhase are powers of two, not 3, 1 and 8");
    CHECK(refusal(SwizzledSharedEncoding{8, 1, 8, {1}, {}}, {64, 64}) == "order has 1 entries, the tensor 2 dimensions");
    // A block's piece is what is swizzled: 32 columns each.
    const LinearLayout pieces = to_linear_layout(SwizzledSharedEncoding{8, 1, 8, {1, 0}, {{0, 1}}}, {4, 64}).value();
    CHECK(images(pieces, "offset") == List{4, 8, 16, 32, 64, 1 | 8 << 2, 2 | 16 << 2});
    CHECK(images(pieces, "block") == List{32 << 2});

    NvmmaSharedEncoding e;
    e.swizzle_bytes = 48;
    CHECK(refusal(e, {64, 64}) == "a swizzle is of 0, 32, 64 or 128 bytes, not 48");
    e.swizzle_bytes = 128;
    CHECK(refusal(e, {64, 32}) == "a tile has 8 rows of 64 elements; a block of this tensor has 64 rows of 32");
    CHECK(refusal(e, {4, 64}) == "a tile has 8 rows of 64 elements; a block of this tensor has 4 rows of 64");
    CHECK(refusal(e, {64}) == "a swizzle needs at least 2 dimensions, this tensor has 1");
    e.element_bits = 64;
    CHECK(refusal(e, {64, 64}) == "elements have 8, 16 or 32 bits, not 64");
    e.element_bits = 16;
    e.fp4_padded = true;
    CHECK(refusal(e, {64, 64}) == "padded bytes are elements of 8 bits in a swizzle of 128 bytes, not 16 in 128");
    e.fp4_padded = false;
    // Rows of all outer dimensions make one column of tiles, the inner first.
    e.swizzle_bytes = 32;
    const LinearLayout batch = to_linear_layout(e, {2, 4, 32}).value(); // dim0: bit 0, dim1: bits 1, 2, dim2: from bit 3
    CHECK(images(batch, "offset") == List{1 << 3, 2 << 3, 4 << 3, 8 << 3, 1 << 1, 2 << 1, 1 | 8 << 3, 16 << 3});
    CHECK(alignment(e) == 256);
    CHECK(alignment(SwizzledSharedEncoding{}) == 16);

    CHECK(refusal(TensorMemoryEncoding{32, 128, 1}, {128, 128}) == "a piece of tensor memory has 64 or 128 rows, not 32");
    CHECK(refusal(TensorMemoryEncoding{128, 96, 1}, {128, 128}) == "columns and their stride are powers of two, not 96 and 1");
    CHECK(refusal(TensorMemoryEncoding{128, 128, 3}, {128, 128}) == "columns and their stride are powers of two, not 128 and 3");
    CHECK(refusal(TensorMemoryEncoding{128, 128, 1}, {64, 128}) == "a matrix of 64 rows is smaller than a piece of 128");
    CHECK(refusal(TensorMemoryEncoding{}, {128}) == "tensor memory holds matrices; this tensor has 1 dimensions");
    CHECK(refusal(TensorMemoryScalesEncoding{}, {128, 3}) == "dimension 1 of the tensor is 3; linear layouts have powers of two");
    // One piece of 64 rows: half of the 128 are not there. Two beside each other: they are the second.
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 2}).value(), "row") == List{1, 2, 4, 8, 0, 16, 32});
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 4}).value(), "row") == List{1, 2, 4, 8, 2 << 6, 16, 32});
    CHECK(images(to_linear_layout(TensorMemoryEncoding{64, 2, 1}, {64, 4}).value(), "col") == List{1 << 6});
}
