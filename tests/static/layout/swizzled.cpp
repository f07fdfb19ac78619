// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>

/// Operations of swizzled layouts, and regions of a shape, at compile time.
namespace {

using namespace axe::literals;

static_assert(axe::equal(axe::tile("(8,4):(1,8)"_swizzled, {8, 4}, "swizzle<3,3,3>(512:1)"_swizzled, {8, 64}).value(),
                         "swizzle<3,3,3>((64,4,64):(64,4096,1))"_swizzled));
static_assert(axe::span("swizzle<1,0,1>(2:2)"_swizzled, axe::Axis{}).value() == 4);
static_assert(axe::canonicalize("swizzle<3,3,3>((8,64):(64,1))"_swizzled).value() == "swizzle<3,3,3>(512:1)"_swizzled);
// read off the points
static_assert(axe::sum("swizzle<3,3,3>((8,8):(64,8))"_swizzled, {64}, "8:1"_swizzled, {8}).value() ==
              "swizzle<3,3,3>(512:1)"_swizzled);
static_assert(axe::sum("4:1"_swizzled, {4}, "swizzle<1,0,1>(2:4)"_swizzled, {2}).code() == axe::errc::no_layout);
static_assert(axe::parse_region_of("[:, 4:]", axe::Shape{8, 16}).value() == axe::Region{{0, 8}, {4, 16}});

} // namespace
