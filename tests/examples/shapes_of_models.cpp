// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/performed.hpp>

/// The warp-specialized products at the extents of a language model, fast. bench/examples/shapes.py runs whole batches.

TEST_CASE("gemm_sm90 and gemm_sm100: the second product of a feed-forward layer of Qwen3-8B, for 256 of its rows")
{
    using performed_examples::Values;
    axe::sim::RunOptions options;
    options.level = axe::sim::Level::fast;
    options.counters = false;
    options.threads = 2;
    for (const auto& [name, machine, tiles] :
         {std::tuple{"gemm_sm90", "sm90", Values{{"tile_m", "128"}}}, {"gemm_sm100", "sm100", Values{{"ctas", "2"}}}}) {
        Values values{{"M", "256"}, {"N", "4096"}, {"K", "12288"}, {"tile_n", "256"}, {"walk", "1"}};
        values.insert(values.end(), tiles.begin(), tiles.end());
        const examples::Example& example = *examples::find(name);
        const auto setting = examples::setting(example, machine, 1, values);
        REQUIRE(setting);
        const auto p = examples::perform(example, *setting, options, {.rows = 2});
        INFO((p ? p->report.fault.text + p->verification.text() : p.error().text));
        REQUIRE(p);
        CHECK(p->ok());
        CHECK(std::string(p->verification.word()) == "right");
        CHECK(p->verification.tensors.front().rows_checked == 2);
    }
}
