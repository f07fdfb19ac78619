// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/print.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/laws/nvidia_tma.hpp>

#include <string>

/// Plans for regions that leave elements out: element strides of a tensor map.
namespace {

using namespace axe::literals;
using axe::Region;
using axe::Shape;
using axe::TmaRequest;
using axe::TmaType;
using axe::TmaUse;

/// Rows and columns of a matrix of 300 × 256 halves, to shared memory row by row.
TmaRequest rows_with_steps(const Shape& steps, const Region& region)
{
    TmaRequest r;
    r.type = TmaType::f16;
    r.global = "(300,256):(256,1)"_axe;
    r.global_shape = {300, 256};
    r.global_region = region;
    r.global_steps = steps;
    r.shared_shape = {region[0].hi - region[0].lo, region[1].hi - region[1].lo};
    r.shared = {{}, axe::Axis{}, 2, axe::Layout{{{r.shared_shape[0], r.shared_shape[1]}, {r.shared_shape[1], 1}}}};
    return r;
}

std::string stepped_plan_text(const TmaRequest& r)
{
    const auto plan = axe::plan_tma(r);
    return plan ? axe::print(*plan) : plan.error().message().c_str();
}

void check_stepped_plan(const TmaRequest& r, std::int64_t copies)
{
    INFO(tma::describe(r));
    INFO(axe::print(r.global_steps).c_str());
    const auto plan = axe::plan_tma(r);
    INFO((plan ? axe::print(*plan) : plan.error().message().c_str()));
    REQUIRE(plan);
    bool sound = true;
    CHECK(tma::done(*plan, tma::width_of(r.type), sound) == tma::asked(r));
    CHECK(sound);
    CHECK(static_cast<std::int64_t>(plan->issues.size()) == copies);
    std::int64_t elements = 1;
    for (const axe::Range& range : r.global_region) elements *= range.hi - range.lo;
    CHECK(plan->bytes == elements * tma::width_of(r.type));
}

} // namespace

TEST_CASE("TMA plan with steps: the box has as many elements times the element stride, and copies as many as there are")
{
    CHECK(stepped_plan_text(rows_with_steps({3, 1}, {{7, 71}, {64, 128}})) ==
          "f16 (256,300):(2,512) box (64,192) every (1,3)\n"
          "1 copy of 8192 bytes, shared memory aligned to 128\n(64,7) at byte 0");
    for (const std::int64_t step : {1, 2, 3, 5, 7, 8})
        for (const std::int64_t rows : {1, 2, 8, 31, 32})
            for (const std::int64_t first : {0, 1, 60, 299, 310, -9})
                check_stepped_plan(rows_with_steps({step, 1}, {{first, first + rows}, {64, 128}}), 1);
    check_stepped_plan(rows_with_steps({8, 1}, {{0, 33}, {64, 128}}), 3); // 33 · 8 > 256: three boxes of 11
    check_stepped_plan(rows_with_steps({4, 1}, {{0, 75}, {64, 128}}), 3); // 75 · 4 > 256: of 25
    check_stepped_plan(rows_with_steps({9, 1}, {{0, 8}, {64, 128}}), 8);  // element strides are 8 at most
    check_stepped_plan(rows_with_steps({100, 1}, {{1, 4}, {0, 256}}), 3);
    check_stepped_plan(rows_with_steps({2, 1}, {{0, 9}, {0, 256}}), 1); // the columns as one digit
    TmaRequest swizzled = rows_with_steps({2, 1}, {{4, 20}, {128, 192}});
    swizzled.shared.swizzle = {3, 4, 3};
    check_stepped_plan(swizzled, 1);
    swizzled.rules.use = TmaUse::store;
    check_stepped_plan(swizzled, 1);
}

TEST_CASE("TMA plan with steps: dimensions that are loops, reversed or of three")
{
    TmaRequest r = rows_with_steps({1, 1}, {{0, 1}, {0, 1}});
    r.global = "(6,40,64):(2560,64,1)"_axe;
    r.global_shape = {6, 40, 64};
    r.shared_shape = {3, 10, 64};
    r.shared.layout = "(3,10,64):(640,64,1)"_axe;
    for (const std::int64_t a : {1, 2, 3})
        for (const std::int64_t b : {1, 2, 4}) {
            r.global_region = {{0, 3}, {1, 11}, {0, 64}};
            r.global_steps = {a, b, 1};
            check_stepped_plan(r, 1);
            r.shared.layout = "(3,10,64):(64,192,1)"_axe; // the other way round in shared memory
            check_stepped_plan(r, 1);
            r.shared.layout = "(3,10,64):(2048,64,1)"_axe; // with gaps: a loop
            check_stepped_plan(r, 3);
            r.shared.layout = "(3,10,64):(640,64,1)"_axe;
        }
    r.global = "(6,40,64):(2560,-64,1)+2496"_axe;
    r.global_region = {{0, 3}, {1, 11}, {0, 64}};
    r.global_steps = {2, 3, 1};
    check_stepped_plan(r, 30); // from the end: each row by itself
}

TEST_CASE("TMA plan with steps: what no map does")
{
    CHECK(stepped_plan_text(rows_with_steps({1, 2}, {{0, 8}, {0, 64}})) ==
          "elements that are adjacent in shared memory are 2 apart in global memory; they must be adjacent");
    CHECK(stepped_plan_text(rows_with_steps({0, 1}, {{0, 8}, {0, 64}})) ==
          "dimension 0 of a TMA copy has steps of 0; they must be at least 1");
    CHECK(stepped_plan_text(rows_with_steps({1}, {{0, 8}, {0, 64}})) == "a TMA copy has steps in 1 dimension, the shape has 2");
    CHECK(stepped_plan_text(rows_with_steps({std::int64_t{1} << 32, 1}, {{0, 8}, {0, 64}})) ==
          "the 8 elements of dimension 0 of a TMA copy, with steps of 4294967296, are not within 2^32 of each other");
    TmaRequest r = rows_with_steps({2, 1}, {{0, 8}, {0, 64}});
    r.global = "(30,10,256):(2560,512,1)"_axe;
    CHECK(stepped_plan_text(r) == "dimension 0 has steps of 2, and elements of 2 strides; with steps it must be one");
    r = rows_with_steps({2, 1}, {{0, 8}, {0, 64}});
    r.shared.layout = "(4,2,64):(64,256,1)"_axe; // even and odd ones of the chosen rows apart: both digits of one dimension
    check_stepped_plan(r, 2);                    // every fourth row
    r.shared.layout = "(2,4,64):(64,128,1)"_axe;
    check_stepped_plan(r, 4);                          // every eighth
    r.shared.layout = "(2,2,2,64):(64,128,256,1)"_axe; // three digits of one dimension
    check_stepped_plan(r, 4);
}
