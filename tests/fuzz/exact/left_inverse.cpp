// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/left_inverse.cpp>

namespace fuzz::exact {

void left_inverse(Report& report, const Question& q)
{
    if (small(q.a, 64, 1) && on_axis(q.a, axe::Axis{}) && fuzz::span(q.a, axe::Axis{}) <= 64) check_left_inverse(report, q.a);
}

} // namespace fuzz::exact
