// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/tensor_map.hpp>
#include <catch.hpp>

#include <string>

using axe::TensorMap;
using axe::TmaFill;
using axe::TmaInterleave;
using axe::TmaRules;
using axe::TmaSwizzle;
using axe::TmaType;
using axe::TmaUse;

namespace {

/// 512 × 256 halves in row-major order, of which 64 × 64 are copied.
constexpr TensorMap matrix()
{
    TensorMap map;
    map.type = TmaType::f16;
    map.dims = {256, 512};
    map.strides = {512};
    map.box = {64, 64};
    map.swizzle = TmaSwizzle::b128;
    return map;
}
static_assert(axe::check(matrix()).ok());

/// It may be a template argument.
template <TensorMap map>
constexpr std::int64_t bytes_of = axe::box_bytes(map);
static_assert(bytes_of<matrix()> == 64 * 64 * 2);

/// Three dimensions of a padded type.
constexpr TensorMap padded(TmaType type)
{
    TensorMap map;
    map.type = type;
    map.alignment = 32;
    map.dims = {256, 64, 4};
    map.strides = {256, 256 * 64};
    map.box = {128, 8, 1};
    return map;
}

constexpr TensorMap interleaved(TmaInterleave interleave, TmaSwizzle swizzle)
{
    TensorMap map;
    map.type = TmaType::f16;
    map.alignment = 32;
    map.dims = {16, 64, 4};
    map.strides = {32, 32 * 64};
    map.box = {16, 8, 1};
    map.interleave = interleave;
    map.swizzle = swizzle;
    return map;
}

std::string said(const TensorMap& map, const TmaRules& rules = {}) { return axe::check(map, rules).error().message().c_str(); }

template <class Change>
std::string changed(TensorMap map, const Change& change, const TmaRules& rules = {})
{
    change(map);
    return said(map, rules);
}
template <class Change>
std::string changed(const Change& change, const TmaRules& rules = {})
{
    return changed(matrix(), change, rules);
}

constexpr TmaRules sm100{100, TmaUse::load, false};
constexpr TmaRules strict{90, TmaUse::load, true};

} // namespace

TEST_CASE("tensor map: the lists are of one length, 1 to 5, and 3 and more with interleave")
{
    CHECK(changed([](TensorMap& m) { m = {}; }) == "a tensor map has 1 to 5 dimensions, got 0");
    CHECK(changed([](TensorMap& m) { m.dims = {64}, m.strides = {}, m.box = {64}; }) == "");
    const auto of_rank = [](int rank) {
        return [rank](TensorMap& m) {
            m = {};
            for (int d = 0; d < rank; ++d) m.dims.push_back(16), m.box.push_back(d == 0 ? 16 : 1);
            for (int d = 1; d < rank; ++d) m.strides.push_back(16);
        };
    };
    CHECK(changed(of_rank(5)) == "");
    CHECK(changed(of_rank(6)) == "a tensor map has 1 to 5 dimensions, got 6");

    CHECK(changed([](TensorMap& m) { m.strides = {}; }) ==
          "a tensor map of 2 dimensions has 1 stride, one for each but the innermost; got 0");
    CHECK(changed([](TensorMap& m) { m.strides = {512, 512}; }) ==
          "a tensor map of 2 dimensions has 1 stride, one for each but the innermost; got 2");
    CHECK(changed([](TensorMap& m) { m.box = {64}; }) == "the box of a tensor map of 2 dimensions has as many extents, got 1");
    CHECK(changed([](TensorMap& m) { m.element_strides = {1}; }) ==
          "a tensor map of 2 dimensions has as many element strides, got 1");
    CHECK(changed([](TensorMap& m) { m.element_strides = {1, 1}; }) == "");

    CHECK(changed([](TensorMap& m) { m.swizzle = TmaSwizzle::none, m.interleave = TmaInterleave::b16; }) ==
          "an interleaved tensor map has at least 3 dimensions, got 2");
    CHECK(said(interleaved(TmaInterleave::b16, TmaSwizzle::none)) == "");
}

TEST_CASE("tensor map: the address is a multiple of 16 bytes, or of 32")
{
    CHECK(changed([](TensorMap& m) { m.alignment = 8; }) ==
          "the global address of a tensor map must be a multiple of 16 bytes, this one is known to be one of 8");
    CHECK(changed([](TensorMap& m) { m.alignment = 16; }) == "");
    CHECK(changed([](TensorMap& m) { m.alignment = 0; }) ==
          "the global address of a tensor map must be a multiple of 16 bytes, this one is known to be one of 0");
    CHECK(changed([](TensorMap& m) { m.offset = 24; }) ==
          "the tensor map begins 24 bytes after its tensor, which must be a multiple of 16");
    CHECK(changed([](TensorMap& m) { m.offset = 48; }) == "");
    CHECK(changed([](TensorMap& m) { m.offset = -48; }) == "");

    const auto wide = interleaved(TmaInterleave::b32, TmaSwizzle::b32);
    CHECK(said(wide) == "");
    CHECK(changed(wide, [](TensorMap& m) { m.alignment = 16; }) ==
          "the global address of a tensor map must be a multiple of 32 bytes, this one is known to be one of 16");
    CHECK(changed(wide, [](TensorMap& m) { m.offset = 16; }) ==
          "the tensor map begins 16 bytes after its tensor, which must be a multiple of 32");
    CHECK(changed(
              padded(TmaType::u4_align16), [](TensorMap& m) { m.alignment = 16; }, sm100) ==
          "the global address of a tensor map must be a multiple of 32 bytes, this one is known to be one of 16");
    CHECK(changed(interleaved(TmaInterleave::b16, TmaSwizzle::none), [](TensorMap& m) { m.alignment = 16; }) == "");
}

TEST_CASE("tensor map: dimensions are 1 to 2^32")
{
    constexpr std::int64_t most = std::int64_t{1} << 32;
    CHECK(changed([](TensorMap& m) { m.dims[1] = most; }) == "");
    CHECK(changed([](TensorMap& m) { m.dims[1] = most + 1; }) ==
          "dimension 1 of a tensor map has 4294967297 elements; it must have 1 to 2^32");
    CHECK(changed([](TensorMap& m) { m.dims[0] = 0; }) == "dimension 0 of a tensor map has 0 elements; it must have 1 to 2^32");
    CHECK(changed([](TensorMap& m) { m.dims[0] = 1; }) == "");

    const auto u4 = padded(TmaType::u4_align8);
    CHECK(changed(u4, [](TensorMap& m) { m.dims[0] = 254; }, sm100) == "");
    CHECK(changed(
              u4, [](TensorMap& m) { m.dims[0] = 255; }, sm100) ==
          "dimension 0 of a tensor map of packed elements has 255 of them; it must have a multiple of 2");
    for (const TmaType type : {TmaType::u4_align16, TmaType::u6_align16}) {
        CHECK(changed(padded(type), [](TensorMap& m) { m.dims[0] = 384; }, sm100) == "");
        CHECK(changed(
                  padded(type), [](TensorMap& m) { m.dims[0] = 192; }, sm100) ==
              "dimension 0 of a tensor map of packed elements has 192 of them; it must have a multiple of 128");
    }
}

TEST_CASE("tensor map: strides are multiples of 16 bytes, or of 32, below 2^40")
{
    constexpr std::int64_t end = std::int64_t{1} << 40;
    CHECK(changed([](TensorMap& m) { m.strides[0] = end - 16; }) == "");
    CHECK(changed([](TensorMap& m) { m.strides[0] = end; }) ==
          "the stride of dimension 1 of a tensor map is 1099511627776 bytes; it must be 0 to 2^40 - 1");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 0; }) == "");
    CHECK(changed([](TensorMap& m) { m.strides[0] = -16; }) ==
          "the stride of dimension 1 of a tensor map is -16 bytes; it must be 0 to 2^40 - 1");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 528; }) == "");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 520; }) ==
          "the stride of dimension 1 of a tensor map is 520 bytes; it must be a multiple of 16");
    CHECK(changed(interleaved(TmaInterleave::b32, TmaSwizzle::b32), [](TensorMap& m) { m.strides[1] += 16; }) ==
          "the stride of dimension 2 of a tensor map is 2064 bytes; it must be a multiple of 32");
    CHECK(changed(interleaved(TmaInterleave::b16, TmaSwizzle::none), [](TensorMap& m) { m.strides[1] += 16; }) == "");
    CHECK(changed(
              padded(TmaType::u6_align16), [](TensorMap& m) { m.strides[0] = 208; }, sm100) ==
          "the stride of dimension 1 of a tensor map is 208 bytes; it must be a multiple of 32");
}

TEST_CASE("tensor map: a box is 1 to 256 in each dimension, its rows multiples of 16 bytes")
{
    CHECK(changed([](TensorMap& m) { m.box[1] = 256; }) == "");
    CHECK(changed([](TensorMap& m) { m.box[1] = 257; }) == "the box has 257 elements in dimension 1; it must have 1 to 256");
    CHECK(changed([](TensorMap& m) { m.box[1] = 0; }) == "the box has 0 elements in dimension 1; it must have 1 to 256");
    CHECK(changed([](TensorMap& m) { m.box[0] = 8; }) == "");
    CHECK(changed([](TensorMap& m) { m.box[0] = 12; }) ==
          "a row of the box is 12 elements of 16 bits; it must be a multiple of 16 bytes");
    CHECK(changed(interleaved(TmaInterleave::b16, TmaSwizzle::none), [](TensorMap& m) { m.box[0] = 12; }) ==
          "a row of the box is 12 elements of 16 bits; it must be a multiple of 16 bytes");

    const auto u4 = padded(TmaType::u4_align8);
    CHECK(changed(u4, [](TensorMap& m) { m.box[0] = 32; }, sm100) == "");
    CHECK(changed(
              u4, [](TensorMap& m) { m.box[0] = 16; }, sm100) ==
          "a row of the box is 16 elements of 4 bits; it must be a multiple of 16 bytes");
    for (const TmaType type : {TmaType::u4_align16, TmaType::u6_align16})
        for (const std::int64_t box : {64, 256})
            CHECK(changed(
                      padded(type), [box](TensorMap& m) { m.box[0] = box; }, sm100) ==
                  "the box of padded elements has " + std::to_string(box) + " in dimension 0; it must have 128");
}

TEST_CASE("tensor map: a box has at most 228 KiB, each dimension divided by its element stride")
{
    // 64 halves in a row of 128 bytes: 1824 rows are 228 KiB
    const auto rows = [](std::int64_t a, std::int64_t b, std::int64_t inner, std::int64_t step) {
        TensorMap map = matrix();
        map.dims.push_back(1000);
        map.strides.push_back(map.strides[0] * map.dims[1]);
        map.box = {64, a, b};
        map.element_strides = {inner, 1, step};
        return std::string(axe::check(map).error().message().c_str());
    };
    CHECK(rows(228, 8, 1, 1) == "");
    CHECK(rows(229, 8, 1, 1) == "the box has 234496 bytes; it must have 233472 at most");
    CHECK(rows(228, 16, 1, 2) == "");
    CHECK(rows(228, 17, 1, 2) == ""); // the driver drops the rest
    CHECK(rows(228, 18, 1, 2) == "the box has 262656 bytes; it must have 233472 at most");
    CHECK(rows(228, 16, 2, 1) == ""); // that of dimension 0 counts here, and not in the copy
}

TEST_CASE("tensor map: rows of a box are as far apart as the span of its swizzle")
{
    for (const auto& [swizzle, span] : {std::pair{TmaSwizzle::b32, 32}, {TmaSwizzle::b64, 64}, {TmaSwizzle::b128, 128}})
        for (std::int64_t bytes = 16; bytes <= span; bytes += 16) {
            TensorMap map = matrix();
            map.swizzle = swizzle;
            map.box = {bytes / 2, 5};
            REQUIRE(axe::check(map).ok());
            CHECK(axe::row_pitch(map) == span);
            CHECK(axe::box_bytes(map) == 5 * span);
            map.swizzle = TmaSwizzle::none;
            CHECK(axe::row_pitch(map) == bytes);
            CHECK(axe::box_bytes(map) == 5 * bytes);
        }
}

TEST_CASE("tensor map: element strides are 1 to 8, and that of dimension 0 counts with interleave only")
{
    for (const std::int64_t step : {1, 8}) CHECK(changed([step](TensorMap& m) { m.element_strides = {1, step}; }) == "");
    for (const std::int64_t step : {0, 9})
        CHECK(changed([step](TensorMap& m) { m.element_strides = {1, step}; }) ==
              "the element stride of dimension 1 is " + std::to_string(step) + "; it must be 1 to 8");
    for (const std::int64_t step : {0, 9})
        CHECK(changed([step](TensorMap& m) { m.element_strides = {step, 1}; }) ==
              "the element stride of dimension 0 is " + std::to_string(step) + "; it must be 1 to 8");
    CHECK(changed(interleaved(TmaInterleave::b16, TmaSwizzle::none), [](TensorMap& m) { m.element_strides = {9, 1, 1}; }) ==
          "the element stride of dimension 0 is 9; it must be 1 to 8");

    TensorMap map = matrix();
    map.element_strides = {5, 3};
    CHECK(axe::box_elements(map, 0) == 64);
    CHECK(axe::box_elements(map, 1) == 22); // ⌈64/3⌉
    CHECK(axe::box_bytes(map) == 64 * 22 * 2);
}

TEST_CASE("tensor map: a row of the box fits the span of its swizzle")
{
    struct Row {
        TmaSwizzle swizzle;
        std::int64_t span;
        int arch;
    };
    const Row rows[] = {{TmaSwizzle::b32, 32, 90},           {TmaSwizzle::b64, 64, 90},
                        {TmaSwizzle::b128, 128, 90},         {TmaSwizzle::b128_atom32, 128, 100},
                        {TmaSwizzle::b128_atom64, 128, 100}, {TmaSwizzle::b128_atom32_flip8, 128, 100},
                        {TmaSwizzle::b96, 96, 103}};
    for (const Row& r : rows) {
        const TmaRules rules{r.arch, TmaUse::load, false};
        INFO(axe::name(r.swizzle));
        CHECK(axe::row(r.swizzle).span == r.span);
        CHECK(changed([&](TensorMap& m) { m.swizzle = r.swizzle, m.box[0] = r.span / 2; }, rules) == "");
        CHECK(changed([&](TensorMap& m) { m.swizzle = r.swizzle, m.box[0] = r.span / 2 + 8; }, rules) ==
              "a row of the box is " + std::to_string(r.span + 16) + " bytes; with a swizzle of " + std::to_string(r.span) +
                  " it must be " + std::to_string(r.span) + " at most");
        const int before = r.arch == 103 ? 100 : r.arch - 10;
        CHECK(changed([&](TensorMap& m) { m.swizzle = r.swizzle, m.box[0] = 8; }, {before, TmaUse::load, false}) ==
              (r.arch == 90 ? "elements of 16 bits are of sm90 and later, got sm80"
                            : "this swizzle of " + std::to_string(r.span) + " bytes is of sm" + std::to_string(r.arch) +
                                  " and later, got sm" + std::to_string(before)));
    }
    CHECK(changed([](TensorMap& m) { m.swizzle = TmaSwizzle::b96, m.box[0] = 48; }, {110, TmaUse::load, false}) ==
          "a swizzle of 96 bytes is of sm103 alone, got sm110");
    CHECK(changed([](TensorMap& m) { m.swizzle = TmaSwizzle::none, m.box[0] = 256; }) == "");
    CHECK(said(interleaved(TmaInterleave::b16, TmaSwizzle::b128)) == "");
}

TEST_CASE("tensor map: what goes with an interleave")
{
    CHECK(said(interleaved(TmaInterleave::b32, TmaSwizzle::b32)) == "");
    CHECK(said(interleaved(TmaInterleave::b32, TmaSwizzle::b64)) ==
          "an interleave of 32 bytes needs the swizzle of 32 bytes, got one of 64");
    CHECK(said(interleaved(TmaInterleave::b16, TmaSwizzle::b96), {103, TmaUse::load, false}) ==
          "a swizzle of 96 bytes does not go with an interleave, got one of 16 bytes");
    CHECK(changed(
              padded(TmaType::u6_align16), [](TensorMap& m) { m.interleave = TmaInterleave::b16; }, sm100) ==
          "elements of 6 bits are not interleaved, got an interleave of 16 bytes");
    CHECK(said(padded(TmaType::u6_align16), sm100) == "");
}

TEST_CASE("tensor map: padded elements go with few swizzles, by the direction of the copy")
{
    const auto of = [](TmaType type, TmaSwizzle swizzle, TmaUse use) {
        return changed(padded(type), [swizzle](TensorMap& m) { m.swizzle = swizzle; }, {100, use, false});
    };
    const auto six = TmaType::u6_align16, four = TmaType::u4_align16;
    for (const TmaSwizzle s : {TmaSwizzle::none, TmaSwizzle::b128, TmaSwizzle::b128_atom32}) {
        CHECK(of(six, s, TmaUse::load) == "");
        CHECK(of(six, s, TmaUse::store) == "");
        CHECK(of(four, s, TmaUse::load) == "");
        CHECK(of(four, s, TmaUse::store) == "padded elements of 4 bits are only loaded");
    }
    const std::string end = " bits do not go with this swizzle of 128 bytes; they go with none, 128B and its atoms of 32B";
    CHECK(of(six, TmaSwizzle::b128_atom64, TmaUse::store) == "");
    CHECK(of(six, TmaSwizzle::b128_atom64, TmaUse::load) == "padded elements of 6" + end);
    CHECK(of(four, TmaSwizzle::b128_atom64, TmaUse::load) == "padded elements of 4" + end);
    CHECK(of(six, TmaSwizzle::b128_atom32_flip8, TmaUse::load) == "padded elements of 6" + end);

    CHECK(of(six, TmaSwizzle::none, TmaUse::reduce) == "a reduction takes elements of at least 8 bits, got 6");
    CHECK(changed([](TensorMap&) {}, {90, TmaUse::reduce, false}) == "");
    CHECK(changed([](TensorMap& m) { m.type = TmaType::u8; }, {90, TmaUse::reduce, false}) == "");
    CHECK(said(padded(six), {90, TmaUse::load, false}) == "elements of 6 bits are of sm100 and later, got sm90");
}

TEST_CASE("tensor map: a swizzle that flips bytes is of loads")
{
    const auto flip = [](TmaUse use) {
        return changed([](TensorMap& m) { m.swizzle = TmaSwizzle::b128_atom32_flip8; }, {100, use, false});
    };
    CHECK(flip(TmaUse::load) == "");
    CHECK(flip(TmaUse::store) == "a swizzle that flips 8 bytes is only of loads");
    CHECK(flip(TmaUse::reduce) == "a swizzle that flips 8 bytes is only of loads");
}

TEST_CASE("tensor map: NaN fills floating-point elements only")
{
    for (int t = 0; t < axe::tma_type_count; ++t) {
        const auto type = static_cast<TmaType>(t);
        const auto& row = axe::row(type);
        TensorMap map = row.bits < 8 ? padded(type) : matrix();
        map.type = type;
        map.swizzle = TmaSwizzle::none;
        INFO(row.name);
        CHECK(said(map, sm100) == "");
        map.fill = TmaFill::nan;
        CHECK(
            said(map, sm100) ==
            (row.is_float ? "" : "NaN fills floating-point elements only, got integers of " + std::to_string(row.bits) + " bits"));
    }
}

TEST_CASE("tensor map: strict rules ask for a box within the tensor, and strides that do not overlap")
{
    CHECK(said(matrix(), strict) == "");
    CHECK(changed([](TensorMap& m) { m.dims[1] = 64; }, strict) == "");
    CHECK(changed([](TensorMap& m) { m.dims[1] = 63; }, strict) ==
          "the box has 64 elements in dimension 1, the tensor 63; strict rules ask for no more");
    CHECK(changed([](TensorMap& m) { m.dims[1] = 63; }) == "");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 496; }, strict) ==
          "the stride of dimension 1 is 496 bytes, the dimensions within span 512; strict rules ask for 0, or no less");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 496; }) == "");
    CHECK(changed([](TensorMap& m) { m.strides[0] = 0; }, strict) == "");
    // Of three dimensions: the second spans 512 rows, or, without a stride, the row alone.
    const auto third = [](std::int64_t second, std::int64_t stride) {
        return changed([=](TensorMap& m) { m.dims.push_back(4), m.box.push_back(1), m.strides = {second, stride}; }, strict);
    };
    CHECK(third(512, 512 * 512) == "");
    CHECK(third(512, 512 * 511) ==
          "the stride of dimension 2 is 261632 bytes, the dimensions within span 262144; strict rules ask for 0, or no less");
    CHECK(third(0, 512) == "");
    CHECK(third(0, 496) ==
          "the stride of dimension 2 is 496 bytes, the dimensions within span 512; strict rules ask for 0, or no less");
}

TEST_CASE("tensor map: the modes of a swizzle")
{
    CHECK(axe::tma_swizzle({}).value() == TmaSwizzle::none);
    CHECK(axe::tma_swizzle({1, 4, 3}).value() == TmaSwizzle::b32);
    CHECK(axe::tma_swizzle({2, 4, 3}).value() == TmaSwizzle::b64);
    CHECK(axe::tma_swizzle({3, 4, 3}).value() == TmaSwizzle::b128);
    CHECK(axe::tma_swizzle({2, 5, 2}).value() == TmaSwizzle::b128_atom32);
    CHECK(axe::tma_swizzle({1, 6, 1}).value() == TmaSwizzle::b128_atom64);
    const auto mirrored = axe::tma_swizzle({3, 4, -3});
    CHECK(mirrored.code() == axe::errc::no_layout);
    CHECK(std::string(mirrored.error().message().c_str()) ==
          "swizzle<3,4,-3> is not one of a tensor map: they are <1,4,3>, <2,4,3>, <3,4,3>, and from sm100 <2,5,2> and <1,6,1>");
    for (const auto& row : axe::tma_swizzles)
        if (row.is_xor) CHECK(axe::check(row.swizzle).ok());
}
