// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/complement.cpp>

namespace fuzz::exact {

void complement(Report& report, const Question& q)
{
    if (small(q.a, 512, 1) && on_axis(q.a, axe::Axis{}) && q.n >= 1 && q.n <= 4096) check_complement(report, q.a, q.n);
}

} // namespace fuzz::exact
