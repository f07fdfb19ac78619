// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/axes.cpp>

namespace fuzz::exact {

void pack(Report& report, const Question& q)
{
    if (small(q.a, 512, 64) && q.n >= 1)
        report.exists(pack_exists(oracle::table(q.a), q.n, oracle::axis_number(q.axis)), axe::pack(q.a, q.n, q.axis), q.a, q.n,
                      q.axis);
}

} // namespace fuzz::exact
