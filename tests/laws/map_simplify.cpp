// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <string>

/// simplify on random maps: the same domain, the same values on it, nothing grows, and a second time changes nothing.
namespace {

using namespace axe;
using laws::Int;
using laws::Random;

/// Divisions and remainders, and nodes, as often as they are printed.
struct Size {
    std::int64_t divisions = 0, nodes = 0;
};
Size size_of(const IndexPool& pool, IndexExpr e)
{
    const IndexNode& n = pool[e];
    const bool divides = n.op == IndexOp::floor_div || n.op == IndexOp::mod;
    Size out{divides ? 1 : 0, divides ? 2 : 1};
    for (const IndexExpr part : {n.left, n.right}) {
        if (part.id < 0) continue;
        const Size s = size_of(pool, part);
        out.divisions += s.divisions;
        out.nodes += s.nodes;
    }
    return out;
}
bool grows(const Size& before, const Size& after)
{
    return after.divisions != before.divisions ? after.divisions > before.divisions : after.nodes > before.nodes;
}

std::int64_t divisor(Random& r)
{
    const std::int64_t k = r.one_in(4) ? r.in(2, 30) : r.in(1, 8);
    return r.one_in(4) ? -k : k;
}

IndexExpr some_expression(Random& r, IndexingMap& m, int depth)
{
    const auto any_variable = [&] { return m.variable(static_cast<int>(r.in(0, static_cast<Int>(m.variables.size()) - 1))); };
    if (depth == 0 || r.one_in(8)) return r.one_in(5) ? m.pool.constant(r.in(-9, 9)) : any_variable();
    switch (r.in(0, 9)) {
    case 0:
    case 1:
    case 2: {
        const IndexExpr x = some_expression(r, m, depth - 1);
        return m.pool.add(x, some_expression(r, m, depth - 1));
    }
    case 3: {
        const IndexExpr x = some_expression(r, m, depth - 1);
        return m.pool.sub(x, some_expression(r, m, depth - 1));
    }
    case 4: return m.pool.mul(some_expression(r, m, depth - 1), r.in(-12, 12));
    case 5:
    case 6: return m.pool.floor_div(some_expression(r, m, depth - 1), divisor(r));
    case 7:
    case 8: return m.pool.mod(some_expression(r, m, depth - 1), divisor(r));
    default: {
        const IndexExpr x = r.one_in(3) ? some_expression(r, m, depth - 1) : m.pool.constant(r.in(-5, 5));
        return m.pool.mul(some_expression(r, m, depth - 1), x);
    }
    }
}

IndexingMap some_map(Random& r)
{
    IndexingMap m;
    m.dimensions = static_cast<int>(r.in(0, 2));
    m.ranges = static_cast<int>(r.in(m.dimensions == 0 ? 1 : 0, 1));
    for (int v = 0; v < m.dimensions + m.ranges; ++v) {
        const std::int64_t low = r.one_in(3) ? r.in(-9, 9) : 0;
        m.variables.push_back({{low, low + r.in(0, r.one_in(4) ? 24 : 7)}, {}, IndexKind::none});
    }
    for (std::int64_t i = r.in(1, 2); i > 0; --i) m.results.push_back(some_expression(r, m, static_cast<int>(r.in(1, 5))));
    for (std::int64_t i = r.one_in(2) ? r.in(1, 3) : 0; i > 0; --i) {
        const IndexExpr e = some_expression(r, m, static_cast<int>(r.in(1, 3)));
        const std::int64_t low = r.in(-8, 8);
        m.constraints.push_back({e, {low, low + r.in(0, r.one_in(3) ? 30 : 4)}});
    }
    return m;
}

/// All points of the map's box, in turn.
template <class Visit>
void for_each_point(const IndexingMap& m, Visit visit)
{
    std::vector<std::int64_t> point;
    for (const IndexVariable& v : m.variables) {
        if (v.bounds.is_empty()) return;
        point.push_back(v.bounds.low);
    }
    while (true) {
        visit(point);
        std::size_t v = point.size();
        while (v > 0 && point[v - 1] == m.variables[v - 1].bounds.high) {
            point[v - 1] = m.variables[v - 1].bounds.low;
            --v;
        }
        if (v == 0) return;
        ++point[v - 1];
    }
}

std::string difference(const IndexingMap& m, const IndexingMap& s)
{
    std::string wrong;
    for_each_point(m, [&](const std::vector<std::int64_t>& point) {
        if (!wrong.empty()) return;
        const auto at = [&] {
            std::string out = " at";
            for (const std::int64_t x : point) out += " " + std::to_string(x);
            return out;
        };
        const auto in_m = contains(m, point), in_s = contains(s, point);
        if (in_m.undecided() || in_s.undecided()) {
            wrong = "overflow";
        } else if (in_m.yes() != in_s.yes()) {
            wrong = "the domain differs" + at();
        } else if (in_m.yes()) {
            const auto of_m = evaluate_anywhere(m, point), of_s = evaluate_anywhere(s, point);
            if (!of_m || !of_s)
                wrong = "overflow";
            else if (*of_m != *of_s)
                wrong = "the values differ" + at();
        }
    });
    return wrong;
}

/// What is wrong with the simplification of m.
std::string check(const IndexingMap& m)
{
    const IndexingMap s = simplify(m);
    std::string wrong = difference(m, s);
    if (!wrong.empty()) return wrong;
    for (std::size_t v = 0; v < m.variables.size(); ++v)
        if (!s.has_empty_interval() && !m.variables[v].bounds.contains(s.variables[v].bounds)) return "an interval has grown";
    for (std::size_t i = 0; i < m.results.size(); ++i)
        if (grows(size_of(m.pool, m.results[i]), size_of(s.pool, s.results[i]))) return "a result has grown";
    if (s.constraints.size() > m.constraints.size()) return "there are more constraints";
    Size before, after;
    for (const IndexConstraint& c : m.constraints) {
        before.divisions += size_of(m.pool, c.expression).divisions;
        before.nodes += size_of(m.pool, c.expression).nodes;
    }
    for (const IndexConstraint& c : s.constraints) {
        after.divisions += size_of(s.pool, c.expression).divisions;
        after.nodes += size_of(s.pool, c.expression).nodes;
    }
    if (grows(before, after)) return "the constraints have grown";
    IndexingMap afresh = s;
    afresh.simplified = {}; // found anew, and not kept
    const IndexingMap t = simplify(afresh);
    if (print(t) != print(s)) return "again: " + print(t);
    return {};
}

} // namespace

TEST_CASE("random maps: the same on the same domain, no larger, and no simpler the second time")
{
    Random r(20240811);
    const Int count = laws::cases(100000);
    for (Int i = 0; i < count; ++i) {
        const IndexingMap m = some_map(r);
        const std::string wrong = check(m);
        if (!wrong.empty()) {
            INFO(print(m));
            INFO(print(simplify(m)));
            FAIL_CHECK(wrong);
        }
    }
    SUCCEED();
}
