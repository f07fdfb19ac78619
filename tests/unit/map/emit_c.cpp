// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/emit_c.hpp>
#include <axe/map/parse.hpp>

#include <catch.hpp>

#include <limits>

namespace {

std::string code(const char* map, const axe::EmitOptions& options = {})
{
    return axe::emit_c(axe::parse_map(map).value(), options).value();
}
/// Of the only result.
std::string result(const char* map)
{
    const std::string text = code(map, {"f", false});
    const std::size_t at = text.find("r[0] = ") + 7;
    return text.substr(at, text.find(';', at) - at);
}

} // namespace

TEST_CASE("emit_c: a function that knows its domain")
{
    CHECK(code("(d0, d1) -> (d0 * 8 + d1, (d0 * 8 + d1) mod 3), domain: d0 in [0, 3], d1 in [0, 7], d0 + d1 in [0, 9]",
               {"at", true}) == "static inline bool at(int d0, int d1, int* r)\n"
                                "{\n"
                                "    if (d0 < 0 || d0 > 3) return false;\n"
                                "    if (d1 < 0 || d1 > 7) return false;\n"
                                "    const int t0 = d0 + d1;\n"
                                "    if (t0 < 0 || t0 > 9) return false;\n"
                                "    const int t1 = d0 * 8 + d1;\n"
                                "    r[0] = t1;\n"
                                "    r[1] = t1 % 3;\n"
                                "    return true;\n"
                                "}\n");
    CHECK(code("() -> ()", {"nothing", false}) == "static inline void nothing(int* r)\n{\n    (void)r;\n}\n");
}

TEST_CASE("emit_c: powers of two are shifts and masks, of negative numbers too")
{
    CHECK(result("(d0) -> (d0 floordiv 8), domain: d0 in [-9, 9]") == "(d0 >> 3)");
    CHECK(result("(d0) -> (d0 mod 8), domain: d0 in [-9, 9]") == "(d0 & 7)");
    CHECK(result("(d0) -> (d0 floordiv -8), domain: d0 in [0, 9]") == "((-d0) >> 3)");
    CHECK(result("(d0) -> (d0 mod -8), domain: d0 in [0, 9]") == "-((-d0) & 7)");
    CHECK(result("(d0) -> (d0 floordiv -1), domain: d0 in [0, 9]") == "(-d0)");
}

TEST_CASE("emit_c: other divisions are corrected only where the dividend may be negative")
{
    CHECK(result("(d0) -> (d0 floordiv 3), domain: d0 in [0, 9]") == "d0 / 3");
    CHECK(result("(d0) -> (d0 mod 3), domain: d0 in [0, 9]") == "d0 % 3");
    CHECK(result("(d0) -> (d0 floordiv 3), domain: d0 in [-1, 9]") == "(d0 / 3 - (d0 % 3 < 0))");
    CHECK(result("(d0) -> (d0 mod 3), domain: d0 in [-1, 9]") == "(d0 % 3 + (d0 % 3 < 0 ? 3 : 0))");
    CHECK(result("(d0) -> (d0 floordiv -3), domain: d0 in [-9, 0]") == "(-d0) / 3");
}

TEST_CASE("emit_c: sums are written with their signs")
{
    CHECK(result("(d0, d1) -> (d0 - d1 * 4 - 42), domain: d0 in [0, 9], d1 in [0, 9]") == "d0 - d1 * 4 - 42");
    CHECK(result("(d0, d1) -> (-d0 + d1), domain: d0 in [0, 9], d1 in [0, 9]") == "d1 - d0");
    CHECK(result("(d0, d1) -> ((d0 + d1) * (d0 - d1)), domain: d0 in [0, 9], d1 in [0, 9]") == "(d0 + d1) * (d0 - d1)");
}

TEST_CASE("emit_c: the integer is as wide as what is computed")
{
    CHECK(code("(d0) -> (d0 * 1000), domain: d0 in [0, 1000000]").find("int d0") != std::string::npos);
    CHECK(code("(d0) -> (d0 * 10000), domain: d0 in [0, 1000000]").find("long long d0") != std::string::npos);
    const auto large = axe::emit_c(axe::parse_map("(d0) -> (d0 * d0), domain: d0 in [0, 4000000000]").value());
    REQUIRE_FALSE(large);
    CHECK(large.code() == axe::errc::overflow);
    axe::IndexingMap least = axe::IndexingMap::over({2});
    least.results.push_back(least.pool.constant(std::numeric_limits<std::int64_t>::min()));
    CHECK(axe::emit_c(least).value().find("r[0] = (-9223372036854775807 - 1);") != std::string::npos);
}

TEST_CASE("emit_c: what has no code")
{
    const auto undefined = axe::emit_c(axe::IndexingMap::undefined());
    REQUIRE_FALSE(undefined);
    CHECK(undefined.code() == axe::errc::bad_argument);
    for (const char* name : {"", "7up", "a-b", "a b"}) CHECK_FALSE(axe::emit_c(axe::parse_map("() -> ()").value(), {name, true}));
    // Of an empty domain there is: it is never inside.
    CHECK(code("(d0) -> (d0), domain: d0 in [3, 1]").find("if (true) return false;") != std::string::npos);
}

TEST_CASE("emit_c: a deep expression is not a deep recursion")
{
    axe::IndexingMap m = axe::IndexingMap::over({10});
    axe::IndexExpr e = m.dimension(0);
    for (int i = 0; i < 200000; ++i) e = m.pool.mod(m.pool.add(e, 1), i % 2 == 0 ? 7 : 5);
    m.results.push_back(e);
    const std::size_t size = axe::emit_c(m).value().size();
    CHECK(size > 1000000);
    CHECK(size < 20000000);
}

TEST_CASE("emit_c: minimum, maximum and divisors that are expressions")
{
    CHECK(result("(d0, d1) -> (min(d0, d1)), domain: d0 in [0, 9], d1 in [0, 9]") == "(d0 < d1 ? d0 : d1)");
    CHECK(result("(d0, d1) -> (d0 floordiv d1), domain: d0 in [0, 9], d1 in [1, 9]") == "d0 / d1");
    CHECK(result("(d0, d1) -> (d0 mod d1), domain: d0 in [-9, 9], d1 in [1, 9]") ==
          "(d0 % d1 + (d0 % d1 != 0 && (d0 < 0) != (d1 < 0) ? d1 : 0))");
    const auto none = axe::emit_c(axe::parse_map("(d0, d1) -> (d0 mod d1), domain: d0 in [0, 9], d1 in [0, 9]").value());
    CHECK(none.code() == axe::errc::too_hard);
}
