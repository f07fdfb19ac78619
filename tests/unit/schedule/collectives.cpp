// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/collective.hpp>
#include <axe/target/machines.hpp>
#include <tests/targets.hpp>

#include <catch.hpp>
#include <random>
#include <string>
#include <tests/unit/schedule/device_run.hpp>

using namespace axe;
using namespace axe::literals;

namespace {

Machine devices(const Machine& one, const Shape& shape) { return mesh(one, shape).value(); }

const Operation& operation_of(const Body& body)
{
    const auto* found = for_each_statement(body, [](const Statement& s) { return std::get_if<Operation>(&s.what); });
    REQUIRE(found != nullptr);
    return *found;
}

ExecutionScope everywhere(const Program& p) { return {false, 0, static_cast<int>(p.machine.scopes[0].count), 1, 1}; }

const Schedule& row(Op op, const std::string& name)
{
    for (const Schedule& s : collective_schedules)
        if (s.op == op && name == s.name) return s;
    FAIL("no row " << name);
    std::abort();
}

Result<Body, axe::Problem> emit(Request& request, const std::string& name)
{
    const Schedule& s = row(request.operation().op, name);
    if (!s.fits(request.machine())) return Problem(errc::bad_argument, "does not fit");
    return s.emit(request);
}

/// D = A by a copy, as a program.
Program copy_program(const Machine& machine, const Shape& shape, const Layout& to, const Layout& from, DType type = DType::f32)
{
    Kernel k("copy", machine);
    const auto a = k.input("A", shape, type, from);
    const auto d = k.output("D", shape, type, to);
    k.copy(d, a);
    return k.program().value();
}

Program reduce_program(const Machine& machine, const Shape& shape, const InlineVector<int, max_rank>& axes, const Layout& to,
                       const Layout& from, Function f = Function::add, bool accumulate = false, DType type = DType::f32)
{
    Kernel k("reduce", machine);
    Shape kept;
    for (int d = 0; d < shape.size(); ++d)
        if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept.push_back(shape[d]);
    const auto a = k.input("A", shape, type, from);
    const auto d = k.inout("D", kept, type, to);
    k.reduce(f, d, a, axes, accumulate);
    return k.program().value();
}

/// Runs what a schedule emits and compares every copy of every element of D with the definition. False when it declines.
struct Ran {
    bool done = false;
    std::string reason{}, decision{};
    bool async = false;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> links{};
    int meetings = 0;
    std::set<std::string> texts{};
    std::int64_t total = 0;
};

double number(std::int64_t i) { return static_cast<double>((i * 7 + 3) % 11 - 4); }

Ran run(const Program& program, const std::string& schedule, std::optional<ExecutionScope> who = {},
        const std::vector<std::int64_t>& values = {})
{
    const Operation& o = operation_of(program.body);
    Request request(program, target_of(program), o, who ? *who : everywhere(program));
    const auto body = emit(request, schedule);
    Ran out;
    if (!body) {
        out.reason = body.error().text;
        return out;
    }
    DeviceRun machine(program, request);
    machine.values = values;
    machine.values.resize(program.variables.size());
    const View &d = o.operands[0], &a = o.operands[1];
    const std::int64_t n = volume(a.extents).value(), m = volume(d.extents).value();
    for (std::int64_t i = 0; i < n; ++i) machine.set(a, coordinate(a.extents, i), number(i));
    std::vector<double> expected(static_cast<std::size_t>(m));
    std::vector<bool> begun(expected.size(), o.accumulate);
    if (o.accumulate)
        for (std::int64_t i = 0; i < m; ++i) {
            expected[static_cast<std::size_t>(i)] = number(i + 5);
            machine.set(d, coordinate(d.extents, i), number(i + 5));
        }
    for (std::int64_t i = 0; i < n; ++i) {
        const Coord c = coordinate(a.extents, i);
        Coord kept;
        for (int k = 0; k < c.size(); ++k)
            if (std::find(o.axes.begin(), o.axes.end(), k) == o.axes.end()) kept.push_back(c[k]);
        const auto x = static_cast<std::size_t>(linear_index(d.extents, kept).value());
        expected[x] = begun[x] ? o.function.row().apply(expected[x], number(i), 0) : number(i);
        begun[x] = true;
    }
    machine.run(*body);
    for (std::int64_t i = 0; i < m; ++i)
        for (const auto& p : machine.places(d, coordinate(d.extents, i)))
            REQUIRE(machine.get(p) == expected[static_cast<std::size_t>(i)]);
    out.done = true;
    out.links = machine.link_bytes;
    out.meetings = machine.meetings;
    out.texts = machine.texts;
    out.async = machine.async;
    out.decision = request.decision();
    for (const auto& [link, bytes] : out.links) out.total += bytes;
    return out;
}

/// A layout of a shape over a mesh: each mesh dimension cuts a dimension of the shape where it divides one, or repeats, or is pinned.
Layout random_layout(const Shape& shape, const Shape& places, std::mt19937& random)
{
    const auto roll = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<std::vector<Iter>> digits;
    for (const std::int64_t n : shape) digits.push_back({{n, 0}});
    Layout out;
    std::int64_t stride = 1;
    for (int m = places.size() - 1; m >= 0; --m) {
        const std::int64_t n = places[m];
        const int dim = roll(shape.size()), way = roll(4);
        auto& block = digits[static_cast<std::size_t>(dim)];
        const bool backwards = roll(4) == 0;
        std::size_t free = block.size();
        for (std::size_t i = 0; i < block.size(); ++i)
            if (block[i].stride == 0 && block[i].extent % n == 0) free = i;
        if (way < 2 && free < block.size()) {
            const std::int64_t rest = block[free].extent / n;
            const Iter cut{n, backwards ? -stride : stride, "gpuid"};
            if (backwards) *out.offset.entry("gpuid") += (n - 1) * stride;
            block[free].extent = rest;
            block.insert(block.begin() + static_cast<std::ptrdiff_t>(free) + way, cut);
        } else if (way == 2) {
            out.replica.push_back({n, stride, "gpuid"});
        } else {
            *out.offset.entry("gpuid") += roll(static_cast<int>(n)) * stride;
        }
        stride *= n;
    }
    std::int64_t address = 1;
    const bool columns = roll(2) == 0;
    for (int i = 0; i < shape.size(); ++i) {
        auto& block = digits[static_cast<std::size_t>(columns ? i : shape.size() - 1 - i)];
        for (std::size_t k = block.size(); k-- > 0;)
            if (!(block[k].axis == Axis("gpuid"))) {
                block[k].stride = address;
                address *= block[k].extent;
            }
    }
    for (const auto& block : digits)
        for (const Iter& it : block) out.shard.push_back(it);
    return canonicalize(out).value();
}

} // namespace

TEST_CASE("copies between random layouts on meshes bring every element where it belongs", "[collective]")
{
    std::mt19937 random(20261121);
    std::map<std::string, int> done;
    const std::vector<std::pair<Shape, Shape>> cases = {{{2}, {6, 5}},     {{3}, {9, 4}},         {{4}, {8, 3}},
                                                        {{5}, {10, 5}},    {{2, 2}, {4, 6, 3}},   {{8}, {8, 16}},
                                                        {{2, 3}, {12, 5}}, {{2, 2, 2}, {8, 4, 2}}};
    for (const auto& [places, shape] : cases) {
        const Machine machine = devices(machines::sm90, places);
        for (int i = 0; i < 60; ++i) {
            const Layout to = random_layout(shape, places, random), from = random_layout(shape, places, random);
            const Program program = copy_program(machine, shape, to, from);
            INFO(print(from).c_str() << " -> " << print(to).c_str());
            for (const char* schedule : {"local", "peer", "ring", "push"}) {
                const Ran ran = run(program, schedule);
                done[schedule] += ran.done ? 1 : 0;
                if (!ran.done) CHECK_FALSE(ran.reason.empty());
            }
        }
    }
    CHECK(done["peer"] == 480);
    CHECK(done["push"] == 480);
    CHECK(done["local"] > 20);
    CHECK(done["ring"] > 10);
}

TEST_CASE("reductions between random layouts on meshes sum what they should", "[collective]")
{
    std::mt19937 random(7);
    std::map<std::string, int> done;
    struct Case {
        Shape places, shape;
        InlineVector<int, max_rank> axes;
    };
    const std::vector<Case> cases = {{{2}, {2, 6, 5}, {0}}, {{3}, {9, 6}, {1}},          {{4}, {7, 4}, {1}},
                                     {{4}, {8, 5, 4}, {2}}, {{2, 2}, {4, 6, 2}, {0, 2}}, {{2, 2}, {2, 4, 3}, {0}},
                                     {{8}, {8, 16}, {0}},   {{2, 3}, {6, 12}, {0}},      {{2, 2, 2}, {4, 8, 2}, {0, 2}},
                                     {{5}, {5, 13}, {0}}};
    const Function functions[] = {Function::add, Function::max, Function::min, Function::mul};
    for (const auto& [places, shape, axes] : cases) {
        const Machine machine = devices(machines::sm90, places);
        Shape kept;
        for (int d = 0; d < shape.size(); ++d)
            if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept.push_back(shape[d]);
        for (int i = 0; i < 80; ++i) {
            const Layout to = random_layout(kept, places, random), from = random_layout(shape, places, random);
            const Program program = reduce_program(machine, shape, axes, to, from, functions[i % 4], i % 3 == 0);
            INFO(print(from).c_str() << " -> " << print(to).c_str());
            for (const char* schedule : {"in_network", "one_shot", "ring"}) {
                const Ran ran = run(program, schedule);
                done[schedule] += ran.done ? 1 : 0;
                if (!ran.done) CHECK_FALSE(ran.reason.empty());
            }
        }
    }
    CHECK(done["one_shot"] == 800);
    CHECK(done["ring"] > 20);
    CHECK(done["in_network"] > 20);
}

TEST_CASE("rings and pulls move as many bytes over each link as they should, in as many steps", "[collective]")
{
    for (const std::int64_t n : {2, 3, 4, 5, 8}) {
        const Machine machine = devices(machines::sm90, {n});
        const Shape shape{n * 6, 5};
        const std::int64_t whole = n * 6 * 5 * 4; // bytes
        const Layout sharded = Layout{{{n, 1, "gpuid"}, {30, 1}}, {}, {}}, copied = Layout{{{n * 30, 1}}, {{n, 1, "gpuid"}}, {}};
        const auto on_ring = [&](const Ran& ran, std::int64_t bytes) {
            REQUIRE(ran.done);
            CHECK(static_cast<std::int64_t>(ran.links.size()) == n);
            for (const auto& [link, b] : ran.links) {
                CHECK(link.second == (link.first + 1) % n);
                CHECK(b == bytes);
            }
        };
        const auto on_all = [&](const Ran& ran, std::int64_t bytes) {
            REQUIRE(ran.done);
            CHECK(static_cast<std::int64_t>(ran.links.size()) == n * (n - 1));
            for (const auto& [link, b] : ran.links) CHECK(b == bytes);
            CHECK(ran.meetings == 0);
        };
        const Program gather = copy_program(machine, shape, copied, sharded);
        const Ran ring = run(gather, "ring");
        on_ring(ring, (n - 1) * whole / n);
        CHECK(ring.meetings == n); // before the first of n - 1 steps, and after each
        CHECK(ring.decision == "all_gather, rings: 1 of " + std::to_string(n));
        on_all(run(gather, "peer"), whole / n);
        on_all(run(gather, "push"), whole / n);

        Shape terms{n};
        for (const std::int64_t e : shape) terms.push_back(e);
        const Layout partial = Layout{{{n, 1, "gpuid"}, {n * 30, 1}}, {}, {}};
        const Program scatter = reduce_program(machine, terms, {0}, sharded, partial);
        const Ran scattered = run(scatter, "ring");
        on_ring(scattered, (n - 1) * whole / n);
        CHECK(scattered.meetings == n);
        on_all(run(scatter, "one_shot"), whole / n);
        const Program wanted = reduce_program(machine, terms, {0}, copied, partial);
        const Ran both = run(wanted, "ring");
        on_ring(both, 2 * (n - 1) * whole / n);
        CHECK(both.meetings == 2 * n);
        on_all(run(wanted, "one_shot"), whole);
        // 30n consecutive numbers, as the last two dimensions together
        CHECK(run(wanted, "in_network").texts == std::set<std::string>{std::string("multimem.ld_reduce.relaxed.sys.global.add.v") +
                                                                       (n % 2 == 0 ? "4" : "2") + ".f32 + st"});
    }
}

TEST_CASE("a ring of sums with fewer elements than devices, and of one that does not divide", "[collective]")
{
    for (const std::int64_t n : {2, 3, 7})
        for (const std::int64_t m : {1, 2, 5, 13}) {
            const Machine machine = devices(machines::sm80, {n});
            const Layout partial = Layout{{{n, 1, "gpuid"}, {m, 1}}, {}, {}}, copied = Layout{{{m, 1}}, {{n, 1, "gpuid"}}, {}};
            for (const bool accumulate : {false, true})
                CHECK(run(reduce_program(machine, {n, m}, {0}, copied, partial, Function::max, accumulate), "ring").done);
            // a whole that has no dimensions
            CHECK(
                run(reduce_program(machine, {n}, {0}, Layout{{}, {{n, 1, "gpuid"}}, {}}, Layout{{{n, 1, "gpuid"}}, {}, {}}), "ring")
                    .done);
        }
}

TEST_CASE("a mesh gathers and sums along one of its dimensions, ring by ring", "[collective]")
{
    const Machine machine = mesh(machines::sm90, {2, 2}, {"row", "col"}).value();
    const Shape shape{8, 6};
    const Layout both = "(2,4,2,3):(1@row,3,1@col,1)"_axe, along_row = "(2,4,6):(1@row,6,1) + [2:1@col]"_axe;
    const Ran gathered = run(copy_program(machine, shape, along_row, both), "ring");
    REQUIRE(gathered.done);
    CHECK(gathered.decision == "all_gather, rings: 2 of 2");
    CHECK(gathered.links.count({0, 1}) == 1);
    CHECK(gathered.links.count({2, 3}) == 1);
    CHECK(gathered.links.count({0, 2}) == 0);
    const Layout partial = "(2,2,4,6):(1@col,1@row,6,1)"_axe; // terms along col
    for (const char* schedule : {"ring", "one_shot", "in_network"}) {
        const Ran summed = run(reduce_program(machine, {2, 8, 6}, {0}, along_row, partial), schedule);
        INFO(summed.reason);
        REQUIRE(summed.done);
        CHECK(summed.decision.substr(0, 10) == "all_reduce");
        CHECK(run(reduce_program(machine, {2, 8, 6}, {0}, both, partial), schedule).decision.substr(0, 14) == "reduce_scatter");
    }
    // two devices of the four, as a slice of the machine: those with row = 1
    const ExecutionScope half{false, 2, 2, 1, 1};
    CHECK(run(copy_program(machine, shape, "48:1 + [2:1@col] + 1@row"_axe, "(8,2,3):(3,1@col,1) + 1@row"_axe), "ring", half).done);
    CHECK(run(copy_program(machine, shape, "48:1 + [2:1@col] + 1@row"_axe, "(8,2,3):(3,1@col,1) + 1@row"_axe), "push", half).done);
    CHECK(run(copy_program(machine, shape, "48:1 + [2:1@col]"_axe, "48:1"_axe), "peer", half).reason ==
          "D has elements on device 0, which does not run this statement");
    CHECK(run(copy_program(machine, shape, "48:1 + 1@row"_axe, "48:1"_axe), "push", half).reason ==
          "A has elements on device 0, which does not run this statement");
}

TEST_CASE("parts of tensors may begin where the run says, as long as that changes no device", "[collective]")
{
    const Machine machine = devices(machines::sm90, {4});
    const auto program = [&](const Layout& to, const Layout& from, std::int64_t step) {
        Kernel k("parts", machine);
        const auto a = k.input("A", {6, 8, 3}, DType::f32, from);
        const auto d = k.output("D", {8, 3}, DType::f32, to);
        k.loop(0, 6, step, [&](const Affine& i) { k.copy(d, a(i, all, all)); });
        return k.program().value();
    };
    const Layout sharded = "(6,4,2,3):(6,1@gpuid,3,1)"_axe, copied = "24:1 + [4:1@gpuid]"_axe;
    const Program rows = program(copied, sharded, 1);
    for (const char* schedule : {"peer", "push", "ring"}) {
        Request request(rows, target_of(rows), operation_of(rows.body), everywhere(rows));
        const auto body = emit(request, schedule);
        REQUIRE(body.has_value());
        for (const std::int64_t row : {0, 3, 5}) { // each row is gathered
            DeviceRun m(rows, request);
            m.values.assign(rows.variables.size(), row);
            const View &d = request.view(0), &a = request.view(1);
            for (std::int64_t i = 0; i < 24; ++i) m.set(a, coordinate(a.extents, i), number(row * 24 + i));
            m.run(*body);
            for (std::int64_t i = 0; i < 24; ++i)
                for (const auto& p : m.places(d, coordinate(d.extents, i))) REQUIRE(m.get(p) == number(row * 24 + i));
        }
    }
    // rows 0, 2 and 4 are on different devices; with two rows a device, steps of 2 move, and steps of 1 do too
    const Layout by_row = "(3,2,24):(1@gpuid,24,1)"_axe;
    CHECK(run(program(copied, by_row, 2), "push").reason ==
          "the origin in dimension 0 of A moves the view to other owners: those at 2 are not those at 0");
    // Each device finds what it reads when it comes to the statement: tests/unit/schedule/moving_tiles.cpp
    CHECK(run(program(copied, by_row, 2), "peer").done);
    // every other row on every other device: steps of 2 stay
    CHECK(run(program(copied, "(3,2,24):(24,1@gpuid,1)"_axe, 2), "peer").done);
    CHECK_FALSE(run(program(copied, "(3,2,24):(24,1@gpuid,1)"_axe, 1), "push").done);
}

TEST_CASE("parts of a dimension that devices share are taken exactly", "[collective]")
{
    const Machine machine = devices(machines::sm90, {4});
    Kernel k("parts", machine);
    const auto a = k.input("A", {16, 4}, DType::f32, "(4,4,4):(1@gpuid,4,1)"_axe);
    const auto d = k.output("D", {4, 8}, DType::f32, "(4,8):(8,1) + [2:1@gpuid] + 2@gpuid"_axe);
    k.copy(d, a(Interval(8, 8), all).permuted({1, 0})); // the rows of devices 2 and 3
    const Program p = k.program().value();
    const Ran ran = run(p, "ring");
    INFO(ran.reason);
    REQUIRE(ran.done);
    CHECK(ran.decision == "all_gather, rings: 1 of 2");
    CHECK(ran.links.size() == 2);
}

TEST_CASE("a schedule of devices that does not apply says which operand is in the way", "[collective]")
{
    const Machine machine = devices(machines::sm90, {4});
    const Layout one = "8:1"_axe, all_four = "8:1 + [4:1@gpuid]"_axe, sharded = "(4,2):(1@gpuid,1)"_axe;
    const auto copy_reason = [&](const Layout& to, const Layout& from, const char* schedule) {
        return run(copy_program(machine, {8}, to, from), schedule).reason;
    };
    CHECK(copy_reason(all_four, one, "local") == "D needs elements on devices where A does not have them: the copy is broadcast");
    CHECK(copy_reason(all_four, one, "ring") == "the copy from A to D is broadcast, not all_gather");
    CHECK(copy_reason(sharded, "8:1 + 5@gpuid"_axe, "peer") == "A has elements on device 5, which the machine does not have");
    const auto reduce_reason = [&](const Shape& shape, const Layout& to, const Layout& from, const char* schedule,
                                   Function f = Function::add, DType type = DType::f32) {
        return run(reduce_program(machine, shape, {0}, to, from, f, false, type), schedule).reason;
    };
    const Layout partial = "(4,8):(1@gpuid,1)"_axe;
    CHECK(reduce_reason({4, 8}, one, partial, "ring") == "the reduction of A to D is reduce, not reduce_scatter or all_reduce");
    CHECK(reduce_reason({8, 8}, all_four, "(4,2,8):(1@gpuid,8,1)"_axe, "in_network") ==
          "dimension 0 of A is reduced and moves on m: its terms must be at one address on all devices");
    CHECK(reduce_reason({4, 8}, all_four, partial, "in_network", Function::max) ==
          "multimem.ld_reduce has no max of f32, the type of A");
    CHECK(reduce_reason({4, 8}, all_four, partial, "in_network", Function::add, DType::e4m3) ==
          "multimem.ld_reduce has no add of e4m3, the type of A");
    CHECK(reduce_reason({4, 8}, all_four, "(4,8):(1@gpuid,2)"_axe, "in_network", Function::add, DType::f16) ==
          "accesses have 32, 64 or 128 bits; A has aligned runs of 1 element of 16 bits");
    CHECK(reduce_reason({2, 8}, one, "(2,8):(0,1)"_axe, "in_network") ==
          "A does not have one term for each device of a group: the reduction is local");
    // in a block, in shared memory, asynchronous
    const Program program = copy_program(machine, {8}, all_four, sharded);
    Request in_block(program, target_of(program), operation_of(program.body), {true, 0, 4, 1, 32});
    CHECK(emit(in_block, "peer").error().text == "it is for whole devices, but the statement is in a block");
    Program staged = program;
    staged.tensors[0].memory = "smem";
    CHECK(run(staged, "peer").reason == "A is in smem, which other devices cannot access");
    Program async = reduce_program(machine, {4, 8}, {0}, all_four, partial);
    std::get<Operation>(async.body[0].what).options.async = true;
    CHECK(run(async, "ring").reason == "its steps wait for each other, so it cannot be asynchronous");
    CHECK(run(async, "one_shot").async);
    CHECK(run(async, "in_network").async);
    Program copy_async = program;
    std::get<Operation>(copy_async.body[0].what).op = Op::copy_async;
    CHECK(run(copy_async, "peer").async);
    CHECK(run(copy_async, "push").async);
    CHECK_FALSE(run(program, "peer").async);
    // digits that span dimensions: known as a kind, but no boxes
    const Program skewed = copy_program(devices(machines::sm90, {3}), {2, 6}, "12:1 + [3:1@gpuid]"_axe, "(3,4):(1@gpuid,1)"_axe);
    CHECK(run(skewed, "peer").done);
    CHECK(run(skewed, "ring").reason ==
          "A and D are spread over devices across their dimensions: dimension 0 of extent 2 ends inside an "
          "iter and does not divide it");
}

TEST_CASE("multimem.ld_reduce is spelled by type and width, and only where the machine has it", "[collective]")
{
    const Machine machine = devices(machines::sm90, {2});
    const auto text = [&](DType type, Function f, std::int64_t row, int most_bytes = 0) {
        Program p = reduce_program(machine, {2, row}, {0}, Layout{{{row, 1}}, {{2, 1, "gpuid"}}, {}},
                                   Layout{{{2, 1, "gpuid"}, {row, 1}}, {}, {}}, f, false, type);
        std::get<Operation>(p.body[0].what).options.vector_bytes = most_bytes;
        const Ran ran = run(p, "in_network");
        return ran.done ? *ran.texts.begin() : ran.reason;
    };
    const std::string head = "multimem.ld_reduce.relaxed.sys.global.";
    CHECK(text(DType::f32, Function::add, 8) == head + "add.v4.f32 + st");
    CHECK(text(DType::f32, Function::add, 8, 8) == head + "add.v2.f32 + st");
    CHECK(text(DType::f32, Function::add, 7) == head + "add.f32 + st");
    CHECK(text(DType::f16, Function::add, 8) == head + "add.v4.f16x2 + st");
    CHECK(text(DType::bf16, Function::max, 4) == head + "max.v2.bf16x2 + st");
    CHECK(text(DType::f16, Function::min, 6) == head + "min.f16x2 + st");
    CHECK(text(DType::f64, Function::add, 8) == head + "add.f64 + st");
    CHECK(text(DType::i32, Function::add, 8) == head + "add.s32 + st");
    CHECK(text(DType::i32, Function::max, 8) == head + "max.s32 + st");
    CHECK(text(DType::i32, Function::bit_xor, 8) == head + "xor.b32 + st");
    CHECK(row(Op::reduce, "in_network").fits(machine));
    CHECK_FALSE(row(Op::reduce, "in_network").fits(devices(machines::sm80, {2})));
    CHECK_FALSE(row(Op::reduce, "in_network").fits(machines::sm90)); // one device
    CHECK_FALSE(row(Op::copy, "peer").fits(machines::sm90));
    CHECK(row(Op::copy, "local").fits(machines::sm90));
}

TEST_CASE("machines whose devices move data by engines do the same", "[collective]")
{
    const Machine machine = devices(machines::trn2, {4});
    const Layout partial = "(4,8):(1@gpuid,1)"_axe, sharded = "(4,2):(1@gpuid,1)"_axe, all_four = "8:1 + [4:1@gpuid]"_axe;
    CHECK(run(copy_program(machine, {8}, all_four, sharded), "ring").texts == std::set<std::string>{"dma"});
    CHECK(run(copy_program(machine, {8}, all_four, sharded), "peer").texts == std::set<std::string>{"dma"});
    for (const char* schedule : {"one_shot", "ring"})
        CHECK(run(reduce_program(machine, {4, 8}, {0}, all_four, partial), schedule).texts == std::set<std::string>{"dma"});
    CHECK(run(reduce_program(devices(machines::cpu, {4}), {4, 8}, {0}, sharded, partial), "ring").done);
}
