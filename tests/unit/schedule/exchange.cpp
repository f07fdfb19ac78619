// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using namespace axe::literals;
using enum DType;

/// Copies between lanes, copies in the place of asynchronous ones, fills outside grids.

namespace {

Bindings counting(const Shape& shape, DType type = f32)
{
    Array a = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 101));
    Bindings out;
    out.set("A", std::move(a));
    return out;
}
const Choice& choice_of(const Lowered& lowered, int statement)
{
    for (const Choice& c : lowered.choices)
        if (c.statement == statement && c.schedule != "layout") return c;
    FAIL("no choice of statement " << statement);
    return lowered.choices.front();
}
void check_copy(const Program& p, const Bindings& in, std::int64_t n)
{
    const auto lowered = required(lower(p));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
        sim::RunOptions options;
        options.level = level;
        const auto report = without_fault(sim::run(lowered->program, in, options));
        for (std::int64_t i = 0; i < n; ++i)
            if (report->outputs.find("C")->at(i) != static_cast<double>(i % 101)) FAIL("element " << i);
    }
}

} // namespace

TEST_CASE("a copy between two register layouts goes through shared memory", "[exchange]")
{
    constexpr Layout rows = "(4,32,8):(1@warp,1@lane,1@reg)"_axe, columns = "(8,4,32):(1@reg,1@warp,1@lane)"_axe;
    for (const DType type : {f32, f16}) {
        Kernel k("k", machines::sm80);
        const auto A = k.input("A", {3, 1024}, type), C = k.output("C", {3, 1024}, type);
        k.cta(tiles(3, 1), [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::registers, {1024}, type, rows, "a");
            const auto d = cta.alloc(Role::registers, {1024}, f32, columns, "d");
            cta.loop(0, 2, 1, [&](const Affine&) { cta.copy(a, A(t.index[0], all)).copy(d, a).copy(C(t.index[0], all), d); });
        });
        const Program p = k.program().value();
        CHECK(validate(p).empty());
        const Choice c = choice_of(lower(p).value(), 5);
        CHECK(c.schedule == "through_shared");
        CHECK(c.detail == "1024 elements through smem");
        check_copy(p, counting({3, 1024}, type), 3072);
    }
    // Within one layout each lane copies by itself, as before.
    Kernel k("k", machines::sm80);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto a = cta.alloc(Role::registers, {1024}, f32, rows, "a"), d = cta.alloc(Role::registers, {1024}, f32, rows, "d");
        cta.fill(a, 1).copy(d, a);
    });
    CHECK(choice_of(lower(k.program().value()).value(), 4).schedule == "registers");
}

TEST_CASE("copy_async is a copy where the machine has no asynchronous copies, and the choice says so", "[exchange]")
{
    Kernel k("k", machines::cpu);
    const auto A = k.input("A", {256}, f32), C = k.output("C", {256}, f32);
    k.cta(tiles(A, {128}), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        cta.copy_async(s, A(t)).commit().wait().sync().copy(C(t), s);
    });
    const Program p = k.program().value();
    const Choice c = choice_of(lower(p).value(), 2);
    CHECK(c.schedule == "synchronous");
    CHECK(c.detail == "cpu has no asynchronous copies: a copy, complete at once");
    check_copy(p, counting({256}), 256);

    // A machine that has them declines what they cannot do.
    Kernel g("g", machines::sm80);
    const auto B = g.input("B", {128}, i8);
    g.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {127}, i8, {}, "s");
        cta.copy_async(s, B(Interval(1, 127)));
    });
    const auto lowered = lower(g.program().value());
    REQUIRE(!lowered.has_value());
    CHECK(lowered.error().text.find("no schedule implements this copy_async") != std::string::npos);
    CHECK(lowered.error().text.find("synchronous:") == std::string::npos); // of machines without asynchronous copies
}

TEST_CASE("a fill outside grids: each device fills what it holds", "[exchange]")
{
    const auto ran = [](const Program& p) {
        CHECK(validate(p).empty());
        const auto lowered = required(lower(p));
        auto report = required(sim::run(lowered->program, {}));
        return std::move(*report);
    };
    {
        Kernel k("k", machines::sm80);
        const auto C = k.output("C", {5, 7}, f16);
        k.fill(C, 2).fill(C(Interval(1, 3), Interval(5, 8)).guarded(), 3);
        const sim::Report report = ran(k.program().value());
        REQUIRE(report.ok());
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 7; ++j) CHECK(report.outputs.find("C")->at(i * 7 + j) == (i >= 1 && i < 4 && j >= 5 ? 3 : 2));
        CHECK(report.total.memories.at("gmem").bytes_written == 2 * 35 + 2 * 6);
        CHECK(verify(k.program().value(), {}, report.outputs)->ok());
    }
    for (const Layout& layout : {"(2,8):(1@gpuid,1@m)"_axe, "16:1@m + [2:1@gpuid]"_axe}) {
        Kernel k("k", mesh(machines::sm90, {2}).value());
        const auto C = k.output("C", {16}, f32, layout);
        k.fill(C, 4);
        const sim::Report report = without_fault(ran(k.program().value()));
        for (int i = 0; i < 16; ++i) CHECK(report.outputs.find("C")->at(i) == 4);
    }
    Kernel k("k", mesh(machines::sm90, {2}).value());
    const auto C = k.output("C", {16}, f32, "(2,8):(1@gpuid,1@m)"_axe);
    k.devices(0, 1, [&](Scope one) { one.fill(C, 4); });
    const auto lowered = lower(k.program().value());
    REQUIRE(!lowered.has_value());
    CHECK(lowered.error().text.find("C has elements on device 1, which does not run this statement") != std::string::npos);
}

TEST_CASE("a guarded view that is wholly outside its tensor reads zeros and writes nothing", "[exchange]")
{
    Kernel k("k", machines::sm80);
    const auto A = k.input("A", {256}, f32), C = k.output("C", {256}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {2, 128}, f32, {}, "s");
        cta.copy_async(s(Interval(0), all), A(Interval(0, 128)).guarded()).commit();
        cta.loop(0, 2, 1, [&](const Affine& i) { // the last round prefetches what is not there
            cta.copy_async(s(Interval(1), all), A(Interval(128 * i + 128, 128)).guarded()).commit().wait().sync();
            cta.copy(C(Interval(128 * i, 128)), s(Interval(0), all)).sync();
            cta.copy(s(Interval(0), all), s(Interval(1), all)).sync();
        });
        cta.copy_async(s(Interval(1), all), A(Interval(256, 128)).guarded()).commit().wait().sync();
        cta.copy(C(Interval(512, 128)).guarded(), s(Interval(1), all));
    });
    const Program p = k.program().value();
    const auto problems = validate(p);
    CHECK((problems.empty() ? "" : problems.front().text).empty());
    check_copy(p, counting({256}), 256);
}

TEST_CASE("a matrix product takes rows from registers that are not fragments", "[exchange]")
{
    Kernel k("k", machines::sm80);
    const auto A = k.input("A", {32, 16}, f16), B = k.input("B", {16, 8}, f16), C = k.output("C", {32, 8}, f32);
    one_block(k, 1, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, {32, 16}, f16, "(32,16):(1@lane,1@reg)"_axe, "a");
        const auto b = cta.alloc(Role::shared, {16, 8}, f16, conflict_free, "b");
        const auto d = cta.alloc(Role::accumulator, {32, 8}, f32, accumulator, "d");
        cta.copy(a, A).copy(b, B).fill(d, 0).sync().gemm(d, a, b).copy(C, d);
    });
    const Program p = k.program().value();
    const auto lowered = required(lower(p));
    CHECK(choice_of(*lowered, 8).schedule == "mma_sync");
    Bindings in = counting({32, 16}, f16);
    Array b = Array::make({16, 8}, f16).value();
    for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, static_cast<double>(i % 7) - 3);
    in.set("B", std::move(b));
    const auto report = without_fault(sim::run(lowered->program, in));
    CHECK(verify(p, in, report->outputs)->ok());
}
