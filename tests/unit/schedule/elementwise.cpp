// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>

#include "lowered.hpp"

#include <catch.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum axe::DType;

namespace {

Lowered lowered(const Kernel& k)
{
    const auto program = required(k.program());
    return *required(lower(*program));
}

std::vector<double> counted(std::size_t n, double from, double step)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(from + step * static_cast<double>(i));
    return out;
}

} // namespace

TEST_CASE("fill writes each place once: all copies of a register tensor, a memory in vectors")
{
    Kernel k("fill", machines::sm80);
    auto C = k.output("C", {24, 16}, f32);
    int r_id = -1;
    k.cta(tiles(C, {24, 16}), [&](Scope cta, const Tile& t) {
        Layout held{{{24, 1, Axis{"lane"}}, {16, 1, Axis{"reg"}}}, {{4, 1, Axis{"warp"}}}};
        auto r = cta.alloc(Role::registers, {24, 16}, f32, held);
        r_id = r.id();
        cta.fill(r, 2.5);
        cta.fill(C(t), -1);
    });
    const Lowered l = lowered(k);
    const auto is = instructions_of(l.program);
    REQUIRE(is.size() == 2);
    CHECK(is[0].text == "mov.b32");
    CHECK(is[1].text == "st.global.v4.b32");
    naive::State s = naive::run_program(l.program, {});
    CHECK(s.fault == "");
    CHECK(s.writes[r_id].size() == 24 * 16 * 4);
    for (const auto& [tensor, places] : s.writes)
        for (const auto& [point, writes] : places) REQUIRE(writes == 1);
    CHECK(naive::values_of_tensor(l.program, s, r_id) == std::vector<double>(24 * 16, 2.5));
    CHECK(naive::values_of_tensor(l.program, s, C.id()) == std::vector<double>(24 * 16, -1));
}

TEST_CASE("a map of registers is done by the lanes that hold them, of memories in temporaries of registers")
{
    // Each operand in registers, shared or global memory; a vector that repeats along rows among them.
    for (const bool d_in_registers : {true, false})
        for (const bool a_in_registers : {true, false})
            for (const Machine* m : {&machines::sm80, &machines::cpu}) {
                Kernel k("map", *m);
                auto A = k.input("A", {16, 24}, f32), B = k.input("B", {24}, f32), C = k.output("C", {16, 24}, f32);
                k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
                    auto a = cta.alloc(Role::registers, {16, 24}, f32, LayoutHint::registers, "a");
                    auto d = cta.alloc(Role::registers, {16, 24}, f32, LayoutHint::registers, "d");
                    cta.copy(a, A);
                    const ViewRef from = a_in_registers ? static_cast<ViewRef>(a) : A;
                    const ViewRef to = d_in_registers ? static_cast<ViewRef>(d) : C;
                    cta.binary(Function::mul, to, from, B.repeated(0, 16));
                    if (d_in_registers) cta.copy(C, d);
                });
                const Lowered l = lowered(k);
                naive::State s = naive::run_program(l.program, {{A.id(), counted(384, 1, 1)}, {B.id(), counted(24, -3, 2)}});
                CHECK(s.fault == "");
                std::vector<double> expected;
                for (int i = 0; i < 384; ++i) expected.push_back((i + 1) * (-3 + 2 * (i % 24)));
                CHECK(naive::values_of_tensor(l.program, s, C.id()) == expected);
            }
}

TEST_CASE("a map of memories alone moves vectors, over tails and odd sizes")
{
    for (const std::int64_t n : {1, 5, 64, 100, 127, 512, 1000}) {
        Kernel k("map", machines::sm80);
        auto A = k.input("A", {n}, f32), C = k.output("C", {n}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.unary(Function::neg, C, A); });
        const Lowered l = lowered(k);
        const auto is = instructions_of(l.program);
        REQUIRE(is.size() == 3);
        CHECK(is[0].operands[0].distribution->vector == (n % 4 == 0 ? 4 : 1));
        const auto s = naive::run_program(l.program, {{A.id(), counted(static_cast<std::size_t>(n), 1, 1)}});
        CHECK(s.fault == "");
        CHECK(naive::values_of_tensor(l.program, s, C.id()) == counted(static_cast<std::size_t>(n), -1, -1));
    }
}

TEST_CASE("a map of registers that other lanes hold is declined, with the element and the lanes")
{
    Kernel k("map", machines::sm80);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        auto a = cta.alloc(Role::registers, {32}, f32, make_layout({{32, 1, Axis{"lane"}}}), "a");
        auto d = cta.alloc(Role::registers, {32}, f32, make_layout({{32, 1, Axis{"reg"}}}), "d");
        cta.unary(Function::neg, d, a);
    });
    const auto l = lower(*k.program());
    REQUIRE_FALSE(l);
    CHECK(l.error().text.find("element 1 of the views has no lane: a does not have it in agent 0, lane 0, where d does") !=
          std::string::npos);
}

TEST_CASE("gather and scatter choose rows by an index")
{
    const std::vector<double> index{5, 0, 5, 11, 3, 2, 1, 7};
    for (const bool in_registers : {true, false}) {
        Kernel k("gather", machines::sm80);
        auto A = k.input("A", {12, 6}, f32), I = k.input("I", {8}, i32), C = k.output("C", {8, 6}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            auto r = cta.alloc(Role::registers, {8, 6}, f32, LayoutHint::registers, "r");
            if (in_registers)
                cta.gather(r, A, I).copy(C, r);
            else
                cta.gather(C, A, I);
        });
        const Lowered l = lowered(k);
        const auto s = naive::run_program(l.program, {{A.id(), counted(72, 0, 1)}, {I.id(), index}});
        CHECK(s.fault == "");
        std::vector<double> expected;
        for (const double row : index)
            for (int c = 0; c < 6; ++c) expected.push_back(row * 6 + c);
        CHECK(naive::values_of_tensor(l.program, s, C.id()) == expected);
    }
    const std::vector<double> apart{5, 0, 9, 11, 3, 2, 1, 7};
    for (const bool in_registers : {true, false}) {
        Kernel k("scatter", machines::sm80);
        auto A = k.input("A", {8, 6}, f32), I = k.input("I", {8}, i32), C = k.output("C", {12, 6}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            // In all four warps: one of them is to scatter.
            Layout held{{{8, 4, Axis{"lane"}}, {6, 1, Axis{"reg"}}}, {{4, 1, Axis{"warp"}}}};
            auto r = cta.alloc(Role::registers, {8, 6}, f32, held, "r");
            cta.copy(r, A);
            cta.scatter(C, I, in_registers ? static_cast<ViewRef>(r) : A);
        });
        const Lowered l = lowered(k);
        naive::State s = naive::run_program(l.program, {{A.id(), counted(48, 0, 1)}, {I.id(), apart}});
        CHECK(s.fault == "");
        for (const auto& [point, writes] : s.writes[C.id()]) CHECK(writes == 1);
        const auto values = naive::values_of_tensor(l.program, s, C.id());
        for (std::size_t i = 0; i < apart.size(); ++i)
            for (std::size_t c = 0; c < 6; ++c)
                CHECK(values[static_cast<std::size_t>(apart[i]) * 6 + c] == static_cast<double>(i * 6 + c));
        CHECK(values[4 * 6] == -1000000);
    }
}

TEST_CASE("an atomic applies each element once, also where copies are held, and many to one place")
{
    for (const bool in_registers : {true, false}) {
        Kernel k("atomic", machines::sm80);
        auto A = k.input("A", {16, 8}, f32), C = k.inout("C", {8}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            Layout held{{{16, 1, Axis{"lane"}}, {8, 1, Axis{"reg"}}}, {{2, 16, Axis{"lane"}}}};
            auto r = cta.alloc(Role::registers, {16, 8}, f32, held, "r");
            cta.copy(r, A);
            cta.atomic(Function::add, C.repeated(0, 16), in_registers ? static_cast<ViewRef>(r) : A);
        });
        const Lowered l = lowered(k);
        CHECK(instructions_of(l.program).back().text == "atom.global.add.f32");
        const auto s = naive::run_program(l.program, {{A.id(), counted(128, 0, 1)}, {C.id(), counted(8, 1000, 0)}});
        CHECK(s.fault == "");
        std::vector<double> expected;
        for (int c = 0; c < 8; ++c) expected.push_back(1000 + 16 * c + 8 * (15 * 16 / 2));
        CHECK(naive::values_of_tensor(l.program, s, C.id()) == expected);
    }
}
