// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every public header compiles with -fno-exceptions -fno-rtti.
#include <all_headers.hpp>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#  error "this file must be compiled with -fno-exceptions -fno-rtti"
#endif

static_assert(axe::make_layout({{8, 16}, {16, 1}}).has_value());
