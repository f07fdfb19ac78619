// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A literal that is not a layout: the refusal says what was expected, and at which character.
// expect: expected .*':.* after the extents at character \{0\}
// expect-clang: no_value_because\(.*expected ':' after the extents.*6, 0, 0
#include <axe/text/literals.hpp>

using namespace axe::literals;

#ifdef AXE_CONTROL
constexpr auto layout = "(8,16):(16,1)"_axe;
#else
constexpr auto layout = "(8,16)(16,1)"_axe;
#endif
static_assert(layout.shard.size() == 2);
