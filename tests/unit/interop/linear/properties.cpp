// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/properties.hpp>
#include <tests/unit/interop/linear/read.hpp>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

static_assert(*rank(line("a=[1,2,3] -> x:4")) == 2);
static_assert(is_surjective(line("a=[1,2,3] -> x:4")) && !is_injective(line("a=[1,2,3] -> x:4")));

TEST_CASE("linear: properties and their witnesses")
{
    CHECK(is_injective(line("a=[1,3,3,2] -> x:4")).witness() == 4);
    CHECK(is_surjective(line("a=[1,3,4] -> x:16")).witness() == 8);
    CHECK(is_invertible(line("a=[1,3] -> x:4")));
    CHECK(!is_invertible(line("a=[1] -> x:4")));
    CHECK(!is_invertible(line("a=[1,0] -> x:2")));
    CHECK(is_invertible(line("->")));
    const auto masks = *free_variable_masks(line("register=[1,0] lane=[2,3,0] warp=[] -> x:4"));
    REQUIRE(masks.size() == 3);
    CHECK(masks[0] == 2);
    CHECK(masks[1] == 6);
    CHECK(masks[2] == 0);
    LinearLayout broken;
    broken.bases.push_back(0);
    CHECK(rank(broken).code() == errc::size_mismatch);
    CHECK(free_variable_masks(broken).code() == errc::size_mismatch);
    for (const axe::Decision& v : {is_injective(broken), is_surjective(broken), is_invertible(broken), is_trivial_over(broken, {})})
        CHECK(v.error().code == errc::size_mismatch);
}

TEST_CASE("linear: trivial over some dimensions")
{
    const LinearLayout l = line("register=[(1,0,0)] lane=[(0,0,1)] block=[(0,1,0),(0,2,0)] -> register:2 block:4 warp:2");
    CHECK(is_trivial_over(l, {"register", "block"}));
    CHECK(is_trivial_over(l, {}));
    CHECK(!is_trivial_over(l, {"lane"}));   // no output
    CHECK(!is_trivial_over(l, {"warp"}));   // no input
    CHECK(!is_trivial_over(l, {"thread"})); // neither
    CHECK(is_trivial_over(line("a=[1,2] -> a:4"), {"a"}));
    CHECK(is_trivial_over(line("a=[2,1] -> a:4"), {"a"}).witness() == 1);                 // not the identity
    CHECK(!is_trivial_over(line("a=[1] -> a:4"), {"a"}));                                 // another size
    CHECK(!is_trivial_over(line("a=[(1,1)] b=[(0,1)] -> a:2 b:2"), {"a"}));               // goes elsewhere too
    CHECK(is_trivial_over(line("a=[(1,0)] b=[(1,1)] -> a:2 b:2"), {"a"}).witness() == 2); // another comes here
    axe::linear::Names nine;
    nine.count = 9;
    refused(is_trivial_over(l, nine), errc::capacity, 8, "at most 8 dimensions can be named, not 9");
}
