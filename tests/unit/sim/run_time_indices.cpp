// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

#include <cmath>
#include <functional>
#include <limits>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Coordinates that only a run knows: origins of views, bounds of loops and conditions from loaded or computed numbers.

namespace {

Array numbers(const std::vector<double>& values, DType type = i32)
{
    return arrays::of({static_cast<std::int64_t>(values.size())}, type, values);
}

struct Case {
    const char* name;
    sim::Level level;
    bool counters;
};
const Case ways[] = {
    {"full", sim::Level::full, true}, {"fast, counted", sim::Level::fast, true}, {"fast", sim::Level::fast, false}};

Result<sim::Report, Problem> run_it(const Program& p, const Bindings& in, const Case& way)
{
    const auto lowered = required(lower(p));
    sim::RunOptions options;
    options.level = way.level;
    options.counters = way.counters;
    return sim::run(lowered->program, in, options);
}

/// C[i, :] = A[rows[i], :] for each block i.
Program gathering(std::int64_t rows, std::int64_t columns, std::int64_t blocks, bool through_shared)
{
    Kernel k("gathering", machines::sm80);
    const auto A = k.input("A", {rows, columns}, f32), at = k.input("at", {blocks}, i32);
    const auto C = k.output("C", {blocks, columns}, f32);
    k.cta(
        tiles(blocks, 1),
        [&](Scope cta, const Tile& block) {
            const Affine row = cta.index(load(at(Interval(block.index[0]))), 0, rows, "row");
            if (through_shared) {
                const auto s = cta.alloc(Role::shared, {columns}, f32);
                cta.copy(s, A(Interval(row), all)).sync();
                cta.copy(C(Interval(block.index[0]), all), s);
            } else {
                cta.copy(C(Interval(block.index[0]), all), A(Interval(row), all));
            }
        },
        2);
    return k.program().value();
}

/// The run's report and what `verify` says of it.
sim::Report checked(const Program& p, const Bindings& in, const Case& way)
{
    for (const Problem& problem : validate(p)) FAIL(problem.text);
    auto report = run_it(p, in, way);
    REQUIRE(report.has_value());
    INFO(way.name << ": " << report->fault.text);
    REQUIRE(report->ok());
    const auto verified = verify(p, in, report->outputs);
    INFO((verified ? verified->text() : verified.error().text));
    REQUIRE(verified.has_value());
    CHECK(verified->ok());
    return std::move(*report);
}

} // namespace

TEST_CASE("a row that is chosen by a loaded number", "[sim][run_time]")
{
    for (const std::int64_t columns : {1, 7, 64, 100})
        for (const bool through_shared : {false, true})
            for (const Case& way : ways) {
                const std::vector<double> at{8, 0, 3, 3, 7};
                Bindings in;
                in.set("A", arrays::counting({9, columns}, f32));
                in.set("at", numbers(at));
                const auto report = checked(gathering(9, columns, 5, through_shared), in, way);
                const Array& got = *report.outputs.find("C");
                for (std::int64_t i = 0; i < 5; ++i)
                    for (std::int64_t j = 0; j < columns; ++j)
                        CHECK(got.at(Coord{i, j}) ==
                              at[static_cast<std::size_t>(i)] * static_cast<double>(columns) + static_cast<double>(j));
            }
}

TEST_CASE("a loop runs as often as a loaded number says", "[sim][run_time]")
{
    // C[b] is the sum of the rows first[b], first[b] + 1, …, so many; of none it is 0.
    Kernel k("ragged", machines::sm80);
    const auto A = k.input("A", {20, 32}, f32), first = k.input("first", {4}, i32), count = k.input("count", {4}, i32);
    const auto C = k.output("C", {4, 32}, f32);
    k.cta(
        tiles(4, 1),
        [&](Scope cta, const Tile& block) {
            const Interval b(block.index[0]);
            const auto sum = cta.alloc(Role::registers, {32}, f32), row = cta.alloc(Role::registers, {32}, f32);
            cta.fill(sum, 0);
            const Affine from = cta.index(load(first(b)), 0, 20), n = cta.index(min(load(count(b)), Expression(20) - from), 0, 21);
            cta.loop(from, from + n, 1, [&](const Affine& i) {
                cta.copy(row, A(Interval(i), all));
                cta.binary(Function::add, sum, sum, row);
            });
            cta.copy(C(b, all), sum);
        },
        1);
    const Program p = k.program().value();
    const std::vector<double> from{0, 19, 5, 7}, counts{20, 6, 0, 3}; // 6 from row 19: cut to 1
    Bindings in;
    in.set("A", arrays::counting({20, 32}, f32));
    in.set("first", numbers(from));
    in.set("count", numbers(counts));
    for (const Case& way : ways) {
        const auto report = checked(p, in, way);
        const Array& got = *report.outputs.find("C");
        for (std::int64_t b = 0; b < 4; ++b)
            for (std::int64_t j = 0; j < 32; ++j) {
                double want = 0;
                const auto ub = static_cast<std::size_t>(b);
                for (double i = from[ub]; i < from[ub] + std::min(counts[ub], 20 - from[ub]); ++i)
                    want += i * 32 + static_cast<double>(j);
                CHECK(got.at(Coord{b, j}) == want);
            }
    }
}

TEST_CASE("an index is computed by quotients, remainders, least, greatest and a choice", "[sim][run_time]")
{
    using F = std::function<Expression(Expression, Expression)>;
    const auto quotient = [](double a, double b) { return std::floor(a / b); };
    struct Row {
        F expression;
        std::function<double(double, double)> value;
    };
    const std::vector<Row> rows{
        {[](Expression a, Expression b) { return floor_div(a, b); }, quotient},
        {[](Expression a, Expression b) { return floor_mod(a, b); }, [&](double a, double b) { return a - b * quotient(a, b); }},
        {[](Expression a, Expression b) { return min(a, b); }, [](double a, double b) { return std::min(a, b); }},
        {[](Expression a, Expression b) { return max(a, b); }, [](double a, double b) { return std::max(a, b); }},
        {[](Expression a, Expression b) { return select(a < b, a + 1, b * 2); },
         [](double a, double b) { return a < b ? a + 1 : b * 2; }},
        {[](Expression a, Expression b) { return select(both(a <= b, negation(equals(a, b))), a, b); },
         [](double a, double b) { return a < b ? a : b; }},
    };
    for (const Row& row : rows) {
        Kernel k("computed", machines::sm80);
        const auto A = k.input("A", {201}, f32), x = k.input("x", {2}, i32);
        const auto C = k.output("C", {1}, f32);
        one_block(k, 1, [&](Scope cta) {
            const Affine i = cta.index(row.expression(load(x(Interval(0))), load(x(Interval(1)))), -100, 101);
            cta.copy(C, A(Interval(i + 100, 1)));
        });
        const Program p = k.program().value();
        for (const double a : {-7.0, 0.0, 3.0, 50.0})
            for (const double b : {-3.0, 1.0, 3.0, 11.0}) {
                Bindings in;
                in.set("A", arrays::counting({201}, f32));
                in.set("x", numbers({a, b}));
                const auto report = checked(p, in, ways[0]);
                CHECK(report.outputs.find("C")->at(0) == row.value(a, b) + 100);
            }
    }
}

TEST_CASE("agents of a block have indices of their own", "[sim][run_time]")
{
    // Warp w copies row at[w], through shared memory of its own: where they are equal, they stay together, and part where they are not.
    for (const bool equal : {true, false})
        for (const Case& way : ways) {
            Kernel k("own", machines::sm80);
            const auto A = k.input("A", {6, 32}, f32), at = k.input("at", {4}, i32);
            const auto C = k.output("C", {4, 32}, f32), D = k.output("D", {4, 32}, f32);
            one_block(k, 4, [&](Scope cta) {
                const auto s = cta.alloc(Role::shared, {4, 32}, f32);
                for (int w = 0; w < 4; ++w)
                    cta.warps(w, 1, [&](Scope warp) {
                        const Affine row = warp.index(load(at(Interval(w))), 0, 6);
                        warp.copy(s(Interval(w), all), A(Interval(row), all));
                    });
                cta.sync();
                cta.copy(C, s);
                const Affine one = cta.index(load(at(Interval(0))), 0, 6); // all the same
                cta.copy(D, A(Interval(one), all).repeated(0, 4));
            });
            const std::vector<double> rows = equal ? std::vector<double>{2, 2, 2, 2} : std::vector<double>{5, 0, 0, 3};
            Bindings in;
            in.set("A", arrays::counting({6, 32}, f32));
            in.set("at", numbers(rows));
            const auto report = checked(k.program().value(), in, way);
            for (std::int64_t w = 0; w < 4; ++w)
                for (std::int64_t j = 0; j < 32; ++j) {
                    CHECK(report.outputs.find("C")->at(Coord{w, j}) ==
                          rows[static_cast<std::size_t>(w)] * 32 + static_cast<double>(j));
                    CHECK(report.outputs.find("D")->at(Coord{w, j}) == rows[0] * 32 + static_cast<double>(j));
                }
        }
}

TEST_CASE("an index that is no index of its range is a fault, with the number and the element it comes from", "[sim][run_time]")
{
    const Program p = gathering(9, 8, 2, false);
    for (const double wrong : {-1.0, 9.0, 2147483647.0})
        for (const Case& way : ways) {
            Bindings in;
            in.set("A", arrays::counting({9, 8}, f32));
            in.set("at", numbers({8, wrong}));
            const auto report = run_it(p, in, way);
            REQUIRE(report.has_value());
            CHECK(report->fault.kind == FaultKind::out_of_bounds);
            INFO(report->fault.text);
            const std::string number = std::to_string(static_cast<std::int64_t>(wrong));
            CHECK(report->fault.text.find("index `row` is " + number +
                                          ", from element (1) of at; it must be a whole number from 0 to 8") != std::string::npos);
            const auto verified = verify(p, in, report->outputs);
            REQUIRE(!verified.has_value());
            CHECK(verified.error().text.find("index `row` is " + number + "; it must be a whole number from 0 to 8") !=
                  std::string::npos);
        }
    // Numbers that are not whole, and what is no number.
    for (const double wrong :
         {0.5, 1e300, -0.25, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        Kernel k("halves", machines::sm80);
        const auto C = k.output("C", {4}, f32), x = k.input("x", {1}, f64);
        one_block(k, 1, [&](Scope cta) { cta.fill(C(Interval(cta.index(load(x(Interval(0))), 0, 4), 1)), 1); });
        Bindings in;
        in.set("x", numbers({wrong}, f64));
        const auto report = run_it(k.program().value(), in, ways[0]);
        REQUIRE(report.has_value());
        CHECK(report->fault.kind == FaultKind::out_of_bounds);
    }
    // The other bound of a range that begins elsewhere, and one that is far from 0.
    CHECK(is_index({"x", -3, 2}, -3));
    CHECK(!is_index({"x", -3, 2}, 2));
    CHECK(!is_index({"x", -3, 2}, -4));
    CHECK(!is_index({"x", INT64_MIN, INT64_MAX}, 9.3e18));
}

TEST_CASE("blocks whose rows the data chooses may meet: that is seen", "[sim][run_time]")
{
    Kernel k("scattering", machines::sm80);
    const auto A = k.input("A", {4, 32}, f32), at = k.input("at", {4}, i32);
    const auto C = k.inout("C", {4, 32}, f32);
    k.cta(
        tiles(4, 1),
        [&](Scope cta, const Tile& block) {
            const Affine row = cta.index(load(at(Interval(block.index[0]))), 0, 4);
            cta.copy(C(Interval(row), all), A(Interval(block.index[0]), all));
        },
        1);
    const Program p = k.program().value();
    for (const bool meet : {false, true})
        for (const int threads : {1, 2}) {
            Bindings in;
            in.set("A", arrays::counting({4, 32}, f32));
            in.set("C", arrays::counting({4, 32}, f32));
            in.set("at", numbers(meet ? std::vector<double>{3, 2, 0, 2} : std::vector<double>{3, 2, 0, 1}));
            const auto lowered = required(lower(p));
            sim::RunOptions options;
            options.threads = threads;
            const auto report = required(sim::run(lowered->program, in, options));
            CHECK(report->fault.kind == (meet ? FaultKind::race : FaultKind::none));
        }
}

TEST_CASE("blocks that would be apart without what the data adds are not run side by side", "[sim][run_time]")
{
    // Block b writes row 2·b + x, x from the data: rows of two blocks may be one.
    Kernel k("shifted", machines::sm80);
    const auto A = k.input("A", {4, 32}, f32), at = k.input("at", {4}, i32);
    const auto C = k.inout("C", {10, 32}, f32);
    k.cta(
        tiles(4, 1),
        [&](Scope cta, const Tile& block) {
            const Affine x = cta.index(load(at(Interval(block.index[0]))), 0, 4);
            cta.copy(C(Interval(block.index[0] * 2 + x), all), A(Interval(block.index[0]), all));
        },
        1);
    const auto lowered = required(lower(k.program().value()));
    for (const bool meet : {false, true})
        for (const int threads : {1, 2, 4}) {
            Bindings in;
            in.set("A", arrays::counting({4, 32}, f32));
            in.set("C", arrays::counting({10, 32}, f32));
            in.set("at", numbers(meet ? std::vector<double>{0, 1, 3, 1} : std::vector<double>{0, 1, 2, 3}));
            sim::RunOptions options;
            options.threads = threads;
            const auto report = required(sim::run(lowered->program, in, options));
            CHECK(report->fault.kind == (meet ? FaultKind::race : FaultKind::none));
        }
}

TEST_CASE("what a kernel may say of an index, and how it is printed", "[program][run_time]")
{
    const std::string text = print(gathering(9, 8, 2, false));
    INFO(text);
    CHECK(text.find("let row = at[block0] in 0 .. 9\n") != std::string::npos);

    Kernel empty("empty", machines::sm80);
    const auto x = empty.input("x", {1}, i32);
    one_block(empty, 1, [&](Scope cta) { cta.index(load(x(Interval(0))), 4, 4, "none"); });
    REQUIRE(!empty.program().has_value());
    CHECK(empty.program().error().text.find("`none` is from 4 to below 4; that is no number") != std::string::npos);

    // A range made by hand, a variable that does not exist, and one used beyond the body around.
    Program p = gathering(9, 8, 2, false);
    p.variables.back().high = p.variables.back().low;
    REQUIRE(!validate(p).empty());
    CHECK(validate(p).front().text.find("`row` is from 0 to below 0; that is no number") != std::string::npos);
    Program q = gathering(9, 8, 2, false);
    auto& grid = std::get<Grid>(q.body.front().what);
    std::get<Let>(grid.body.front().what).var.id = 99;
    CHECK(!validate(q).empty());
    CHECK(!lower(q).has_value());
    Kernel late("late", machines::sm80);
    const auto A = late.input("A", {4}, f32), at = late.input("at", {1}, i32), C = late.output("C", {1}, f32);
    one_block(late, 1, [&](Scope cta) {
        Affine inside;
        cta.warps(0, 1, [&](Scope warp) { inside = warp.index(load(at(Interval(0))), 0, 4); });
        cta.copy(C, A(Interval(inside, 1)));
    });
    CHECK(!validate(late.program().value()).empty());

    // In step, all have one index.
    Kernel step("step", machines::sm80);
    const auto B = step.input("B", {32}, f32), to = step.input("to", {32}, i32), D = step.output("D", {32}, f32);
    one_block(step, 1, [&](Scope cta) {
        cta.each_thread({32}, [&](Scope lane, const std::vector<Affine>& t) {
            lane.copy(D(Interval(lane.index(load(to(Interval(t[0]))), 0, 32), 1)), B(Interval(t[0], 1)));
        });
    });
    const auto lowered = lower(step.program().value());
    REQUIRE(!lowered.has_value());
    CHECK(lowered.error().text.find("the index differs between the agents or lanes") != std::string::npos);
}

TEST_CASE("blocks take tiles from a counter in memory", "[sim][run_time]")
{
    // Three blocks of two warps; warp 0 takes the next tile of seven, and tells the other one by shared memory.
    const std::int64_t tiles_there = 7;
    Kernel k("counter", machines::sm80);
    const auto A = k.input("A", {tiles_there, 64}, f32), next = k.inout("next", {1}, i32),
               C = k.output("C", {tiles_there, 64}, f32);
    const auto taken = k.scalar("taken"), mine = k.scalar("mine");
    k.computes(C, A);
    k.cta(
        tiles(3, 1),
        [&](Scope cta, const Tile&) {
            const auto told = cta.alloc(Role::shared, {1}, i32, {}, "told");
            const auto take = [&] {
                cta.warps(0, 1, [&](Scope warp) {
                    warp.add_to_flag(next(Interval(0, 1)), 1, MemoryOrder::relaxed, Within::device, taken);
                    warp.when(taken < static_cast<int>(tiles_there), [&] { warp.fill(told, 0); }, [&] { warp.fill(told, 1); });
                });
                cta.sync();
            };
            take();
            cta.assign(mine, load(told(Interval(0))));
            cta.loop_while(equals(mine, 0), [&] {
                cta.warps(0, 1, [&](Scope warp) {
                    const Interval tile(warp.index(taken, 0, tiles_there, "tile"));
                    warp.copy(C(tile, all), A(tile, all));
                });
                cta.sync();
                take();
                cta.assign(mine, load(told(Interval(0))));
            });
        },
        2);
    const Program p = k.program().value();
    for (const int resident : {0, 1, 2})
        for (const Case& way : ways) {
            Bindings in;
            in.set("A", arrays::counting({tiles_there, 64}, f32));
            in.set("next", numbers({0}));
            const auto lowered = required(lower(p));
            sim::RunOptions options;
            options.level = way.level;
            options.counters = way.counters;
            options.resident = resident;
            const auto report = without_fault(sim::run(lowered->program, in, options));
            CHECK(report->outputs.find("next")->at(0) == 10); // each block is told once that none is left
            const auto verified = verify(p, in, report->outputs, {.against = Against::specification});
            REQUIRE(verified.has_value());
            CHECK(verified->ok());
        }
}
