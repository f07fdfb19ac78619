// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/convolution.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

namespace {

/// One spatial dimension: batches, features and space in this order everywhere.
Convolution lines(const WindowDimension& w = {}, std::int64_t feature_groups = 1, std::int64_t batch_groups = 1)
{
    return {{w}, {0, 1, {2}, 0, 1, {2}, 0, 1, {2}}, feature_groups, batch_groups};
}

} // namespace

TEST_CASE("maps of convolution: the window and then the features are range variables")
{
    const auto o = lines().maps({{2, 3, 10}, {3, 4, 3}});
    CHECK(shape(o) == IndexShape{2, 4, 8});
    CHECK(from_output(o, 0) == "(d0, d1, d2)[s0, s1] -> (d0, s1, d2 + s0), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 7], "
                               "s0 in [0, 2], s1 in [0, 2]");
    CHECK(from_output(o, 1) == "(d0, d1, d2)[s0, s1] -> (s1, d1, s0), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 7], "
                               "s0 in [0, 2], s1 in [0, 2]");
    CHECK(to_output(o, 0) == "(d0, d1, d2)[s0, s1] -> (d0, s1, d2 - s0), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 9], "
                             "s0 in [0, 2], s1 in [0, 3], d2 - s0 in [0, 7]");
    CHECK(to_output(o, 1) == "(d0, d1, d2)[s0, s1] -> (s0, d1, s1), domain: d0 in [0, 2], d1 in [0, 3], d2 in [0, 2], "
                             "s0 in [0, 1], s1 in [0, 7]");
}

TEST_CASE("maps of convolution: strides, padding, both dilations, reversed")
{
    const auto o = lines({1, 2, 1, 1, 2, 3, true}).maps({{2, 3, 10}, {3, 4, 3}});
    CHECK(shape(o) == IndexShape{2, 4, 13});
    CHECK(from_output(o, 0) == "(d0, d1, d2)[s0, s1] -> (d0, s1, (d2 * 2 + s0 * 2 - 1) floordiv 3), domain: d0 in [0, 1], "
                               "d1 in [0, 3], d2 in [0, 12], s0 in [0, 2], s1 in [0, 2], d2 * 2 + s0 * 2 - 1 in [0, 27], "
                               "(d2 * 2 + s0 * 2 - 1) mod 3 in [0, 0]");
    CHECK(from_output(o, 1) == "(d0, d1, d2)[s0, s1] -> (s1, d1, -s0 + 2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 12], "
                               "s0 in [0, 2], s1 in [0, 2]");
}

TEST_CASE("maps of convolution: groups of features and of batches")
{
    CHECK(from_output(lines({}, 3).maps({{2, 6, 10}, {2, 9, 3}})) ==
          "(d0, d1, d2)[s0, s1] -> (d0, (d1 floordiv 3) * 2 + s1, d2 + s0), domain: d0 in [0, 1], d1 in [0, 8], d2 in [0, 7], "
          "s0 in [0, 2], s1 in [0, 1]");
    const auto o = lines({}, 1, 2).maps({{4, 3, 10}, {3, 6, 3}});
    CHECK(shape(o) == IndexShape{2, 6, 8});
    CHECK(from_output(o) == "(d0, d1, d2)[s0, s1] -> ((d1 floordiv 3) * 2 + d0, s1, d2 + s0), domain: d0 in [0, 1], d1 in [0, 5], "
                            "d2 in [0, 7], s0 in [0, 2], s1 in [0, 2]");
    CHECK(to_output(o) == "(d0, d1, d2)[s0, s1] -> (d0 mod 2, (d0 floordiv 2) * 3 + s1, d2 - s0), domain: d0 in [0, 3], "
                          "d1 in [0, 2], d2 in [0, 9], s0 in [0, 2], s1 in [0, 2], d2 - s0 in [0, 7]");
}

TEST_CASE("maps of convolution: refusals")
{
    CHECK(why(lines({}, 3).maps({{2, 6, 10}, {2, 8, 3}})) ==
          "size_mismatch 1: the kernel has 8 output features, which 3 groups do not divide");
    CHECK(why(lines({}, 3).maps({{2, 5, 10}, {2, 9, 3}})) ==
          "size_mismatch 0: the input has 5 features, which 3 groups do not divide");
    CHECK(why(lines({}, 1, 2).maps({{3, 3, 10}, {3, 6, 3}})) ==
          "size_mismatch 0: the input has 3 batches, which 2 groups do not divide");
    CHECK(why(lines({}, 3).maps({{2, 6, 10}, {3, 9, 3}})) == "size_mismatch 1: dimension 0 of operand 1 must be 2");
    for (const std::int64_t groups : {0, 2})
        CHECK(why(lines({}, groups, 2).maps({{4, 4, 10}, {2, 4, 3}})) ==
              "bad_argument -1: there are " + std::to_string(groups) +
                  " feature and 2 batch groups; both must be 1 or more, and one of them 1");
    CHECK(why(lines().maps({{4, 3, 10}, {3, 6}})) == "rank_mismatch 1: operand 1 has 2 dimensions; it must have 3");
    CHECK(why(lines({1, 0}).maps({{4, 3, 10}, {3, 6, 3}})) ==
          "bad_argument 0: the window of dimension 0 has stride 0; it must be 1 or more");
    Convolution o = lines();
    o.dimensions.input_spatial = {1};
    CHECK(why(o.maps({{4, 3, 10}, {3, 6, 3}})) == "bad_argument 0: dimension 1 is named twice");
    o.dimensions.input_spatial = {};
    CHECK(why(o.maps({{4, 3, 10}, {3, 6, 3}})) ==
          "rank_mismatch -1: an attribute has 0 entries; it must have one for each of 1 dimension");
}
