// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/equal.cpp>

namespace fuzz::exact {

void equal(Report& report, const Question& q)
{
    if (small(q.a, 512, 4096) && small(q.b, 512, 4096)) check_equal(report, q.a, q.b);
}

} // namespace fuzz::exact
