// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/removed_pieces.hpp>

/// The product of 8-bit floats on Hopper and Blackwell: sizes at which rings and tiles end, what keeps it right, and what it moves.
using namespace axe;

namespace {

removed_pieces::Values fp8_values(std::int64_t m, std::int64_t n, std::int64_t k, int tile_m, int tile_n, int stages, int walk,
                                  const char* alpha = "1")
{
    return {{"M", std::to_string(m)},           {"N", std::to_string(n)},
            {"K", std::to_string(k)},           {"tile_m", std::to_string(tile_m)},
            {"tile_n", std::to_string(tile_n)}, {"stages", std::to_string(stages)},
            {"walk", std::to_string(walk)},     {"alpha", alpha}};
}

} // namespace

TEST_CASE("fp8_gemm: sizes at which rings and tiles end, on both machines")
{
    for (const char* machine : {"sm90", "sm100"})
        for (const auto& values : {fp8_values(128, 64, 128, 128, 64, 3, 1), fp8_values(128, 32, 384, 128, 32, 3, 1),
                                   fp8_values(128, 32, 512, 128, 32, 3, 1), fp8_values(384, 32, 384, 128, 32, 4, 3),
                                   fp8_values(640, 48, 272, 128, 48, 2, 3), fp8_values(129, 65, 128, 128, 64, 3, 1),
                                   fp8_values(128, 72, 144, 128, 64, 3, 2, "-2"), fp8_values(33, 8, 640, 128, 8, 3, 1, "0.3"),
                                   fp8_values(1, 256, 16, 128, 256, 2, 1, "0.0078125"), fp8_values(5, 136, 48, 128, 136, 4, 2)}) {
            INFO(machine << ", M = " << values[0].second << ", N = " << values[1].second << ", K = " << values[2].second);
            const auto p = removed_pieces::performed("fp8_gemm", machine, values);
            INFO(p.report.fault.text << p.verification.text());
            CHECK(p.ok());
            int products = 0;
            for (const Choice& c : p.lowered.choices) {
                products += c.schedule == (std::string(machine) == "sm90" ? "wgmma" : "tcgen05") ? 1 : 0;
                CHECK(c.schedule != "mma_sync");
                CHECK(c.schedule != "fma");
            }
            CHECK(products > 0);
        }
    CHECK(removed_pieces::performed("fp8_gemm", "sm90", fp8_values(65, 64, 144, 64, 64, 2, 2)).ok());
}

TEST_CASE("fp8_gemm: a sum that bf16 does not hold is rounded once, after alpha")
{
    // Row 0: 448·448·3, as large as products become; the others random. Bits: one rounding of the exact number.
    const auto setting =
        examples::setting(*examples::find("fp8_gemm"), "sm90", 1, fp8_values(64, 8, 16, 64, 8, 2, 1, "-2")).value();
    const Program program = examples::fp8_gemm.build(setting).value();
    Bindings in;
    Array a = Array::make({64, 16}, DType::e4m3).value(), b = Array::make({8, 16}, DType::e4m3).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, i < 3 ? 448 : i < 16 ? 0 : static_cast<double>(i * 7 % 31 - 15) / 8);
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, i % 16 < 3 ? 448 : static_cast<double>(i * 5 % 29 - 14) / 8);
    std::vector<double> expected;
    for (std::int64_t m = 0; m < 64; ++m)
        for (std::int64_t n = 0; n < 8; ++n) {
            double sum = 0;
            for (std::int64_t k = 0; k < 16; ++k) sum += a.at(m * 16 + k) * b.at(n * 16 + k);
            expected.push_back(decode(DType::bf16, encode(DType::bf16, -2 * sum)));
        }
    in.set("A", std::move(a));
    in.set("B", std::move(b));
    const auto report = sim::run(lower(program).value().program, in).value();
    REQUIRE(report.ok());
    for (std::int64_t i = 0; i < 64 * 8; ++i) CHECK(report.outputs.find("D")->at(i) == expected[static_cast<std::size_t>(i)]);
}

TEST_CASE("fp8_gemm: what it does not take")
{
    using removed_pieces::not_taken;
    CHECK(not_taken("fp8_gemm", "sm90", {{"K", "24"}}) ==
          "fp8_gemm: K is 24, not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    CHECK(not_taken("fp8_gemm", "sm90", {{"tile_n", "20"}}) == "fp8_gemm: tile_n is 20, not a multiple of 8");
    CHECK(not_taken("fp8_gemm", "sm100", {{"tile_m", "64"}}) ==
          "fp8_gemm: tile_m is 64; in tensor memory a tile has 128 rows, which four warps take by all of their lanes");
    CHECK(not_taken("fp8_gemm", "sm80", {}) == "fp8_gemm runs on sm90 or sm100, not on sm80");
}

TEST_CASE("fp8_gemm: no order changes a bit, no level either")
{
    for (const char* machine : {"sm90", "sm100"}) {
        const auto whole = removed_pieces::performed("fp8_gemm", machine, fp8_values(130, 8, 272, 128, 8, 2, 2, "0.3"));
        REQUIRE(whole.ok());
        performed_examples::check_orders(whole, "D");
    }
}

TEST_CASE("fp8_gemm: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // Stages come round within a tile and between tiles; the third tile of a block uses the first accumulator again.
    const auto values = fp8_values(400, 8, 400, 128, 16, 2, 4);
    CHECK(removed_pieces::without_each(removed_pieces::performed("fp8_gemm", "sm90", values)) ==
          "barrier: 2 race 1 transaction\n"
          "commit: 1 race\n"
          "guard of A: 2 out of bounds\n"
          "guard of B: 2 out of bounds\n"
          "guard of D: 1 out of bounds\n"
          "mbarrier arrive: 2 deadlock\n"
          "mbarrier expect: 2 deadlock\n"
          "mbarrier init: 4 transaction\n"
          "mbarrier wait: 2 race 2 transaction\n"
          "phase flip of mbarrier wait: 2 deadlock 2 transaction\n"
          "proxy fence: 1 proxy fence missing\n"
          "wait_products: 2 race\n"
          "wait_sources: 1 asynchronous operation unfinished 1 race\n");
    CHECK(removed_pieces::without_each(removed_pieces::performed("fp8_gemm", "sm100", values)) ==
          "barrier: 4 race 1 transaction\n"
          "commit: 2 race\n"
          "guard of A: 3 out of bounds\n"
          "guard of B: 4 out of bounds\n"
          "guard of D: 2 out of bounds\n"
          "mbarrier arrive: 2 deadlock\n"
          "mbarrier commit: 2 deadlock\n"
          "mbarrier expect: 4 deadlock\n"
          "mbarrier init: 8 transaction\n"
          "mbarrier wait: 7 race 5 transaction\n"
          "phase flip of mbarrier wait: 8 deadlock 4 transaction\n"
          "proxy fence: 2 proxy fence missing\n"
          "tensor_fence_after: 4 proxy fence missing\n"
          "tensor_fence_before: 2 proxy fence missing\n"
          "wait_sources: 1 asynchronous operation unfinished 2 race\n"
          "wait_tensor_loads: 2 race\n");
}

TEST_CASE("fp8_gemm: what it moves, by closed formulas")
{
    struct Size {
        std::int64_t m, n, k, tile_n, walk;
    };
    for (const char* machine : {"sm90", "sm100"})
        for (const Size& z : {Size{300, 40, 272, 16, 3}, {128, 64, 256, 32, 1}, {256, 64, 640, 64, 2}}) {
            const bool tensors = std::string(machine) == "sm100";
            INFO(machine << " " << z.m << " x " << z.n << " x " << z.k);
            const auto p = removed_pieces::performed(
                "fp8_gemm", machine, fp8_values(z.m, z.n, z.k, 128, static_cast<int>(z.tile_n), 3, static_cast<int>(z.walk)));
            REQUIRE(p.ok());
            const std::int64_t rows = (z.m + 127) / 128, cols = (z.n + z.tile_n - 1) / z.tile_n, steps = (z.k + 127) / 128;
            const std::int64_t tiles = rows * cols, of_out = tiles * 128 * z.tile_n * 2;
            const sim::Counters& total = p.report.total;
            CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes") == 2 * tiles * steps);
            CHECK(total.by_text.at("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group") == tiles);
            const std::int64_t products = tiles * steps * (tensors ? 4 : 8); // of 32 k; Hopper's have 64 rows
            CHECK(total.by_text.at(tensors ? "tcgen05.mma.cta_group::1.kind::f8f6f4"
                                           : "wgmma.mma_async.m64n" + std::to_string(z.tile_n)) == products);
            CHECK(total.flops == 2 * tiles * 128 * z.tile_n * steps * 128);
            const sim::MemoryCount &global = total.memories.at("gmem"), &shared = total.memories.at("smem");
            CHECK(global.bytes_read == z.k * (z.m * cols + z.n * rows));
            CHECK(global.bytes_written == 2 * z.m * z.n);
            CHECK(shared.bytes_written == tiles * steps * (128 + z.tile_n) * 128 + of_out);
            CHECK(shared.bytes_read == products * ((tensors ? 128 : 64) + z.tile_n) * 32 + of_out);
            if (tensors) CHECK(total.memories.at("tmem").bytes_read == tiles * 128 * z.tile_n * 4);
        }
}
