// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <cstring>
#include <tests/turns.hpp>

using namespace axe;
using enum axe::DType;

/// A program that is made ready once gives the reports that `run` gives, run after run.

namespace {

Bindings numbers(const Program& program, int from = 0)
{
    Bindings out;
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding != Binding::input && t.binding != Binding::inout) continue;
        Array a = arrays::counting(t.shape, t.dtype);
        a.set(0, from);
        out.set(t.name, std::move(a));
    }
    return out;
}

/// Tiles of four blocks through shared memory by cp.async; without its wait the copy out is a race.
Program prepared_ring(bool waits)
{
    Kernel k("ring", machines::sm80);
    const auto A = k.input("A", {4, 3, 256}, f32), C = k.output("C", {4, 3, 256}, f32);
    k.cta(tiles(4, 1), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {256}, f32, {}, "s");
        cta.loop(0, 3, 1, [&](const Affine& i) {
            cta.copy_async(s, A(t.index[0], i, all)).commit();
            if (waits) cta.wait(0);
            cta.sync().copy(C(t.index[0], i, all), s).sync();
        });
    });
    return lower(k.program().value()).value().program;
}

/// Four devices, each with its rows, of which one is in an inout tensor.
Program prepared_devices()
{
    const Machine four = mesh(machines::sm80, {4}).value();
    Kernel k("devices", four);
    const auto D = k.inout("D", {64}, i32);
    k.cta(tiles(Shape{64}, {32}), [&](Scope cta, const Tile& t) { cta.map(Function::add, D(t), {D(t), D(t)}); });
    return lower(k.program().value()).value().program;
}

void check_same(const sim::Report& a, const sim::Report& b)
{
    CHECK(a.fault.kind == b.fault.kind);
    CHECK(a.fault.text == b.fault.text);
    CHECK(a.fault.statement == b.fault.statement);
    CHECK(a.fault.lines == b.fault.lines);
    CHECK(a.total == b.total);
    CHECK(a.statements == b.statements);
    CHECK(a.devices == b.devices);
    REQUIRE(a.outputs.size() == b.outputs.size());
    if (a.fault.found()) return; // then there are no outputs
    for (const auto& entry : a.outputs) {
        const Array& other = *b.outputs.find(entry.name);
        REQUIRE(other.size_bytes() == entry.array.size_bytes());
        CHECK(std::memcmp(other.data(), entry.array.data(), static_cast<std::size_t>(other.size_bytes())) == 0);
    }
}

} // namespace

TEST_CASE("a program made ready: each run is as the first and only one", "[sim][prepared]")
{
    for (const Program& program : {prepared_ring(true), prepared_ring(false), prepared_devices()})
        for (const int threads : {1, 3}) {
            INFO(program.name << " made ready by " << threads << " threads");
            sim::PreparedProgram ready = sim::prepare(program, threads).value();
            int number = 0;
            for (const sim::Level level : {sim::Level::full, sim::Level::fast, sim::Level::full})
                turns::each([&](sim::RunOptions options) {
                    options.level = level;
                    options.threads = 1 + number % 3;
                    options.counters = number % 2 == 0;
                    const Bindings inputs = numbers(program, ++number);
                    check_same(sim::run(program, inputs, options).value(), ready.run(inputs, options).value());
                });
        }
}

TEST_CASE("a program made ready: traces, watches and limits are those of the run that has them", "[sim][prepared]")
{
    const Program program = prepared_ring(true);
    const Bindings inputs = numbers(program);
    sim::PreparedProgram ready = sim::prepare(program).value();
    const auto all_of = [&](const sim::RunOptions& options) {
        check_same(sim::run(program, inputs, options).value(), ready.run(inputs, options).value());
    };
    sim::Trace one, other;
    sim::RunOptions traced, limited, plain;
    traced.trace = &one;
    const auto whole = sim::run(program, inputs, traced).value();
    traced.trace = &other;
    check_same(whole, ready.run(inputs, traced).value());
    const std::string json = one.json(program);
    CHECK(json == other.json(program));
    all_of(plain);
    CHECK(json == other.json(program)); // a run without it leaves it alone
    limited.most_steps = 3;
    CHECK(ready.run(inputs, limited)->fault.found());
    all_of(limited);
    all_of(plain);
    int seen = 0;
    sim::RunOptions watched;
    sim::Watch watch;
    watch.tensor = "s";
    watch.coordinate = Coord{5};
    watch.access = [&](const sim::WatchedAccess&) { ++seen; };
    watched.watch = &watch;
    REQUIRE(ready.run(inputs, watched));
    CHECK(seen > 0);
    const int before = seen;
    all_of(plain);
    CHECK(seen == before);
}

TEST_CASE("a program made ready: arrays are reused, and problems are those of run", "[sim][prepared]")
{
    const Program program = prepared_ring(true);
    const Bindings inputs = numbers(program);
    sim::PreparedProgram ready = sim::prepare(program).value();
    sim::Report report = ready.run(inputs).value();
    const void* memory = report.outputs.find("C")->data();
    report = ready.run(inputs, {}, std::move(report.outputs)).value();
    CHECK(report.outputs.find("C")->data() == memory);

    CHECK(ready.run({}).error().text == sim::run(program, {}).error().text);
    sim::RunOptions wrong;
    wrong.quantum = -1;
    CHECK(ready.run(inputs, wrong).error().text == sim::run(program, inputs, wrong).error().text);
    CHECK(ready.run(inputs)->ok()); // what was wrong with a request is gone with it

    Kernel operators("operators", machines::sm80);
    const auto C = operators.output("C", {32}, f32);
    operators.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.fill(C, 1); });
    const Program not_lowered = operators.program().value();
    CHECK(sim::prepare(not_lowered).error().text == sim::run(not_lowered, {}).error().text);
    Program elsewhere = program;
    elsewhere.machine.name = "mine";
    CHECK(sim::prepare(elsewhere).error().text == sim::run(elsewhere, inputs).error().text);

    sim::PreparedProgram other = std::move(ready), none;
    CHECK(other.run(inputs)->ok());
    for (sim::PreparedProgram* empty : {&ready, &none}) {
        CHECK(empty->run(inputs).error().code == errc::bad_argument);
        CHECK(empty->run(inputs).error().text == "run: no program is ready\nhint: sim::prepare(program, target) makes one ready");
    }
    none = std::move(other);
    CHECK(none.run(inputs)->ok());
}
