// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A literal that reads well but is not a layout: the refusal is that of `check`.
// expect-clang: no_value_because\(.*the extent of iter \{0\} is \{1\}; it must be at least 1.*1, -2, 0
// expect-gcc: the extent of iter \{0\} is \{1\}; it must be at least 1
#include <axe/text/literals.hpp>

using namespace axe::literals;

#ifdef AXE_CONTROL
constexpr auto layout = "(8,2):(16,1)"_axe;
#else
constexpr auto layout = "(8,-2):(16,1)"_axe;
#endif
static_assert(layout.shard.size() == 2);
