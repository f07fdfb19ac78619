// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/reduce.hpp>
#include <axe/target/machines.hpp>
#include <tests/targets.hpp>

#include <catch.hpp>
#include <random>
#include <string>
#include <tests/unit/schedule/block_run.hpp>

using namespace axe;
using namespace axe::literals;

namespace {

using Dims = InlineVector<int, max_rank>;

struct Operand {
    std::string memory;
    Layout layout;
    DType type = DType::f32;
};

struct Case {
    Shape shape;
    Dims axes;
    Operand d, a;
    Function function = Function::add;
    bool accumulate = false;
    int agents = 4;
};

Program program_of(const Machine& machine, const Case& c)
{
    Shape kept;
    for (int i = 0; i < c.shape.size(); ++i)
        if (std::find(c.axes.begin(), c.axes.end(), i) == c.axes.end()) kept.push_back(c.shape[i]);
    Kernel k("reduce", machine);
    k.cta(
        tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            const auto a = cta.alloc(c.a.memory, c.shape, c.a.type, c.a.layout, "A");
            const auto d = cta.alloc(c.d.memory, kept, c.d.type, c.d.layout, "D");
            cta.reduce(c.function, d, a, c.axes, c.accumulate);
        },
        c.agents);
    const auto p = k.program();
    if (!p) FAIL(p.error().text);
    return *p;
}

const Operation& operation_of(const Body& body)
{
    const auto* found = for_each_statement(body, [](const Statement& s) { return std::get_if<Operation>(&s.what); });
    REQUIRE(found != nullptr);
    return *found;
}

double number(std::int64_t i) { return static_cast<double>((i * 5 + 2) % 7 - 2); }

struct Ran {
    bool done = false;
    std::string reason{}, decision{};
    std::map<std::string, int> opcodes{};
    int barriers = 0;
};

Ran run(const Machine& machine, const Case& c, const std::string& schedule)
{
    const Program program = program_of(machine, c);
    const Operation& o = operation_of(program.body);
    Request request(program, target_of(program), o, {true, 0, c.agents, 1, 32});
    Ran out;
    const Schedule* row = nullptr;
    for (const Schedule& s : reduce_schedules)
        if (schedule == s.name) row = &s;
    REQUIRE(row != nullptr);
    REQUIRE(row->fits(machine));
    const auto body = row->emit(request);
    if (!body) {
        out.reason = body.error().text;
        return out;
    }
    BlockRun block(request);
    const View &d = o.operands[0], &a = o.operands[1];
    const std::int64_t n = volume(a.extents).value(), m = volume(d.extents).value();
    std::vector<double> expected(static_cast<std::size_t>(m));
    std::vector<bool> begun(expected.size(), c.accumulate);
    for (std::int64_t i = 0; i < n; ++i) block.set(a, i, number(i));
    if (c.accumulate)
        for (std::int64_t i = 0; i < m; ++i) {
            expected[static_cast<std::size_t>(i)] = number(i + 3);
            block.set(d, i, number(i + 3));
        }
    for (std::int64_t i = 0; i < n; ++i) {
        const Coord at = coordinate(a.extents, i);
        Coord kept;
        for (int k = 0; k < at.size(); ++k)
            if (std::find(c.axes.begin(), c.axes.end(), k) == c.axes.end()) kept.push_back(at[k]);
        const auto x = static_cast<std::size_t>(linear_index(d.extents, kept).value());
        expected[x] = begun[x] ? c.function.row().apply(expected[x], number(i), 0) : number(i);
        begun[x] = true;
    }
    block.run(*body);
    for (std::int64_t i = 0; i < m; ++i)
        for (const auto& p : block.places(d, i))
            if (block.get(p) != expected[static_cast<std::size_t>(i)])
                FAIL("element " << i << " is " << block.get(p) << ", not " << expected[static_cast<std::size_t>(i)]);
    out.done = true;
    out.decision = request.decision();
    out.opcodes = block.opcodes;
    out.barriers = block.barriers;
    return out;
}

// The accumulator of 2×2 warps, each with one tile of mma.sync m16n8: 32×16, columns in lanes of four and pairs of registers.
constexpr Layout four_warps = "(2,2,8,2,4,2):(1@warp,2@reg,4@lane,2@warp,1@lane,1@reg)"_axe;

} // namespace

TEST_CASE("the rows of an accumulator are reduced by exchanges within a warp, then between warps", "[reduce]")
{
    // rows over 32 lanes of 4 warps: those of a row are 4 lanes of one warp when the columns are not spread over warps
    const Layout rows = "(4,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe; // 64 x 16
    const Layout every_lane = "(4,2,8):(1@warp,1@reg,4@lane) + [4:1@lane]"_axe;
    const Layout first_lane = "(4,2,8):(1@warp,1@reg,4@lane)"_axe;
    for (const Function f : {Function::add, Function::max, Function::min, Function::mul})
        for (const bool accumulate : {false, true})
            for (const Layout& to : {every_lane, first_lane}) {
                const Case c{{64, 16}, {1}, {"reg", to}, {"reg", rows}, f, accumulate};
                const Ran shuffled = run(machines::sm90, c, "shuffle");
                INFO(shuffled.reason);
                REQUIRE(shuffled.done);
                CHECK(shuffled.opcodes.at("shuffle") == 2); // lanes 1 and 2 apart
                CHECK(shuffled.barriers == 0);
                CHECK(shuffled.decision == "4 terms in each lane, 2 exchanges");
                CHECK_FALSE(run(machines::sm90, c, "in_lane").done);
                CHECK_FALSE(run(machines::sm90, c, "through_shared").done);
            }
    // 2×2 warps: half of a row's columns are in another warp
    const Layout both = "(2,2,8):(1@warp,1@reg,4@lane) + [4:1@lane,2:2@warp]"_axe;
    const Case c{{32, 16}, {1}, {"reg", both}, {"reg", four_warps}};
    const Ran staged = run(machines::sm80, c, "through_shared");
    INFO(staged.reason);
    REQUIRE(staged.done);
    CHECK(staged.barriers == 2);
    CHECK(staged.opcodes.at("shuffle") == 2);
    CHECK(run(machines::sm80, c, "shuffle").reason == "the terms of A are spread over 2 agents, which have no registers in common");
}

namespace {

/// A register layout of a shape: the lanes and warps are cut into a few digits, each of which cuts a dimension, repeats or is pinned.
Layout random_registers(const Shape& shape, std::mt19937& random, bool full)
{
    const auto roll = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<std::vector<Iter>> digits;
    for (const std::int64_t n : shape) digits.push_back({{n, 0}});
    Layout out;
    std::vector<Iter> owners = {{4, 1, "lane"}, {2, 4, "lane"}, {4, 8, "lane"}, {2, 1, "warp"}, {2, 2, "warp"}};
    if (roll(3) == 0) owners = {{2, 1, "lane"}, {3, 2, "lane"}, {4, 8, "lane"}, {4, 1, "warp"}}; // some lanes hold nothing
    std::shuffle(owners.begin(), owners.end(), random);
    for (const Iter& owner : owners) {
        auto& block = digits[static_cast<std::size_t>(roll(shape.size()))];
        std::size_t free = block.size();
        for (std::size_t i = 0; i < block.size(); ++i)
            if (block[i].stride == 0 && block[i].extent % owner.extent == 0) free = i;
        const int way = roll(full ? 4 : 6);
        if (free < block.size() && way < 4) {
            block[free].extent /= owner.extent;
            block.insert(block.begin() + static_cast<std::ptrdiff_t>(free) + way % 2, owner);
        } else if (way == 4) {
            out.replica.push_back(owner);
        } else {
            *out.offset.entry(owner.axis) += roll(static_cast<int>(owner.extent)) * owner.stride;
        }
    }
    std::int64_t reg = 1;
    for (auto& block : digits)
        for (std::size_t k = block.size(); k-- > 0;)
            if (block[k].axis == Axis{}) {
                block[k] = {block[k].extent, reg, "reg"};
                reg *= block[k].extent;
            }
    for (const auto& block : digits)
        for (const Iter& it : block) out.shard.push_back(it);
    return canonicalize(out).value();
}

/// Where the results of a reduction of such registers lie: with every lane that had terms, or with the first of them.
Layout results_of(const Layout& a, const Shape& shape, const Dims& axes, bool everywhere)
{
    const auto grouped = group(a, shape).value();
    Layout out;
    out.offset = grouped.layout.offset;
    for (const Iter& it : grouped.layout.replica)
        if (everywhere) out.replica.push_back(it);
    std::vector<Iter> kept;
    for (int d = 0; d < shape.size(); ++d) {
        const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
        for (int i = grouped.begin(d); i < grouped.end(d); ++i) {
            const Iter it = grouped.layout.shard[i];
            if (!reduced) kept.push_back(it);
            if (reduced && everywhere && !(it.axis == Axis("reg"))) out.replica.push_back(it);
        }
    }
    std::int64_t reg = 1;
    for (std::size_t i = kept.size(); i-- > 0;)
        if (kept[i].axis == Axis("reg") || kept[i].stride == 0) {
            kept[i] = {kept[i].extent, reg, "reg"};
            reg *= kept[i].extent;
        }
    for (const Iter& it : kept) out.shard.push_back(it);
    return canonicalize(out).value();
}

Layout packed(const Shape& shape, bool columns)
{
    Layout out;
    std::int64_t stride = 1;
    out.shard.count = shape.size();
    for (int i = 0; i < shape.size(); ++i) {
        const int d = columns ? i : shape.size() - 1 - i;
        out.shard[d] = {shape[d], stride};
        stride *= shape[d];
    }
    return out;
}

} // namespace

TEST_CASE("reductions of random register tensors are what the definition says, by every schedule that does them", "[reduce]")
{
    std::mt19937 random(11);
    std::map<std::string, int> done;
    const std::vector<std::pair<Shape, Dims>> shapes = {{{16, 16}, {1}},      {{16, 24}, {0}}, {{8, 12, 16}, {1}},
                                                        {{12, 8, 8}, {0, 2}}, {{32, 12}, {1}}, {{5, 64}, {1}}};
    const Function functions[] = {Function::add, Function::max, Function::min, Function::mul};
    int staged = 0;
    for (int i = 0; i < 240; ++i) {
        const auto& [shape, axes] = shapes[static_cast<std::size_t>(i) % shapes.size()];
        const Layout from = random_registers(shape, random, i % 3 == 0);
        Shape kept;
        for (int d = 0; d < shape.size(); ++d)
            if (std::find(axes.begin(), axes.end(), d) == axes.end()) kept.push_back(shape[d]);
        const Layout to = i % 4 == 3 ? random_registers(kept, random, false) : results_of(from, shape, axes, i % 2 == 0);
        Case c{shape, axes, {"reg", to}, {"reg", from}, functions[i / 3 % 4], i % 5 == 0};
        if (c.function == Function::mul) c.d.type = c.a.type = DType::f64; // no exchanges
        INFO(print(from).c_str() << " -> " << print(to).c_str() << " of shape " << print(shape).c_str());
        int ways = 0;
        for (const char* schedule : {"in_lane", "shuffle", "through_shared"}) {
            const Ran ran = run(machines::sm80, c, schedule);
            done[schedule] += ran.done ? 1 : 0;
            ways += ran.done ? 1 : 0;
            if (!ran.done) CHECK_FALSE(ran.reason.empty());
        }
        if (i % 4 != 3) CHECK(ways > 0);
        // from registers to shared memory
        c.d = {"smem", packed(kept, i % 2 == 0), c.d.type};
        for (const char* schedule : {"shuffle", "through_shared"}) staged += run(machines::sm80, c, schedule).done ? 1 : 0;
    }
    CHECK(done["in_lane"] > 10);
    CHECK(done["shuffle"] > 60);
    CHECK(done["through_shared"] > 100);
    CHECK(staged >= 240);
}

TEST_CASE("what is in a memory is reduced by whoever wants the result", "[reduce]")
{
    const Shape shape{6, 35, 3};
    const Dims axes{1};
    const Layout source = packed(shape, false), result = packed({6, 3}, true);
    const Layout all_lanes = "18:1@reg + [32:1@lane,4:1@warp]"_axe, spread = "(6,3):(1@lane,1@reg) + 2@warp"_axe;
    for (const char* memory : {"smem", "gmem"})
        for (const bool accumulate : {false, true})
            for (const Operand& d :
                 {Operand{"reg", all_lanes}, Operand{"reg", spread}, Operand{"smem", result}, Operand{"gmem", result}}) {
                const Ran ran = run(machines::sm90, {shape, axes, d, {memory, source}, Function::add, accumulate}, "in_lane");
                INFO(ran.reason);
                REQUIRE(ran.done);
                CHECK(ran.barriers == 0);
            }
    for (const char* schedule : {"shuffle", "through_shared"})
        CHECK(run(machines::sm90, {shape, axes, {"smem", result}, {"smem", source}}, schedule).reason ==
              "A is in smem, where every lane reads it");
    // fewer agents, more results than lanes, all dimensions reduced
    CHECK(run(machines::sm90,
              {{300, 2}, {1}, {"smem", packed({300}, false)}, {"smem", packed({300, 2}, false)}, Function::max, false, 2},
              "in_lane")
              .done);
    CHECK(run(machines::sm90, {{7, 3}, {0, 1}, {"smem", packed({1}, false)}, {"smem", packed({7, 3}, true)}}, "in_lane").done);
}

TEST_CASE("sums of narrow types grow in wider ones and are rounded once", "[reduce]")
{
    const Layout rows = "(32,8):(1@lane,1@reg)"_axe, to = "32:1@lane"_axe;
    const Case halves{{32, 8}, {1}, {"reg", to, DType::f16}, {"reg", rows, DType::f16}, Function::add, false, 1};
    const Program program = program_of(machines::sm90, halves);
    const Operation& o = operation_of(program.body);
    Request request(program, target_of(program), o, {true, 0, 1, 1, 32});
    const auto body = detail::emit_in_lane(request);
    REQUIRE(body.has_value());
    REQUIRE(request.temporaries().size() == 1);
    CHECK(request.temporaries()[0].dtype == DType::f32);
    CHECK(body->size() == 3); // first term, the other seven, the result
    const auto* last = std::get_if<Instruction>(&body->back().what);
    CHECK(last->text == "cvt.f16.f32");
    for (const DType type : {DType::f16, DType::bf16, DType::e4m3, DType::i8, DType::f64, DType::i32}) {
        Case c = halves;
        c.a.type = type;
        for (const DType d : {type, DType::f32}) {
            c.d.type = d;
            CHECK(run(machines::sm90, c, "in_lane").done);
        }
    }
    CHECK(detail::growing_type(DType::i8, DType::i8) == DType::i32);
    CHECK(detail::growing_type(DType::i8, DType::f16) == DType::f32);
    CHECK(detail::growing_type(DType::f16, DType::f64) == DType::f64);
    const Case wide{{32, 8}, {0}, {"reg", "8:1@reg"_axe, DType::f64}, {"reg", rows, DType::f64}, Function::add, false, 1};
    CHECK(run(machines::sm90, wide, "shuffle").reason ==
          "lanes exchange 4 bytes per instruction, but the terms of A accumulate in f64");
    CHECK(run(machines::sm90, wide, "through_shared").done);
}

TEST_CASE("a reduction of registers that a schedule cannot do is declined by name", "[reduce]")
{
    const Layout threes = "(3,2):(1@lane,1@reg)"_axe;
    const auto reason = [](const Shape& shape, const Layout& from, const Layout& to, const char* schedule) {
        return run(machines::sm90, {shape, {0}, {"reg", to}, {"reg", from}, Function::add, false, 1}, schedule).reason;
    };
    CHECK(reason({3, 2}, threes, "2:1@reg"_axe, "in_lane") ==
          "lane 0 of agent 0 needs the reduction to element 0 of D but does not hold term 2 of A");
    CHECK(reason({3, 2}, threes, "2:1@reg"_axe, "shuffle") ==
          "the terms of A are spread over 3 lanes, 1 apart: both must be powers of two");
    CHECK(reason({4, 2}, "(4,2):(3@lane,1@reg)"_axe, "2:1@reg"_axe, "shuffle") ==
          "the terms of A are spread over 4 lanes, 3 apart: both must be powers of two");
    // lanes 1 and 2 differ in two bits
    CHECK(reason({2, 4}, "(2,4):(1@lane,1@reg) + 1@lane"_axe, "4:1@reg + 1@lane"_axe, "shuffle") ==
          "the terms of A are spread over 2 lanes, 1 apart; lane 1 and lane 0 are not partners");
    CHECK(reason({2, 4}, "(2,4):(1@lane,1@reg)"_axe, "4:1@reg + 7@lane"_axe, "shuffle") ==
          "lane 7 of agent 0 needs element 0 of D but holds none of its terms");
    CHECK(run(machines::sm90, {{2, 4}, {0}, {"smem", "4:1"_axe}, {"reg", "(2,4):(1@lane,1@reg)"_axe}}, "in_lane").reason ==
          "the terms of A are spread over 2 lanes or agents");
    CHECK(run(machines::sm90, {{2, 4}, {0}, {"smem", "4:1"_axe}, {"reg", "(2,4):(1@reg,1@lane)"_axe}}, "in_lane").done);
    // all of these go through shared memory
    for (const Layout& from : {threes, "(3,2):(1@warp,1@reg)"_axe, "(3,2):(2@lane,1@warp)"_axe})
        for (const Layout& to : {"2:1@reg"_axe, "2:1@lane + 3@warp"_axe, "2:1@reg + [4:1@warp,32:1@lane]"_axe})
            CHECK(run(machines::sm90, {{3, 2}, {0}, {"reg", to}, {"reg", from}}, "through_shared").done);
}

TEST_CASE("the plain processor reduces in its one lane", "[reduce]")
{
    const Shape shape{6, 5};
    for (const char* from : {"ram", "scratch", "reg"})
        for (const char* to : {"ram", "scratch", "reg"}) {
            const Axis a(detail::same_text(from, "reg") ? Axis("reg") : Axis{}),
                d(detail::same_text(to, "reg") ? Axis("reg") : Axis{});
            const Case c{shape, {0}, {to, Layout{{{5, 1, d}}, {}, {}}}, {from, Layout{{{30, 1, a}}, {}, {}}}, Function::max,
                         false, 1};
            const Program program = program_of(machines::cpu, c);
            Request request(program, target_of(program), operation_of(program.body), {true, 0, 1, 1, 1});
            CHECK(detail::emit_in_lane(request).has_value());
        }
}
