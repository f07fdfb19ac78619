// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>
#include <tests/laws/canonicalize.cpp>

namespace fuzz::exact {

void canonicalize(Report& report, const Question& q)
{
    if (small(q.a, 512, 256)) check_canonical(report, q.a);
}

} // namespace fuzz::exact
