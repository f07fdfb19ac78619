// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warp_specialized.hpp"
#include <tests/required.hpp>

/// The warp-specialized product: sizes at which rings and tiles end, what keeps it right, and what it moves.
namespace {

using namespace axe;
using warp_specialized::Values;
using Int = std::int64_t;

examples::Performance performed(const Values& values) { return warp_specialized::performed("gemm_sm90", "sm90", values); }

} // namespace

TEST_CASE("gemm_sm90: sizes at which rings and tiles end")
{
    struct Row {
        const char* what;
        Values values;
    };
    const auto row = [](const char* what, int m, int n, int k, int tile_m, int tile_n, int stages, int walk) {
        return Row{what,
                   {{"M", std::to_string(m)},
                    {"N", std::to_string(n)},
                    {"K", std::to_string(k)},
                    {"tile_m", std::to_string(tile_m)},
                    {"tile_n", std::to_string(tile_n)},
                    {"stages", std::to_string(stages)},
                    {"walk", std::to_string(walk)}}};
    };
    for (const Row& r :
         {row("one tile, K of one step", 128, 64, 64, 128, 64, 3, 1), row("K of all stages", 64, 32, 192, 64, 32, 3, 1),
          row("one step more", 64, 32, 256, 64, 32, 3, 1), row("3 tiles of a block", 192, 32, 192, 64, 32, 4, 3),
          row("3 tiles of a block, of which the last has fewer", 300, 48, 136, 64, 48, 2, 3),
          row("M and N one over", 129, 65, 64, 128, 64, 3, 1), row("N one over for a tensor map", 64, 72, 64, 64, 64, 3, 1),
          row("K 72", 64, 64, 72, 64, 64, 3, 2), row("N 8", 128, 8, 128, 128, 8, 3, 1), row("256 rows", 256, 16, 64, 256, 16, 2, 1),
          row("the widest tile", 64, 256, 64, 64, 256, 3, 1), row("less than a tile", 5, 8, 8, 64, 64, 4, 2)}) {
        INFO(r.what);
        const auto p = performed(r.values);
        INFO(p.report.fault.text << p.verification.text());
        CHECK(p.ok());
        CHECK(std::string(p.verification.word()) == "right");
        int products = 0, bulk = 0;
        for (const Choice& c : p.lowered.choices) {
            products += c.schedule == "wgmma" ? 1 : 0;
            bulk += c.schedule == "bulk_copy" ? 1 : 0;
            CHECK(c.schedule != "mma_sync");
            CHECK(c.schedule != "fma");
        }
        CHECK(products > 0);
        CHECK(bulk >= 2 * products);
    }
}

TEST_CASE("gemm_sm90: what it does not take")
{
    const auto refused = [](const Values& values) { return warp_specialized::refused("gemm_sm90", "sm90", values); };
    CHECK(refused({{"K", "12"}}) == "gemm_sm90: K is 12, not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    CHECK(refused({{"tile_n", "20"}}) == "gemm_sm90: tile_n is 20, not a multiple of 8");
}

TEST_CASE("gemm_sm90: no order changes a bit, no level either")
{
    warp_specialized::check_orders(performed({{"M", "70"}, {"N", "40"}}), "D");
}

TEST_CASE("gemm_sm90: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // 6 steps through 3 stages, two tiles a block: all stages come round, within a tile and between tiles.
    const std::string text = warp_specialized::without_each(performed({}), [](int id) { return id < 3 ? "full" : "empty"; });
    // A phase that a wait takes too early shows at the next arrival, which no wait before has seen the phase for: `transaction`.
    CHECK(text == "barrier: 2 race 1 transaction\n"
                  "commit: 1 race\n"
                  "empty arrive: 3 deadlock\n"
                  "empty init: 3 transaction\n"
                  "empty wait: 3 transaction\n"
                  "full expect: 3 deadlock\n"
                  "full init: 3 transaction\n"
                  "full wait: 3 race\n"
                  "guard of A: 3 out of bounds\n"
                  "guard of B: 3 out of bounds\n"
                  "guard of D: 1 out of bounds\n"
                  "phase flip of empty wait: 3 transaction\n"
                  "phase flip of full wait: 3 deadlock\n"
                  "proxy fence: 1 proxy fence missing\n"
                  "wait_products: 3 race\n"
                  "wait_sources: 1 asynchronous operation unfinished 1 race\n");
}

TEST_CASE("gemm_sm90: products without their fence of registers, or in no group")
{
    const auto whole = performed({});
    REQUIRE(whole.ok());
    std::string text;
    for (const std::size_t parameter : {std::size_t{1}, std::size_t{2}})
        for (int number = 0;; ++number) {
            Program less = whole.lowered.program;
            int left = number, statement = -1;
            for_each_statement(less.body, [&](Statement& s) {
                auto* i = std::get_if<Instruction>(&s.what);
                if (i == nullptr || i->opcode != "wgmma" || i->parameters[parameter] == 0 || left-- != 0) return;
                i->parameters[parameter] = 0;
                statement = s.id;
            });
            if (statement < 0) break;
            const auto report = required(sim::run(less, whole.inputs));
            INFO(report->fault.text);
            text += std::string(parameter == 1 ? "fence" : "commit") + ": " + sim::name(report->fault.kind) + "\n";
            if (report->fault.found()) CHECK((report->fault.statement == statement || report->fault.other_statement == statement));
        }
    // The first product of a tile comes after `fill` has written the accumulators. The other stages' follow products of the same shape into
    // the same accumulators, between which PTX asks for no fence.
    CHECK(text == "fence: race\nfence: none\nfence: none\ncommit: race\ncommit: race\ncommit: race\n");
}

TEST_CASE("gemm_sm90: what it moves, by closed formulas")
{
    struct Size {
        Int m, n, k, tile_m, tile_n, stages, walk;
    };
    for (const Size& z : {Size{200, 136, 328, 64, 64, 3, 2},
                          {128, 128, 256, 64, 64, 3, 2},
                          {300, 72, 72, 128, 48, 2, 3},
                          {256, 64, 128, 256, 64, 2, 1}}) {
        const auto text = [](Int x) { return std::to_string(x); };
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles " << z.tile_m << " x " << z.tile_n);
        const auto p = performed({{"M", text(z.m)},
                                  {"N", text(z.n)},
                                  {"K", text(z.k)},
                                  {"tile_m", text(z.tile_m)},
                                  {"tile_n", text(z.tile_n)},
                                  {"stages", text(z.stages)},
                                  {"walk", text(z.walk)}});
        REQUIRE(p.ok());
        const Int rows = (z.m + z.tile_m - 1) / z.tile_m, cols = (z.n + z.tile_n - 1) / z.tile_n, steps = (z.k + 63) / 64;
        const Int tiles = rows * cols, products = tiles * steps * (z.tile_m / 64) * 4;
        const sim::Counters& total = p.report.total;
        // Boxes: A's and B's of each step, D's of each tile.
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes") == 2 * tiles * steps);
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group") == tiles);
        CHECK(total.by_text.at("wgmma.mma_async.m64n" + text(z.tile_n)) == products);
        CHECK(total.flops == products * 2 * 64 * z.tile_n * 16);
        // Of global memory, what is inside; to shared memory, whole boxes.
        const sim::MemoryCount &global = total.memories.at("gmem"), &shared = total.memories.at("smem");
        CHECK(global.bytes_read == 2 * z.k * (z.m * cols + z.n * rows));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        const Int of_out = tiles * z.tile_m * z.tile_n * 2;
        CHECK(shared.bytes_written == tiles * steps * (z.tile_m + z.tile_n) * 64 * 2 + of_out);
        // Each product reads 64 rows of A and all of B.
        CHECK(shared.bytes_read == products * (64 + z.tile_n) * 16 * 2 + of_out);
        if (z.k % 64 == 0 && z.n % 64 == 0 && z.m % 64 == 0)
            CHECK(global.sectors == (global.bytes_read + global.bytes_written) / 32);
        if (z.tile_n % 64 == 0) CHECK(shared.wavefronts == shared.ideal_wavefronts);
    }
}
