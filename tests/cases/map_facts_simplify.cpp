// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

/// What XLA's tests say of simplification, in data/xla_facts.jsonl: the same map, and no less simple than theirs.
namespace {

using namespace axe;
using Json = nlohmann::json;
using Int = std::int64_t;

IndexingMap parsed(const std::string& text)
{
    const auto m = parse_map(text);
    INFO(text);
    REQUIRE(m.has_value());
    return *m;
}

Int divisions(const IndexPool& pool, IndexExpr e)
{
    const IndexNode& n = pool[e];
    Int out = n.op == IndexOp::floor_div || n.op == IndexOp::mod ? 1 : 0;
    if (n.left.id >= 0) out += divisions(pool, n.left);
    if (n.right.id >= 0) out += divisions(pool, n.right);
    return out;
}
Int divisions(const IndexingMap& m)
{
    Int out = 0;
    for (const IndexExpr e : m.results) out += divisions(m.pool, e);
    for (const IndexConstraint& c : m.constraints) out += divisions(m.pool, c.expression);
    return out;
}

/// Compares at every point of x's box, or, of large ones, at some hundred thousand spread over it with all corners.
void same(const IndexingMap& x, const IndexingMap& y)
{
    std::vector<Int> point, step;
    Int points = 1;
    for (const IndexVariable& v : x.variables) points *= std::min<Int>(v.bounds.high - v.bounds.low + 1, 4'000'000 / points + 1);
    for (const IndexVariable& v : x.variables) {
        const Int size = v.bounds.high - v.bounds.low + 1;
        point.push_back(v.bounds.low);
        step.push_back(points > 300'000 ? std::max<Int>(1, size / 23) : 1);
    }
    int wrong = 0;
    while (true) {
        const bool inside = contains(x, point).yes();
        wrong += inside == contains(y, point).yes() ? 0 : 1;
        if (inside) wrong += evaluate_anywhere(x, point).value() == evaluate_anywhere(y, point).value() ? 0 : 1;
        std::size_t v = point.size();
        while (v > 0 && point[v - 1] == x.variables[v - 1].bounds.high) {
            point[v - 1] = x.variables[v - 1].bounds.low;
            --v;
        }
        if (v == 0) break;
        point[v - 1] = std::min(point[v - 1] + step[v - 1], x.variables[v - 1].bounds.high);
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("XLA's facts of simplification: the same map, no less simple, and the same again")
{
    std::ifstream file(AXE_TEST_DATA "/xla_facts.jsonl");
    std::string line;
    int simplified = 0, again = 0, empty = 0;
    while (std::getline(file, line)) {
        const Json row = Json::parse(line);
        const std::string kind = row.at("kind");
        if (kind != "simplify" && kind != "simplify_idempotent" && kind != "construct") continue;
        INFO(row.at("id").get<std::string>());
        const IndexingMap m = parsed(row.at("input")), s = simplify(m);
        INFO(print(s));
        IndexingMap afresh = s;
        afresh.simplified = {};
        CHECK(print(simplify(afresh)) == print(s));
        const std::string expected = row.at("expected");
        if (expected == "KNOWN EMPTY") {
            CHECK(s.has_empty_interval());
            ++empty;
            continue;
        }
        same(m, s);
        CHECK(divisions(s) <= divisions(m));
        if (kind == "simplify_idempotent") {
            ++again;
            continue;
        }
        ++simplified;
        const IndexingMap theirs = parsed(expected);
        CHECK(divisions(s) <= divisions(theirs));
        CHECK(s.constraints.size() <= theirs.constraints.size());
        for (std::size_t v = 0; v < m.variables.size(); ++v) CHECK(theirs.variables[v].bounds.contains(s.variables[v].bounds));
    }
    CHECK(simplified + again + empty == 28);
    CHECK(simplified == 23);
    CHECK(again == 2);
    CHECK(empty == 3);
}
