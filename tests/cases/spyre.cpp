// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <catch.hpp>
#include <tests/cases/spyre_rows.hpp>

#include <fstream>
#include <map>
#include <string>

/// data/spyre.jsonl: constructors, storage and the division of work. spyre_layout.cpp has what is about layouts as layouts,
/// spyre_dma.cpp what is about transfers; the first test counts the rows of all.
namespace {

namespace sp = axe::spyre;
using spyre_cases::each_row, spyre_cases::Json, spyre_cases::list;

std::int64_t number(const Json& row, const char* key) { return row.at(key).get<std::int64_t>(); }

axe::Strided host_of(const Json& row)
{
    return {list<axe::Shape>(row.at("host_size")), list<sp::Strides>(row.at("host_stride")), 0};
}

/// The tensor of a row, by the order of dimensions that it names, or by default.
sp::Tensor constructed(const Json& row)
{
    const auto format = sp::torch_type(row.at("dtype").get<std::string>()).value().format;
    const auto t = row.at("dim_order").is_null() ? sp::make_tensor(host_of(row), format)
                                                 : sp::make_tensor(host_of(row), format, list<sp::DimOrder>(row.at("dim_order")));
    REQUIRE(t.has_value());
    return *t;
}

/// The constructor's fields; the same layout read back, and with the entries of upstream's newest source, is the same placement.
void check_constructor(const Json& row)
{
    const sp::Tensor t = constructed(row);
    CHECK(t.device.device_size == list<axe::Shape>(row.at("device_size")));
    CHECK(t.device.stride_map == list<sp::Strides>(row.at("stride_map")));
    CHECK(sp::name(t.device.format) == row.at("device_dtype").get<std::string>());
    const auto again = sp::place(t.torch, t.device);
    REQUIRE(again.has_value());
    CHECK(bool(sp::same_placement(t, *again)));
    if (!row.contains("stride_map_clamped") || row.at("stride_map_clamped").is_null()) return;
    axe::SpyreLayout clamped = t.device;
    clamped.stride_map = list<sp::Strides>(row.at("stride_map_clamped"));
    const auto newest = sp::place(t.torch, clamped);
    REQUIRE(newest.has_value());
    CHECK(bool(sp::same_placement(t, *newest)));
}

/// C = A·B of 16 bits, all row-major in their default layouts.
sp::Work matmul_of(const Json& row)
{
    const auto tensor = [&](const char* rows, const char* columns) {
        return sp::make_tensor(sp::contiguous({number(row, rows), number(row, columns)}), sp::DataFormat::sen169_fp16).value();
    };
    return sp::matmul_work(tensor("M", "K"), tensor("K", "N"), tensor("M", "N"));
}
/// The splits as the order of the loops has them: m, n, k.
sp::Division splits_of(const Json& splits) { return {{number(splits, "M"), number(splits, "N"), number(splits, "K")}}; }

} // namespace

TEST_CASE("cases of Spyre: all kinds of rows are known", "[cases][spyre]")
{
    std::map<std::string, int> counts;
    std::ifstream file(AXE_TEST_DATA "/spyre.jsonl");
    for (std::string line; std::getline(file, line);) ++counts[Json::parse(line).at("kind").get<std::string>()];
    const std::map<std::string, int> expected = {
        // here
        {"constructor", 15},
        {"constructor+dma", 392},
        {"storage_bytes", 16},
        {"ok", 2},
        {"error", 5},
        {"core_split", 5},
        {"work_division", 1},
        {"work_division_pass3", 45},
        // spyre_layout.cpp, which also has the places of constructors' samples
        {"element_arrangement", 38},
        {"qfp8wt_offset", 2},
        {"coordinates", 7},
        {"rescale_dtype", 40},
        // spyre_dma.cpp, which also has the nests of constructors
        {"explicit_roundtrip", 25},
        {"restickify", 17},
    };
    CHECK(counts == expected);
}

TEST_CASE("cases of Spyre: layouts by an order of dimensions", "[cases][spyre]")
{
    CHECK(each_row("constructor", check_constructor) == 15);
    const int rows = each_row("constructor+dma", [](const Json& row) {
        check_constructor(row);
        const sp::Tensor t = constructed(row);
        CHECK(sp::device_elements(t.device).value() == number(row, "device_elems"));
        CHECK(sp::storage_bytes(t.device).value() == number(row, "device_bytes"));
        CHECK(sp::device_elements(t.device).value() - sp::element_count(t.torch).value() == number(row, "padding_elems"));
        for (const Json& sample : row.at("sample")) {
            const auto d = sp::device_coordinate(t, list<axe::Coord>(sample[0]));
            REQUIRE(d.has_value());
            CHECK(sp::host_offset(t, *d) == sample[1].get<std::int64_t>());
            CHECK(sp::device_offset(t.device, *d) == sample[2].get<std::int64_t>());
        }
    });
    CHECK(rows == 392);
}

TEST_CASE("cases of Spyre: explicit layouts hold every element", "[cases][spyre]")
{
    const int rows = each_row("explicit_roundtrip", [](const Json& row) {
        const axe::SpyreLayout layout{list<axe::Shape>(row.at("device_size")), list<sp::Strides>(row.at("stride_map")),
                                      sp::torch_type(row.at("dtype").get<std::string>()).value().format};
        const auto t = sp::place(host_of(row), layout);
        REQUIRE(t.has_value());
        CHECK(sp::element_count(t->torch).value() == number(row, "host_elems"));
        CHECK(number(row, "hosts_elems_covered") == number(row, "host_elems"));
        // upstream's identity, of every element
        axe::Coord c;
        for (int d = 0; d < t->torch.shape.size(); ++d) c.push_back(0);
        for (std::int64_t n = sp::element_count(t->torch).value(); n > 0; --n) {
            std::int64_t offset = 0;
            for (int d = 0; d < c.size(); ++d) offset += c[d] * t->torch.strides[d];
            const auto at = sp::device_coordinate(*t, c);
            if (!at || sp::host_offset(*t, *at) != offset) FAIL("an element is not where the stride map says");
            for (int d = c.size() - 1; d >= 0 && ++c[d] == t->torch.shape[d]; --d) c[d] = 0;
        }
    });
    CHECK(rows == 25);
}

TEST_CASE("cases of Spyre: what a tensor takes on the device", "[cases][spyre]")
{
    const auto layout = [](const Json& size, sp::DataFormat format) {
        axe::SpyreLayout out{list<axe::Shape>(size), {}, format};
        for (int j = 0; j < out.device_size.size(); ++j) out.stride_map.push_back(1);
        return out;
    };
    const int rows = each_row("storage_bytes", [&](const Json& row) {
        const auto format = sp::parse_format(row.at("device_format").get<std::string>()).value();
        CHECK(sp::elements_per_stick(format).value() == number(row, "elems_per_stick"));
        CHECK(sp::bits(format) == number(row, "bits"));
        CHECK(sp::storage_bytes(layout(row.at("device_size"), format)).value() == number(row, "bytes"));
    });
    CHECK(rows == 16);

    const int allowed = each_row("ok", [](const Json& row) {
        const axe::SpyreLayout explicit_layout{list<axe::Shape>(row.at("device_size")), list<sp::Strides>(row.at("stride_map"))};
        const auto bytes = sp::storage_bytes(explicit_layout);
        REQUIRE(bytes.has_value());
        if (row.contains("bytes")) CHECK(*bytes == number(row, "bytes"));
    });
    CHECK(allowed == 2);

    int refused = 0;
    each_row("error", [&](const Json& row) {
        const auto& op = row.at("op");
        if (op == "get_device_size_in_bytes") {
            const auto format = sp::parse_format(row.at("device_format").get<std::string>()).value();
            const auto bytes = sp::storage_bytes(layout(Json{3, 1}, format));
            CHECK(bytes.code() == axe::errc::bad_argument); // upstream: "No device stick geometry"
            CHECK(std::string(bytes.error().message().c_str()).find("the stick size of this format is not known") !=
                  std::string::npos);
            ++refused;
        } else if (op == "explicit") {
            const axe::SpyreLayout bad{list<axe::Shape>(row.at("device_size")), list<sp::Strides>(row.at("stride_map"))};
            CHECK(sp::storage_bytes(bad).code() == axe::errc::bad_extent);
            CHECK(std::string(axe::check(bad).error().message().c_str()).find(row.at("error").get<std::string>()) !=
                  std::string::npos);
            ++refused;
        }
    });
    CHECK(refused == 4); // the fifth is a conversion, in spyre_layout.cpp
}

TEST_CASE("cases of Spyre: the division of work", "[cases][spyre]")
{
    const int splits = each_row("core_split", [](const Json& row) {
        CHECK(sp::core_split(number(row, "size"), number(row, "max_cores")) == number(row, "result"));
    });
    CHECK(splits == 5);

    const int rows = each_row("work_division_pass3", [](const Json& row) {
        const sp::Work work = matmul_of(row);
        CHECK(sp::units(work, 1) == number(row, "n_sticks"));
        CHECK(sp::units(work, 2) == number(row, "k_sticks"));
        sp::DivideOptions options;
        options.cores = number(row, "cores");
        options.span = INT64_MAX;
        const auto found = sp::divide(work, options);
        REQUIRE(found.has_value());
        CHECK(*found == splits_of(row.at("splits")));
        CHECK(sp::check(work, *found, options).ok());
    });
    CHECK(rows == 45);

    const int documented = each_row("work_division", [](const Json& row) {
        const sp::Work work = matmul_of(row);
        sp::DivideOptions options;
        options.cores = number(row, "cores");
        const auto found = sp::divide(work, options);
        REQUIRE(found.has_value());
        CHECK(*found == splits_of(row.at("final")));
        // core c has part ⌊c/2⌋ of m and part c mod 2 of k, which is fast
        const auto cores = sp::core_layout(work, *found, options);
        REQUIRE(cores.has_value());
        for (std::int64_t m = 0; m < 16; ++m)
            for (std::int64_t k = 0; k < 2; ++k) {
                const axe::Coord c{m * number(row, "M") / 16, 0, k * number(row, "K") / 2};
                CHECK(axe::evaluate(cores->layout, cores->shape, c).value()[axe::Axis("core")] == 2 * m + k);
            }
    });
    CHECK(documented == 1);
}
