// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/banks.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <limits>
#include <map>
#include <set>
#include <vector>

namespace {

using Int = std::int64_t;

/// From the definition: the lanes of each phase, the set of words in each bank.
std::vector<int> by_sets(const axe::WarpAccess& access)
{
    int together = access.bytes == 16 ? 8 : access.bytes == 8 ? 16 : 32;
    const auto in_pairs = [&](int k) {
        for (int lane = 0; lane < access.lanes; ++lane)
            if ((lane ^ k) < access.lanes && access.address[lane] != access.address[lane ^ k]) return false;
        return true;
    };
    if (access.loads && together < 32 && (in_pairs(1) || in_pairs(2))) together *= 2;
    std::vector<int> out;
    for (int first = 0; first < access.lanes; first += together) {
        std::map<Int, std::set<Int>> banks;
        for (int lane = first; lane < access.lanes && lane < first + together; ++lane)
            for (int byte = 0; byte < access.bytes; ++byte) {
                const Int at = access.address[lane] + byte - std::numeric_limits<Int>::min() / 2; // so that all are positive
                banks[at / 4 % 32].insert(at / 4);
            }
        std::size_t most = 0;
        for (const auto& [bank, distinct] : banks) most = std::max(most, distinct.size());
        out.push_back(static_cast<int>(most));
    }
    return out;
}

} // namespace

TEST_CASE("banks: the rule as a constant expression")
{
    static_assert(axe::bank_of(-1) == 31 && axe::bank_of(127) == 31 && axe::bank_of(128) == 0);
    constexpr axe::BankConflicts two{2, {3, 5}};
    static_assert(two.worst() == 5 && two.passes() == 8);
}

TEST_CASE("banks: halves and quarters of a warp are phases of their own")
{
    axe::WarpAccess access;
    access.lanes = 32;
    for (const int bytes : {1, 2, 4, 8, 16}) {
        access.bytes = bytes;
        for (int lane = 0; lane < 32; ++lane) access.address[lane] = lane * Int{bytes};
        const auto c = axe::bank_conflicts(access).value();
        CHECK(c.phases == (bytes == 16 ? 4 : bytes == 8 ? 2 : 1));
        CHECK(c.worst() == 1);
        CHECK(c.passes() == c.phases); // never more than 128 bytes at once
    }
    // lanes 0 and 16 want different words of one bank: together with 4 bytes a lane, apart with 8
    access = {17, 4, {}};
    access.address[16] = 128;
    CHECK(axe::bank_conflicts(access).value() == axe::BankConflicts{1, {2}});
    access.bytes = 8;
    CHECK(axe::bank_conflicts(access).value() == axe::BankConflicts{2, {1, 1}});
}

// Lanes, bytes a lane, which vector lane l loads, and the cycles of an H200, rounded.
TEST_CASE("banks: loads of equal addresses in pairs take as long as on an H200")
{
    struct Seen {
        int bytes, load, store;
        int (*vector)(int lane);
    };
    const Seen seen[] = {
        {8, 1, 2, [](int) { return 0; }},
        {16, 2, 4, [](int) { return 0; }},
        {8, 1, 2, [](int l) { return l / 2; }},
        {16, 2, 4, [](int l) { return l / 2; }},
        {16, 2, 4, [](int l) { return l % 2; }},
        {16, 4, 8, [](int l) { return 16 * (l % 2); }},
        {16, 4, 4, [](int l) { return l < 16 ? l / 2 : l; }},      // in one half of the warp only
        {16, 4, 4, [](int l) { return l < 16 ? l / 2 : l & ~2; }}, // by 1 in one half, by 2 in the other
        {16, 4, 4, [](int l) { return l % 4; }},
        {16, 4, 4, [](int l) { return l; }},
        {8, 2, 2, [](int l) { return l; }},
    };
    for (const Seen& s : seen) {
        axe::WarpAccess access{32, s.bytes, {}};
        for (int lane = 0; lane < 32; ++lane) access.address[lane] = Int{s.vector(lane)} * s.bytes;
        CHECK(axe::bank_conflicts(access).value().passes() == s.store);
        access.loads = true;
        CHECK(axe::bank_conflicts(access).value().passes() == s.load);
    }
}

TEST_CASE("banks: random accesses against sets of words")
{
    laws::Random r(20);
    for (Int n = laws::cases(20000); n > 0; --n) {
        axe::WarpAccess access;
        access.lanes = static_cast<int>(r.in(1, 32));
        access.bytes = 1 << r.in(0, 4);
        const Int room = Int{1} << r.in(0, 10), origin = r.one_in(3) ? r.in(-5000, 5000) : 0;
        for (int lane = 0; lane < access.lanes; ++lane)
            access.address[lane] = (origin + r.in(0, room)) * (r.one_in(2) ? 1 : 32) * access.bytes;
        access.loads = r.one_in(2);
        if (const int k = static_cast<int>(r.in(0, 3)); k > 0) // 3: in fours
            for (int lane = 0; lane < access.lanes; ++lane) access.address[lane] = access.address[lane & ~k];
        const auto c = axe::bank_conflicts(access).value();
        REQUIRE(std::vector<int>(c.degree, c.degree + c.phases) == by_sets(access));
    }
}

TEST_CASE("banks: accesses that no warp makes are refused")
{
    axe::WarpAccess access{32, 4, {}};
    CHECK(axe::bank_conflicts(access).value().worst() == 1);
    access.address[5] = 2;
    CHECK(axe::bank_conflicts(access).error().position == 5);
    CHECK(axe::bank_conflicts(axe::WarpAccess{0, 4, {}}).code() == axe::errc::bad_argument);
    CHECK(axe::bank_conflicts(axe::WarpAccess{65, 4, {}}).code() == axe::errc::bad_argument);
    CHECK(axe::bank_conflicts(axe::WarpAccess{1, 12, {}}).code() == axe::errc::bad_argument);
    CHECK(axe::bank_conflicts(axe::WarpAccess{1, 16, {std::numeric_limits<Int>::max() - 15}}).value().worst() == 1);
    CHECK(axe::bank_conflicts(axe::WarpAccess{1, 16, {std::numeric_limits<Int>::min()}}).value().worst() == 1);
}
