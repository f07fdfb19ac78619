// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/find.hpp>
#include <axe/interop/sharding/place.hpp>
#include <tests/unit/interop/sharding/chunks.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }
Placed plain(std::string_view text)
{
    Placed out;
    out.layout = layout(text);
    return out;
}

} // namespace

TEST_CASE("find_spec: place(find_spec(place(s))) = place(s), for all placements of small meshes, over the mesh and over its own")
{
    int compared = 0;
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4}, {2, 2}, {4, 3}, {3, 2}, {1, 4}}) {
        const Mesh rows = chunks::row_major(sizes);
        std::vector<Mesh> meshes{rows};
        if (sizes.size() == 2) meshes.push_back(*make_mesh(rows.axes, {Iter(sizes[0], 1), Iter(sizes[1], sizes[0])}, 5));
        for (const Mesh& mesh : meshes)
            for (const Placements& words : chunks::all_placements(static_cast<int>(sizes.size()), 2)) {
                const Shape shape{24, 12};
                const auto spec = to_spec(words, mesh, 2);
                const auto placed = spec ? place(*spec, shape) : Result<Placed>(spec.error());
                if (!placed) continue;
                INFO(print_dtensor(words).c_str());
                const auto over = find_spec(*placed, shape, mesh), own = find_spec(*placed, shape);
                REQUIRE(over);
                REQUIRE(own);
                if (!sharding::equal(*place(*over, shape), *placed)) FAIL("over the mesh, another place");
                if (!sharding::equal(*place(*own, shape), *placed)) FAIL("over its own mesh, another place");
                const auto found = find_mesh(*placed, shape);
                REQUIRE(found);
                CHECK(*found == own->mesh);
                CHECK(device_count(*found) == device_count(mesh));
                // Placements say it again, unless the axes were cut.
                const auto again = to_placements(*over);
                if (again && !sharding::equal(*place(*to_spec(*again, mesh, 2), shape), *placed))
                    FAIL("placements say another place");
                ++compared;
            }
    }
    CHECK(compared > 400);
}

TEST_CASE("find_spec: a mesh with more places than an axis needs is used in part")
{
    const Mesh eight = *make_mesh({{"x", 8}});
    const auto spec = find_spec(plain("(2,4,3):(4@gpuid,3,1) + [4:1@gpuid]"), {8, 3}, eight);
    REQUIRE(spec);
    CHECK(spec->parts.size() == 1);
    CHECK(spec->parts[0] == Part(0, 1, 2));
    CHECK(to_placements(*spec).code() == errc::no_layout);
}

TEST_CASE("find_spec: what no spec expresses")
{
    const Mesh four = *make_mesh({{"x", 4}});
    const auto code = [&](std::string_view text, const Shape& shape) { return find_spec(plain(text), shape, four).code(); };
    CHECK(code("(4,2):(1@gpuid,1)", {8}) == errc::ok);
    CHECK(code("(4,2):(1@gpuid,2)", {8}) == errc::no_layout);            // a gap between elements of a device
    CHECK(code("(2,4):(1,1@gpuid)", {8}) == errc::ok);                   // a stay outside: a strided shard
    CHECK(code("(4,2):(1@gpuid,1) + 3", {8}) == errc::no_layout);        // the part begins at 3
    CHECK(code("(4,2):(1@warp,1)", {8}) == errc::no_layout);             // another axis
    CHECK(code("(4,2):(2@gpuid,1)", {8}) == errc::no_layout);            // every second device
    CHECK(code("(4,2):(1@gpuid,1) + 1@gpuid", {8}) == errc::no_layout);  // devices 1 to 4
    CHECK(code("(2,4):(1@gpuid,1)", {8}) == errc::no_layout);            // two devices of four
    CHECK(code("(4,2):(-1@gpuid,1) + 3@gpuid", {8}) == errc::no_layout); // backwards
    CHECK(code("(4,2):(1@gpuid,1)", {4, 4}) == errc::size_mismatch);
    CHECK(code("6:1", {4}) == errc::size_mismatch);
}
