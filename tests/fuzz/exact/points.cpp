// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/points.cpp>

namespace fuzz::exact {

void points(Report& report, const Question& q)
{
    if (small(q.a, 64, 64)) check_forward(report, q.a);
}

void preimage(Report& report, const Question& q)
{
    for (const auto& e : q.point)
        if (e.value <= -oracle::limit / 2 || e.value >= oracle::limit / 2) return;
    if (small(q.a, 512, 64) && admits(q.a, q.a_shape)) check_backward(report, q.a, q.a_shape, q.point);
}

} // namespace fuzz::exact
