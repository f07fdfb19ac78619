// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>

#include <catch.hpp>
#include <tests/required.hpp>

/// Atomic operations at places that the data choose, in the shared memory of another block of the cluster.

namespace {

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

constexpr std::int64_t cluster_size = 4, counted = 8;

struct Parts {
    bool start = true, counts = true, end = true; ///< barriers of the cluster: after the zeros, after the additions, at the end
};

/// Each block has 32 keys; the first one's table gets how many have each key, and each item its number among those of its key.
Kernel& count_in_cluster(Kernel& k, const Parts& parts)
{
    const auto keys = k.input("keys", {cluster_size, 32}, i32);
    const auto number = k.output("number", {cluster_size, 32}, i32), total = k.output("total", {cluster_size, counted}, i32);
    k.cta(
        tiles(cluster_size, 1), Clusters{{cluster_size}},
        [&](Scope c, const Tile& t) {
            const auto table = c.alloc(Role::shared, {counted}, i32, {}, "table");
            const auto at = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "at"),
                       one = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "one"),
                       before = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "before");
            c.fill(table, 0).fill(one, 1).copy(at, keys(t.index[0], all));
            parts.start ? c.cluster_sync() : c.cluster_arrive(MemoryOrder::relaxed).cluster_wait();
            c.atomic_rows(Function::add, table.of_block(0), at, one, before).copy(number(t.index[0], all), before);
            if (parts.counts) c.cluster_sync();
            const auto r = c.alloc(Role::registers, {counted}, i32, "8:1@lane"_axe, "r");
            c.copy(r, table.of_block(0)).copy(total(t.index[0], all), r);
            if (parts.end) c.cluster_sync();
        },
        1);
    return k;
}

Bindings keys_of_items()
{
    Array keys = Array::make({cluster_size, 32}, i32).value();
    for (std::int64_t i = 0; i < keys.size(); ++i) keys.set(i, static_cast<double>(i * i % 31 % counted));
    Bindings in;
    in.set("keys", std::move(keys));
    return in;
}

sim::Report run_in_order(const Parts& parts, sim::RunOrder order = sim::RunOrder::issue)
{
    Kernel k("count", machines::sm90);
    sim::RunOptions options;
    options.order = order;
    return sim::run(lower(count_in_cluster(k, parts).program().value()).value().program, keys_of_items(), options).value();
}

} // namespace

TEST_CASE("items of all blocks are counted in the first one's memory, each with a number of its own, in every order",
          "[sim][clusters]")
{
    const Bindings in = keys_of_items();
    std::int64_t wanted[counted] = {};
    for (std::int64_t i = 0; i < cluster_size * 32; ++i) ++wanted[static_cast<int>(in.find("keys")->at(i))];
    for (const sim::RunOrder order : sim::all_run_orders) {
        const auto report = run_in_order({}, order);
        INFO(name(order) << report.fault.text);
        REQUIRE(report.ok());
        const Array &number = *report.outputs.find("number"), &total = *report.outputs.find("total");
        for (std::int64_t key = 0; key < counted; ++key) {
            std::vector<bool> taken(static_cast<std::size_t>(wanted[key]));
            for (std::int64_t i = 0; i < cluster_size * 32; ++i)
                if (in.find("keys")->at(i) == static_cast<double>(key)) taken.at(static_cast<std::size_t>(number.at(i))) = true;
            CHECK(std::find(taken.begin(), taken.end(), false) == taken.end());
            for (std::int64_t block = 0; block < cluster_size; ++block)
                CHECK(total.at(block * counted + key) == static_cast<double>(wanted[key]));
        }
    }
}

TEST_CASE("bytes of atomic operations go over the links of a cluster twice where what was there is asked for", "[sim][clusters]")
{
    // Of the three other blocks: 32 items there and 32 numbers back, and the table.
    CHECK(run_in_order({}).total.link_bytes == 3 * (32 * 4 * 2 + counted * 4));
}

TEST_CASE("atomic operations in another block's memory need its start, their end, and the barrier before they are read",
          "[sim][clusters]")
{
    CHECK(run_in_order({.start = false}).fault.kind == sim::FaultKind::race);
    CHECK(run_in_order({.counts = false}).fault.kind == sim::FaultKind::race);
    CHECK(run_in_order({.end = false}).fault.kind == sim::FaultKind::lifetime);
}

TEST_CASE("rows of another block are exchanged where they are what is expected: one lane of all blocks gets each",
          "[sim][clusters]")
{
    Kernel k("locks", machines::sm90);
    const auto got = k.output("got", {2, 32}, i32);
    k.cta(
        tiles(2, 1), Clusters{{2}},
        [&](Scope c, const Tile& t) {
            const auto locks = c.alloc(Role::shared, {4}, i32, {}, "locks");
            const auto of_lanes = [&](const char* name) { return c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, name); };
            const auto at = of_lanes("at"), mine = of_lanes("mine"), expected = of_lanes("expected"), three = of_lanes("three");
            c.fill(locks, 0).iota(at, 0).fill(three, 3).binary(Function::bit_and, at, at, three);
            c.iota(mine, 0, t.rank * 32 + 1).fill(expected, 0).cluster_sync();
            c.compare_exchange(locks.of_block(1), at, mine, expected).copy(got(t.index[0], all), expected).cluster_sync();
        },
        1);
    const auto report = without_fault(sim::run(lower(k.program().value()).value().program, Bindings{}).value());
    int first = 0;
    for (std::int64_t i = 0; i < 64; ++i) first += report.outputs.find("got")->at(i) == 0 ? 1 : 0;
    CHECK(first == 4);
}

TEST_CASE("rows of a block beyond the cluster are a fault", "[sim][clusters]")
{
    Kernel k("beyond", machines::sm90);
    const auto A = k.input("keys", {cluster_size, 32}, i32);
    k.cta(
        tiles(4, 1), Clusters{{2}},
        [&](Scope c, const Tile& t) {
            const auto s = c.alloc(Role::shared, {8}, i32, {}, "s");
            const auto at = c.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "at");
            c.fill(s, 0).copy(at, A(t.index[0], all)).cluster_sync();
            c.atomic_rows(Function::add, s.of_block(t.index[0]), at, at).cluster_sync();
        },
        1);
    const auto report = sim::run(lower(k.program().value()).value().program, keys_of_items()).value();
    INFO(report.fault.text);
    CHECK(report.fault.kind == sim::FaultKind::out_of_bounds);
    CHECK(report.fault.text.find("accesses the memory of the block of rank 3; the cluster has 2 blocks") != std::string::npos);
}
