// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

#include <functional>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Atomic operations of the elements that a mask chooses, which only the run knows.

namespace {

TensorRef masked_registers(Scope& c, const Shape& shape, const char* name)
{
    return c.alloc(Role::registers, shape, i32, LayoutHint::registers, name);
}

struct MaskedRun {
    Program program;
    sim::Report report;
};

MaskedRun masked_run(const Kernel& k, const Bindings& in)
{
    Program program = k.program().value();
    const auto lowered = required(lower(program));
    sim::Report report = sim::run(lowered->program, in).value();
    return {std::move(program), std::move(report)};
}

/// The run, which has no fault, and which verify finds right.
sim::Report masked_right(const Kernel& k, const Bindings& in)
{
    auto [program, report] = masked_run(k, in);
    INFO(report.fault.text);
    REQUIRE(report.ok());
    const auto verified = verify(program, in, report.outputs);
    INFO((verified ? verified->text() : verified.error().text));
    REQUIRE(verified.has_value());
    CHECK(verified->ok());
    return std::move(report);
}

} // namespace

TEST_CASE("masked atomics: only what the mask chooses is combined, and gets what was there", "[masked_atomics]")
{
    // Sums by a key of rows of 1 and of 3, in shared and in global memory, mask and key there or in registers.
    const int items = 96, keys = 5;
    for (const int row : {1, 3})
        for (const bool shared : {false, true})
            for (const bool in_registers : {false, true}) {
                if (in_registers && row > 1) continue; // all lanes of a row need its index
                INFO("rows of " << row << (shared ? ", shared" : "") << (in_registers ? ", in registers" : ""));
                Kernel k("sums", machines::sm80);
                const Shape rows = row == 1 ? Shape{items} : Shape{items, row}, sums = row == 1 ? Shape{keys} : Shape{keys, row};
                const auto key = k.input("key", {items}, i32), mask = k.input("mask", {items}, u8), A = k.input("A", rows, i32);
                const auto D = k.inout("D", sums, i32), before = k.output("before", rows, i32);
                k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
                    const auto s = c.alloc(Role::shared, sums, i32, {}, "s");
                    const auto old = masked_registers(c, rows, "old"), at = masked_registers(c, {items}, "at"),
                               where = masked_registers(c, {items}, "where");
                    c.copy(s, D).fill(old, -7).copy(at, key).copy(where, mask).sync();
                    c.atomic_at(Function::add, shared ? s : D, {in_registers ? at : key}, A, old, in_registers ? where : mask);
                    c.sync().copy(before, old);
                    if (shared) c.copy(D, s);
                });
                CHECK_THAT(print(k.program().value()),
                           Catch::Contains(std::string("atomic_rows ") + (shared ? "s" : "D") + " at " +
                                           (in_registers ? "at" : "key") + " = add(" + (shared ? "s" : "D") + ", A) where " +
                                           (in_registers ? "where" : "mask") + ", before old"));
                std::vector<double> key_of, chosen, right(static_cast<std::size_t>(keys * row), 100);
                for (int i = 0; i < items; ++i) {
                    chosen.push_back(i % 3 == 0 ? 0 : i % 3);
                    key_of.push_back(i % 3 == 0 ? 1'000'000 + i : i * i % keys); // no element where the mask leaves it out
                    for (int x = 0; x < row && i % 3 != 0; ++x)
                        right[static_cast<std::size_t>(i * i % keys * row + x)] += i * row + x;
                }
                Bindings in;
                in.set("key", arrays::of({items}, i32, key_of));
                in.set("mask", arrays::of({items}, u8, chosen));
                in.set("A", arrays::counting(rows, i32));
                in.set("D", arrays::of(sums, i32, std::vector<double>(right.size(), 100)));
                const auto report = masked_right(k, in);
                const Array &d = *report.outputs.find("D"), &old = *report.outputs.find("before");
                for (std::size_t i = 0; i < right.size(); ++i) CHECK(d.at(static_cast<std::int64_t>(i)) == right[i]);
                for (int i = 0; i < items * row; ++i) CHECK((old.at(i) == -7) == (i / row % 3 == 0));
                chosen[3] = 1;
                in.set("mask", arrays::of({items}, u8, chosen));
                CHECK(masked_run(k, in).report.fault.kind == FaultKind::out_of_bounds);
            }
}

TEST_CASE("masked atomics: where the mask is 0 nothing is accessed, so that there is no race", "[masked_atomics]")
{
    // Warp 1 adds to the elements of a mask, while warp 0 stores to the first half of them.
    for (const int chosen : {0, 1}) {
        Kernel k("halves", machines::sm80);
        const auto M = k.input("M", {32}, i32);
        const auto D = k.inout("D", {32}, i32);
        one_block(k, 2, [&](Scope c) {
            const auto s = c.alloc(Role::shared, {32}, i32, {}, "s");
            c.copy(s, D).sync();
            c.warps(0, 1, [&](Scope w) { w.fill(s(Interval(0, 16)), 5); });
            c.warps(1, 1, [&](Scope w) {
                const auto ten = masked_registers(w, {32}, "ten"), where = masked_registers(w, {32}, "where");
                w.fill(ten, 10).copy(where, M).atomic(Function::add, s, ten, {}, where);
            });
            c.sync().copy(D, s);
        });
        std::vector<double> mask;
        for (int i = 0; i < 32; ++i) mask.push_back(i >= 16 || (i == 7 && chosen == 1) ? 1 : 0);
        Bindings in;
        in.set("M", arrays::of({32}, i32, mask));
        in.set("D", arrays::counting({32}, i32));
        if (chosen == 1) {
            const auto report = masked_run(k, in).report;
            CHECK(report.fault.kind == FaultKind::race);
            CHECK_THAT(report.fault.text, Catch::Contains("s (smem byte 28) is written here and by"));
            continue;
        }
        const auto report = masked_right(k, in);
        for (int i = 0; i < 32; ++i) CHECK(report.outputs.find("D")->at(i) == (i < 16 ? 5 : i + 10));
    }
}

TEST_CASE("masked atomics: exchanges and comparisons, by two indices, and counters of what took part", "[masked_atomics]")
{
    Kernel k("locks", machines::sm80);
    const auto I = k.input("I", {4, 8}, i32), J = k.input("J", {4, 8}, i32), M = k.input("M", {4, 8}, i32);
    const auto L = k.inout("L", {8, 8}, i32), E = k.inout("E", {8, 8}, i32), seen = k.output("seen", {4, 8}, i32);
    one_block(k, 1, [&](Scope c) {
        const auto free = masked_registers(c, {4, 8}, "free"), me = masked_registers(c, {4, 8}, "me");
        c.fill(free, -1).iota(me, 1);
        c.compare_exchange_at(L, {I, J}, me, free, M).copy(seen, free);
        c.atomic(Function::identity, c.local_ptr(E, {J, I}), me, {}, M);
    });
    CHECK_THAT(print(k.program().value()), Catch::Contains("compare_exchange L at I, J = me where free and M"));
    std::vector<double> i, j, m, locks(64, -1), places(64, 0);
    for (int n = 0; n < 32; ++n) { // element n is (n / 8 + 1, n mod 8), each a place of its own; every fifth lock is taken
        i.push_back(n / 8 + 1);
        j.push_back(n % 8);
        m.push_back(n % 4 == 1 ? 0 : 1);
        if (n % 5 == 0) locks[static_cast<std::size_t>(8 * (n / 8 + 1) + n % 8)] = 70;
    }
    Bindings in;
    in.set("I", arrays::of({4, 8}, i32, i));
    in.set("J", arrays::of({4, 8}, i32, j));
    in.set("M", arrays::of({4, 8}, i32, m));
    in.set("L", arrays::of({8, 8}, i32, locks));
    in.set("E", arrays::of({8, 8}, i32, places));
    const auto report = masked_right(k, in);
    for (int n = 0; n < 32; ++n) {
        const bool chosen = n % 4 != 1, taken = n % 5 == 0;
        CHECK(report.outputs.find("L")->at(Coord{n / 8 + 1, n % 8}) == (taken ? 70 : chosen ? n % 8 : -1));
        CHECK(report.outputs.find("seen")->at(n) == (chosen && taken ? 70 : -1));
        CHECK(report.outputs.find("E")->at(Coord{n % 8, n / 8 + 1}) == (chosen ? n % 8 : 0));
    }
    CHECK(report.total.memories.at("gmem").bytes_written == 4 * (24 + 24 + 32));
}

TEST_CASE("masked atomics: what was there before is not needed, and not written, where the mask is 0", "[masked_atomics]")
{
    for (const bool reads_all : {false, true}) {
        Kernel k("unwritten", machines::sm80);
        const auto M = k.input("M", {32}, i32);
        const auto D = k.inout("D", {32}, i32), O = k.output("O", {32}, i32);
        one_block(k, 1, [&](Scope c) {
            const auto old = masked_registers(c, {32}, "old"), one = masked_registers(c, {32}, "one");
            c.fill(one, 1).fill(O, 3).atomic(Function::add, c.local_ptr(D), one, old, M);
            c.copy(O(Interval(0, reads_all ? 32 : 8)), old(Interval(0, reads_all ? 32 : 8)));
        });
        std::vector<double> mask;
        for (int i = 0; i < 32; ++i) mask.push_back(i < 8 ? 1 : 0);
        Bindings in;
        in.set("M", arrays::of({32}, i32, mask));
        in.set("D", arrays::counting({32}, i32));
        const auto [program, report] = masked_run(k, in);
        CHECK(report.fault.kind == (reads_all ? FaultKind::uninitialized : FaultKind::none));
        if (!reads_all) CHECK(verify(program, in, report.outputs)->ok());
    }
}

TEST_CASE("masked atomics: what is refused", "[masked_atomics]")
{
    const auto problem = [](const std::function<void(Scope, const TensorRef&, const TensorRef&)>& write) {
        Kernel k("wrong", machines::sm80);
        const auto D = k.inout("D", {8}, i32), I = k.input("I", {8}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) { write(c, D, I); });
        const auto p = k.program();
        if (!p) return p.error().text;
        const auto problems = validate(*p);
        return problems.empty() ? std::string() : problems.front().text;
    };
    CHECK_THAT(problem([](Scope c, const TensorRef& D, const TensorRef& I) {
                   c.atomic_at(Function::add, D, {I}, I, {}, I(Interval(0, 4)));
               }),
               Catch::Contains("index `I` is 8, mask `I` is 4"));
    CHECK_THAT(problem([](Scope c, const TensorRef& D, const TensorRef& I) {
                   Operation o{Op::compare_exchange}; // without what is expected
                   o.masked = true;
                   o.operands = {D.view(), I.view(), I.view(), I.view()};
                   c.operate(std::move(o));
               }),
               Catch::Contains("it takes 5 operands and is given 4"));
    CHECK(problem([](Scope c, const TensorRef& D, const TensorRef& I) { c.atomic_at(Function::add, D, {I}, I, {}, I); }).empty());
}
