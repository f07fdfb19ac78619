// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/shorten.hpp>

#include <catch.hpp>

namespace {

std::string shortened(const char* text) { return axe::print(axe::shorten(axe::parse_map(text).value()).value()); }

} // namespace

TEST_CASE("shorten: what a layout describes, and what it does not")
{
    // [4, 6, 5] -> [5, 24] -> [2, 20, 3], in row-major order the same place
    CHECK(shortened("(d0, d1, d2) -> (((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24), "
                    "domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]") ==
          "(d0, d1, d2) -> (d0 * 60 + d1 * 3 + d2), domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]");
    CHECK(shortened("(d0) -> (d0 * 1 + 0), domain: d0 in [0, 9], d0 * 2 in [3, 11]") == "(d0) -> (d0), domain: d0 in [2, 5]");
    CHECK(shortened("(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 in [3, 3]").find("0 in [0, -1]") != std::string::npos);
    CHECK(axe::shorten(axe::IndexingMap::undefined())->is_undefined);
}

TEST_CASE("nodes_in_use: those of results and constraints, each once")
{
    auto m = axe::IndexingMap::over({8, 8});
    const auto sum = m.pool.add(m.dimension(0), m.dimension(1));
    m.results = {sum, m.pool.mul(sum, 2)};
    m.pool.mod(sum, 5);                       // of nothing
    CHECK(axe::detail::nodes_in_use(m) == 5); // d0, d1, the sum, 2, the product
    m.constraints.push_back({m.pool.mod(sum, 5), {0, 1}});
    CHECK(axe::detail::nodes_in_use(m) == 6);
}
