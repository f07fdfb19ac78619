// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/peel.hpp>
#include <tests/emitted/computed.hpp>
#include <tests/laws/map_random.hpp>

#include <map>

using laws::Int;
using laws::Random;

TEST_CASE("law: loops of operations compute what their definitions do")
{
    Random r(801);
    for (Int i = 0; i < laws::cases(1500); ++i) {
        const emitted::Computed c = emitted::operations[i % 5](r);
        CAPTURE(c.name, i);
        REQUIRE(c.nest.has_value());
        laws::Numbers out(c.expected.size(), 12345);
        std::vector<const Int*> operands;
        for (const auto& o : c.operands) operands.push_back(o.data());
        const axe::Status e =
            axe::run_loops(*c.nest, out.data(), operands, c.initial, [&](Int acc, const Int* x) { return c.next(acc, x); });
        REQUIRE(e.ok());
        if (out != c.expected) FAIL(axe::print(c.nest->map));
    }
}

TEST_CASE("law: loops visit the domain, each point once, in order")
{
    Random r(802);
    Int points = 0;
    for (Int i = 0; i < laws::cases(3000); ++i) {
        axe::IndexingMap m = laws::random_map(r, {2, 2, 0, 1, 4, 3}, r.in(0, 2));
        std::vector<Int> shape;
        for (int d = 0; d < m.dimensions; ++d) shape.push_back(m.variables[static_cast<std::size_t>(d)].bounds.high + 1);
        for (Int& n : shape) n = std::max<Int>(n, 0);
        const auto nest = axe::loop_nest(shape, {m}, {{1000}});
        REQUIRE(nest.has_value());
        // Of negative dimensions a result has no elements.
        for (int d = 0; d < m.dimensions; ++d) {
            auto& b = m.variables[static_cast<std::size_t>(d)].bounds;
            b = axe::intersection(b, {0, shape[static_cast<std::size_t>(d)] - 1});
        }
        std::vector<std::pair<laws::Numbers, Int>> seen, expected;
        axe::for_each(*nest, [&](const Int* at, const Int* addresses) {
            seen.emplace_back(laws::Numbers(at, at + m.variables.size()), addresses[0]);
        });
        laws::every_value(m, [&](const laws::Numbers& at, const laws::Numbers& to) { expected.emplace_back(at, to[0]); });
        std::sort(expected.begin(), expected.end());
        points += static_cast<Int>(seen.size());
        if (seen != expected) FAIL(axe::print(m) << "\nin loops: " << axe::print(nest->map));
    }
    CHECK(points > 1000);
}

TEST_CASE("law: peeled parts are disjoint, and together the map")
{
    Random r(803);
    Int split = 0, freed = 0;
    for (Int i = 0; i < laws::cases(4000); ++i) {
        const axe::IndexingMap m = laws::random_map(r, {2, 2, 1, 2, 6, 3}, r.in(1, 2));
        const int v = static_cast<int>(r.in(0, static_cast<Int>(m.variables.size()) - 1));
        const auto parts = axe::peel(m, v);
        REQUIRE(parts.has_value());
        std::map<laws::Numbers, laws::Numbers> whole, sum;
        laws::every_value(m, [&](const laws::Numbers& at, const laws::Numbers& to) { whole[at] = to; });
        bool is_disjoint = true;
        for (const axe::IndexingMap& part : *parts)
            laws::every_value(part, [&](const laws::Numbers& at, const laws::Numbers& to) {
                is_disjoint = sum.emplace(at, to).second && is_disjoint;
            });
        if (!is_disjoint || whole != sum) FAIL(axe::print(m) << "\nvariable " << v);
        split += parts->size() > 1 ? 1 : 0;
        for (const axe::IndexingMap& part : *parts)
            freed += parts->size() > 1 && part.constraints.size() < m.constraints.size() ? 1 : 0;
    }
    CHECK(split > 50);
    CHECK(freed > 50);
}
