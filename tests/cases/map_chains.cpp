// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/compose.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

/// Chains of reshape, slice, reverse and transpose against data/xla_chains.jsonl: the index that XLA's CPU emitter reads for each
/// element that it writes. The simplified composition reads the same, with no more divisions and remainders.
namespace {

using namespace axe;
using Json = nlohmann::json;
using Int = std::int64_t;
using Ints = std::vector<Int>;

Ints ints(const Json& json) { return json.get<Ints>(); }

/// Σ of the dimensions, row-major strides.
IndexExpr row_major(IndexingMap& m, const Ints& shape)
{
    IndexExpr out = m.pool.constant(0);
    Int stride = 1;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
        out = m.pool.add(m.pool.mul(m.dimension(static_cast<int>(d)), stride), out);
    return out;
}

/// One operation from its output to its input; `shape` is the input's and becomes the output's.
IndexingMap operation(const Json& op, Ints& shape)
{
    const std::string kind = op.at(0);
    const Ints in = shape;
    if (kind == "reshape") {
        shape = ints(op.at(1));
        IndexingMap m = IndexingMap::over(shape);
        const IndexExpr flat = row_major(m, shape);
        Int stride = 1;
        m.results.resize(in.size());
        for (std::size_t d = in.size(); d-- > 0; stride *= in[d]) m.results[d] = m.pool.mod(m.pool.floor_div(flat, stride), in[d]);
        return m;
    }
    if (kind == "slice") {
        for (std::size_t d = 0; d < in.size(); ++d) {
            const Ints s = ints(op.at(1).at(d));
            shape[d] = (s[1] - s[0] + s[2] - 1) / s[2];
        }
        IndexingMap m = IndexingMap::over(shape);
        for (std::size_t d = 0; d < in.size(); ++d) {
            const Ints s = ints(op.at(1).at(d));
            m.results.push_back(m.pool.add(m.pool.mul(m.dimension(static_cast<int>(d)), s[2]), s[0]));
        }
        return m;
    }
    const Ints dims = ints(op.at(1));
    if (kind == "reverse") {
        IndexingMap m = IndexingMap::over(shape);
        for (std::size_t d = 0; d < in.size(); ++d) m.results.push_back(m.dimension(static_cast<int>(d)));
        for (const Int d : dims) {
            IndexExpr& e = m.results[static_cast<std::size_t>(d)];
            e = m.pool.add(m.pool.mul(e, -1), in[static_cast<std::size_t>(d)] - 1);
        }
        return m;
    }
    REQUIRE(kind == "transpose");
    for (std::size_t d = 0; d < in.size(); ++d) shape[d] = in[static_cast<std::size_t>(dims[d])];
    IndexingMap m = IndexingMap::over(shape);
    m.results.resize(in.size());
    for (std::size_t d = 0; d < in.size(); ++d) m.results[static_cast<std::size_t>(dims[d])] = m.dimension(static_cast<int>(d));
    return m;
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
    return out;
}

IndexingMap parsed(const std::string& text)
{
    const auto m = parse_map(text);
    INFO(text);
    REQUIRE(m.has_value());
    return *m;
}

/// An index as the row names it: a loop variable, or a map of some.
struct Index {
    const Json& row;
    std::string name;

    [[nodiscard]] bool is_loop() const { return row.at("loops").contains(name); }
    [[nodiscard]] IndexingMap map() const { return parsed(row.at("maps_after").at(name).at("map").get<std::string>()); }
    [[nodiscard]] Int at(const std::vector<std::pair<std::string, Int>>& loops) const
    {
        const auto loop = [&](const std::string& which) {
            for (const auto& l : loops)
                if (l.first == which) return l.second;
            FAIL("no loop " + which);
            return Int{0};
        };
        if (is_loop()) return loop(name);
        Ints values;
        for (const Json& arg : row.at("maps_after").at(name).at("args")) values.push_back(loop(arg.get<std::string>()));
        return evaluate(map(), values).value().at(0);
    }
};

void check_row(const Json& row)
{
    INFO(row.at("id").get<std::string>());
    Ints shape = ints(row.at("in_shape"));
    const Ints in_shape = shape;
    std::vector<IndexingMap> maps;
    for (const Json& op : row.at("ops")) maps.push_back(operation(op, shape));
    REQUIRE(shape == ints(row.at("out_shape")));
    IndexingMap flat = IndexingMap::over(in_shape);
    flat.results = {row_major(flat, in_shape)};

    // Step by step, and all at once.
    IndexingMap steps = maps.back(), once = maps.back();
    for (std::size_t i = maps.size() - 1; i-- > 0;) {
        steps = simplify(compose(steps, maps[i]).value());
        once = compose(once, maps[i]).value();
    }
    steps = simplify(compose(steps, flat).value());
    once = simplify(compose(once, flat).value());
    INFO(print(steps));
    CHECK(print(once) == print(steps));
    CHECK(steps.constraints.empty());

    const Index extract{row, row.at("extract_index")}, insert{row, row.at("insert_index")};
    const Int of_xla = extract.is_loop() ? 0 : divisions(extract.map());
    CHECK(divisions(steps) <= of_xla);

    // Every element, in the loops' order.
    std::vector<std::pair<std::string, Int>> loops;
    Int count = 1, seen = 0;
    for (const auto& [name, bounds] : row.at("loops").items()) {
        loops.emplace_back(name, bounds.at(0).get<Int>());
        count *= bounds.at(1).get<Int>() - bounds.at(0).get<Int>();
    }
    while (true) {
        Int place = insert.at(loops);
        Ints at(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; place /= shape[d]) at[d] = place % shape[d];
        CHECK(evaluate(steps, at).value().at(0) == extract.at(loops));
        ++seen;
        std::size_t l = loops.size();
        while (l > 0 && ++loops[l - 1].second == row.at("loops").at(loops[l - 1].first).at(1).get<Int>()) {
            loops[l - 1].second = row.at("loops").at(loops[l - 1].first).at(0).get<Int>();
            --l;
        }
        if (l == 0) break;
    }
    CHECK(seen == count);

    // What XLA printed for each operation that it did not leave out.
    for (const Json& text : row.at("per_op_maps_before")) {
        const IndexingMap before = parsed(text.get<std::string>()), after = simplify(before);
        INFO(print(before));
        CHECK(divisions(after) <= divisions(before));
        Ints point;
        for (const IndexVariable& v : before.variables) point.push_back(v.bounds.low);
        while (true) {
            CHECK(evaluate(after, point).value() == evaluate(before, point).value());
            std::size_t v = point.size();
            while (v > 0 && point[v - 1] == before.variables[v - 1].bounds.high) {
                point[v - 1] = before.variables[v - 1].bounds.low;
                --v;
            }
            if (v == 0) break;
            ++point[v - 1];
        }
    }
}

} // namespace

TEST_CASE("chains that XLA compiled: the same element is read, and the index is no less simple")
{
    std::ifstream file(AXE_TEST_DATA "/xla_chains.jsonl");
    std::string line;
    int rows = 0;
    for (; std::getline(file, line); ++rows) check_row(Json::parse(line));
    CHECK(rows == 161);
}
