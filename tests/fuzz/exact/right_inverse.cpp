// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/right_inverse.cpp>

namespace fuzz::exact {

void right_inverse(Report& report, const Question& q)
{
    if (small(q.a, 48, 1) && on_axis(q.a, axe::Axis{})) check_right_inverse(report, q.a);
}

} // namespace fuzz::exact
