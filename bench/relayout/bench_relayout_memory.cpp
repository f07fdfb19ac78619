// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a copy depends on the machine: its share of memcpy's bandwidth by one thread, over reported caches (the second of 256 KiB to 2 MiB, the last of 8 to 512 MiB), pages
// of 4 kB and of 2 MB, AVX2 and AVX-512, all forced by options and by madvise. Reports that lead to the same plan are measured once.
// Each run stands between two of memcpy on the same buffers and is divided by their mean; the time is the thread's, so that what other
// programs do counts as little as it can. Each plan's result is compared with the naive loop's first. Prints a line of JSON for each figure.
//
//   bench_relayout_memory [--rounds=N] [--constants]
//
// --rounds: runs of each plan (15). --constants: instead, what each constant of <axe/relayout/memory_rule.hpp> brings.
#include "axe.hpp"
#include "buffers.hpp"
#include "timing.hpp"

#include <time.h>

#include <fstream>

namespace {

using namespace bench;
using axe::detail::InstructionSet;
using Streaming = axe::RelayoutOptions::Streaming;

int rounds = 15;
constexpr std::int64_t mib = std::int64_t{1} << 20;

double thread_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double thread_seconds_of(const Run& run)
{
    const double begin = thread_seconds();
    run();
    benchmark::ClobberMemory();
    return thread_seconds() - begin;
}

/// Of each run the median share, all in turn.
std::vector<double> shares_of(const std::vector<Run>& runs, const Run& reference)
{
    std::vector<std::vector<double>> shares(runs.size());
    double before = thread_seconds_of(reference);
    for (int n = 0; n < rounds; ++n)
        for (std::size_t k = 0; k < runs.size(); ++k) {
            const double own = thread_seconds_of(runs[k]), after = thread_seconds_of(reference);
            shares[k].push_back((before + after) / 2 / own);
            before = after;
        }
    std::vector<double> medians;
    medians.reserve(shares.size());
    for (const auto& s : shares) medians.push_back(median(s));
    return medians;
}

/// Bytes of this program that are in pages of 2 MB.
double huge_bytes()
{
    std::ifstream in("/proc/self/smaps_rollup");
    std::string word;
    while (in >> word)
        if (word == "AnonHugePages:") {
            double kib = 0;
            in >> kib;
            return 1024 * kib;
        }
    return 0;
}

struct Plan {
    InstructionSet set;
    axe::CacheSizes caches;
    int reports = 0; ///< that lead to it
    Run run{};
};

Run prepare(const Case& c, const Buffers& buffers, InstructionSet set, const axe::CacheSizes& caches, Streaming streaming)
{
    Sides sides(c);
    sides.options.instructions = set;
    sides.options.caches = caches;
    sides.options.streaming = streaming;
    const Prepared axe = prepare_axe(sides, buffers.job(1));
    if (!axe.refused.empty()) refuse(std::string(c.name) + ": " + axe.refused);
    if (!buffers.is_right(axe.run)) refuse(std::string(c.name) + ": differs from the naive loop");
    return axe.run;
}

/// The plans of a destination of so many bytes, each with the reports that lead to it.
std::vector<Plan> plans_of(std::int64_t bytes)
{
    std::vector<Plan> plans;
    for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512})
        for (const std::int64_t second : {mib / 4, mib / 2, mib, 2 * mib})
            for (const std::int64_t last : {8, 16, 32, 64, 128, 256, 512}) {
                if (!axe::detail::runs_here(set)) continue;
                axe::CacheSizes caches{second, last * mib};
                caches.followed = axe::detail::caches_here().followed;
                caches.burst = axe::detail::burst_here();
                const auto same = [&](const Plan& p) {
                    const auto a = axe::detail::memory_rule(bytes, p.caches), b = axe::detail::memory_rule(bytes, caches);
                    return p.set == set && a.streams == b.streams && a.tile_rows == b.tile_rows &&
                           a.tile_columns == b.tile_columns && a.ahead == b.ahead && a.burst == b.burst;
                };
                auto at = std::find_if(plans.begin(), plans.end(), same);
                if (at == plans.end()) at = plans.insert(plans.end(), {set, caches});
                ++at->reports;
            }
    return plans;
}

const char* words_of(Pages pages) { return pages == Pages::huge ? "2 MB" : "4 kB"; }

void print_grid()
{
    for (const Case& c : cases) {
        if (c.goal_ns > 0) continue;
        for (const Pages pages : {Pages::small, Pages::huge}) {
            const double before = huge_bytes();
            const Buffers buffers(c, pages);
            const double huge = huge_bytes() - before, all = 3 * static_cast<double>(buffers.job(1).bytes());
            std::vector<Plan> plans = plans_of(static_cast<std::int64_t>(buffers.job(1).bytes()));
            std::vector<Run> runs;
            for (const Plan& p : plans) runs.push_back(prepare(c, buffers, p.set, p.caches, Streaming::by_size));
            const std::vector<double> shares = shares_of(runs, prepare_memcpy(buffers.job(1)));
            for (std::size_t k = 0; k < plans.size(); ++k) {
                std::printf("{\"case\": \"%s\", \"type\": \"%s\", \"goal\": %g, \"pages\": \"%s\", \"in_huge_pages\": %.2f, "
                            "\"instructions\": \"%s\", \"second\": %lld, \"reports\": %d, \"share\": %.4f}\n",
                            c.words, c.type, c.goal.one, words_of(pages), huge / all,
                            axe::detail::instruction_set_name(plans[k].set), static_cast<long long>(plans[k].caches.second),
                            plans[k].reports, shares[k]);
            }
            std::fflush(stdout);
        }
    }
}

InstructionSet best_set() { return axe::detail::runs_here(InstructionSet::avx512) ? InstructionSet::avx512 : InstructionSet::avx2; }

/// A constant's values, one after the other, in some cases.
void print_constant(const char* constant, const std::vector<std::pair<std::int64_t, axe::CacheSizes>>& values)
{
    for (const Case& c : cases) {
        const std::string name = std::string(c.name) + '/' + c.type;
        if (name != "transpose_4096/f32" && name != "transpose_8192/f32" && name != "transpose_4096/f16" &&
            name != "reverse_4d/f32" && name != "nhwc_to_nchw/f32" && name != "nchw_to_nChw16c/f32")
            continue;
        for (const Pages pages : {Pages::small, Pages::huge}) {
            const Buffers buffers(c, pages);
            std::vector<Run> runs;
            for (const auto& [_, caches] : values) runs.push_back(prepare(c, buffers, best_set(), caches, Streaming::by_size));
            const std::vector<double> shares = shares_of(runs, prepare_memcpy(buffers.job(1)));
            for (std::size_t k = 0; k < values.size(); ++k)
                std::printf("{\"constant\": \"%s\", \"value\": %lld, \"case\": \"%s\", \"type\": \"%s\", \"pages\": \"%s\", "
                            "\"share\": %.4f}\n",
                            constant, static_cast<long long>(values[k].first), c.words, c.type, words_of(pages), shares[k]);
            std::fflush(stdout);
        }
    }
}

/// Rows of 4 KiB to sticks of 128 bytes, of so many MiB, through the caches and past them.
void print_streaming()
{
    for (const int size : {1, 2, 4, 8, 16, 32}) {
        const std::string rows = std::to_string(256 * size);
        const std::string shape = "(" + rows + ",1024)", src = shape + ":(1024,1)",
                          dst = "(" + rows + ",32,32):(32," + std::to_string(256 * size * 32) + ",1)";
        const Case c{"sticks_of_rows", "rows to sticks", "f32", 4, shape.c_str(), dst.c_str(), src.c_str(), {0, 0}, 0, {0, 0}, ""};
        const Buffers buffers(c);
        const std::vector<double> shares = shares_of(
            {prepare(c, buffers, best_set(), {}, Streaming::never), prepare(c, buffers, best_set(), {}, Streaming::always)},
            prepare_memcpy(buffers.job(1)));
        std::printf("{\"constant\": \"streaming\", \"mib\": %d, \"never\": %.4f, \"always\": %.4f}\n", size, shares[0], shares[1]);
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char** argv)
{
    bool constants = false;
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        if (text == "--constants")
            constants = true;
        else if (text.rfind("--rounds=", 0) == 0 && std::atoi(text.c_str() + 9) > 0)
            rounds = std::atoi(text.c_str() + 9);
        else
            refuse("there is no option " + text + "; --rounds=N and --constants are");
    }
    if (!constants) {
        print_grid();
        return 0;
    }
    std::vector<std::pair<std::int64_t, axe::CacheSizes>> columns, followed, ahead, burst;
    for (const std::int64_t n : {64, 128, 256, 512, 1024})
        columns.push_back({n, {mib, 32 * mib, 2 * n, axe::detail::caches_here().followed, axe::detail::burst_here()}});
    for (const std::int64_t n : {8, 16}) ahead.push_back({n, {n * 65536, 32 * mib}});
    for (const std::int64_t n : {16, 32, 64}) followed.push_back({n, {mib, 32 * mib, 2048, n}});
    for (const std::int64_t n : {64, 512}) burst.push_back({n, {mib, 32 * mib, 2048, 64, n}});
    print_constant("tile_columns", columns);
    print_constant("followed", followed);
    print_constant("ahead", ahead);
    print_constant("burst", burst);
    print_streaming();
    return 0;
}
