// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warp_specialized.hpp"

#include <tests/unit/sim/all_threads.hpp>

/// The product in tensor memory by pairs of blocks: sizes at which rings, tiles and accumulators end, what it moves, and what keeps it right,
/// by pairs and by single blocks.
namespace {

using namespace axe;
using warp_specialized::Values;

examples::Performance performed_by_pairs(const Values& values)
{
    return warp_specialized::performed("gemm_sm100", "sm100", values);
}

Values sizes_of_pairs(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile_n, std::int64_t stages, std::int64_t walk)
{
    return warp_specialized::tile_values(m, n, k, tile_n, stages, walk, "2");
}

std::map<std::string, int> count_of_texts(const sim::Counters& total)
{
    std::map<std::string, int> out;
    for (const auto& [text, count] : total.by_text) out[text] = static_cast<int>(count);
    return out;
}

} // namespace

TEST_CASE("gemm_sm100 by pairs: sizes at which rings and tiles end")
{
    struct Row {
        const char* what;
        Values values;
    };
    for (const Row& r :
         {Row{"one tile, K of one step", sizes_of_pairs(256, 64, 64, 64, 3, 1)},
          {"K of all stages", sizes_of_pairs(256, 32, 192, 32, 3, 1)},
          {"one step more", sizes_of_pairs(256, 32, 256, 32, 3, 1)},
          {"3 tiles of a block", sizes_of_pairs(768, 32, 192, 32, 4, 3)},
          {"3 tiles of a block, of which the last pair has one block's rows", sizes_of_pairs(1100, 48, 136, 48, 2, 3)},
          {"M and N one over", sizes_of_pairs(257, 65, 64, 64, 3, 1)},
          {"N one over for a tensor map", sizes_of_pairs(256, 72, 64, 64, 3, 1)},
          {"K 72", sizes_of_pairs(256, 64, 72, 64, 3, 2)},
          {"N 8, half of the tile", sizes_of_pairs(256, 8, 128, 16, 3, 1)},
          {"the widest tile, in four parts, of which two are outside", sizes_of_pairs(256, 128, 64, 256, 2, 1)},
          {"the accumulators come round, in parts", sizes_of_pairs(1024, 192, 64, 192, 1, 4)},
          {"the second block has no rows", sizes_of_pairs(5, 8, 8, 64, 4, 2)}}) {
        INFO(r.what);
        const auto p = warp_specialized::check_right("gemm_sm100", "sm100", r.values);
        const auto texts = count_of_texts(p.report.total);
        CHECK(texts.count("tcgen05.mma.cta_group::2.kind::f16") == 1);
        CHECK(texts.count("tcgen05.mma.cta_group::1.kind::f16") == 0);
    }
}

TEST_CASE("gemm_sm100: pairs are taken where there are rows for two blocks, and parts of B for both")
{
    const auto blocks_that_multiply = [](const Values& values) {
        const auto p = performed_by_pairs(values);
        REQUIRE(p.ok());
        const auto texts = count_of_texts(p.report.total);
        CHECK(texts.count("tcgen05.mma.cta_group::1.kind::f16") + texts.count("tcgen05.mma.cta_group::2.kind::f16") == 1);
        return texts.count("tcgen05.mma.cta_group::2.kind::f16") == 1 ? 2 : 1;
    };
    const auto with = [](const char* m, const char* tile_n) {
        return Values{{"M", m}, {"N", "16"}, {"K", "64"}, {"tile_n", tile_n}};
    };
    CHECK(blocks_that_multiply(with("128", "16")) == 1);
    CHECK(blocks_that_multiply(with("129", "16")) == 2);
    CHECK(blocks_that_multiply(with("129", "24")) == 1);
    CHECK(warp_specialized::refused("gemm_sm100", "sm100", {{"tile_n", "24"}, {"ctas", "2"}}) ==
          "gemm_sm100: tile_n is 24, not a multiple of 16");
}

TEST_CASE("gemm_sm100 by pairs: no order changes a bit, no level either")
{
    const Values values{{"M", "600"}, {"N", "48"}, {"K", "136"}, {"tile_n", "48"}, {"walk", "2"}, {"ctas", "2"}};
    warp_specialized::check_orders(performed_by_pairs(values), "D");
}

namespace {

/// Of single blocks, and of pairs.
constexpr warp_specialized::Missed<2> gemm_sm100_missed[] = {
    {"barrier", {"12 race 1 transaction", "12 race"}},
    {"cluster arrive", {nullptr, "2 barrier divergence"}},
    {"cluster wait", {nullptr, "1 lifetime 1 transaction"}},
    {"commit", {"6 race", "6 race"}},
    {"empty init", {"2 transaction", "2 transaction"}},
    {"empty wait", {"4 transaction", "3 race 1 transaction"}},
    {"full expect", {"4 deadlock", "4 deadlock"}},
    {"full init", {"2 transaction", "2 transaction"}},
    {"full wait", {"3 race 1 transaction", "3 race 1 transaction"}},
    {"guard of A", {"1 none 3 out of bounds", "1 none 3 out of bounds"}},
    {"guard of B", {"4 out of bounds", "4 out of bounds"}},
    {"guard of D", {"2 none 4 out of bounds", "2 none 4 out of bounds"}},
    {"phase flip of empty wait", {"2 deadlock 2 transaction", "2 deadlock 1 race 1 transaction"}},
    {"phase flip of full wait", {"2 deadlock 2 transaction", "2 deadlock 2 transaction"}},
    {"phase flip of sums empty wait", {"2 race", "2 race"}},
    {"phase flip of sums full wait", {"2 deadlock", "2 deadlock"}},
    {"proxy fence", {"6 proxy fence missing", "6 proxy fence missing"}},
    {"sums empty arrive", {"2 deadlock", "2 deadlock"}},
    {"sums empty init", {"2 transaction", "2 transaction"}},
    {"sums empty wait", {"2 race", "2 race"}},
    {"sums full commit", {"2 deadlock", "2 deadlock"}},
    {"sums full init", {"2 transaction", "2 transaction"}},
    {"sums full wait", {"2 race", "2 race"}},
    {"tensor fence after", {"4 proxy fence missing", "4 proxy fence missing"}},
    {"tensor fence before", {"2 proxy fence missing", "2 proxy fence missing"}},
    {"wait_sources", {"1 asynchronous operation unfinished 6 race", "1 asynchronous operation unfinished 6 race"}},
    {"wait_tensor_loads", {"4 none 2 race", "4 none 2 race"}},
};

} // namespace

TEST_CASE("gemm_sm100: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // 4 steps through 2 stages, 5 tiles of a block or a pair through 2 accumulators, three parts of each: all come round.
    const Values forms[] = {warp_specialized::tile_values(600, 40, 248, 48, 2, 5), sizes_of_pairs(1200, 40, 248, 48, 2, 5)};
    const auto names = warp_specialized::rings({{2, "full"}, {2, "empty"}, {2, "sums full"}, {2, "sums empty"}});
    // A load's registers come after it; that its place may be written again, the wait after the last part of a tile says for all parts.
    // The statements of the second accumulator have tiles with all their rows, for which guards need not be.
    for (int form = 0; form < 2; ++form)
        CHECK(warp_specialized::without_each(performed_by_pairs(forms[form]), names,
                                             {"wait_tensor_loads", "guard of A", "guard of D"}) ==
              warp_specialized::missed_by(gemm_sm100_missed, form));
}

TEST_CASE("gemm_sm100 by pairs: clusters are shared between threads of the host, and nothing shows it")
{
    for (const Values& values : {sizes_of_pairs(600, 72, 136, 16, 2, 1), sizes_of_pairs(1100, 40, 72, 48, 2, 2)}) {
        const auto p = performed_by_pairs(values);
        REQUIRE(p.ok());
        const sim::Fault fault = all_threads::same_for_all_threads(p.lowered.program, p.inputs, {}, {2, 4});
        CHECK_FALSE(fault.found());
    }
}

TEST_CASE("gemm_sm100 by pairs: what it moves, by closed formulas")
{
    struct Size {
        std::int64_t m, n, k, tile_n, stages, walk;
    };
    for (const Size& z :
         {Size{600, 136, 328, 64, 3, 3}, {512, 128, 256, 64, 3, 2}, {257, 72, 72, 48, 2, 1}, {1024, 256, 128, 256, 2, 4}}) {
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles of " << z.tile_n << " columns");
        const auto p = performed_by_pairs(sizes_of_pairs(z.m, z.n, z.k, z.tile_n, z.stages, z.walk));
        REQUIRE(p.ok());
        const std::int64_t pairs = (z.m + 255) / 256, cols = (z.n + z.tile_n - 1) / z.tile_n, steps = (z.k + 63) / 64;
        std::int64_t part = 64;
        while (z.tile_n % part != 0) part /= 2;
        const std::int64_t tiles = pairs * cols, products = tiles * steps * 4;
        const sim::Counters& total = p.report.total;
        // Each block brings its rows of A and its half of B.
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2") ==
              2 * 2 * tiles * steps);
        CHECK(total.by_text.at("tcgen05.mma.cta_group::2.kind::f16") == products);
        CHECK(total.flops == products * 2 * 256 * z.tile_n * 16);
        const std::string loads = "tcgen05.ld.sync.aligned.32x32b.x" + std::to_string(part) + ".b32";
        CHECK(total.by_text.at(loads) == 2 * 4 * tiles * (z.tile_n / part));
        CHECK(total.memories.at("tmem").bytes_read == tiles * 256 * z.tile_n * 4);
        const sim::MemoryCount &global = total.memories.at("gmem"), &shared = total.memories.at("smem");
        CHECK(global.bytes_read == 2 * z.k * (z.m * cols + z.n * pairs));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        const std::int64_t of_out = tiles * 256 * z.tile_n * 2;
        CHECK(shared.bytes_written == tiles * steps * (256 + z.tile_n) * 64 * 2 + of_out);
        CHECK(shared.bytes_read == products * (256 + z.tile_n) * 16 * 2 + of_out);
    }
}
