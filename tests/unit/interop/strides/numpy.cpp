// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/numpy.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::errc;
using axe::numpy::Array;
using Strides = axe::InlineVector<std::int64_t, axe::max_rank>;

TEST_CASE("NumPy's strides are bytes", "[interop][strides]")
{
    // numpy.zeros((4, 8), "f4"): strides (32, 4); its transpose; [::-1, ::2] from the last row
    CHECK(axe::numpy::to_axe(Array{{4, 8}, {32, 4}, 4, 0}).value() == "32:1"_axe);
    CHECK(axe::numpy::to_axe(Array{{8, 4}, {4, 32}, 4, 0}).value() == "(8,4):(1,8)"_axe);
    CHECK(axe::numpy::to_axe(Array{{4, 4}, {-32, 8}, 4, 96}).value() == "(4,4):(-8,2) + 24@m"_axe);
    CHECK(axe::numpy::to_axe(Array{{3, 4}, {0, 4}, 4, 0}).value() == "(3,4):(0,1)"_axe);
    CHECK(axe::numpy::from_axe("(8,4):(1,8)"_axe, {8, 4}, 4).value() == Array{{8, 4}, {4, 32}, 4, 0});
    CHECK(axe::numpy::from_axe("(4,4):(-8,2) + 24@m"_axe, {4, 4}, 4).value() == Array{{4, 4}, {-32, 8}, 4, 96});
    static_assert(axe::numpy::to_axe(Array{{2}, {8}, 8, 0}).value() == "2:1"_axe);
}

TEST_CASE("strides between items are refused, and are layouts of bytes", "[interop][strides]")
{
    // A field of 4 bytes in records of 6.
    const Array field{{5}, {6}, 4, 0};
    CHECK(axe::numpy::to_axe(field).code() == errc::bad_argument);
    CHECK(std::string(axe::numpy::to_axe(field).error().message().c_str()) ==
          "the stride of dimension 0 is 6 bytes, not a whole number of items of 4");
    CHECK(axe::to_axe(axe::numpy::bytes_of(field)).value() == "5:6"_axe);
    CHECK(axe::numpy::to_axe(Array{{1, 5}, {6, 4}, 4, 0}).value() == "5:1"_axe); // an extent 1 has no stride to speak of
    CHECK(std::string(axe::numpy::to_axe(Array{{5}, {8}, 4, 6}).error().message().c_str()) ==
          "the first element is at byte 6, not a whole number of items of 4");
    CHECK(axe::numpy::to_axe(Array{{5}, {8}, 0, 0}).code() == errc::bad_argument);
    CHECK(axe::numpy::from_axe("4:1"_axe, {4}, 0).code() == errc::bad_argument);
    CHECK(axe::numpy::from_axe("2:1152921504606846976"_axe, {2}, 16).code() == errc::overflow);
    CHECK(axe::numpy::from_axe("2:1 + 1152921504606846976@m"_axe, {2}, 16).code() == errc::overflow);
    CHECK(axe::numpy::to_axe(Array{{0}, {4}, 4, 0}).code() == errc::bad_extent);
    CHECK(axe::numpy::from_axe("(2,2):(1,3)"_axe, {4}, 4).code() == errc::no_layout);
}
