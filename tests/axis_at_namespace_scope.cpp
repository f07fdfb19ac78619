// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that is not one, of an axis at namespace scope that is not constexpr.
#include <axe/layout/axis.hpp>

#ifdef AXE_CONTROL
axe::Axis axis{"short_name"};
#else
axe::Axis axis{"my_very_long_axis_name"};
#endif

int main() { return axis == axe::Axis("short_name") ? 0 : 1; }
