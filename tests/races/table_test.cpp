// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/races/table.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

/// The table has each row of data/races.jsonl once, and its test; the page lists what the table says.
namespace {

using Json = nlohmann::json;

std::map<std::string, Json> rows()
{
    std::ifstream file(std::string(AXE_TEST_DATA) + "/races.jsonl");
    std::map<std::string, Json> out;
    for (std::string line; std::getline(file, line);) {
        const Json row = Json::parse(line);
        const std::string id = row.at("id");
        INFO(id);
        CHECK(out.emplace(id, row).second);
    }
    return out;
}

std::string text_of(const std::string& path)
{
    std::ifstream file(std::string(AXE_TEST_DATA) + "/../" + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("each row of races.jsonl is in the table once")
{
    const auto all = rows();
    CHECK(all.size() == 119);
    CHECK(races::table.size() == all.size());
    std::set<std::string> seen;
    for (const races::Row& row : races::table) {
        INFO(row.id);
        CHECK(all.count(row.id) == 1);
        CHECK(seen.insert(row.id).second);
        CHECK(std::string(row.rule) != "");
    }
}

TEST_CASE("a row of the table has a test if and only if it has a verdict")
{
    std::string tests;
    for (const char* file : {"agents", "blocks", "clusters", "copies", "cores", "devices", "loads", "mbarriers", "memory", "stores"})
        tests += text_of("races/" + std::string(file) + ".cpp");
    std::size_t tested = 0;
    for (const races::Row& row : races::table) {
        INFO(row.id);
        const bool has_test = tests.find("TEST_CASE(\"" + std::string(row.id) + "\")") != std::string::npos;
        CHECK(has_test == (std::string(row.verdict) != ""));
        tested += has_test ? 1 : 0;
    }
    std::size_t written = 0;
    for (std::size_t at = 0; (at = tests.find("\nTEST_CASE(", at)) != std::string::npos; ++at) ++written;
    CHECK(tested == written);
}

TEST_CASE("the page of races lists what the table says")
{
    const std::string page = text_of("../docs/how-to/races.md");
    std::size_t tested = 0;
    for (const auto& [id, row] : rows()) {
        INFO(id);
        const auto at = std::find_if(races::table.begin(), races::table.end(), [&](const races::Row& r) { return r.id == id; });
        REQUIRE(at != races::table.end());
        const std::string verdict = at->verdict, expected = row.at("expected");
        tested += verdict.empty() ? 0 : 1;
        const std::string line =
            "| `" + id + "` | " + expected + (verdict.empty() ? "" : " | " + verdict) + " | " + std::string(at->rule) + " |\n";
        INFO(line);
        CHECK(page.find(line) != std::string::npos);
    }
    CHECK(page.find(std::to_string(tested) + " of its 119 rows") != std::string::npos);
}
