// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static layout on several axes has no single address; each axis is asked for by name.
// expect: the layout has several axes
#include <axe/layout/static_layout.hpp>

constexpr axe::Layout lanes = *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}});
#ifdef AXE_CONTROL
static_assert(axe::static_layout<lanes>::on<"lane">(3, 1) == 12);
#else
static_assert(axe::static_layout<lanes>{}(3, 1) == 12);
#endif
