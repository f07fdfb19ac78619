// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/map_obscured.hpp>
#include <tests/laws/map_random.hpp>

#include <map>

/// What the laws of maps are tried on is itself held to what it says: another way to write one relation.
namespace {

using laws::Int;
using laws::Numbers;
using laws::Random;

/// For each value of the first run-time variables and of those behind them, the results at each index of the dimensions; the latter
/// are counted from the intervals' begin where they `move`.
using Relations = std::map<Numbers, std::map<Numbers, std::map<Numbers, std::set<Numbers>>>>;
Relations relations_of(const axe::IndexingMap& m, std::ptrdiff_t runtimes, bool move)
{
    Relations out;
    laws::every_value(m, [&](const Numbers& at, const auto& results) {
        const auto rt = at.begin() + m.first_runtime();
        Numbers d(at.begin(), at.begin() + m.dimensions);
        for (std::size_t i = 0; i < d.size() && move; ++i) d[i] -= m.variables[i].bounds.low;
        out[Numbers(rt, rt + runtimes)][Numbers(rt + runtimes, at.end())][d].insert(Numbers(results.begin(), results.end()));
    });
    return out;
}

} // namespace

TEST_CASE("law: an obscured map is the same relation, also where intervals are empty")
{
    Random r(81);
    int filled = 0, hollow = 0;
    for (Int i = laws::cases(6000); i > 0; --i) {
        axe::IndexingMap map = laws::random_map(r);
        if (!map.variables.empty() && r.one_in(3)) { // by one, as from a loop that does not run, or by more
            auto& bounds = map.variables[static_cast<std::size_t>(r.in(0, static_cast<Int>(map.variables.size()) - 1))].bounds;
            bounds.high = bounds.low - r.in(1, 3);
        }
        const auto runtimes = static_cast<std::ptrdiff_t>(map.variables.size()) - map.first_runtime();
        for (int kind = 0; kind < laws::obscurings; ++kind) {
            const axe::IndexingMap other = laws::obscured(r, map, kind);
            const bool move = kind == 13;
            INFO("kind " << kind << ": " << axe::print(map) << " as " << axe::print(other));
            Relations expected = relations_of(map, runtimes, move);
            const Relations got = relations_of(other, runtimes, move);
            const bool more = static_cast<std::ptrdiff_t>(other.variables.size()) - other.first_runtime() > runtimes;
            for (auto& [rt, relations] : expected) // whatever a variable more is
                for (Int value = 0; more && value < 4; ++value) relations[{value}] = relations[{}];
            for (auto& [rt, relations] : expected)
                if (more) relations.erase(Numbers{});
            REQUIRE(got == expected);
            ++(expected.empty() ? hollow : filled);
        }
    }
    CHECK(filled > 1000);
    CHECK(hollow > 1000);
}
