// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one of two translation units in which every public header compiles with -fno-exceptions -fno-rtti.
#include "two_tu.hpp"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#  error "this file must be compiled with -fno-exceptions -fno-rtti"
#endif

SeenThere seen_there()
{
    return {&axe::max_rank, &axe::size<axe::Layout>, *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}})};
}
