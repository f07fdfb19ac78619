// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Are two maps equal? Reshapes written in two ways, and the questions beside: counts, boxes, inverses that no digits give.
#include <axe/map/box.hpp>
#include <axe/map/count.hpp>
#include <axe/map/count_image.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/parse.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

axe::IndexingMap map(const char* text)
{
    auto out = axe::parse_map(text);
    if (!out) {
        std::fprintf(stderr, "bench: %s: %s\n", text, out.error().message().c_str());
        std::abort();
    }
    return *out;
}

void compare(benchmark::State& state, const char* f, const char* g, bool is_equal)
{
    const axe::IndexingMap x = map(f), y = map(g);
    for (auto _ : state) {
        const auto decision = axe::equal(x, y);
        if (decision.undecided() || decision.yes() != is_equal) state.SkipWithError("wrong");
    }
}

// [4, 6, 5] to [5, 24] to [2, 20, 3], as the composition has it and as the layout behind it says it.
constexpr const char* composed =
    "(d0, d1, d2) -> (((d0 * 60 + d1 * 3 + d2) floordiv 24 * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) floordiv 30, "
    "(((d0 * 60 + d1 * 3 + d2) floordiv 24 * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) floordiv 5) mod 6, "
    "((d0 * 60 + d1 * 3 + d2) floordiv 24 * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) mod 5), "
    "domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]";
constexpr const char* direct = "(d0, d1, d2) -> ((d0 * 60 + d1 * 3 + d2) floordiv 30, ((d0 * 60 + d1 * 3 + d2) floordiv 5) mod 6, "
                               "(d0 * 60 + d1 * 3 + d2) mod 5), domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]";
constexpr const char* wrong = "(d0, d1, d2) -> ((d0 * 60 + d1 * 3 + d2) floordiv 30, ((d0 * 60 + d1 * 3 + d2) floordiv 5) mod 6, "
                              "(d0 * 60 + d1 * 3 + d2 * 2) mod 5), domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]";
// From XLA's tests: a bitcast of two reshapes, and what it is.
constexpr const char* bitcast =
    "(d0, d1) -> ((d0 floordiv 1536) * 786432 + (((d0 * 2 + d1 floordiv 64) floordiv 3) mod 1024) * 768 + "
    "((d0 * 2 + d1 floordiv 64) mod 3) * 256 + (d1 mod 64) * 4), domain: d0 in [0, 3071], d1 in [0, 127]";
constexpr const char* bitcast_linear = "(d0, d1) -> (d0 * 512 + d1 * 4), domain: d0 in [0, 3071], d1 in [0, 127]";
constexpr const char* split =
    "(d0, d1) -> ((d0 mod 8) * 128 + d1 + (d0 floordiv 8) * 1024), domain: d0 in [0, 1023], d1 in [0, 127]";
constexpr const char* split_linear = "(d0, d1) -> (d0 * 128 + d1), domain: d0 in [0, 1023], d1 in [0, 127]";
constexpr const char* launch = "(d0, d1)[s0] -> ((d0 + d1 * 128) * 4 + s0), domain: d0 in [0, 127], d1 in [0, 468], s0 in [0, 3], "
                               "d0 + d1 * 128 in [0, 59999]";

void equal_two_reshapes(benchmark::State& state) { compare(state, composed, direct, true); }
void equal_two_reshapes_no(benchmark::State& state) { compare(state, direct, wrong, false); }
void equal_bitcast(benchmark::State& state) { compare(state, bitcast, bitcast_linear, true); }
void equal_split(benchmark::State& state) { compare(state, split, split_linear, true); }
void equal_itself(benchmark::State& state) { compare(state, composed, composed, true); }
void count_launch(benchmark::State& state)
{
    const axe::IndexingMap m = map(launch);
    for (auto _ : state) benchmark::DoNotOptimize(axe::count_points(m));
}
void box_launch(benchmark::State& state)
{
    const axe::IndexingMap m = map(launch);
    for (auto _ : state) benchmark::DoNotOptimize(axe::image_box(m));
}

void count_image_large(benchmark::State& state)
{
    const axe::IndexingMap m =
        map("(d0) -> ((d0 mod 166 - 5) floordiv -4), domain: d0 in [0, 1152921504606846975], d0 mod 166 in [9, 99]");
    for (auto _ : state) benchmark::DoNotOptimize(axe::count_image(m));
}
void invert(benchmark::State& state, const char* text, axe::errc expected)
{
    const axe::IndexingMap m = map(text);
    for (auto _ : state)
        if (axe::inverse(m).code() != expected) state.SkipWithError("wrong");
}
/// A multiple modulo a prime: a table of 1009 points, and one line for it.
void inverse_residues(benchmark::State& state)
{
    invert(state, "(d0) -> ((d0 * 7919) mod 1009), domain: d0 in [0, 1008]", axe::errc::ok);
}
void inverse_no(benchmark::State& state)
{
    invert(state, "(d0, d1) -> (d0 + d1), domain: d0 in [0, 1023], d1 in [0, 1023]", axe::errc::not_single_valued);
}
void inverse_large_no(benchmark::State& state)
{
    invert(state, "(d0, d1) -> (d0 + d1 * 5), domain: d0 in [0, 1073741823], d1 in [0, 1073741823]", axe::errc::not_single_valued);
}

BENCHMARK(equal_split);
BENCHMARK(equal_two_reshapes);
BENCHMARK(equal_two_reshapes_no);
BENCHMARK(equal_bitcast);
BENCHMARK(equal_itself);
BENCHMARK(count_launch);
BENCHMARK(box_launch);
BENCHMARK(count_image_large);
BENCHMARK(inverse_residues);
BENCHMARK(inverse_no);
BENCHMARK(inverse_large_no);

} // namespace
