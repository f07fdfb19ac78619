// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One index to one coordinate. Latency: each index is the coordinate before, so that nothing overlaps.
#include "layouts.hpp"

namespace {

using namespace bench;

/// Four digits on one axis, in another order in memory than in the index: a permutation, so the coordinates are indices again.
constexpr Layout shuffled(Factors f)
{
    return {{{4, 8 * f.b, "m"}, {8 * f.a, 128 * f.b, "m"}, {4, 32 * f.b, "m"}, {8 * f.b, 1, "m"}}};
}
/// The same with extents that are not powers of two.
constexpr Layout odd(Factors f) { return {{{5, 7 * f.b, "m"}, {9 * f.a, 105 * f.b, "m"}, {3, 35 * f.b, "m"}, {7 * f.b, 1, "m"}}}; }

template <class Make>
void add_evaluator(const std::string& name, Make make, const axe::Axis& axis)
{
    for (const bool is_large : {false, true}) {
        const Factors f = is_large ? large : small;
        const auto prepared = axe::make_evaluator(make(f), axis);
        must_succeed(name, prepared);
        const auto evaluator = *prepared;
        const std::string suffix = is_large ? "/large" : "";
        benchmark::RegisterBenchmark(("evaluate/" + name + suffix).c_str(), [evaluator](benchmark::State& state) {
            auto e = evaluator;
            std::int64_t x = 1;
            benchmark::DoNotOptimize(e);
            benchmark::DoNotOptimize(x);
            for (auto _ : state) x = e(x);
            benchmark::DoNotOptimize(x);
        });
        // Indices that do not wait for each other.
        benchmark::RegisterBenchmark(("evaluate_throughput/" + name + suffix).c_str(), [evaluator](benchmark::State& state) {
            auto e = evaluator;
            std::int64_t x = 1;
            benchmark::DoNotOptimize(e);
            for (auto _ : state) {
                benchmark::DoNotOptimize(x);
                auto y = e(x);
                benchmark::DoNotOptimize(y);
            }
        });
        // Without preparation: the layout is checked, and every axis is answered.
        benchmark::RegisterBenchmark(("evaluate_point/" + name + suffix).c_str(), [layout = make(f)](benchmark::State& state) {
            measure(state, [](const Layout& l, std::int64_t i) { return axe::evaluate(l, i); }, layout, std::int64_t{123});
        });
    }
}

/// Constants for the extents: `static_layout` at a flat index.
template <auto Value>
void add_static(const std::string& name)
{
    benchmark::RegisterBenchmark(("evaluate/static_" + name).c_str(), [](benchmark::State& state) {
        std::int64_t x = 1;
        benchmark::DoNotOptimize(x);
        for (auto _ : state) x = axe::static_layout<Value>{}(x);
        benchmark::DoNotOptimize(x);
    });
}

[[maybe_unused]] const bool registered = [] {
    add_evaluator("shuffled", shuffled, {});
    add_evaluator("odd", odd, {});
    add_evaluator(
        "fragment_lane",
        [](Factors f) {
            Layout l = fragment(f).layout;
            l.replica.clear();
            return l;
        },
        "lane");
    add_static<shuffled(small)>("shuffled");
    add_static<odd(small)>("odd");
    return true;
}();

} // namespace
