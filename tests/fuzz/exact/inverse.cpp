// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/inverse.cpp>

namespace fuzz::exact {

void inverse(Report& report, const Question& q)
{
    for (int i = 0; i < q.axes.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (q.axes[i] == q.axes[k]) return;
    if (small(q.a, 512, 1)) check_inverse(report, q.a, q.axes);
}

} // namespace fuzz::exact
