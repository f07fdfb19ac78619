// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question that cannot be decided is not a no: its negation does not compile either.
// expect-clang: no_value_because\(.*the shape has \{0\} elements, the layout \{1\}.*, 25, 24
// expect-gcc: the shape has \{0\} elements, the layout \{1\}
#include <axe/testing/predicates.hpp>
#include <axe/text/literals.hpp>

using namespace axe::literals;
#ifdef AXE_CONTROL
static_assert(!axe::groups_by("(4,6):(7,1)"_axe, {3, 8}));
#else
static_assert(!axe::groups_by("(4,6):(7,1)"_axe, {5, 5}));
#endif
