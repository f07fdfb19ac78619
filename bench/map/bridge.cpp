// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between maps and layouts: the layout of a map, the canonical form through it, the map of a layout, the inverse.
#include <axe/map/canonical_map.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/to_layout.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

struct Case {
    const char* name;
    const char* text;
};
constexpr Case cases[] = {
    {"two_reshapes",
     "(d0, d1, d2) -> (((d0 * 60 + d1 * 3 + d2) floordiv 30) * 30 + (((d0 * 60 + d1 * 3 + d2) floordiv 5) mod 6) * 5 + "
     "(d0 * 60 + d1 * 3 + d2) mod 5), domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]"},
    {"bitcast_and_back",
     "(d0, d1) -> ((d0 floordiv 1536) * 786432 + (((d0 * 2 + d1 floordiv 64) floordiv 3) mod 1024) * 768 + ((d0 * 2 "
     "+ d1 floordiv 64) mod 3) * 256 + (d1 mod 64) * 4), domain: d0 in [0, 3071], d1 in [0, 127]"},
    {"slides",
     "(d0, d1) -> (-((d0 * -11 - d1 + 109) floordiv 11) + 9, d0 * 11 + d1 + ((d0 * -11 - d1 + 109) floordiv 11) * 11 - 99), "
     "domain: d0 in [0, 7], d1 in [0, 8]"},
    {"large",
     "(d0, d1) -> (((d0 * 1099511627776 + d1) mod 1073741824) * 1073741824 + (d0 * 1099511627776 + d1) floordiv 1073741824), "
     "domain: d0 in [0, 1048575], d1 in [0, 1099511627775]"},
};

/// Maps with range variables, only the way to the layout.
constexpr Case relations[] = {
    {"replicas",
     "(d0, d1)[s0, s1] -> (d0 * 64 + d1 + s0 * 4096, s1 * 2), domain: d0 in [0, 63], d1 in [0, 63], s0 in [0, 3], s1 in [0, 7]"},
    {"turned", "(d0)[s0] -> (d0 * 3, (s0 - d0 * 2) mod 1048576), domain: d0 in [0, 1099511627775], s0 in [0, 1048575]"},
    {"split", "(d0)[s0, s1] -> (d0, s0 * 7 + s1), domain: d0 in [0, 3], s0 in [0, 142857142857], s1 in [0, 6], s0 * 7 + s1 in [0, "
              "1000000000000]"},
    {"written_out", "(d0)[s0] -> ((s0 + d0 * d0) mod 64 + d0 * 64), domain: d0 in [0, 255], s0 in [0, 63]"},
};

/// A refusal would be measured as a fast success.
template <class F>
void add(const std::string& name, F f)
{
    if (const auto result = f(); !result) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), result.error().message().c_str());
        std::exit(1);
    }
    benchmark::RegisterBenchmark(name.c_str(), [f](benchmark::State& state) {
        for (auto _ : state) {
            auto answer = f();
            benchmark::DoNotOptimize(answer);
        }
    });
}

const bool registered = [] {
    for (const Case& c : cases) {
        const auto parsed = axe::parse_map(c.text);
        if (!parsed) {
            std::fprintf(stderr, "%s: %s\n", c.name, parsed.error().message().c_str());
            std::exit(1);
        }
        const axe::IndexingMap map = *parsed;
        add(std::string("from_map/") + c.name, [map] { return axe::from_map(map); });
        add(std::string("canonical_map/") + c.name, [map] { return axe::canonical_map(map); });
        add(std::string("map_inverse/") + c.name, [map] { return axe::inverse(map); });
        const axe::Layout layout = *axe::from_map(map);
        axe::Shape shape;
        for (const axe::IndexVariable& v : map.variables) shape.push_back(v.bounds.high + 1);
        add(std::string("to_map/") + c.name, [layout, shape] { return axe::to_map(layout, shape); });
    }
    for (const Case& c : relations) {
        const auto map = axe::parse_map(c.text);
        if (!map) {
            std::fprintf(stderr, "%s: %s\n", c.name, map.error().message().c_str());
            std::exit(1);
        }
        add(std::string("from_map/") + c.name, [map = *map] { return axe::from_map(map); });
    }
    return true;
}();

} // namespace
