// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/mesh.hpp>
#include <axe/layout/equal.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using namespace axe::literals;

TEST_CASE("Name: 1 to 31 characters that can stand between quotes")
{
    STATIC_REQUIRE(Name("data parallel").size == 13);
    CHECK(std::string(Name("x").c_str()) == "x");
    CHECK(Name::make("context_autoregressive_and_more", 31).has_value());
    said::refused(Name::make("context_autoregressive_and_more.", 32), errc::bad_axis,
                  "the name of a mesh axis has 1 to 31 characters, this one has 32");
    said::refused(Name::make("", 0), errc::bad_axis, "the name of a mesh axis has 1 to 31 characters, this one has 0");
    for (const char* bad : {"a\"", "a'", "a\\", "a\n", "a\x7f"})
        said::refused(Name::make(bad, 2), errc::bad_axis,
                      "character 1 of the name of a mesh axis is a quote, a backslash or not printable");
    CHECK(std::string(numbered_name(0).c_str()) == "_axis_0");
    CHECK(std::string(numbered_name(15).c_str()) == "_axis_15");
    CHECK_FALSE(Name("ab") == Name("a"));
    CHECK_FALSE(Name("ab") == Name("ac"));
}

TEST_CASE("mesh: row-major unless an order is given")
{
    constexpr Mesh mesh = *make_mesh({{"x", 2}, {"one", 1}, {"y", 4}});
    STATIC_REQUIRE(device_count(mesh) == 8);
    STATIC_REQUIRE(mesh.digits.size() == 2);
    CHECK(said::text(devices(mesh)) == "(2,4):(4@gpuid,1@gpuid)");
    CHECK(find_axis(mesh, "y") == 2);
    CHECK(find_axis(mesh, "z") == -1);
    for (std::int64_t device = 0; device < 8; ++device) CHECK(*place_of(mesh, device) == Coord{device / 4, 0, device % 4});
    said::refused(place_of(mesh, 8), errc::out_of_domain, "device 8 is outside the mesh, which has devices [0, 8)");
    said::refused(place_of(mesh, -1), errc::out_of_domain, "device -1 is outside the mesh, which has devices [0, 8)");

    // no axis: one device
    constexpr Mesh single = *make_mesh(MeshAxes{}, 5);
    STATIC_REQUIRE(device_count(single) == 1);
    CHECK(said::text(devices(single)) == "():() + 5@gpuid");
    CHECK(place_of(single, 5)->size() == 0);
}

TEST_CASE("mesh: an iota, reshaped and transposed")
{
    // XLA's [4,2]T(1,0): 0 2 4 6 1 3 5 7
    const auto order = *iota_order({4, 2}, {1, 0});
    const Mesh mesh = *make_mesh({{"x", 2}, {"y", 4}}, order);
    CHECK(said::text(devices(mesh)) == "(2,4):(1@gpuid,2@gpuid)");
    CHECK(*place_of(mesh, 5) == Coord{1, 2});
    // an axis may take several digits, or a digit several axes
    const Mesh flat = *make_mesh({{"x", 8}}, order);
    CHECK(flat.digits == InlineVector<sharding::DeviceDigit, max_mesh_axes>{{0, 2, 1}, {0, 4, 2}});
    CHECK(*place_of(flat, 6) == Coord{3});
    const Mesh cut = *make_mesh({{"a", 2}, {"b", 2}, {"c", 2}}, order);
    CHECK(said::text(devices(cut)) == "(2,2,2):(1@gpuid,4@gpuid,2@gpuid)");
    said::refused(make_mesh({{"x", 4}, {"y", 2}}, *iota_order({2, 3}, {1, 0})), errc::size_mismatch,
                  "the mesh has 8 places, the order of its devices 6");
    said::refused(make_mesh({{"x", 2}, {"y", 3}}, *iota_order({2, 3}, {1, 0})), errc::not_grouped,
                  "the order of the devices does not split at mesh axis 0");

    said::refused(iota_order({4, 2}, {0}), errc::rank_mismatch, "the order has 1 entry, the mesh 2 dimensions");
    said::refused(iota_order({4, 2}, {0, 0}), errc::bad_argument,
                  "entry 1 of the order is 0; the order must name each dimension once");
    said::refused(iota_order({4, 2}, {0, 2}), errc::bad_argument,
                  "entry 1 of the order is 2; the order must name each dimension once");
    CHECK(iota_order({4, 0}, {0, 1}).code() == errc::bad_extent);
    CHECK(iota_order({INT64_MAX, 2}, {0, 1}).code() == errc::overflow);
}

TEST_CASE("mesh: backwards, from another device on, far out")
{
    // 7 5 3 1 6 4 2 0, and five more each
    const Mesh mesh = *make_mesh({{"x", 2}, {"y", 4}}, {Iter(2, -1), Iter(4, -2)}, 12);
    CHECK(*place_of(mesh, 12) == Coord{0, 0});
    CHECK(*place_of(mesh, 5) == Coord{1, 3});
    CHECK(*place_of(mesh, 10) == Coord{0, 1});
    said::refused(place_of(mesh, 4), errc::out_of_domain, "device 4 is outside the mesh, which has devices [5, 13)");
    said::refused(make_mesh({{"x", 4}}, {Iter(4, -1)}, 2), errc::out_of_domain, "device -1 has a number below 0");

    constexpr std::int64_t huge = std::int64_t{1} << 60;
    CHECK(device_count(*make_mesh({{"x", huge}, {"y", 4}})) == huge * 4);
    said::refused(make_mesh({{"x", huge}, {"y", 8}}), errc::overflow, "the number of devices overflows at mesh axis 1");
    CHECK(make_mesh({{"x", huge}}, INT64_MAX - 5).code() == errc::overflow);
    CHECK(make_mesh({{"x", 3}}, {Iter(3, -INT64_MAX)}, 0).code() == errc::overflow);
}

TEST_CASE("mesh: devices are all the numbers of a range, each once")
{
    said::refused(make_mesh({{"x", 4}}, {Iter(4, 2)}), errc::no_layout,
                  "the steps cover 1 consecutive devices, then advance by 2; a mesh has each number of a range once");
    said::refused(make_mesh({{"x", 2}, {"y", 2}}, {Iter(2, 1), Iter(2, 1)}), errc::no_layout,
                  "the steps cover 2 consecutive devices, then advance by 1; a mesh has each number of a range once");
    said::refused(make_mesh({{"x", 2}, {"y", 2}}, {Iter(2, 3), Iter(2, 1)}), errc::no_layout,
                  "the steps cover 2 consecutive devices, then advance by 3; a mesh has each number of a range once");
    CHECK(make_mesh({{"x", 2}}, {Iter(2, 0)}).code() == errc::no_layout);
}

TEST_CASE("mesh: what check finds")
{
    said::refused(make_mesh({{"x", 2}, {"x", 4}}), errc::bad_axis, "mesh axes 0 and 1 have the same name");
    said::refused(make_mesh({{"x", 0}}), errc::bad_extent, "mesh axis 0 has 0 places; it must have at least 1");
    said::refused(make_mesh({{"x", 0}}, {Iter(1, 1)}), errc::bad_extent, "mesh axis 0 has 0 places; it must have at least 1");
    said::refused(make_mesh({{"x", 2}}, {Iter(0, 1)}), errc::bad_extent,
                  "a step through the devices has extent 0; it must be at least 1");
    Mesh mesh = *make_mesh({{"x", 2}, {"y", 4}});
    mesh.digits[1].extent = 2;
    said::refused(check(mesh), errc::size_mismatch, "the digits of mesh axis 1 do not make up its 4 places");
    mesh = *make_mesh({{"x", 2}, {"y", 4}});
    mesh.digits.push_back({0, 2, 8});
    said::refused(check(mesh), errc::bad_axis, "digit 2 of the devices belongs to no mesh axis, or is out of order");
    mesh = *make_mesh({{"x", 2}, {"y", 4}});
    mesh.digits.insert(0, {0, 1, 8});
    said::refused(check(mesh), errc::bad_extent, "digit 0 of the devices has an extent below 2");
    mesh = *make_mesh({{"x", 2}});
    mesh.axes.count = 17;
    said::refused(check(mesh), errc::capacity, "a mesh has at most 16 axes, this one has 17");
    mesh = *make_mesh({{"x", 2}});
    mesh.digits.count = 17;
    said::refused(check(mesh), errc::capacity, "the order of the devices has more than 16 digits");
}

TEST_CASE("meshes: numbers at the end of the integer")
{
    Mesh mesh = make_mesh({{"x", 2}}).value();
    mesh.digits[0].stride = INT64_MIN;
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{INT64_MAX}}) {
        mesh.first = first;
        said::refused(check(mesh), errc::overflow, "the numbers of the devices overflow");
    }
    for (const std::int64_t stride : {std::int64_t{1} << 62, std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX}})
        said::refused(make_mesh({{"x", 2}, {"y", 2}}, {Iter(4, stride)}), errc::overflow, "the numbers of the devices overflow");
    MeshAxes many;
    many.count = max_mesh_axes + 1;
    CHECK(make_mesh(many).code() == errc::capacity);
}
