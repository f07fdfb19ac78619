// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/target/machines.hpp>
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
