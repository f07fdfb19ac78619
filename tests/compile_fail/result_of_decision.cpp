// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Result of a Decision as a condition would say that there is an answer, and hide a no; the decision has an error itself.
// expect: would hide a no
#include <axe/support/result.hpp>

#ifdef AXE_CONTROL
bool asked() { return axe::Decision(true).yes(); }
#else
bool asked() { return axe::Result<axe::Decision>{axe::Decision(true)}.has_value(); }
#endif
