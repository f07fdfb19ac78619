// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extents of a text would be the codes of its characters.
// expect: deleted
// expect-gcc: ParseShape
// expect-clang: explicitly deleted
#include <axe/layout/shape.hpp>
#include <string_view>

#ifdef AXE_CONTROL
struct Extents {
    int values[2];
    const int* begin() const { return values; }
    const int* end() const { return values + 2; }
};
axe::Shape shape(Extents extents) { return axe::Shape(extents); }
#else
axe::Shape shape(std::string_view text) { return axe::Shape(text); }
#endif
