// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <axe/schedule/collective/reshard.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/mesh/members.hpp>

#include <string>

/// Programs over meshes: tensors by shardings, reshards as collectives, coordinates of the mesh in kernels.
namespace {

using MeshInt = std::int64_t;

axe::Machine machine_of_mesh(const axe::Mesh& mesh) { return axe::mesh(axe::machines::sm90, axe::Shape{size(mesh)}).value(); }

axe::sim::Report run_mesh(const axe::Kernel& k, const axe::Bindings& inputs)
{
    const auto program = required(k.program());
    for (const axe::Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(axe::lower(*program));
    auto report = without_fault(axe::sim::run(lowered->program, inputs));
    return std::move(*report);
}

/// `out` before a run that sets its elements as flags.
axe::Bindings zeros(const axe::Shape& shape)
{
    axe::Bindings out;
    out.set("out", axe::Array::make(shape, axe::DType::i32).value());
    return out;
}

/// Runs a reshard on the simulator: terms of small numbers go in, and what comes out is their sum over the terms that go.
void run_reshard(const axe::Sharding& from, const axe::Sharding& to, const axe::Shape& shape, const axe::Machine& machine)
{
    axe::Kernel k("reshard", machine);
    const auto a = sharded(k, axe::Binding::input, "A", shape, axe::DType::f32, from);
    const auto d = sharded(k, axe::Binding::output, "D", shape, axe::DType::f32, to);
    axe::reshard(k, d, a);
    const axe::Shape terms = a.tensor.shape(), kept = d.tensor.shape();
    axe::Array in = axe::Array::make(terms, axe::DType::f32).value(), expected = axe::Array::make(kept, axe::DType::f32).value();
    for (MeshInt x = 0; x < members::count(terms); ++x) {
        const double value = static_cast<double>((x * 31 + 5) % 97);
        in.set(x, value);
        axe::Coord c;
        const axe::Coord all = axe::coordinate(terms, x);
        for (int i = 0; i < all.size(); ++i)
            if (i >= from.partial.size() || axe::has_axis(to.partial, from.partial[i])) c.push_back(all[i]);
        const MeshInt y = axe::linear_index(kept, c).value();
        expected.set(y, expected.at(y) + value);
    }
    axe::Bindings inputs;
    inputs.set("A", std::move(in));
    const auto report = run_mesh(k, inputs);
    const axe::Array& out = *report.outputs.find("D");
    for (MeshInt y = 0; y < members::count(kept); ++y) CHECK(out.at(y) == expected.at(y));
}

/// Is the axis one of devices that have copies? Each adds to its own, and all come to the same.
bool has_device_copies(const axe::Sharding& s, int axis)
{
    return state_of(s, axis).state == axe::ShardState::broadcast && s.mesh.launch[axis].scope <= axe::MeshScope::device;
}

/// Each block adds a number of its own to the elements that it has: which ones, and of which terms, is enumerated by `shard_region`.
void check_parts(const axe::Sharding& s, const axe::Shape& shape, const axe::Machine& machine, MeshInt blocks)
{
    axe::Kernel k("parts", machine);
    const auto x = sharded(k, axe::Binding::inout, "X", shape, axe::DType::i32, s);
    k.cta(
        axe::tiles(blocks, 1),
        [&](axe::Scope cta, const axe::Tile& t) {
            const axe::TensorPart mine = part_of(k, cta, x, t.index[0]);
            axe::Expression number = 1;
            for (int axis = 0; axis < s.mesh.rank(); ++axis)
                if (!has_device_copies(s, axis))
                    number = number * 10 + axe::shard_coordinate(s.mesh, axis, k.device(), t.index[0]).value();
            cta.when(mine.holds, [&] {
                const axe::Shape part = mine.view.shape();
                for (MeshInt e = 0; e < members::count(part); ++e) {
                    std::vector<axe::Interval> element;
                    for (const MeshInt i : axe::coordinate(part, e)) element.emplace_back(i, 1);
                    cta.add_to_flag(mine.view(element), number);
                }
            });
        },
        1);
    const axe::Shape terms = x.tensor.shape();
    axe::Bindings in;
    in.set("X", axe::Array::make(terms, axe::DType::i32).value());
    const auto report = run_mesh(k, in);
    axe::Array expected = axe::Array::make(terms, axe::DType::i32).value();
    for (MeshInt member = 0; member < size(s.mesh); ++member) {
        const axe::Coord at = axe::coordinate(s.mesh.shape, member);
        const auto region = shard_region(s, shape, at);
        for (MeshInt e = 0; region && e < members::count(terms); ++e) {
            const axe::Coord c = axe::coordinate(terms, e);
            bool has = true;
            for (int i = 0; i < s.partial.size(); ++i) has = has && c[i] == at[s.partial[i]];
            for (int d = 0; d < shape.size(); ++d) {
                const MeshInt x_d = c[s.partial.size() + d];
                has = has && (*region)[d].lo <= x_d && x_d < (*region)[d].hi;
            }
            MeshInt number = 1;
            for (int axis = 0; axis < s.mesh.rank(); ++axis) {
                if (has_device_copies(s, axis))
                    has = has && at[axis] == 0; // one of the copies
                else
                    number = number * 10 + at[axis];
            }
            if (has) expected.set(e, expected.at(e) + static_cast<double>(number));
        }
    }
    for (MeshInt e = 0; e < members::count(terms); ++e) CHECK(report.outputs.find("X")->at(e) == expected.at(e));
}

} // namespace

TEST_CASE("reshards run as collectives, whatever the two shardings are")
{
    int ran = 0;
    const auto run_pairs = [&](const char* text, const axe::Shape& shape, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(text).value();
        const auto all = members::all_shardings(mesh, true);
        int at = 0;
        for (const axe::Sharding& from : all)
            for (const axe::Sharding& to : all) {
                if (!axe::reshard(from, to) || at++ % stride != 0) continue;
                INFO(members::states(from) << "to " << members::states(to));
                run_reshard(from, to, shape, machine_of_mesh(mesh));
                ++ran;
            }
    };
    run_pairs("device=2", {4, 4}, 1);
    run_pairs("node=2,device=2", {8, 4}, 1);
    run_pairs("x=2,y=2,z=2", {8, 8}, 997);
    CHECK(ran > 500);
}
TEST_CASE("each device and block knows its coordinates on the axes of the launch mesh")
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=2,device(dx=1,dy=3),block(bx=2,by=2)").value();
    const axe::Mesh part = axe::sub_mesh(mesh, {1, 0, axe::MeshIndex::rest(), 1}).value(); // its launch mesh is the same
    axe::Kernel k("coordinates", axe::mesh(axe::machines::sm90, axe::Shape{6}).value());
    axe::Layout of_devices;
    of_devices.shard = {{6, 1, "gpuid"}, {20, 1}};
    const auto out = k.inout("out", {6, 4, 5}, axe::DType::i32, of_devices);
    k.cta(
        axe::tiles(4, 1),
        [&](axe::Scope cta, const axe::Tile& t) {
            for (int axis = 0; axis < 5; ++axis) {
                const auto value =
                    axe::shard_coordinate(axis % 2 == 0 ? mesh : part, mesh.names[axis], k.device(), t.index[0]).value();
                // As a coordinate, it is an origin: the element behind is of an array of as many.
                const axe::Affine at = cta.index(value, 0, mesh.shape[axis], "at");
                cta.set_flag(out(k.device(), t.index[0], axis), axe::Expression(at));
            }
        },
        1);
    const auto report = run_mesh(k, zeros({6, 4, 5}));
    for (MeshInt id = 0; id < size(mesh); ++id)
        for (int axis = 0; axis < 5; ++axis)
            CHECK(report.outputs.find("out")->at(id * 5 + axis) == static_cast<double>(axe::shard_id(mesh, axis, id).value()));
    CHECK(axe::shard_coordinate(mesh, 5, k.device()).error().code == axe::errc::out_of_domain);
    CHECK(axe::shard_coordinate(mesh, -1, k.device()).has_value());
    CHECK(axe::shard_coordinate(mesh, axe::Axis("z"), k.device()).error().code == axe::errc::unknown_axis);
}
TEST_CASE("rings along an axis of a mesh, and along a sub-mesh that is reversed")
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=2,device=4").value();
    // The next one along `device` in the own node; and in the ring over the even devices, from the last to the first.
    const axe::Mesh back = axe::flatten(axe::sub_mesh(mesh, {axe::MeshIndex::rest(), axe::MeshIndex::every(2)}).value()).value();
    const axe::Mesh ring = axe::sub_mesh(back, {axe::MeshIndex::every(-1)}).value();
    for (const bool along_axis : {true, false}) {
        axe::Kernel k("ring", axe::mesh(axe::machines::sm90, axe::Shape{8}).value());
        axe::Layout one;
        one.shard = {{8, 1, "gpuid"}};
        const auto out = k.inout("out", {8}, axe::DType::i32, one);
        one_block(k, 1, [&](axe::Scope cta) {
            const axe::Expression node = axe::shard_coordinate(mesh, "node", k.device()).value(),
                                  device = axe::shard_coordinate(mesh, "device", k.device()).value();
            const auto next = along_axis
                                  ? axe::device_at(mesh, {node, axe::floor_mod(device + 1, 4)})
                                  : axe::device_at(ring, {axe::floor_mod(axe::floor_div(axe::Expression(k.device()), 2) + 1, 4)});
            const axe::Affine peer = cta.index(next.value(), 0, 8, "peer");
            cta.set_flag(out(k.device()), axe::Expression(peer));
        });
        const auto report = run_mesh(k, zeros({8}));
        for (MeshInt d = 0; d < 8; ++d) {
            const MeshInt next = along_axis ? d / 4 * 4 + (d + 1) % 4 : 6 - 2 * ((d / 2 + 1) % 4);
            CHECK(report.outputs.find("out")->at(d) == static_cast<double>(next));
        }
    }
    CHECK(axe::device_at(mesh, {axe::Expression(0)}).error().code == axe::errc::rank_mismatch);
}
TEST_CASE("what a sharding cannot be in a program")
{
    const axe::Mesh mesh = axe::parse_device_mesh("device=2,block=2").value();
    const axe::Mesh devices = axe::parse_device_mesh("device=2").value();
    const auto problem = [&](const axe::Mesh& over, const char* from, const char* to, const axe::Shape& shape,
                             const axe::Shape& other) {
        axe::Kernel k("wrong", axe::mesh(axe::machines::sm90, axe::Shape{2}).value());
        const auto a = sharded(k, axe::Binding::input, "A", shape, axe::DType::f32, axe::parse_mesh_sharding(from, over).value());
        const auto d = sharded(k, axe::Binding::output, "D", other, axe::DType::f32, axe::parse_mesh_sharding(to, over).value());
        axe::reshard(k, d, a);
        const auto program = k.program();
        return program ? std::string() : program.error().text;
    };
    CHECK(problem(devices, "[device]", "[]", {4}, {4}).empty());
    CHECK(problem(mesh, "[block]", "[block]", {4}, {4}).empty());
    CHECK(problem(devices, "[device]", "[]", {3}, {3})
              .ends_with("tensor A: dimension 0 of 3 elements does not divide over 2 members of the mesh"));
    CHECK(problem(devices, "[device]", "[]", {4}, {8}).ends_with("reshard: the two tensors have different shapes"));
    CHECK(problem(devices, "[device]", "[] P(device)", {4}, {4}).find("mesh axis 0 is partial in the target alone") !=
          std::string::npos);
}
TEST_CASE("a partial sum has no value that a program can read")
{
    const axe::Mesh mesh = axe::parse_device_mesh("device=2").value();
    const axe::Sharding terms = axe::parse_mesh_sharding("[] P(device)", mesh).value();
    axe::Kernel k("read", axe::mesh(axe::machines::sm90, axe::Shape{2}).value());
    const auto a = sharded(k, axe::Binding::input, "A", {4, 4}, axe::DType::f32, terms);
    const auto d = sharded(k, axe::Binding::output, "D", {4, 4}, axe::DType::f32, axe::parse_mesh_sharding("[]", mesh).value());
    CHECK(a.tensor.shape() == axe::Shape{2, 4, 4});
    k.copy(d.tensor, a.tensor);
    const auto program = required(k.program());
    CHECK_FALSE(validate(*program).empty());
    CHECK_FALSE(axe::lower(*program).has_value());
}
TEST_CASE("a tensor of the program itself, from one sharding to another and on")
{
    const axe::Mesh mesh = axe::parse_device_mesh("x=2,y=2").value();
    axe::Kernel k("twice", machine_of_mesh(mesh));
    const auto at = [&](const char* text) { return axe::parse_mesh_sharding(text, mesh).value(); };
    const auto a = sharded(k, axe::Binding::input, "A", {8, 8}, axe::DType::f32, at("[x] P(y)"));
    const auto t = sharded(k, axe::Binding::local, "T", {8, 8}, axe::DType::f32, at("[x,y]"));
    const auto d = sharded(k, axe::Binding::output, "D", {8, 8}, axe::DType::f32, at("[[],[y,x]]"));
    axe::reshard(k, t, a);
    k.sync();
    axe::reshard(k, d, t);
    axe::Array in = axe::Array::make({2, 8, 8}, axe::DType::f32).value();
    for (MeshInt x = 0; x < 128; ++x) in.set(x, static_cast<double>(x % 23));
    axe::Bindings inputs;
    inputs.set("A", std::move(in));
    const auto report = run_mesh(k, inputs);
    for (MeshInt x = 0; x < 64; ++x) CHECK(report.outputs.find("D")->at(x) == static_cast<double>(x % 23 + (x + 64) % 23));
}

TEST_CASE("tensors of the devices' memory over blocks: reshards of all pairs of states, and what each block has")
{
    int ran = 0;
    for (const char* text : {"device=2,block(b=2)", "block(b=2,c=2)", "device=2,cluster(r=2),block(b=1)"}) {
        const axe::Mesh mesh = axe::parse_device_mesh(text).value();
        const MeshInt devices = scope_volume(mesh, axe::MeshScope::node, axe::MeshScope::device), blocks = size(mesh) / devices;
        const auto all = members::all_shardings(mesh, true);
        const axe::Shape shape{4, 8};
        const axe::Machine machine = axe::mesh(axe::machines::sm90, axe::Shape{devices}).value();
        int at = 0;
        for (const axe::Sharding& from : all)
            for (const axe::Sharding& to : all) {
                if (!axe::reshard(from, to) || at++ % (mesh.rank() == 2 ? 1 : 37) != 0) continue;
                INFO(text << ": " << members::states(from) << "to " << members::states(to));
                run_reshard(from, to, shape, machine);
                ++ran;
            }
        for (const axe::Sharding& s : all) {
            INFO(text << ": " << members::states(s));
            check_parts(s, shape, machine, blocks);
        }
    }
    CHECK(ran > 200);
}
TEST_CASE("in the memory of devices without blocks a sharding is what it is on the mesh")
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=2,device(x=2,y=3)").value();
    for (const axe::Sharding& s : members::all_shardings(mesh, true)) {
        INFO(members::states(s));
        CHECK(device_placement(s, {12, 12}).value() == placement(s, {12, 12}).value());
    }
    CHECK(device_placement(axe::parse_mesh_sharding("[device]", axe::parse_device_mesh("device=2").value()).value(), {3})
              .error()
              .code == axe::errc::not_grouped);
}
