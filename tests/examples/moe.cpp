// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "removed_pieces.hpp"

#include <examples/moe/loops.hpp>

#include <algorithm>
#include <numeric>
#include <tests/required.hpp>

/// A layer of experts: for all numbers of tokens and routings, in all orders, with tasks in a wrong order, and without what orders the
/// steps of its routing and its two products.

namespace {

using namespace axe;
using removed_pieces::performed;
using MoeSet = std::vector<std::pair<std::string, std::string>>;

void check_moe(const char* machine, const MoeSet& set)
{
    std::string text = machine;
    for (const auto& [name, value] : set) text += " " + name + "=" + value;
    INFO(text);
    const examples::Performance done = performed("moe", machine, set);
    INFO(done.report.fault.text << done.verification.text());
    CHECK(done.ok());
    CHECK(std::string(done.verification.word()) == "right");
}

/// The bits of Y, ids, weights and first, which no order changes.
bool same_moe(const Bindings& a, const Bindings& b)
{
    for (const char* name : {"Y", "ids", "weights", "first", "arrived"}) {
        const Array &x = *a.find(name), &y = *b.find(name);
        if (x.size_bytes() != y.size_bytes() || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size_bytes())) != 0)
            return false;
    }
    return true;
}

} // namespace

TEST_CASE("layers of experts of any sizes are right")
{
    const MoeSet settings[] = {{{"T", "1"}},
                               {{"T", "1"}, {"E", "1"}, {"top", "1"}},
                               {{"T", "5"}, {"E", "4"}, {"top", "2"}},
                               {{"T", "33"}, {"routing", "first"}}, // two experts have one row more than a tile, the others none
                               {{"T", "65"}, {"top", "1"}, {"routing", "first"}},               // one expert has all
                               {{"T", "32"}, {"E", "6"}, {"top", "3"}, {"routing", "equal"}},   // of equal logits the first experts
                               {{"T", "9"}, {"E", "33"}, {"top", "8"}, {"inner", "32"}},        // experts without tokens
                               {{"T", "20"}, {"hidden", "96"}, {"inner", "32"}, {"top", "4"}}}; // all experts of each token
    for (const auto& [machine, second] : {std::pair{"sm80", "late"}, {"sm90", "early"}, {"sm100", "late"}})
        for (MoeSet set : settings) {
            set.emplace_back("second", second);
            check_moe(machine, set);
        }
}

TEST_CASE("a router chooses the largest logits, of equal ones the expert with the lower number, and each expert's rows are its own")
{
    const auto routing = [](const char* word, std::int64_t E, std::int64_t top) {
        const auto done =
            performed("moe", "sm80", {{"T", "33"}, {"E", std::to_string(E)}, {"top", std::to_string(top)}, {"routing", word}});
        const Array &ids = *done.report.outputs.find("ids"), &first = *done.report.outputs.find("first");
        const Array &X = *done.inputs.find("X"), &Wg = *done.inputs.find("Wg");
        std::vector<std::int64_t> counts(static_cast<std::size_t>(E));
        int wrong = 0;
        for (std::int64_t t = 0; t < 33; ++t) {
            std::vector<double> logits;
            for (std::int64_t e = 0; e < E; ++e) {
                double sum = 0; // exact: multiples of 1/2048 below 2^5
                for (std::int64_t c = 0; c < 64; ++c) sum += X.at(t * 64 + c) * Wg.at(e * 64 + c);
                logits.push_back(sum);
            }
            std::vector<std::int64_t> order(logits.size());
            std::iota(order.begin(), order.end(), std::int64_t{0});
            std::sort(order.begin(), order.end(), [&](auto a, auto b) {
                const double x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
                return x != y ? x > y : a < b;
            });
            for (std::int64_t slot = 0; slot < top; ++slot) {
                wrong += static_cast<std::int64_t>(ids.at(slot * 33 + t)) != order[static_cast<std::size_t>(slot)];
                ++counts[static_cast<std::size_t>(ids.at(slot * 33 + t))];
            }
        }
        std::int64_t row = 0;
        for (std::int64_t e = 0; e <= E; ++e) {
            wrong += static_cast<std::int64_t>(first.at(e)) != row;
            if (e < E) row += (counts[static_cast<std::size_t>(e)] + 31) / 32 * 32;
        }
        return wrong;
    };
    for (const char* word : {"spread", "first", "equal"})
        for (const auto& [E, top] : {std::pair<std::int64_t, std::int64_t>{4, 2}, {7, 7}, {40, 3}, {1, 1}})
            CHECK(routing(word, E, top) == 0);
}

TEST_CASE("a layer of experts has the same bits in each order, with any number of blocks in flight that holds its routers")
{
    for (const char* second : {"late", "early"}) {
        const auto whole = performed("moe", "sm80", {{"T", "36"}, {"second", second}});
        REQUIRE(whole.ok());
        for (const int resident : {4, 0})
            for (const sim::Level level : {sim::Level::full, sim::Level::fast})
                for (const sim::RunOrder order : sim::all_run_orders) {
                    sim::RunOptions options;
                    options.resident = resident;
                    options.order = order;
                    options.level = level;
                    options.seed = 3;
                    const auto report = required(sim::run(whole.lowered.program, whole.inputs, options));
                    INFO(report->fault.text << resident << name(order));
                    REQUIRE(report->ok());
                    CHECK(same_moe(whole.report.outputs, report->outputs));
                }
        // Fewer than the routers: those that meet wait for one that cannot start.
        sim::RunOptions few;
        few.resident = 3;
        const auto report = required(sim::run(whole.lowered.program, whole.inputs, few));
        CHECK(report->fault.kind == sim::FaultKind::deadlock);
    }
}

TEST_CASE("a layer of experts reads handwritten digits, with the experts and answers of plain loops")
{
    const auto setting = examples::setting(examples::moe, "sm80", 1, {{"data", "digits"}});
    REQUIRE(setting);
    sim::RunOptions fast;
    fast.level = sim::Level::fast;
    const auto done = examples::perform(examples::moe, *setting, fast, {.rows = 20});
    REQUIRE(done);
    INFO(done->report.fault.text << done->verification.text());
    CHECK(done->ok());
    REQUIRE(done->conclusion.lines.size() >= 2);
    CHECK(done->conclusion.lines[1] ==
          "by plain loops: the same answer for 1797 of 1797 digits, other experts for 0 of 3594 slots");
}

TEST_CASE("a layer of experts of the widths of Qwen3-30B-A3B, without checks")
{
    const auto setting =
        examples::setting(examples::moe, "sm90", 1, {{"T", "2"}, {"hidden", "2048"}, {"inner", "768"}, {"E", "16"}, {"top", "8"}});
    REQUIRE(setting);
    sim::RunOptions fast;
    fast.level = sim::Level::fast;
    const auto done = examples::perform(examples::moe, *setting, fast, {.rows = 1});
    REQUIRE(done);
    INFO(done->report.fault.text << done->verification.text());
    CHECK(done->ok());
}

TEST_CASE("tokens of a layer of experts are held against plain loops, which find what is another token's")
{
    const auto done = performed("moe", "sm80", {{"T", "33"}, {"top", "3"}});
    REQUIRE(done.ok());
    REQUIRE_FALSE(done.conclusion.lines.empty());
    CHECK(done.conclusion.lines[0].rfind("by plain loops: the same experts for 8 of 8 tokens", 0) == 0);
    const auto with = [&](const char* name, std::int64_t at, double value) {
        Bindings out;
        for (const char* each : {"ids", "Y"}) {
            Array a = done.report.outputs.find(each)->clone().value();
            if (std::string(each) == name) a.set(at, value);
            out.set(each, std::move(a));
        }
        return examples::moe_sample(done.inputs, out).ok;
    };
    const Array &Y = *done.report.outputs.find("Y"), &ids = *done.report.outputs.find("ids");
    CHECK(with("Y", 0, Y.at(0)));
    CHECK_FALSE(with("Y", 32 * 64 + 5, Y.at(32 * 64 + 5) + 1));
    CHECK_FALSE(with("ids", 2 * 33, ids.at(0)));
}

TEST_CASE("sizes and numbers of experts that a layer does not take are a problem")
{
    using removed_pieces::not_taken;
    CHECK(not_taken("moe", "sm80", {{"inner", "40"}}) == "moe: inner is 40; it must be a multiple of 32");
    CHECK(not_taken("moe", "sm80", {{"E", "1"}}) == "moe: top is 2; there is 1 expert");
    CHECK(not_taken("moe", "sm80", {{"E", "2"}, {"top", "3"}}) == "moe: top is 3; there are 2 experts");
    // The layer that reads digits has its sizes: other ones are no wish that is passed over, and the same are.
    CHECK(not_taken("moe", "sm80", {{"T", "40"}, {"data", "digits"}}) == "moe: with data=digits T is 1797, not 40");
    CHECK(not_taken("moe", "sm80", {{"data", "digits"}, {"routing", "first"}}) ==
          "moe: with data=digits routing is spread, not first");
    const auto settled = examples::setting(examples::moe, "sm80", 1, {{"data", "digits"}, {"E", "8"}});
    REQUIRE(settled);
    CHECK(settled->number("T") == 1797);
    CHECK(settled->number("inner") == 32);
}

TEST_CASE("a layer of experts without a flag, or with one that orders nothing, is found in each order")
{
    const auto whole = performed("moe", "sm80", {{"T", "36"}});
    for (const bool relaxes : {false, true})
        for (int number = 0;; ++number) {
            Program less = whole.program;
            int left = number;
            std::string what;
            for_each_statement(less.body, [&](Statement& s) {
                auto* flag = std::get_if<Flag>(&s.what);
                if (flag == nullptr || flag->order == MemoryOrder::relaxed || left-- != 0) return;
                what = std::to_string(s.id) + (flag->action == Flag::Action::wait_at_least ? " waits" : " adds");
                if (relaxes)
                    flag->order = MemoryOrder::relaxed;
                else
                    s.what = ProxyFence{};
            });
            if (what.empty()) {
                CHECK(number == 8); // two of each of three meetings, and those of the products
                break;
            }
            const auto lowered = required(lower(less));
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.order = order;
                const auto report = required(sim::run(lowered->program, whole.inputs, options));
                INFO(what << (relaxes ? " relaxed " : " removed ") << name(order) << " " << report->fault.text);
                CHECK_FALSE(report->ok());
            }
        }
}

TEST_CASE("each barrier and guard of a layer of experts that is taken away is found")
{
    // Two blocks have tokens; experts are numbers of both warps, and products have several steps.
    const auto whole = performed("moe", "sm80", {{"T", "20"}, {"E", "40"}, {"hidden", "96"}, {"inner", "96"}});
    REQUIRE(whole.ok());
    CHECK(removed_pieces::without_each(whole, true) == "barrier: 25 race\n"
                                                       "guard of Wg: 1 out of bounds\n"
                                                       "guard of X: 2 out of bounds\n"
                                                       "guard of Y: 1 out of bounds\n"
                                                       "guard of counts: 2 out of bounds\n"
                                                       "guard of first: 2 out of bounds\n"
                                                       "guard of ids: 2 out of bounds\n"
                                                       "guard of marks: 1 out of bounds\n"
                                                       "guard of own: 2 out of bounds\n"
                                                       "guard of row_of: 2 out of bounds\n"
                                                       "guard of token: 1 out of bounds\n"
                                                       "guard of weight: 1 out of bounds\n"
                                                       "guard of weights: 2 out of bounds\n");
}
