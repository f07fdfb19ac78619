// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "two_tu.hpp"

SeenThere seen_there()
{
    return {&axe::max_rank, &axe::size<axe::Layout>, *axe::make_layout({{8, 4, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}})};
}
