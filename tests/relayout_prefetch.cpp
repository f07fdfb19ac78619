// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/relayout.hpp>

axe::Result<void, axe::Problem> run(const axe::RelayoutPlan& plan, void* to, const void* from, std::size_t bytes)
{
    return plan.run(to, bytes, from, bytes);
}
