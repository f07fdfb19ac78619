// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to call the same eight operations at compile time: one constant expression, so that its steps are those of all eight.
#include <axe/axe.hpp>

namespace {

using axe::Layout;

constexpr Layout fragment{{{8, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2, 1, "reg"}}, {{2, 4, "warp"}}, {{"warp", 5}}};
constexpr Layout split{
    {{8, 4, "lane"}, {2, 1, "warp"}, {2, 2, "lane"}, {2, 1, "lane"}, {2, 1, "reg"}}, {{2, -4, "warp"}}, {{"warp", 9}}};
constexpr Layout grid{{{2, 3, "cta"}, {3, 1, "cta"}}};
constexpr Layout matrix{{{4, 8, "m"}, {16, 32, "m"}, {8, 1, "m"}}};
constexpr Layout columns{{{16, 8, "m"}, {8, 1, "m"}, {4, 128, "m"}}};

consteval bool eight()
{
    const auto many = axe::tile(grid, {2, 3}, fragment, {8, 16}).value();
    return axe::canonicalize(split).value() == axe::canonicalize(fragment).value() && axe::equal(split, fragment) &&
           axe::group(split, {8, 16}).value().rank() == 2 &&
           axe::equal(axe::untile(many, {16, 48}, fragment, {8, 16}).value(), grid) &&
           axe::slice(fragment, {8, 16}, {{0, 8}, {8, 16}}).has_value() && axe::compose(matrix, columns).has_value() &&
           axe::inverse(matrix, {"m"}).has_value();
}
static_assert(eight());

} // namespace
