// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "members.hpp"

#include <axe/schedule/collective/reshard.hpp>

#include <catch.hpp>

#include <string>

namespace {

using axe::Sharding;

/// Do members hold the same, and terms along the same axes? What axes of size 1 are makes no difference.
bool placed_alike(const Sharding& a, const Sharding& b, const axe::Shape& shape)
{
    for (members::Int m = 0; m < axe::size(a.mesh); ++m) {
        const axe::Coord at = axe::coordinate(a.mesh.shape, m);
        if (members::elements(a, shape, at) != members::elements(b, shape, at)) return false;
    }
    for (int axis = 0; axis < a.mesh.rank(); ++axis)
        if (a.mesh.shape[axis] > 1 && (axe::state_of(a, axis).state == axe::ShardState::partial) !=
                                          (axe::state_of(b, axis).state == axe::ShardState::partial))
            return false;
    return true;
}

/// All pairs of shardings: the steps give every member its part of the value; each is a collective of its kind by the layouts of the two
/// sides; the pairs that cannot be are those with a P that comes from nowhere. Returns the pairs that took steps.
int check_reshards(const axe::Mesh& mesh, const axe::Shape& shape, bool with_undistributed, int stride)
{
    const auto all = members::all_shardings(mesh, with_undistributed);
    members::Values full;
    for (members::Int x = 0; x < members::count(shape); ++x) full.push_back((x * 31 + 5) % 97);
    int at = 0, moved = 0;
    for (const Sharding& from : all) {
        const members::All start = members::distributed(from, shape, full);
        REQUIRE(members::value(from, shape, start) == full);
        for (const Sharding& to : all) {
            if (at++ % stride != 0) continue;
            INFO(members::states(from) << "to " << members::states(to));
            const auto steps = axe::reshard(from, to);
            bool possible = true;
            for (const int axis : to.partial)
                possible = possible && std::find(from.partial.begin(), from.partial.end(), axis) != from.partial.end();
            REQUIRE(steps.has_value() == possible);
            if (!possible) {
                CHECK(steps.error().code == axe::errc::bad_argument);
                continue;
            }
            CHECK(steps->empty() == placed_alike(from, to, shape));
            moved += !steps->empty();
            Sharding now = from;
            members::All held = start;
            for (const axe::ReshardStep& step : *steps) {
                INFO(members::states(now) << name(step.kind) << " to " << members::states(step.after));
                held = members::done(now, step, shape, held);
                const auto kind = axe::classify_reshard(now, step.after, shape);
                REQUIRE(kind.has_value());
                CHECK(name(kind->kind) == std::string(name(step.kind)));
                CHECK_FALSE(step.axes.empty());
                now = step.after;
            }
            if (!steps->empty()) CHECK(now == to);
            CHECK(members::value(to, shape, held) == full);
            for (members::Int m = 0; m < axe::size(mesh); ++m)
                CHECK(held[static_cast<std::size_t>(m)].has_value() ==
                      members::elements(to, shape, axe::coordinate(mesh.shape, m)).has_value());
        }
    }
    return moved;
}

} // namespace

TEST_CASE("a reshard gives every member its part: all pairs of shardings")
{
    CHECK(check_reshards(*axe::device_mesh({{"x", 4}}), {8, 4}, true, 1) > 10);
    CHECK(check_reshards(*axe::device_mesh({{"x", 2}, {"y", 2}}), {4, 4}, true, 1) > 300);
    CHECK(check_reshards(*axe::device_mesh({{"x", 2}, {"y", 3}}), {6, 6}, true, 3) > 100);
    CHECK(check_reshards(*axe::device_mesh({{"x", 2}, {"y", 1}}), {4, 2}, true, 1) > 10);
}
TEST_CASE("a reshard over three axes gives every member its part: a sample of all pairs")
{
    CHECK(check_reshards(*axe::device_mesh({{"x", 2}, {"y", 2}, {"z", 2}}), {8, 8}, true, 97) > 100);
    CHECK(check_reshards(*axe::device_mesh({{"x", 2}, {"y", 4}, {"z", 2}}), {16, 16}, false, 311) > 10);
}

namespace {

/// The steps between two shardings of two dimensions over x, y, z of size 2, as `kind(axes)`.
std::string steps_text(const axe::MeshSplit& split, const axe::MeshAxes& partial, const axe::MeshAxes& alone,
                       const axe::MeshSplit& to_split, const axe::MeshAxes& to_partial = {}, const axe::MeshAxes& to_alone = {})
{
    const axe::Mesh mesh = *axe::device_mesh({{"x", 2}, {"y", 2}, {"z", 4}});
    const auto steps =
        axe::reshard(*axe::make_sharding(mesh, split, partial, alone), *axe::make_sharding(mesh, to_split, to_partial, to_alone));
    if (!steps) return steps.error().message().c_str();
    std::string out;
    for (const axe::ReshardStep& step : *steps) {
        out.append(out.empty() ? "" : ", ").append(name(step.kind)).append("(");
        for (const int axis : step.axes) out += mesh.names[axis].name().c_str();
        out += ')';
    }
    return out;
}

} // namespace

TEST_CASE("which collectives a reshard is")
{
    CHECK(steps_text({{}, {}}, {}, {}, {{}, {}}).empty());
    CHECK(steps_text({{}, {}}, {}, {}, {{"x"}, {}}) == "local(x)");
    CHECK(steps_text({{"x"}, {}}, {}, {}, {{}, {}}) == "all_gather(x)");
    CHECK(steps_text({{"x"}, {"y"}}, {}, {}, {{}, {}}) == "all_gather(xy)");
    CHECK(steps_text({{}, {}}, {"x"}, {}, {{}, {}}) == "all_reduce(x)");
    CHECK(steps_text({{}, {}}, {"x", "z"}, {}, {{}, {}}) == "all_reduce(xz)");
    CHECK(steps_text({{}, {}}, {"x"}, {}, {{}, {"x"}}) == "reduce_scatter(x)");
    CHECK(steps_text({{"x"}, {}}, {}, {}, {{}, {"x"}}) == "all_to_all(x)");
    CHECK(steps_text({{"x", "y"}, {}}, {}, {}, {{}, {"x", "y"}}) == "all_to_all(xy)");
    CHECK(steps_text({{"x", "y"}, {}}, {}, {}, {{}, {"y", "x"}}) == "all_to_all(xy)");
    CHECK(steps_text({{"x", "y"}, {}}, {}, {}, {{"y", "x"}, {}}) == "permute(xy)");
    CHECK(steps_text({{"x"}, {}}, {}, {}, {{"y"}, {}}) == "permute(xy)");
    CHECK(steps_text({{"x"}, {"y"}}, {}, {}, {{"y"}, {"x"}}) == "permute(xy)");
    CHECK(steps_text({{"x", "y"}, {}}, {}, {}, {{"z"}, {}}) == "permute(xyz)");
    CHECK(steps_text({{"x"}, {}}, {"y"}, {}, {{"x", "y"}, {}}) == "reduce_scatter(y)");
    CHECK(steps_text({{"x"}, {}}, {"y"}, {}, {{"y"}, {}}) == "all_gather(x), reduce_scatter(y)");
    CHECK(steps_text({{"x"}, {}}, {"y"}, {}, {{"z"}, {"y"}}) == "reduce_scatter(y), all_gather(x), local(z)");
    CHECK(steps_text({{"x", "z"}, {}}, {}, {}, {{"x"}, {}}) == "all_gather(z)");
    CHECK(steps_text({{"x", "y", "z"}, {}}, {}, {}, {{"y"}, {"z"}}) == "all_to_all(z), permute(xy), all_gather(x)");
    CHECK(steps_text({{"x", "z"}, {}}, {}, {}, {{"z"}, {}}) == "permute(xz), all_gather(x)");
    // undistributed: the rows of the document
    CHECK(steps_text({{}, {}}, {}, {"x"}, {{"x"}, {}}) == "scatter(x)");
    CHECK(steps_text({{"x"}, {}}, {}, {}, {{}, {}}, {}, {"x"}) == "gather(x)");
    CHECK(steps_text({{}, {}}, {"x"}, {}, {{}, {}}, {}, {"x"}) == "reduce(x)");
    CHECK(steps_text({{}, {}}, {}, {"x"}, {{}, {}}) == "broadcast(x)");
    CHECK(steps_text({{}, {}}, {}, {}, {{}, {}}, {}, {"x"}) == "local(x)");
    // a partial sum that stays one
    CHECK(steps_text({{"x"}, {}}, {"y"}, {}, {{}, {}}, {"y"}) == "all_gather(x)");
    CHECK(steps_text({{"x"}, {}}, {}, {}, {{}, {}}, {"x"}) ==
          "mesh axis 0 is partial in the target alone; B to P and S to P are not reshards: no member has terms");
    const auto other = *axe::make_sharding(*axe::device_mesh({{"x", 2}}), {});
    CHECK(axe::reshard(other, *axe::make_sharding(*axe::device_mesh({{"y", 2}}), {})).error().code == axe::errc::size_mismatch);
}
