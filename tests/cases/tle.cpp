// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/mesh/mesh_text.hpp>
#include <axe/mesh/reshard.hpp>
#include <axe/schedule/collective/reshard.hpp>
#include <catch.hpp>
#include <tests/unit/mesh/members.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

/// Meshes, shardings and reshards of TLE, data/tle_mesh.jsonl: the facts of FlagTree's tests, and of a model of the seed's section 3.2.4.
namespace {

using TleJson = nlohmann::json;
using TleInt = std::int64_t;

std::vector<TleJson> tle_rows(const std::string& kind)
{
    std::ifstream file(AXE_TEST_DATA "/tle_mesh.jsonl");
    REQUIRE(file);
    std::vector<TleJson> out;
    for (std::string line; std::getline(file, line);)
        if (TleJson row = TleJson::parse(line); row["kind"] == kind) out.push_back(row);
    return out;
}

/// `[["node", [["x", 2]]], ["device", 4]]` in the library's notation. Of a text of a number the quotes stay.
std::string mesh_text(const TleJson& levels)
{
    std::string out;
    for (const TleJson& level : levels) {
        out += (out.empty() ? "" : ",") + level[0].get<std::string>();
        if (!level[1].is_array()) {
            out += "=" + level[1].dump();
            continue;
        }
        std::string axes;
        for (const TleJson& axis : level[1]) axes += (axes.empty() ? "" : ",") + axis[0].get<std::string>() + "=" + axis[1].dump();
        out += "(" + axes + ")";
    }
    return out;
}

axe::Mesh mesh_of_shape(const TleJson& shape)
{
    TleJson levels = TleJson::array();
    for (std::size_t i = 0; i < shape.size(); ++i) levels.push_back({"a" + std::to_string(i), shape[i]});
    return axe::parse_device_mesh(mesh_text(levels)).value();
}

std::vector<std::string> names_of(const axe::Mesh& mesh)
{
    std::vector<std::string> out;
    for (const axe::Axis& name : mesh.names) out.emplace_back(name.name().c_str());
    return out;
}
std::vector<TleInt> list_of(const axe::Shape& shape) { return {shape.begin(), shape.end()}; }
std::vector<TleInt> ids_of(const axe::Mesh& mesh)
{
    std::vector<TleInt> out;
    for (TleInt i = 0; i < size(mesh); ++i) out.push_back(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value());
    return out;
}

/// A sharding of a row: lists of names; the mesh is an object whose members come in no order, so its axes stand in `per_axis` or are told.
axe::Sharding sharding_of_row(const axe::Mesh& mesh, const TleJson& state)
{
    std::string text = state["split"].dump();
    std::string partial;
    for (const TleJson& axis : state["partial"]) partial += (partial.empty() ? "" : ",") + axis.get<std::string>();
    if (!partial.empty()) text += " P(" + partial + ")";
    return axe::parse_mesh_sharding(text, mesh).value();
}
axe::Mesh mesh_of_names(const TleJson& sizes)
{
    // As written: from the outermost axis to the innermost.
    std::string text;
    for (const char* name : {"node", "device", "x", "y", "z"})
        if (sizes.contains(name)) text += (text.empty() ? "" : ",") + std::string(name) + "=" + sizes[name].dump();
    return axe::parse_device_mesh(text).value();
}

} // namespace

TEST_CASE("TLE: slices of meshes")
{
    int rows = 0;
    for (const TleJson& row : tle_rows("mesh_slice")) {
        INFO(row.dump());
        const axe::Mesh launch = row.contains("topology") ? axe::parse_device_mesh(mesh_text(row["topology"])).value()
                                                          : mesh_of_shape(row["launch_shape"]);
        const auto sub = axe::sub_mesh(launch, axe::parse_mesh_key(row["key"].get<std::string>()).value());
        REQUIRE(sub.has_value());
        CHECK(list_of(sub->shape) == row["shape"].get<std::vector<TleInt>>());
        CHECK(names_of(*sub) == row["names"].get<std::vector<std::string>>());
        CHECK(ids_of(*sub) == row["ids"].get<std::vector<TleInt>>());
        CHECK(axe::launch_shape(*sub) == launch.shape);
        CHECK(axe::size(axe::layout_of(*sub)).value() == size(*sub));
        ++rows;
    }
    CHECK(rows == 35);
}
TEST_CASE("TLE: meshes that cannot be")
{
    int rows = 0;
    for (const TleJson& row : tle_rows("mesh_error")) {
        const TleJson& said = row["topology"];
        const auto made = axe::parse_device_mesh(mesh_text(TleJson::array({said})));
        INFO(row.dump());
        CHECK_FALSE(made.has_value());
        // A size that is a text, a level without axes; a size of 0.
        CHECK(made.error().code == (said[1].is_array() && !said[1].empty() ? axe::errc::bad_extent : axe::errc::bad_syntax));
        ++rows;
    }
    CHECK(rows == 3);
}
TEST_CASE("TLE: coordinates on the axes of a mesh")
{
    int rows = 0;
    for (const TleJson& row : tle_rows("shard_id")) {
        const axe::Mesh mesh = mesh_of_shape(row["shape"]);
        const axe::Mesh last = axe::sub_mesh(mesh, {-1, axe::MeshIndex::rest()}).value();
        for (std::size_t id = 0; id < row["coords"].size(); ++id)
            for (int axis = 0; axis < mesh.rank(); ++axis) {
                const auto at = static_cast<TleInt>(id);
                const TleInt expected = row["coords"][id][static_cast<std::size_t>(axis)];
                CHECK(axe::shard_id(mesh, axis, at).value() == expected);
                CHECK(axe::shard_id(mesh, axis - mesh.rank(), at).value() == expected);
                CHECK(axe::shard_id(last, mesh.names[axis], at).value() == expected); // of the launch mesh
            }
        ++rows;
    }
    CHECK(rows == 3);
    CHECK(axe::shard_id(mesh_of_shape({2, 3}), 2, 0).error().code == axe::errc::out_of_domain);
    CHECK(axe::shard_id(mesh_of_shape({2, 3}), axe::Axis("b"), 0).error().code == axe::errc::unknown_axis);
    CHECK(axe::shard_id(mesh_of_shape({2, 3}), 0, 6).error().code == axe::errc::out_of_domain);
}
TEST_CASE("TLE: states of a sharding, and an axis in two of them")
{
    for (const TleJson& row : tle_rows("sharding_state")) {
        const axe::Mesh mesh = axe::parse_device_mesh("device=4,cluster(cluster_x=2,cluster_y=2),block=4").value();
        const axe::Sharding s = sharding_of_row(mesh, row);
        REQUIRE(row["mesh"].size() == 4);
        std::vector<std::string> replicated;
        for (int axis = 0; axis < mesh.rank(); ++axis) {
            CHECK(row["mesh"][static_cast<std::size_t>(axis)][0] == mesh.names[axis].name().c_str());
            CHECK(row["mesh"][static_cast<std::size_t>(axis)][1] == mesh.shape[axis]);
            CHECK(row["state"][mesh.names[axis].name().c_str()] == std::string(1, letter(axe::state_of(s, axis).state)));
            if (axe::state_of(s, axis).state == axe::ShardState::broadcast)
                replicated.emplace_back(mesh.names[axis].name().c_str());
        }
        CHECK(replicated == row["broadcast"].get<std::vector<std::string>>());
    }
    for (const TleJson& row : tle_rows("sharding_error")) {
        const auto made =
            axe::parse_mesh_sharding("[" + row["split"][0].get<std::string>() + "] P(" + row["partial"][0].get<std::string>() + ")",
                                     axe::parse_device_mesh("device=4").value());
        CHECK(made.error().code == axe::errc::bad_axis);
        CHECK(std::string(made.error().message().c_str()) == "mesh axis 0 is in " + row["error"].get<std::string>());
    }
    CHECK(tle_rows("sharding_state").size() == 1);
    CHECK(tle_rows("sharding_error").size() == 1);
}
TEST_CASE("TLE: groups of blocks that wait for each other, and ids of other members")
{
    const auto check = [](const TleJson& row, const char* launch) {
        const axe::Mesh sub =
            axe::sub_mesh(axe::parse_device_mesh(launch).value(), axe::parse_mesh_key(row["key"].get<std::string>()).value())
                .value();
        const auto group = axe::barrier_group(sub);
        REQUIRE(group.has_value());
        CHECK(list_of(group->shape) == row["shape"].get<std::vector<TleInt>>());
        CHECK(std::vector<int>(group->axes.begin(), group->axes.end()) == row["axes"].get<std::vector<int>>());
        CHECK(std::vector<TleInt>(group->ranks.begin(), group->ranks.end()) == row["mask"].get<std::vector<TleInt>>());
    };
    for (const TleJson& row : tle_rows("barrier_group")) check(row, "block_cluster(x=2,y=2)");
    for (const TleJson& row : tle_rows("barrier_group_hier"))
        check(row, "device(device_x=2,device_y=2),cluster(cluster_x=2,cluster_y=2),block(block_x=4,block_y=4)");
    CHECK(tle_rows("barrier_group").size() + tle_rows("barrier_group_hier").size() == 2);
    const axe::Mesh mesh = axe::parse_device_mesh("cluster(x=2,y=4)").value();
    for (const TleJson& row : tle_rows("remote_linear_id"))
        CHECK(axe::id_at(mesh, {row["shard_id"][0].get<TleInt>(), row["shard_id"][1].get<TleInt>()}).value() ==
              row["linear"].get<TleInt>());
    for (const TleJson& row : tle_rows("remote_error")) {
        const auto flat = axe::flatten(mesh).value();
        CHECK(axe::id_at(flat, {row["shard_id"].get<TleInt>()}).error().code == axe::errc::out_of_domain);
    }
    CHECK(tle_rows("remote_linear_id").size() + tle_rows("remote_error").size() == 2);
}
TEST_CASE("TLE: reshards give every member its values")
{
    int rows = 0;
    for (const TleJson& row : tle_rows("reshard")) {
        INFO(row["mesh"].dump() << row["src"].dump() << " to " << row["dst"].dump());
        const axe::Mesh mesh = mesh_of_names(row["mesh"]);
        const axe::Sharding from = sharding_of_row(mesh, row["src"]), to = sharding_of_row(mesh, row["dst"]);
        axe::Shape shape;
        for (const TleJson& n : row["shape"]) shape.push_back(n.get<TleInt>());
        for (const TleJson& state : row["per_axis"]) // ["z", "P", "S1"]
            for (const int side : {1, 2}) {
                const axe::AxisState s = axe::state_of(side == 1 ? from : to,
                                                       find_dimension(mesh, axe::Axis::make(state[0].get<std::string>()).value()));
                CHECK(state[static_cast<std::size_t>(side)] ==
                      std::string(1, letter(s.state)) + (s.dim < 0 ? "" : std::to_string(s.dim)));
            }
        const auto held = [](const TleJson& lists) {
            members::All out;
            for (const TleJson& list : lists) out.emplace_back(list.get<members::Values>());
            return out;
        };
        members::All values = held(row["src_local"]);
        CHECK(members::value(from, shape, values) == row["full"].get<members::Values>());
        const auto steps = axe::reshard(from, to);
        REQUIRE(steps.has_value());
        axe::Sharding now = from;
        for (const axe::ReshardStep& step : *steps) {
            values = members::done(now, step, shape, values);
            const auto kind = axe::classify_reshard(now, step.after, shape);
            REQUIRE(kind.has_value());
            CHECK(kind->kind == step.kind);
            now = step.after;
        }
        CHECK(now == to);
        CHECK(values == held(row["dst_local"]));
        // What the library says of a member's part.
        const axe::Shape local = axe::local_shape(to, shape).value();
        CHECK(members::count(local) == row["dst_local_len"].get<TleInt>());
        for (TleInt m = 0; m < size(mesh); ++m) {
            const axe::Region region = axe::shard_region(to, shape, axe::coordinate(mesh.shape, m)).value();
            members::Values part;
            for (TleInt i = 0; i < members::count(local); ++i) {
                axe::Coord c = axe::coordinate(local, i);
                for (int d = 0; d < c.size(); ++d) c[d] += region[d].lo;
                part.push_back(row["full"][static_cast<std::size_t>(axe::linear_index(shape, c).value())].get<TleInt>());
            }
            CHECK(part == row["dst_local"][static_cast<std::size_t>(m)].get<members::Values>());
        }
        ++rows;
    }
    CHECK(rows == 127);
}
TEST_CASE("TLE: values do not become partial sums")
{
    int rows = 0;
    for (const TleJson& row : tle_rows("reshard_error")) {
        INFO(row.dump());
        const axe::Mesh mesh = mesh_of_names(row["mesh"]);
        const auto steps = axe::reshard(sharding_of_row(mesh, row["src"]), sharding_of_row(mesh, row["dst"]));
        REQUIRE_FALSE(steps.has_value());
        CHECK(steps.error().code == axe::errc::bad_argument);
        const axe::Sharding to = sharding_of_row(mesh, row["dst"]);
        CHECK(std::find(to.partial.begin(), to.partial.end(), steps.error().position) != to.partial.end());
        ++rows;
    }
    CHECK(rows == 49);
}
