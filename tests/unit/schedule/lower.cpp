// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>

#include "lowered.hpp"

#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum axe::DType;

namespace {

/// Who moves what from where to where: (issue, agent, lane, e, address of the memory side, register).
using Moves = std::vector<std::array<std::int64_t, 6>>;

Moves moves_of(const Program& p, const Instruction& i)
{
    Moves out;
    const Distribution& part = *i.operands[0].distribution;
    const naive::Variables none(p.variables.size(), 0);
    for (int issue = 0; issue < part.issues; ++issue)
        for (int agent = 0; agent < part.agents; ++agent)
            for (int lane = 0; lane < part.lanes; ++lane)
                for (int e = 0; e < part.vector; ++e) {
                    std::array<std::int64_t, 6> move{issue, agent, lane, e, 0, 0};
                    for (const Access& a : i.operands) {
                        const auto at =
                            naive::place_in_tensor(p, a.view, a.distribution->element[part.at(issue, agent, lane, e)], none);
                        const bool in_register = naive::is_register(p, a.view);
                        move[in_register ? 5 : 4] =
                            naive::reached(p, a.view, *at, agent, lane).at(0)[in_register ? Axis{"reg"} : Axis{}];
                    }
                    out.push_back(move);
                }
    return out;
}

std::string problem_of(const Kernel& k)
{
    const auto program = required(k.program());
    const auto l = lower(*program);
    REQUIRE_FALSE(l);
    return l.error().text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::vector<double> counted(std::size_t n)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<double>(i) + 1);
    return out;
}

int ids_in(const Body& body, std::vector<int>& ids)
{
    int operators = 0;
    for_each_statement(body, [&](const Statement& s) {
        ids.push_back(s.id);
        operators += std::holds_alternative<Operation>(s.what) || std::holds_alternative<Each>(s.what);
    });
    return operators;
}

} // namespace

TEST_CASE("the copy of Axe 3.1 by each thread for itself is the copy by the block: 128 threads, 2 vectors of 4 each")
{
    // 32 x 32 f32. Thread (i, j) of 16 x 8 copies columns 4j … 4j + 3 of rows i and i + 16.
    Kernel block("block", machines::sm80), thread("thread", machines::sm80);
    auto A = block.input("A", {32, 32}, f32), C = block.output("C", {32, 32}, f32);
    block.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        auto r = cta.alloc(Role::registers, {32, 32}, f32, LayoutHint::registers);
        cta.copy(r, A).copy(C, r);
    });
    auto B = thread.input("A", {2, 16, 32}, f32), D = thread.output("C", {2, 16, 32}, f32);
    thread.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.each_thread({16, 8}, [&](Scope me, const std::vector<Affine>& id) {
            const Interval columns(id[1] * 4, 4);
            auto r = me.alloc(Role::registers, {2, 4}, f32);
            me.copy(r, B(all, id[0], columns)).copy(D(all, id[0], columns), r);
        });
    });
    const auto one = required(lower(*block.program())), other = required(lower(*thread.program()));
    const auto a = instructions_of(one->program), b = instructions_of(other->program);
    REQUIRE(a.size() == 2);
    REQUIRE(b.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const Distribution& p = *a[i].operands[0].distribution;
        CHECK(std::array{p.issues, p.agents, p.lanes, p.vector} == std::array{2, 4, 32, 4});
        CHECK(a[i].opcode == b[i].opcode);
        CHECK(a[i].text == b[i].text);
        CHECK(moves_of(one->program, a[i]) == moves_of(other->program, b[i]));
    }
}

TEST_CASE("each thread, each agent, and threads within an agent compute what they would for themselves")
{
    // Every element x of A becomes −x; digits, loops and offsets of the slice included.
    for (const int form : {0, 1, 2, 3}) {
        Kernel k("each", machines::sm80);
        auto A = k.input("A", {2, 128, 4}, f32), C = k.output("C", {2, 128, 4}, f32);
        one_block(k, 8, [&](Scope cta) {
            const auto negate = [&](Scope me, const ViewRef& c, const ViewRef& a, const Shape& mine) {
                auto r = me.alloc(Role::registers, mine, f32);
                auto s = me.alloc(Role::shared, mine, f32);
                me.copy(s, a).copy(r, s).unary(Function::neg, r, r).copy(c, r);
            };
            if (form == 0)
                cta.agents(2, 4, 1, [&](Scope four) {
                    four.each_thread({128}, [&](Scope me, const std::vector<Affine>& id) {
                        negate(me, C(all, id[0], all), A(all, id[0], all), {2, 4});
                    });
                });
            if (form == 1)
                cta.agents(1, 4, 2, [&](Scope four) {
                    four.each_agent({2, 2}, [&](Scope me, const std::vector<Affine>& id) {
                        const Interval rows(id[0] * 64 + id[1] * 32, 32);
                        auto r = me.alloc(Role::registers, {2, 32, 4}, f32, LayoutHint::registers);
                        me.copy(r, A(all, rows, all)).unary(Function::neg, r, r).copy(C(all, rows, all), r);
                    });
                });
            if (form == 2)
                cta.agents(0, 4, 1, [&](Scope four) {
                    four.each_agent({4}, [&](Scope one, const std::vector<Affine>& w) {
                        one.each_thread({8, 4}, [&](Scope me, const std::vector<Affine>& id) {
                            const Affine row = w[0] * 32 + id[0] * 4 + id[1];
                            negate(me, C(all, row, all), A(all, row, all), {2, 4});
                        });
                    });
                });
            if (form == 3)
                cta.each_thread({8, 32}, [&](Scope me, const std::vector<Affine>& id) {
                    auto r = me.alloc(Role::registers, {4}, f32);
                    const Affine number = id[0] * 32 + id[1]; // 8 agents: rows 0 … 127 of the first, then of the second half
                    (void)number;
                    auto first = Affine(id[1]);
                    me.copy(r, A(1, first, all)).copy(C(1, first, all), r);
                });
        });
        const auto program = required(k.program());
        const auto l = lower(*program);
        if (form == 3) { // all agents would write the same
            REQUIRE_FALSE(l);
            CHECK(has(l.error().text, "would write the same elements of C"));
            continue;
        }
        INFO("form " << form << ": " << l.error().text);
        REQUIRE(l);
        const auto s = naive::run_program(l->program, {{A.id(), counted(1024)}});
        CHECK(s.fault == "");
        auto expected = counted(1024);
        for (double& x : expected) x = -x;
        CHECK(naive::values_of_tensor(l->program, s, C.id()) == expected);
        std::vector<int> ids;
        CHECK(ids_in(l->program.body, ids) == 0);
    }
}

TEST_CASE("what those who run in step could not do is a problem that names the statement")
{
    const auto problem = [](const std::function<void(Scope, const std::vector<Affine>&, const TensorRef&, const TensorRef&)>& body,
                            const Shape& counts = {128}) {
        Kernel k("each", machines::sm80);
        auto A = k.input("A", {128, 128}, f32), C = k.output("C", {128, 128}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            cta.each_thread(counts, [&](Scope me, const std::vector<Affine>& id) { body(me, id, C, A); });
        });
        return problem_of(k);
    };
    CHECK(has(problem([](Scope me, const auto& id, const auto&, const auto&) { me.when(id[0] < Affine(3), [] {}); }),
              "the condition differs between the agents or lanes of each_agent or each_thread"));
    CHECK(has(problem([](Scope me, const auto& id, const auto&, const auto&) { me.loop(0, id[0], 1, [](const Affine&) {}); }),
              "how often the loop runs differs"));
    CHECK(has(problem([](Scope me, const auto& id, const auto& c, const auto& a) { me.copy(c(0, 0), a(id[0], id[0])); }),
              "each, statement "));
    CHECK(has(problem([](Scope me, const auto& id, const auto& c, const auto& a) { me.copy(c(id[0], 0), a(id[0], id[0])); }),
              "a view of A starts at a member's number in two dimensions"));
    CHECK(has(problem([](Scope me, const auto&, const auto& c, const auto& a) { me.copy(c(0, 0), a(0, 0)); }),
              "would write the same elements of C"));
    CHECK(has(problem([](Scope me, const auto& id, const auto& c, const auto& a) { me.copy(c(id[0], all), a(id[0], all)); }, {64}),
              "the counts give 64 members; there are 128 lanes"));
    CHECK(has(problem([](Scope, const auto&, const auto&, const auto&) {}, {3, 5}), "the counts give 15 members"));
}

TEST_CASE("lowering keeps the numbers of statements and says what it chose, and why nothing else")
{
    Kernel k("tiled", machines::sm80);
    auto A = k.input("A", {100, 50}, f32), C = k.output("C", {100, 50}, f32);
    k.cta(tiles(C, {64, 32}), [&](Scope cta, const Tile& t) {
        auto a = cta.alloc(Role::shared, {64, 32}, f32, {}, "a");
        cta.copy(a, A(t)).sync();
        cta.unary(Function::neg, C(t), a);
    });
    const auto program = required(k.program());
    const auto l = required(lower(*program));
    std::vector<int> before, after;
    CHECK(ids_in(program->body, before) == 2);
    CHECK(ids_in(l->program.body, after) == 0);
    for (const int id : after) CHECK(std::find(before.begin(), before.end(), id) != before.end());
    // Two operands of the map pass through registers, allocated where it stood.
    CHECK(l->program.tensors.size() == program->tensors.size() + 2);
    REQUIRE(l->choices.size() == 2);
    CHECK(l->choices[0].schedule == "vector");
    CHECK(l->choices[0].detail == "8 bytes a lane"); // rows of 200 bytes
    bool ldmatrix = false;
    for (const auto& [name, why] : l->choices[0].declined)
        if (name == "ldmatrix") ldmatrix = has(why, "not from gmem to smem");
    CHECK(ldmatrix);
    for (const auto& choice : l->choices) CHECK(std::find(before.begin(), before.end(), choice.statement) != before.end());
}

TEST_CASE("an operator that no schedule does lists every schedule that the machine can have, with its reason")
{
    Kernel k("apart", machines::sm80);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        auto a = cta.alloc(Role::registers, {64}, f32, make_layout({{64, 1, Axis{"lane"}}}), "a");
        auto d = cta.alloc(Role::registers, {64}, f32, make_layout({{64, 1, Axis{"reg"}}}), "d");
        cta.copy(d, a);
    });
    const std::string text = problem_of(k);
    for (const char* part : {"apart, statement ", "no schedule implements this copy",
                             "\n  ldmatrix: ", "\n  registers: element 32 of the view of a is in agent 0, lane 32", "\n  vector: ",
                             "\n  scalar: ", "\n  through_shared: element 32 of the view of a is in agent 0, lane 32"})
        CHECK(has(text, part));
    CHECK_FALSE(has(text, "stmatrix")); // which sm80 does not have
    // Where the target has no row for the operator at all, that is the reason.
    for (const Target* target : targets::all()) {
        const std::string name = target->machine.name;
        if (levels_of(target->machine).block < 0 || memory_for(target->machine, Role::shared) == nullptr) continue;
        Kernel rows("rows", target->machine);
        const auto A = rows.input("A", {8, 32}, f32), D = rows.output("D", {4, 32}, f32), at = rows.input("at", {4}, i32);
        rows.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.gather(D, A, at); });
        const auto made = lower(rows.program().value(), *target);
        const bool has_row = std::any_of(target->schedules.begin(), target->schedules.end(),
                                         [](const Schedule& row) { return row.op == Op::gather; });
        INFO(name << ": " << (made ? std::string("lowered") : made.error().text));
        if (!has_row) REQUIRE_FALSE(made.has_value());
        if (!has_row)
            CHECK(has(made.error().text, ("no schedule implements this gather: target " + name +
                                          " has none for this operator\nhint: add a row to `Target::schedules`")
                                             .c_str()));
    }
    Kernel beyond("beyond", machines::sm80);
    beyond.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        auto r = cta.alloc(Role::registers, {64}, f32, make_layout({{64, 1, Axis{"lane"}}}), "r");
        cta.fill(r, 0);
    });
    CHECK(has(problem_of(beyond), "element 32 of the view of r is in agent 0, lane 32; a block has at most 32 agents of 32 lanes"));
    Kernel more("more", machines::sm80);
    more.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        auto r = cta.alloc(Role::registers, {8}, f32, make_layout({{8, 1, Axis{"warp"}}}), "r");
        cta.fill(r, 0);
    });
    CHECK(has(problem_of(more), "element 4 of the views has no lane: r has it in agent 4, which does not run this statement"));
}

TEST_CASE("the hint for registers distributes rows of vectors to the lanes of those who run the scope")
{
    const auto layout = [](const Machine& m, const Shape& shape, DType type, int agents, int first = 0, int stride = 1) {
        Kernel k("hint", m);
        int id = -1;
        one_block(k, 8, [&](Scope cta) {
            cta.agents(first, agents, stride,
                       [&](Scope some) { id = some.alloc(Role::registers, shape, type, LayoutHint::registers).id(); });
        });
        const auto l = required(lower(*k.program()));
        CHECK(l->program.tensors[static_cast<std::size_t>(id)].hint == LayoutHint::none);
        return l->program.tensors[static_cast<std::size_t>(id)].layout.layout;
    };
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const auto same = [](const Layout& a, const Layout& b) { return static_cast<bool>(equal(a, b)); };
    CHECK(same(layout(machines::sm80, {32, 32}, f32, 4), {{{2, 4, reg}, {4, 1, warp}, {32, 1, lane}, {4, 1, reg}}}));
    CHECK(same(layout(machines::sm80, {64, 64}, f16, 4), {{{4, 8, reg}, {4, 1, warp}, {32, 1, lane}, {8, 1, reg}}}));
    CHECK(same(layout(machines::sm80, {32, 32}, f32, 2, 1, 2),
               {{{4, 4, reg}, {2, 2, warp}, {32, 1, lane}, {4, 1, reg}}, {}, {{warp, 1}}}));
    CHECK(same(layout(machines::sm80, {3, 8}, f32, 4), {{{6, 1, lane}, {4, 1, reg}}}));
    CHECK(same(layout(machines::sm80, {7, 5}, f32, 4), {{{5, 1, reg}, {7, 1, lane}}}));
    CHECK(same(layout(machines::cpu, {4, 8}, f32, 1), {{{32, 1, reg}}}));
}
