// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_SAID_AGAIN_HPP
#define AXE_TESTS_EXAMPLES_SAID_AGAIN_HPP

#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <string_view>
#include <utility>

/// Examples with one thing less, whose runs say the same with any number of threads.
namespace removals {

/// Is what removal.cpp does with the examples done in a file of their own, moe.cpp, mx_gemm.cpp, topk_selector.cpp or flash_attention_sm100.cpp,
/// with inputs for which all parts run?
inline bool is_taken_apart_elsewhere(std::string_view example, std::string_view machine)
{
    return example == "moe" || example == "mx_gemm" || example == "topk_selector" ||
           (example == "flash_attention" && machine == "sm100");
}

/// The program has this fault, in the same words, with one, two and four threads.
inline void check_said_again(axe::sim::PreparedProgram& ready, const axe::Bindings& inputs, axe::sim::RunOptions options,
                             const axe::sim::Fault& first)
{
    for (const int threads : {1, 2, 4}) {
        options.threads = threads;
        const auto again = ready.run(inputs, options);
        INFO(threads << " threads");
        REQUIRE(again);
        CHECK(again->fault.kind == first.kind);
        CHECK(again->fault.text == first.text);
        CHECK(again->fault.statement == first.statement);
        CHECK(again->fault.other_statement == first.other_statement);
    }
}

/// A run of a program with less, which can be lowered, on these inputs; a fault is said again where that is asked.
inline axe::sim::Report run_without(const axe::Program& less, const axe::Bindings& inputs, bool asks_again)
{
    const auto lowered = required(axe::lower(less));
    auto ready = required(axe::sim::prepare(lowered->program));
    axe::sim::RunOptions options;
    options.counters = false;
    auto report = required(ready->run(inputs, options));
    if (asks_again && !report->ok()) check_said_again(*ready, inputs, options, report->fault);
    return std::move(*report);
}

} // namespace removals

#endif
