// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_PERFORMED_HPP
#define AXE_TESTS_EXAMPLES_PERFORMED_HPP

#include <catch.hpp>
#include <map>
#include <perform.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

/// Examples with some values of their parameters, and how what is taken away from them is missed.
namespace performed_examples {

using Values = std::vector<std::pair<std::string, std::string>>;

inline examples::Performance performed(const char* name, const char* machine, const Values& values,
                                       const axe::sim::RunOptions& options = {})
{
    const examples::Example* example = examples::find(name);
    REQUIRE(example != nullptr);
    const auto setting = examples::setting(*example, machine, 1, values);
    INFO((setting ? "" : setting.error().text));
    REQUIRE(setting);
    auto out = examples::perform(*example, *setting, options);
    INFO((out ? "" : out.error().text));
    REQUIRE(out);
    return std::move(*out);
}

/// What an example says to values that it does not take.
inline std::string not_taken(const char* name, const char* machine, const Values& values)
{
    const examples::Example& example = *examples::find(name);
    const auto setting = examples::setting(example, machine, 1, values);
    return setting ? example.build(*setting).error().text : setting.error().text;
}

/// The same bits at both levels in each order.
inline void check_orders(const examples::Performance& whole, const char* output)
{
    REQUIRE(whole.ok());
    const axe::Array& first = *whole.report.outputs.find(output);
    auto ready = required(axe::sim::prepare(whole.lowered.program));
    for (const axe::sim::Level level : {axe::sim::Level::full, axe::sim::Level::fast})
        turns::each([&](axe::sim::RunOptions options) {
            options.level = level;
            const auto report = without_fault(ready->run(whole.inputs, options));
            const axe::Array& d = *report->outputs.find(output);
            CHECK(std::memcmp(first.data(), d.data(), static_cast<std::size_t>(d.size_bytes())) == 0);
        });
}

/// By what was taken away: how often which kind of fault told.
using Tally = std::map<std::string, std::map<std::string, int>>;

/// A line for each: "commit: 1 race"
inline std::string text_of(const Tally& found)
{
    std::string text;
    for (const auto& [what, kinds] : found) {
        text += what + ":";
        for (const auto& [kind, count] : kinds) text += " " + std::to_string(count) + " " + kind;
        text += "\n";
    }
    return text;
}

} // namespace performed_examples

#endif
