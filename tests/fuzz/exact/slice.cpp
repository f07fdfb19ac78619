// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/slice.cpp>

namespace fuzz::exact {

void slice(Report& report, const Question& q)
{
    if (!small(q.a, 512, 64) || !admits(q.a, q.a_shape) || q.region.size() != q.a_shape.size()) return;
    for (int d = 0; d < q.region.size(); ++d)
        if (q.region[d].lo < 0 || q.region[d].lo >= q.region[d].hi || q.region[d].hi > q.a_shape[d]) return;
    check_slice(report, q.a, q.a_shape, q.region);
}

} // namespace fuzz::exact
