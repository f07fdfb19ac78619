// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/json.hpp>
#include <axe/map/print.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace {

using namespace axe::literals;
using SwizzledLayout = axe::Swizzled<axe::Layout>;
using GroupedLayout = axe::Grouped<axe::Layout>;

constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
constexpr auto big = std::int64_t{1} << 60;

/// Written, read back, and through a value of nlohmann's library.
template <class T>
void check_both_ways(const T& value, const std::string& text)
{
    INFO(text);
    CHECK(axe::json_text(value) == text);
    const auto read = axe::read_json<T>(text);
    if (!read) FAIL(read.error().message());
    CHECK(*read == value);
    const nlohmann::json json = value;
    CHECK(json == nlohmann::json::parse(text));
    CHECK(json.template get<T>() == value);
}

template <class T>
std::string wrong(const std::string& text)
{
    const auto read = axe::read_json<T>(text);
    return read ? "read" : std::string(axe::name(read.code())) + ": " + read.error().message();
}

/// The text of a layout with one iter and these numbers.
std::string layout_text(const std::string& extent, const std::string& stride,
                        const std::string& rest = R"("replica":[],"offset":{})")
{
    return R"({"shard":[{"extent":)" + extent + R"(,"stride":)" + stride + R"(,"axis":"m"}],)" + rest + "}";
}

} // namespace

TEST_CASE("Values as JSON, and back")
{
    check_both_ways(axe::Axis{"lane"}, R"("lane")");
    check_both_ways(axe::Shape{8, 16}, "[8,16]");
    check_both_ways(axe::Coord{}, "[]");
    check_both_ways(axe::Order{1, 0}, "[1,0]");
    check_both_ways(axe::Layout::Axes{"lane", "reg"}, R"(["lane","reg"])");
    check_both_ways(axe::Iter{8, -4, "lane"}, R"({"extent":8,"stride":-4,"axis":"lane"})");
    check_both_ways(axe::Range{0, 32}, R"({"lo":0,"hi":32})");
    check_both_ways(axe::Region{{0, 32}, {64, 128}}, R"([{"lo":0,"hi":32},{"lo":64,"hi":128}])");
    check_both_ways(axe::Point{{"warp", 6}, {"lane", 0}}, R"({"lane":0,"warp":6})");
    check_both_ways(axe::Swizzle{3, 4, -3}, R"({"bits":3,"base":4,"shift":-3})");
    check_both_ways(axe::IndexInterval{}, R"({"low":0,"high":-1})");
    check_both_ways(axe::Layout{}, R"({"shard":[],"replica":[],"offset":{}})");
    check_both_ways(
        "(8,2):(4@lane,1) + [2:4@warp] + 5@warp"_axe,
        R"({"shard":[{"extent":8,"stride":4,"axis":"lane"},{"extent":2,"stride":1,"axis":"m"}],"replica":[{"extent":2,"stride":4,"axis":"warp"}],"offset":{"warp":5}})");
    check_both_ways(axe::BasicLayout<std::int32_t, 4, 2, 2>{{{8, 1}}}, layout_text("8", "1"));
    check_both_ways("(|2|):(|1|)"_grouped, layout_text("2", "1", R"("replica":[],"offset":{},"groups":[0,1,0])"));
    check_both_ways("8:1"_swizzled, layout_text("8", "1"));
    check_both_ways(
        "swizzle<3,4,3>@smem/2(8:1)"_swizzled,
        layout_text("8", "1", R"("replica":[],"offset":{},"swizzle":{"bits":3,"base":4,"shift":3,"axis":"smem","width":2})"));
}

TEST_CASE("JSON keeps numbers of 64 bits exactly")
{
    check_both_ways(axe::Coord{most, least, big, big + 1, -big - 1},
                    "[9223372036854775807,-9223372036854775808,1152921504606846976,"
                    "1152921504606846977,-1152921504606846977]");
    check_both_ways(axe::Layout{{{big, 1}}, {}, {{"P", big + 1}}},
                    layout_text("1152921504606846976", "1", R"("replica":[],"offset":{"P":1152921504606846977})"));
    CHECK(wrong<axe::Shape>("[9223372036854775808]") == "overflow: [0]: the number 9223372036854775808 overflows");
    CHECK(wrong<axe::Shape>("[-9223372036854775809]") == "bad_syntax: [0]: expected an integer, found -9.223372036854776e+18");
    CHECK(wrong<axe::Shape>("[1e3]") == "bad_syntax: [0]: expected an integer, found 1000.0");
    CHECK(wrong<axe::Shape>("[8.0]") == "bad_syntax: [0]: expected an integer, found 8.0");
    CHECK(wrong<axe::Order>("[2147483648]") == "overflow: [0]: the number 2147483648 overflows");
    CHECK(wrong<axe::BasicIter<std::int32_t>>(R"({"extent":8,"stride":-2147483649,"axis":"m"})") ==
          "overflow: stride: the number -2147483649 overflows");
}

TEST_CASE("What is not the JSON of a value is refused, and the member named")
{
    CHECK(wrong<axe::Layout>("") == "bad_syntax: JSON: syntax error at byte 1");
    CHECK(wrong<axe::Layout>("{} {}") == "bad_syntax: JSON: syntax error at byte 4");
    CHECK(wrong<axe::Layout>("[") == "bad_syntax: JSON: syntax error at byte 2");
    CHECK(wrong<axe::Axis>("\"\xff\"") == "bad_syntax: JSON: syntax error at byte 2");
    CHECK(wrong<axe::Layout>("8") == "bad_syntax: JSON: expected an object, found 8");
    CHECK(wrong<axe::Layout>("null") == "bad_syntax: JSON: expected an object, found null");
    CHECK(wrong<axe::Shape>("{}") == "bad_syntax: JSON: expected a list, found a value of type object");
    CHECK(wrong<axe::Axis>("8") == "bad_syntax: JSON: expected a string, found 8");
    CHECK(wrong<axe::Shape>("[8,\"16\"]") == "bad_syntax: [1]: expected an integer, found \"16\"");
    CHECK(wrong<axe::Layout>("{}") == "bad_syntax: shard: the member is missing");
    CHECK(wrong<axe::Layout>(R"({"shard":[],"replica":[]})") == "bad_syntax: offset: the member is missing");
    CHECK(wrong<axe::Layout>(R"({"shard":[],"replica":[],"offset":{},"replicas":[]})") ==
          "bad_syntax: replicas: unknown member; the object has shard, replica, offset");
    CHECK(wrong<axe::Layout>(R"({"shard":[],"shard":[],"replica":[],"offset":{}})") ==
          "bad_syntax: JSON: the member 'shard' occurs twice in an object");
    CHECK(wrong<axe::Layout>(R"({"shard":[{"extent":8,"axis":"m"}],"replica":[],"offset":{}})") ==
          "bad_syntax: shard[0].stride: the member is missing");
    CHECK(wrong<axe::Layout>(layout_text("8", "true")) == "bad_syntax: shard[0].stride: expected an integer, found true");
    CHECK(wrong<axe::Layout>(layout_text("8", "\"" + std::string(100, 'x') + "\"")) ==
          "bad_syntax: shard[0].stride: expected an integer, found a value of type string");
    CHECK(wrong<axe::Layout>(layout_text("8", "1", R"("replica":[],"offset":{"no axis":1})")).substr(0, 23) ==
          "bad_axis: offset.no axi");
    CHECK(wrong<axe::Layout>(layout_text("8", "1", R"("replica":[],"offset":{"lane":null})")) ==
          "bad_syntax: offset.lane: expected an integer, found null");
    CHECK(wrong<axe::Axis>(R"("")").substr(0, 15) == "bad_axis: JSON:");
    CHECK(wrong<axe::Axis>(R"("a_name_of_sixteen")").substr(0, 15) == "bad_axis: JSON:");
    // A swizzle is not read over where a layout without one is asked for.
    CHECK(wrong<axe::Layout>(axe::json_text("swizzle<3,4,3>(8:1)"_swizzled)) ==
          "bad_syntax: swizzle: unknown member; the object has shard, replica, offset");
    CHECK(wrong<axe::Layout>(axe::json_text("(8|2):(2|1)"_grouped)) ==
          "bad_syntax: groups: unknown member; the object has shard, replica, offset");
    // The command's answers are read as they come.
    const auto answer = axe::read_json<axe::Layout>(R"({"status":"ok","answer":"8:1",)" + layout_text("8", "1").substr(1));
    REQUIRE(answer);
    CHECK(*answer == "8:1"_axe);
}

TEST_CASE("What JSON says well and is not a value is refused as check refuses it")
{
    CHECK(wrong<axe::Layout>(layout_text("0", "1")) == "bad_extent: JSON: the extent of iter 0 is 0; it must be at least 1");
    CHECK(wrong<axe::Layout>(layout_text("1152921504606846976", "16")).substr(0, 15) == "overflow: JSON:");
    const auto ones = [](int count) {
        std::string out = "[1";
        for (int i = 1; i < count; ++i) out += ",1";
        return out + "]";
    };
    CHECK(axe::read_json<axe::Shape>(ones(16)).value().size() == 16);
    CHECK(wrong<axe::Shape>(ones(17)) == "capacity: JSON: a list of 17 items; at most 16 fit");
    CHECK(wrong<axe::Point>(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1})") ==
          "capacity: i: one axis too many; a point has at most 8");
    const auto grouped = [](const std::string& blocks) {
        return layout_text("2", "1", R"("replica":[],"offset":{},"groups":)" + blocks);
    };
    CHECK(wrong<GroupedLayout>(grouped("[]")) == "rank_mismatch: groups: the groups have 0 iters; the layout has 1");
    CHECK(wrong<GroupedLayout>(grouped("[1,1]")) == "rank_mismatch: groups: group 1 has 1 iter; 0 are left");
    CHECK(wrong<GroupedLayout>(grouped("[-1,2]")) == "rank_mismatch: groups: group 0 has -1 iters; 1 are left");
    CHECK(wrong<axe::Swizzle>(R"({"bits":3,"base":-1,"shift":3})").substr(0, 18) == "bad_argument: JSON");
    const std::string swizzle = R"("replica":[],"offset":{},"swizzle":{"bits":3,"base":4,"shift":3,"axis":"m","width":3})";
    CHECK(wrong<SwizzledLayout>(layout_text("8", "1", swizzle)).substr(0, 18) == "bad_argument: JSON");
}

TEST_CASE("Indexing maps as JSON, and back")
{
    for (const char* text :
         {"(d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]", "() -> ()", "KNOWN EMPTY", "UNDEFINED", "(d0) -> ()",
          "(d0, d1)[s0]{rt0} -> (d0 + s0, rt0, -3), domain: d0 in [0, 3], d1 in [0, 0], s0 in [-5, 7], rt0 in [0, 1], d0 + s0 in "
          "[0, 3]",
          "(th_x, bl_x)[vector_elem] -> (th_x * 4 + vector_elem), domain: th_x in [0, 31], bl_x in [0, 7], vector_elem in [0, 3]",
          "(d0) -> (d0), domain: d0 in [0, 7], (d0) in [2, 3]", "(d0) -> (d0), domain: d0 in [10, 0]",
          "(d0) -> (d0 * 1152921504606846976), domain: d0 in [-9223372036854775808, 7]", "(row)[k] -> (row, k)"}) {
        INFO(text);
        const auto map = axe::parse_map(text);
        REQUIRE(map);
        const std::string json = axe::json_text(*map);
        INFO(json);
        const auto read = axe::read_json<axe::IndexingMap>(json);
        if (!read) FAIL(read.error().message());
        CHECK(axe::print(*read) == axe::print(*map));
        CHECK(axe::json_text(*read) == json);
        CHECK(axe::json_text(nlohmann::json(*map).get<axe::IndexingMap>()) == json);
    }
    CHECK(axe::json_text(axe::parse_map("(d0) -> (d0 mod 2), domain: d0 in [0, 7], d0 mod 3 in [0, 1]").value()) ==
          R"({"dimensions":[{"name":"d0","low":0,"high":7}],"ranges":[],"runtimes":[],"results":["d0 mod 2"],)"
          R"("constraints":[{"expression":"d0 mod 3","low":0,"high":1}]})");
    CHECK(axe::json_text(axe::IndexingMap::undefined()) == R"({"undefined":true})");
}

TEST_CASE("What is not the JSON of a map is refused, and the part named")
{
    const auto map = [](const std::string& variable, const std::string& result, const std::string& constraint = "d0") {
        return R"({"dimensions":[{"name":")" + variable + R"(","low":0,"high":7}],"ranges":[],"runtimes":[],"results":[")" +
               result + R"("],"constraints":[{"expression":")" + constraint + R"(","low":0,"high":3}]})";
    };
    REQUIRE(axe::read_json<axe::IndexingMap>(map("d0", "d0 mod 2")));
    CHECK(wrong<axe::IndexingMap>("{}") == "bad_syntax: dimensions: the member is missing");
    CHECK(wrong<axe::IndexingMap>(R"({"undefined":false})") == "bad_syntax: undefined: must be true, and the only member");
    CHECK(wrong<axe::IndexingMap>(map("d 0", "d0")) ==
          "bad_syntax: dimensions[0].name: expected the name of a variable, found \"d 0\"");
    CHECK(wrong<axe::IndexingMap>(map("d0", "d1")).substr(0, 25) == "bad_argument: results[0]:");
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0 +")).substr(0, 23) == "bad_syntax: results[0]:");
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0 +")).find("character 4") != std::string::npos); // of the expression
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0", "d0 mod 0")).substr(0, 40) == "bad_argument: constraints[0].expression:");
    // No part says more than it may.
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0, d0")) == "bad_syntax: results[0]: expected one expression, found \"d0, d0\"");
    CHECK(wrong<axe::IndexingMap>(map("d0", "")) == "bad_syntax: results[0]: expected one expression, found \"\"");
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0), domain: d0 in [0, 7], (d0) in [0, 1")).substr(0, 23) ==
          "bad_syntax: results[0]:");
    CHECK(wrong<axe::IndexingMap>(map("d0", "d0", "d0) in [0, 1], (d0")).substr(0, 38) == "bad_syntax: constraints[0].expression:");
    CHECK(wrong<axe::IndexingMap>(R"({"dimensions":[{"name":"i","low":0,"high":7}],"ranges":[{"name":"i","low":0,"high":7}],)"
                                  R"("runtimes":[],"results":[],"constraints":[]})")
              .substr(0, 40) == "bad_argument: JSON: the names of the var");
}

TEST_CASE("nlohmann's own conversions throw where a value is refused")
{
    const nlohmann::json bad = {{"shard", nlohmann::json::array()}};
    CHECK_THROWS_AS(bad.get<axe::Layout>(), std::invalid_argument);
    const nlohmann::ordered_json ordered = "8:1"_axe;
    CHECK(ordered.dump() == layout_text("8", "1"));
    CHECK(nlohmann::json(std::vector<axe::Axis>{"lane", "reg"}).dump() == R"(["lane","reg"])");
    struct Derived : axe::Axis {};
    static_assert(axe::JsonValue<axe::Layout> && !axe::JsonValue<Derived> && !axe::JsonValue<int> && !axe::JsonValue<std::string>);
}
