// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What somebody writes who has nothing of axe but the single header.
#include "axe.hpp"

#include <cstdio>

using namespace axe::literals;

int main()
{
    constexpr auto tile = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)"_axe;
    static_assert(axe::equal(tile, "(8,2,4,1,2):(4@lane,1@warp,1@lane,7,1@reg)"_axe));
    const auto half = axe::slice(tile, {8, 16}, {{0, 8}, {8, 16}});
    const auto odd = axe::slice(tile, {8, 16}, {{0, 8}, {5, 12}});
    std::printf("%s\n%s\n", half ? axe::print(*half).c_str() : "", odd.error().message().c_str());
}
