// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/unsum.cpp>

namespace fuzz::exact {

void unsum(Report& report, const Question& q)
{
    if (pair_admitted(q) && small(q.a, 512, 48) && small(q.b, 128, 48) && few_replicas(q.a) && few_replicas(q.b))
        check_unsum(report, q.a, q.a_shape, q.b, q.b_shape);
}

} // namespace fuzz::exact
