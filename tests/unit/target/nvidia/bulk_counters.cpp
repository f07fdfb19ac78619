// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

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
    const auto lowered = required(lower(k.program().value()));
    Bindings inputs;
    Array a = Array::make({M, N}, DType::f16).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 1000));
    inputs.set("A", std::move(a));
    sim::RunOptions options;
    options.order = order;
    sim::Report report = without_fault(sim::run(lowered->program, inputs, options).value());
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

TEST_CASE("a copy to several blocks counts what it reads once, and the bytes of each destination", "[nvidia]")
{
    for (const int blocks : {2, 4, 8})
        for (int mask = 1; mask < 1 << blocks; mask += 1 + mask / 3) {
            CAPTURE(blocks, mask);
            const int to = __builtin_popcount(static_cast<unsigned>(mask));
            Kernel k("several", machines::sm90);
            const auto A = k.input("A", {32, 64}, DType::f16), C = k.output("C", {32 * blocks, 64}, DType::f16);
            int load = -1;
            k.cta(
                tiles({32 * blocks, 64}, {32, 64}), {{blocks, 1}, false},
                [&](Scope cta, const Tile& t) {
                    const auto s = cta.alloc(Role::shared, {32, 64}, DType::f16, {}, "s");
                    cta.mbarrier({Action::init, 0, 1, {}}).cluster_sync();
                    for (int rank = 0; rank < blocks; ++rank)
                        cta.when(equals(Expression(t.rank), rank), [&] {
                            const bool gets = (mask >> rank & 1) != 0;
                            cta.mbarrier({Action::expect_bytes, 0, gets ? 4096 : 0, {}});
                            Options options;
                            options.completes_on = 0;
                            options.multicast = static_cast<std::uint16_t>(mask);
                            if (rank == 0) load = k.program().value().statements;
                            if (rank == 0) cta.copy_async(s, A, options);
                            if (gets) cta.mbarrier({Action::wait, 0, 0, 0}).copy(C(t), s);
                            if (!gets) cta.fill(C(t), 0);
                        });
                    cta.cluster_sync();
                },
                1);
            const auto lowered = required(lower(k.program().value()));
            Bindings inputs;
            Array a = Array::make({32, 64}, DType::f16).value();
            for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 1000));
            inputs.set("A", std::move(a));
            const sim::Report report = without_fault(sim::run(lowered->program, inputs).value());
            for (std::int64_t i = 0; i < 2048 * blocks; ++i)
                REQUIRE(report.outputs.find("C")->at(i) ==
                        ((mask >> i / 2048 & 1) != 0 ? static_cast<double>(i % 2048 % 1000) : 0));
            const sim::Counters& c = report.statements.at(load);
            CHECK(c.instructions == 1);
            CHECK(c.memories.at("gmem").bytes_read == 4096);
            CHECK(c.memories.at("gmem").sectors == 128);
            CHECK(c.memories.at("smem").bytes_written == 4096 * to);
        }
}

TEST_CASE("bulk copies of views with steps: element strides leave out what is between, and bytes are of what is copied", "[nvidia]")
{
    for (const std::int64_t step : {1, 2, 3, 8})
        for (const bool stores : {false, true}) {
            CAPTURE(step, stores);
            Kernel k("steps", machines::sm90);
            const std::int64_t rows = 16;
            const auto A = k.input("A", {rows * step, 64}, DType::f16), C = k.inout("C", {rows * step, 64}, DType::f16);
            int copy = -1;
            one_block(k, 1, [&](Scope cta) {
                const auto s = cta.alloc(Role::shared, {rows, 64}, DType::f16, {}, "s");
                cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, rows * 128, {}});
                copy = k.program().value().statements;
                cta.copy_async(s, A(Interval(0, rows), all), {.completes_on = 0}).mbarrier({Action::wait, 0, 0, 0});
                if (stores) copy = k.program().value().statements;
                if (stores)
                    cta.copy_async(C(Interval(0, rows), all), s).commit().wait();
                else
                    cta.copy(C(Interval(0, rows), all), s);
            });
            Program p = k.program().value();
            // Views with steps are made of those without.
            for_each_statement(std::get<Grid>(p.body.at(0).what).body, [&](const Statement& s) {
                if (auto* o = const_cast<Operation*>(std::get_if<Operation>(&s.what)); o != nullptr)
                    for (View& v : o->operands)
                        if (p.tensors[static_cast<std::size_t>(v.tensor)].binding != Binding::local) v.steps[0] = step;
            });
            const auto lowered = required(lower(p));
            Bindings in;
            Array a = Array::make({rows * step, 64}, DType::f16).value();
            for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 2000));
            in.set("A", std::move(a));
            in.set("C", Array::make({rows * step, 64}, DType::f16).value());
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.order = order;
                const auto report = without_fault(sim::run(lowered->program, in, options));
                for (std::int64_t i = 0; i < rows * 64; ++i)
                    REQUIRE(report->outputs.find("C")->at(i / 64 * step * 64 + i % 64) ==
                            static_cast<double>((i / 64 * step * 64 + i % 64) % 2000));
                const sim::MemoryCount& g = report->statements.at(copy).memories.at("gmem");
                CHECK(report->statements.at(copy).instructions == 1);
                CHECK(g.bytes_read + g.bytes_written == rows * 128);
                CHECK(g.sectors == rows * 4);
            }
            for (const Choice& c : lowered->choices)
                if (c.schedule == "bulk_copy") CHECK(c.detail == "agent 0 starts 1 transfer, each a box of a tensor map of rank 2");
        }
}
