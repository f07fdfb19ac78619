// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_TIMING_HPP
#define AXE_BENCH_RELAYOUT_TIMING_HPP

#include "job.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

namespace bench {

/// Runs of each contender.
inline int most_pairs = 11;
inline constexpr double budget = 1.5; ///< seconds a contender, past which no pairs are begun

inline double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

inline double seconds_of(const Run& run, int times)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
        run();
        benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

/// How often a run is repeated so that the clock does not count: 1 for all but tiny ones.
inline int repeats_of(const Run& run)
{
    const double once = std::max(seconds_of(run, 1), 1e-8);
    return once > 2e-5 ? 1 : static_cast<int>(1e-4 / std::max(seconds_of(run, 100), 1e-8)) + 1;
}

struct Timing {
    double seconds, memcpy_seconds, share;
    int pairs;
};

/// Both in turn, the reference first and last: each run is set against the mean of its neighbors, so that a machine that becomes
/// slower or faster meanwhile moves both.
inline Timing alternate(const Run& run, const Run& reference)
{
    const int repeats = repeats_of(run), reference_repeats = repeats_of(reference);
    std::vector<double> runs, shares, references{seconds_of(reference, reference_repeats)};
    for (double spent = 0; static_cast<int>(runs.size()) < (spent < budget ? most_pairs : std::min(most_pairs, 3));) {
        runs.push_back(seconds_of(run, repeats));
        references.push_back(seconds_of(reference, reference_repeats));
        shares.push_back((references.end()[-1] + references.end()[-2]) / 2 / runs.back());
        spent += runs.back() * repeats + references.back() * reference_repeats;
    }
    return {median(runs), median(references), median(shares), static_cast<int>(runs.size())};
}

} // namespace bench

#endif
