// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <functional>
#include <string>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Loops with stages whose bulk copies bring elements of less than 8 bits, and rows that an index chooses; and why others do not.

namespace {

const PipelinedLoop::Step& first_load(const Pipelined& made) { return made.loops.at(0).steps.at(0); }
/// Rounds of `rows` x 128 elements, which lanes store again.
Program stored(const Machine& machine, DType type, LayoutHint hint)
{
    Kernel k("stored", machine);
    const auto X = k.input("X", {5, 8, 128}, type), Y = k.output("Y", {5, 8, 128}, type);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto x = c.alloc(Role::shared, {8, 128}, type, hint, "x");
        c.loop(0, 5, 1, Stages{.count = 3, .bulk = true}, [&](const Affine& i) {
            c.copy(x, X(i, all, all)).sync();
            c.copy(Y(i, all, all), x).sync();
        });
    });
    return k.program().value();
}
/// Rows of A that the index of a round chooses; `index` says from where the index is read.
enum class From { global, shared, brought };
Program gathered(const Machine& machine, From from, std::int64_t rows = 8, bool computes_index = false)
{
    Kernel k("gathered", machine);
    const auto A = k.input("A", {20, 64}, f16), I = k.input("I", {6, rows}, i32), Y = k.output("Y", {6, rows, 64}, f16);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {rows, 64}, f16, {}, "s");
        const auto all_indices = c.alloc(Role::shared, {6, rows}, i32, {}, "indices");
        const auto index = c.alloc(Role::shared, {rows}, i32, {}, "index");
        if (from == From::shared) c.copy(all_indices, I).sync();
        c.loop(0, 6, 1, Stages{.count = 3, .bulk = true}, [&](const Affine& i) {
            if (from == From::brought) {
                c.copy(index, I(i, all)).sync();
                if (computes_index) c.unary(Function::abs, index, index).sync();
            }
            c.gather(s, A.guarded(),
                     from == From::global   ? I(i, all)
                     : from == From::shared ? all_indices(i, all)
                                            : ViewRef(index));
            c.sync();
            c.copy(Y(i, all, all), s).sync();
        });
    });
    return k.program().value();
}
int bulk_steps(const Pipelined& made)
{
    int n = 0;
    for (const auto& step : made.loops.at(0).steps) n += step.bulk ? 1 : 0;
    return n;
}

} // namespace

TEST_CASE("pipelined: bulk copies bring elements of 4 and 6 bits", "[pipelined][bulk]")
{
    for (const DType type : {e2m1, i4, e3m2, e2m3})
        for (const LayoutHint hint : {LayoutHint::none, conflict_free}) {
            INFO(name(type) << ", hint " << static_cast<int>(hint));
            const Program p = stored(machines::sm100, type, hint);
            const auto made = check_same(p, targets::sm100);
            INFO(first_load(made).why_not_bulk);
            CHECK(first_load(made).bulk);
            std::int64_t bytes = 0;
            for_each_statement(made.program.body, [&](const Statement& s) {
                const auto* m = std::get_if<Mbarrier>(&s.what);
                if (m != nullptr && m->action == Mbarrier::Action::expect_bytes) bytes = m->number;
            });
            CHECK(bytes == 8 * 128 * packed_bits(type) / 8);
        }
}

TEST_CASE("pipelined: bulk copies bring rows that an index chooses, from where ever the index is read", "[pipelined][bulk]")
{
    for (const bool computes : {false, true})
        for (const From from : {From::global, From::shared, From::brought}) {
            const auto made = check_same(gathered(machines::sm100, from, 8, computes), targets::sm100);
            INFO(print(made.program));
            CHECK(bulk_steps(made) == (from == From::brought ? 2 : 1));
            int gathers = 0;
            const auto lowered = lower(made.program).value();
            for_each_statement(lowered.program.body, [&](const Statement& s) {
                const auto* i = std::get_if<Instruction>(&s.what);
                gathers += i != nullptr && i->opcode == "bulk_rows" ? 1 : 0;
            });
            CHECK(gathers == made.loops[0].turns);
        }
}

TEST_CASE("pipelined: without any one of the waits and fences around rows that bulk copies bring, runs find it",
          "[pipelined][bulk]")
{
    const Program p = gathered(machines::sm100, From::brought);
    const auto [unfound, removed] = unfound_removals(check_same(p, targets::sm100).program, targets::sm100, numbers(p));
    CHECK(removed > 20);
    // No ordinary access comes before the copies; and in one turn rows are always stored after the index is read, with a fence after that.
    CHECK(unfound == "proxy fence\nproxy fence\n");
}

TEST_CASE("pipelined: why copies are not bulk copies is told, also by the choices of the lowering", "[pipelined][bulk]")
{
    const auto says = [](const Program& p, const Target& target, const std::string& words) {
        const auto made = check_same(p, target);
        std::string all, chosen;
        for (const auto& step : made.loops.at(0).steps) all += step.why_not_bulk;
        const auto lowered = lower(p, target).value();
        for (const Choice& c : lowered.choices)
            if (c.schedule == "stages") chosen += c.detail;
        INFO(all << "\nand\n" << chosen);
        CHECK(all.find(words) != std::string::npos);
        CHECK(chosen.find(words) != std::string::npos);
        CHECK(chosen.find('\n') == std::string::npos);
    };
    says(gathered(machines::sm100, From::global, 6), targets::sm100,
         "bulk_rows: 6 rows; copies by a tensor map take four at a time");
    says(gathered(machines::sm90, From::global), targets::sm90, "lanes does not complete on an mbarrier");
    says(stored(machines::sm90, e2m1, {}), targets::sm90, "elements of 4 bits are of sm100 and later, got sm90");
    says(stored(machines::sm80, f16, {}), targets::sm80, "sm80 has no copies whose bytes an mbarrier counts");

    const auto of = [](const std::function<void(Scope, const TensorRef& x, const TensorRef& X, const Affine&)>& round,
                       bool after = false) {
        Kernel k("not_bulk", machines::sm90);
        const auto X = k.inout("X", {10, 128}, f16), Y = k.output("Y", {4, 128}, f16);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto x = c.alloc(Role::shared, {128}, f16, {}, "x");
            c.fill(x, 0).sync();
            c.loop(0, 4, 1, Stages{.count = 2, .bulk = true}, [&](const Affine& i) {
                round(c, x, X, i);
                c.sync().copy(Y(i, all), x).sync();
            });
            if (after) c.copy(X(9, all), x);
        });
        return k.program().value();
    };
    says(of([](Scope c, auto& x, auto& X, auto& i) { c.copy(x, X(i, all)); }, true), targets::sm90,
         "x is needed after its round, so rounds have none of their own");
    says(of([](Scope c, auto& x, auto& X, auto& i) { c.fill(x, 1).sync().copy(x(Interval(0, 64)), X(i, Interval(0, 64))); }),
         targets::sm90, "it does not write all of x");
    says(of([](Scope c, auto& x, auto& X, auto& i) { c.copy(x, X(i, all)).fill(X(i + 5, all), 1); }), targets::sm90,
         "writes X in the loop");
    says(of([](Scope c, auto& x, auto& X, auto& i) { c.fill(x, 1).sync().copy(x, X(i, all)); }), targets::sm90, "uses x before it");
}
