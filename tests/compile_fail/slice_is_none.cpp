// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns 5 to 11 are not a layout; columns 8 to 15 are.
// expect-clang: no_value_because\(.*dimension \{0\}.*1, 5, 12
// expect-gcc: dimension \{0\}: the slice \[\{1\}, \{2\}\) is not a layout
#include <axe/layout/slice.hpp>

constexpr axe::Layout fragment = *axe::make_layout({{8, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2, 1, "reg"}});
#ifdef AXE_CONTROL
constexpr axe::Layout part = *axe::slice(fragment, {8, 16}, {{0, 8}, {8, 16}});
#else
constexpr axe::Layout part = *axe::slice(fragment, {8, 16}, {{0, 8}, {5, 12}});
#endif
static_assert(part.replica.empty());
