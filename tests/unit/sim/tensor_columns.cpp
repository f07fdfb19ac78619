// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

/// Blocks on one multiprocessor, which have its columns of tensor memory together.
namespace {

Machine with_processors(std::int64_t count)
{
    Machine machine = machines::sm100;
    for (Limit& limit : machine.limits)
        if (std::string(limit.name) == "device.multiprocessors") limit.value = count;
    return machine;
}

/// Each of `blocks` blocks asks for columns, and adds one to a flag before it gives them back, or after. The first one may hold its own until
/// so many have come.
Program columns_of_blocks(std::int64_t processors, std::int64_t blocks, std::int64_t columns, std::int64_t waits_for)
{
    Kernel k("together", with_processors(processors));
    const auto flag = k.inout("flag", {1}, i32);
    const auto C = k.output("C", {32 * blocks, 32}, f32);
    k.cta(
        tiles(Shape{blocks}, Shape{1}),
        [&](Scope cta, const Tile& tile) {
            const auto at = cta.alloc(Role::shared, {1}, i32, {}, "at");
            const auto t = cta.alloc("tmem", {32, 32}, f32, {}, "t");
            const auto d = cta.alloc(Role::registers, {32, 32}, f32, Layout{{{32, 1, Axis{"lane"}}, {32, 1, Axis{"reg"}}}}, "d");
            cta.allocate_columns(0, columns, at, {t});
            cta.fill(d, 5).copy(t, d).copy(d, t);
            cta.add_to_flag(flag(0), 1).wait_at_least(flag(0), static_cast<double>(waits_for));
            cta.give_back_columns(0).copy(C(Interval(32 * tile.index[0], 32), all), d);
        },
        1);
    return trial::written(k);
}

std::string columns_fault_of(const Program& p, const sim::RunOptions& options)
{
    Bindings in;
    in.set("flag", Array::make({1}, i32).value());
    const auto report = required(sim::run(lower(p).value().program, in, options));
    if (!report->ok()) return report->fault.text;
    CHECK(report->outputs.find("flag")->at(0) == 4);
    const Array& c = *report->outputs.find("C");
    for (std::int64_t i = 0; i < c.size(); ++i)
        if (c.at(i) != 5) return "wrong";
    return {};
}

} // namespace

TEST_CASE("columns of tensor memory: blocks wait for those of others on their multiprocessor")
{
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.level = level;
            options.order = order;
            CAPTURE(name(order));
            // Four blocks of 128 columns, or two on each of two multiprocessors with 256, are there at once.
            CHECK(columns_fault_of(columns_of_blocks(1, 4, 128, 4), options).empty());
            CHECK(columns_fault_of(columns_of_blocks(2, 4, 256, 4), options).empty());
            // Four with 256 are two at a time.
            CHECK(columns_fault_of(columns_of_blocks(1, 4, 256, 1), options).empty());
            CHECK(columns_fault_of(columns_of_blocks(1, 4, 256, 2), options).empty());
            // The others cannot come while the first two wait for them.
            const std::string fault = columns_fault_of(columns_of_blocks(1, 4, 256, 3), options);
            CAPTURE(fault);
            CHECK(fault.find("waits in statement") != std::string::npos);
            CHECK(columns_fault_of(columns_of_blocks(2, 4, 512, 3), options).find("waits in statement") != std::string::npos);
        }
}

TEST_CASE("columns of tensor memory: a grid without statements for them has as many blocks at a time as have room")
{
    // Each of two blocks on one multiprocessor waits for the other.
    const auto fault_of_two = [](std::int64_t processors, std::int64_t columns, sim::RunOrder order) {
        Kernel k("apart", with_processors(processors));
        const auto flag = k.inout("flag", {1}, i32);
        const auto C = k.output("C", {64, 32}, f32);
        k.cta(
            tiles(Shape{2}, Shape{1}),
            [&](Scope cta, const Tile& tile) {
                const auto t = cta.alloc("tmem", {32, columns}, f32, {}, "t");
                const auto d =
                    cta.alloc(Role::registers, {32, 32}, f32, Layout{{{32, 1, Axis{"lane"}}, {32, 1, Axis{"reg"}}}}, "d");
                const auto part = t(all, Interval(columns - 32, 32));
                cta.fill(d, 5).copy(part, d).copy(d, part).add_to_flag(flag(0), 1).wait_at_least(flag(0), 2);
                cta.copy(C(Interval(32 * tile.index[0], 32), all), d);
            },
            1);
        Bindings in;
        in.set("flag", Array::make({1}, i32).value());
        sim::RunOptions options;
        options.order = order;
        const auto report = required(sim::run(lower(trial::written(k)).value().program, in, options));
        return report->ok() ? std::string() : report->fault.text;
    };
    for (const sim::RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        CHECK(fault_of_two(1, 256, order).empty());
        CHECK(fault_of_two(2, 512, order).empty());
        for (const std::int64_t columns : {264, 512}) {
            const std::string fault = fault_of_two(1, columns, order);
            CAPTURE(fault);
            CHECK(fault.find("until element (0) of flag is at least 2; it is 1") != std::string::npos);
            CHECK(fault.find("blocks of the grid that have not started: 1; 1 are resident, and none of them ends") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("columns of tensor memory: given back for a pair of blocks where one has asked, and for one where a pair has")
{
    // A kernel cannot say so, as all of a grid are of pairs or none is; a program that was changed after its validation can.
    for (const bool pair : {false, true}) {
        Kernel k("groups", machines::sm100);
        const auto C = k.output("C", {64, 32}, f32);
        int asked = -1, back = -1;
        const auto block = [&](Scope cta, const Tile& tile) {
            const auto at = cta.alloc(Role::shared, {1}, i32, {}, "at");
            const auto t = cta.alloc("tmem", {32, 32}, f32, {}, "t");
            const auto d = cta.alloc(Role::registers, {32, 32}, f32, Layout{{{32, 1, Axis{"lane"}}, {32, 1, Axis{"reg"}}}}, "d");
            cta.allocate_columns(0, 32, at, {t}, pair).fill(d, 5).copy(t, d).copy(d, t).give_back_columns(0, pair);
            cta.copy(C(Interval(32 * tile.index[0], 32), all), d);
        };
        pair ? k.cta(tiles(Shape{2}, Shape{1}), {{2}}, block, 1) : k.cta(tiles(Shape{2}, Shape{1}), block, 1);
        Program lowered = lower(trial::written(k)).value().program;
        CHECK(sim::run(lowered, {}).value().ok());
        for_each_statement(lowered.body, [&](Statement& s) {
            auto* c = std::get_if<TensorColumns>(&s.what);
            if (c == nullptr) return;
            if (c->action == TensorColumns::Action::allocate) asked = s.id;
            if (c->action != TensorColumns::Action::give_back) return;
            back = s.id;
            c->pair = !pair;
        });
        for (const sim::Level level : {sim::Level::full, sim::Level::fast})
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.level = level;
                options.order = order;
                const sim::Fault fault = sim::run(lowered, {}, options).value().fault;
                CAPTURE(name(order), fault.text);
                CHECK(fault.kind == sim::FaultKind::lifetime);
                CHECK(fault.statement == back);
                CHECK(fault.other_statement == asked);
                CHECK(fault.text.find(pair ? "agent 0 gives columns 0 back for one block; agent 0 has asked for them in statement "
                                           : "agent 0 gives columns 0 back for a pair of blocks; agent 0 has asked for them in "
                                             "statement ") != std::string::npos);
            }
    }
}
