// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/mesh.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/programs/trial.hpp>
#include <tests/required.hpp>

#include <limits>

/// The smallest of the programs that random ones found wrong.

using namespace axe;
using enum DType;
using namespace axe::literals;
using programs::Fate;

namespace {

/// Lowered, run and held against the reference; what went wrong, if anything.
void check_right(const Kernel& kernel)
{
    const auto program = required(kernel.program());
    laws::Random r(1);
    const auto trial = programs::attempt(*program, programs::random_inputs(*program, r, 1));
    INFO(trial.text);
    CHECK(trial.fate == Fate::right);
}

} // namespace

TEST_CASE("a product of fewer tiles than warps: warps without a tile do not issue")
{
    for (const int warps : {2, 3, 5}) {
        INFO(warps << " warps");
        Kernel k("gemm", machines::sm80);
        const auto a = k.input("A", {16, 16}, f16), b = k.input("B", {16, 8}, f16);
        const auto d = k.output("D", {16, 8}, f32);
        k.cta(
            tiles(d, {16, 8}),
            [&](Scope cta, const Tile& t) {
                const auto here = cta.alloc(Role::shared, {16, 8}, f16, conflict_free);
                const auto acc = cta.alloc(Role::accumulator, {16, 8}, f32, accumulator);
                cta.copy(here, b).sync();
                cta.gemm(acc, a, here, {.accumulate = false});
                cta.copy(d(t), acc);
            },
            warps);
        check_right(k);
    }
}

TEST_CASE("a reduction into a memory, from registers that several lanes have, is added once")
{
    Kernel k("reduce", machines::sm80);
    const auto a = k.input("A", {3, 16}, f32);
    const auto d = k.inout("D", {16}, f32);
    one_block(k, 1, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {3, 16}, f32, Layout{{{3, 1, "reg"}, {16, 1, "lane"}}, {{2, 16, "lane"}}, {}});
        const auto s = cta.alloc(Role::shared, {16}, f32);
        cta.copy(r, a).copy(s, d).sync();
        cta.reduce(Function::add, s, r, {0}, true).sync();
        cta.copy(d, s);
    });
    check_right(k);
}

TEST_CASE("x = x + r where several lanes have r: who stores x has read it, and no agent else does")
{
    Kernel k("map", machines::sm80);
    const auto a = k.input("A", {8}, f32);
    const auto d = k.inout("D", {8}, f32);
    one_block(k, 2, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, {8}, f32, Layout{{{8, 1, "lane"}}, {{2, 8, "lane"}, {2, 1, "warp"}}, {}});
        const auto s = cta.alloc(Role::shared, {8}, f32);
        cta.copy(r, a).copy(s, d).sync();
        cta.binary(Function::add, s, s, r).sync();
        cta.copy(d, s);
    });
    check_right(k);
}

TEST_CASE("registers that a variable moves by less than lie next to each other in a lane")
{
    // By one of 12 registers, by 3 of 56; of operands that are in a memory the lanes keep copies, which move alike.
    for (const DType type : {i8, i32}) {
        Kernel k("moving", machines::sm80);
        const auto T = k.inout("T", {8}, i8);
        const auto C = k.output("C", {2, 12}, type);
        k.cta(
            tiles(Shape{2}, {1}),
            [&](Scope cta, const Tile& t) {
                const auto r = cta.alloc(Role::registers, {12}, type, "12:1@reg"_axe, "r");
                cta.fill(r, 2);
                const Interval moved(t.index[0] + 1, 6);
                cta.map(Function::add, r(moved), {r(moved), T(Interval(t.index[0], 6))});
                cta.copy(C(t.index[0], all), r);
            },
            1);
        check_right(k);
    }
    Kernel k("rows", machines::sm80);
    const auto A = k.input("A", {4, 3}, bf16);
    const auto C = k.output("C", {2, 4, 3}, bf16);
    k.cta(
        tiles(Shape{2}, {1}),
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {7, 8}, i8, "56:1@reg"_axe, "r");
            const Affine i = t.index[0];
            cta.fill(r, 1);
            cta.map(Function::fma, C(i, all, all), {r(Interval(3 * i, 4), Interval(3 * i + 2, 3)), A, A});
        },
        2);
    check_right(k);
}

TEST_CASE("the element that a lane holds, where a variable moves the view within the lane's own")
{
    // Four elements of each lane: the view of one of each four moves by one.
    Kernel k("own", machines::sm80);
    const auto A = k.input("A", {32, 4}, f32);
    const auto C = k.output("C", {4, 32}, f32);
    k.cta(
        tiles(Shape{4}, {1}),
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {32, 4}, f32, "(32,4):(1@lane,1@reg)"_axe, "r");
            cta.copy(r, A);
            cta.copy(C(t.index[0], all), r(all, t.index[0]));
        },
        1);
    check_right(k);
}

TEST_CASE("a loop in steps of whole blocks moves a view of registers, and its lanes stay")
{
    // Element 16·t + i of 64 is in lane t mod 2 of its block of 32: blocks lie in registers of their own.
    for (const Machine& machine : {machines::sm80, machines::cpu}) {
        const bool lanes = &machine != &machines::cpu && machine.name == machines::sm80.name;
        Kernel k("blocks", machine);
        const auto A = k.input("A", {64}, f32);
        const auto C = k.output("C", {64}, f32);
        k.cta(
            tiles(Shape{1}, {1}),
            [&](Scope cta, const Tile&) {
                const auto r =
                    cta.alloc(Role::registers, {64}, f32,
                              lanes ? "(2,2,16):(16@reg,1@lane,1@reg)"_axe : "(2,2,16):(16@reg,1@thread,1@reg)"_axe, "r");
                cta.copy(r, A);
                cta.loop(0, 64, 32, [&](const Affine& i) { cta.copy(C(Interval(i, 32)), r(Interval(i, 32))); });
            },
            lanes ? 1 : 2);
        check_right(k);
    }
}

TEST_CASE("a view of registers at a loop's only value, where the layout has digits that cross dimensions")
{
    Kernel k("once", machines::sm80);
    const auto A = k.input("A", {31, 3}, f32);
    const auto C = k.output("C", {31, 3}, f32);
    k.cta(
        tiles(Shape{1}, {1}),
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {31, 3}, f32, "(3,31):(1@reg,1@lane)"_axe, "r");
            cta.copy(r, A);
            cta.loop(0, 1, 1, [&](const Affine& i) { cta.copy(C(all, i + 2), r(all, i + 2)); });
            cta.loop(0, 1, 1, [&](const Affine& i) { cta.copy(C(all, Interval(i, 2)), r(all, Interval(i + t.index[0], 2))); });
            // Never taken.
            cta.loop(0, 1, 1, [&](const Affine& i) {
                cta.when(i < 0, [&] { cta.copy(C(Interval(i + 30, 1), 0), r(Interval(i + 30, 1), 0)); });
            });
        },
        1);
    check_right(k);
}

TEST_CASE("rows of a view that has none are found by validate, lower and run alike")
{
    for (const bool gathers : {true, false}) {
        Kernel k("rows", machines::cpu);
        const auto T = k.inout("T", {3}, i32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto none = T(0).repeated(0, 2);
            if (gathers)
                cta.gather(T(Interval(0, 2)), none, T(Interval(0, 2)));
            else
                cta.scatter(none, T(Interval(0, 2)), T(Interval(0, 2)));
        });
        const auto p = k.program();
        const auto problems = p ? validate(*p) : std::vector<axe::Problem>{p.error()};
        REQUIRE(problems.size() == 1);
        const std::string& said = problems.front().text;
        INFO(said);
        CHECK(said.find(" has no rows") != std::string::npos);
        if (p) CHECK_FALSE(lower(*p));
    }
}

TEST_CASE("numbers at the ends of their range in views and layouts: a message or a run, and no number overflows")
{
    constexpr std::int64_t large[] = {std::int64_t{1} << 31, std::int64_t{1} << 40, (std::int64_t{1} << 52) + 1,
                                      std::int64_t{1} << 59, std::int64_t{1} << 61, std::numeric_limits<std::int64_t>::max() - 1};
    for (const std::int64_t number : large)
        for (const std::int64_t sign : {1, -1})
            for (int where = 0; where < 5; ++where)
                for (const Machine* m : {&machines::sm80, &machines::cpu}) {
                    Kernel k("far", *m);
                    const auto A = k.inout("A", {8, 33}, f32);
                    const auto B = k.inout("B", {4, 33}, f16);
                    k.cta(tiles(Shape{2}, {1}), [&](Scope cta, const Tile& t) {
                        cta.copy(B(Interval(2 * t.index[0], 2), all).guarded(), A(Interval(t.index[0], 2), all).guarded());
                    });
                    Program p = k.program().value();
                    for_each_statement(p.body, [&](Statement& s) {
                        auto* o = std::get_if<Operation>(&s.what);
                        if (o == nullptr) return;
                        View& v = o->operands[1];
                        if (where == 0) v.origin[0] = sign * number;
                        if (where == 1) v.steps[0] = sign * number;
                        if (where == 2) v.origin[1] = v.origin[0] * (sign * number);
                    });
                    if (where == 3) p.tensors[0].layout.layout.shard[0].stride = sign * number;
                    if (where == 4) p.tensors[1].base = number;
                    INFO(print(p));
                    const auto problems = validate(p);
                    const auto lowered = lower(p);
                    Bindings in;
                    in.set("A", Array::make({8, 33}, f32).value());
                    in.set("B", Array::make({4, 33}, f16).value());
                    (void)reference(p, in);
                    if (!lowered) continue;
                    const auto report = sim::run(lowered->program, in);
                    INFO((report ? report->fault.text : report.error().text));
                    if (!report && problems.empty()) CHECK(report.error().code == errc::capacity);
                }
}

TEST_CASE("a copy from a tensor to another part of it: the elements as they were before, or a fault")
{
    const Machine two = mesh(machines::sm80, Shape{2}).value();
    for (const Machine* m : {&machines::trn1, &machines::trn2, &two, &machines::sm80, &machines::cpu})
        for (const std::int64_t by : {1, -1, 3})
            for (const bool in_block : {false, true}) {
                INFO(m->name << " by " << by << (in_block ? " in a block" : ""));
                Kernel k("shift", *m);
                const auto T = k.inout("T", {9, 33}, f16);
                const Interval to(by > 0 ? by : 0, 6), from(by > 0 ? 0 : -by, 6);
                if (in_block)
                    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.copy(T(to, all), T(from, all)); });
                else
                    k.copy(T(to, all), T(from, all));
                const auto program = required(k.program());
                laws::Random r(1);
                const auto trial = programs::attempt(*program, programs::random_inputs(*program, r, 1));
                INFO(programs::name(trial.fate) << ": " << trial.text);
                if (in_block)
                    CHECK((trial.fate == Fate::right || trial.fate == Fate::faulty || trial.fate == Fate::declined));
                else
                    CHECK((trial.fate == Fate::right || trial.fate == Fate::declined));
            }
}

TEST_CASE("a tensor on more partitions than the memory has: validate and lower say the same")
{
    Kernel k("shift", machines::trn1);
    const auto A = k.input("A", {129, 4}, f16);
    k.cta(tiles(1, 1), [&](Scope core, const Tile&) {
        const auto here = core.alloc(Role::shared, {129, 4}, f16, parse_layout("(129,4):(1@P,1@F)").value(), "here");
        core.copy(here, A);
    });
    const Program p = k.program().value();
    const std::string said = "shift, tensor `here`: its layout (129,4):(1@P,1@F) goes up to 128 on P, which has 0 to 127";
    const auto problems = validate(p);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].text == said);
    const auto lowered = lower(p);
    REQUIRE(!lowered);
    CHECK(lowered.error().text == said);
}
