// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A status is no condition: which of its two answers would be the yes?
// expect: could not convert|not contextually convertible
#include <axe/layout/layout.hpp>

bool sound(const axe::Layout& layout)
{
#ifdef AXE_CONTROL
    if (axe::check(layout).ok()) return true;
#else
    if (axe::check(layout)) return true;
#endif
    return false;
}
