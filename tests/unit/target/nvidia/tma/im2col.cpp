// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/im2col.hpp>
#include <catch.hpp>

#include <string>

using axe::Im2colMap;
using axe::TmaRules;

namespace {

/// Images of 3 to 5 dimensions, 64 channels of halves.
Im2colMap images(int rank)
{
    Im2colMap map;
    map.type = axe::TmaType::f16;
    std::int64_t stride = 128;
    map.dims = {64};
    for (int d = 1; d < rank; ++d) {
        map.dims.push_back(100000);
        map.strides.push_back(stride);
        stride += 128;
    }
    for (int d = 0; d < rank - 2; ++d) map.lower.push_back(-1), map.upper.push_back(-1);
    map.channels = 64;
    map.pixels = 128;
    map.swizzle = axe::TmaSwizzle::b128;
    return map;
}

template <class Change>
std::string changed(const Change& change, int rank = 4, const TmaRules& rules = {})
{
    Im2colMap map = images(rank);
    change(map);
    return axe::check(map, rules).error().message().c_str();
}

} // namespace

TEST_CASE("im2col map: 3 to 5 dimensions, and lists as long")
{
    for (const int rank : {3, 4, 5}) CHECK(changed([](Im2colMap&) {}, rank) == "");
    CHECK(changed([](Im2colMap&) {}, 2) == "an im2col map has 3 to 5 dimensions, got 2");
    CHECK(changed([](Im2colMap&) {}, 6) == "an im2col map has 3 to 5 dimensions, got 6");
    CHECK(changed([](Im2colMap& m) { m.strides = {128}; }) == "an im2col map of 4 dimensions has 3 strides, got 1");
    CHECK(changed([](Im2colMap& m) { m.lower = {0}; }) ==
          "the corners of an im2col map have 2 offsets, one for each spatial dimension; got 1 and 2");
    CHECK(changed([](Im2colMap& m) { m.upper = {0, 0, 0}; }) ==
          "the corners of an im2col map have 2 offsets, one for each spatial dimension; got 2 and 3");
    CHECK(changed([](Im2colMap& m) { m.element_strides = {1, 1, 1}; }) ==
          "an im2col map of 4 dimensions has as many element strides, got 3");
}

TEST_CASE("im2col map: the range of corners is that of the number of dimensions")
{
    const std::int64_t ends[] = {32768, 128, 16};
    for (const int rank : {3, 4, 5}) {
        const std::int64_t end = ends[rank - 3];
        const std::string range = "; it must be at least -" + std::to_string(end) + " and below " + std::to_string(end);
        CHECK(changed([&](Im2colMap& m) { m.lower[rank - 3] = -end; }, rank) == "");
        CHECK(changed([&](Im2colMap& m) { m.lower[rank - 3] = end - 1; }, rank) == "");
        CHECK(changed([&](Im2colMap& m) { m.lower[rank - 3] = -end - 1; }, rank) ==
              "lower corner " + std::to_string(rank - 3) + " of an im2col map is " + std::to_string(-end - 1) + range);
        CHECK(changed([&](Im2colMap& m) { m.lower[rank - 3] = end; }, rank) ==
              "lower corner " + std::to_string(rank - 3) + " of an im2col map is " + std::to_string(end) + range);
        CHECK(changed([&](Im2colMap& m) { m.upper[0] = -end; }, rank) == "");
        CHECK(changed([&](Im2colMap& m) { m.upper[0] = end - 1; }, rank) == "");
        CHECK(changed([&](Im2colMap& m) { m.upper[0] = -end - 1; }, rank) ==
              "upper corner 0 of an im2col map is " + std::to_string(-end - 1) + range);
        CHECK(changed([&](Im2colMap& m) { m.upper[0] = end; }, rank) ==
              "upper corner 0 of an im2col map is " + std::to_string(end) + range);
    }
    CHECK(changed([](Im2colMap& m) { m.dims[2] = 10, m.lower[1] = 4, m.upper[1] = -5; }) == "");
    CHECK(changed([](Im2colMap& m) { m.dims[2] = 10, m.lower[1] = 4, m.upper[1] = -6; }) ==
          "the corners 4 and -6 of spatial dimension 1 leave no pixel between them");
}

TEST_CASE("im2col map: channels up to 256, pixels up to 1024")
{
    const auto plain = [](auto change) { return changed([&](Im2colMap& m) { m.swizzle = axe::TmaSwizzle::none, change(m); }); };
    CHECK(plain([](Im2colMap& m) { m.channels = 256; }) == "");
    CHECK(plain([](Im2colMap& m) { m.channels = 257; }) == "an im2col map has 257 channels for a pixel; it must have 1 to 256");
    CHECK(plain([](Im2colMap& m) { m.channels = 8; }) == "");
    for (const std::int64_t channels : {1, 12})
        CHECK(plain([=](Im2colMap& m) { m.channels = channels; }) ==
              "an im2col map has " + std::to_string(channels) +
                  " channels of 16 bits for a pixel; they must be a multiple of 16 bytes");
    CHECK(plain([](Im2colMap& m) { m.channels = 0; }) == "an im2col map has 0 channels for a pixel; it must have 1 to 256");
    CHECK(plain([](Im2colMap& m) { m.pixels = 1024; }) == "");
    CHECK(plain([](Im2colMap& m) { m.pixels = 1025; }) == "an im2col map has 1025 pixels in a column; it must have 1 to 1024");
    CHECK(plain([](Im2colMap& m) { m.pixels = 1; }) == "");
    CHECK(plain([](Im2colMap& m) { m.pixels = 0; }) == "an im2col map has 0 pixels in a column; it must have 1 to 1024");
    const auto padded = [](std::int64_t channels) {
        return changed(
            [=](Im2colMap& m) { m.type = axe::TmaType::u4_align16, m.alignment = 32, m.channels = channels, m.dims[0] = 128; }, 4,
            {100, axe::TmaUse::load, false});
    };
    CHECK(padded(128) == "");
    CHECK(padded(64) == "an im2col map of padded elements has 64 channels for a pixel; it must have 128");
}

TEST_CASE("im2col map: a column is no larger than shared memory")
{
    const auto column = [](std::int64_t pixels) {
        return changed([=](Im2colMap& m) { m.swizzle = axe::TmaSwizzle::none, m.channels = 256, m.pixels = pixels; });
    };
    CHECK(column(456) == "");
    CHECK(column(457) == "the box has 233984 bytes; it must have 233472 at most");
}

TEST_CASE("im2col map: corners are of the dimensions after the channels, of slices from the first on")
{
    // dims 8, 4, 40 and 100000: a corner that leaves no pixel of 8, or of 4, leaves some of the next
    const auto corners = [](axe::TmaInterleave interleave, std::int64_t lower, std::int64_t upper) {
        return changed([=](Im2colMap& m) {
            m.interleave = interleave, m.swizzle = axe::TmaSwizzle::none;
            m.dims = {8, 4, 40, 100000}, m.channels = 8, m.lower[0] = lower, m.upper[0] = upper;
        });
    };
    CHECK(corners(axe::TmaInterleave::none, 2, -2) == "the corners 2 and -2 of spatial dimension 0 leave no pixel between them");
    CHECK(corners(axe::TmaInterleave::b16, 2, -2) == "");
    CHECK(corners(axe::TmaInterleave::b16, 4, -4) == "the corners 4 and -4 of spatial dimension 0 leave no pixel between them");
}

TEST_CASE("im2col map: what it has with a tensor map, it asks as that does")
{
    CHECK(changed([](Im2colMap& m) { m.channels = 72; }) ==
          "a row of the box is 144 bytes; with a swizzle of 128 it must be 128 at most");
    CHECK(changed([](Im2colMap& m) { m.strides[2] += 8; }) ==
          "the stride of dimension 3 of a tensor map is 392 bytes; it must be a multiple of 16");
    CHECK(changed([](Im2colMap& m) { m.alignment = 8; }) ==
          "the global address of a tensor map must be a multiple of 16 bytes, this one is known to be one of 8");
    CHECK(changed([](Im2colMap& m) { m.element_strides = {1, 9, 1, 1}; }) ==
          "the element stride of dimension 1 is 9; it must be 1 to 8");
}
