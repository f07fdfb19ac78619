// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_INTEROP_HARNESS_HPP
#define AXE_BENCH_INTEROP_HARNESS_HPP

#include <axe/axe.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// How a benchmark of a neighbor's format is registered: `<group>/<what>`.
namespace bench {

/// A refusal would be measured as a fast success.
[[noreturn]] inline void refused(const std::string& name, const axe::Error& error)
{
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.message().c_str());
    std::exit(1);
}
template <class T>
void must_succeed(const std::string& name, const T& answer)
{
    if constexpr (requires { answer.undecided(); }) {
        if (answer.undecided()) refused(name, answer.error());
    } else if constexpr (requires { answer.ok(); }) {
        if (!answer.ok()) refused(name, answer.error());
    }
}

/// Runs f again and again on inputs of which the compiler knows nothing, so that nothing is folded or moved out of the loop.
template <class F, class... Inputs>
bool add(const std::string& name, F f, Inputs... inputs)
{
    must_succeed(name, f(inputs...));
    benchmark::RegisterBenchmark(name.c_str(), [f, inputs...](benchmark::State& state) mutable {
        for (auto _ : state) {
            (benchmark::DoNotOptimize(inputs), ...);
            auto answer = f(inputs...);
            benchmark::DoNotOptimize(answer);
            benchmark::ClobberMemory();
        }
    });
    return true;
}

} // namespace bench

#endif
