// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warp_specialized.hpp"
#include <tests/required.hpp>

/// The product in tensor memory by single blocks: sizes at which rings, tiles and accumulators end, and what it moves.
namespace {

using namespace axe;
using warp_specialized::Values;

examples::Performance performed_on_sm100(const Values& values)
{
    return warp_specialized::performed("gemm_sm100", "sm100", values);
}

Values sizes_on_sm100(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile_n, std::int64_t stages, std::int64_t walk)
{
    return warp_specialized::tile_values(m, n, k, tile_n, stages, walk);
}

} // namespace

TEST_CASE("gemm_sm100: sizes at which rings and tiles end")
{
    struct Row {
        const char* what;
        Values values;
    };
    for (const Row& r : {Row{"one tile, K of one step", sizes_on_sm100(128, 64, 64, 64, 3, 1)},
                         {"K of all stages", sizes_on_sm100(128, 32, 192, 32, 3, 1)},
                         {"one step more", sizes_on_sm100(128, 32, 256, 32, 3, 1)},
                         {"3 tiles of a block", sizes_on_sm100(384, 32, 192, 32, 4, 3)},
                         {"3 tiles of a block, of which the last has fewer", sizes_on_sm100(600, 48, 136, 48, 2, 3)},
                         {"M and N one over", sizes_on_sm100(129, 65, 64, 64, 3, 1)},
                         {"N one over for a tensor map", sizes_on_sm100(128, 72, 64, 64, 3, 1)},
                         {"K 72", sizes_on_sm100(128, 64, 72, 64, 3, 2)},
                         {"N 8", sizes_on_sm100(128, 8, 128, 8, 3, 1)},
                         {"the widest tile, in four parts, of which two are outside", sizes_on_sm100(128, 128, 64, 256, 2, 1)},
                         {"the accumulators come round, in parts", sizes_on_sm100(512, 192, 64, 192, 1, 4)},
                         {"less than a tile", sizes_on_sm100(5, 8, 8, 64, 4, 2)}}) {
        INFO(r.what);
        const auto p = warp_specialized::check_right("gemm_sm100", "sm100", r.values);
        auto chosen = warp_specialized::schedules_of(p);
        CHECK(chosen["tcgen05"] > 0);
        CHECK(chosen["tcgen05_ld_st"] > 0);
        CHECK(chosen["bulk_copy"] >= 2);
        CHECK(chosen["fma"] + chosen["mma_sync"] == 0);
    }
}

TEST_CASE("gemm_sm100: what it does not take")
{
    const auto refused = [](const Values& values) { return warp_specialized::refused("gemm_sm100", "sm100", values); };
    CHECK(refused({{"K", "12"}}) == "gemm_sm100: K is 12, not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    CHECK(refused({{"tile_n", "20"}}) == "gemm_sm100: tile_n is 20, not a multiple of 8");
}

TEST_CASE("gemm_sm100: no order changes a bit, no level either")
{
    const Values values{{"M", "300"}, {"N", "40"}, {"K", "136"}, {"tile_n", "40"}, {"ctas", "1"}};
    warp_specialized::check_orders(performed_on_sm100(values), "D");
}

TEST_CASE("gemm_sm100: products whose end is not told")
{
    const auto whole = performed_on_sm100(sizes_on_sm100(512, 16, 256, 16, 2, 4));
    REQUIRE(whole.ok());
    for (int number = 0;; ++number) {
        Program less = whole.lowered.program;
        int left = number, statement = -1;
        for_each_statement(less.body, [&](Statement& s) {
            auto* i = std::get_if<Instruction>(&s.what);
            if (i == nullptr || i->opcode != "tcgen05_mma" || i->completes_on < 0 || left-- != 0) return;
            i->completes_on = -1;
            statement = s.id;
        });
        if (statement < 0) {
            CHECK(number == 6); // of each accumulator: the first product, those of the first stage after it, those of the other one
            break;
        }
        const auto report = required(sim::run(less, whole.inputs));
        INFO("statement " << statement << ": " << report->fault.text);
        // The producer waits for a stage that stays full.
        CHECK(report->fault.kind == sim::FaultKind::deadlock);
    }
}

TEST_CASE("gemm_sm100: what it moves, by closed formulas")
{
    struct Size {
        std::int64_t m, n, k, tile_n, stages, walk;
    };
    for (const Size& z :
         {Size{300, 136, 328, 64, 3, 3}, {256, 128, 256, 64, 3, 2}, {129, 72, 72, 48, 2, 1}, {512, 256, 128, 256, 2, 4}}) {
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles of " << z.tile_n << " columns");
        const auto p = performed_on_sm100(sizes_on_sm100(z.m, z.n, z.k, z.tile_n, z.stages, z.walk));
        REQUIRE(p.ok());
        const std::int64_t rows = (z.m + 127) / 128, cols = (z.n + z.tile_n - 1) / z.tile_n, steps = (z.k + 63) / 64;
        std::int64_t part = 64;
        while (z.tile_n % part != 0) part /= 2;
        const std::int64_t tiles = rows * cols, products = tiles * steps * 4;
        const sim::Counters& total = p.report.total;
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes") == 2 * tiles * steps);
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group") == tiles * (z.tile_n / part));
        CHECK(total.by_text.at("tcgen05.mma.cta_group::1.kind::f16") == products);
        CHECK(total.flops == products * 2 * 128 * z.tile_n * 16);
        // Each of the four warps takes all columns of each tile from tensor memory.
        const std::string loads = "tcgen05.ld.sync.aligned.32x32b.x" + std::to_string(part) + ".b32";
        CHECK(total.by_text.at(loads) == 4 * tiles * (z.tile_n / part));
        CHECK(total.memories.at("tmem").bytes_read == tiles * 128 * z.tile_n * 4);
        const sim::MemoryCount &global = total.memories.at("gmem"), &shared = total.memories.at("smem");
        CHECK(global.bytes_read == 2 * z.k * (z.m * cols + z.n * rows));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        const std::int64_t of_out = tiles * 128 * z.tile_n * 2;
        CHECK(shared.bytes_written == tiles * steps * (128 + z.tile_n) * 64 * 2 + of_out);
        CHECK(shared.bytes_read == products * (128 + z.tile_n) * 16 * 2 + of_out);
    }
}
