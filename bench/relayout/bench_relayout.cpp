// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast Axe copies from one layout to another, and how fast others do. Benchmarks are named `case/type/threads` for Axe and
// `case/type/threads/peer:name` for a peer, with Google Benchmark's `/manual_time` behind. `share_of_memcpy` is the bandwidth (bytes
// read and written a second) as a share of memcpy's on the same buffers with as many threads: each run stands between two of
// memcpy, is divided by their mean, and the median of these shares is what counts. Each contender's result is compared with the
// naive loop's before it is timed; one that differs is an error, `wrong`, and not timed. The peers memcpy and stream (memcpy's work
// by streaming stores) move nothing elsewhere: the first tells the noise, the second how far memcpy is from the memory's speed.
//
//   bench_relayout [--pairs=N] [--cases] and the options of Google Benchmark
//
// --pairs: runs of each contender, each with its memcpy (11; fewer of slow ones, but at least 3). --cases: the cases as JSON.
#include "axe.hpp"
#include "buffers.hpp"
#include "timing.hpp"

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <fstream>

namespace {

using namespace bench;

struct Peer {
    const char* name;
    Run (*prepare)(const Job&);
    std::string version{};
    bool moves = true; ///< elements to where they belong
};

void report(benchmark::State& state, const Job& job, const Run& run)
{
    const Timing t = alternate(run, prepare_memcpy(job));
    for (auto _ : state) state.SetIterationTime(t.seconds);
    const double bytes = 2 * static_cast<double>(job.bytes());
    state.counters["share_of_memcpy"] = t.share;
    state.counters["bytes_per_second"] = bytes / t.seconds;
    state.counters["memcpy_bytes_per_second"] = bytes / t.memcpy_seconds;
    state.counters["pairs"] = t.pairs;
}

void time_peer(benchmark::State& state, const Case& c, int threads, const Peer& peer)
{
    const Buffers& buffers = buffers_of(c);
    const Job job = buffers.job(threads);
    const Run run = peer.prepare(job);
    if (peer.moves && !buffers.is_right(run)) {
        state.SkipWithError("wrong: differs from the naive loop");
        return;
    }
    report(state, job, run);
}

#if AXE_BENCH_RELAYOUT
void time_axe(benchmark::State& state, const Case& c, int threads)
{
    const Buffers& buffers = buffers_of(c);
    const Job job = buffers.job(threads);
    const Sides sides(c);
    const Prepared axe = prepare_axe(sides, job);
    if (!axe.refused.empty()) {
        state.SkipWithError(("refused: " + axe.refused).c_str());
        return;
    }
    if (!buffers.is_right(axe.run)) {
        state.SkipWithError("wrong: differs from the naive loop");
        return;
    }
    report(state, job, axe.run);
    std::vector<double> plans;
    for (int i = 0; i < 21; ++i) plans.push_back(seconds_of([&] { benchmark::DoNotOptimize(sides.plan()); }, 1));
    state.counters["plan_seconds"] = median(plans);
    state.SetLabel(axe.words);
}
#endif

std::vector<Peer> peers([[maybe_unused]] std::string& missing)
{
    std::vector<Peer> all{{"memcpy", prepare_memcpy, "", false}, {"stream", prepare_stream, "", false}, {"naive", prepare_naive}};
#if defined(AXE_BENCH_ONEDNN)
    all.push_back({"onednn", prepare_onednn, onednn_version()});
#else
    missing += " onednn";
#endif
#if defined(AXE_BENCH_EIGEN)
    all.push_back({"eigen", prepare_eigen, eigen_version()});
#else
    missing += " eigen";
#endif
#if defined(AXE_BENCH_OPENBLAS)
    all.push_back({"openblas", prepare_openblas, openblas_version()});
#else
    missing += " openblas";
#endif
    return all;
}

void print_cases()
{
    const char* before = "[\n";
    for (const Case& c : cases) {
        std::printf(
            "%s  {\"name\": \"%s\", \"words\": \"%s\", \"type\": \"%s\", \"goal\": [%g, %g], \"goal_ns\": %g, \"best\": [%g, %g], "
            "\"best_name\": \"%s\"}",
            before, c.name, c.words, c.type, c.goal.one, c.goal.two, c.goal_ns, c.best.one, c.best.two, c.best_name);
        before = ",\n";
    }
    std::printf("\n]\n");
}

void register_all()
{
    std::string missing, present;
    const std::vector<Peer> all = peers(missing);
    for (const Case& c : cases)
        for (const int threads : {1, 2}) {
            if (threads > 1 && c.goal_ns > 0) continue; // too small to divide
            const std::string name = std::string(c.name) + '/' + c.type + '/' + std::to_string(threads);
            const auto add = [&](const std::string& full, auto function) {
                benchmark::RegisterBenchmark(full.c_str(), function)
                    ->UseManualTime()
                    ->Unit(c.goal_ns > 0 ? benchmark::kNanosecond : benchmark::kMillisecond);
            };
#if AXE_BENCH_RELAYOUT
            add(name, [&c, threads](benchmark::State& s) { time_axe(s, c, threads); });
#endif
            for (const Peer& p : all) {
                const std::vector<Loop> loops = loops_of(c);
                alignas(64) static std::byte nothing[64];
                if (!p.prepare({c.name, loops, c.element_bytes, threads, nothing, nothing})) continue;
                add(name + "/peer:" + p.name, [&c, threads, p](benchmark::State& s) { time_peer(s, c, threads, p); });
            }
        }
    for (const Peer& p : all)
        if (!p.version.empty()) present += (present.empty() ? "" : ", ") + std::string(p.name) + ' ' + p.version;
    benchmark::AddCustomContext("peers", present.empty() ? "none" : present);
    benchmark::AddCustomContext("peers_missing", missing.empty() ? "none" : missing.substr(1));
    benchmark::AddCustomContext("compiler", __VERSION__);
    std::string pages = "not known";
    if (std::ifstream in{"/sys/kernel/mm/transparent_hugepage/enabled"}) std::getline(in, pages);
    benchmark::AddCustomContext("transparent_hugepages", pages);
}

} // namespace

int main(int argc, char** argv)
{
    // Threads of OpenMP that spin after their work would be timed with the next contender; the run-time reads this as it is loaded.
    if (std::getenv("OMP_WAIT_POLICY") == nullptr) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv); // comes back only where there is no such file
    }
    char once[] = "--benchmark_min_time=0"; // the pairs are counted here, not by the library
    std::vector<char*> arguments{argv[0], once};
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        if (text == "--cases") {
            print_cases();
            return 0;
        }
        if (text.rfind("--pairs=", 0) == 0) {
            most_pairs = std::atoi(text.c_str() + 8);
            if (most_pairs < 1) refuse("--pairs needs a number from 1 on, not " + text.substr(8));
        } else {
            arguments.push_back(argv[i]);
        }
    }
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
