// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written as JSON is read back, and a text that is not whole is not read.
#include <axe/axe.hpp>
#include <axe/json.hpp>
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
