// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>

using namespace axe;
using Action = Mbarrier::Action;

/// What bulk copies count, against closed formulas: boxes, bytes on both sides, sectors of global memory.
namespace {

/// B = A [M, N] of f16 in tiles of 32 × 32 through shared memory, by bulk copies both ways.
sim::Report copied(std::int64_t M, std::int64_t N, int& load, int& store, sim::RunOrder order)
{
    Kernel k("copied", machines::sm90);
    const auto A = k.input("A", {M, N}, DType::f16), B = k.output("B", {M, N}, DType::f16);
    k.cta(tiles({M, N}, {32, 32}), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {32, 32}, DType::f16, {}, "s");
        cta.warps(0, 1, [&](Scope w) {
            w.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 2048, {}});
            Options options;
            options.completes_on = 0;
            load = k.program().value().statements;
            w.copy_async(s, A(t), options).mbarrier({Action::wait, 0, 0, 0});
            store = k.program().value().statements;
            w.copy_async(B(t), s).commit().wait();
        });
    });
    const auto lowered = lower(k.program().value());
    INFO((lowered ? "" : lowered.error().text));
    REQUIRE(lowered.has_value());
    Bindings inputs;
    Array a = Array::make({M, N}, DType::f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 1000));
    inputs.set("A", std::move(a));
    sim::RunOptions options;
    options.order = order;
    sim::Report report = sim::run(lowered->program, inputs, options).value();
    INFO(report.fault.text);
    REQUIRE(report.ok());
    for (std::int64_t i = 0; i < M * N; ++i) REQUIRE(report.outputs.find("B")->at(i) == static_cast<double>(i % 1000));
    return report;
}

} // namespace

TEST_CASE("bulk copies count a box a tile, the bytes of both sides, and the sectors that these are", "[nvidia]")
{
    for (const sim::RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        int load = -1, store = -1;
        const sim::Report report = copied(64, 96, load, store, order);
        constexpr std::int64_t tiles = 2 * 3, bytes = tiles * 32 * 32 * 2;
        for (const int statement : {load, store}) {
            CAPTURE(statement);
            const sim::Counters& c = report.statements.at(statement);
            const sim::MemoryCount &g = c.memories.at("gmem"), &s = c.memories.at("smem");
            CHECK(c.instructions == tiles);
            CHECK((statement == load ? g.bytes_read : g.bytes_written) == bytes);
            CHECK((statement == load ? g.bytes_written : g.bytes_read) == 0);
            CHECK((statement == load ? s.bytes_written : s.bytes_read) == bytes);
            CHECK(g.sectors == bytes / 32);
            CHECK(g.ideal_sectors == bytes / 32);
        }
    }
}

TEST_CASE("bulk copies at an edge: what is outside is not read from global memory, is zeros in shared memory, and is not written",
          "[nvidia]")
{
    constexpr std::int64_t M = 50, N = 72, tiles = 2 * 3;
    int load = -1, store = -1;
    const sim::Report report = copied(M, N, load, store, sim::RunOrder::issue);
    const sim::Counters &in = report.statements.at(load), &out = report.statements.at(store);
    CHECK(in.instructions == tiles);
    CHECK(in.memories.at("gmem").bytes_read == M * N * 2);
    CHECK(in.memories.at("smem").bytes_written == tiles * 2048);
    CHECK(out.memories.at("gmem").bytes_written == M * N * 2);
}
