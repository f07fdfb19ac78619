// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>

#include <functional>
#include <string>

using namespace axe;
using enum axe::DType;

/// Operators whose result and operand are parts of one tensor, shifted against each other: what has a result of its own is no fault.

namespace {

constexpr std::int64_t rows = 4, columns = 12, length = 8;
using Write = std::function<void(Scope, const TensorRef& x, Interval to, Interval from)>;

struct Ran {
    std::string fault;
    bool is_race = false, is_right = false;
};
/// x is brought from X, the operator is done in it, and x is stored to Y; `right` is what element (i, j) of the result should be.
Ran ran(const Target& target, const Write& write, std::int64_t to, std::int64_t from,
        const std::function<double(std::int64_t, std::int64_t)>& right)
{
    Kernel k("shifted", target.machine);
    const auto X = k.input("X", {rows, columns}, f32), Y = k.output("Y", {rows, columns}, f32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto x = c.alloc(Role::shared, {rows, columns}, f32, {}, "x");
        c.copy(x, X).sync();
        write(c, x, Interval(to, length), Interval(from, length));
        c.sync().copy(Y, x);
    });
    const auto lowered = required(lower(k.program().value(), target));
    Bindings in;
    in.set("X", Array::make({rows, columns}, f32).value());
    Array& x = *in.find("X");
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i * i % 31));
    const auto report = sim::run(lowered->program, target, in).value();
    Ran out{report.fault.text, report.fault.kind == sim::FaultKind::race, report.ok()};
    if (!report.ok()) return out;
    const Array& y = *report.outputs.find("Y");
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            const double now = to <= j && j < to + length ? right(i, j - to) : x.at(i * columns + j);
            out.is_right = out.is_right && y.at(i * columns + j) == now;
        }
    return out;
}

} // namespace

TEST_CASE("operators in place: a run on engines finds those that read what they have written", "[trainium]")
{
    const auto at = [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * columns + j) * (i * columns + j) % 31); };
    const Write doubled = [](Scope c, const TensorRef& x, Interval to, Interval from) {
        c.binary(Function::add, x(all, to), x(all, from), x(all, from));
    };
    const Write onto = [](Scope c, const TensorRef& x, Interval to, Interval from) {
        c.binary(Function::add, x(all, to), x(all, to), x(all, from));
    };
    const Write copied = [](Scope c, const TensorRef& x, Interval to, Interval from) { c.copy(x(all, to), x(all, from)); };
    int found = 0, right = 0;
    for (const Target* target : {&targets::trn1, &targets::trn2})
        for (std::int64_t to = 0; to <= columns - length; ++to)
            for (std::int64_t from = 0; from <= columns - length; ++from) {
                INFO(target->machine.name << ": " << to << " from " << from);
                const Ran runs[] = {
                    ran(*target, doubled, to, from, [&](std::int64_t i, std::int64_t j) { return 2 * at(i, from + j); }),
                    ran(*target, onto, to, from, [&](std::int64_t i, std::int64_t j) { return at(i, to + j) + at(i, from + j); }),
                    ran(*target, copied, to, from, [&](std::int64_t i, std::int64_t j) { return at(i, from + j); })};
                for (const Ran& one : runs) {
                    INFO(one.fault);
                    CHECK(one.is_race == (from < to)); // element to + j is written before from + (j + to − from) is read
                    CHECK(one.is_right == (from >= to));
                    found += one.is_race ? 1 : 0, right += one.is_right ? 1 : 0;
                    if (one.is_race) CHECK(one.fault.find(" of x (sbuf ") != std::string::npos);
                    if (one.is_race)
                        CHECK(one.fault.find(" is read here after the same operator wrote it; in place, a result may only replace "
                                             "its own operand") != std::string::npos);
                }
            }
    CHECK((found == 2 * 3 * 10 && right == 2 * 3 * 15));
}

TEST_CASE("operators in place: what a loop wrote the round before is not of the operator", "[trainium]")
{
    Kernel k("rounds", machines::trn2);
    const auto X = k.input("X", {4, 8}, f32), Y = k.output("Y", {4, 8}, f32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto x = c.alloc(Role::shared, {4, 8}, f32, {}, "x");
        c.copy(x, X).sync();
        c.loop(0, 7, 1, [&](const Affine& i) {
            c.binary(Function::add, x(all, Interval(i + 1, 1)), x(all, Interval(i + 1, 1)), x(all, Interval(i, 1)));
        });
        c.sync().copy(Y, x);
    });
    Bindings in;
    in.set("X", Array::make({4, 8}, f32).value());
    for (std::int64_t i = 0; i < 32; ++i) in.find("X")->set(i, 1);
    const auto report = without_fault(sim::run(lower(k.program().value(), targets::trn2)->program, targets::trn2, in).value());
    for (std::int64_t i = 0; i < 32; ++i) CHECK(report.outputs.find("Y")->at(i) == static_cast<double>(i % 8 + 1));
}

TEST_CASE("operators in place: several instructions of one operator are one", "[trainium]")
{
    // An instruction takes at most 65535 in a dimension: the second one begins with what the first one wrote first, or has not reached.
    constexpr std::int64_t most = 65535, wide = most + 10;
    for (const std::int64_t shift : {most, wide}) {
        Kernel k("wide", machines::trn1);
        const auto X = k.input("X", {2, shift + wide}, u8), Y = k.output("Y", {2, 1}, u8);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto x = c.alloc(Role::shared, {2, shift + wide}, u8, {}, "x");
            c.copy(x, X).sync();
            c.copy(x(all, Interval(shift, wide)), x(all, Interval(0, wide)));
            c.sync().copy(Y, x(all, Interval(0, 1)));
        });
        const auto lowered = required(lower(k.program().value(), targets::trn1));
        int maps = 0;
        for_each_statement(lowered->program.body, [&](const Statement& s) {
            const auto* i = std::get_if<Instruction>(&s.what);
            maps += i != nullptr && i->opcode == "engine_map" ? 1 : 0;
        });
        CHECK(maps >= 2);
        Bindings in;
        in.set("X", Array::make({2, shift + wide}, u8).value());
        const auto report = sim::run(lowered->program, targets::trn1, in).value();
        INFO(report.fault.text);
        CHECK(report.ok() == (shift == wide));
        CHECK((report.ok() || report.fault.kind == sim::FaultKind::race));
    }
}
