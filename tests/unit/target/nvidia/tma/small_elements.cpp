// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/print.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/laws/nvidia_tma.hpp>

#include <set>
#include <string>

/// Tensor maps of elements of 4 and 6 bits: where each bit of a copy is.
namespace {

using namespace axe::literals;
using axe::Layout;
using axe::Region;
using axe::Shape;
using axe::Swizzle;
using axe::TmaRequest;
using axe::TmaType;
using axe::TmaUse;
using BitPlaces =
    std::map<std::int64_t, std::int64_t>; ///< bit of shared memory at which an element begins ↦ that of global memory, or `outside`

/// By the definition: packed elements follow each other, and of padded ones each 16 begin at 16 bytes.
std::int64_t bit_of_place(TmaType type, std::int64_t place)
{
    const std::int64_t bits = axe::row(type).bits;
    return axe::row(type).shared_bits == bits ? bits * place : 128 * (place / 16) + bits * (place % 16);
}

BitPlaces asked_bits(const TmaRequest& r)
{
    TmaRequest places = r;
    places.type = TmaType::u8; // of the layouts alone
    BitPlaces out;
    for (const auto& [shared, global] : tma::asked(places))
        out[bit_of_place(r.type, shared)] = global == tma::outside ? tma::outside : global * axe::row(r.type).bits;
    return out;
}

BitPlaces done_bits(const axe::TmaPlan& plan, bool& once)
{
    BitPlaces out;
    for (const axe::TmaIssue& issue : plan.issues)
        for (std::int64_t i = 0; i < axe::issue_elements(plan.map, issue); ++i) {
            const axe::TmaElement e = axe::issue_element(plan.map, issue, issue.shared, i);
            once = once && e.shared_bit >= 0 && e.shared_bit < 8 && e.global_bit >= 0 && e.global_bit < 8;
            once = once && out.emplace(8 * e.shared + e.shared_bit, e.inside ? 8 * e.global + e.global_bit : tma::outside).second;
        }
    return out;
}

/// A tile of a row-major matrix of 512 × 1024 elements.
TmaRequest small_tile(TmaType type, const Layout& shared, const Shape& shape, const Swizzle& swizzle, const Region& region)
{
    TmaRequest r;
    r.type = type;
    r.global = "(512,1024):(1024,1)"_axe;
    r.global_shape = {512, 1024};
    r.global_region = region;
    r.shared = {swizzle, axe::Axis{}, 1, shared};
    r.shared_shape = shape;
    r.alignment = 32;
    r.rules.arch = 100;
    return r;
}

std::string small_plan_message(const TmaRequest& r)
{
    const auto plan = axe::plan_tma(r);
    return plan ? std::string() : plan.error().message().c_str();
}

constexpr TmaType packed_of_four = TmaType::u4_align8, padded_of_four = TmaType::u4_align16, padded_of_six = TmaType::u6_align16;
constexpr Swizzle unswizzled{};

} // namespace

TEST_CASE("TMA copy of 4 and 6 bits: elements begin at bits, padded ones 16 in 16 bytes")
{
    for (const TmaType type : {packed_of_four, padded_of_four, padded_of_six}) {
        axe::TensorMap map;
        map.type = type;
        map.alignment = 32;
        map.dims = {256, 7};
        map.strides = {192};
        map.box = {128, 3};
        axe::TmaIssue issue;
        issue.coords = {128, 5};
        const int bits = axe::row(type).bits;
        INFO(axe::name(type));
        REQUIRE(check(map, {100, TmaUse::load, false}).ok());
        REQUIRE(check(map, issue, {100, TmaUse::load, false}).ok());
        CHECK(axe::box_bytes(map) == 3 * 128 * (type == packed_of_four ? 4 : 8) / 8);
        CHECK(axe::issue_bytes(map, issue) == 3 * 128 * bits / 8); // the gaps are not counted
        for (std::int64_t i = 0; i < 3 * 128; ++i) {
            const axe::TmaElement e = axe::issue_element(map, issue, 1024, i);
            const std::int64_t x = 128 + i % 128, y = 5 + i / 128;
            CHECK(8 * e.shared + e.shared_bit == 8 * 1024 + bit_of_place(type, i));
            CHECK(8 * e.global + e.global_bit == 8 * 192 * y + bits * x);
            CHECK(e.inside == (y < 7));
        }
        issue.coords[0] = -3;
        const axe::TmaElement e = axe::issue_element(map, issue, 0, 0);
        CHECK(8 * e.global + e.global_bit == 8 * 192 * 5 - 3 * bits);
        CHECK((!e.inside && e.global_bit >= 0));
    }
}

TEST_CASE("TMA plan of 4 and 6 bits: each element is where both layouts say, with all swizzles")
{
    struct Case {
        TmaType type;
        Layout shared;
        Shape shape;
        Swizzle swizzle;
        Region region;
        std::int64_t copies;
    };
    const Case cases[] = {
        {packed_of_four, "(8,256):(256,1)"_axe, {8, 256}, unswizzled, {{16, 24}, {256, 512}}, 1},
        {packed_of_four, "(8,256):(256,1)"_axe, {8, 256}, {3, 5, 3}, {{16, 24}, {256, 512}}, 1},
        {packed_of_four, "(16,128):(128,1)"_axe, {16, 128}, {2, 5, 3}, {{16, 32}, {128, 256}}, 1},
        {packed_of_four, "(16,64):(64,1)"_axe, {16, 64}, {1, 5, 3}, {{16, 32}, {32, 96}}, 1},
        {packed_of_four, "(8,256):(256,1)"_axe, {8, 256}, {2, 6, 2}, {{0, 8}, {0, 256}}, 1},
        {packed_of_four, "(8,256):(256,1)"_axe, {8, 256}, {1, 7, 1}, {{0, 8}, {0, 256}}, 1},
        {packed_of_four, "(8,2,256):(256,2048,1)"_axe, {8, 512}, {3, 5, 3}, {{8, 16}, {512, 1024}}, 1}, // two spans side by side
        {packed_of_four, "(8,512):(512,1)"_axe, {8, 512}, unswizzled, {{508, 516}, {512, 1024}}, 1}, // rows outside, a row as two
        {packed_of_four, "(8,64):(64,1)"_axe, {8, 64}, unswizzled, {{0, 8}, {992, 1056}}, 1},        // columns outside
        {padded_of_four, "(8,128):(128,1)"_axe, {8, 128}, unswizzled, {{16, 24}, {128, 256}}, 1},
        {padded_of_four, "(8,128):(128,1)"_axe, {8, 128}, {3, 4, 3}, {{16, 24}, {384, 512}}, 1},
        {padded_of_four, "(8,128):(128,1)"_axe, {8, 128}, {2, 5, 2}, {{505, 513}, {384, 512}}, 1},
        {padded_of_four, "(8,2,128):(128,1024,1)"_axe, {8, 256}, {3, 4, 3}, {{8, 16}, {512, 768}}, 1},
        {padded_of_six, "(8,128):(128,1)"_axe, {8, 128}, unswizzled, {{16, 24}, {128, 256}}, 1},
        {padded_of_six, "(8,128):(128,1)"_axe, {8, 128}, {3, 4, 3}, {{16, 24}, {384, 512}}, 1},
        {padded_of_six, "(8,128):(128,1)"_axe, {8, 128}, {2, 5, 2}, {{505, 513}, {384, 512}}, 1},
        {padded_of_six, "(8,256):(256,1)"_axe, {8, 256}, unswizzled, {{0, 8}, {0, 256}}, 1},
    };
    for (const Case& c : cases)
        for (const TmaUse use : {TmaUse::load, TmaUse::store}) {
            TmaRequest r = small_tile(c.type, c.shared, c.shape, c.swizzle, c.region);
            r.rules.use = use;
            INFO(tma::describe(r));
            const auto plan = axe::plan_tma(r);
            if (use == TmaUse::store && c.type == padded_of_four) {
                CHECK(small_plan_message(r) == "padded elements of 4 bits are only loaded");
                continue;
            }
            INFO((plan ? axe::print(*plan) : plan.error().message().c_str()));
            REQUIRE(plan);
            bool once = true;
            CHECK(done_bits(*plan, once) == asked_bits(r));
            CHECK(once);
            CHECK(static_cast<std::int64_t>(plan->issues.size()) == c.copies);
            CHECK(plan->bytes == *axe::volume(c.shape) * axe::row(c.type).bits / 8);
        }
}

TEST_CASE("TMA plan of 4 and 6 bits: what no map does, with its reason")
{
    const auto rows = [](TmaType type, const Region& region, const Swizzle& swizzle = {}) {
        const std::int64_t n = region[1].hi - region[1].lo;
        return small_tile(type, Layout{{{8, n}, {n, 1}}}, {8, n}, swizzle, region);
    };
    CHECK(small_plan_message(rows(packed_of_four, {{0, 8}, {0, 48}})) ==
          "a row that is adjacent in both memories has 24 bytes; it must be a multiple of 16");
    CHECK(small_plan_message(rows(packed_of_four, {{0, 8}, {1, 33}})) ==
          "element 1, of 4 bits, does not begin at a byte; copies and dimensions of a tensor map do");
    CHECK(small_plan_message(rows(packed_of_four, {{0, 8}, {0, 256}}, {3, 4, 3})).find("is not one of a tensor map") !=
          std::string::npos);
    CHECK(small_plan_message(rows(padded_of_four, {{0, 8}, {0, 128}}, {3, 5, 3})).find("is not one of a tensor map") !=
          std::string::npos);
    CHECK(small_plan_message(rows(padded_of_four, {{0, 8}, {0, 64}})) ==
          "the box of padded elements has 64 in dimension 0; it must have 128");
    CHECK(small_plan_message(rows(padded_of_six, {{0, 8}, {64, 192}})) ==
          "coordinate 0 of a TMA copy of padded elements is 64; it must be a multiple of 128");
    CHECK(small_plan_message(rows(padded_of_four, {{0, 8}, {0, 128}}, {2, 4, 3})) ==
          "dimension 0 of a tensor map of packed elements has 64 of them; it must have a multiple of 128");
    TmaRequest r = rows(padded_of_four, {{0, 8}, {0, 128}});
    r.alignment = 16;
    CHECK(small_plan_message(r) ==
          "the global address of a tensor map must be a multiple of 32 bytes, this one is known to be one of 16");
    r = rows(padded_of_four, {{0, 8}, {0, 128}});
    r.global = "(512,1024):(1056,1)"_axe;
    CHECK(small_plan_message(r) == "the stride of dimension 1 of a tensor map is 528 bytes; it must be a multiple of 32");
    r = rows(packed_of_four, {{0, 8}, {0, 128}});
    r.global = "(512,1024):(1025,1)"_axe;
    CHECK(small_plan_message(r) == "element 1025, of 4 bits, does not begin at a byte; copies and dimensions of a tensor map do");
    r = rows(padded_of_four, {{0, 8}, {0, 128}});
    r.global_shape = {512, 960};
    r.global = "(512,960):(1024,1)"_axe;
    CHECK(small_plan_message(r) ==
          "dimension 0 of a tensor map of packed elements has 960 of them; it must have a multiple of 128");
    r = rows(padded_of_four, {{0, 8}, {0, 128}});
    r.rules.arch = 90;
    CHECK(small_plan_message(r) == "elements of 4 bits are of sm100 and later, got sm90");
    r = rows(packed_of_four, {{0, 8}, {0, 128}});
    r.rules.use = TmaUse::reduce;
    CHECK(small_plan_message(r) == "a reduction takes elements of at least 8 bits, got 4");
    r = rows(packed_of_four, {{0, 8}, {0, 128}});
    r.shared.width = 2;
    CHECK(small_plan_message(r) == "elements of the shared layout have 2 bytes, those of the TMA copy 1");
    r = rows(packed_of_four, {{0, 8}, {0, 128}});
    r.shared.layout = "(8,128):(128,1)+129"_axe;
    CHECK(small_plan_message(r) == "element 129, of 4 bits, does not begin at a byte; copies and dimensions of a tensor map do");
}

TEST_CASE("TMA copy of 4 and 6 bits: on sm120 to the issuer alone")
{
    axe::TensorMap map;
    map.type = packed_of_four;
    map.dims = {256, 8};
    map.strides = {128};
    map.box = {64, 8};
    axe::TmaIssue issue;
    issue.coords = {0, 0};
    issue.multicast = 3;
    const auto said = [&](int arch) {
        return std::string(check(map, issue, {arch, TmaUse::load, false}, 2).error().message().c_str());
    };
    CHECK(check(map, issue, {100, TmaUse::load, false}, 2).ok());
    CHECK(said(120) == "elements of 4 bits go to the issuer's shared memory alone on sm120");
    issue.multicast = 0;
    CHECK(check(map, issue, {120, TmaUse::load, false}, 2).ok());
}

TEST_CASE("TMA plan of 4 and 6 bits: as text and as the CUDA call")
{
    const auto plan = axe::plan_tma(small_tile(padded_of_six, "(8,256):(256,1)"_axe, {8, 256}, unswizzled, {{0, 8}, {0, 256}}));
    REQUIRE(plan);
    CHECK(axe::print(plan->map) == "u6_align16 (128,8,512):(6b,96,768) box (128,2,8)");
    CHECK(axe::print(*plan).find("\n1 copy of 1536 bytes, shared memory aligned to 128\n") != std::string::npos);
    for (const TmaType type : {packed_of_four, padded_of_four}) {
        const auto four = axe::plan_tma(small_tile(type, "(8,128):(128,1)"_axe, {8, 128}, unswizzled, {{0, 8}, {0, 128}}));
        REQUIRE(four);
        CHECK(axe::print(*four) == std::string(axe::name(type)) +
                                       " (1024,512):(4b,512) box (128,8)\n"
                                       "1 copy of 512 bytes, shared memory aligned to 128\n(0,0) at byte 0");
        const std::string text = *axe::to_cuda(four->map);
        CHECK(text.find(type == packed_of_four
                            ? "&map, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 2, address, map_dims"
                            : "&map, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, 2, address, map_dims") != std::string::npos);
        CHECK(
            text.find(
                "map_dims[2] = {1024, 512};\nconst cuuint64_t map_strides[1] = {512};\nconst cuuint32_t map_box[2] = {128, 8};") !=
            std::string::npos);
    }
}
