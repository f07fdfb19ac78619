// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast the simulator runs the warp-specialized products among the examples: `items_per_second` counts multiply-adds of
// 1024 × 1024 × 1024. Each is run once and verified in some rows before it is timed. `bytes_per_element` is the most memory that a run
// takes above its tensors, for each of their elements.

#include "../sim/memory.hpp"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <perform.hpp>

namespace {

using namespace axe;
using Values = std::vector<std::pair<std::string, std::string>>;

void give_up(const std::string& what)
{
    std::fprintf(stderr, "bench_examples: %s\n", what.c_str());
    std::exit(1);
}

sim::Report run_once(const Program& lowered, const Bindings& in, const sim::RunOptions& options, Bindings reuse = {})
{
    auto report = sim::run(lowered, in, options, std::move(reuse));
    if (!report) give_up(report.error().text);
    if (report->fault.found()) give_up(report->fault.text);
    return std::move(*report);
}

void time_product(benchmark::State& state, const char* name, Values values, sim::Level level, int threads)
{
    for (const char* extent : {"M", "N", "K"}) values.emplace_back(extent, "1024");
    const examples::Example& example = *examples::find(name);
    const auto setting = examples::setting(example, "", 0, values);
    if (!setting) give_up(setting.error().text);
    const auto program = examples::written(example, *setting);
    if (!program) give_up(program.error().text);
    const auto in = example.inputs(*setting, *program);
    if (!in) give_up(in.error().text);
    const auto lowered = lower(*program);
    if (!lowered) give_up(lowered.error().text);
    sim::RunOptions options;
    options.level = level;
    options.counters = level == sim::Level::full;
    options.threads = threads;
    sim::Report report = run_once(lowered->program, *in, options);
    const auto verified = verify(*program, *in, report.outputs, {.rows = 4});
    if (!verified) give_up(verified.error().text);
    if (!verified->ok()) give_up(verified->text());
    const bench::PeakMemory peak;
    report = run_once(lowered->program, *in, options, std::move(report.outputs));
    if (const auto more = peak.more()) state.counters["bytes_per_element"] = static_cast<double>(*more) / (3 * 1024. * 1024);
    for (auto _ : state) {
        report = run_once(lowered->program, *in, options, std::move(report.outputs));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) << 30);
}

} // namespace

int main(int argc, char** argv)
{
    struct Case {
        const char *name, *example;
        Values values;
    };
    for (const Case& c : {Case{"gemm_sm90", "gemm_sm90", {{"tile_m", "128"}, {"tile_n", "128"}, {"walk", "1"}}},
                          {"gemm_sm100", "gemm_sm100", {{"tile_n", "256"}, {"walk", "1"}, {"ctas", "1"}}},
                          {"gemm_sm100_pairs", "gemm_sm100", {{"tile_n", "256"}, {"walk", "1"}, {"ctas", "2"}}}})
        for (const sim::Level level : {sim::Level::fast, sim::Level::full})
            for (const int threads : {1, 2}) {
                std::string name = c.name;
                if (threads > 1) name += "/" + std::to_string(threads) + "_threads";
                name += level == sim::Level::fast ? "/fast" : "/checked";
                benchmark::RegisterBenchmark(name.c_str(),
                                             [=](benchmark::State& s) { time_product(s, c.example, c.values, level, threads); })
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
            }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
