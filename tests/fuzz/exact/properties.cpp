// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/properties.cpp>

namespace fuzz::exact {

void properties(Report& report, const Question& q)
{
    Wide volume = 1;
    for (const auto& e : q.point)
        if (e.value < 1 || (volume *= e.value) > 4096) return;
    if (small(q.a, 64, 32)) check_properties(report, q.a, q.point);
}

void contiguous(Report& report, const Question& q)
{
    if (small(q.a, 512, 64)) check_contiguous(report, q.a);
}

void max_vector(Report& report, const Question& q)
{
    if (small(q.a, 512, 64) && admits(q.a, q.a_shape) && q.dim >= 0 && q.dim < q.a_shape.size())
        check_max_vector(report, q.a, q.a_shape, q.dim, oracle::axis_number(q.axis));
}

} // namespace fuzz::exact
