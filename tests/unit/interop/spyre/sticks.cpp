// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/sticks.hpp>
#include <tests/unit/interop/spyre/said.hpp>

using namespace axe::spyre;
using axe::errc;
using said::refused;
using said::tensor;

TEST_CASE("sticks are decided on the device", "[interop][spyre]")
{
    const View x = view_of(tensor({4, 100}));
    CHECK(stick_dimension(x).value() == 1);
    CHECK(stick_dimension(slice(x, 0, 1, 4).value()).value() == 1); // host offset 100
    CHECK(stick_dimension(slice(x, 1, 64, 100).value()).value() == 1);
    CHECK(stick_dimension(permute(x, {1, 0}).value()).value() == 0);
    CHECK(stick_dimension(select(x, 1, 0).value()).value() == -1);
    CHECK(stick_dimension(select(x, 1, 64).value()).value() == -1);
    CHECK(stick_dimension(select(x, 0, 3).value()).value() == 0);
    CHECK(stick_dimension(slice(x, 1, 0, 0).value()).value() == -1);
    const View wide = view_of(tensor({4, 128}));
    CHECK(stick_dimension(reshape(wide, {512}).value()).value() == 0);
    CHECK(stick_dimension(reshape(wide, {4, 2, 64}).value()).value() == 2);
    CHECK(stick_dimension(view_of(tensor({8, 30}, said::f16, {0, 1, -1}))).value() == -1);
}

TEST_CASE("a view that no operator takes says why", "[interop][spyre]")
{
    const View x = view_of(tensor({4, 100}));
    refused(stick_dimension(slice(x, 1, 32, 96).value()), errc::no_layout,
            "dimension 1 starts at position 32 of a stick of 64, not at 0");
    refused(stick_dimension(slice(x, 1, 0, 100, 2).value()), errc::no_layout,
            "dimension 1 uses only one in 2 elements of its sticks");
    refused(stick_dimension(reshape(x, {4, 10, 10}).value()), errc::no_layout,
            "dimensions 1 and 2 of the view share sticks; only one dimension can be in sticks");
    refused(stick_dimension(reshape(x, {400}).value()), errc::no_layout,
            "dimension 0 leaves its sticks early: element 100 is at position 0 of one");
    refused(stick_dimension(reshape(view_of(tensor({64, 4})), {256, 1}).value()), errc::no_layout,
            "dimension 0 leaves its sticks early: element 4 is at position 0 of one");
    refused(stick_dimension(select(x, 1, 5).value()), errc::no_layout,
            "each stick holds one element, but the first is at position 5, not 0");
}
