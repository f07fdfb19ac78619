// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/untile.cpp>

namespace fuzz::exact {

void untile(Report& report, const Question& q)
{
    if (pair_admitted(q) && small(q.a, 512, 48) && small(q.b, 128, 48) && few_replicas(q.a) && few_replicas(q.b))
        check_untile(report, q.a, q.a_shape, q.b, q.b_shape);
}

void untile_outer(Report& report, const Question& q)
{
    if (!pair_admitted(q) || !small(q.a, 512, 48) || !small(q.b, 128, 48) || !few_replicas(q.a) || !few_replicas(q.b)) return;
    if (reach(q.b) * (reach(q.a) + 1) < oracle::limit / 2) check_untile_outer(report, q.a, q.a_shape, q.b, q.b_shape);
}

} // namespace fuzz::exact
