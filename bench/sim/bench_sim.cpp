// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast the simulator is: `items_per_second` counts multiply-adds (gemm) or elements (copy). Each case is run once and compared with
// plain loops before it is timed. `of_tensors` is the most memory that a run takes, tensors included, as a multiple of them, and
// `bytes_per_element` what it takes above them, for each of their elements.

#include "memory.hpp"
#include "peers.hpp"
#include "programs.hpp"

#include <cstdio>

namespace {

using namespace bench;

void refuse(const std::string& what)
{
    std::fprintf(stderr, "bench_sim: %s\n", what.c_str());
    std::exit(1);
}

sim::Report run_once(const Program& lowered, const Bindings& in, const sim::RunOptions& options, Bindings reuse = {})
{
    auto report = sim::run(lowered, in, options, std::move(reuse));
    if (!report) refuse(report.error().text);
    if (report->fault.found()) refuse(report->fault.text);
    return std::move(*report);
}

/// Row i of the product, by the plain loop: exact, as all sums are small integers.
void check_gemm(const Bindings& in, const sim::Report& report, std::int64_t rows)
{
    const Array &a = *in.find("A"), &b = *in.find("B"), &c = *report.outputs.find("C");
    const std::int64_t k = a.shape()[1], n = b.shape()[1];
    for (std::int64_t i = 0; i < rows; i += rows / 3)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += a.at(i * k + l) * b.at(l * n + j);
            if (sum != c.at(i * n + j)) refuse("C(" + std::to_string(i) + "," + std::to_string(j) + ") is wrong");
        }
}

void check_copy(const Bindings& in, const sim::Report& report)
{
    const Array &a = *in.find("A"), &c = *report.outputs.find("C");
    if (std::memcmp(a.data(), c.data(), static_cast<std::size_t>(a.size_bytes())) != 0) refuse("the copy differs");
}

void time(benchmark::State& state, const Program& program, sim::Level level, std::int64_t items, int threads, bool is_copy)
{
    const auto lowered = lower(program);
    if (!lowered) refuse(lowered.error().text);
    const Bindings in = inputs(program);
    sim::RunOptions options;
    options.level = level;
    options.counters = level == sim::Level::full;
    options.threads = threads;
    sim::Report report = run_once(lowered->program, in, options);
    is_copy ? check_copy(in, report) : check_gemm(in, report, in.find("A")->shape()[0]);
    std::int64_t bytes = 0, elements = 0;
    for (const ProgramTensor& t : program.tensors)
        if (const Array* a = t.binding == Binding::input ? in.find(t.name) : report.outputs.find(t.name)) {
            bytes += a->size_bytes();
            elements += a->size();
        }
    const PeakMemory peak;
    report = run_once(lowered->program, in, options, std::move(report.outputs));
    if (const auto more = peak.more()) {
        state.counters["of_tensors"] = static_cast<double>(bytes + *more) / static_cast<double>(bytes);
        state.counters["bytes_per_element"] = static_cast<double>(*more) / static_cast<double>(elements);
    }
    for (auto _ : state) {
        report = run_once(lowered->program, in, options, std::move(report.outputs));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * items);
}

void gemm_case(benchmark::State& state, const GemmSize& size, sim::Level level, int threads = 1)
{
    time(state, gemm(size), level, size.m * size.n * size.k, threads, false);
}
void warpgroups_case(benchmark::State& state, std::int64_t n, sim::Level level)
{
    time(state, gemm_warpgroups(n), level, n * n * n, 1, false);
}
void tensors_case(benchmark::State& state, std::int64_t n, sim::Level level)
{
    time(state, gemm_tensors(n), level, n * n * n, 1, false);
}
void copy_case(benchmark::State& state, std::int64_t n, bool async, sim::Level level, int threads = 1)
{
    time(state, copy(n, async), level, n, threads, true);
}
/// What bounds it: the same bytes by memcpy, in blocks through a buffer.
void memcpy_case(benchmark::State& state, std::int64_t n)
{
    constexpr std::size_t block = 8192;
    const auto bytes = static_cast<std::size_t>(n) * 2;
    std::vector<std::byte> from(bytes, std::byte{1}), to(bytes, std::byte{2}), between(block);
    for (auto _ : state) {
        for (std::size_t at = 0; at < bytes; at += block) {
            std::memcpy(between.data(), from.data() + at, block);
            benchmark::DoNotOptimize(between.data());
            benchmark::ClobberMemory();
            std::memcpy(to.data() + at, between.data(), block);
        }
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * n);
}
void devices_case(benchmark::State& state, std::int64_t n, int threads, sim::Level level)
{
    time(state, devices(n), level, 4 * n * n * n, threads, false);
}

} // namespace

int main(int argc, char** argv)
{
    struct Level {
        const char* name;
        sim::Level level;
    };
    for (const Level& level : {Level{"fast", sim::Level::fast}, Level{"checked", sim::Level::full}}) {
        const auto add = [&](const std::string& name, auto function) {
            return benchmark::RegisterBenchmark((name + "/" + level.name).c_str(), function)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
        };
        const sim::Level l = level.level;
        add("gemm", [=](benchmark::State& s) { gemm_case(s, {1024, 1024, 1024}, l); });
        add("gemm_eight_warps", [=](benchmark::State& s) { gemm_case(s, {1024, 1024, 1024, 8}, l); });
        add("gemm_tails", [=](benchmark::State& s) { gemm_case(s, {1000, 1003, 1021}, l); });
        add("gemm_cp_async", [=](benchmark::State& s) { gemm_case(s, {1024, 1024, 1024, 4, true}, l); });
        add("gemm_warpgroups", [=](benchmark::State& s) { warpgroups_case(s, 1024, l); });
        add("gemm_tensors", [=](benchmark::State& s) { tensors_case(s, 1024, l); });
        add("copy", [=](benchmark::State& s) { copy_case(s, std::int64_t{16} << 20, false, l); });
        add("copy_tails", [=](benchmark::State& s) { copy_case(s, (std::int64_t{16} << 20) - 8, false, l); });
        add("copy_cp_async", [=](benchmark::State& s) { copy_case(s, std::int64_t{16} << 20, true, l); });
        add("gemm/2_threads", [=](benchmark::State& s) { gemm_case(s, {1024, 1024, 1024}, l, 2); });
        add("gemm_tails/2_threads", [=](benchmark::State& s) { gemm_case(s, {1000, 1003, 1021}, l, 2); });
        add("copy/2_threads", [=](benchmark::State& s) { copy_case(s, std::int64_t{16} << 20, false, l, 2); });
        for (const int threads : {1, 2})
            for (const std::int64_t n : {512, 1024})
                add("devices_" + std::to_string(n) + "/" + std::to_string(threads),
                    [=](benchmark::State& s) { devices_case(s, n, threads, l); });
    }
    benchmark::RegisterBenchmark("copy/memcpy", [](benchmark::State& s) { memcpy_case(s, std::int64_t{16} << 20); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
#if defined(AXE_BENCH_OPENCL)
    benchmark::RegisterBenchmark("gemm/opencl", [](benchmark::State& s) { opencl_gemm(s, 1024); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
