// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/sim/run.hpp>
#include <axe/sim/verify.hpp>
#include <axe/target/machines.hpp>
#include <axe/target/targets.hpp>
#include <axe/text/literals.hpp>

#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/without_lines.hpp>

namespace {

using namespace axe;
using namespace axe::literals;
using Action = Mbarrier::Action;

/// The problems of a grid, without what says where.
std::vector<std::string> problems(const Tiles& grid, const Clusters& clusters,
                                  const std::function<void(Kernel&, Scope, const Tile&)>& body,
                                  const Machine& machine = machines::sm90)
{
    Kernel k("k", machine);
    k.cta(grid, clusters, [&](Scope cta, const Tile& t) { body(k, cta, t); }, 1);
    const auto program = required(k.program());
    std::vector<std::string> out;
    for (const Problem& p : validate(*program)) out.push_back(p.text.substr(p.text.find(": ") + 2));
    return out;
}
using Texts = std::vector<std::string>;

void nothing(Kernel&, Scope, const Tile&) {}

} // namespace

TEST_CASE("the shape of clusters divides that of the grid, and is not larger than the machine's", "[program][clusters]")
{
    CHECK(problems(tiles({4, 6}, {1, 1}), {{2, 3}}, nothing) == Texts{});
    CHECK(problems(tiles({4, 6}, {1, 1}), {{2}}, nothing) ==
          Texts{"the grid has 2 dimensions, its clusters 1; they must have as many"});
    CHECK(problems(tiles({4, 6}, {1, 1}), {{3, 2}}, nothing) ==
          Texts{"dimension 0 of the grid has 4 blocks, which clusters of 3 do not divide"});
    CHECK(problems(tiles(8, 1), {{8}}, nothing) == Texts{});
    CHECK(problems(tiles(16, 1), {{16}}, nothing) == Texts{"a cluster has 16 blocks; sm90 takes at most 8, large ones 16"});
    CHECK(problems(tiles(16, 1), {{16}, true}, nothing) == Texts{});
    CHECK(problems(tiles(32, 1), {{32}, true}, nothing) == Texts{"a cluster has 32 blocks; sm90 takes at most 8, large ones 16"});
    CHECK(problems(tiles(4, 1), {{2}}, nothing, machines::sm80) == Texts{"sm80 has no clusters of blocks"});
}

TEST_CASE("what names another block is in a cluster, and names one that exists", "[program][clusters]")
{
    const auto arrives = [](const Affine& rank, Action action = Action::arrive) {
        return [=](Kernel&, Scope cta, const Tile& t) { cta.mbarrier({action, 0, 1, 0, rank + t.rank}); };
    };
    CHECK(problems(tiles(4, 1), {{2}}, arrives(0)) == Texts{});
    CHECK(problems(tiles(4, 1), {}, arrives(0)) == Texts{"it names another block; the grid has no clusters"});
    CHECK(problems(tiles(4, 1), {{2}}, arrives(1)) == Texts{"it names rank 2 of a cluster of 2 blocks"});
    CHECK(problems(tiles(4, 1), {{2}}, arrives(-1)) == Texts{"it names rank -1 of a cluster of 2 blocks"});
    for (const Action action : {Action::init, Action::wait, Action::invalidate})
        CHECK(problems(tiles(4, 1), {{2}}, arrives(0, action)) ==
              Texts{"only arrive, expect_bytes and expect_more are for another block's mbarrier"});
    CHECK(problems(tiles(4, 1), {}, [](Kernel&, Scope cta, const Tile&) { cta.cluster_arrive(); }) ==
          Texts{"the grid has no clusters"});
    const auto copies = [](bool registers) {
        return [=](Kernel&, Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {32}, DType::f32, "32:1@lane"_axe, "r");
            const auto s = cta.alloc(Role::shared, {32}, DType::f32, {}, "s");
            cta.fill((registers ? r : s).of_block(Affine(1) - t.rank), 0);
        };
    };
    CHECK(problems(tiles(4, 1), {{2}}, copies(false)) == Texts{});
    CHECK(problems(tiles(4, 1), {{2}}, copies(true)) == Texts{"D `r` is in reg; of another block only shared memory is accessed"});
}

TEST_CASE("a copy goes to several blocks of its cluster", "[program][clusters]")
{
    const auto copies = [](std::uint16_t mask, int id) {
        return [=](Kernel& k, Scope cta, const Tile&) {
            const auto A = k.input("A", {32}, DType::f32);
            const auto s = cta.alloc(Role::shared, {32}, DType::f32, {}, "s");
            cta.copy_async(s, A, {.completes_on = id, .multicast = mask});
        };
    };
    CHECK(problems(tiles(4, 1), {{4}}, copies(0b1111, 0)) == Texts{});
    CHECK(problems(tiles(4, 1), {{4}}, copies(0b10000, 0)) == Texts{"the mask 16 names a block beyond the 4 of the cluster"});
    CHECK(problems(tiles(4, 1), {{4}}, copies(1, -1)) ==
          Texts{"only a copy_async, gather, gemm or shift_rows that completes on an mbarrier goes to several blocks"});
    CHECK(problems(tiles(4, 1), {}, copies(1, 0)) == Texts{"it goes to several blocks; the grid has no clusters"});
}

TEST_CASE("a flag is one element of global memory, and its order fits what it does", "[program][clusters]")
{
    const auto flag = [](const std::function<void(Kernel&, Scope, TensorRef)>& body) {
        return problems(tiles(2, 1), {}, [&](Kernel& k, Scope cta, const Tile&) { body(k, cta, k.inout("f", {4}, DType::i32)); });
    };
    const Interval one(1, 1);
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) { cta.set_flag(f(one), 1).wait_equal(f(one), 1); }) == Texts{});
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) { cta.set_flag(f, 1); }) == Texts{"`f` is a flag of one element, and is 4"});
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) { cta.set_flag(f(Interval(3, 2)), 1); }).size() == 2);
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) { cta.set_flag(f(one), 1, MemoryOrder::acquire); }) ==
          Texts{"a store writes the flag; its order is release or relaxed"});
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) { cta.wait_equal(f(one), 1, MemoryOrder::acquire_release); }) ==
          Texts{"a wait reads the flag; its order is acquire or relaxed"});
    CHECK(flag([&](Kernel&, Scope cta, TensorRef) {
              const auto s = cta.alloc(Role::shared, {1}, DType::i32, {}, "s");
              cta.set_flag(s, 1);
          }) == Texts{"`s` is in smem; a flag is in global memory"});
    CHECK(flag([&](Kernel& k, Scope cta, TensorRef) { cta.set_flag(k.input("in", {1}, DType::i32), 1); }) ==
          Texts{"`in` is an input and is written here"});
    CHECK(flag([&](Kernel& k, Scope cta, TensorRef) { cta.wait_equal(k.input("in", {1}, DType::i32), 1); }) == Texts{});
    CHECK(flag([&](Kernel&, Scope cta, TensorRef f) {
              cta.each_agent({1}, [&](Scope agent, const std::vector<Affine>&) { agent.set_flag(f(one), 1); });
          }) == Texts{"a flag is inside each_agent or each_thread; it is for agents of the block"});
}

TEST_CASE("the text of what blocks do together", "[program][clusters][print]")
{
    Kernel k("k", machines::sm90);
    const auto f = k.inout("f", {4}, DType::i32);
    const auto before = k.scalar("before");
    k.cta(
        tiles({4, 4}, {1, 1}), {{1, 2}},
        [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {32}, DType::f32, {}, "s");
            cta.cluster_sync().cluster_arrive(MemoryOrder::relaxed).cluster_wait();
            cta.mbarrier({Action::arrive, 0, 0, {}, Affine(1) - t.rank}).fill(s(Interval(0, 16)).of_block(0), 1);
            cta.set_flag(f(1), 2).add_to_flag(f(t.index[1]), 1, MemoryOrder::acquire_release, Within::cluster, before);
            cta.exchange_flag(f(1), 1, MemoryOrder::relaxed, Within::system).wait_at_least(f(1), 3).wait_equal(f(1), before);
        },
        1);
    CHECK(print(k.program().value()) == R"(kernel k on sm90
      inout f: i32[4] in gmem, 4:1
      scalar before = 0
   0  grid block0 < 4, block1 < 4; 1 agent; clusters cluster0 < 1, cluster1 < 2
   1    alloc s: f32[32] in smem, 32:1
   2    cluster barrier arrive
   3    cluster barrier wait
   4    cluster barrier arrive relaxed
   5    cluster barrier wait
   6    mbarrier 0 arrive of block (-2*cluster0 - cluster1 + 1)
   7    fill s of block (0)[0 : +16] = 1
   8    flag f[1] = 2; release, device
   9    flag f[block1] += 1, before before; acquire_release, cluster
  10    flag f[1] exchanged by 1; relaxed, system
  11    wait until f[1] >= 3; acquire, device
  12    wait until f[1] == before; acquire, device
)");
}

TEST_CASE("a run declines instructions that go to other blocks where there are none", "[sim][clusters]")
{
    const auto error = [](const Clusters& clusters, const std::function<void(Scope, const Tile&)>& body) {
        Kernel k("k", machines::sm90);
        k.cta(tiles(2, 1), clusters, body, 1);
        return without_lines(sim::run(k.program().value(), Bindings{}).error().text);
    };
    CHECK(error({}, [](Scope cta, const Tile&) { cta.cluster_arrive(); }) ==
          "k, statement 1: it names another block; the grid has no clusters");
    CHECK(error({}, [](Scope cta, const Tile&) { cta.mbarrier({Action::arrive, 0, 0, {}, Affine(0)}); }) ==
          "k, statement 1: it names another block; the grid has no clusters");
    CHECK(error({{2}}, [](Scope cta, const Tile&) { cta.mbarrier({Action::init, 0, 1, {}, Affine(0)}); }) ==
          "k, statement 1: only arrive, expect_bytes and expect_more are for another block's mbarrier");
}

TEST_CASE("the reference declines blocks that depend on each other: a specification says what they are to give",
          "[sim][clusters][verify]")
{
    const auto pairs = [](bool specified) {
        Kernel k("pairs", machines::sm90);
        const auto A = k.input("A", {4, 32}, DType::f32), C = k.output("C", {4, 32}, DType::f32);
        if (specified) k.computes(C, A);
        k.cta(
            tiles(4, 1), {{2}},
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {32}, DType::f32, {}, "s");
                const auto r = cta.alloc(Role::registers, {32}, DType::f32, "32:1@lane"_axe, "r");
                cta.cluster_sync().copy(r, A(t.index[0], all)).copy(s.of_block(Affine(1) - t.rank), r).cluster_sync();
                cta.copy(r, s.of_block(Affine(1) - t.rank)).cluster_sync().copy(C(t.index[0], all), r);
            },
            1);
        return k.program().value();
    };
    Bindings inputs;
    Array a = Array::make({4, 32}, DType::f32).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i));
    inputs.set("A", std::move(a));
    const auto report = sim::run(lower(pairs(false)).value().program, inputs);
    INFO(report->fault.text);
    REQUIRE(report->ok());
    const auto without = verify(pairs(false), inputs, report->outputs);
    CHECK(without.error().code == errc::too_hard);
    CHECK(without.error().text.find("state its outputs by computes() instead") != std::string::npos);
    CHECK(std::string(verify(pairs(true), inputs, report->outputs)->word()) == "right");
}
