// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/text/explain.hpp>
#include <catch.hpp>

#include <string>

namespace {

using axe::errc;
using axe::IndexingMap;
using axe::parse_map;

std::string printed(const std::string& text)
{
    const auto map = parse_map(text);
    INFO("text: " << text << ", sentence: " << map.error().message().c_str());
    REQUIRE(map);
    return axe::print(*map);
}

/// The results at a point.
std::vector<std::int64_t> at(const std::string& text, const std::vector<std::int64_t>& values)
{
    return axe::evaluate(parse_map(text).value(), values).value();
}

} // namespace

TEST_CASE("the text of a map is read into its parts")
{
    const IndexingMap map =
        parse_map("(d0, d1)[s0]{rt0} -> (d0 + s0, d1 * rt0), domain: d0 in [0, 19], d1 in [-3, 4], s0 in [1, 2], "
                  "rt0 in [0, 47], d0 + s0 in [0, 3], is_simplified: true")
            .value();
    CHECK(map.dimensions == 2);
    CHECK(map.ranges == 1);
    CHECK(map.runtimes() == 1);
    CHECK(map.results.size() == 2);
    CHECK(map.variables[1].bounds == axe::IndexInterval{-3, 4});
    CHECK(map.variables[3].bounds == axe::IndexInterval{0, 47});
    CHECK(map.variables[0].name.empty());
    REQUIRE(map.constraints.size() == 1);
    CHECK(map.constraints[0].interval == axe::IndexInterval{0, 3});
    CHECK(map.constraints[0].expression == map.results[0]); // one node, found twice
    CHECK(axe::evaluate(map, {1, 3, 2, 10}).value() == std::vector<std::int64_t>{3, 30});
}

TEST_CASE("operators bind as in XLA, and all of them by floor")
{
    const std::string domain = ", domain: d0 in [-99, 99], d1 in [-99, 99]";
    const auto value = [&](const std::string& expression, std::int64_t d0, std::int64_t d1) {
        return at("(d0, d1) -> (" + expression + ")" + domain, {d0, d1})[0];
    };
    CHECK(value("d0 + d1 * 3 - 1", 5, 7) == 25);
    CHECK(value("d0 - d1 - 1", 5, 7) == -3);
    CHECK(value("d0 - (d1 - 1)", 5, 7) == -1);
    CHECK(value("d0 floordiv 3 * 3", 8, 0) == 6);
    CHECK(value("d0 * 3 floordiv 2 mod 5", 8, 0) == 2);
    CHECK(value("d0 floordiv 3", -7, 0) == -3);
    CHECK(value("d0 / 3", -7, 0) == -3);
    CHECK(value("d0 mod 3", -7, 0) == 2);
    CHECK(value("d0 % 3", -7, 0) == 2);
    CHECK(value("d0 mod -3", 7, 0) == -2);
    CHECK(value("d0 floordiv -3", 7, 0) == -3);
    CHECK(value("-d0 floordiv 3", 7, 0) == -3); // the sign binds before the division
    CHECK(value("-(d0 floordiv 3)", 7, 0) == -2);
    CHECK(value("d0 * -d1", 5, 7) == -35);
    CHECK(value("--d0 - -d1", 5, 7) == 12);
    CHECK(value("- 2 - -3", 0, 0) == 1);
    CHECK(value("d0 floordiv (1 + 2)", 8, 0) == 2);
    CHECK(value("d0 * d0 * d1", 5, 7) == 175);
    CHECK(value("((((d0))))", 5, 7) == 5);
}

TEST_CASE("a difference is read as the sum that it prints as")
{
    axe::IndexPool pool;
    const auto x = pool.variable(0), y = pool.variable(1);
    const IndexingMap map = parse_map("(d0, d1) -> (d0 - d1, d0 - d1 * 4, -(d1 * 4), d0 - (d1 * -4), d0 - 5)").value();
    const axe::IndexExpr want[] = {pool.add(x, pool.mul(y, -1)), pool.add(x, pool.mul(y, -4)), pool.mul(y, -4),
                                   pool.add(x, pool.mul(y, 4)), pool.add(x, -5)};
    IndexingMap other = map;
    other.pool = pool;
    other.results.assign(std::begin(want), std::end(want));
    CHECK(axe::print(map) == axe::print(other));
    CHECK(axe::print(map) == "(d0, d1) -> (d0 - d1, d0 - d1 * 4, d1 * -4, d0 + d1 * 4, d0 - 5)");
}

TEST_CASE("constraints and intervals come in any order, commas and the word domain are optional")
{
    const std::string want = "(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 7], d0 mod 2 in [0, 0], d0 + d1 in [0, 8]";
    CHECK(printed("(d0,d1)->(d0+d1),domain:d0 mod 2 in[0,0],d1 in[0,7],d0+d1 in[0,8],d0 in[0,3]") == want);
    CHECK(printed("(d0, d1) -> (d0 + d1)\ndomain:\nd0 in [0, 3]\nd1 in [0, 7]\nd0 mod 2 in [0, 0]\nd0 + d1 in [0, 8]\n") == want);
    CHECK(printed("(d0, d1) -> (d0 + d1), d0 in [0, 3], d1 in [0, 7], d0 mod 2 in [0, 0], d0 + d1 in [0, 8]") == want);
    CHECK(printed("(d0, d1) -> (d0 + d1) domain: d0 in [0, 3], d1 in [0, 7] d0 mod 2 in [0, 0] d0 + d1 in [0, 8] "
                  "is_simplified: false") == want);
    CHECK(
        printed(
            "(d0, d1) -> (d0 + d1),\r\n\tdomain:\n  d0 in [0, 3],\n  d1 in [0, 7],\n  d0 mod 2 in [0, 0],\n  d0 + d1 in [0, 8],\n  "
            "is_simplified: true\n") == want);
}

TEST_CASE("a constraint may begin with a sign, a parenthesis or a number, and may be of a variable alone")
{
    CHECK(printed("(d0) -> (d0), domain: d0 in [0, 9] (d0 - 1) mod 2 in [0, 0] -d0 in [-3, 0] 0 in [0, 1] 2 * d0 in [0, 6]") ==
          "(d0) -> (d0), domain: d0 in [0, 9], (d0 - 1) mod 2 in [0, 0], -d0 in [-3, 0], 0 in [0, 1], d0 * 2 in [0, 6]");
    const std::string alone = "(d0) -> (d0), domain: d0 in [0, 9], (d0) in [2, 3]";
    CHECK(printed(alone) == alone);
    CHECK(parse_map(alone).value().constraints.size() == 1);
    CHECK(printed("(d0) -> (d0), domain: d0 in [0, 9], d0 + 0 in [2, 3]") == alone);
}

TEST_CASE("a map without a domain is one of all integers")
{
    const IndexingMap map = parse_map("(d0)[s0] -> (d0 + s0)").value();
    CHECK(map.variables[0].bounds == axe::every_integer);
    CHECK(map.variables[1].bounds == axe::every_integer);
    CHECK(axe::print(map) == "(d0)[s0] -> (d0 + s0)");
    CHECK(printed("(d0) -> (d0), is_simplified: true") == "(d0) -> (d0)");
    CHECK(printed("() -> ()") == "() -> ()");
    CHECK(printed("() -> (7, -7), domain:") == "() -> (7, -7)");
    CHECK(printed("() -> (1), domain: is_simplified: true") == "() -> (1)");
}

TEST_CASE("variables keep their names: those of their places need none")
{
    const std::string threads = "(th_x, bl_x)[vector_elem]{rt} -> (bl_x * 128 + th_x, vector_elem, rt), domain: th_x in [0, 127], "
                                "bl_x in [0, 468], vector_elem in [0, 3], rt in [0, 1]";
    const IndexingMap map = parse_map(threads).value();
    CHECK(map.variables[0].kind == axe::IndexKind::thread_x);
    CHECK(map.variables[1].kind == axe::IndexKind::block_x);
    CHECK(map.variables[2].kind == axe::IndexKind::vector);
    CHECK(map.variables[3].kind == axe::IndexKind::none);
    CHECK(map.variables[0].name == "th_x");
    CHECK(axe::print(map) == threads);
    // A name that is another place's.
    const std::string crossed = "(d1, d0)[s_0.x] -> (d0, d1), domain: d1 in [0, 1], d0 in [0, 2], s_0.x in [0, 3]";
    CHECK(printed(crossed) == crossed);
    CHECK(parse_map(crossed).value().variables[0].name == "d1");
}

TEST_CASE("empty and undefined maps are read")
{
    CHECK(parse_map("UNDEFINED").value().is_undefined);
    CHECK(parse_map("KNOWN EMPTY").value().has_empty_interval());
    CHECK(parse_map(" KNOWN\nEMPTY ").value().has_empty_interval());
    CHECK(parse_map("(d0) -> (d0), domain: d0 in [10, 0]").value().has_empty_interval());
    CHECK(parse_map("(d0) -> (d0), domain: d0 in [0, 49], 0 in [10, 15]").value().constraints.size() == 1);
}

TEST_CASE("the numbers are all that 64 bits hold")
{
    const std::string all =
        "(d0) -> (d0 + -9223372036854775808, d0 + 9223372036854775807, d0 * -9223372036854775808), domain: d0 in "
        "[-9223372036854775808, 9223372036854775806]";
    CHECK(printed(all) == all);
    CHECK(at("(d0) -> (-9223372036854775808), domain: d0 in [0, 0]", {0})[0] == axe::every_integer.low);
}

TEST_CASE("any depth is read")
{
    constexpr int depth = 50'000;
    const auto of = [](const std::string& expression) { return "(d0) -> (" + expression + "), domain: d0 in [0, 1]"; };
    const std::string open(depth, '('), close(depth, ')'), signs(2 * depth, '-');
    CHECK(printed(of(open + "d0" + close)) == of("d0"));
    CHECK(printed(of(signs + "d0")) == of("d0"));
    CHECK_FALSE(parse_map(of(open + "d0")));
    CHECK_FALSE(parse_map(open));
    std::string mods, sums;
    for (int i = 0; i < depth; ++i) {
        mods += ") mod 7";
        sums += "1 + (d0 * ";
    }
    CHECK(printed(of(open + "d0" + mods)).size() == of(open + "d0" + mods).size() - 2); // no parentheses about d0
    const std::string once = printed(of(sums + "d0" + close));
    CHECK(printed(once) == once);
}

TEST_CASE("what is not a map is refused, with the character and what would be right")
{
    struct Row {
        const char* text;
        errc code;
        int position;
        const char* words;
    };
    const Row rows[] = {
        {"", errc::bad_syntax, 0, "expected '(' before the dimensions at character 0"},
        {"d0 -> (d0)", errc::bad_syntax, 0, "expected '(' before the dimensions"},
        {"(d0 d1) -> (d0)", errc::bad_syntax, 4, "expected ',' or ')' after the dimension"},
        {"(d0)[s0 -> (d0)", errc::bad_syntax, 8, "expected ',' or ']' after the range variable"},
        {"(d0){rt0 -> (d0)", errc::bad_syntax, 9, "expected ',' or '}' after the run-time variable"},
        {"(d0,) -> (d0)", errc::bad_syntax, 4, "expected the name of a variable"},
        {"(0) -> (0)", errc::bad_syntax, 1, "expected the name of a variable"},
        {"(mod) -> (0)", errc::bad_syntax, 1, "a keyword"},
        {"(d0)[d0] -> (d0)", errc::bad_argument, 5, "the variable at character 5 is already named"},
        {"(d0) (d0)", errc::bad_syntax, 5, "expected '->'"},
        {"(d0) - > (d0)", errc::bad_syntax, 5, "expected '->'"},
        {"(d0) -> d0", errc::bad_syntax, 8, "expected '(' before the results"},
        {"(d0) -> (d0 d0)", errc::bad_syntax, 12, "expected an operator, ',' or ')' in the results"},
        {"(d0) -> (d0 ceildiv 2)", errc::bad_syntax, 12, "expected an operator, ',' or ')' in the results"},
        {"(d0) -> ((d0 2))", errc::bad_syntax, 13, "expected an operator or ')'"},
        {"(d0) -> (d0", errc::bad_syntax, 11, "expected an operator, ',' or ')' in the results"},
        {"(d0) -> (d0,)", errc::bad_syntax, 12, "expected a number, a variable, '-' or '('"},
        {"(d0) -> (d0 +)", errc::bad_syntax, 13, "expected a number, a variable, '-' or '('"},
        {"(d0) -> (+d0)", errc::bad_syntax, 9, "expected a number, a variable, '-' or '('"},
        {"(d0) -> (mod d0)", errc::bad_syntax, 9, "a keyword"},
        {"(d0) -> (d1)", errc::bad_argument, 9, "the map has no variable of the name at character 9"},
        {"(d0) -> (d0 floordiv 0)", errc::bad_argument, 21, "the divisor at character 21 is 0"},
        {"(d0) -> (d0 mod (2 - 2))", errc::bad_argument, 16, "the divisor at character 16 is 0"},
        {"(d0) -> (min(d0)", errc::bad_syntax, 16, "expected an operator, ',' or ')' in the results at character 16"},
        {"(d0) -> (max())", errc::bad_syntax, 13, "expected a number, a variable, '-' or '(' at character 13"},
        {"(d0) -> (min(d0, (1, 2)))", errc::bad_syntax, 19, "expected an operator or ')' at character 19"},
        {"(d0) -> (9223372036854775808)", errc::overflow, 9, "the number at character 9 overflows"},
        {"(d0) -> (d0 - 9223372036854775808)", errc::overflow, 14, "the number at character 14 overflows"},
        {"(d0) -> (9223372036854775807 + 1)", errc::overflow, 29, "the sign at character 29 makes overflows"},
        {"(d0) -> (-(-9223372036854775808))", errc::overflow, 9, "the sign at character 9 makes overflows"},
        {"(d0) -> (d0) domain d0 in [0, 1]", errc::bad_syntax, 20, "expected ':' after domain"},
        {"(d0) -> (d0), domain: d0 in [0, 1],", errc::bad_syntax, 35, "expected an interval or a constraint after ','"},
        {"(d0) -> (d0), domain: d0 in [3", errc::bad_syntax, 30, "expected ',' after the least value"},
        {"(d0) -> (d0), domain: d0 in [3,", errc::bad_syntax, 31, "expected the greatest value"},
        {"(d0) -> (d0), domain: d0 in [, 3]", errc::bad_syntax, 29, "expected the least value"},
        {"(d0) -> (d0), domain: d0 in [3, 4)", errc::bad_syntax, 33, "expected ']' after the interval"},
        {"(d0) -> (d0), domain: d0 in 3", errc::bad_syntax, 28, "expected '[' before the interval"},
        {"(d0) -> (d0), domain: d0 = 3", errc::bad_syntax, 25, "expected an operator or 'in'"},
        {"(d0) -> (d0), domain: d0 inside [0, 3]", errc::bad_syntax, 25, "expected an operator or 'in'"},
        {"(d0) -> (d0), domain: d0 in [0, 1], d0 in [0, 1]", errc::bad_argument, 36, "already has an interval"},
        {"(d0, d1) -> (d0), domain: d0 in [0, 1]", errc::bad_argument, 5, "the variable at character 5 has no interval"},
        {"(d0) -> (d0), domain:", errc::bad_argument, 1, "the variable at character 1 has no interval"},
        {"(d0) -> (d0), d0 + 1 in [0, 1]", errc::bad_argument, 1, "the variable at character 1 has no interval"},
        {"(d0) -> (d0), domain: d0 in [0, 1], d1 in [0, 1]", errc::bad_argument, 36, "no variable of the name at character 36"},
        {"(d0) -> (d0), is_simplified: maybe", errc::bad_syntax, 29, "expected true or false"},
        {"(d0) -> (d0), is_simplified: true, d0 in [0, 1]", errc::bad_syntax, 33, "expected the end of the text"},
        {"(d0) -> (d0) x", errc::bad_argument, 13, "no variable of the name at character 13"},
        {"(d0) -> (d0), domain: d0 in [0, 1] ]", errc::bad_syntax, 35, "expected the end of the text"},
        {"(d0)[s0] -> (d0), domain: d0 in [0, 1], s0 in [0, 47] hlo: %i = s32[] parameter(1)", errc::bad_syntax, 54,
         "cannot be read"},
        {"KNOWN", errc::bad_syntax, 5, "expected EMPTY after KNOWN"},
        {"UNDEFINED (d0)", errc::bad_syntax, 10, "expected the end of the text"},
    };
    for (const Row& row : rows) {
        const auto map = parse_map(row.text);
        const std::string sentence = map.error().message().c_str();
        INFO("text: '" << row.text << "', sentence: " << sentence);
        CHECK(std::string(axe::name(map.code())) == axe::name(row.code));
        CHECK(map.error().position == row.position);
        CHECK(sentence.find(row.words) != std::string::npos);
        CHECK(sentence.find("at character " + std::to_string(row.position)) != std::string::npos);
        const std::string text = row.text;
        const std::string shown = axe::explain(text.data(), static_cast<int>(text.size()), map.error()).c_str();
        CHECK(shown.find("\n" + std::string(static_cast<std::size_t>(row.position), ' ') + "^\n") != std::string::npos);
    }
}

TEST_CASE("minimum, maximum and divisors that are expressions")
{
    CHECK(printed("(d0, d1) -> (min(d0,d1)*2 + max( d0 , d1 - 1, 7 ))") ==
          "(d0, d1) -> (min(d0, d1) * 2 + max(max(d0, d1 - 1), 7))");
    CHECK(printed("(d0, d1) -> (d0 floordiv (d1 + 1), (d0 mod d1) / 2, -d0 % d1)") ==
          "(d0, d1) -> (d0 floordiv (d1 + 1), (d0 mod d1) floordiv 2, (-d0) mod d1)");
    CHECK(printed("(min, max) -> (min(min, max) + max, min)") == "(min, max) -> (min(min, max) + max, min)");
    CHECK(printed("(d0) -> (min(d0), max(3, 4), min((d0 + 1) * 2, (3)))") == "(d0) -> (d0, 4, min((d0 + 1) * 2, 3))");
    CHECK(at("(d0, d1) -> (d0 floordiv d1, d0 mod d1, -max(-d0, d1))", {7, -2}) == std::vector<std::int64_t>{-4, -1, 2});
}
