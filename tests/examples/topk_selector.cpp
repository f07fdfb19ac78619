// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/workload.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>

#include <functional>
#include <limits>
#include <set>
#include <tuple>

/// topk_selector: rows that end in each of its steps, short rows, equal numbers, ends of the type; all orders; kernels with a fault.

namespace {

using namespace axe;
using workload::performed;

using Numbers = std::function<double(std::int64_t)>;

Bindings row_of(std::int64_t S, const Numbers& x, std::int64_t start, std::int64_t end)
{
    Bindings in;
    Array row = Array::make({1, S}, DType::f32).value(), starts = Array::make({1}, DType::i32).value(),
          ends = Array::make({1}, DType::i32).value();
    for (std::int64_t j = 0; j < S; ++j) row.set(j, x(j));
    starts.set(0, static_cast<double>(start));
    ends.set(0, static_cast<double>(end));
    in.set("x", std::move(row)).set("starts", std::move(starts)).set("ends", std::move(ends));
    return in;
}

examples::Performance selector_of(std::int64_t S, std::int64_t k, std::int64_t list)
{
    return performed("topk_selector", "sm80",
                     {{"b", "1"}, {"S", std::to_string(S)}, {"k", std::to_string(k)}, {"list", std::to_string(list)}});
}

/// "right", or how the run of a kernel with the inputs of another setting is wrong.
std::string run_with(const examples::Performance& of, std::int64_t S, std::int64_t k, sim::PreparedProgram& ready,
                     const Bindings& in, sim::RunOrder order = sim::RunOrder::issue)
{
    const examples::Example& example = *examples::find("topk_selector");
    const auto setting = examples::setting(example, "sm80", 1, {{"b", "1"}, {"S", std::to_string(S)}, {"k", std::to_string(k)}});
    sim::RunOptions options;
    options.order = order;
    options.most_steps = 1'000'000;
    const auto report = ready.run(in, options).value();
    if (!report.ok()) return report.fault.text;
    const auto verified = verify(of.program, in, report.outputs).value();
    if (!verified.ok()) return verified.text();
    const auto end = example.conclude(*setting, {of.program, of.lowered, in, report.outputs, report.total, verified}).value();
    return end.ok ? "right" : end.lines.front();
}

constexpr std::int64_t S = 600, chosen = 40, ranked = 24;

/// Rows that end in step 0 to 3, and one of which all keys are equal.
const std::pair<const char*, Numbers> steps[] = {
    {"spread", [](std::int64_t j) { return static_cast<double>(j * 37 % 601) - 300; }},
    {"far in the bin", [](std::int64_t j) { return 1 + static_cast<double>(j * 37 % 601) / 4096; }},
    {"farther", [](std::int64_t j) { return 1 + static_cast<double>(j * 37 % 601) * 0x1p-23; }},
    {"equal but for some", [](std::int64_t j) { return j % 30 == 7 ? 1 + static_cast<double>(j) * 0x1p-23 : 1; }},
    {"equal", [](std::int64_t) { return 2.0; }},
    {"a few above",
     [](std::int64_t j) { return j % 100 == 3 ? 1.5 + static_cast<double>(j) : 1 + static_cast<double>(j % 3) * 0x1p-23; }},
};

} // namespace

TEST_CASE("topk_selector is right for K of 1 and of a row, for short rows, and for rows of one number")
{
    workload::check_right("topk_selector", {{},
                                            {{"b", "1"}, {"S", "1"}, {"k", "1"}},
                                            {{"b", "1"}, {"S", "300"}, {"k", "300"}},
                                            {{"b", "2"}, {"k", "1"}},
                                            {{"b", "9"}, {"S", "100"}, {"k", "33"}, {"rows", "parts"}, {"list", "20"}},
                                            {{"b", "1"}, {"data", "equal"}}});
}

TEST_CASE("topk_selector is right for more than 2048 numbers in a bin of each step, TLE's limit")
{
    workload::check_right("topk_selector", {{{"b", "1"}, {"S", "4096"}, {"k", "4"}, {"list", "2048"}, {"data", "peak"}},
                                            {{"b", "1"}, {"S", "2500"}, {"k", "2048"}, {"list", "2048"}, {"data", "equal"}}});
}

TEST_CASE("topk_selector is right for more than 2048 of a row, or all of it")
{
    // The rows of TLE's measurements, up to 32,768 columns, are on the page.
    for (const auto& [columns, data, level] : {std::tuple{"4500", "equal", sim::Level::fast},
                                               {"4500", "spread", sim::Level::fast},
                                               {"2100", "spread", sim::Level::full}}) {
        INFO(columns << " " << data);
        sim::RunOptions options;
        options.level = level;
        const auto done = performed("topk_selector", "sm90",
                                    {{"b", "1"}, {"S", columns}, {"k", "2100"}, {"list", "512"}, {"data", data}}, options);
        INFO(done.report.fault.text << done.verification.text());
        CHECK(done.ok());
    }
}

TEST_CASE("topk_selector is right for rows that end in each step, in all orders")
{
    const auto whole = selector_of(S, chosen, ranked);
    auto ready = required(sim::prepare(whole.lowered.program));
    for (const auto& [name, x] : steps)
        for (const sim::RunOrder order : sim::all_run_orders) {
            INFO(name << " " << sim::name(order));
            CHECK(run_with(whole, S, chosen, *ready, row_of(S, x, 0, S), order) == "right");
        }
}

TEST_CASE("topk_selector of infinities, NaN, zeros of both signs and numbers that f16 does not hold")
{
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const double ends[] = {1, inf, nan, -inf, -0.0, 0, 70000, 80000, 1e-7, 2e-8, -1e-7, 65504, 65520, 3e38, -3e38, 6e-5};
    const std::int64_t N = 16;
    for (const std::int64_t list : {1, 16})
        for (const std::int64_t k : {1, 2, 3, 5, 8, 9, 11, 15}) {
            const auto whole = selector_of(N, k, list);
            auto ready = required(sim::prepare(whole.lowered.program));
            INFO("list " << list << ", k " << k);
            CHECK(run_with(whole, N, k, *ready, row_of(N, [&](std::int64_t j) { return ends[j]; }, 0, N)) == "right");
        }
}

TEST_CASE("topk_selector of a part of a row: its columns, and −1 where there are not so many")
{
    const auto whole = selector_of(S, chosen, ranked);
    auto ready = required(sim::prepare(whole.lowered.program));
    for (const auto& [start, end] : {std::pair{0, 0}, {5, 5}, {600, 600}, {7, 8}, {100, 140}, {100, 141}, {513, 600}, {511, 600}}) {
        INFO(start << " to " << end);
        CHECK(run_with(whole, S, chosen, *ready, row_of(S, steps[0].second, start, end)) == "right");
    }
}

TEST_CASE("topk_selector refuses more numbers than a row has")
{
    CHECK(workload::not_taken("topk_selector", "sm80", {{"S", "5"}, {"k", "6"}}) == "topk_selector: k is 6; a row has 5 columns");
}

TEST_CASE("without any one barrier or guard topk_selector is wrong for a row that ends in one of its steps")
{
    const auto whole = selector_of(S, chosen, ranked);
    const Program written = removals::with_chosen_layouts(whole.program, whole.lowered.program);
    const int removed = removals::for_each_removal(written, [&](const Program& less, const removals::Removal& removal) {
        if (!validate(less).empty()) return;
        const auto lowered = required(lower(less));
        auto ready = required(sim::prepare(lowered->program));
        bool found = false;
        for (const auto& [name, x] : steps)
            for (const sim::RunOrder order : sim::all_run_orders)
                found = found || run_with(whole, S, chosen, *ready, row_of(S, x, 0, S), order) != "right";
        INFO("without statement " << removal.statement << ", " << removal.what);
        CHECK(found);
    });
    CHECK(removed > 30);
}
