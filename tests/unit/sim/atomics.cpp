// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/required.hpp>

#include "boxes.hpp"

#include <axe/sim/memory/shadow.hpp>

using namespace boxes;
using enum axe::DType;

namespace {

/// Lane l of agent a takes element f(a, l) of a view; −1: none.
std::shared_ptr<const Distribution> lanes(int agents, const std::function<Int(int, int)>& f)
{
    auto out = std::make_shared<Distribution>();
    out->agents = agents;
    out->lanes = 32;
    for (int a = 0; a < agents; ++a)
        for (int l = 0; l < 32; ++l) out->element.push_back(static_cast<std::int32_t>(f(a, l)));
    return out;
}
std::shared_ptr<const Distribution> own(int agents)
{
    return lanes(agents, [](int a, int l) { return a * 32 + l; });
}

Instruction simt(const char* opcode, int agents, std::vector<Access> operands, Function f = Function::identity)
{
    Instruction out;
    out.opcode = out.text = opcode;
    out.operands = std::move(operands);
    out.agents = agents;
    out.function = f;
    return out;
}

/// An element for each lane of four warps.
const Layout by_lane = [] {
    Layout out;
    out.shard = {{4, 1, "warp"}, {32, 1, "lane"}};
    return out;
}();

sim::Fault fault_of(const std::function<void(Scope, const TensorRef&, const TensorRef&, const TensorRef&)>& body, Int blocks = 1)
{
    Kernel k("faulty", machines::sm80);
    const auto d = k.inout("D", {16}, i32);
    k.cta(tiles(blocks, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc("reg", {128}, i32, by_lane, "r");
        const auto s = cta.alloc("smem", {16}, i32, {}, "s");
        Instruction one = simt("fill", 4, {{r.view(), own(4)}});
        one.number = 1;
        cta.call(one);
        body(cta, d, r, s);
    });
    Bindings in;
    in.set("D", arrays::counting({16}, i32));
    auto report = required(sim::run(k.program().value(), in));
    return report->fault;
}

} // namespace

TEST_CASE("atomic operations of all lanes and blocks add up", "[sim][atomics]")
{
    Kernel k("histogram", machines::sm80);
    const auto d = k.inout("D", {16}, i32);
    k.cta(tiles(5, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc("reg", {128}, i32, by_lane, "r");
        Instruction one = simt("fill", 4, {{r.view(), own(4)}});
        one.number = 1;
        cta.call(one);
        cta.call(simt("atomic", 4,
                      {{d.view(), lanes(4, [](int a, int l) { return l == 31 ? -1 : (a + l) % 16; })}, {r.view(), own(4)}},
                      Function::add));
    });
    std::vector<double> expected;
    for (int bin = 0; bin < 16; ++bin) {
        expected.push_back(bin);
        for (int a = 0; a < 4; ++a)
            for (int l = 0; l < 31; ++l) expected.back() += (a + l) % 16 == bin ? 5 : 0;
    }
    Bindings in;
    in.set("D", arrays::counting({16}, i32));
    for (const auto level : {sim::Level::full, sim::Level::fast}) {
        const auto report = run(k.program().value(), in, level, 2);
        REQUIRE(report.ok());
        for (int bin = 0; bin < 16; ++bin) REQUIRE(report.outputs.find("D")->at(bin) == expected[static_cast<std::size_t>(bin)]);
        if (level == sim::Level::fast) continue;                                // nothing is counted
        REQUIRE(report.total.memories.at("gmem").bytes_read == 5 * 4 * 31 * 4); // what is written is read as well
        REQUIRE(report.total.memories.at("gmem").bytes_written == 5 * 4 * 31 * 4);
        REQUIRE(report.total.integer_ops == 5 * 4 * 31);
    }
}

TEST_CASE("an exchange leaves what the last lane of the last agent brought", "[sim][atomics]")
{
    Kernel k("exchange", machines::sm80);
    const auto a = k.input("A", {128}, f32), d = k.inout("D", {1}, f16);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc("reg", {128}, f32, by_lane, "r");
        cta.call(simt("move", 4, {{r.view(), own(4)}, {a.view(), own(4)}}));
        cta.call(simt("atomic", 4, {{d.view(), lanes(4, [](int, int) { return 0; })}, {r.view(), own(4)}}));
    });
    Bindings in;
    in.set("A", arrays::counting({128}, f32)).set("D", arrays::counting({1}, f16));
    REQUIRE(run(k.program().value(), in).outputs.find("D")->at(0) == 127);
}

TEST_CASE("atomic operations race with plain ones, not with each other", "[sim][atomics]")
{
    const auto everyone = lanes(4, [](int a, int l) { return (a * 7 + l) % 16; });
    const auto first = lanes(1, [](int, int l) { return l < 16 ? l : -1; });
    const auto add = [&](Scope cta, const TensorRef& d, const TensorRef& r) {
        cta.call(simt("atomic", 4, {{d.view(), everyone}, {r.view(), own(4)}}, Function::add));
    };
    const auto read = [&](Scope cta, const TensorRef& d, const TensorRef& r) {
        cta.call(simt("move", 1, {{r.view(), lanes(1, [](int, int l) { return l < 16 ? l : -1; })}, {d.view(), first}}));
    };
    const auto clear = [&](Scope cta, const TensorRef& s) { cta.call(simt("fill", 1, {{s.view(), first}})); };

    REQUIRE_FALSE(
        fault_of([&](Scope cta, const TensorRef& d, const TensorRef& r, const TensorRef&) { add(cta, d, r), add(cta, d, r); }, 3)
            .found());
    REQUIRE_FALSE(fault_of([&](Scope cta, const TensorRef&, const TensorRef& r,
                               const TensorRef& s) { clear(cta, s), cta.sync(), add(cta, s, r), cta.sync(), read(cta, s, r); },
                           2)
                      .found());
    // without the first barrier, without the second, and without anybody having written
    const auto unordered_clear =
        fault_of([&](Scope cta, const TensorRef&, const TensorRef& r, const TensorRef& s) { clear(cta, s), add(cta, s, r); });
    REQUIRE(unordered_clear.kind == sim::FaultKind::race);
    REQUIRE(unordered_clear.text.find("is written here and by lane") != std::string::npos);
    const auto unordered_read = fault_of([&](Scope cta, const TensorRef&, const TensorRef& r, const TensorRef& s) {
        clear(cta, s), cta.sync(), add(cta, s, r), read(cta, s, r);
    });
    REQUIRE(unordered_read.kind == sim::FaultKind::race);
    REQUIRE(fault_of([&](Scope cta, const TensorRef&, const TensorRef& r, const TensorRef& s) { add(cta, s, r); }).kind ==
            sim::FaultKind::uninitialized);
    // in memory of the device nothing orders the blocks of a grid
    REQUIRE_FALSE(fault_of([&](Scope cta, const TensorRef& d, const TensorRef& r,
                               const TensorRef&) { add(cta, d, r), cta.sync(), read(cta, d, r); },
                           1)
                      .found());
    REQUIRE(fault_of([&](Scope cta, const TensorRef& d, const TensorRef& r,
                         const TensorRef&) { add(cta, d, r), cta.sync(), read(cta, d, r); },
                     2)
                .kind == sim::FaultKind::race);
    REQUIRE(fault_of([&](Scope cta, const TensorRef& d, const TensorRef& r,
                         const TensorRef&) { clear(cta, d), cta.sync(), add(cta, d, r); },
                     2)
                .kind == sim::FaultKind::race);
}

TEST_CASE("a shadow keeps all atomic operations that a plain access may race with", "[sim][atomics]")
{
    using namespace sim;
    Horizon horizon{{1}, {}};
    Clock clocks[2];
    const auto actor = [&](std::uint32_t run, int agent, std::uint32_t time = 1) {
        Actor out;
        out.run = run_id(0, run);
        out.agent = agent;
        out.time = time;
        out.clock = &clocks[agent % 2];
        out.horizon = &horizon;
        return out;
    };
    Shadow shadow;
    shadow.make(1, 4);
    shadow.mark_all(given);
    REQUIRE_FALSE(shadow.atomic(0, actor(1, 0), 3, false).found());
    REQUIRE_FALSE(shadow.atomic(0, actor(1, 1), 4, false).found());
    REQUIRE_FALSE(shadow.atomic(0, actor(2, 0), 5, false).found());
    // run 2 knows its own lane's alone; another run's is not over
    const Conflict other = shadow.read(0, actor(2, 0), 5, false);
    REQUIRE(other.hazard == Hazard::write_read);
    REQUIRE(run_of(other.other) == 1);
    horizon.floor = {2};
    REQUIRE_FALSE(shadow.read(0, actor(2, 0), 5, false).found());
    REQUIRE(shadow.read(0, actor(2, 0), 6, false).hazard == Hazard::write_read);
    // a plain read keeps atomic ones out that it does not know of
    REQUIRE(shadow.atomic(0, actor(2, 1), 0, false).hazard == Hazard::read_write);
    horizon.floor = {3};
    REQUIRE_FALSE(shadow.write(0, actor(3, 0), 0, false).found());
    REQUIRE(shadow.atomic(0, actor(3, 0), 1, false).hazard == Hazard::write_write);
    // however many lanes came, one is found that is not one's own
    Shadow crowded;
    crowded.make(1, 4);
    crowded.mark_all(given);
    for (int lane = 0; lane < 32; ++lane) REQUIRE_FALSE(crowded.atomic(0, actor(4, 0), lane, false).found());
    for (int lane = 0; lane < 32; ++lane) REQUIRE(crowded.read(0, actor(4, 0), lane, false).hazard == Hazard::write_read);
    REQUIRE_FALSE(crowded.read(0, actor(4, 0, 2), 9, false).found());
}

TEST_CASE("gather and scatter take rows that an index names", "[sim][indexed]")
{
    Random r(6);
    for (Int i = 0; i < laws::cases(40); ++i) {
        const Int rows = r.in(1, 12), columns = r.in(1, 4), many_rows = r.in(1, 128 / columns), n = many_rows * columns;
        const bool guarded = r.one_in(2);
        Kernel k("rows", machines::sm80);
        const Shape shape{rows, columns};
        const auto a = k.input("A", shape, f16, random_layout(r, shape, 1, f16, false));
        const auto index = k.input("I", {many_rows}, i32), d = k.output("D", {many_rows, columns}, f32);
        const auto e = k.inout("E", shape, f16, random_layout(r, shape, 1, f16, false));
        View chosen = a.view(), back = e.view(), rows_of = index.view();
        chosen.guarded = back.guarded = guarded;
        rows_of.extents = {many_rows, columns};
        rows_of.dims = {0, -1};
        rows_of.steps = {1, 1};
        const auto every = lanes(4, [&](int w, int l) { return w * 32 + l < n ? w * 32 + l : -1; });
        const auto row_zero = lanes(4, [&](int w, int l) { return w * 32 + l < n ? (w * 32 + l) % columns : -1; });
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto x = cta.alloc("reg", {128}, f32, by_lane, "x"), at = cta.alloc("reg", {128}, i32, by_lane, "at");
            View held = x.view(), held_at = at.view();
            const auto own_n = lanes(4, [&](int w, int l) { return w * 32 + l < n ? w * 32 + l : -1; });
            cta.call(simt("move", 4, {{held_at, own_n}, {rows_of, every}}));
            Instruction gather = simt("indexed", 4, {{held, own_n}, {chosen, row_zero}, {held_at, own_n}});
            gather.parameters = {0};
            cta.call(gather);
            cta.call(simt("move", 4, {{d.view(), every}, {held, own_n}}));
            cta.sync();
            Instruction scatter = simt("indexed", 1,
                                       {{back, lanes(1, [&](int, int l) { return l < columns ? l : -1; })},
                                        {held, lanes(1, [&](int, int l) { return l < columns ? l : -1; })},
                                        {held_at, lanes(1, [&](int, int l) { return l < columns ? l : -1; })}});
            scatter.parameters = {1};
            cta.call(scatter);
        });
        Bindings in;
        Array names = Array::make({many_rows}, i32).value();
        for (Int q = 0; q < many_rows; ++q) names.set(q, static_cast<double>(guarded ? r.in(-1, rows) : r.in(0, rows - 1)));
        in.set("A", numbers(shape, f16, r)).set("E", numbers(shape, f16, r)).set("I", std::move(names));
        const Array& named = *in.find("I");
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        for (Int q = 0; q < n; ++q) {
            const auto row = static_cast<Int>(named.at(q / columns));
            REQUIRE(full.outputs.find("D")->at(q) ==
                    (row >= 0 && row < rows ? in.find("A")->at(row * columns + q % columns) : 0.0));
        }
        const auto row = static_cast<Int>(named.at(0));
        for (Int q = 0; q < rows * columns; ++q)
            REQUIRE(full.outputs.find("E")->at(q) ==
                    (q / columns == row ? full.outputs.find("D")->at(q % columns) : in.find("E")->at(q)));
        REQUIRE(same(*full.outputs.find("E"), *fast.outputs.find("E")));
    }
}

TEST_CASE("a row that is not there is a fault", "[sim][indexed]")
{
    Kernel k("rows", machines::sm80);
    const auto a = k.input("A", {3, 2}, f32);
    const auto one = lanes(1, [](int, int l) { return l < 2 ? l : -1; });
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto x = cta.alloc("reg", {128}, f32, by_lane, "x"), at = cta.alloc("reg", {128}, i32, by_lane, "at");
        Instruction three = simt("fill", 1, {{at.view(), one}});
        three.number = 3;
        cta.call(three);
        Instruction gather = simt("indexed", 1, {{x.view(), one}, {a.view(), one}, {at.view(), one}});
        gather.parameters = {0};
        cta.call(gather);
    });
    Bindings in;
    in.set("A", arrays::counting({3, 2}, f32));
    for (const auto level : {sim::Level::full, sim::Level::fast}) {
        const auto fault = run(k.program().value(), in, level).fault;
        REQUIRE(fault.kind == sim::FaultKind::out_of_bounds);
        REQUIRE(fault.text.find("lane 0 of agent 0 accesses row 3 of A, whose view has 3 rows") != std::string::npos);
    }
}
