// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/tile.cpp>

namespace fuzz::exact {

void tile(Report& report, const Question& q)
{
    if (!pair_admitted(q) || !small(q.a, 64, 16) || !small(q.b, 64, 16)) return;
    if (reach(q.a) * (reach(q.b) + 1) < oracle::limit / 2) check_tile(report, q.a, q.a_shape, q.b, q.b_shape);
}

} // namespace fuzz::exact
