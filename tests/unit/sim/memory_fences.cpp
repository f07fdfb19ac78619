// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>

#include <algorithm>
#include <functional>
#include <string>

using namespace axe;
using enum axe::DType;

/// Fences of memory with relaxed accesses of flags: what they order is what release and acquire order, if both scopes of each side cover.

namespace {

enum class Way { ordered, relaxed, fenced, fenced_too_late };
constexpr Way ways[] = {Way::ordered, Way::relaxed, Way::fenced, Way::fenced_too_late};
constexpr Within scopes[] = {Within::block, Within::cluster, Within::device, Within::system};

struct Side {
    Way way = Way::ordered;
    Within flag = Within::device, fence = Within::device;
};
/// A block (or agent) writes X and sets a flag; another one waits for it and reads X. Who is `far`: blocks of one device, or agents of a block.
Program passing(const Side& writer, const Side& reader, bool blocks)
{
    Kernel k("passing", machines::sm90);
    const auto X = k.inout("X", {128}, i32), Y = k.output("Y", {128}, i32), F = k.inout("F", {1}, i32);
    const ViewRef flag = F(Interval(0, 1));
    const auto writes = [&](Scope c) {
        c.fill(X, 7);
        c.sync();
        if (writer.way == Way::fenced) c.memory_fence(writer.fence);
        c.warps(0, 1, [&](Scope one) {
            one.set_flag(flag, 1, writer.way == Way::ordered ? MemoryOrder::release : MemoryOrder::relaxed, writer.flag);
        });
        if (writer.way == Way::fenced_too_late) c.memory_fence(writer.fence);
    };
    const auto reads = [&](Scope c, const std::function<void(Scope)>& meet) {
        if (reader.way == Way::fenced_too_late) c.memory_fence(reader.fence); // before the wait
        c.wait_at_least(flag, 1, reader.way == Way::ordered ? MemoryOrder::acquire : MemoryOrder::relaxed, reader.flag);
        if (reader.way == Way::fenced) c.memory_fence(reader.fence);
        if (meet) meet(c);
        c.copy(Y, X);
    };
    if (blocks)
        k.cta(
            tiles(2, 1),
            [&](Scope c, const Tile& t) {
                c.when(equals(Expression(t.index[0]), 0), [&] { writes(c); });
                c.when(equals(Expression(t.index[0]), 1), [&] { reads(c, {}); });
            },
            1);
    else
        one_block(k, 2, [&](Scope c) {
            c.warps(0, 1, [&](Scope w) { writes(w); });
            c.warps(1, 1, [&](Scope w) { reads(w, {}); });
        });
    return k.program().value();
}
bool covers(Within within, bool blocks) { return within >= (blocks ? Within::device : Within::block); }

sim::Report run_passing(const Program& p, sim::RunOrder order)
{
    Bindings in;
    in.set("X", Array::make({128}, i32).value());
    in.set("F", Array::make({1}, i32).value());
    const auto lowered = required(lower(p, targets::sm90));
    sim::RunOptions options;
    options.order = order;
    return sim::run(lowered->program, targets::sm90, in, options).value();
}

} // namespace

TEST_CASE("memory_fence: with relaxed flags it orders as release and acquire do, within both scopes", "[fences]")
{
    int fine = 0, raced = 0;
    for (const bool blocks : {false, true})
        for (const Way a : ways)
            for (const Way b : ways)
                for (const Within flag : scopes)
                    for (const Within fence : scopes) {
                        // Without a fence its scope does not matter.
                        const bool has_fence =
                            a == Way::fenced || b == Way::fenced || a == Way::fenced_too_late || b == Way::fenced_too_late;
                        if (!has_fence && fence != Within::device) continue;
                        const auto orders = [&](Way way) {
                            return covers(flag, blocks) && (way == Way::ordered || (way == Way::fenced && covers(fence, blocks)));
                        };
                        const bool ok = orders(a) && orders(b);
                        const Program p = passing({a, flag, fence}, {b, flag, fence}, blocks);
                        INFO(print(p));
                        REQUIRE(validate(p).empty());
                        const auto report = run_passing(p, sim::RunOrder::issue);
                        INFO(report.fault.text);
                        CHECK(report.ok() == ok);
                        CHECK((ok || report.fault.kind == sim::FaultKind::race));
                        (ok ? fine : raced) += 1;
                    }
    CHECK((fine > 30 && raced > 100));
}

TEST_CASE("memory_fence: the verdict does not depend on the order of the run", "[fences]")
{
    for (const sim::RunOrder order : sim::all_run_orders)
        for (const Way way : {Way::fenced, Way::relaxed, Way::fenced_too_late}) {
            const auto report = run_passing(passing({way}, {Way::fenced}, true), order);
            INFO(name(order) << ": " << report.fault.text);
            CHECK(report.ok() == (way == Way::fenced));
            const auto other = run_passing(passing({Way::fenced}, {way}, true), order);
            INFO(other.fault.text);
            CHECK(other.ok() == (way == Way::fenced));
            if (report.ok()) CHECK(report.outputs.find("Y")->at(77) == 7);
        }
}

TEST_CASE("memory_fence: a fence tells what was before it, and not what came after", "[fences]")
{
    for (const bool after : {false, true}) {
        Kernel k("after", machines::sm90);
        const auto X = k.inout("X", {128}, i32), Y = k.output("Y", {128}, i32), F = k.inout("F", {1}, i32);
        k.cta(
            tiles(2, 1),
            [&](Scope c, const Tile& t) {
                c.when(equals(Expression(t.index[0]), 0), [&] {
                    if (!after) c.fill(X, 7);
                    c.memory_fence();
                    if (after) c.fill(X, 7);
                    c.add_to_flag(F(Interval(0, 1)), 1, MemoryOrder::relaxed);
                });
                c.when(equals(Expression(t.index[0]), 1), [&] {
                    c.wait_at_least(F(Interval(0, 1)), 1, MemoryOrder::relaxed).memory_fence(Within::system).copy(Y, X);
                });
            },
            1);
        const Program p = k.program().value();
        CHECK(print(p).find("memory fence within device") != std::string::npos);
        CHECK(print(p).find("memory fence within system") != std::string::npos);
        const auto report = run_passing(p, sim::RunOrder::issue);
        INFO(report.fault.text);
        CHECK(report.ok() == !after);
    }
    Kernel outside("outside", machines::sm90);
    outside.memory_fence();
    const auto problems = validate(outside.program().value());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].text.find("memory fence: a memory fence is for agents of a block; this is outside a block") !=
          std::string::npos);
}
