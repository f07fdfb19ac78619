// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/coordinates.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/rescale.hpp>
#include <axe/interop/spyre/text.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/cases/spyre_rows.hpp>

#include <string>
#include <vector>

/// The rows of data/spyre.jsonl that are about layouts as layouts: addresses, orders inside sticks, coordinates, other formats.
namespace {

namespace sp = axe::spyre;
using spyre_cases::each_row, spyre_cases::Json, spyre_cases::list;

axe::SpyreLayout layout(const Json& size, const Json& map, sp::DataFormat format)
{
    return {list<axe::Shape>(size), list<sp::Strides>(map), format};
}
sp::DataFormat format_of(const Json& row) { return sp::torch_type(row.get<std::string>()).value().format; }

axe::Strided host_of(const Json& row)
{
    axe::Strided host;
    host.shape = list<axe::Shape>(row["host_size"]);
    host.strides = list<sp::Strides>(row["host_stride"]);
    return host;
}

/// Python's operators as ours, and the variables with their ranges.
axe::IndexingMap map_of(const Json& row, const std::vector<std::string>& results)
{
    std::string names, domain, text;
    for (const auto& [name, extent] : row["var_ranges"].items()) {
        names += (names.empty() ? "" : ", ") + name;
        domain += ", " + name + " in [0, " + std::to_string(extent.get<std::int64_t>() - 1) + "]";
    }
    for (const std::string& result : results) {
        text += text.empty() ? "" : ", ";
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (result.compare(i, 2, "//") == 0) {
                text += " floordiv ";
                ++i;
            } else if (result[i] == '%') {
                text += " mod ";
            } else {
                text += result[i];
            }
        }
    }
    const auto map = axe::parse_map("(" + names + ") -> (" + text + ")" + ", domain:" + domain.substr(1));
    INFO(text);
    if (!map) FAIL(map.error().message().c_str());
    return *map;
}

} // namespace

TEST_CASE("cases of Spyre: addresses by the layout", "[cases][spyre]")
{
    int layouts = 0;
    for (const char* kind : {"constructor", "constructor+dma", "explicit_roundtrip"}) {
        const int rows = each_row(kind, [&](const Json& row) {
            const auto host = host_of(row);
            const auto device = layout(row["device_size"], row["stride_map"], format_of(row["dtype"]));
            const auto t = sp::place(host, device);
            REQUIRE(t.has_value());
            CHECK(sp::parse_layout(sp::print(device).c_str(), device.format).value() == device);
            CHECK(sp::parse_layout(sp::print_upstream(device).c_str(), device.format).value() == device);
            const auto p = sp::to_axe(*t);
            const bool is_empty = sp::element_count(host).value() == 0;
            CHECK((p || p.error().is_none() || (is_empty && p.code() == axe::errc::bad_extent)));
            layouts += p.has_value();
            if (!p || !row.contains("sample")) return;
            CHECK(p->elements == *sp::device_elements(device));
            for (const auto& sample : row["sample"]) {
                const auto c = list<axe::Coord>(sample[0]);
                CHECK(axe::evaluate(p->layout, p->shape, c)->operator[](axe::Axis{}) == sample[2].get<std::int64_t>());
            }
        });
        CHECK(rows > 0);
    }
    CHECK(layouts > 400);
}

TEST_CASE("cases of Spyre: orders inside sticks", "[cases][spyre]")
{
    // one row of eight sticks of 16 bits, or of sixteen of 32
    const auto host = sp::contiguous({512});
    const auto wide = sp::make_tensor(host, sp::DataFormat::ieee_fp32).value(),
               narrow = sp::make_tensor(host, sp::DataFormat::sen169_fp16).value();
    const auto widened = sp::to_axe_sticks(sp::arrange(wide, sp::Arrangement::dl16_to_fp32).value()).value();
    const auto narrowed = sp::to_axe_sticks(sp::arrange(narrow, sp::Arrangement::fp32_to_dl16).value()).value();
    const int rows = each_row("element_arrangement", [&](const Json& row) {
        const sp::Placed& p = row["ea"] == "DL16_TO_FP32" ? widened : narrowed;
        const auto point = axe::evaluate(p.layout, row["host_col"].get<std::int64_t>()).value();
        CHECK(point[axe::Axis("stick")] == row["stick_pos"][0].get<std::int64_t>());
        CHECK(point[axe::Axis("elem")] == row["stick_pos"][1].get<std::int64_t>());
    });
    CHECK(rows == 38);

    const int weights = each_row("qfp8wt_offset", [](const Json& row) {
        const axe::Shape shape{row["K"].get<std::int64_t>(), row["N"].get<std::int64_t>()};
        const auto t =
            sp::arrange(sp::make_tensor(sp::contiguous(shape), sp::DataFormat::sen143_fp8).value(), sp::Arrangement::qfp8wt);
        REQUIRE(t.has_value());
        const auto p = sp::to_axe(*t);
        REQUIRE(p.has_value());
        const axe::Coord c{row["k"].get<std::int64_t>(), row["n"].get<std::int64_t>()};
        CHECK(axe::evaluate(p->layout, p->shape, c)->operator[](axe::Axis{}) == row["device_offset"].get<std::int64_t>());
    });
    CHECK(weights == 2);
}

TEST_CASE("cases of Spyre: device coordinates", "[cases][spyre]")
{
    int ours = 0;
    const int rows = each_row("coordinates", [&](const Json& row) {
        // the sizes are those of any device: nothing is said of sticks, so that a last dimension beyond one is not the last
        auto device = layout(row["size"], row["stride"], sp::DataFormat::senint2);
        if (device.device_size.back() > 512) {
            device.device_size.push_back(1);
            device.stride_map.push_back(-1);
        }
        auto index = map_of(row, {row["index"].get<std::string>()});
        auto found = sp::device_coordinates(device, index);
        if (!row["model_coords_in_range"].get<bool>()) {
            // Upstream's own index, 200 further on in a loop over all elements, leaves the tensor at its end, and no coordinates follow it
            // there. Where it does not, ours are in range.
            std::int64_t elements = 1;
            for (const std::int64_t n : device.device_size) elements *= n;
            CHECK(axe::is_always(index, {index.results[0], {0, elements - 1}}).no());
            CHECK(found.code() == axe::errc::out_of_domain);
            index.constraints.push_back({index.results[0], {0, elements - 1}});
            found = sp::device_coordinates(device, index);
        }
        if (!found) FAIL(found.error().message().c_str());
        INFO(axe::print(*found));
        CHECK(found->results.size() == static_cast<std::size_t>(device.device_size.size()));

        // upstream's coordinates, where they stay in their range
        auto expected = row["coords"].get<std::vector<std::string>>();
        const bool in_range = row["model_coords_in_range"].get<bool>();
        while (expected.size() < found->results.size()) expected.emplace_back("0");
        if (in_range) CHECK(bool(axe::equal(*found, map_of(row, expected)).yes()));
        ours += !in_range;

        // the identity, and the ranges
        axe::IndexingMap dot = *found;
        axe::IndexExpr sum = dot.pool.constant(0);
        for (std::size_t j = 0; j < found->results.size(); ++j) {
            const int d = static_cast<int>(j);
            CHECK(axe::is_always(*found, {found->results[j], {0, device.device_size[d] - 1}}).yes());
            if (device.stride_map[d] > 0) sum = dot.pool.add(sum, dot.pool.mul(found->results[j], device.stride_map[d]));
        }
        dot.results = {sum};
        CHECK(bool(axe::equal(dot, index).yes()));
    });
    CHECK(rows == 7);
    CHECK(ours == 1);
}

TEST_CASE("cases of Spyre: other formats", "[cases][spyre]")
{
    const int rows = each_row("rescale_dtype", [](const Json& row) {
        const auto from = layout(row["src_layout"][0], row["src_layout"][1], format_of(row["src"]));
        const auto to = layout(row["dst_layout"][0], row["dst_layout"][1], format_of(row["dst"]));
        const std::int64_t extent =
            row.contains("stick_extent") ? row["stick_extent"].get<std::int64_t>() : row["host_size"].back().get<std::int64_t>();
        const auto moved = sp::rescale(from, to.format, extent);
        REQUIRE(moved.has_value());
        CHECK(*moved == to);
        if (!row.contains("host_size")) return;
        const auto host = sp::contiguous(list<axe::Shape>(row["host_size"]));
        const auto t = sp::rescale(sp::make_tensor(host, from.format).value(), to.format);
        REQUIRE(t.has_value());
        CHECK(t->device == to);
    });
    CHECK(rows == 40);
    int refused = 0;
    each_row("error", [&](const Json& row) {
        if (row["op"] != "rescale fp32->fp16 without extent") return;
        const auto from = layout(row["device_size"], row["stride_map"], sp::DataFormat::ieee_fp32);
        const auto moved = sp::rescale(from, sp::DataFormat::sen169_fp16);
        CHECK(moved.code() == axe::errc::bad_argument);
        CHECK(std::string(moved.error().message().c_str()).find(row["error"].get<std::string>()) != std::string::npos);
        ++refused;
    });
    CHECK(refused == 1);
}
