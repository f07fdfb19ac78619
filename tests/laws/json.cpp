// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written as JSON is read back, and a text that is not whole is not read.
#include <axe/axe.hpp>
#include <axe/interop/json/cute.hpp>
#include <axe/interop/json/linear.hpp>
#include <axe/interop/json/sharding.hpp>
#include <axe/interop/json/spyre.hpp>
#include <axe/json.hpp>
#include <axe/json/tensor.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>
#include <tests/laws/map_random.hpp>
#include <tests/random.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace {

template <class T>
void check_read_back(const T& value)
{
    const std::string text = axe::json_text(value);
    const auto read = axe::read_json<T>(text);
    if (!read) FAIL(text << ": " << read.error().message());
    if (!(*read == value)) FAIL(text << " was read as " << axe::json_text(*read));
}

/// As many bits as come.
std::int64_t any_number(laws::Random& random)
{
    const auto bits = random.next();
    return static_cast<std::int64_t>(bits) >> random.in(0, 63);
}

} // namespace

TEST_CASE("read_json(json_text(layout)) = layout, also under a swizzle and in groups")
{
    laws::Random random(190);
    laws::Kind kind;
    kind.axes = 3;
    kind.extent_one = kind.replicas = kind.offset = true;
    for (laws::Int i = 0; i < laws::cases(4000); ++i) {
        axe::Layout layout = laws::random_layout(random, kind);
        check_read_back(layout);
        if (random.one_in(2) && layout.offset.entry("P") != nullptr) { // as large as check takes
            *layout.offset.entry("P") = any_number(random);
            if (axe::check(layout).ok()) check_read_back(layout);
        }
        const int base = static_cast<int>(random.in(0, 6)), bits = static_cast<int>(random.in(0, 3));
        const axe::Swizzled<axe::Layout> swizzled{{bits, base, static_cast<int>(random.in(0, 1) != 0 ? bits : -bits)},
                                                  laws::random_axis(random, 3),
                                                  std::int64_t{1} << random.in(0, base),
                                                  layout};
        if (axe::check(swizzled).ok()) check_read_back(swizzled);
        const auto grouped = axe::group(layout, {axe::size(layout).value_or(1)});
        if (grouped) check_read_back(*grouped);
    }
}

TEST_CASE("read_json(json_text(list)) = list, for numbers of any size")
{
    laws::Random random(191);
    for (laws::Int i = 0; i < laws::cases(4000); ++i) {
        axe::Coord coord;
        axe::Region region;
        axe::Point point;
        for (laws::Int k = random.in(0, 16); k > 0; --k) {
            coord.push_back(any_number(random));
            region.push_back({any_number(random), any_number(random)});
        }
        for (laws::Int k = random.in(0, 8); k > 0; --k) {
            const std::string name(static_cast<std::size_t>(random.in(1, 15)), static_cast<char>('a' + random.in(0, 25)));
            if (auto* entry = point.entry(axe::Axis::make(name.data(), static_cast<int>(name.size())).value()))
                *entry = any_number(random);
        }
        check_read_back(coord);
        check_read_back(region);
        check_read_back(point);
    }
}

TEST_CASE("read_json(json_text(map)) is the map that parse_map(print(map)) is")
{
    laws::Random random(192);
    for (laws::Int i = 0; i < laws::cases(4000); ++i) {
        const axe::IndexingMap map = laws::random_map(random);
        const std::string text = axe::json_text(map);
        const auto read = axe::read_json<axe::IndexingMap>(text);
        if (!read) FAIL(text << ": " << read.error().message());
        const auto parsed = axe::parse_map(axe::print(map));
        REQUIRE(parsed);
        if (axe::print(*read) != axe::print(*parsed)) FAIL(text << " was read as " << axe::print(*read));
        REQUIRE(read->dimensions == map.dimensions);
        REQUIRE(read->ranges == map.ranges);
        REQUIRE(read->variables.size() == map.variables.size());
    }
}

TEST_CASE("A text of JSON with a byte missing, doubled or changed is refused or another value")
{
    laws::Random random(193);
    laws::Kind kind;
    kind.axes = 3;
    kind.replicas = kind.offset = true;
    int refused = 0;
    for (laws::Int i = 0; i < laws::cases(4000); ++i) {
        const axe::Layout layout = laws::random_layout(random, kind);
        const std::string text = axe::json_text(layout);
        std::string changed = text;
        const auto at = static_cast<std::size_t>(random.in(0, static_cast<laws::Int>(text.size()) - 1));
        const laws::Int how = random.in(0, 2);
        if (how == 0)
            changed.erase(at, 1);
        else if (how == 1)
            changed.insert(at, 1, text[at]);
        else
            changed[at] = static_cast<char>(random.in(1, 255));
        const auto read = axe::read_json<axe::Layout>(changed);
        refused += !read;
        if (!read) {
            REQUIRE(!read.error().message().empty());
            continue;
        }
        // -0 is 0; otherwise another text is another value
        if (*read == layout && changed.find("-0") == std::string::npos && changed != text) FAIL(changed << " was read as " << text);
        check_read_back(*read);
    }
    CHECK(refused > 1000);
    for (const std::string& text : {axe::json_text(axe::Layout{{{8, 1, "lane"}}, {}, {{"warp", 5}}})})
        for (std::size_t length = 0; length < text.size(); ++length)
            CHECK_FALSE(axe::read_json<axe::Layout>(text.substr(0, length)));
}

namespace {

/// What is written of a value is read back as one that is written in the same way, where it has no `==`.
template <class T, class Written>
void check_written(const Written& value, const std::string& expected)
{
    CHECK(axe::json_text(value) == expected);
    if constexpr (axe::JsonAnswer<T>) {
        T read = axe::detail::no_answer<T>();
        const auto problem = axe::read_json_answer(expected, read);
        if (!problem.ok()) FAIL(expected << ": " << problem.error().message());
        CHECK(axe::json_text(read) == expected);
    } else {
        const auto read = axe::read_json<T>(expected);
        if (!read) FAIL(expected << ": " << read.error().message());
        CHECK(axe::json_text(*read) == expected);
    }
}
/// What `read_json_answer` says of a text.
template <class T>
axe::Problem refused_answer(const char* text)
{
    T out = axe::detail::no_answer<T>();
    return axe::read_json_answer(text, out).error();
}

} // namespace

TEST_CASE("read_json(json_text(answer)) is the answer: problems, results, statuses and decisions")
{
    using axe::errc;
    using axe::Layout;
    using axe::Problem;
    using axe::Result;
    const axe::Error error(errc::bad_extent, 1, "dimension {0} is {1}", 1, 0);
    const std::string written = R"({"code":"bad_extent","message":"dimension 1 is 0"})", none = R"({"code":"ok","message":""})";
    check_written<Problem>(Problem(error), written);
    check_written<Problem>(error, written);
    check_written<Problem>(Problem(), none);
    check_written<Result<void, Problem>>(axe::Status(error), written);
    check_written<Result<void, Problem>>(Result<void, Problem>(Problem(error)), written);
    check_written<Result<void, Problem>>(axe::Status(), none);
    check_written<Problem>(Problem(errc::too_hard, "\"2^20\"\nsteps"),
                           R"({"code":"too_hard","message":"not decided: \"2^20\"\nsteps"})");

    const axe::Shape shape{8, 16};
    check_written<Result<axe::Shape, Problem>>(Result<axe::Shape, Problem>(shape), R"({"value":[8,16]})");
    check_written<Result<axe::Shape, Problem>>(Result<axe::Shape>(shape), R"({"value":[8,16]})");
    check_written<Result<axe::Shape, Problem>>(Result<axe::Shape>(error), R"({"error":)" + written + "}");
    check_written<Result<std::int64_t, Problem>>(axe::size(Layout{{{8, 1}}}), R"({"value":8})");
    check_written<Result<std::int64_t, Problem>>(
        axe::size(Layout{{{0, 1}}}),
        R"({"error":{"code":"bad_extent","message":"the extent of iter 0 is 0; it must be at least 1"}})");

    check_written<axe::Decision>(axe::Decision(true), R"({"decision":"yes"})");
    check_written<axe::Decision>(axe::Decision(false, 12), R"({"decision":"no","witness":12})");
    check_written<axe::Decision>(axe::Decision(false), R"({"decision":"no"})");
    axe::Decision open(true);
    CHECK(axe::read_json_answer(axe::json_text(axe::Decision(axe::Error(errc::too_hard, -1, "3 steps"))), open).ok());
    CHECK((open.undecided() && open.code() == errc::too_hard));
    for (int i = 0; i <= static_cast<int>(errc::internal); ++i) {
        bool found = false;
        CHECK((axe::code_named(axe::name(static_cast<errc>(i)), found) == static_cast<errc>(i) && found));
    }

    const auto refused = [](const char* text) { return refused_answer<Result<axe::Shape, Problem>>(text).text; };
    CHECK(refused(R"({"error":{"code":"bad","message":""}})") == "error.code: expected the name of a code, found \"bad\"");
    CHECK(refused(R"({"error":{"code":"ok","message":""},"value":[1]})") == "JSON: an object has a value or an error, not both");
    CHECK(refused("{}") == "value: the member is missing");
    CHECK(refused_answer<axe::Decision>(R"({"decision":"maybe"})").text ==
          "decision: expected yes, no or undecided, found \"maybe\"");
    CHECK(refused_answer<axe::Decision>(R"({"decision":"undecided"})").code == errc::bad_syntax);
}

TEST_CASE("read_json(json_text(value)) = value, for element types and the layouts of other systems")
{
    for (int i = 0; i < axe::dtype_count; ++i) check_read_back(static_cast<axe::DType>(i));
    CHECK(axe::json_text(axe::DType::bf16) == "\"bf16\"");
    CHECK(axe::read_json<axe::DType>("\"f17\"").code() == axe::errc::bad_syntax);
    CHECK_FALSE(axe::read_json<axe::DType>("3"));

    for (const char* text : {"(4,(2,2)):(1,(4,8))", "8:1", "():()", "(3,5):(5,1)"})
        if (const auto layout = axe::cute::parse_layout(text)) check_read_back(*layout);
    CHECK(axe::json_text(*axe::cute::parse_layout("(4,(2,2)):(1,(4,8))")) == "\"(4,(2,2)):(1,(4,8))\"");
    CHECK(axe::read_json<axe::cute::Layout>("\"(4,2):(1\"").code() == axe::errc::bad_syntax);
    const auto swizzled = axe::cute::parse_composed("Sw<3,4,3> o 0 o (8,64):(64,1)");
    REQUIRE(swizzled);
    check_written<axe::cute::Composed>(*swizzled, axe::json_text(*swizzled));

    const auto linear = axe::linear::parse_linear("register=[1,2] lane=[4] -> dim0:8");
    REQUIRE(linear);
    check_read_back(*linear);
    CHECK(axe::json_text(*linear) == "\"register=[1,2] lane=[4] -> dim0:8\"");

    for (const char* text : {"{devices=[2,1]<=[2]}", "{replicated}", "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}) {
        const auto hlo = axe::sharding::parse_hlo(text);
        INFO(text);
        REQUIRE(hlo);
        check_written<axe::sharding::HloSharding>(*hlo, axe::json_text(*hlo));
    }
    const auto mesh = axe::sharding::parse_mesh(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>)");
    REQUIRE(mesh);
    check_written<axe::sharding::Mesh>(*mesh, axe::json_text(*mesh));
    CHECK(axe::json_text(*mesh).size() > 4);

    const auto sticks = axe::spyre::parse_layout("device_size=[4, 2, 64] stride_map=[64, 256, 1]");
    REQUIRE(sticks);
    check_written<axe::SpyreLayout>(*sticks, axe::json_text(*sticks));
}
