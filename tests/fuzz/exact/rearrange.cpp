// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/rearrange.cpp>

namespace fuzz::exact {

void permute(Report& report, const Question& q)
{
    bool taken[axe::max_rank]{};
    if (!small(q.a, 512, 64) || !admits(q.a, q.a_shape) || q.order.size() != q.a_shape.size()) return;
    for (int d : q.order) {
        if (d < 0 || d >= q.order.size() || taken[d]) return;
        taken[d] = true;
    }
    check_permute(report, q.a, q.a_shape, q.order);
}

void broadcast(Report& report, const Question& q)
{
    if (!small(q.a, 512, 64) || !admits(q.a, q.a_shape) || q.dim < 0 || q.dim > q.a_shape.size() || q.n < 1 || q.n > 64) return;
    if (size(q.a) * q.n <= 2048) check_broadcast(report, q.a, q.a_shape, q.dim, q.n);
}

} // namespace fuzz::exact
