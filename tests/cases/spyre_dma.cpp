// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>
#include <catch.hpp>
#include <tests/cases/spyre_rows.hpp>

#include <map>
#include <vector>

/// Every row of data/spyre.jsonl on transfers: nests, round trips on explicit layouts, restickification.
namespace {

using namespace axe::spyre;
using axe::Shape;
using spyre_cases::each_row, spyre_cases::Json, spyre_cases::list;

std::vector<Json> rows(const std::string& kind)
{
    std::vector<Json> out;
    each_row(kind, [&](const Json& row) { out.push_back(row); });
    return out;
}

axe::Strided host(const Json& row)
{
    const auto sizes = list<Shape>(row.at("host_size"));
    return row.contains("host_stride") ? axe::Strided{sizes, list<Strides>(row.at("host_stride")), 0} : contiguous(sizes);
}
DataFormat format(const Json& row) { return torch_type(row.at("dtype").get<std::string>()).value().format; }

/// To the device and back, by 16-bit elements: each element comes home, nothing else is touched.
bool comes_back(const Tensor& t)
{
    axe::RelayoutOptions options;
    options.from_type = options.to_type = axe::DType::i16;
    const auto there = plan_to_device(t, options), back = plan_to_host(t, options);
    if (!there || !back) return false;
    std::size_t reach = static_cast<std::size_t>(t.torch.offset) + 1;
    for (int d = 0; d < t.torch.shape.size(); ++d) reach += static_cast<std::size_t>((t.torch.shape[d] - 1) * t.torch.strides[d]);
    std::vector<std::int16_t> home(reach), device(static_cast<std::size_t>(storage_bytes(t.device).value())), again(reach, -1);
    for (std::size_t i = 0; i < home.size(); ++i) home[i] = static_cast<std::int16_t>(i % 30000);
    if (!there->run(device.data(), 2 * device.size(), home.data(), 2 * home.size()).ok()) return false;
    if (!back->run(again.data(), 2 * again.size(), device.data(), 2 * device.size()).ok()) return false;
    std::size_t right = 0, left = 0;
    for (std::size_t i = 0; i < home.size(); ++i) (again[i] == -1 ? left : right) += again[i] == home[i] || again[i] == -1;
    const std::int64_t elements = element_count(t.torch).value();
    return right == static_cast<std::size_t>(elements) && left + right == reach;
}

} // namespace

TEST_CASE("facts: the nests of a transfer, in order, and as JSON", "[cases][spyre]")
{
    int count = 0;
    for (const Json& row : rows("constructor+dma")) {
        INFO(row);
        const auto type = torch_type(row.at("dtype").get<std::string>()).value();
        const auto t = make_tensor(host(row), type.format, list<DimOrder>(row.at("dim_order"))).value();
        const auto d = dma(t).value();
        REQUIRE(d.nests.size() == static_cast<int>(row.at("dma").size()));
        for (int i = 0; i < d.nests.size(); ++i) {
            const Json& nest = row.at("dma")[static_cast<std::size_t>(i)];
            CHECK(d.nests[i].ranges == list<Shape>(nest.at("ranges")));
            CHECK(d.host_strides == list<Strides>(nest.at("host_strides")));
            CHECK(d.device_strides == list<Strides>(nest.at("device_strides")));
            CHECK(d.nests[i].host_offset == nest.at("host_offset").get<std::int64_t>());
            CHECK(d.nests[i].device_offset == nest.at("device_offset").get<std::int64_t>());
        }
        const auto described = dci(t, t.torch, type, count % 2 == 0).value();
        const std::string text = to_json(described);
        CHECK(parse_dci(text).value() == described);
        const Json parsed = Json::parse(text);
        auto size = list<std::vector<std::int64_t>>(parsed.at("dcsi_")[0].at("size_"));
        std::reverse(size.begin(), size.end());
        CHECK(size == list<std::vector<std::int64_t>>(row.at("dma")[0].at("ranges")));
        if (count % 8 == 0) CHECK(comes_back(t));
        ++count;
    }
    CHECK(count == 392);
}

TEST_CASE("facts: explicit layouts of any kind give every element back", "[cases][spyre]")
{
    int count = 0;
    for (const Json& row : rows("explicit_roundtrip")) {
        INFO(row);
        const axe::SpyreLayout layout{list<Shape>(row.at("device_size")), list<Strides>(row.at("stride_map")), format(row)};
        CHECK(comes_back(place(host(row), layout).value()));
        ++count;
    }
    CHECK(count == 25);
}

TEST_CASE("facts: restickified is what the order with two entries changed makes", "[cases][spyre]")
{
    int count = 0;
    for (const Json& row : rows("restickify")) {
        INFO(row);
        const auto order = list<DimOrder>(row.at("dim_order")), changed = with_stick(order, row.at("new_stick").get<int>()).value();
        CHECK(changed == list<DimOrder>(row.at("same_as_dim_order")));
        const auto from = make_tensor(host(row), format(row), order).value(),
                   to = make_tensor(host(row), format(row), changed).value();
        CHECK(from.device.device_size == list<Shape>(row.at("src")[0]));
        CHECK(from.device.stride_map == list<Strides>(row.at("src")[1]));
        CHECK(to.device.device_size == list<Shape>(row.at("dst")[0]));
        CHECK(to.device.stride_map == list<Strides>(row.at("dst")[1]));
        const auto plan = plan_restickify(to, from).value();
        std::vector<std::int16_t> before(static_cast<std::size_t>(storage_bytes(from.device).value()) / 2),
            after(static_cast<std::size_t>(storage_bytes(to.device).value()) / 2, -1);
        for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::int16_t>(i);
        REQUIRE(plan.run(after.data(), 2 * after.size(), before.data(), 2 * before.size()).ok());
        for (const Json& move : row.at("moves")) CHECK(after[move[2].get<std::size_t>()] == before[move[1].get<std::size_t>()]);
        CHECK(static_cast<std::int64_t>(after.size()) - std::count(after.begin(), after.end(), std::int16_t{-1}) ==
              element_count(to.torch).value());
        ++count;
    }
    CHECK(count == 17);
}
