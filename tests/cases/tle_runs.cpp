// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/program/mesh_barrier.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <axe/tensor/distributed.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

/// Reshards of TLE, data/tle_mesh.jsonl, as programs: the parts of the members go in, checked against the sharding, and the parts that come
/// out are those of the row.
TEST_CASE("TLE: reshards run on devices, part by part")
{
    using nlohmann::json;
    std::ifstream file(AXE_TEST_DATA "/tle_mesh.jsonl");
    REQUIRE(file);
    int rows = 0;
    for (std::string line; std::getline(file, line);) {
        const json row = json::parse(line);
        if (row["kind"] != "reshard") continue;
        INFO(row["mesh"].dump() << row["src"].dump() << " to " << row["dst"].dump());
        std::string axes;
        for (const json& state : row["per_axis"]) // in the order of the mesh
            axes += (axes.empty() ? "" : ",") + state[0].get<std::string>() + "=" + row["mesh"][state[0].get<std::string>()].dump();
        const axe::Mesh mesh = axe::parse_device_mesh(axes).value();
        const auto sharding = [&](const json& state) {
            std::string text = state["split"].dump();
            for (const json& axis : state["partial"]) text += " P(" + axis.get<std::string>() + ")"; // one at most
            return axe::parse_mesh_sharding(text, mesh).value();
        };
        axe::Kernel k("reshard", axe::mesh(axe::machines::sm90, axe::Shape{size(mesh)}).value());
        const auto a = sharded(k, axe::Binding::input, "A", {8, 8}, axe::DType::f32, sharding(row["src"]));
        const auto d = sharded(k, axe::Binding::output, "D", {8, 8}, axe::DType::f32, sharding(row["dst"]));
        axe::reshard(k, d, a);
        const axe::Program program = k.program().value();
        const axe::Tensor &from = axe::tensor_of(program, a.tensor.view()), &to = axe::tensor_of(program, d.tensor.view());

        std::vector<axe::Array> parts;
        for (std::size_t m = 0; m < row["src_local"].size(); ++m) {
            const axe::LocalView local = axe::local(from, {{"gpuid", static_cast<std::int64_t>(m)}}).value();
            parts.push_back(axe::Array::make(local.tensor.shape, axe::DType::f32).value());
            const json& values = row["src_local"][m];
            REQUIRE(axe::volume(local.tensor.shape).value() == static_cast<std::int64_t>(values.size()));
            for (std::size_t i = 0; i < values.size(); ++i) parts.back().set(static_cast<std::int64_t>(i), values[i].get<double>());
        }
        std::vector<const axe::Array*> held;
        for (const axe::Array& part : parts) held.push_back(&part);
        auto whole = axe::assemble(from, held);
        INFO(whole.error().text);
        REQUIRE(whole.has_value());
        axe::Bindings inputs;
        inputs.set("A", std::move(*whole));
        const auto lowered = required(axe::lower(program));
        const auto report = without_fault(axe::sim::run(lowered->program, inputs));
        for (std::size_t m = 0; m < row["dst_local"].size(); ++m) {
            const axe::Array part = axe::part_of(to, *report->outputs.find("D"), static_cast<std::int64_t>(m)).value();
            const json& values = row["dst_local"][m];
            bool same = axe::volume(part.shape()).value() == static_cast<std::int64_t>(values.size());
            for (std::size_t i = 0; same && i < values.size(); ++i)
                same = part.at(static_cast<std::int64_t>(i)) == values[i].get<double>();
            CHECK(same);
        }
        ++rows;
        if (rows != 1 || parts.size() < 2) continue;
        // A copy that differs is found before the run.
        const axe::Sharding replicated = axe::parse_mesh_sharding("[]", mesh).value();
        axe::Kernel other("copies", k.machine());
        const auto b = sharded(other, axe::Binding::input, "B", {8, 8}, axe::DType::f32, replicated);
        const axe::Program copies = other.program().value();
        CHECK_FALSE(axe::assemble(axe::tensor_of(copies, b.tensor.view()), held).has_value());
    }
    CHECK(rows == 127);
}
namespace {

nlohmann::json tle_row_of(const char* kind)
{
    std::ifstream file(AXE_TEST_DATA "/tle_mesh.jsonl");
    REQUIRE(file);
    for (std::string line; std::getline(file, line);)
        if (auto row = nlohmann::json::parse(line); row["kind"] == kind) return row;
    FAIL("no row " << kind);
    return {};
}
axe::sim::Report run_tle(const axe::Kernel& k, const axe::Bindings& inputs)
{
    const auto program = required(k.program());
    const auto lowered = required(axe::lower(*program));
    auto report = required(axe::sim::run(lowered->program, inputs));
    return std::move(*report);
}
const axe::Layout tle_lanes{{{32, 1, "lane"}}, {}, {}};

/// Block p of each cluster stores its numbers; the blocks meet, or do not; each takes those of the block that its input names.
axe::sim::Report tle_peers(int blocks, int cluster, bool meets)
{
    axe::Kernel k("peers", axe::machines::sm90);
    const auto peers = k.input("peers", {blocks}, axe::DType::i32), own = k.input("own", {blocks, 32}, axe::DType::i32);
    const auto out = k.output("out", {blocks, 32}, axe::DType::i32);
    k.cta(
        axe::tiles(blocks, 1), {{cluster}},
        [&](axe::Scope cta, const axe::Tile& t) {
            const auto s = cta.alloc(axe::Role::shared, {32}, axe::DType::i32, {}, "s");
            const auto r = cta.alloc(axe::Role::registers, {32}, axe::DType::i32, tle_lanes, "r");
            cta.copy(r, own(t.index[0], axe::all)).copy(s, r);
            if (meets) cta.cluster_sync();
            const axe::Affine peer = cta.index(axe::load(peers(t.index[0])), 0, cluster, "peer");
            cta.copy(r, s.of_block(peer));
            cta.cluster_sync();
            cta.copy(out(t.index[0], axe::all), r);
        },
        1);
    axe::Array who = axe::Array::make({blocks}, axe::DType::i32).value(),
               numbers = axe::Array::make({blocks, 32}, axe::DType::i32).value();
    for (int b = 0; b < blocks; ++b) who.set(b, (b + 1) % cluster);
    for (int i = 0; i < blocks * 32; ++i) numbers.set(i, i);
    axe::Bindings inputs;
    inputs.set("peers", std::move(who)).set("own", std::move(numbers));
    return run_tle(k, inputs);
}

/// Each block of a cluster adds 1 to the elements that block 0 has in shared memory, and block 0 reads them.
axe::sim::Report tle_adds(int cluster)
{
    axe::Kernel k("adds", axe::machines::sm90);
    const auto out = k.output("out", {32}, axe::DType::i32);
    k.cta(
        axe::tiles(cluster, 1), {{cluster}},
        [&](axe::Scope cta, const axe::Tile& t) {
            const auto s = cta.alloc(axe::Role::shared, {32}, axe::DType::i32, {}, "s");
            const auto r = cta.alloc(axe::Role::registers, {32}, axe::DType::i32, tle_lanes, "r");
            cta.when(axe::equals(t.rank, 0), [&] { cta.fill(s, 0); });
            cta.cluster_sync();
            cta.fill(r, 1).atomic(axe::Function::add, s.of_block(0), r);
            cta.cluster_sync();
            cta.when(axe::equals(t.rank, 0), [&] { cta.copy(r, s).copy(out, r); });
        },
        1);
    return run_tle(k, {});
}

} // namespace

TEST_CASE("TLE: a block of a cluster reads the shared memory of the peer that an input names")
{
    const int cluster = tle_row_of("exec_remote_peer")["cluster"].get<int>();
    const axe::sim::Report report = without_fault(tle_peers(4, cluster, true));
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < 32; ++i)
            CHECK(report.outputs.find("out")->at(b * 32 + i) == (b / cluster * cluster + (b + 1) % cluster) * 32 + i);
    CHECK_FALSE(tle_peers(4, cluster, false).ok());
}
TEST_CASE("TLE: all blocks of a cluster add to the shared memory of one")
{
    const nlohmann::json row = tle_row_of("exec_remote_atomic");
    const axe::sim::Report report = without_fault(tle_adds(row["cluster"].get<int>()));
    for (int i = 0; i < 32; ++i) CHECK(report.outputs.find("out")->at(i) == row["expect"].get<double>());
}
TEST_CASE("TLE: all blocks of a grid meet and read what all have added")
{
    const nlohmann::json row = tle_row_of("exec_grid_barrier_count");
    const int grid = row["grid"].get<int>();
    const axe::Mesh mesh = axe::device_mesh({{"block", grid, axe::MeshScope::block}}).value();
    axe::Kernel k("grid", axe::machines::sm90);
    const auto count = k.inout("count", {1}, axe::DType::i32), arrivals = k.inout("arrivals", {1}, axe::DType::i32),
               seen = k.inout("seen", {grid}, axe::DType::i32);
    k.cta(
        axe::tiles(grid, 1),
        [&](axe::Scope cta, const axe::Tile& t) {
            const auto value = cta.scalar("value");
            cta.add_to_flag(count(0), 1, axe::MemoryOrder::relaxed);
            mesh_barrier(k, cta, mesh, arrivals(0), 1, t.index[0]);
            cta.add_to_flag(count(0), 0, axe::MemoryOrder::relaxed, axe::Within::device, value);
            cta.set_flag(seen(t.index[0]), value);
        },
        1);
    axe::Bindings inputs;
    for (const char* name : {"count", "arrivals"}) inputs.set(name, axe::Array::make({1}, axe::DType::i32).value());
    inputs.set("seen", axe::Array::make({grid}, axe::DType::i32).value());
    const axe::sim::Report report = without_fault(run_tle(k, inputs));
    for (int b = 0; b < grid; ++b) CHECK(report.outputs.find("seen")->at(b) == row["expect"].get<double>());
}
