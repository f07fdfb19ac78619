// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slice, by what the region does to the digits.
#include "layouts.hpp"

namespace {

using namespace bench;

[[maybe_unused]] const bool registered = [] {
    const auto slice = [](const Layout& l, const Shape& s, const Region& r) { return axe::slice(l, s, r); };
    const auto with = [&](const std::string& name, Shaped (*shaped)(Factors), auto region) {
        add(
            "slice/" + name,
            [=](Factors f) {
                const Shaped l = shaped(f);
                return std::tuple(l.layout, l.shape, region(f));
            },
            slice);
    };
    // Whole digits.
    with("fragment_aligned", fragment, [](Factors f) { return Region{{0, 8 * f.a}, {8 * f.b, 16 * f.b}}; });
    with("mesh_aligned", mesh, [](Factors f) { return Region{{16 * f.a, 32 * f.a}, {0, 8 * f.b}}; });
    with("interleaved_aligned", interleaved, [](Factors f) { return Region{{0, 4 * f.a}, {16 * f.b, 32 * f.b}}; });
    with("replicated_aligned", replicated, [](Factors f) { return Region{{8 * f.a, 16 * f.a}, {4 * f.b, 8 * f.b}}; });
    // Parts of digits, no digit carries into the next.
    with("mesh_no_wrap", mesh, [](Factors f) { return Region{{3 * f.a, 10 * f.a}, {9 * f.b, 14 * f.b}}; });
    with("scratchpad_no_wrap", scratchpad, [](Factors f) { return Region{{5 * f.a, 12 * f.a}, {3 * f.b, 30 * f.b}}; });
    // The window crosses from one tile to the next, half of it on either side: in one dimension, in both.
    with("tiled_one_wrap", tiled, [](Factors f) { return Region{{0, 16 * f.a}, {4 * f.b, 12 * f.b}}; });
    with("tiled_two_wraps", tiled, [](Factors f) { return Region{{8 * f.a, 24 * f.a}, {4 * f.b, 12 * f.b}}; });

    // Shapes that do not group the layout: (4,6) on (3,8).
    const auto ungrouped = [](Factors f) { return Shaped{{{{4 * f.a, 7 * f.b, "m"}, {6 * f.b, 1, "m"}}}, {3 * f.a, 8 * f.b}}; };
    with("ungrouped", +ungrouped, [](Factors f) { return Region{{1, 2}, {0, 4 * f.b}}; });
    with("ungrouped_search", +ungrouped, [](Factors f) { return Region{{0, 3}, {0, 2 * f.b}}; });
    return true;
}();

} // namespace
