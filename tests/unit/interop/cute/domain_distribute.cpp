// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/domain_distribute.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::domain_distribute;

static_assert(domain_distribute("(15,14):(0,0)"_cute, 6).value() == "(3,2):(1,15)"_cute);

TEST_CASE("cute domain_distribute: threads in a shape")
{
    CHECK(*domain_distribute("(192,(8,8)):(1,(2,3))"_cute, 128) == "(64,2):(1,192)"_cute);
    CHECK(*domain_distribute("(192,(8,8)):(0,(0,0))"_cute, 1024) == "(64,16):(1,192)"_cute);
    CHECK(*domain_distribute("((64,3)):((0,0))"_cute, 128) == "64:1"_cute); // two threads to a place are left
    CHECK(*domain_distribute("7:1"_cute, 5) == "1:0"_cute);
    CHECK(domain_distribute("7:1"_cute, 0).code() == axe::errc::bad_argument);
    CHECK(domain_distribute(axe::cute::Layout{}, 4).code() == axe::errc::capacity);
}
