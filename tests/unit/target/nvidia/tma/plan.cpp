// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/print.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using axe::Layout;
using axe::Region;
using axe::Shape;
using axe::Swizzle;
using axe::TmaRequest;
using axe::TmaType;
using axe::TmaUse;

namespace {

constexpr Swizzle b128{3, 4, 3};

/// A tile of a matrix of halves in row-major order into shared memory.
TmaRequest tile(const Layout& shared, const Shape& shape, const Swizzle& swizzle, const Region& region)
{
    TmaRequest r;
    r.type = TmaType::f16;
    r.global = "(8192,4096):(4096,1)"_axe;
    r.global_shape = {8192, 4096};
    r.global_region = region;
    r.shared = {swizzle, axe::Axis{}, 2, shared};
    r.shared_shape = shape;
    return r;
}

std::string planned(const TmaRequest& r)
{
    const auto plan = axe::plan_tma(r);
    return plan ? axe::print(*plan) : plan.error().message().c_str();
}

template <class Change>
std::string changed(TmaRequest r, const Change& change)
{
    change(r);
    return planned(r);
}

} // namespace

TEST_CASE("TMA plan: a tile whose rows are the span of the swizzle")
{
    CHECK(planned(tile("(128,64):(64,1)"_axe, {128, 64}, b128, {{128, 256}, {64, 128}})) ==
          "f16 (4096,8192):(2,8192) box (64,128) swizzle 128B\n"
          "1 copy of 16384 bytes, shared memory aligned to 1024\n"
          "(64,128) at byte 0");
    const auto plan = axe::plan_tma(tile("(128,64):(64,1)"_axe, {128, 64}, b128, {{128, 256}, {64, 128}}));
    CHECK(plan->bytes == 128 * 64 * 2);
}

TEST_CASE("TMA plan: a row of two spans is two digits of one box, side by side or one below the other")
{
    CHECK(planned(tile("(128,128):(128,1)"_axe, {128, 128}, b128, {{0, 128}, {256, 384}})) ==
          "f16 (64,64,8192):(2,128,8192) box (64,2,128) swizzle 128B\n"
          "1 copy of 32768 bytes, shared memory aligned to 1024\n"
          "(0,4,0) at byte 0");
    CHECK(planned(tile("(128,2,64):(64,8192,1)"_axe, {128, 128}, b128, {{0, 128}, {256, 384}})) ==
          "f16 (64,8192,64):(2,8192,128) box (64,128,2) swizzle 128B\n"
          "1 copy of 32768 bytes, shared memory aligned to 1024\n"
          "(0,0,4) at byte 0");
}

TEST_CASE("TMA plan: what is apart in shared memory is a copy each, with coordinates of the tensor")
{
    // Two stages of 64 columns, each at a multiple of 16 KiB with a gap between.
    CHECK(planned(tile("(64,2,64):(64,16384,1)"_axe, {64, 128}, b128, {{64, 128}, {128, 256}})) ==
          "f16 (4096,8192):(2,8192) box (64,64) swizzle 128B\n"
          "2 copies of 8192 bytes, shared memory aligned to 1024\n"
          "(128,64) at byte 0\n"
          "(192,64) at byte 32768");
    // A part of a larger tensor in shared memory.
    CHECK(changed(tile("(4,64,64):(4096,64,1)"_axe, {4, 64, 64}, b128, {{0, 64}, {0, 64}}),
                  [](TmaRequest& r) { r.shared_region = {{2, 3}, {0, 64}, {0, 64}}; }) ==
          "f16 (4096,8192):(2,8192) box (64,64) swizzle 128B\n"
          "1 copy of 8192 bytes, shared memory aligned to 1024\n"
          "(0,0) at byte 16384");
}

TEST_CASE("TMA plan: core matrices without a swizzle")
{
    // 8 × 16 bytes after each other: rows within, then columns.
    CHECK(planned(tile("(8,8,8,8):(64,8,512,1)"_axe, {64, 64}, {}, {{0, 64}, {64, 128}})) ==
          "f16 (8,8192,512):(2,8192,16) box (8,64,8)\n"
          "1 copy of 8192 bytes, shared memory aligned to 128\n"
          "(0,0,8) at byte 0");
}

TEST_CASE("TMA plan: more than 256 elements of a row are two digits, or wider elements")
{
    const TmaRequest r = tile("(4,512):(512,1)"_axe, {4, 512}, {}, {{0, 4}, {512, 1024}});
    CHECK(planned(r) == "f16 (256,16,8192):(2,512,8192) box (256,2,4)\n"
                        "1 copy of 4096 bytes, shared memory aligned to 128\n"
                        "(0,2,0) at byte 0");
    // 16 does not divide the start by the halves' 256, but it does the wider elements'.
    CHECK(changed(r, [](TmaRequest& q) { q.global_region = {{0, 4}, {16, 528}}; }) ==
          "u32 (2048,8192):(4,8192) box (256,4), an element is 2 of the tensor\n"
          "1 copy of 4096 bytes, shared memory aligned to 128\n"
          "(8,0) at byte 0");
}

TEST_CASE("TMA plan: a region beyond the edge is filled, in dimensions that the box does not take apart")
{
    CHECK(planned(tile("(128,64):(64,1)"_axe, {128, 64}, b128, {{8128, 8256}, {4064, 4128}})) ==
          "f16 (4096,8192):(2,8192) box (64,128) swizzle 128B\n"
          "1 copy of 16384 bytes, shared memory aligned to 1024\n"
          "(4064,8128) at byte 0");
    const auto before = [](TmaUse use) {
        return changed(tile("(128,64):(64,1)"_axe, {128, 64}, b128, {{-1, 127}, {0, 64}}),
                       [&](TmaRequest& r) { r.rules.use = use; });
    };
    CHECK(before(TmaUse::load).substr(0, 50) == "f16 (4096,8192):(2,8192) box (64,128) swizzle 128B");
    CHECK(before(TmaUse::store) == "coordinate 1 of a TMA store is -1; those of stores are at least 0");
    CHECK(changed(tile("(2,128,64):(8192,64,1)"_axe, {2, 128, 64}, b128, {}), [](TmaRequest& r) {
              r.global = "(4000,2,128):(256,1,2)"_axe; // row r of half h
              r.global_shape = {4000, 2, 128};
              r.global_region = {{0, 2}, {0, 2}, {0, 64}};
              r.shared_shape = {2, 2, 64};
              r.shared.layout = "(2,2,64):(128,64,1)"_axe;
          }) == "elements that are adjacent in shared memory are 2 apart in global memory; they must be adjacent");
}

TEST_CASE("TMA plan: a tensor of tiles is of as many dimensions")
{
    TmaRequest r = tile("(64,64):(64,1)"_axe, {64, 64}, b128, {{64, 128}, {128, 192}});
    r.global = "(16,64,8,64):(32768,64,4096,1)"_axe; // tiles of 64 × 64, each contiguous
    r.global_shape = {1024, 512};
    CHECK(planned(r) == "f16 (64,64,8,16):(2,128,8192,65536) box (64,64,1,1) swizzle 128B\n"
                        "1 copy of 8192 bytes, shared memory aligned to 1024\n"
                        "(0,0,2,1) at byte 0");
    r.global_region = {{32, 96}, {128, 192}}; // it begins within a tile: rows are apart in both halves
    CHECK(planned(r) == "f16 (64,32,2):(2,128,61440) box (64,32,2) swizzle 128B from byte 20480\n"
                        "1 copy of 8192 bytes, shared memory aligned to 1024\n"
                        "(0,0,0) at byte 0");
}

TEST_CASE("TMA plan: columns that run backwards are loops")
{
    TmaRequest r = tile("(8,64):(64,1)"_axe, {8, 64}, b128, {{0, 8}, {0, 64}});
    r.global = "(8192,4096):(-4096,1)"_axe;
    *r.global.offset.entry(axe::Axis{}) = 8191 * 4096;
    CHECK(planned(r) == "f16 (4096,8192):(2,8192) box (64,1) swizzle 128B\n"
                        "8 copies of 128 bytes, shared memory aligned to 1024\n"
                        "(0,8191) at byte 0\n(0,8190) at byte 128\n(0,8189) at byte 256\n(0,8188) at byte 384\n"
                        "(0,8187) at byte 512\n(0,8186) at byte 640\n(0,8185) at byte 768\n(0,8184) at byte 896");
}

TEST_CASE("TMA plan: why there is none")
{
    const TmaRequest good = tile("(128,64):(64,1)"_axe, {128, 64}, b128, {{128, 256}, {64, 128}});
    REQUIRE(axe::plan_tma(good).ok());
    const auto says = [&](auto change) { return changed(good, change); };

    CHECK(says([](TmaRequest& r) { r.shared.layout.replica = {{2, 8192, {}}}; }) ==
          "the shared layout of a TMA copy has replicas; it must have one place for each element");
    CHECK(says([](TmaRequest& r) { r.global.replica = {{2, 1 << 25, {}}}; }) ==
          "the global layout of a TMA copy has replicas; it must have one place for each element");
    CHECK(says([](TmaRequest& r) { r.shared.layout = "(128,64):(1@lane,1)"_axe; }) ==
          "iter 0 of the shared layout of a TMA copy is not on the axis of its memory");
    CHECK(says([](TmaRequest& r) { r.global = "(8192,4096):(4096,1@warp)"_axe; }) ==
          "iter 1 of the global layout of a TMA copy is not on the axis of its memory");
    CHECK(says([](TmaRequest& r) { *r.global.offset.entry("warp") = 1; }) ==
          "an offset of a layout of a TMA copy is not on the axis of its memory");
    CHECK(says([](TmaRequest& r) { r.global_region = {{128, 256}, {64, 192}}; }) ==
          "dimension 1 of the global region has 128 elements, its part in shared memory 64");
    CHECK(says([](TmaRequest& r) { r.global_region = {{128, 256}, {64, 65}}; }) ==
          "the global region of a TMA copy has 2 dimensions, that in shared memory 2");
    CHECK(says([](TmaRequest& r) { r.global_region = {{128, 256}}; }) == "the region has 1 interval, the shape 2 dimensions");
    CHECK(says([](TmaRequest& r) { r.global_region[0] = {128, 128}; }) ==
          "the interval [128, 128) of dimension 0 of a TMA copy is empty");
    CHECK(says([](TmaRequest& r) { r.global_region[0] = {-1 - (std::int64_t{1} << 32), 128}; }) ==
          "the interval [-4294967297, 128) of dimension 0 of a TMA copy is not within 2^32 of 0");
    CHECK(says([](TmaRequest& r) { r.shared_region = {{0, 128}, {0, std::int64_t{1} << 62}}; }) ==
          "the interval [0, 4611686018427387904) of dimension 1 of a TMA copy is not within 2^32 of 0");
    CHECK(says([](TmaRequest& r) { r.global.shard[0].stride = std::int64_t{1} << 42; }) ==
          "the addresses of a layout of a TMA copy are not below 2^55");
    CHECK(says([](TmaRequest& r) { r.global.shard[0].stride = (std::int64_t{1} << 42) - 4096; }) ==
          "the stride of dimension 1 of a tensor map is 8796093014016 bytes; it must be 0 to 2^40 - 1");
    CHECK(says([](TmaRequest& r) { r.shared.width = 4; }) == "elements of the shared layout have 4 bytes, those of the TMA copy 2");
    CHECK(says([](TmaRequest& r) { r.shared.layout = "(128,64):(0,1)"_axe; }) ==
          "two elements of the shared layout of a TMA load are in one place");
    CHECK(says([](TmaRequest& r) { r.rules.use = TmaUse::store, r.global = "(8192,4096):(0,1)"_axe; }) ==
          "two elements of the global layout of a TMA store are in one place");
    // Of the region alone: one row of a tensor whose rows are all the same may be stored.
    CHECK(says([](TmaRequest& r) {
              r.rules.use = TmaUse::store, r.global = "(8192,4096):(0,1)"_axe;
              r.global_region = {{5, 6}, {64, 128}}, r.shared_shape = {64}, r.shared.layout = "64:1"_axe;
          }) == "f16 (4096,8192):(2,0) box (64,1) swizzle 128B\n"
                "1 copy of 128 bytes, shared memory aligned to 1024\n"
                "(64,5) at byte 0");
    CHECK(says([](TmaRequest& r) { r.shared.swizzle = {3, 3, 3}; }) ==
          "swizzle<3,3,3> is not one of a tensor map: they are <1,4,3>, <2,4,3>, <3,4,3>, and from sm100 <2,5,2> and <1,6,1>");
    CHECK(says([](TmaRequest& r) { r.shared.swizzle = {1, 6, 1}; }) == "this swizzle of 128 bytes is of sm100 and later, got sm90");
    CHECK(says([](TmaRequest& r) { r.shared.layout = "(128,64):(128,2)"_axe; }) ==
          "the least stride of the shared region is 2; in a box elements must be adjacent");
    CHECK(says([](TmaRequest& r) { r.shared.layout = "(128,64):(1,128)"_axe; }) ==
          "elements that are adjacent in shared memory are 4096 apart in global memory; they must be adjacent");
    CHECK(says([](TmaRequest& r) { r.shared.layout = "(128,2,32):(32,4096,1)"_axe; }) ==
          "a row that is adjacent in both memories has 64 bytes; with this swizzle it must be a multiple of 128");
    CHECK(says([](TmaRequest& r) { r.shared.swizzle = {}, r.shared.layout = "(128,16,4):(4,512,1)"_axe; }) ==
          "a row that is adjacent in both memories has 8 bytes; it must be a multiple of 16");
}

TEST_CASE("TMA plan: why there is none, of digits, edges and alignments")
{
    // Two spans of 32 bytes in a row, from a column that is not a multiple of 16: a box of both takes the columns apart, and of one
    // alone the second copy begins at byte 32.
    TmaRequest r = tile("(8,32):(32,1)"_axe, {8, 32}, {1, 4, 3}, {{0, 8}, {8, 40}});
    CHECK(planned(r).substr(0, 3) == "f16"); // with memory as a line
    r.rules.strict = true;
    CHECK(planned(r) ==
          "the region begins at 8 in digit 1 of the global layout; it must be a multiple of 16, which the box takes apart");
    r.rules.strict = false;
    r.global = "(8192,4088):(4096,1)"_axe;
    r.global_shape = {8192, 4088};
    r.global_region = {{0, 8}, {4064, 4096}};
    CHECK(planned(r) ==
          "digit 1 of the global layout has 4088 elements; at an edge it must be a multiple of 16, which the box takes apart");

    r = tile("(64,64):(64,1)"_axe, {64, 64}, b128, {{32, 96}, {0, 64}});
    r.global = "(16,64,8,64):(32768,64,4096,1)"_axe;
    r.global_shape = {1024, 512};
    r.rules.strict = true;
    CHECK(planned(r) == "f16 (64,64,8,16):(2,128,8192,65536) box (64,32,1,1) swizzle 128B\n" // in pieces, by one map
                        "2 copies of 4096 bytes, shared memory aligned to 1024\n"
                        "(0,32,0,0) at byte 0\n"
                        "(0,0,0,1) at byte 4096");
    r.global_region = {{31, 95}, {0, 64}}; // of one row each: from row 1 on, they begin amid the swizzle's pattern
    CHECK(axe::plan_tma(r)->issues.size() == 64);
    r.shared.swizzle = {1, 4, 3};
    r.shared_shape = {64, 16};
    r.shared.layout = "(64,16):(16,1)"_axe;
    r.global_region = {{31, 95}, {0, 16}}; // rows of 32 bytes are not at multiples of 128
    CHECK(planned(r) == "the region of dimension 0 begins or ends within 64 elements of a digit of the global layout");
    r.global_region = {{992, 1056}, {0, 16}};
    CHECK(planned(r) == "the region leaves dimension 0, whose elements have 2 strides; at an edge it must be one");

    r = tile("(3,2,4096):(4096,12288,1)"_axe, {6, 4096}, {}, {});
    r.global = "(2,3,4096):(16384,4096,1)"_axe;
    r.global_shape = {6, 4096};
    CHECK(planned(r) == "tiles of the shared layout cut digit 0 of the global region, of 2 elements");

    r = tile("(8,64):(72,1)"_axe, {8, 64}, {}, {{0, 8}, {0, 64}});
    CHECK(planned(r) == "a TMA copy begins at byte 144 of shared memory, which must be a multiple of 128");

    r = tile("(131072,64):(128,1)"_axe, {131072, 64}, {}, {});
    r.global = "(131072,64):(64,1)"_axe;
    r.global_shape = {131072, 64};
    CHECK(planned(r) == "not decided: the copy takes more than 65536 issues of a box");
}

TEST_CASE("TMA plan: at most five dimensions, contiguous ones are one")
{
    // Six dimensions of a contiguous tensor: two of them become one.
    TmaRequest r = tile("(2,2,2,2,2,64):(1024,512,256,128,64,1)"_axe, {2, 2, 2, 2, 2, 64}, {}, {});
    r.global = "(4,4,4,4,2,64):(8192,2048,512,128,64,1)"_axe;
    r.global_shape = {4, 4, 4, 4, 2, 64};
    r.global_region = {{1, 3}, {1, 3}, {1, 3}, {1, 3}, {0, 2}, {0, 64}};
    CHECK(planned(r) == "f16 (128,4,4,4,4):(2,256,1024,4096,16384) box (128,2,2,2,2)\n"
                        "1 copy of 4096 bytes, shared memory aligned to 128\n"
                        "(0,1,1,1,1) at byte 0");
    // And where none are, the outermost of the box is a loop.
    r.global = "(4,4,4,4,4,64):(20736,5184,1296,320,80,1)"_axe;
    r.global_shape = {4, 4, 4, 4, 4, 64};
    r.global_region = {{1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {0, 64}};
    CHECK(axe::plan_tma(r)->issues.size() == 2);
}
