// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error is no condition: success is never spelled "not".
// expect: could not convert|not contextually convertible|no match for|invalid argument type
#include <axe/layout/shape.hpp>

bool sound(const axe::Shape& shape)
{
#ifdef AXE_CONTROL
    return axe::volume(shape).error().ok();
#else
    return !axe::volume(shape).error();
#endif
}
