// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/constrain.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/remove_unused.hpp>
#include <axe/map/rescale.hpp>
#include <axe/map/simplify.hpp>
#include <axe/map/to_dimensions.hpp>

#include <catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

/// XLA's facts on composing maps and on renaming, removing and rescaling their variables; each judged by evaluation over its domain,
/// not by its text.
namespace {

using nlohmann::json;
using Numbers = std::vector<std::int64_t>;

std::vector<json> rows(std::initializer_list<const char*> kinds)
{
    std::ifstream file(std::string(AXE_TEST_DATA) + "/xla_facts.jsonl");
    REQUIRE(file.good());
    std::vector<json> out;
    for (std::string line; std::getline(file, line);) {
        json row = json::parse(line);
        for (const char* const kind : kinds)
            if (row["kind"] == kind) out.push_back(row);
    }
    return out;
}

axe::IndexingMap read(const json& text)
{
    const auto map = axe::parse_map(text.get<std::string>());
    INFO(text << ": " << map.error().message().c_str());
    REQUIRE(map.has_value());
    return *map;
}

/// Calls `see` with every point of the box; false as soon as it says so.
template <class See>
bool every_point(const std::vector<axe::IndexInterval>& box, See see)
{
    Numbers point;
    for (const axe::IndexInterval& i : box) {
        if (i.is_empty()) return true;
        point.push_back(i.low);
    }
    while (true) {
        if (!see(static_cast<const Numbers&>(point))) return false;
        std::size_t digit = 0;
        for (; digit < point.size(); ++digit) {
            if (point[digit]++ < box[digit].high) break;
            point[digit] = box[digit].low;
        }
        if (digit == point.size()) return true;
    }
}

/// The same variables, the same domain, and the same results on it.
bool is_same_function(const axe::IndexingMap& x, const axe::IndexingMap& y)
{
    if (x.dimensions != y.dimensions || x.ranges != y.ranges || x.variables.size() != y.variables.size()) return false;
    std::vector<axe::IndexInterval> box;
    for (std::size_t v = 0; v < x.variables.size(); ++v)
        box.push_back({std::min(x.variables[v].bounds.low, y.variables[v].bounds.low),
                       std::max(x.variables[v].bounds.high, y.variables[v].bounds.high)});
    return every_point(box, [&](const Numbers& p) {
        const bool inside = axe::contains(x, p).yes();
        return inside == axe::contains(y, p).yes() && (!inside || *axe::evaluate(x, p) == *axe::evaluate(y, p));
    });
}

/// All (dimensions, results), but for the dimensions that are gone.
std::set<Numbers> relation(const axe::IndexingMap& m, const std::vector<bool>& without = {})
{
    std::set<Numbers> out;
    std::vector<axe::IndexInterval> box;
    for (const auto& v : m.variables) box.push_back(v.bounds);
    every_point(box, [&](const Numbers& p) {
        if (axe::contains(m, p).no()) return true;
        Numbers both;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m.dimensions); ++d)
            if (without.empty() || !without[d]) both.push_back(p[d]);
        const Numbers results = *axe::evaluate(m, p);
        both.insert(both.end(), results.begin(), results.end());
        out.insert(both);
        return true;
    });
    return out;
}

bool is_nowhere(const axe::IndexingMap& m) { return relation(m).empty(); }

} // namespace

TEST_CASE("facts of XLA: compose")
{
    const auto all = rows({"compose"});
    CHECK(all.size() == 4);
    for (const json& row : all) {
        INFO(row.dump());
        const auto composed = axe::compose(read(row["first"]), read(row["second"]));
        REQUIRE(composed.has_value());
        INFO(axe::print(*composed));
        const auto expected = read(row["expected"]);
        CHECK(is_same_function(*composed, expected));
        CHECK(axe::simplify(*composed).constraints.size() <= expected.constraints.size());
    }
}

TEST_CASE("facts of XLA: variables that are not used")
{
    const auto all = rows({"remove_unused_vars", "remove_unused_symbols"});
    CHECK(all.size() == 3);
    for (const json& row : all) {
        INFO(row.dump());
        const auto input = read(row["input"]);
        const bool symbols = row["kind"] == "remove_unused_symbols";
        const auto unused = axe::remove_unused(input, symbols ? axe::UnusedKind::symbols : axe::UnusedKind::every);
        INFO(axe::print(unused.map));
        const auto expected = read(row["expected"]);
        CHECK(is_same_function(unused.map, expected));
        CHECK(unused.map.constraints.size() == expected.constraints.size());
        if (!row.contains("removed")) continue;
        for (std::size_t v = 0; v < unused.removed.size(); ++v) CHECK(unused.removed[v] == (row["removed"][v] == 1));
    }
}

TEST_CASE("facts of XLA: symbols that are rescaled")
{
    const auto all = rows({"rescale_symbols"});
    CHECK(all.size() == 3);
    for (const json& row : all) {
        INFO(row.dump());
        const auto input = read(row["input"]);
        const auto rescaled = axe::rescale(input);
        INFO(axe::print(rescaled));
        CHECK(relation(rescaled) == relation(input));
        for (const axe::IndexConstraint& c : rescaled.constraints) CHECK(rescaled.pool[c.expression].op != axe::IndexOp::mod);
        const std::string expected = row["expected"];
        // XLA rescales by one of two constraints and keeps the other; here both go.
        if (expected.compare(0, 5, "ANYOF") == 0) {
            CHECK(rescaled.constraints.empty());
            CHECK(rescaled.variables[1].bounds == axe::IndexInterval{0, 1});
        } else {
            CHECK(is_same_function(rescaled, read(row["expected"])));
        }
    }
}

TEST_CASE("facts of XLA: variables that become dimensions")
{
    const auto all = rows({"range_to_dims", "symbols_to_dims"});
    CHECK(all.size() == 3);
    for (const json& row : all) {
        INFO(row.dump());
        const auto input = read(row["input"]);
        auto map = axe::symbols_to_dimensions(input);
        if (row["kind"] == "range_to_dims") {
            const auto some = axe::ranges_to_dimensions(input, row["indices"].get<std::vector<int>>());
            REQUIRE(some.has_value());
            map = *some;
        }
        INFO(axe::print(map));
        const auto expected = read(row["expected"]);
        CHECK(is_same_function(map, expected));
        for (std::size_t v = 0; v < map.variables.size(); ++v) CHECK(map.variables[v].name == expected.variables[v].name);
    }
}

TEST_CASE("facts of XLA: maps that are empty, that are evaluated, that are read back")
{
    for (const json& row : rows({"construct"})) {
        INFO(row.dump());
        REQUIRE(row["expected"] == "KNOWN EMPTY");
        const auto map = read(row["input"]);
        CHECK(is_nowhere(map));
        CHECK(axe::simplify(map).has_empty_interval());
        // as one adds it by hand
        if (map.has_empty_interval()) continue;
        auto built = axe::IndexingMap::over({50});
        for (const axe::IndexConstraint& c : map.constraints)
            axe::constrain(built, built.pool.constant(map.pool[c.expression].value), c.interval);
        CHECK(built.has_empty_interval());
    }
    for (const json& row : rows({"evaluate"})) {
        INFO(row.dump());
        const auto value = axe::evaluate_anywhere(read(row["input"]), row["at"].get<Numbers>());
        REQUIRE(value.has_value());
        CHECK(*value == row["expected"].get<Numbers>());
    }
    for (const json& row : rows({"roundtrip"})) {
        INFO(row.dump());
        const auto map = row["input"].is_null() ? axe::IndexingMap::undefined() : read(row["input"]);
        CHECK(axe::print(map) == row["expected"].get<std::string>());
        CHECK(axe::print(read(row["expected"])) == row["expected"].get<std::string>());
    }
    CHECK(rows({"construct", "evaluate", "roundtrip"}).size() == 6);
}
