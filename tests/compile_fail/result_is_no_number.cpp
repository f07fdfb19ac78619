// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Result is not a number by accident: asking for its value is written.
// expect: cannot convert|no viable conversion|cannot initialize
#include <axe/layout/shape.hpp>

std::int64_t elements(const axe::Shape& shape)
{
#ifdef AXE_CONTROL
    return axe::volume(shape).value();
#else
    return axe::volume(shape);
#endif
}
