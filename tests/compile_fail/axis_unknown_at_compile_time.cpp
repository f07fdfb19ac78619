// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that is only known at run time does not become an axis unchecked: that is Axis::make, which returns a Result.
// expect-gcc: is not a constant expression|could not convert|no matching function
// expect-clang: is not a constant expression|no matching
#include <axe/layout/axis.hpp>

axe::Axis from_user(const char (&text)[5])
{
#ifdef AXE_CONTROL
    return axe::Axis::make(text, 4).value_or(axe::Axis{});
#else
    return axe::Axis{text};
#endif
}
