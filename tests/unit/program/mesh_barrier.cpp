// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/program/mesh_barrier.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// Barriers of meshes and sub-meshes, from inside blocks.
namespace {

using BarrierInt = std::int64_t;

axe::Mesh barrier_mesh(const char* launch, const char* key)
{
    return axe::sub_mesh(axe::parse_device_mesh(launch).value(), axe::parse_mesh_key(key).value()).value();
}
axe::Layout barrier_rows(BarrierInt devices, BarrierInt elements)
{
    return axe::Layout{{{devices, 1, "gpuid"}, {elements, 1}}, {}, {}};
}
axe::Layout barrier_copies(BarrierInt devices, BarrierInt elements)
{
    return axe::Layout{{{elements, 1}}, {{devices, 1, "gpuid"}}, {}};
}

axe::Program lowered_barrier(const axe::Kernel& k)
{
    const auto program = required(k.program());
    for (const axe::Problem& p : validate(*program)) FAIL(p.text);
    auto lowered = required(axe::lower(*program));
    return std::move(lowered->program);
}

/// Zeros for what a program takes and gives, and 1, 2, … for what it only takes.
axe::Bindings barrier_inputs(const axe::Program& program)
{
    axe::Bindings out;
    for (const axe::ProgramTensor& t : program.tensors) {
        if (t.binding != axe::Binding::inout && t.binding != axe::Binding::input) continue;
        axe::Array array = axe::Array::make(t.shape, t.dtype).value();
        for (BarrierInt i = 0; t.binding == axe::Binding::input && i < array.size(); ++i) array.set(i, static_cast<double>(i + 1));
        out.set(t.name, std::move(array));
    }
    return out;
}

enum class Meets { rows, first_row, before_only, none };

/// Each device of a mesh of 2 × 4 puts its row of A into a slot of all devices of its row of the mesh, meets them, and adds up what it was
/// given; again, once all have read.
axe::Program row_sums(Meets meets, int turns)
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=2,device=4").value();
    axe::Kernel k("rows", axe::mesh(axe::machines::sm90, axe::Shape{8}).value());
    const auto A = k.input("A", {8, 32}, axe::DType::f32, barrier_rows(8, 32)),
               C = k.output("C", {8, 32}, axe::DType::f32, barrier_rows(8, 32));
    const auto G = k.alloc(axe::Role::global, {4, 32}, axe::DType::f32, barrier_copies(8, 128), "G");
    const auto arrivals = k.inout("arrivals", {8, 1}, axe::DType::i32, barrier_rows(8, 1));
    one_block(k, 1, [&](axe::Scope cta) {
        const axe::Affine d = k.device();
        const auto node = axe::shard_coordinate(mesh, "node", d).value();
        const axe::Affine column = cta.index(axe::shard_coordinate(mesh, "device", d).value(), 0, 4, "column");
        const axe::Layout lanes{{{32, 1, "lane"}}, {}, {}};
        const auto r = cta.alloc(axe::Role::registers, {32}, axe::DType::f32, lanes, "r"),
                   sum = cta.alloc(axe::Role::registers, {32}, axe::DType::f32, lanes, "sum");
        cta.copy(sum, A(d, axe::all));
        int turn = 0;
        const auto meet = [&] {
            ++turn;
            if (meets != Meets::none) mesh_barrier(k, cta, barrier_mesh("node=2,device=4", "[0]"), arrivals.remote()(0, 0), turn);
            if (meets == Meets::rows) mesh_barrier(k, cta, barrier_mesh("node=2,device=4", "[1]"), arrivals.remote()(4, 0), turn);
        };
        for (int i = 0; i < turns; ++i) {
            for (int next = 0; next < 4; ++next) {
                const axe::Affine peer = cta.index(axe::device_at(mesh, {node, next}).value(), 0, 8, "peer");
                cta.copy(G.remote(peer)(column, axe::all), sum);
            }
            meet();
            cta.fill(sum, 0);
            for (int from = 0; from < 4; ++from) {
                cta.copy(r, G(from, axe::all));
                cta.binary(axe::Function::add, sum, sum, r);
            }
            if (meets != Meets::before_only) meet();
        }
        cta.copy(C(d, axe::all), sum);
    });
    return lowered_barrier(k);
}

/// Each of 8 blocks adds to counters of its half and of all; after they have met it reads what came together.
axe::sim::Report counted(const char* launch, const char* key, int blocks, int agents)
{
    const axe::Mesh mesh = barrier_mesh(launch, key);
    axe::Kernel k("counted", axe::machines::sm90);
    const auto count = k.inout("count", {1}, axe::DType::i32), arrivals = k.inout("arrivals", {1}, axe::DType::i32),
               seen = k.inout("seen", {8}, axe::DType::i32);
    k.cta(
        axe::tiles(blocks, 1),
        [&](axe::Scope cta, const axe::Tile& t) {
            const axe::Expression block = t.index[0];
            cta.when(axe::membership(mesh, k.device(), block).value(),
                     [&] { cta.elected([&](axe::Scope one) { one.add_to_flag(count(0), 1, axe::MemoryOrder::relaxed); }); });
            mesh_barrier(k, cta, mesh, arrivals(0), 1, block);
            cta.when(axe::membership(mesh, k.device(), block).value(), [&] {
                cta.elected([&](axe::Scope one) {
                    const auto value = one.scalar("value");
                    one.add_to_flag(count(0), 0, axe::MemoryOrder::relaxed, axe::Within::device, value);
                    one.set_flag(seen(t.index[0]), value);
                });
            });
        },
        agents);
    const axe::Program program = lowered_barrier(k);
    return std::move(*axe::sim::run(program, barrier_inputs(program)));
}

} // namespace

TEST_CASE("the members of a sub-mesh, by expressions")
{
    const char* launch = "node=2,device=3,block(bx=4,by=2)";
    for (const char* key : {"[...]", "[1]", "[:,::2]", "[0,1:,1:3]", "[...,::-1]", "[:,::-2,::3,1]", "[1,2,3,0]"}) {
        const axe::Mesh mesh = barrier_mesh(launch, key);
        std::vector<bool> member(48);
        for (BarrierInt i = 0; i < size(mesh); ++i)
            member[static_cast<std::size_t>(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value())] = true;
        axe::Kernel k("members", axe::mesh(axe::machines::sm90, axe::Shape{6}).value());
        const auto in = k.inout("in", {6, 8}, axe::DType::i32, barrier_rows(6, 8));
        k.cta(
            axe::tiles(8, 1),
            [&](axe::Scope cta, const axe::Tile& t) {
                cta.set_flag(in(k.device(), t.index[0]), axe::membership(mesh, k.device(), t.index[0]).value());
            },
            1);
        const axe::Program program = lowered_barrier(k);
        const auto report = axe::sim::run(program, barrier_inputs(program)).value();
        REQUIRE(report.ok());
        for (BarrierInt id = 0; id < 48; ++id)
            CHECK(report.outputs.find("in")->at(id) == static_cast<double>(member[static_cast<std::size_t>(id)]));
    }
}
TEST_CASE("rows of a mesh of devices meet, each its own, whatever the order of the run")
{
    const axe::Program program = row_sums(Meets::rows, 2);
    turns::each([&](const axe::sim::RunOptions& options) {
        const auto report = without_fault(axe::sim::run(program, barrier_inputs(program), options).value());
        for (BarrierInt d = 0; d < 8; ++d)
            for (BarrierInt i = 0; i < 32; ++i) {
                double row = 0;
                for (BarrierInt j = 0; j < 4; ++j) row += static_cast<double>((d / 4 * 4 + j) * 32 + i + 1);
                CHECK(report.outputs.find("C")->at(d * 32 + i) == 4 * row);
            }
    });
}
TEST_CASE("a barrier that a row lacks is found in every order")
{
    for (const Meets meets : {Meets::first_row, Meets::before_only, Meets::none}) {
        const axe::Program program = row_sums(meets, 2);
        turns::each([&](const axe::sim::RunOptions& options) {
            const auto report = axe::sim::run(program, barrier_inputs(program), options).value();
            INFO(report.fault.text);
            CHECK((report.fault.kind == axe::sim::FaultKind::race || report.fault.kind == axe::sim::FaultKind::uninitialized));
        });
    }
}
TEST_CASE("blocks of a grid meet: all of them, and parts")
{
    for (const int agents : {1, 4}) {
        const auto all = without_fault(counted("block=8", "[:]", 8, agents));
        for (int b = 0; b < 8; ++b) CHECK(all.outputs.find("seen")->at(b) == 8);
        const auto some = counted("block(bx=2,by=4)", "[1,::2]", 8, agents);
        REQUIRE(some.ok());
        for (int b = 0; b < 8; ++b) CHECK(some.outputs.find("seen")->at(b) == (b == 4 || b == 6 ? 2 : 0));
    }
}
TEST_CASE("a member that does not come is a deadlock")
{
    const auto report = counted("block=8", "[:]", 7, 1);
    INFO(report.fault.text);
    CHECK(report.fault.kind == axe::sim::FaultKind::deadlock);
    CHECK(report.fault.text.find("element (0) of arrivals is at least (1 * 8); it is") != std::string::npos);
}
TEST_CASE("a barrier of what is no part of the hardware")
{
    const axe::Mesh flat = axe::flatten(axe::parse_device_mesh("device=2,block=3").value()).value();
    const axe::Mesh odd = axe::sub_mesh(flat, {axe::MeshIndex::range(1, 5)}).value(); // ids 1 to 4
    axe::Kernel k("odd", axe::mesh(axe::machines::sm90, axe::Shape{2}).value());
    const auto arrivals = k.inout("arrivals", {2}, axe::DType::i32, barrier_rows(2, 1));
    k.cta(
        axe::tiles(3, 1),
        [&](axe::Scope cta, const axe::Tile& t) { mesh_barrier(k, cta, odd, arrivals.remote()(0), 1, t.index[0]); }, 1);
    CHECK(k.program().error().text.ends_with(
        "mesh barrier: the ids of the sub-mesh are not digits of nodes, devices, clusters and blocks"));
    CHECK(axe::membership(odd, k.device()).error().code == axe::errc::not_grouped);
}
