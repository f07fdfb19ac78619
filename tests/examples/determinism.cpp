// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <cstring>
#include <perform.hpp>
#include <tests/examples/said_again.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>

/// The same bits and the same words, whoever runs the devices and however often.

namespace {

using namespace axe;

bool same_outputs(const Bindings& a, const Bindings& b)
{
    bool same = a.size() == b.size();
    for (const auto& entry : a) {
        const Array* other = b.find(entry.name);
        same = same && other != nullptr && other->size_bytes() == entry.array.size_bytes() &&
               std::memcmp(other->data(), entry.array.data(), static_cast<std::size_t>(other->size_bytes())) == 0;
    }
    return same;
}

examples::Setting setting_of(const examples::Example& example, const char* machine, int devices)
{
    auto setting = examples::setting(example, machine, devices);
    REQUIRE(setting);
    if (std::string(example.name) == "digits") REQUIRE(setting->files.add(AXE_TEST_DATA "/../../examples/digits/data").ok());
    return *setting;
}

sim::RunOptions options_of(int threads, sim::Level level)
{
    sim::RunOptions options;
    options.threads = threads;
    options.level = level;
    return options;
}

sim::Report run_with(const Program& lowered, const Bindings& inputs, int threads, sim::Level level)
{
    auto report = required(sim::run(lowered, inputs, options_of(threads, level)));
    return std::move(*report);
}

sim::Report run_with(sim::PreparedProgram& ready, const Bindings& inputs, int threads, sim::Level level)
{
    auto report = ready.run(inputs, options_of(threads, level));
    REQUIRE(report);
    return std::move(*report);
}

} // namespace

TEST_CASE("every example gives the same bits and counts with one, two and four threads, and again")
{
    for (const examples::Example& example : examples::table())
        for (const char* machine : example.machines) {
            INFO(example.name << " on " << machine);
            const auto first = examples::perform(example, setting_of(example, machine, example.devices.front()));
            REQUIRE(first);
            REQUIRE(first->ok());
            for (const int threads : {1, 2, 4}) {
                INFO(threads << " threads");
                const auto again = run_with(first->lowered.program, first->inputs, threads, sim::Level::full);
                CHECK(again.ok());
                CHECK(same_outputs(first->report.outputs, again.outputs));
                CHECK(first->report.total == again.total);
                CHECK(first->report.statements == again.statements);
                const auto fast = run_with(first->lowered.program, first->inputs, threads, sim::Level::fast);
                CHECK(fast.ok());
                CHECK(same_outputs(first->report.outputs, fast.outputs));
            }
        }
}

// Of all other examples by removal.cpp, moe.cpp and mx_gemm.cpp, which make and run the same programs.
TEST_CASE("what goes wrong is said in the same words with one, two and four threads, and again")
{
    int faults = 0;
    const examples::Example& example = examples::topk_selector;
    const auto setting = setting_of(example, example.machines.front(), example.devices.front());
    const auto whole = examples::written(example, setting);
    REQUIRE(whole);
    const auto inputs = example.inputs(setting, *whole);
    REQUIRE(inputs);
    const auto lowered_whole = required(lower(*whole));
    const Program with_layouts = removals::with_chosen_layouts(*whole, lowered_whole->program);
    removals::for_each_removal(with_layouts, [&](const Program& less, const removals::Removal& removal) {
        const auto lowered = lower(less);
        if (!lowered) return;
        auto ready = required(sim::prepare(lowered->program));
        const auto first = run_with(*ready, *inputs, 1, sim::Level::full);
        if (first.ok()) return;
        ++faults;
        INFO("without statement " << removal.statement << ", " << removal.what);
        removals::check_said_again(*ready, *inputs, options_of(1, sim::Level::full), first.fault);
    });
    CHECK(faults >= 10);
}
