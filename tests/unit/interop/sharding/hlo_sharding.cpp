// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/hlo_sharding.hpp>
#include <tests/random.hpp>
#include <tests/unit/interop/sharding/orders.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using Kind = HloSharding::Kind;

namespace {

HloSharding tiled(const Shape& tile, const DeviceOrder& order, std::int64_t first = 0)
{
    HloSharding out;
    out.kind = Kind::tiled;
    out.tile = tile;
    out.order = order;
    out.first = first;
    return out;
}

void refused(const HloSharding& hlo, errc code, int position, std::string_view sentence)
{
    const axe::Status e = check(hlo);
    said::refused(e, code, sentence);
    CHECK(e.error().position == position);
}

} // namespace

TEST_CASE("check of an HLO sharding: each number of a range once, as many as tiles, by enumeration")
{
    laws::Random random(31);
    int seen[4]{};
    for (int trial = 0; trial < 40'000; ++trial) {
        DeviceOrder steps;
        for (auto i = random.in(0, 3); i > 0; --i) steps.push_back(Iter(random.in(1, 3), random.in(-9, 9)));
        Shape tile;
        for (auto i = random.in(0, 3); i > 0; --i) tile.push_back(random.in(1, 3));
        const std::int64_t first = random.in(-1, 9);
        const auto devices = orders::listed(steps, first);
        const std::set<std::int64_t> numbers(devices.begin(), devices.end());
        const bool range = numbers.size() == devices.size() &&
                           *numbers.rbegin() - *numbers.begin() + 1 == static_cast<std::int64_t>(numbers.size());
        std::int64_t tiles = 1;
        for (const std::int64_t n : tile) tiles *= n;
        const errc expected = !range                                               ? errc::no_layout
                              : *numbers.begin() < 0                               ? errc::out_of_domain
                              : tiles != static_cast<std::int64_t>(devices.size()) ? errc::size_mismatch
                                                                                   : errc::ok;
        INFO(orders::joined(devices) << " for " << tiles << " tiles");
        REQUIRE(check(tiled(tile, steps, first)).code() == expected);
        ++seen[expected == errc::no_layout ? 0 : expected == errc::out_of_domain ? 1 : expected == errc::size_mismatch ? 2 : 3];
    }
    for (const int count : seen) CHECK(count > 100);
}

TEST_CASE("check of an HLO sharding: kinds without tiles")
{
    for (const Kind kind : {Kind::replicated, Kind::manual, Kind::unknown, Kind::unreduced}) {
        HloSharding hlo;
        hlo.kind = kind;
        hlo.device = -1; // counts of maximal alone
        hlo.tile = {0};
        CHECK(check(hlo).ok());
    }
    HloSharding one;
    one.kind = Kind::maximal;
    CHECK(check(one).ok());
    one.device = INT64_MAX;
    CHECK(check(one).ok());
    one.device = -1;
    refused(one, errc::out_of_domain, -1, "device -1 has a number below 0");
}

TEST_CASE("check of an HLO sharding: subgroups are the last dimensions, of three kinds")
{
    auto hlo = tiled({1, 2, 2}, {Iter(4, 1)});
    for (const Kind kind : {Kind::replicated, Kind::manual, Kind::unreduced}) {
        hlo.subgroups = {Kind::manual, kind};
        CHECK(check(hlo).ok());
    }
    for (const Kind kind : {Kind::maximal, Kind::unknown, Kind::tiled}) {
        hlo.subgroups = {Kind::manual, kind};
        refused(hlo, errc::bad_argument, 1, "subgroup 1 is not replicated, manual or unreduced");
    }
    hlo = tiled({4}, {Iter(4, 1)});
    hlo.subgroups = {Kind::manual, Kind::replicated};
    refused(hlo, errc::rank_mismatch, -1, "2 subgroups are more than the 1 dimension of the tile assignment");
}

TEST_CASE("check of an HLO sharding: refusals, and where they are")
{
    refused(tiled({2, 0, -1}, {Iter(2, 1)}), errc::bad_extent, 1,
            "dimension 1 of the tile assignment has 0 tiles; it must have at least 1");
    refused(tiled({2, INT64_MAX}, {Iter(2, 1)}), errc::overflow, 1, "the number of tiles overflows at dimension 1");
    refused(tiled({2}, {Iter(2, 1), Iter(0, 5)}), errc::bad_extent, -1,
            "a step through the devices has extent 0; it must be at least 1");
    refused(tiled({2}, {Iter(2, INT64_MIN)}), errc::overflow, -1, "the numbers of the devices overflow");
    refused(tiled({2}, {Iter(2, -1)}), errc::out_of_domain, -1, "device -1 has a number below 0");
    refused(tiled({2}, {Iter(2, 3)}), errc::no_layout, -1,
            "the steps cover 1 consecutive devices, then advance by 3; a mesh has each number of a range once");
    refused(tiled({3}, {Iter(2, 1)}), errc::size_mismatch, -1, "the tile assignment has 3 tiles for 2 devices");
    HloSharding full = tiled({}, {});
    const char* capacity = "the tile assignment needs more than 16 dimensions or steps";
    full.tile.count = max_rank + 1;
    refused(full, errc::capacity, max_rank, capacity);
    full = tiled({}, {});
    full.subgroups.count = 4;
    refused(full, errc::capacity, max_rank, capacity);
    full = tiled({}, {});
    full.order.count = max_mesh_axes + 1;
    refused(full, errc::capacity, max_rank, capacity);
}
