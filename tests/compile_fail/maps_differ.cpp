// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A disproved equality shows its sentence and the least index that differs.
// expect-clang: no_value_because\(.*the points of index \{0\} differ.*, 16, 0, 0
// expect-gcc: the points of index \{0\} differ.*at_position\[16\]
#include <axe/testing/predicates.hpp>
#include <axe/text/literals.hpp>

using namespace axe::literals;
#ifdef AXE_CONTROL
constexpr axe::Layout other = "128:1"_axe;
#else
constexpr axe::Layout other = "(8,16):(17,1)"_axe;
#endif
static_assert(axe::equals_map("(8,16):(16,1)"_axe, other).proven());
