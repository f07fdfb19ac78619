// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute/text.hpp>
#include <axe/interop/cute/thread_value.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;

constexpr cute::ThreadAxes lanes{"thread", "reg", 32, "lane", "warp"};

std::string text(const axe::Result<cute::Layout>& l) { return l ? cute::print(*l).c_str() : l.error().message().c_str(); }
std::string text(const axe::Result<axe::Layout>& l) { return l ? axe::print(*l).c_str() : l.error().message().c_str(); }

/// CuTe's operand of an instruction of one warp, on (M,K), (N,K) or (M,N).
struct Row {
    const char* instruction;
    const char* operand;
    cute::Layout thread_value;
};

} // namespace

TEST_CASE("cute thread and value: the operands of mma.sync as CuTe has them are the atoms")
{
    // CUTLASS, include/cute/atom/mma_traits_sm80.hpp: ALayout, BLayout and CLayout of each instruction
    const Row rows[] = {
        {"mma.sync.m16n8k8.f32.f16.f16.f32", "A", "((4,8),(2,2)):((32,1),(16,8))"_cute},
        {"mma.sync.m16n8k8.f32.f16.f16.f32", "B", "((4,8),2):((16,1),8)"_cute},
        {"mma.sync.m16n8k8.f32.f16.f16.f32", "C", "((4,8),(2,2)):((32,1),(16,8))"_cute},
        {"mma.sync.m16n8k16.f32.f16.f16.f32", "A", "((4,8),(2,2,2)):((32,1),(16,8,128))"_cute},
        {"mma.sync.m16n8k16.f32.f16.f16.f32", "B", "((4,8),(2,2)):((16,1),(8,64))"_cute},
        {"mma.sync.m16n8k16.f32.f16.f16.f32", "C", "((4,8),(2,2)):((32,1),(16,8))"_cute},
        {"mma.sync.m16n8k16.f32.bf16.bf16.f32", "A", "((4,8),(2,2,2)):((32,1),(16,8,128))"_cute},
        {"mma.sync.m16n8k4.f32.tf32.tf32.f32", "A", "((4,8),2):((16,1),8)"_cute},
        {"mma.sync.m16n8k4.f32.tf32.tf32.f32", "B", "((4,8),1):((8,1),0)"_cute},
        {"mma.sync.m16n8k8.f32.tf32.tf32.f32", "A", "((4,8),(2,2)):((16,1),(8,64))"_cute},
        {"mma.sync.m16n8k8.f32.tf32.tf32.f32", "B", "((4,8),2):((8,1),32)"_cute},
        {"mma.sync.m8n8k16.s32.s8.s8.s32", "A", "((4,8),4):((32,1),8)"_cute},
        {"mma.sync.m8n8k16.s32.s8.s8.s32", "B", "((4,8),4):((32,1),8)"_cute},
        {"mma.sync.m8n8k16.s32.s8.s8.s32", "C", "((4,8),2):((16,1),8)"_cute},
        {"mma.sync.m16n8k16.s32.s8.s8.s32", "A", "((4,8),(4,2)):((64,1),(16,8))"_cute},
        {"mma.sync.m16n8k32.s32.s8.s8.s32", "A", "((4,8),(4,2,2)):((64,1),(16,8,256))"_cute},
        {"mma.sync.m16n8k32.s32.s8.s8.s32", "B", "((4,8),(4,2)):((32,1),(8,128))"_cute},
        {"mma.sync.m8n8k4.f64", "A", "((4,8),1):((8,1),0)"_cute},
        {"mma.sync.m8n8k4.f64", "C", "((4,8),2):((16,1),8)"_cute},
        {"mma.sync.m16n8k256.s32.b1.b1.s32.xor.popc", "A", "((4,8),(32,2,2)):((512,1),(16,8,2048))"_cute},
        {"mma.sync.m16n8k256.s32.b1.b1.s32.xor.popc", "B", "((4,8),(32,2)):((256,1),(8,1024))"_cute},
    };
    for (const Row& row : rows) {
        const axe::Atom* atom = nullptr; // of any architecture
        for (const axe::Atom& a : axe::atoms::all)
            if (std::string(a.name) == row.instruction && std::string(a.operand) == row.operand) atom = &a;
        INFO(row.instruction << " " << row.operand);
        REQUIRE(atom != nullptr);
        axe::Layout layout = atom->layout();
        axe::Shape shape = atom->shape();
        if (*row.operand == 'B') { // (N,K) in CuTe, [K,N] here
            layout = *axe::permute(layout, shape, {1, 0});
            shape = {shape[1], shape[0]};
        }
        const auto got = cute::to_axe_thread_value(row.thread_value, shape, lanes);
        CHECK(text(got) == axe::print(*axe::canonicalize(layout)).c_str());
        const auto back = cute::from_axe_thread_value(layout, shape, lanes);
        CHECK(text(back) == cute::print(row.thread_value).c_str());
    }
}

TEST_CASE("cute thread and value: threads on an axis of their own, or split")
{
    constexpr auto c = "((4,8),(2,2)):((32,1),(16,8))"_cute;
    STATIC_REQUIRE(*cute::to_axe_thread_value(c, {16, 8}) == "(2,32,2):(2@reg,1@thread,1@reg)"_axe);
    STATIC_REQUIRE(*cute::from_axe_thread_value("(2,8,4,2):(2@reg,4@thread,1@thread,1@reg)"_axe, {16, 8}) == c);
    CHECK(text(cute::to_axe_thread_value(c, {16, 8}, {"t", "v", 0, "lane", "warp"})) == "(2,32,2):(2@v,1@t,1@v)");
    CHECK(text(cute::to_axe_thread_value("(128,4):(4,1)"_cute, {512}, lanes)) == "(4,32,4):(1@warp,1@lane,1@reg)");
    CHECK(text(cute::to_axe_thread_value("(128,4):(4,1)"_cute, {512}, {"thread", "reg", 64, "lane", "warp"})) ==
          "(2,64,4):(1@warp,1@lane,1@reg)");
    CHECK(text(cute::from_axe_thread_value("(4,32,4):(1@warp,1@lane,1@reg)"_axe, {512}, lanes)) == "(128,4):(4,1)");
    // on the tile's own dimensions, in CuTe's order: 8 values down a column of 32
    CHECK(text(cute::to_axe_thread_value("(128,8):(8,1)"_cute, {32, 32}, lanes)) == "(4,8,4,8):(1@lane,1@reg,1@warp,4@lane)");
    CHECK(text(cute::from_axe_thread_value("(4,8,4,8):(1@lane,1@reg,1@warp,4@lane)"_axe, {32, 32}, lanes)) == "(128,8):(8,1)");
    // a warp that is not a digit
    CHECK(text(cute::to_axe_thread_value("((3,32),2):((64,2),1)"_cute, {192}, lanes)) ==
          "iter 1 crosses a multiple of 32 in steps of 3, not at the end of a digit");
    CHECK(text(cute::to_axe_thread_value("(48,2):(2,1)"_cute, {96}, lanes)) ==
          "iter 0 crosses a multiple of 32 in steps of 1, not at the end of a digit");
}

TEST_CASE("cute thread and value: what several threads or values hold")
{
    constexpr auto shared = "((4,8,2),(2,2,3)):((32,1,0),(16,8,0))"_cute;
    CHECK(text(cute::to_axe_thread_value(shared, {16, 8}, lanes)) == "(2,32,2):(2@reg,1@lane,1@reg) + [3:4@reg, 2:1@warp]");
    CHECK(cute::from_axe_thread_value(*cute::to_axe_thread_value(shared, {16, 8}, lanes), {16, 8}, lanes).value() == shared);
    CHECK(text(cute::to_axe_thread_value("(32,1):(0,0)"_cute, {1}, lanes)) == "():() + [32:1@lane]");
    CHECK(text(cute::from_axe_thread_value("():() + [32:1@lane]"_axe, {1}, lanes)) == "(32,1):(0,0)");
    CHECK(text(cute::from_axe_thread_value("():()"_axe, {}, lanes)) == "(1,1):(0,0)");
    // a replica that lies across lanes and warps is one of threads
    CHECK(text(cute::from_axe_thread_value("4:1@reg + [64:1@thread]"_axe, {4})) == "(64,4):(0,1)");
    CHECK(text(cute::to_axe_thread_value("(64,4):(0,1)"_cute, {4}, lanes)) == "4:1@reg + [32:1@lane, 2:1@warp]");
}

TEST_CASE("cute thread and value: what is not a layout, that way")
{
    const auto refusal = [](const cute::Layout& tv, const axe::Shape& tile, axe::errc code) {
        const auto got = cute::to_axe_thread_value(tv, tile, lanes);
        CHECK(got.code() == code);
        return text(got);
    };
    using axe::errc;
    CHECK(refusal("(32,4):(4,2)"_cute, {256}, errc::no_layout) ==
          "stride 2 does not continue the 1 element before it: elements are held twice or not at all");
    CHECK(refusal("(32,4):(2,1)"_cute, {66}, errc::no_layout) ==
          "stride 2 does not continue the 4 elements before it: elements are held twice or not at all");
    CHECK(refusal("(32,4):(4,1)"_cute, {16, 16}, errc::size_mismatch) ==
          "threads and values hold 128 elements, but the tile has 256");
    CHECK(refusal("(32,4):(4,-1)"_cute, {128}, errc::no_layout) == "stride -1 is negative: it leaves the tile");
    CHECK(refusal("(32,4,2):(4,1,128)"_cute, {256}, errc::rank_mismatch) ==
          "a layout of threads and values has 2 modes, this one has 3");
    CHECK(refusal("32:1"_cute, {32}, errc::rank_mismatch) == "a layout of threads and values has 2 modes, this one has 1");
    CHECK(refusal("(32,4):(1@0,1@1)"_cute, {128}, errc::bad_argument) ==
          "a layout of threads and values gives element numbers of a tile; its strides cannot be along a basis");
    CHECK(refusal("(32,6):(6,1)"_cute, {4, 48}, errc::not_grouped) ==
          "dimension 1 of extent 48 ends inside an iter and does not divide it");
    CHECK(refusal("(32,4):(4,1)"_cute, {128, 0}, errc::bad_extent) == "dimension 1 of the shape is 0; it must be at least 1");
    cute::Layout broken = "(32,4):(4,1)"_cute;
    broken.nodes[1].leaf.extent = 0;
    CHECK(refusal(broken, {128}, errc::bad_extent) == "the extent of leaf 0 is 0; it must be at least 1");
    CHECK(text(cute::to_axe_thread_value("(32,4):(4,1)"_cute, {128}, {"thread", "reg", -1, "lane", "warp"})) ==
          "a warp of -1 lanes; it must be at least 1, or 0 for threads that are not split");
    CHECK(text(cute::to_axe_thread_value("(32,4):(4,1)"_cute, {128}, {"reg", "reg", 0, "lane", "warp"})) ==
          "the value axis is also an axis of the threads");
    CHECK(text(cute::to_axe_thread_value("(32,4):(4,1)"_cute, {128}, {"thread", "lane", 32, "lane", "warp"})) ==
          "the value axis is also an axis of the threads");
    CHECK(text(cute::to_axe_thread_value("(32,4):(4,1)"_cute, {128}, {"thread", "reg", 32, "lane", "lane"})) ==
          "the three axes of a split must be different");

    std::string shape = "((1", stride = "((0"; // more broadcasts, and more leaves, than an Axe layout has
    for (int i = 0; i < 9; ++i) shape += ",2", stride += ",0";
    const std::string broadcasts = shape + "),1):" + stride + "),0)";
    const auto many = cute::parse_layout(broadcasts);
    CHECK(refusal(*many, {1}, errc::capacity) == "the result needs more than 8 replica iters");
}

TEST_CASE("cute thread and value: what is not a layout of threads and values, the other way")
{
    const auto refusal = [](const axe::Layout& l, const axe::Shape& tile, axe::errc code, const cute::ThreadAxes& axes = lanes) {
        const auto got = cute::from_axe_thread_value(l, tile, axes);
        CHECK(got.code() == code);
        return text(got);
    };
    using axe::errc;
    CHECK(refusal("(32,4):(1@lane,1@m)"_axe, {128}, errc::unknown_axis) ==
          "iter 1 of the canonical layout is on an axis of neither threads nor values");
    CHECK(refusal("32:1@lane + [2:1@cta]"_axe, {32}, errc::unknown_axis) ==
          "iter 0 of the canonical layout is on an axis of neither threads nor values");
    CHECK(refusal("(32,4):(1@lane,1@reg)"_axe, {128}, errc::unknown_axis, {}) ==
          "iter 0 of the canonical layout is on an axis of neither threads nor values");
    CHECK(refusal("(32,4):(1@lane,2@reg)"_axe, {128}, errc::no_layout) ==
          "values are numbered in steps of 2, but 1 are numbered so far: numbers are skipped or used twice");
    CHECK(refusal("(2,16,4):(1@warp,1@lane,1@reg)"_axe, {128}, errc::no_layout) ==
          "threads are numbered in steps of 32, but 16 are numbered so far: some hold no value, or two");
    CHECK(refusal("(32,2,2):(1@lane,1@reg,1@reg)"_axe, {128}, errc::no_layout) ==
          "values are numbered in steps of 1, but 2 are numbered so far: numbers are skipped or used twice");
    CHECK(refusal("(32,4):(1@lane,0)"_axe, {128}, errc::no_layout) == "4 elements of the tile are at the same thread and value");
    CHECK(refusal("(32,4):(1@lane,-1@reg) + 3@reg"_axe, {128}, errc::no_layout) == "threads or values start at 3, not at 0");
    CHECK(refusal("(32,4):(1@lane,-1@reg)"_axe, {128}, errc::no_layout) == "threads or values have the negative stride -1");
    CHECK(refusal("(64,2):(1@lane,1@reg)"_axe, {128}, errc::out_of_domain) ==
          "the inner axis has the coordinate 63, outside [0, 32)");
    CHECK(refusal("(32,6):(1@lane,1@reg)"_axe, {48, 4}, errc::not_grouped) ==
          "dimension 0 of extent 48 ends inside an iter and does not divide it");
    CHECK(refusal("(32,4):(1@lane,1@reg)"_axe, {64}, errc::size_mismatch) == "the shape has 64 elements, the layout 128");
    axe::Layout broken = "(32,4):(1@lane,1@reg)"_axe;
    broken.shard[0].extent = -1;
    CHECK(refusal(broken, {128}, errc::bad_extent) == "the extent of iter 0 is -1; it must be at least 1");
    CHECK(text(cute::from_axe_thread_value(broken, {128}, {"reg", "reg", 0, "lane", "warp"})) ==
          "the value axis is also an axis of the threads");
    // threads × values beyond the integer
    const axe::Layout wide{{}, {{axe::Layout::integer{1} << 40, 1, "thread"}, {axe::Layout::integer{1} << 40, 1, "reg"}}, {}};
    CHECK(refusal(wide, {1}, errc::overflow, {}) == "the product of the extents overflows at leaf 1");
}
