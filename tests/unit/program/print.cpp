// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/unit/tiled_product.hpp>

using namespace axe;
using enum DType;

namespace {

/// The lines, without the first, which names kernel and machine.
std::string lines(const Kernel& k)
{
    const std::string text = print(k.program().value());
    return "\n" + text.substr(text.find('\n') + 1);
}

} // namespace

TEST_CASE("the text of a matrix product")
{
    Kernel k("gemm", machines::sm80);
    write_tiled_product(k, 128);
    CHECK(print(k.program().value()) == R"(kernel gemm on sm80
      input A: f16[100,50] in gmem, 5000:1
      input B: f16[50,70] in gmem, 3500:1
      output C: f32[100,70] in gmem, 7000:1
   0  grid block0 < 1, block1 < 1; 4 agents
   1    alloc a: f16[128,32] in smem, hint conflict_free
   2    alloc b: f16[32,128] in smem, hint conflict_free
   3    alloc acc: f32[128,128] in reg, hint accumulator
   4    fill acc = 0
   5    for i2 = 0 .. 2
   6      copy a = A[128*block0 : +128, 32*i2 : +32]?
   7      copy b = B[32*i2 : +32, 128*block1 : +128]?
   8      barrier
   9      gemm acc += a * b
  10      barrier
  11    copy C[128*block0 : +128, 128*block1 : +128]? = acc
)");
}

TEST_CASE("the text of each operator")
{
    Kernel k("k", machines::sm80);
    const auto a = k.inout("a", {4, 4}, f32), b = k.inout("b", {4, 4}, f32), v = k.inout("v", {4}, f32), i = k.inout("i", {4}, i32);
    k.fill(a, 0.1).fill(a, -1e300).copy(a, b, {"vector", 16}).copy_async(a, b);
    k.unary(Function::exp, a, b).fma(a, a, b, a);
    k.reduce(Function::max, v, a, {1}).reduce(Function::add, v, a, {0}, true).reduce(Function::add, v(0), a, {0, 1});
    k.gemm(a, a, b).gemm(a, a, b, {.accumulate = false, .transpose_a = true, .transpose_b = true});
    k.gather(a, b, i).scatter(a, i, b).atomic(Function::add, a, b);
    CHECK(lines(k) == R"(
      inout a: f32[4,4] in gmem, 16:1
      inout b: f32[4,4] in gmem, 16:1
      inout v: f32[4] in gmem, 4:1
      inout i: i32[4] in gmem, 4:1
   0  fill a = 0.1
   1  fill a = -1e+300
   2  copy a = b; schedule vector; vector_bytes 16
   3  copy_async a = b
   4  map a = exp(b)
   5  map a = fma(a, b, a)
   6  reduce v = max(a over 1)
   7  reduce v = add(v, a over 0)
   8  reduce v[0] = add(a over 0, 1)
   9  gemm a += a * b
  10  gemm a = a^T * b^T
  11  gather a = b at i
  12  scatter a at i = b
  13  atomic a = add(a, b)
)");
}

TEST_CASE("the text of each statement")
{
    Machine m = machines::sm80;
    m.scopes[0].count = 4;
    Kernel k("k", m);
    const auto x = k.scalar("x", 1.5);
    k.loop_while(x < 3, [&] { k.when(x <= 1, [&] { k.break_loop(); }, [&] { k.continue_loop(); }); });
    k.loop(1, 9, 2, [&](Affine i) { k.loop(i, i * 3 - 2, 1, [&](Affine) { k.assign(x, x + 1); }); });
    k.devices(1, 2, [](Scope s) { s.sync(); });
    k.cta(tiles(64, 16), [&](Scope s, const Tile&) {
        s.agents(0, 2, 2, [](Scope w) { w.commit().wait(1); });
        s.warps(1, 1, [](Scope w) { w.wait(); });
        s.each_agent({2, 2}, [](Scope, const std::vector<Affine>&) {});
        s.each_thread({128}, [](Scope, const std::vector<Affine>&) {});
        s.mbarrier({Mbarrier::Action::init, 0, 128, {}}).mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
        s.mbarrier({Mbarrier::Action::expect_bytes, 0, 512, {}}).mbarrier({Mbarrier::Action::wait, 0, 0, 1});
        s.alloc("smem", {8, 8}, f32, Swizzled<Layout>{{1, 4, 3}, {}, 4, {{{64, 1}}, {}, {}}}, "s", 256);
    });
    CHECK(lines(k) == R"(
      scalar x = 1.5
   0  while (x < 3)
   1    if (x <= 1)
   2      break
        else
   3      continue
   4  for i1 = 1 .. 9 by 2
   5    for i2 = i1 .. 3*i1 - 2
   6      x = (x + 1)
   7  only 2 devices, from 1
   8    barrier
   9  grid block0 < 4; 4 agents
  10    only 2 agents, from 0 by 2
  11      commit
  12      wait 1
  13    only 1 agent, from 1
  14      wait 0
  15    each agent: agent0 < 2, agent1 < 2
  16    each thread: thread0 < 128
  17    mbarrier 0 init 128
  18    mbarrier 0 arrive
  19    mbarrier 0 expect_bytes 512
  20    mbarrier 0 wait 1
  21    alloc s: f32[8,8] in smem, base 256, swizzle<1,4,3>/4(64:1)
)");
}

TEST_CASE("the text of instructions")
{
    Kernel k("k", machines::sm80);
    const auto a = k.inout("a", {4, 4}, f32), b = k.inout("b", {4, 4}, f32);
    const auto four = std::make_shared<Distribution>(Distribution{2, 4, 32, 4, {}}),
               one = std::make_shared<Distribution>(Distribution{2, 4, 32, 1, {}});
    Instruction move;
    move.opcode = "move";
    move.text = "ld.global.v4.b32";
    move.operands = {{a.view(), four}, {b.view(), four}};
    k.call(move);
    move.operands[1].distribution = one;
    move.first_agent = 4;
    move.agent_stride = 2;
    move.async = true;
    move.function = Function::add;
    move.parameters = {1, -1};
    k.call(move);
    Instruction box;
    box.opcode = box.text = "dma";
    box.operands = {{a.view(), {}}, {b.view(), {}}};
    k.call(box);
    Instruction fill;
    fill.opcode = "engine_fill";
    fill.number = 0.5;
    fill.operands = {{a.view(), {}}};
    k.call(fill);
    CHECK(lines(k) == R"(
      inout a: f32[4,4] in gmem, 16:1
      inout b: f32[4,4] in gmem, 16:1
   0  move "ld.global.v4.b32" a, b; 2 issues × 4 agents × 32 lanes × 4
   1  move "ld.global.v4.b32" a, b; add; (1, -1); async; 2 issues × 4 agents × 32 lanes × 4/1; agents 4 by 2
   2  dma a, b
   3  engine_fill a; 0.5
)");
}

TEST_CASE("the text of views, functions and expressions")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {8, 16}, f32);
    const auto x = k.scalar("x");
    k.loop(0, 8, 1, [&](Affine i) {
        const Program p = k.program().value();
        CHECK(print(p, a.view()) == "a");
        CHECK(print(p, a(3, all).view()) == "a[3, 0 : +16]");
        CHECK(print(p, a(i, Interval(2 * i - 1, 4)).view()) == "a[i0, 2*i0 - 1 : +4]?");
        CHECK(print(p, a.permuted({1, 0}).view()) == "a[0, 0; 16@1, 8@0]");
        CHECK(print(p, a(i, all).repeated(1, 5).view()) == "a[i0, 0; 16@1, 5@-]");
        View strided = a.view();
        strided.extents = {4, 16};
        strided.steps[0] = 2;
        CHECK(print(p, strided) == "a[0 : +4 : 2, 0 : +16]");
        strided.dims = {1, 0};
        CHECK(print(p, strided) == "a[0, 0; 4:2@1, 16@0]");
        CHECK(print(p, a.guarded().view()) == "a[0 : +8, 0 : +16]?");

        CHECK(print(p, Affine(0)) == "0");
        CHECK(print(p, Affine(-3)) == "-3");
        CHECK(print(p, i * -1) == "-i0");
        CHECK(print(p, i * -2 + 5) == "-2*i0 + 5");
        CHECK(print(p, Affine(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");

        CHECK(print(p, floor_div(x, 2) + load(a(i, 1))) == "((x div 2) + a[i0, 1])");
        CHECK(print(p, floor_mod(x, Expression(i))) == "(x mod i0)");
        CHECK(print(p, both(negation(x), either(differs(x, 1), equals(x, 0.5)))) == "(not x and ((x != 1) or (x == 0.5)))");
        CHECK(print(p, Expression(Expression::Kind::min, {x, Expression(Expression::Kind::max, {x, x})})) == "min(x, max(x, x))");
        CHECK(print(p, (x - 1) * (x / 3)) == "((x - 1) * (x / 3))");
        CHECK(print(p, Expression(std::numeric_limits<double>::infinity())) == "inf");
    });
}

TEST_CASE("what is no valid program prints, with question marks")
{
    Program p;
    p.name = "k";
    View lost;
    lost.tensor = 7;
    lost.origin = {Affine(Var{9})};
    Operation copy;
    copy.operands = {lost};
    p.body.push_back({0, Alloc{3}});
    p.body.push_back({1, copy});
    p.body.push_back({2, Assign{5, Expression(Expression::Kind::add, {})}});
    CHECK(print(p) == "kernel k on \n   0  alloc ?3\n   1  copy ?7[?9] = ?\n   2  ?5 = (? + ?)\n");
}
