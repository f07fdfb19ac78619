// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/targets.hpp>

#include "boxes.hpp"

#include <axe/schedule/collective.hpp>
#include <axe/text/literals.hpp>

using namespace boxes;
using namespace axe::literals;
using enum axe::DType;

namespace {

/// The program's operator, replaced by what a schedule emits; nothing where it declines.
std::optional<Program> with(Program program, const std::string& schedule)
{
    const Operation operation = std::get<Operation>(program.body.at(0).what);
    Request request(program, target_of(program), operation, {false, 0, static_cast<int>(program.machine.scopes[0].count), 1, 1});
    for (const Schedule& s : collective_schedules) {
        if (s.op != operation.op || schedule != s.name || !s.fits(program.machine)) continue;
        auto body = s.emit(request);
        if (!body) return {};
        body->insert(body->end(), detail::meeting());
        for (const ProgramTensor& t : request.temporaries()) program.tensors.push_back(t);
        program.body = std::move(*body);
        return program;
    }
    return {};
}

Machine four() { return mesh(machines::sm90, {2, 2}, {"row", "col"}).value(); }

} // namespace

TEST_CASE("collectives leave what their operator says, by whatever schedule", "[sim][collectives]")
{
    Random r(7);
    int rings = 0, networks = 0;
    for (Int i = 0; i < laws::cases(120); ++i) {
        const int devices = static_cast<int>(r.in(2, 6));
        const bool reduces = r.one_in(2);
        const Shape shape{devices * r.in(1, 3), 4 * r.in(1, 3)}, result = reduces ? Shape{shape[1]} : shape;
        // what rings are for, and anything
        const Int n = shape[0] / devices * shape[1];
        Layout parts, copied, scattered;
        parts.shard = {{devices, 1, "gpuid"}, {n, 1, "m"}};
        copied.shard = {{*volume(result), 1, "m"}};
        copied.replica = {{devices, 1, "gpuid"}};
        const bool ring = r.one_in(2);
        Kernel k("collective", mesh(machines::sm90, Shape{devices}).value());
        const auto a = k.input("A", shape, f32, ring ? Swizzled<Layout>{{}, {}, 1, parts} : random_layout(r, shape, devices, f32));
        const auto d =
            k.output("D", result, f32, ring ? Swizzled<Layout>{{}, {}, 1, copied} : random_layout(r, result, devices, f32));
        if (reduces)
            k.reduce(Function::add, d, a, {0});
        else
            k.copy(d, a);
        const Program program = k.program().value();
        Bindings in;
        in.set("A", numbers(shape, f32, r));
        Array expected = Array::make(result, f32).value();
        for (Int x = 0; x < *volume(shape); ++x) {
            const Int y = reduces ? x % shape[1] : x;
            expected.set(y, expected.at(y) + in.find("A")->at(x));
        }
        for (const char* schedule : {"local", "peer", "ring", "push", "in_network", "one_shot"}) {
            const auto lowered = with(program, schedule);
            if (!lowered) continue;
            rings += schedule == std::string("ring") ? 1 : 0;
            networks += schedule == std::string("in_network") ? 1 : 0;
            const auto full = run(*lowered, in), fast = run(*lowered, in, sim::Level::fast, 3);
            INFO("case " << i << " " << schedule << ": " << full.fault.text);
            REQUIRE(full.ok());
            REQUIRE(same(*full.outputs.find("D"), expected));
            REQUIRE(same(*fast.outputs.find("D"), expected));
        }
    }
    REQUIRE(rings > 10);
    REQUIRE(networks > 5);
}

TEST_CASE("links carry what collectives are known to move", "[sim][collectives]")
{
    for (const Int n : {2, 3, 4, 8}) {
        const Int bytes = n * 24 * 4;
        const Layout parts{{{n, 1, "gpuid"}, {24, 1, "m"}}, {}, {}}, copied{{{n * 24, 1, "m"}}, {{n, 1, "gpuid"}}, {}};
        const auto moved = [&](bool reduces, const Layout& from, const Layout& to, const char* schedule) {
            Kernel k("links", mesh(machines::sm90, Shape{n}).value());
            const Shape shape = reduces ? Shape{n, n * 24} : Shape{n * 24};
            const auto a = k.input("A", shape, f32, from), d = k.output("D", {n * 24}, f32, to);
            if (reduces)
                k.reduce(Function::add, d, a, {0});
            else
                k.copy(d, a);
            Bindings in;
            in.set("A", arrays::counting(shape, f32));
            return run(with(k.program().value(), schedule).value(), in).total.link_bytes;
        };
        const Layout terms{{{n, 1, "gpuid"}, {n * 24, 1, "m"}}, {}, {}};
        for (const char* schedule : {"peer", "ring", "push"}) REQUIRE(moved(false, parts, copied, schedule) == (n - 1) * bytes);
        REQUIRE(moved(true, terms, copied, "one_shot") == n * (n - 1) * bytes);
        REQUIRE(moved(true, terms, copied, "ring") == 2 * (n - 1) * bytes);
        REQUIRE(moved(true, terms, copied, "in_network") == n * bytes); // a value for all terms
        REQUIRE(moved(true, terms, parts, "one_shot") == (n - 1) * bytes);
        REQUIRE(moved(true, terms, parts, "ring") == (n - 1) * bytes);
    }
}

TEST_CASE("of several copies a device takes that of its own group, from each device there as much", "[sim][collectives]")
{
    for (const Int groups : {2, 3})
        for (const Int per : {1, 2, 4})
            for (const bool outer : {false, true}) { // devices of a group next to each other, or one in each row of groups
                const Int step = outer ? per : 1, within = outer ? 1 : groups, devices = groups * per;
                Kernel k("groups", mesh(machines::sm90, Shape{devices}).value());
                const Layout one_each{{{per, within, "gpuid"}, {6, 1, "m"}}, {{groups, step, "gpuid"}}, {}};
                const Layout all{{{per * 6, 1, "m"}}, {{devices, 1, "gpuid"}}, {}};
                const auto a = k.input("A", {per * 6}, f32, one_each), d = k.output("D", {per * 6}, f32, all);
                k.copy(d, a);
                Bindings in;
                in.set("A", arrays::counting({per * 6}, f32));
                for (const char* schedule : {"peer", "push", "ring"}) {
                    const auto lowered = with(k.program().value(), schedule);
                    INFO(groups << " groups of " << per << ", schedule " << schedule);
                    if (!lowered) {
                        CHECK(per == 1); // nothing to pass on
                        continue;
                    }
                    const auto report = run(*lowered, in);
                    INFO(report.fault.text);
                    REQUIRE(same(*report.outputs.find("D"), *in.find("A")));
                    CHECK(report.total.link_bytes == devices * (per - 1) * 6 * 4);
                    for (const auto& [link, bytes] : report.total.links) {
                        CHECK(link.first / step % groups == link.second / step % groups);
                        if (schedule != std::string("ring")) CHECK(bytes == 6 * 4);
                    }
                }
            }
}

TEST_CASE("layouts may name devices by their place in a mesh", "[sim][collectives]")
{
    Kernel k("mesh", four());
    const auto a = k.input("A", {8, 6}, f32, "(2,4,2,3):(1@row,3,1@col,1)"_axe);
    const auto d = k.output("D", {8, 6}, f32, "(2,4,6):(1@row,6,1) + [2:1@col]"_axe);
    k.copy(d, a);
    Bindings in;
    in.set("A", arrays::counting({8, 6}, f32));
    for (const char* schedule : {"peer", "ring", "push"}) {
        const auto report = run(with(k.program().value(), schedule).value(), in);
        INFO(schedule << ": " << report.fault.text);
        REQUIRE(report.ok());
        REQUIRE(same(*report.outputs.find("D"), *in.find("A")));
        REQUIRE(report.total.link_bytes == 8 * 6 * 4);
    }
    Kernel far("far", four());
    far.input("A", {8}, f32, "(2,4):(4@gpuid,1)"_axe);
    in = {};
    in.set("A", arrays::counting({8}, f32));
    const auto refused = sim::run(far.program().value(), in);
    REQUIRE_FALSE(refused.has_value());
    REQUIRE(refused.error().text == "tensor A: it is on device 4; the machine has 4");
}

TEST_CASE("devices that nothing orders race, and what is under way is left alone", "[sim][collectives]")
{
    const Layout parts = "(2,4):(1@gpuid,1)"_axe, swapped = "(2,4):(-1@gpuid,1) + 1@gpuid"_axe;
    const auto fault_of = [&](const std::function<void(Kernel&, View, View, View)>& body) {
        Kernel k("exchange", mesh(machines::sm80, Shape{2}).value());
        const auto a = k.inout("A", {2, 4}, f32, parts), b = k.inout("B", {2, 4}, f32, swapped),
                   c = k.inout("C", {2, 4}, f32, parts);
        body(k, a.view(), b.view(), c.view());
        Bindings in;
        for (const char* name : {"A", "B", "C"}) in.set(name, arrays::counting({2, 4}, f32));
        return run(k.program().value(), in).fault;
    };
    const auto copy = [](const View& d, const View& a, bool async = false) {
        Instruction out = instruction("peer_copy", {d, a}, {0});
        out.async = async;
        return out;
    };
    // B from the other device, and then back
    const auto race = fault_of([&](Kernel& k, View a, View b, View c) { k.call(copy(b, a)).call(copy(a, c)); });
    REQUIRE(race.kind == sim::FaultKind::race);
    REQUIRE(race.text.find("element (0,0) of A on device 0 (gmem byte 0) is read here and written by device 0 in statement") !=
            std::string::npos);
    REQUIRE_FALSE(fault_of([&](Kernel& k, View a, View b, View c) { k.call(copy(b, a)).sync().call(copy(a, c)); }).found());
    // a meeting is not enough where the copy is under way
    const auto early =
        fault_of([&](Kernel& k, View a, View b, View c) { k.call(copy(b, a, true)).commit().sync().call(copy(a, c)).wait(); });
    REQUIRE(early.kind == sim::FaultKind::race);
    REQUIRE_FALSE(fault_of([&](Kernel& k, View a, View b, View c) {
                      k.call(copy(b, a, true)).commit().wait().sync().call(copy(a, c));
                  }).found());
    const auto used =
        fault_of([&](Kernel& k, View a, View b, View c) { k.call(copy(b, a, true)).commit().call(copy(c, b)).wait(); });
    REQUIRE(used.kind == sim::FaultKind::race);
    REQUIRE(used.text.find("of B on device") != std::string::npos);
    const auto forgotten = fault_of([&](Kernel& k, View a, View b, View) { k.call(copy(b, a, true)).commit(); });
    REQUIRE(forgotten.kind == sim::FaultKind::async_unfinished);
    const auto edge = fault_of([&](Kernel& k, View a, View b, View) {
        a.origin[1] = 1;
        k.call(copy(b, a));
    });
    REQUIRE(edge.kind == sim::FaultKind::out_of_bounds);
    REQUIRE(edge.text.find("element (1,4) of A, whose shape is (2,4)") != std::string::npos);
}

TEST_CASE("who has waited for a copy is known to those who meet afterwards, and to no other", "[sim][collectives]")
{
    // Device 0 starts a copy of its part of A; all meet; it waits; devices 1 and 2 meet without it.
    const auto fault_of = [&](bool with_it) {
        Kernel k("three", mesh(machines::sm80, Shape{3}).value());
        const auto a = k.inout("A", {3, 4}, f32, Layout{{{3, 1, "gpuid"}, {4, 1, "m"}}, {}, {}});
        const auto b = k.inout("B", {4}, f32, Layout{{{4, 1, "m"}}, {}, {}}), c = k.input("C", {4}, f32, "4:1 + 1@gpuid"_axe);
        View first = a.view();
        first.extents = {4};
        first.dims = {1};
        first.steps = {1};
        k.devices(0, 1, [&](Scope s) {
            Instruction start = instruction("peer_copy", {b.view(), first}, {0});
            start.async = true;
            s.call(start).commit();
        });
        k.sync();
        k.devices(0, 1, [&](Scope s) { s.wait(); });
        k.devices(with_it ? 0 : 1, with_it ? 3 : 2, [&](Scope s) { s.sync(); });
        // device 1 writes what device 0 has read
        k.devices(1, 1, [&](Scope s) { s.call(instruction("peer_copy", {first, c.view()}, {1})); });
        Bindings in;
        in.set("A", arrays::counting({3, 4}, f32)).set("B", arrays::counting({4}, f32)).set("C", arrays::counting({4}, f32));
        return run(k.program().value(), in).fault;
    };
    REQUIRE_FALSE(fault_of(true).found());
    const auto unknown = fault_of(false);
    REQUIRE(unknown.kind == sim::FaultKind::race);
    REQUIRE(
        unknown.text.find("device 1: race: element (0,0) of A on device 0 (gmem byte 0) is written here and read by device 0") !=
        std::string::npos);
}
