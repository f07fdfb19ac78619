// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

using namespace axe::literals;

TEST_CASE("preimage: replicas whose strides overlap too much to be decided are too hard, and fewer are decided", "[preimage]")
{
    const axe::Point place{{"m", 3000123456}};
    const auto six = axe::preimage(
        "1:1 + [1000000:1000003,1000000:1000033,1000000:1000037,1000000:1000039,1000000:1000081,1000000:1000099]"_axe, {1}, place);
    CHECK(six.error().code == axe::errc::too_hard);
    const auto three = axe::preimage("1:1 + [1000000:1000003,1000000:1000033,1000000:1000037]"_axe, {1}, place);
    CHECK(three.error().ok());
    CHECK(three.empty());
}
