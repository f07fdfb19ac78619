// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warp_specialized.hpp"

#include <cmath>

/// The product with block scales in tensor memory: sizes and numbers at which scales matter, what keeps it right, and what it moves.
namespace {

using namespace axe;
using warp_specialized::Values;

Values mx_values(int m, int n, int k, int tile_n, int stages, int walk, const char* data = "random", const char* ctas = "1")
{
    return {{"M", std::to_string(m)},
            {"N", std::to_string(n)},
            {"K", std::to_string(k)},
            {"tile_n", std::to_string(tile_n)},
            {"stages", std::to_string(stages)},
            {"walk", std::to_string(walk)},
            {"ctas", ctas},
            {"data", data}};
}

examples::Performance mx_performed(const Values& values) { return warp_specialized::performed("mx_gemm", "sm100", values); }

} // namespace

TEST_CASE("mx_gemm: scales of all sizes, zero blocks, the largest number, odd sizes")
{
    for (const Values& values : {mx_values(1, 136, 640, 64, 3, 2, "random"), mx_values(33, 136, 640, 136, 2, 1, "powers"),
                                 mx_values(129, 64, 128, 64, 3, 2, "zeros"), mx_values(128, 16, 256, 8, 4, 1, "largest"),
                                 mx_values(300, 40, 336, 40, 2, 3, "powers"), mx_values(5, 9, 16, 16, 1, 1, "random"),
                                 mx_values(20, 240, 80, 240, 1, 1, "zeros")}) {
        std::string what;
        for (const auto& [name, value] : values) what += name + "=" + value + " ";
        INFO(what);
        const auto p = mx_performed(values);
        INFO(p.report.fault.text << p.verification.text());
        CHECK(p.ok());
        CHECK(std::string(p.verification.word()) == "right");
        REQUIRE(p.conclusion.lines.size() == 1);
        std::map<std::string, int> chosen;
        for (const Choice& c : p.lowered.choices) ++chosen[c.schedule];
        CHECK(chosen["tcgen05_scaled"] > 0);
        CHECK(chosen["tcgen05_cp_scales"] > 0);
        CHECK(chosen["bulk_copy"] >= 4);
        CHECK(chosen["scaled_in_registers"] + chosen["fma"] == 0);
    }
}

TEST_CASE("mx_gemm: what it does not take")
{
    const auto refused = [](const Values& values) { return warp_specialized::refused("mx_gemm", "sm100", values); };
    CHECK(refused({{"K", "24"}}) == "mx_gemm: K is 24, not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    CHECK(refused({{"tile_n", "20"}}) == "mx_gemm: tile_n is 20, not a multiple of 8");
    CHECK(refused({{"tile_n", "240"}}) ==
          "mx_gemm: 2·240 columns of sums and those of 3 stages of scales are 516; tensor memory has 512");
    CHECK(refused({{"tile_n", "240"}, {"stages", "2"}}).empty());
}

TEST_CASE("mx_gemm: no order changes a bit, no level either")
{
    warp_specialized::check_orders(mx_performed(mx_values(130, 16, 304, 16, 2, 2)), "D");
}

TEST_CASE("mx_gemm: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // 2 steps through 2 stages, of which the last has fewer blocks, 4 tiles through 2 accumulators: all come round.
    const auto whole = mx_performed(mx_values(500, 16, 176, 16, 2, 4));
    const auto names = [](int id) {
        return id < 2 ? "full" : id < 4 ? "empty" : id < 6 ? "with scales" : id < 8 ? "sums full" : "sums empty";
    };
    // The statements of the first accumulator have every other round of a stage, whose parity is one here: its flip is none.
    const std::string text = warp_specialized::without_each(
        whole, names, {"phase flip of empty wait", "phase flip of full wait", "phase flip of with scales wait"});
    CHECK(text == "barrier: 4 race 1 transaction\n"
                  "commit: 2 race\n"
                  "empty init: 2 transaction\n"
                  "empty wait: 4 transaction\n"
                  "full expect: 4 deadlock\n"
                  "full init: 2 transaction\n"
                  "full wait: 3 race 1 transaction\n"
                  "guard of A: 3 out of bounds\n"
                  "guard of B: 2 out of bounds\n"
                  "guard of D: 1 out of bounds\n"
                  "phase flip of empty wait: 1 deadlock 2 none 1 transaction\n"
                  "phase flip of full wait: 1 deadlock 2 none 1 transaction\n"
                  "phase flip of sums empty wait: 2 deadlock\n"
                  "phase flip of sums full wait: 2 deadlock\n"
                  "phase flip of with scales wait: 1 deadlock 2 none 1 race\n"
                  "proxy fence: 6 proxy fence missing\n"
                  "sums empty arrive: 2 deadlock\n"
                  "sums empty init: 2 transaction\n"
                  "sums empty wait: 2 race\n"
                  "sums full commit: 2 deadlock\n"
                  "sums full init: 2 transaction\n"
                  "sums full wait: 2 race\n"
                  "tensor fence after: 6 proxy fence missing\n"
                  "tensor fence before: 2 proxy fence missing\n"
                  "wait_sources: 1 asynchronous operation unfinished 2 race\n"
                  "wait_tensor_loads: 2 race\n"
                  "with scales arrive: 4 deadlock\n"
                  "with scales init: 2 transaction\n"
                  "with scales wait: 4 race\n");
}

TEST_CASE("mx_gemm: what it moves, by closed formulas")
{
    struct Size {
        int m, n, k, tile_n, stages, walk, ctas = 1;
    };
    for (const Size& z : {Size{256, 128, 256, 64, 3, 2},
                          {300, 40, 336, 40, 2, 3},
                          {130, 200, 80, 136, 2, 1},
                          {600, 128, 256, 64, 3, 2, 2},
                          {200, 200, 80, 144, 2, 1, 2}}) {
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles of " << z.tile_n << " columns");
        const auto p = mx_performed(mx_values(z.m, z.n, z.k, z.tile_n, z.stages, z.walk, "random", z.ctas == 2 ? "2" : "1"));
        REQUIRE(p.ok());
        const std::int64_t high = 128 * z.ctas, rows = (z.m + high - 1) / high * z.ctas, cols = (z.n + z.tile_n - 1) / z.tile_n,
                           steps = (z.k + 127) / 128;
        const std::int64_t tiles = rows * cols, products = tiles * ((z.k + 31) / 32), scales = (z.tile_n + 127) / 128 * 128;
        const sim::Counters& total = p.report.total;
        std::int64_t boxes = 0;
        for (const auto& [text, count] : total.by_text)
            if (text.find("mbarrier::complete_tx") != std::string::npos) boxes += count;
        CHECK(boxes == 4 * tiles * steps);
        const std::string group = "cta_group::" + std::to_string(z.ctas);
        CHECK(total.by_text.at("tcgen05.mma." + group + ".kind::mxf8f6f4.block_scale.scale_vec::1X") == products / z.ctas);
        CHECK(total.by_text.at("tcgen05.cp." + group + ".32x128b.warpx4") == tiles * steps * (1 + scales / 128));
        CHECK(total.flops == 2 * products * 128 * z.tile_n * 32);
        const sim::MemoryCount &global = total.memories.at("gmem"), &tensor = total.memories.at("tmem");
        CHECK(global.bytes_read == z.k * (z.m * cols + z.n * rows / z.ctas) + 4 * tiles * steps * (128 + scales));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        CHECK(tensor.bytes_written == 2048 * tiles * steps * (1 + scales / 128));
        CHECK(tensor.bytes_read == products * (128 + z.tile_n) + tiles * z.tile_n * 512);
    }
}

TEST_CASE("mx_gemm: a scale of another block, or of another row, makes D wrong")
{
    const auto p = mx_performed(mx_values(130, 24, 160, 24, 2, 2, "powers"));
    REQUIRE(p.ok());
    for (const char* name : {"SFA", "SFB"})
        for (const std::int64_t by : {1, 4}) { // the next block; the next row
            Bindings other;
            for (const ProgramTensor& t : p.program.tensors)
                if (const Array* x = p.inputs.find(t.name); x != nullptr) other.set(t.name, x->clone().value());
            Array& scales = *other.find(name);
            REQUIRE(scales.bits_at(0) != scales.bits_at(by));
            const std::uint64_t bits = scales.bits_at(0);
            scales.set_bits(0, scales.bits_at(by));
            scales.set_bits(by, bits);
            const auto report = sim::run(p.lowered.program, other);
            REQUIRE(report);
            REQUIRE(report->ok());
            CHECK_FALSE(verify(p.program, p.inputs, report->outputs)->ok());
        }
}

TEST_CASE("mx_gemm: pairs of blocks, of all sizes and numbers")
{
    for (const Values& values :
         {mx_values(1, 136, 640, 64, 3, 2, "random", "2"), mx_values(300, 40, 336, 48, 2, 3, "powers", "2"),
          mx_values(257, 64, 128, 64, 3, 2, "zeros", "2"), mx_values(256, 16, 256, 16, 4, 1, "largest", "2"),
          mx_values(600, 9, 80, 16, 1, 2, "random", "2"), mx_values(130, 200, 176, 208, 2, 1, "powers", "2")}) {
        std::string what;
        for (const auto& [name, value] : values) what += name + "=" + value + " ";
        INFO(what);
        const auto p = mx_performed(values);
        INFO(p.report.fault.text << p.verification.text());
        CHECK(p.ok());
        CHECK(std::string(p.verification.word()) == "right");
        const std::string text = print(p.lowered.program);
        CHECK(text.find("tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X") != std::string::npos);
        CHECK(text.find("tcgen05.cp.cta_group::2.32x128b.warpx4") != std::string::npos);
        CHECK(text.find("cta_group::1") == std::string::npos);
    }
    CHECK(warp_specialized::refused("mx_gemm", "sm100", {{"ctas", "2"}, {"tile_n", "24"}}) ==
          "mx_gemm: tile_n is 24, not a multiple of 16");
}

TEST_CASE("mx_gemm: pairs of blocks, no order changes a bit, no level either")
{
    warp_specialized::check_orders(mx_performed(mx_values(260, 16, 304, 16, 2, 2, "random", "2")), "D");
}

TEST_CASE(
    "mx_gemm: pairs of blocks, without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    const auto whole = mx_performed(mx_values(1000, 16, 176, 16, 2, 4, "random", "2"));
    const auto names = [](int id) {
        return id < 2    ? "full"
               : id < 4  ? "empty"
               : id < 6  ? "with scales"
               : id < 8  ? "sums full"
               : id < 10 ? "sums empty"
                         : "scales here";
    };
    const std::string text = warp_specialized::without_each(whole, names,
                                                            {"phase flip of empty wait", "phase flip of full wait",
                                                             "phase flip of with scales wait", "phase flip of scales here wait"});
    CHECK(text == "barrier: 4 race\n"
                  "cluster arrive: 2 barrier divergence\n"
                  "cluster wait: 1 lifetime 1 transaction\n"
                  "commit: 2 race\n"
                  "empty init: 2 transaction\n"
                  "empty wait: 3 race 1 transaction\n"
                  "full expect: 4 deadlock\n"
                  "full init: 2 transaction\n"
                  "full wait: 4 race\n"
                  "guard of A: 3 out of bounds\n"
                  "guard of B: 2 out of bounds\n"
                  "guard of D: 1 out of bounds\n"
                  "phase flip of empty wait: 1 deadlock 2 none 1 transaction\n"
                  "phase flip of full wait: 1 deadlock 2 none 1 race\n"
                  "phase flip of scales here wait: 2 deadlock 2 none\n"
                  "phase flip of sums empty wait: 2 deadlock\n"
                  "phase flip of sums full wait: 2 deadlock\n"
                  "phase flip of with scales wait: 1 deadlock 2 none 1 race\n"
                  "proxy fence: 6 proxy fence missing\n"
                  "scales here expect: 4 deadlock\n"
                  "scales here init: 2 transaction\n"
                  "scales here wait: 1 deadlock 3 race\n"
                  "sums empty arrive: 2 deadlock\n"
                  "sums empty init: 2 transaction\n"
                  "sums empty wait: 2 race\n"
                  "sums full commit: 2 deadlock\n"
                  "sums full init: 2 transaction\n"
                  "sums full wait: 2 race\n"
                  "tensor fence after: 6 proxy fence missing\n"
                  "tensor fence before: 2 proxy fence missing\n"
                  "wait_sources: 1 asynchronous operation unfinished 2 race\n"
                  "wait_tensor_loads: 2 race\n"
                  "with scales arrive: 4 deadlock\n"
                  "with scales init: 2 transaction\n"
                  "with scales wait: 4 race\n");
}
