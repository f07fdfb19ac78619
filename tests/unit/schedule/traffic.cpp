// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/schedule/collective/traffic.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

using namespace axe;
using namespace axe::literals;

namespace {

/// What one device and all receive.
std::pair<std::int64_t, std::int64_t> of(const Result<Traffic, Problem>& traffic)
{
    REQUIRE(traffic);
    return {traffic->most, traffic->total};
}
using Two = std::pair<std::int64_t, std::int64_t>;

} // namespace

TEST_CASE("traffic_of_copy: elements that a device wants and does not have")
{
    CHECK(of(traffic_of_copy("8:1"_axe, "8:1"_axe)) == Two{0, 0});
    CHECK(of(traffic_of_copy("8:1"_axe, "8:1 + [4:1@gpuid]"_axe)) == Two{8, 24});
    CHECK(of(traffic_of_copy("(4,2):(1@gpuid,1)"_axe, "8:1 + [4:1@gpuid]"_axe)) == Two{6, 24});
    CHECK(of(traffic_of_copy("8:1 + [4:1@gpuid]"_axe, "(4,2):(1@gpuid,1)"_axe)) == Two{0, 0});
    CHECK(of(traffic_of_copy("(4,4):(1@gpuid,1)"_axe, "(4,4):(1,1@gpuid)"_axe)) == Two{3, 12});
    CHECK(of(traffic_of_copy("(4,2):(1@gpuid,1)"_axe, "8:1 + 2@gpuid"_axe)) == Two{6, 6});
    // halves, then quarters: device 1 has 4 to 7 and wants 2 and 3, devices 2 and 3 have nothing
    CHECK(of(traffic_of_copy("(2,4):(1@gpuid,1)"_axe, "(4,2):(1@gpuid,1)"_axe)) == Two{2, 6});
    // digits that do not divide each other: thirds and halves of six, element by element
    CHECK(of(traffic_of_copy("(2,3):(1@gpuid,1)"_axe, "(3,2):(1@gpuid,1)"_axe)) == Two{2, 3});
    // what stays on a device does not count: 2^60 elements each way
    CHECK(of(traffic_of_copy("(2,1152921504606846976):(1@gpuid,1)"_axe, "2305843009213693952:1 + [2:1@gpuid]"_axe)) ==
          Two{1152921504606846976, 2305843009213693952});
}

TEST_CASE("traffic_of_reduction: elements of which a device does not have all terms")
{
    const InlineVector<int, max_rank> first{0};
    CHECK(of(traffic_of_reduction("(4,8):(1@gpuid,1)"_axe, {4, 8}, first, "8:1 + [4:1@gpuid]"_axe)) == Two{8, 32});
    CHECK(of(traffic_of_reduction("(4,8):(1@gpuid,1)"_axe, {4, 8}, first, "(4,2):(1@gpuid,1)"_axe)) == Two{2, 8});
    CHECK(of(traffic_of_reduction("(4,8):(1@gpuid,1)"_axe, {4, 8}, first, "8:1"_axe)) == Two{8, 8});
    CHECK(of(traffic_of_reduction("(4,8):(8,1)"_axe, {4, 8}, first, "8:1"_axe)) == Two{0, 0});
    CHECK(of(traffic_of_reduction("(4,8):(8,1)"_axe, {4, 8}, first, "8:1 + 1@gpuid"_axe)) == Two{8, 8});
}

TEST_CASE("traffic_of_copy: what is refused")
{
    CHECK(traffic_of_copy("8388608:1@gpuid"_axe, "8388608:1"_axe).error().code == errc::too_hard);
    const auto far = traffic_of_copy("4611686018427387904:1"_axe, "4611686018427387904:1 + [4:1@gpuid]"_axe);
    CHECK(far.error().code == errc::overflow);
    CHECK(far.error().text == "the number of elements that all devices receive overflows");
}
