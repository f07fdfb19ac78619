// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <catch.hpp>
#include <tests/same_map.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <string>
#include <vector>

/// The text of every map in data/xla_chains.jsonl and data/xla_facts.jsonl: read, and printed as XLA printed it.
namespace {

using Json = nlohmann::json;

std::vector<Json> rows(const char* name)
{
    std::ifstream file(std::string(AXE_TEST_DATA "/") + name);
    std::vector<Json> out;
    for (std::string line; std::getline(file, line);) out.push_back(Json::parse(line));
    return out;
}

bool is_map(const std::string& text)
{
    return text == "KNOWN EMPTY" || text == "UNDEFINED" || (text.rfind('(', 0) == 0 && text.find(" -> (") != std::string::npos);
}

/// Every string anywhere in a row that is a map's.
void collect(const Json& value, std::vector<std::string>& out)
{
    if (value.is_string() && is_map(value.get<std::string>())) out.push_back(value);
    if (value.is_structured())
        for (const Json& item : value) collect(item, out);
}

} // namespace

TEST_CASE("every map that XLA printed reads, and prints as XLA prints")
{
    // XLA's tests also hold maps as a person wrote them; which of them print otherwise is told by name.
    const std::set<std::string> by_hand{"xla0013", "xla0014", "xla0022", "xla0044", "xla0058", "xla0145"};
    int read = 0, otherwise = 0;
    for (const char* name : {"xla_chains.jsonl", "xla_facts.jsonl"})
        for (const Json& row : rows(name)) {
            std::vector<std::string> texts;
            collect(row, texts);
            for (const std::string& text : texts) {
                INFO(row["id"] << ": " << text);
                const auto map = axe::parse_map(text);
                REQUIRE(map);
                ++read;
                const std::string once = axe::print(*map);
                const bool as_xla = once == text || axe::print(*map, {.slash = true}) == text;
                if (!as_xla) ++otherwise;
                CHECK((as_xla || by_hand.count(row["id"]) == 1));
                CHECK(laws::same(*map, axe::parse_map(once).value()));
                CHECK(laws::same(*map, axe::parse_map(axe::print(*map, {.slash = true})).value()));
            }
        }
    CHECK(read == 1056);
    CHECK(otherwise == 7);
}

TEST_CASE("what XLA's tests say of texts, of points and of empty maps")
{
    int count = 0;
    for (const Json& row : rows("xla_facts.jsonl")) {
        const std::string kind = row["kind"];
        if (kind != "roundtrip" && kind != "evaluate" && kind != "construct") continue;
        ++count;
        INFO(row.dump());
        const auto map =
            axe::parse_map(row["input"].is_null() ? row["expected"].get<std::string>() : row["input"].get<std::string>());
        REQUIRE(map);
        if (kind == "roundtrip")
            CHECK(axe::print(*map) == row["expected"].get<std::string>());
        else if (kind == "evaluate") // EvaluateIgnoresDomainRanges
            CHECK(axe::evaluate_anywhere(*map, row["at"].get<std::vector<std::int64_t>>()).value() ==
                  row["expected"].get<std::vector<std::int64_t>>());
        else if (map->has_empty_interval())
            CHECK(row["expected"] == "KNOWN EMPTY");
        else // `0 in [10, 15]`: no interval is empty, and no point is in the domain
            CHECK(axe::contains(*map, std::vector<std::int64_t>(map->variables.size(), 0)).no());
    }
    CHECK(count == 6);
}
