// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/sim/reference/elements.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <chrono>

using namespace axe;
using enum DType;

/// How long it may be from one question whether to go on to the next, whatever a run or a verification does meanwhile.

namespace {

using Clock = std::chrono::steady_clock;

Array small(const Shape& shape, DType type)
{
    Array out = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(i * 7 % 13 - 6));
    return out;
}

/// Notes the longest time without a question.
struct Watched {
    Clock::time_point last = Clock::now();
    double longest = 0; ///< seconds
    int asked = 0;

    bool ask()
    {
        const Clock::time_point now = Clock::now();
        longest = std::max(longest, std::chrono::duration<double>(now - last).count());
        last = now;
        ++asked;
        return true;
    }
};

/// Runs and verifies a program; what it does between two questions must not take longer than this. It takes much longer in all.
constexpr double most = 1.5;

void check_gaps(const Program& p)
{
    const auto lowered = required(lower(p));
    Bindings in;
    for (const ProgramTensor& t : p.tensors)
        if (t.binding == Binding::input) in.set(t.name, small(t.shape, t.dtype));
    Watched run;
    sim::RunOptions options;
    options.level = sim::Level::fast;
    options.progress = [&](std::int64_t, std::int64_t) { return run.ask(); };
    const auto report = without_fault(sim::run(lowered->program, in, options));
    run.ask();
    CHECK(run.longest < most);
    for (const Against against : {Against::program, Against::specification}) {
        Watched checked;
        ReferenceOptions o;
        o.against = against;
        o.progress = [&](std::int64_t) { return checked.ask(); };
        const auto verified = verify(p, in, report->outputs, o);
        checked.ask();
        INFO((verified ? verified->text() : verified.error().text));
        REQUIRE(verified);
        CHECK(verified->ok());
        CHECK(checked.longest < most);
        CHECK(checked.asked >= 1);
    }
}

} // namespace

TEST_CASE("pieces of work: all numbers once, in order, and none after the caller has ended it", "[sim][cancel]")
{
    for (const std::int64_t count : {0, 1, 999, 25'000, 25'001, 100'000})
        for (const std::int64_t each : {1, 4, 100, 1'000'000}) {
            std::int64_t next = 0, pieces = 0;
            const auto take = [&](std::int64_t first, std::int64_t end) -> Result<void, axe::Problem> {
                CHECK(first == next);
                CHECK(end > first);
                CHECK((end - first) * each <= std::max<std::int64_t>(each, 100'000));
                next = end;
                ++pieces;
                return {};
            };
            CHECK(ref::in_pieces(nullptr, count, each, take).ok());
            CHECK(next == count);
            CHECK(pieces * 100'000 >= count * std::min<std::int64_t>(each, 100'000) - 100'000);
        }
    Pulse ended([] { return false; });
    std::int64_t done = 0;
    const auto one = [&](std::int64_t) { ++done; };
    CHECK_FALSE(ref::for_each_number(&ended, std::int64_t{1} << 40, 100, one).ok());
    const std::int64_t before = done;
    CHECK_FALSE(ref::for_each_number(&ended, 1'000'000, 100, one).ok());
    CHECK(done - before <= 1000);
}

TEST_CASE("work that shall end does not go on later", "[sim][cancel]")
{
    int asked = 0;
    Pulse pulse([&] { return ++asked > 1; });
    while (pulse.goes_on(1)) {}
    for (int i = 0; i < 100'000; ++i)
        if (pulse.goes_on(1)) FAIL("it goes on");
    CHECK(asked == 1);
}

TEST_CASE("questions whether to go on: in a product of large matrices", "[sim][cancel]")
{
    // A wide result of few terms, and many terms of a small result.
    for (const auto& [m, depth] : {std::pair<std::int64_t, std::int64_t>{256, 16}, {16, 8192}}) {
        Kernel k("gemm", machines::cpu);
        const auto A = k.input("A", {depth, m}, f32), B = k.input("B", {depth, m}, f32), C = k.output("C", {m, m}, f16);
        k.computes(C, matmul(A, B, {true, false}));
        k.cta(tiles(C, {16, 16}), [&](Scope cta, const Tile& t) {
            const auto sum = cta.alloc(Role::registers, {16, 16}, f32, LayoutHint::registers, "sum");
            cta.fill(sum, 0);
            cta.loop(0, depth / 16, 1, [&](const Affine& i) {
                const Interval k_range(16 * i, 16);
                cta.gemm(sum, A(k_range, t.rows), B(k_range, t.cols), {true, true, false});
            });
            cta.copy(C(t), sum);
        });
        check_gaps(k.program().value());
    }
}

TEST_CASE("questions whether to go on: along one long row", "[sim][cancel]")
{
    Kernel k("row", machines::cpu);
    const auto A = k.input("A", {1 << 18}, f32), C = k.output("C", {1 << 18}, f16), S = k.output("S", {1}, f32);
    k.computes(C, cast(A, f16));
    k.computes(S, broadcast(sum(A, {0}), {1}));
    k.fill(S, 0);
    k.cta(tiles(C, {4096}), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::registers, {1}, f32, LayoutHint::registers, "s");
        cta.copy(C(t), A(t));
        cta.reduce(Function::add, s, ViewRef(A(t)).repeated(0, 1), {1}, false);
        cta.atomic(Function::add, S, s);
    });
    check_gaps(k.program().value());
}

TEST_CASE("a copy between devices ends where the caller ends the run", "[sim][cancel]")
{
    const Machine two = mesh(machines::sm80, Shape{2}).value();
    constexpr std::int64_t rows = 2048, columns = 4096;
    Kernel k("devices", two);
    const auto A = k.input("A", {rows, columns}, f32, Layout{{{2, 1, "gpuid"}, {rows * columns / 2, 1, "m"}}, {}, {}});
    const auto C = k.output("C", {rows, columns}, f32);
    k.copy(C, A);
    const auto lowered = required(lower(k.program().value()));
    Bindings in;
    in.set("A", Array::make({rows, columns}, f32).value());
    sim::RunOptions options;
    options.progress = [](std::int64_t, std::int64_t) { return false; };
    const auto report = required(sim::run(lowered->program, in, options));
    INFO(report->fault.text);
    CHECK(report->fault.kind == sim::FaultKind::stopped);
    CHECK(report->fault.statement == 0);
}
