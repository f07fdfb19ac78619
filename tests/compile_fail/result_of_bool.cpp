// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Result<bool> as a condition would say that there is an answer, and hide a no.
// expect: would hide a no
#include <axe/support/result.hpp>

#ifdef AXE_CONTROL
axe::Result<int> answer(int n) { return n; }
#else
axe::Result<bool> answer(int n) { return n > 0; }
#endif
bool asked() { return answer(1).has_value(); }
