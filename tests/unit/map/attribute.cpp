// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/attribute.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>

#include <string>

TEST_CASE("a map is read from the attributes of XLA")
{
    const std::string map = "(d0, d1, d2) -> (d0 * 4 + d1 * 512 + d2), domain: d0 in [0, 127], d1 in [0, 468], d2 in [0, 3]";
    for (const std::string& text : std::initializer_list<std::string>{
             "#xla.indexing_map<\"" + map + "\">",
             "#xla_gpu.indexing_map<\"" + map + "\">",
             "#map = #xla_gpu.indexing_map<" + map + ", is_simplified: true\n>",
             "#map1 = #xla_gpu.map<(d0, d1, d2) -> (d0 * 4 + d1 * 512 + d2)\n domain: d0 in [0, 127], d1 in [0, 468], d2 in [0, "
             "3]>",
             " #xla.indexing_map < \" " + map + " \" > ",
         }) {
        const auto read = axe::parse_map_attribute(text);
        INFO(text << "\n" << read.error().message().c_str());
        REQUIRE(read);
        CHECK(axe::print(*read) == map);
    }
    CHECK(axe::parse_map_attribute("#xla.indexing_map<\"UNDEFINED\">").value().is_undefined);
    CHECK(axe::parse_map_attribute("#xla.indexing_map<KNOWN EMPTY>").value().has_empty_interval());
}

TEST_CASE("a map is written as an attribute, which reads back")
{
    const auto map = axe::parse_map("(th_x)[i] -> (th_x floordiv 2 + i), domain: th_x in [0, 9], i in [0, 1]").value();
    CHECK(axe::print_attribute(map) ==
          "#xla.indexing_map<\"(th_x)[i] -> (th_x floordiv 2 + i), domain: th_x in [0, 9], i in [0, 1]\">");
    CHECK(axe::print_attribute(map, axe::MapAttribute::xla_gpu, {.generic = true}) ==
          "#xla_gpu.indexing_map<\"(d0)[s0] -> (d0 floordiv 2 + s0), domain: d0 in [0, 9], s0 in [0, 1]\">");
    CHECK(axe::print_attribute(map, axe::MapAttribute::xla_gpu_map, {.slash = true}) ==
          "#xla_gpu.map<(th_x)[i] -> (th_x / 2 + i), domain: th_x in [0, 9], i in [0, 1]>");
    for (const auto kind : {axe::MapAttribute::xla, axe::MapAttribute::xla_gpu, axe::MapAttribute::xla_gpu_map}) {
        const std::string text = axe::print_attribute(map, kind);
        CHECK(axe::print_attribute(axe::parse_map_attribute(text).value(), kind) == text);
    }
}

TEST_CASE("what is no such attribute is refused, the characters counted in the whole text")
{
    struct Row {
        const char* text;
        axe::errc code;
        int position;
        const char* words;
    };
    for (const Row& row : {
             Row{"(d0) -> (d0)", axe::errc::bad_syntax, 0, "expected '#' before the attribute at character 0"},
             Row{"#xla.index_map<\"\">", axe::errc::bad_syntax, 1, "expected xla.indexing_map"},
             Row{"#map = xla_gpu.map<>", axe::errc::bad_syntax, 7, "expected '#' before the attribute at character 7"},
             Row{"#map = #map<>", axe::errc::bad_syntax, 8, "expected xla.indexing_map"},
             Row{"#xla.indexing_map", axe::errc::bad_syntax, 17, "expected '<' before the map"},
             Row{"#xla.indexing_map<\"(d0) -> (d1)\">", axe::errc::bad_argument, 28, "the name at character 28"},
             Row{"#xla.indexing_map<\"(d0) -> (d0)>", axe::errc::bad_syntax, 31, "expected ',' or '\"' after the map"},
             Row{"#xla.indexing_map<(d0) -> (d0)\">", axe::errc::bad_syntax, 30, "expected ',' or '>' after the map"},
             Row{"#xla.indexing_map<(d0) -> (d0)> d0", axe::errc::bad_syntax, 32, "expected the end of the text"},
         }) {
        const auto map = axe::parse_map_attribute(row.text);
        const std::string sentence = map.error().message().c_str();
        INFO("text: '" << row.text << "', sentence: " << sentence);
        CHECK(std::string(axe::name(map.code())) == axe::name(row.code));
        CHECK(map.error().position == row.position);
        CHECK(sentence.find(row.words) != std::string::npos);
    }
}
