// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// Elements of 4 and 6 bits share bytes of global and of shared memory: two lanes that write parts of one are a race.

namespace {

struct SharedBytes {
    DType type = e2m1;
    Layout registers = "(32,2):(1@lane,1@reg)"_axe; ///< of 64 elements
    Machine machine = machines::sm100;
};

sim::Report shared_bytes_run(const Kernel& k, const Shape& shape, DType type, sim::RunOrder order = sim::RunOrder::issue)
{
    Bindings in;
    in.set("A", arrays::counting(shape, type));
    if (k.program()->tensors[1].binding == Binding::inout) in.set("C", arrays::counting(k.program()->tensors[1].shape, type));
    const auto lowered = required(lower(k.program().value()));
    sim::RunOptions options;
    options.order = order;
    return sim::run(lowered->program, in, options).value();
}
sim::Report shared_bytes_copy(const SharedBytes& f)
{
    Kernel k("shared_bytes", f.machine);
    const auto A = k.input("A", {64}, f.type), C = k.output("C", {64}, f.type);
    one_block(k, 1, [&](Scope c) {
        const auto r = c.alloc(Role::registers, {64}, f.type, f.registers, "r");
        c.copy(r, A).copy(C, r);
    });
    return shared_bytes_run(k, {64}, f.type);
}

} // namespace

TEST_CASE("shared bytes: lanes that write whole bytes, and lanes that write parts of one", "[shared_bytes]")
{
    // Which lanes have elements that share a byte: of 4 bits 2 are in one, of 6 bits 4 in three.
    struct Case {
        Layout registers;
        bool of_four, of_six;
    };
    for (const Case& c : {Case{"(32,2):(1@lane,1@reg)"_axe, false, true},
                          {"(2,32):(1@reg,1@lane)"_axe, true, true},
                          {"(16,4):(1@lane,1@reg)"_axe, false, false},
                          {"(2,16,2):(2@reg,1@lane,1@reg)"_axe, false, true},
                          {"64:1@reg"_axe, false, false}})
        for (const DType type : {e2m1, i4, e3m2, e2m3, e4m3}) {
            CAPTURE(name(type), print(c.registers));
            const bool races = bits(type) == 4 ? c.of_four : bits(type) == 6 && c.of_six;
            const auto report = shared_bytes_copy({type, c.registers});
            INFO(report.fault.text);
            CHECK(report.fault.kind == (races ? FaultKind::race : FaultKind::none));
            // Elsewhere they have bytes of their own.
            CHECK(shared_bytes_copy({type, c.registers, machines::sm80}).ok());
        }
    const auto report = shared_bytes_copy({e2m1, "(2,32):(1@reg,1@lane)"_axe});
    CHECK_THAT(report.fault.text,
               Catch::Contains("lane 0 of agent 0, element (0) of C (gmem byte 0), of 4 bits in one byte with what is at "
                               "gmem byte 1, is written here and by lane 1 of agent 0 in statement"));
}

TEST_CASE("shared bytes: what is ordered is merged, what is not is a race, in all orders", "[shared_bytes]")
{
    for (const bool ordered : {false, true})
        for (const bool fills : {false, true})
            for (const sim::RunOrder order : sim::all_run_orders) {
                Kernel k("halves", machines::sm100);
                const auto A = k.input("A", {64}, e2m1), C = k.output("C", {64}, e2m1);
                one_block(k, 2, [&](Scope c) {
                    const auto half = [&](int warp) {
                        c.warps(warp, 1, [&](Scope w) {
                            for (int i = warp; i < 8; i += 2) {
                                if (fills) {
                                    w.fill(C(Interval(i, 1)), 1);
                                    continue;
                                }
                                const auto r = w.alloc(Role::registers, {1}, e2m1, Layout{{}, {}, {{Axis{"warp"}, warp}}}, "r");
                                w.copy(r, A(Interval(i, 1))).copy(C(Interval(i, 1)), r);
                            }
                        });
                    };
                    c.fill(C, 0).sync();
                    half(0);
                    if (ordered) c.sync();
                    half(1);
                });
                const auto report = shared_bytes_run(k, {64}, e2m1, order);
                INFO(name(order) << (fills ? ", fills: " : ", copies: ") << report.fault.text);
                CHECK(report.fault.kind == (ordered ? FaultKind::none : FaultKind::race));
            }
}

TEST_CASE("shared bytes: scatters, and rows of an odd number of elements in several blocks", "[shared_bytes]")
{
    for (const bool apart : {false, true}) {
        Kernel k("scattered", machines::sm100);
        const auto A = k.input("A", {32}, e2m1), C = k.inout("C", {64}, e2m1);
        one_block(k, 1, [&](Scope c) {
            const auto at = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "at"),
                       by = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "by");
            c.iota(at, 0).fill(by, apart ? 2 : 1).binary(Function::mul, at, at, by).scatter(C, at, A);
        });
        const auto report = shared_bytes_run(k, {32}, e2m1);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (apart ? FaultKind::none : FaultKind::race));
    }
    for (const std::int64_t columns : {33, 34}) {
        Kernel k("rows", machines::sm100);
        const auto A = k.input("A", {2, columns}, e2m1), C = k.output("C", {2, columns}, e2m1);
        k.cta(
            tiles(2, 1),
            [&](Scope c, const Tile& t) {
                const auto r = c.alloc(Role::registers, {columns}, e2m1, Layout{{{columns, 1, Axis{"reg"}}}}, "r");
                c.copy(r, A(t.index[0], all)).copy(C(t.index[0], all), r);
            },
            1);
        const auto report = shared_bytes_run(k, {2, columns}, e2m1);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (columns % 2 == 0 ? FaultKind::none : FaultKind::race));
    }
}

TEST_CASE("shared bytes: of shared memory, by lanes, asynchronous copies and another block", "[shared_bytes]")
{
    // A goes to shared memory as lanes hold it, or by copies of so many bytes, and from there to C.
    const auto through = [](DType type, const Layout& held, const Machine& machine) {
        Kernel k("through_shared", machine);
        const auto A = k.input("A", {64}, type), C = k.output("C", {64}, type);
        one_block(k, 1, [&](Scope c) {
            const auto r = c.alloc(Role::registers, {64}, type, held, "r");
            const auto s = c.alloc(Role::shared, {64}, type, {}, "s");
            const auto whole = c.alloc(Role::registers, {64}, type, "64:1@reg"_axe, "whole");
            c.copy(r, A).copy(s, r).sync().copy(whole, s).copy(C, whole);
        });
        return shared_bytes_run(k, {64}, type);
    };
    for (const DType type : {e2m1, i4, e3m2, e2m3, e4m3})
        for (const auto& [held, of_four, of_six] : {std::tuple{"(32,2):(1@lane,1@reg)"_axe, false, true},
                                                    {"(2,32):(1@reg,1@lane)"_axe, true, true},
                                                    {"(16,4):(1@lane,1@reg)"_axe, false, false},
                                                    {"64:1@reg"_axe, false, false}}) {
            CAPTURE(name(type), print(held));
            // C has whole bytes of one lane; A is only read.
            const bool races = bits(type) == 4 ? of_four : bits(type) == 6 && of_six;
            const auto report = through(type, held, machines::sm100);
            INFO(report.fault.text);
            CHECK(report.fault.kind == (races ? FaultKind::race : FaultKind::none));
            CHECK(through(type, held, machines::sm90).ok());
        }
    const auto report = through(e2m1, "(2,32):(1@reg,1@lane)"_axe, machines::sm100);
    CHECK_THAT(report.fault.text,
               Catch::Contains("element (0) of s (smem byte 0), of 4 bits in one byte with what is at smem byte 1, is written"));
    // Two warps, in all orders; a block behind another one in the same memory; and a tensor that a loop allocates again.
    for (const bool ordered : {false, true})
        for (const sim::RunOrder order : sim::all_run_orders) {
            Kernel k("warps", machines::sm100);
            const auto A = k.input("A", {64}, e2m1), C = k.output("C", {3, 64}, e2m1);
            k.cta(
                tiles(3, 1),
                [&](Scope c, const Tile& t) {
                    c.loop(0, 2, 1, [&](const Affine&) {
                        const auto s = c.alloc(Role::shared, {64}, e2m1, {}, "s");
                        c.fill(s(Interval(2, 62)), 1);
                        for (int warp = 0; warp < 2; ++warp) {
                            c.warps(warp, 1, [&](Scope w) { w.fill(s(Interval(warp, 1)), 2); });
                            if (ordered) c.sync();
                        }
                        c.sync().copy(C(t.index[0], all), s).sync();
                    });
                },
                2);
            const auto run = shared_bytes_run(k, {64}, e2m1, order);
            INFO(name(order) << ": " << run.fault.text);
            CHECK(run.fault.kind == (ordered ? FaultKind::none : FaultKind::race));
        }
    // Blocks of a cluster that write the halves of a byte in the memory of one of them.
    for (const bool ordered : {false, true}) {
        Kernel k("blocks", machines::sm100);
        const auto A = k.input("A", {64}, e2m1), C = k.output("C", {64}, e2m1);
        k.cta(
            tiles(2, 1), {{2}},
            [&](Scope c, const Tile& t) {
                const auto s = c.alloc(Role::shared, {64}, e2m1, {}, "s");
                c.fill(s, 1).cluster_sync();
                c.when(equals(t.rank, 0), [&] { c.fill(s(Interval(0, 1)), 2); });
                if (ordered) c.cluster_sync();
                c.when(equals(t.rank, 1), [&] { c.fill(s(Interval(1, 1)).of_block(0), 2); });
                c.cluster_sync();
                c.when(equals(t.rank, 0), [&] { c.copy(C, s); });
            },
            1);
        const auto run = shared_bytes_run(k, {64}, e2m1);
        INFO(run.fault.text);
        CHECK(run.fault.kind == (ordered ? FaultKind::none : FaultKind::race));
    }
}
