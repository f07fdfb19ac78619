// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two translation units that include every header link, and share one copy of what is inline.
#include "two_tu.hpp"

#include <cstdio>

int main()
{
    const SeenThere there = seen_there();
    if (there.capacity != &axe::max_rank || there.size != static_cast<decltype(there.size)>(&axe::size<axe::Layout>)) {
        std::puts("the two translation units have different copies of one inline entity");
        return 1;
    }
    if (!(there.layout == *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}})) || *axe::size(there.layout) != 16) {
        std::puts("a layout made in one translation unit reads differently in the other");
        return 1;
    }
}
