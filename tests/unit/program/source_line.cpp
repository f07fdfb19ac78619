// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/sim/reference/reference.hpp>
#include <catch.hpp>

using namespace axe;
using enum axe::DType;

namespace {

constexpr int line_of(SourceLine at = SourceLine::here()) { return at.line(); }
static_assert(line_of() == __LINE__);

} // namespace

TEST_CASE("a source line is that of the caller, without folders", "[program]")
{
    const SourceLine at = SourceLine::here();
    CHECK(at.line() == __LINE__ - 1);
    CHECK(std::string(at.file()) == "source_line.cpp");
    CHECK(at.text() == "source_line.cpp:" + std::to_string(at.line()));
    CHECK(std::string(SourceLine::here("a\\b\\c.cpp", 7).text()) == "c.cpp:7");
    CHECK(StatementOrigin().line.text().empty());
    CHECK(origin_of(Program(), 3).line.line() == 0);
}

TEST_CASE("every function that appends a statement notes the line of its call", "[program]")
{
    Kernel k("lines", machines::sm90);
    const auto C = k.output("C", {32}, f32), N = k.inout("N", {32}, i32);
    const int begin = __LINE__ + 1;
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        const auto i = cta.alloc("smem", {32}, i32, {}, "i");
        cta.fill(s, 1);
        cta.copy(C, s);
        cta.copy_async(s, C);
        cta.map(Function::neg, s, {s});
        cta.unary(Function::neg, s, s);
        cta.binary(Function::add, s, s, s);
        cta.fma(s, s, s, s);
        cta.select(s, s, s, s);
        cta.reduce(Function::add, s(0), s, {0});
        cta.sum(s(0), s, 0);
        cta.gemm(s, s, s);
        cta.gemm(s, s, s, {.accumulate = false});
        cta.gather(s, s, i);
        cta.scatter(s, i, s);
        cta.atomic(Function::add, N, i);
        cta.operate(Op::copy, {s, s});
        cta.call({});
        cta.sync();
        cta.commit();
        cta.wait();
        cta.mbarrier({});
        cta.break_loop();
        cta.continue_loop();
        cta.assign(cta.scalar("n"), 1);
        cta.loop(0, 2, 1, [](const Affine&) {});
        cta.loop(tiles(4, 2), [](const Interval&) {});
        cta.loop_while(1, [] {});
        cta.when(1, [] {});
        cta.agents(0, 1, 1, [](Scope) {});
        cta.warps(0, 1, [](Scope) {});
        cta.agents(0, 1, 1, "one", [](Scope) {});
        cta.warps(0, 1, "two", [](Scope) {});
        cta.each_agent({4}, [](Scope, const std::vector<Affine>&) {});
        cta.each_thread({128}, [](Scope, const std::vector<Affine>&) {});
    });
    k.devices(0, 1, [](Scope) {});
    const auto program = k.program();
    INFO((program ? "" : program.error().text));
    REQUIRE(program);
    REQUIRE(static_cast<int>(program->origins.size()) == program->statements);
    for (int id = 0; id + 1 < program->statements; ++id) {
        INFO(id);
        CHECK(origin_of(*program, id).line.text() == "source_line.cpp:" + std::to_string(begin + id));
    }
    CHECK(origin_of(*program, program->statements - 1).line.line() == begin + program->statements);
    CHECK(print(*program).find("only 1 agent, from 0; two") != std::string::npos);
    CHECK(print(*program, program->body[0]) == "grid block0 < 1; 4 agents");
}

TEST_CASE("problems of validate, lower and verify give the line of the statement that they name", "[program]")
{
    const auto line = [](int number) { return " (source_line.cpp:" + std::to_string(number) + ")"; };
    int copied = 0, met = 0, allocated = 0;
    Kernel k("k", machines::sm90);
    const auto A = k.input("A", {64}, f32), C = k.output("C", {32}, f32), D = k.output("D", {64}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        copied = __LINE__ + 1;
        cta.copy(C, A);
        cta.each_thread({128}, [&](Scope t, const std::vector<Affine>& at) {
            met = __LINE__ + 1;
            t.when(at[0] < 7, [&] { t.sync(); });
        });
        allocated = __LINE__ + 1;
        const auto s = cta.alloc(Role::shared, {64, 1024}, f32, {}, "s");
        cta.fill(s, 1);
    });
    const Program wrong = k.program().value();
    const auto problems = validate(wrong);
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].text == "k, statement 1" + line(copied) + ", copy: D `C` is 32, A `A` is 64; their extents must be equal");
    CHECK(problems[1].text ==
          "k, statement 4" + line(met) + ": a barrier under a condition that can differ between the agents of the barrier");
    CHECK(problems[2].text.find("k, statement 5" + line(allocated) + ", alloc: `s` takes 262144 bytes of smem") == 0);
    const std::string extents = "k, statement 1" + line(copied) + ": D `C` is 32, A `A` is 64; their extents must be equal";
    CHECK(lower(wrong).error().text == extents);
    CHECK(reference(wrong, {}).error().text == extents);

    int forced = 0, apart = 0;
    Kernel f("forced", machines::sm90);
    const auto E = f.output("E", {64}, f32);
    forced = __LINE__ + 1;
    f.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.copy(E, E, {.schedule = "none"}); });
    CHECK(lower(f.program().value()).error().text.find("forced, statement 1" + line(forced) + ": copy has no schedule none") == 0);

    Kernel each("each", machines::sm90);
    each.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.each_thread({128}, [&](Scope t, const std::vector<Affine>& at) {
            apart = __LINE__ + 1;
            t.when(at[0] < 7, [] {});
        });
    });
    CHECK(lower(each.program().value()).error().text ==
          "each, statement 2" + line(apart) +
              ": the condition differs between the agents or lanes of each_agent or each_thread, which run in step");
}

TEST_CASE("what verify says of waits that never end has a line for each statement where agents wait", "[program]")
{
    Kernel k("stuck", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    int wait = 0;
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.fill(C, 0);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 1, {}}); }).sync();
            cta.warps(1, 1, "consumer", [&](Scope w) {
                wait = __LINE__ + 1;
                w.mbarrier({Mbarrier::Action::wait, 0, 0, 0});
            });
        },
        2);
    const std::string text = reference(k.program().value(), {}).error().text,
                      line = "(source_line.cpp:" + std::to_string(wait) + ")";
    INFO(text);
    CHECK(text.find("stuck, statement 6 " + line + ": no agent can continue") == 0);
    CHECK(text.find("\n  statement 6, consumer: mbarrier 0 wait 0 " + line) != std::string::npos);
}
