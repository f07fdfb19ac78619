// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/compose.cpp>

namespace fuzz::exact {

void compose(Report& report, const Question& q)
{
    if (small(q.a, 512, 64) && small(q.b, 512, 1) && on_axis(q.b, q.axis)) check_compose(report, q.a, q.b, q.axis);
}

} // namespace fuzz::exact
