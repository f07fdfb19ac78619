// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/variables_of.hpp>

#include <catch.hpp>

TEST_CASE("variables_of: those below the expression, and no others")
{
    const auto m = axe::parse_map("(d0, d1)[s0]{rt0} -> (d0 mod 3 + rt0, (d1 + s0) floordiv 2, 7)").value();
    using Mentioned = std::vector<bool>;
    CHECK(axe::variables_of(m, m.results[0]) == Mentioned{true, false, false, true});
    CHECK(axe::variables_of(m, m.results[1]) == Mentioned{false, true, true, false});
    CHECK(axe::variables_of(m, m.results[2]) == Mentioned{false, false, false, false});
}
