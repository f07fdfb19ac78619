// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler disproves does not compile.
// expect: static assertion failed|static_assert failed
#include <axe/layout/equal.hpp>

constexpr axe::Layout rows = *axe::make_layout({{8, 16}, {16, 1}});
#ifdef AXE_CONTROL
constexpr axe::Layout other = *axe::make_layout({{128, 1}});
#else
constexpr axe::Layout other = *axe::make_layout({{8, 1}, {16, 8}});
#endif
static_assert(axe::equal(rows, other));
