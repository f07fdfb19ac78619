// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_ALGEBRA_HARNESS_HPP
#define AXE_BENCH_ALGEBRA_HARNESS_HPP

#include <axe/axe.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>

/// How a benchmark is registered: `<operation>/<layout>`, and the same again with extents 2^50 times larger as `…/large`.
namespace bench {

/// What the extents of a case are multiplied by: one dimension by `a`, another by `b`.
struct Factors {
    std::int64_t a = 1;
    std::int64_t b = 1;
};
inline constexpr Factors small{};
inline constexpr Factors large{std::int64_t{1} << 25, std::int64_t{1} << 25};

/// A refusal would be measured as a fast success.
template <class T>
void must_succeed(const std::string& name, const axe::Result<T>& result)
{
    if (result) return;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), result.error().message().c_str());
    std::exit(1);
}
inline void must_succeed(const std::string& name, const axe::Decision& verdict)
{
    if (!verdict.undecided()) return;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), verdict.error().message().c_str());
    std::exit(1);
}

/// Runs f again and again on inputs of which the compiler knows nothing, so that nothing is folded or moved out of the loop.
template <class F, class... Inputs>
void measure(benchmark::State& state, F f, Inputs... inputs)
{
    for (auto _ : state) {
        (benchmark::DoNotOptimize(inputs), ...);
        auto answer = f(inputs...);
        benchmark::DoNotOptimize(answer);
        benchmark::ClobberMemory();
    }
}

/// @param make  the inputs of the case as a tuple, from `Factors`
/// @param f     the operation: one call
template <class Make, class F>
void add(const std::string& name, Make make, F f)
{
    for (const bool is_large : {false, true}) {
        const auto inputs = make(is_large ? large : small);
        const std::string full = is_large ? name + "/large" : name;
        must_succeed(full, std::apply(f, inputs));
        benchmark::RegisterBenchmark(full.c_str(), [f, inputs](benchmark::State& state) {
            std::apply([&](const auto&... each) { measure(state, f, each...); }, inputs);
        });
    }
}

} // namespace bench

#endif
