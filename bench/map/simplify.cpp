// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// simplify: the slides' example, chains of two reshapes, a launch map, a pad, and maps that have nothing to simplify.
#include <axe/map/parse.hpp>
#include <axe/map/simplify.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct Case {
    const char* name;
    const char* text;
};
constexpr Case cases[] = {
    {"slide", "(d0, d1) -> (-((d0 * -11 - d1 + 109) floordiv 11) + 9, "
              "d0 * 11 + d1 + ((d0 * -11 - d1 + 109) floordiv 11) * 11 - 99), domain: d0 in [0, 7], d1 in [0, 8]"},
    {"two_reshapes", "(d0, d1, d2) -> (((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24), "
                     "domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]"},
    {"two_reshapes_digits",
     "(d0, d1, d2) -> ((((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) floordiv 30, "
     "((((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) floordiv 5) mod 6, "
     "(((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24) mod 5), "
     "domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]"},
    {"bitcast_and_back", "(d0, d1) -> ((d0 floordiv 1536) * 786432 + (((d0 * 2 + d1 floordiv 64) floordiv 3) mod 1024) * 768 + "
                         "((d0 * 2 + d1 floordiv 64) mod 3) * 256 + (d1 mod 64) * 4), domain: d0 in [0, 3071], d1 in [0, 127]"},
    {"launch", "(d0, d1)[s0] -> ((d1 * 128 + d0) floordiv 3000, ((d1 * 128 + d0) floordiv 75) mod 40, "
               "((d1 * 128 + d0) mod 75) * 4 + s0), "
               "domain: d0 in [0, 127], d1 in [0, 468], s0 in [0, 3], d1 * 128 + d0 in [0, 59999]"},
    {"pad", "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [0, 11], d1 in [0, 15], (d0 - 1) mod 2 in [0, 0], "
            "d0 - 1 in [0, 6], d1 - 4 in [0, 3]"},
    {"transpose", "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"},
};

[[maybe_unused]] const bool registered = [] {
    for (const Case& c : cases) {
        const auto map = axe::parse_map(c.text);
        if (!map) {
            std::fprintf(stderr, "%s: %s\n", c.name, map.error().message().c_str());
            std::exit(1);
        }
        benchmark::RegisterBenchmark((std::string("simplify/") + c.name).c_str(), [m = *map](benchmark::State& state) {
            for (auto _ : state) benchmark::DoNotOptimize(axe::simplify(m));
        });
    }
    return true;
}();

} // namespace
