// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/mesh_text.hpp>
#include <tests/unit/interop/sharding/orders.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using orders::Devices;

namespace {

Result<Mesh> read(std::string_view text) { return parse_mesh(text); }

/// The devices place by place, row-major.
Devices devices_of(const Mesh& mesh)
{
    Devices out;
    for (std::int64_t place = 0; place < device_count(mesh); ++place) out.push_back(sharding::detail::device_at(mesh, place));
    return out;
}

/// A place is a coordinate of the axes, and the mesh has one device there.
bool has_places(const Mesh& mesh, const Devices& devices)
{
    for (std::int64_t place = 0; place < device_count(mesh); ++place) {
        const auto at = place_of(mesh, devices[static_cast<std::size_t>(place)]);
        std::int64_t number = 0;
        for (int i = 0; i < mesh.axes.size(); ++i) number = number * mesh.axes[i].size + (*at)[i];
        if (number != place) return false;
    }
    return true;
}

/// Does each axis move the devices alike wherever the others are? Then the places of the axes are a sum of steps.
bool moves_alike(const Devices& devices, const std::vector<std::size_t>& sizes)
{
    std::size_t inner = devices.size();
    for (const std::size_t n : sizes) {
        inner /= n;
        for (std::size_t x = 0; x < devices.size(); ++x) {
            const std::size_t i = x / inner % n;
            if (devices[x] - devices[x - i * inner] != devices[i * inner] - devices[0]) return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("parse_mesh: a list of devices is a mesh iff steps make it that split where the axes do")
{
    const std::vector<std::vector<std::size_t>> shapes = {{}, {1}, {4}, {2, 2}, {1, 4}, {6}, {2, 3}, {3, 2}, {3, 1, 2}};
    for (const auto& sizes : shapes) {
        std::size_t n = 1;
        std::string axes;
        for (const std::size_t size : sizes) {
            n *= size;
            axes += (axes.empty() ? "\"a" : ", \"a") + std::to_string(axes.size()) + "\"=" + std::to_string(size);
        }
        const auto all = orders::step_lists(static_cast<int>(n));
        for (const Devices& devices : orders::permutations(static_cast<int>(n))) {
            const std::string text = "<[" + axes + "], device_ids=[" + orders::joined(devices) + "]>";
            INFO(text);
            const auto mesh = read(text);
            const bool steps = all.count(devices) > 0;
            REQUIRE(mesh.has_value() == (steps && moves_alike(devices, sizes)));
            if (!mesh) {
                REQUIRE(mesh.code() == (steps ? errc::not_grouped : errc::no_layout));
                continue;
            }
            REQUIRE(check(*mesh).ok());
            REQUIRE(devices_of(*mesh) == devices);
            REQUIRE(has_places(*mesh, devices));
            const bool sorted = std::is_sorted(devices.begin(), devices.end());
            REQUIRE(sharding::detail::is_row_major(*mesh) == sorted);
            // Printed, the devices are left out where they are in order, and the text is read back.
            const std::string again = print_mesh(*mesh)->c_str();
            REQUIRE((again.find("device_ids") == std::string::npos) == sorted);
            REQUIRE(*read(again) == *mesh);
        }
    }
}

TEST_CASE("parse_mesh: XLA's iotas are NumPy's")
{
    for (const orders::Iota& iota : orders::iotas(3, 3)) {
        const std::string text = "[" + std::to_string(iota.devices.size()) + "]<=" + iota.text;
        INFO(text);
        const auto mesh = read(text);
        REQUIRE(mesh);
        REQUIRE(devices_of(*mesh) == iota.devices);
        REQUIRE(std::string(mesh->axes[0].name.c_str()) == "_axis_0");
    }
    CHECK(devices_of(*read("(2,3)")) == Devices{0, 1, 2, 3, 4, 5});
    CHECK(devices_of(*read("[]")) == Devices{0});
    CHECK(*read("mesh [2,3]") == *read("(2,3)"));
}

TEST_CASE("parse_mesh: JAX's and Shardy's axes are in row-major order")
{
    const Mesh mesh = *make_mesh({{"x", 2}, {"y y", 3}});
    for (const char* text :
         {R"(<["x"=2, "y y"=3]>)", "sdy.mesh @m = <['x'=2,'y y'=3]>", "mesh<[\"x\"=2, \"y y\"=3]>", "Mesh('x': 2, 'y y': 3)",
          "Mesh(\"x\":2,'y y':3,axis_types=(Auto,Auto))", "  <[\"x\"=2,\"y y\"=3],device_ids=[0,1,2,3,4,5]>  "})
        CHECK(*read(text) == mesh);
    CHECK(read("Mesh()")->axes.empty());
    CHECK(read("<[], device_ids=[7]>")->first == 7);
    CHECK(said::text(print_mesh(*read("<[], device_ids=[7]>"))) == "<[], device_ids=[7]>");
}

TEST_CASE("print_mesh: as many devices as are listed, and one more")
{
    const Mesh most = *make_mesh({{"x", 256}}, {Iter(256, -1)}, 255);
    CHECK(*read(print_mesh(most)->c_str()) == most);
    const auto more = print_mesh(*make_mesh({{"x", 257}}, {Iter(257, -1)}, 256));
    said::refused(more, errc::capacity, "257 devices out of order would have to be listed; at most 256 can be");
    CHECK(more.error().position == -1);
    Mesh broken;
    broken.axes.push_back(MeshAxis("x", 0));
    said::refused(print_mesh(broken), errc::bad_extent, "mesh axis 0 has 0 places; it must have at least 1");
}

TEST_CASE("parse_mesh: refusals, and where they are")
{
    const auto refused = [](std::string_view text, errc code, int at, std::string_view sentence) {
        const auto result = read(text);
        said::misread(result, text, code, at, sentence);
        CHECK(result.error().position == at);
    };
    refused("", errc::bad_syntax, 0, "expected a mesh, <[\"x\"=2]>, Mesh('x': 2) or (2,4), at character 0");
    refused("<[\"a\"=2]> >", errc::bad_syntax, 10, "expected the end of the text at character 10");
    refused("sdy.mesh m", errc::bad_syntax, 9, "expected '@' and the name of the mesh at character 9");
    refused("sdy.mesh @m <", errc::bad_syntax, 12, "expected '=' after the name of the mesh at character 12");
    refused("<[\"a\"=2, \"b\"=2, \"b\"=2]>", errc::bad_axis, 16,
            "mesh axes 1 and 2 have the same name, the second at character 16");
    refused("<[\"a\"=4], device_ids=[0,2,3,1]>", errc::no_layout, 28,
            "the device list is not a product of steps: device 1 at character 28 breaks the pattern");
    refused("<[\"a\"=4], device_ids=[0,x]>", errc::bad_syntax, 24, "expected the number of a device at character 24");
    refused("<[\"a\"=4], device_ids=[0 1]>", errc::bad_syntax, 24, "expected ',' or ']' in the devices at character 24");
    refused("<[\"a\"=4], device_ids=[0,1]>", errc::size_mismatch, 10,
            "the mesh has 4 places, the order of its devices at character 10 has 2");
    refused("(2,2)<=(4)", errc::bad_syntax, 7, "expected '[' after <= at character 7");
    refused("(2,2)<=[5]", errc::size_mismatch, 7, "the mesh has 4 places, the order of its devices at character 7 has 5");
    refused("[4]<=[2,2]T(0, 2)", errc::bad_argument, 15, "the order at character 15 names dimension 2, which does not exist");
    refused("[4]<=[2,2]T(-1,0)", errc::bad_argument, 12, "the order at character 12 names dimension -1, which does not exist");
    refused("<[\"a\"=2], device_ids=[0, -1]>", errc::out_of_domain, 25,
            "the device at character 25 is -1; device numbers start at 0");
    refused("[4]<=[2,2]T(0,1,0)", errc::bad_argument, 16, "the order at character 16 names dimension 0 twice");
    refused("Mesh('x': 2, 'x': 2)", errc::bad_axis, 13, "mesh axes 0 and 1 have the same name, the second at character 13");
    refused("Mesh('x': 2, axis_types=Auto)", errc::bad_syntax, 24, "expected '(' before the types of the axes at character 24");
    refused("Mesh('x' 2)", errc::bad_syntax, 9, "expected ':' after the name of the axis at character 9");
}
