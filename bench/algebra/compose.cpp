// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compose, by what the inner layout does to the digits of the outer one; and inverse.
#include "layouts.hpp"

namespace {

using namespace bench;

/// 512 elements, the digits in another order in memory than in the index.
Layout blocked(Factors f) { return {{{4, 8 * f.b, "m"}, {16 * f.a, 32 * f.b, "m"}, {8 * f.b, 1, "m"}}}; }

[[maybe_unused]] const bool registered = [] {
    const auto compose = [](const Layout& a, const Layout& b) { return axe::compose(a, b); };
    const auto with = [&](const std::string& name, auto outer, auto inner) {
        add("compose/" + name, [=](Factors f) { return std::tuple(Layout(outer(f)), Layout(inner(f))); }, compose);
    };
    const auto fragment_of = [](Factors f) { return fragment(f).layout; };
    const auto interleaved_of = [](Factors f) { return interleaved(f).layout; };
    // The digits of the outer layout in another order.
    with("blocked_permuted", blocked,
         [](Factors f) { return Layout{{{16 * f.a, 8 * f.b, "m"}, {8 * f.b, 1, "m"}, {4, 128 * f.a * f.b, "m"}}}; });
    with("fragment_permuted", fragment_of,
         [](Factors f) { return Layout{{{8, 2 * f.b, "m"}, {8 * f.a, 16 * f.b, "m"}, {2 * f.b, 1, "m"}}}; });
    with("interleaved_permuted", interleaved_of,
         [](Factors f) { return Layout{{{32 * f.b, 1, "m"}, {2, 32 * f.b, "m"}, {4 * f.a, 64 * f.b, "m"}}}; });
    // Every fourth column of every other row, backwards in the rows.
    with("blocked_strided", blocked, [](Factors f) {
        return Layout{
            {{4, 128 * f.a * f.b, "m"}, {8 * f.a, -16 * f.b, "m"}, {2 * f.b, 4, "m"}}, {}, {{"m", (8 * f.a - 1) * 16 * f.b}}};
    });
    with("interleaved_strided", interleaved_of,
         [](Factors f) { return Layout{{{8 * f.a, 32 * f.b, "m"}, {4, 8 * f.b, "m"}, {f.b * 2, 2, "m"}}}; });
    // One digit of the inner layout walks through several of the outer one.
    with("blocked_carries", blocked, [](Factors f) { return Layout{{{256 * f.a * f.b, 2, "m"}}}; });
    with(
        "mesh_carries", [](Factors f) { return mesh(f).layout; },
        [](Factors f) { return Layout{{{8 * f.a, 64 * f.b, "m"}, {8 * f.b, 2, "m"}, {2, 1, "m"}}}; });
    with(
        "replicated_carries", [](Factors f) { return replicated(f).layout; },
        [](Factors f) { return Layout{{{8 * f.a, 4 * f.b, "m"}, {2 * f.b, 1, "m"}}, {}, {{"m", 256 * f.a * f.b}}}; });
    // The extents of the two share no chain of divisors: found by search.
    with(
        "search", [](Factors f) { return Layout{{{4 * f.a, 7 * f.b, "m"}, {6 * f.b, 1, "m"}}}; },
        [](Factors f) { return Layout{{{3, 8 * f.b, "m"}, {2 * f.b, 1, "m"}}}; });

    const auto inverse = [](const Layout& l, const Layout::Axes& axes) { return axe::inverse(l, axes); };
    const auto back = [&](const std::string& name, auto layout, Layout::Axes axes) {
        add("inverse/" + name, [=](Factors f) { return std::tuple(Layout(layout(f)), axes); }, inverse);
    };
    back("fragment", [](Factors f) { return Layout{{{8 * f.a, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2 * f.b, 1, "reg"}}}; },
         {"warp", "lane", "reg"});
    back("blocked", blocked, {"m"});
    back("scratchpad", [](Factors f) { return scratchpad(f).layout; }, {"P", "F"});
    back("interleaved", interleaved_of, {"lane", "m"});
    back("backwards",
         [](Factors f) {
             return Layout{{{2, 2, "gpuid"}, {16 * f.a, -8 * f.b, "m"}, {2, 1, "gpuid"}, {8 * f.b, 1, "m"}},
                           {},
                           {{"m", (16 * f.a - 1) * 8 * f.b}}};
         },
         {"gpuid", "m"});
    return true;
}();

} // namespace
