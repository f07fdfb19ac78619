// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/group.cpp>

namespace fuzz::exact {

void group(Report& report, const Question& q)
{
    if (!q.a_shape.empty() && small(q.a, 512, 256) && admits(q.a, q.a_shape)) check_group(report, q.a, q.a_shape);
}

void group_many(Report& report, const Question& q)
{
    if (small(q.a, 256, 256) && admits(q.a, q.a_shape) && admits(q.a, q.other_shape))
        check_group_many(report, q.a, q.a_shape, q.other_shape);
}

} // namespace fuzz::exact
