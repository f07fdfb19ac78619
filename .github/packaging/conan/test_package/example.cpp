// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of a user of the library: it must build with no more than the target axe::axe.
#include <axe/layout/layout.hpp>
#include <axe/version.hpp>

#include <cstdio>

int main()
{
    constexpr auto layout = axe::make_layout({{8, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}});
    static_assert(*axe::size(*layout) == 128);
    std::printf("axe %d.%d.%d: %lld elements\n", AXE_VERSION_MAJOR, AXE_VERSION_MINOR, AXE_VERSION_PATCH,
                static_cast<long long>(*axe::size(*layout)));
}
