// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout's text is read by the compiler.
// expect: expected .* in the strides at character \{0\}
// expect: at_position\[12\]|14, 12\)
#include <axe/text/literals.hpp>

using namespace axe::literals;
#ifdef AXE_CONTROL
constexpr axe::Layout layout = "(8,16):(16,1)"_axe;
#else
constexpr axe::Layout layout = "(8,16):(16,1"_axe;
#endif
static_assert(layout.shard.size() == 2);
