// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/examples/device_pieces.hpp>

/// The matrix product in clusters of two blocks: right at all edges, in every order; and each of its barriers is missed.
namespace {

using namespace axe;
using namespace device_pieces;
using sim::FaultKind;

Values cluster_gemm_sizes(std::int64_t M, std::int64_t N, std::int64_t K, std::int64_t columns, const char* form = "slots")
{
    return {{"M", std::to_string(M)},
            {"N", std::to_string(N)},
            {"K", std::to_string(K)},
            {"tile_n", std::to_string(columns)},
            {"form", form}};
}

} // namespace

TEST_CASE("cluster_gemm: right for one tile, one step, two and three, and at edges, in orders")
{
    struct Case {
        std::int64_t M, N, K, columns;
    };
    for (const auto& [M, N, K, columns] : {Case{64, 256, 32, 128}, Case{64, 512, 64, 256}, Case{128, 64, 96, 32},
                                           Case{65, 129, 33, 128}, Case{1, 8, 8, 64}, Case{100, 513, 72, 256}})
        for (const sim::RunOrder order : sim::all_run_orders)
            for (const auto& [quantum, form] : {std::pair(0, "slots"), {1, "slots"}, {0, "sharded"}}) {
                if (std::string(form) == "sharded" && order != sim::RunOrder::issue) continue;
                const auto setting = setting_of(examples::cluster_gemm, "sm90", 1, cluster_gemm_sizes(M, N, K, columns, form));
                sim::RunOptions options;
                options.order = order;
                options.quantum = quantum;
                const auto done = examples::perform(examples::cluster_gemm, setting, options);
                CAPTURE(M, N, K, columns, name(order), quantum, form);
                INFO((done ? done->report.fault.text : done.error().text));
                REQUIRE(done);
                REQUIRE(done->ok());
                CHECK(std::string(done->verification.word()) == "right");
                // What the second block of each cluster reads of the first one's slots: all of them, in each step.
                const std::int64_t row_tiles = (M + 63) / 64, pairs = (N + 2 * columns - 1) / (2 * columns), steps = (K + 31) / 32;
                CHECK(done->report.total.link_bytes == row_tiles * pairs * steps * 64 * 32 * 2);
                // A comes once for the two blocks of a cluster, B once for each row of tiles.
                CHECK(done->report.total.memories.at("gmem").bytes_read == pairs * M * K * 2 + row_tiles * K * N * 2);
                CHECK(done->report.total.memories.at("gmem").bytes_written == M * N * 4);
            }
}

TEST_CASE("cluster_gemm: each barrier is missed, of blocks and of the cluster, and a slot too few")
{
    const auto setting = setting_of(examples::cluster_gemm, "sm90", 1, cluster_gemm_sizes(64, 64, 160, 32));
    const Program program = examples::cluster_gemm.build(setting).value();
    const Bindings inputs = examples::cluster_gemm.inputs(setting, program).value();
    CHECK_FALSE(fault_of(program, inputs).found());
    int stays = 0, missed = 0;
    for (const int statement : numbers_of(program, is_meeting)) {
        const sim::Fault fault = fault_of(without(program, statement), inputs);
        CAPTURE(statement);
        INFO(fault.text);
        bool is_block = false;
        for_each_statement(program.body, [&](const Statement& s) {
            is_block = is_block || (s.id == statement && std::holds_alternative<Barrier>(s.what));
            return false;
        });
        // A barrier of the cluster is an arrival and a wait: without one of the two the other one does not fit, or it orders nothing.
        const FaultKind kind = fault.kind;
        CHECK((!fault.found() || kind == FaultKind::race || kind == FaultKind::uninitialized || kind == FaultKind::divergence ||
               kind == FaultKind::lifetime));
        if (!fault.found())
            CHECK(is_block); // behind the product: its wait is one for all warps, and the cluster's barrier comes next
        ++(fault.found() ? missed : stays);
    }
    CHECK(missed == 5);
    CHECK(stays == 1);
    // One slot for all steps: it is filled again while the other block reads it.
    Program one = program;
    filter(one.body, [](Statement& s) {
        if (auto* let = std::get_if<Let>(&s.what)) let->value = Expression(0);
        return true;
    });
    CHECK(fault_of(one, inputs).kind == FaultKind::race);
    // The end of the first block, which the second one reads.
    const auto meetings = numbers_of(program, is_meeting);
    const Program ends = without(without(program, meetings[meetings.size() - 1]), meetings[meetings.size() - 2]);
    CHECK(fault_of(ends, inputs).kind == FaultKind::lifetime);
}

TEST_CASE("cluster_gemm by shardings: each barrier is missed")
{
    const auto setting = setting_of(examples::cluster_gemm, "sm90", 1, cluster_gemm_sizes(64, 64, 160, 32, "sharded"));
    const Program program = examples::cluster_gemm.build(setting).value();
    const Bindings inputs = examples::cluster_gemm.inputs(setting, program).value();
    CHECK_FALSE(fault_of(program, inputs).found());
    const auto meetings = numbers_of(program, is_meeting);
    CHECK(meetings.size() == 5); // two of the cluster in a step, each an arrival and a wait, and one for the copy of A
    for (const int statement : meetings) {
        const sim::Fault fault = fault_of(without(program, statement), inputs);
        CAPTURE(statement);
        INFO(fault.text);
        CHECK((fault.kind == FaultKind::race || fault.kind == FaultKind::uninitialized || fault.kind == FaultKind::divergence ||
               fault.kind == FaultKind::lifetime));
    }
}
