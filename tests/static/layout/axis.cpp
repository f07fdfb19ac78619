// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/axis.hpp>

using axe::Axis;

// The default axis is m, and is all zeros.
static_assert(Axis{} == Axis{"m"});
static_assert(Axis{"m"}.high == 0 && Axis{"m"}.low == 0);
static_assert(!(Axis{} == Axis{"M"}));
static_assert(!(Axis{} == Axis{"mm"}));

// Alphabetical by character code, around m as well as past the eighth character.
static_assert(Axis{"lane"} < Axis{"m"} && Axis{"m"} < Axis{"reg"} && !(Axis{"m"} < Axis{"lane"}));
static_assert(Axis{"P"} < Axis{"lane"});
static_assert(Axis{"warp"} < Axis{"warpgroup"} && !(Axis{"warpgroup"} < Axis{"warp"}));
static_assert(Axis{"abcdefgha"} < Axis{"abcdefghb"} && !(Axis{"abcdefghb"} < Axis{"abcdefgha"}));
static_assert(!(Axis{"lane"} < Axis{"lane"}));

static_assert(Axis::make("lane", 4).value() == Axis{"lane"});
static_assert(Axis::make("a_b.c9", 6).has_value());
static_assert(Axis::make("", 0).code() == axe::errc::bad_axis);
static_assert(Axis::make("_x", 2).error().position == 0);
static_assert(Axis::make("la ne", 5).error().position == 2);
static_assert(Axis::make("abcdefghijklmno", 15).has_value());
static_assert(Axis::make("abcdefghijklmnop", 16).error().position == 15);
