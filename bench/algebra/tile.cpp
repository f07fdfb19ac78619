// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile and sum, and what takes a factor off again.
#include "layouts.hpp"

namespace {

using namespace bench;

/// The tiles of the case, three by two of them over the compute units; the whole stays below 2^62.
Shaped over_units() { return {{{{3, 2, "cta"}, {2, 1, "cta"}}}, {3, 2}}; }
/// Repeats along the axes that the tile itself uses: strides are scaled by spans.
Shaped over_memory() { return {{{{2, 3, "m"}, {3, 1, "m"}}, {{2, 1, "warp"}}, {{"m", 1}}}, {2, 3}}; }

Shape interleaved_shape(const Shape& outer, const Shape& inner)
{
    Shape whole = inner;
    for (int d = 0; d < whole.size(); ++d) whole[d] *= outer[d];
    return whole;
}

[[maybe_unused]] const bool registered = [] {
    const auto tile = [](const Layout& c, const Shape& cs, const Layout& b, const Shape& bs) { return axe::tile(c, cs, b, bs); };
    const auto sum = [](const Layout& c, const Shape& cs, const Layout& b, const Shape& bs) { return axe::sum(c, cs, b, bs); };
    const auto untile = [](const Layout& a, const Shape& as, const Layout& b, const Shape& bs) {
        return axe::untile(a, as, b, bs);
    };
    const auto untile_outer = [](const Layout& a, const Shape& as, const Layout& c, const Shape& cs) {
        return axe::untile_outer(a, as, c, cs);
    };
    const auto with = [&](const std::string& name, Shaped (*inner)(Factors), Shaped (*outer)()) {
        const auto parts = [=](Factors f) {
            const Shaped c = outer(), b = inner(f);
            return std::tuple(c.layout, c.shape, b.layout, b.shape);
        };
        const auto whole = [=](Factors f) {
            const Shaped c = outer(), b = inner(f);
            return Shaped{axe::tile(c.layout, c.shape, b.layout, b.shape).value(), interleaved_shape(c.shape, b.shape)};
        };
        add("tile/" + name, parts, tile);
        add("sum/" + name, parts, sum);
        add(
            "untile/" + name,
            [=](Factors f) {
                const Shaped a = whole(f), b = inner(f);
                return std::tuple(a.layout, a.shape, b.layout, b.shape);
            },
            untile);
        add(
            "untile_outer/" + name,
            [=](Factors f) {
                const Shaped a = whole(f), c = outer();
                return std::tuple(a.layout, a.shape, c.layout, c.shape);
            },
            untile_outer);
    };
    with("fragment", fragment, over_units);
    with("mesh", mesh, over_units);
    with("scratchpad", scratchpad, over_units);
    with("interleaved", interleaved, over_units);
    with("replicated", replicated, over_memory);
    return true;
}();

} // namespace
