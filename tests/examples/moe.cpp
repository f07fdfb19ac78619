// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <perform.hpp>

/// A layer of experts: for all numbers of tokens and routings, in all orders, with tasks in a wrong order, and without what orders its
/// two products.

namespace {

using namespace axe;
using MoeSet = std::vector<std::pair<std::string, std::string>>;

examples::Setting moe_set(const char* machine, const MoeSet& values)
{
    const auto setting = examples::setting(examples::moe, machine, 0, values);
    INFO((setting ? "" : setting.error().text));
    REQUIRE(setting);
    return *setting;
}

} // namespace

TEST_CASE("layers of experts of any sizes are right")
{
    const MoeSet settings[] = {{{"T", "1"}},
                               {{"T", "5"}},
                               {{"T", "33"}, {"routing", "first"}}, // two experts have one row more than a tile, the others none
                               {{"T", "17"}, {"top", "1"}, {"routing", "first"}}, // one expert has all
                               {{"T", "9"}, {"E", "1"}, {"top", "1"}},
                               {{"T", "20"}, {"hidden", "96"}, {"inner", "32"}, {"top", "3"}}};
    for (const char* machine : {"sm80", "sm90"})
        for (const MoeSet& set : settings) {
            const auto done = examples::perform(examples::moe, moe_set(machine, set));
            INFO(machine << " " << set.front().second << " " << set.size());
            REQUIRE(done);
            INFO(done->report.fault.text << done->verification.text());
            CHECK(done->ok());
            CHECK(std::string(done->verification.word()) == "right");
        }
}

TEST_CASE("a layer of experts has the same bits in each order, with any number of blocks in flight")
{
    const examples::Setting setting = moe_set("sm80", {{"T", "20"}});
    const Program program = examples::moe.build(setting).value();
    const Bindings in = examples::moe.inputs(setting, program).value();
    const auto lowered = lower(program);
    REQUIRE(lowered);
    const auto whole = sim::run(lowered->program, in);
    REQUIRE(whole);
    for (const int resident : {1, 2, 3, 0})
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.resident = resident;
            options.order = order;
            const auto report = sim::run(lowered->program, in, options);
            REQUIRE(report);
            INFO(report->fault.text << resident << name(order));
            REQUIRE(report->ok());
            const Array &a = *whole->outputs.find("Y"), &b = *report->outputs.find("Y");
            CHECK(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0);
        }
}

TEST_CASE("sizes that are not multiples of a tile are a problem")
{
    const auto program = examples::moe.build(moe_set("sm80", {{"inner", "40"}}));
    REQUIRE(!program);
    CHECK(program.error().text == "moe: inner is 40; it must be a multiple of 32");
}

TEST_CASE("a layer of experts without a flag, or with one that orders nothing, is found in each order")
{
    const examples::Setting setting = moe_set("sm80", {{"T", "5"}});
    const Program whole = examples::moe.build(setting).value();
    const Bindings in = examples::moe.inputs(setting, whole).value();
    enum class Change { no_wait, no_release, relaxed };
    for (const Change change : {Change::no_wait, Change::no_release, Change::relaxed}) {
        Program less = whole;
        int changed = 0;
        for_each_statement(less.body, [&](Statement& s) {
            auto* flag = std::get_if<Flag>(&s.what);
            if (flag == nullptr || flag->order == MemoryOrder::relaxed) return;
            const bool waits = flag->action == Flag::Action::wait_at_least;
            if (waits != (change == Change::no_wait)) return;
            ++changed;
            if (change == Change::relaxed)
                flag->order = MemoryOrder::relaxed;
            else
                s.what = ProxyFence{};
        });
        CHECK(changed == 1);
        const auto lowered = lower(less);
        REQUIRE(lowered);
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto report = sim::run(lowered->program, in, options);
            REQUIRE(report);
            INFO(static_cast<int>(change) << " " << name(order) << " " << report->fault.text);
            CHECK_FALSE(report->ok());
        }
    }
}
