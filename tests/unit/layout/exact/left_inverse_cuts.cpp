// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/exact/canonical.hpp>
#include <axe/layout/exact/left_inverse_cuts.hpp>
#include <axe/layout/left_inverse.hpp>
#include <axe/text/literals.hpp>
#include <tests/laws/report.hpp>

using namespace axe;
using namespace axe::literals;
using laws::Int;

namespace {

/// Moved so that its least value is 0.
Layout from_zero(Layout l)
{
    Int least = 0;
    for (const Iter& it : l.shard) least += it.stride < 0 ? (it.extent - 1) * it.stride : 0;
    if (least != 0) *l.offset.entry(Axis{}) = -least;
    return l;
}

/// What the iters say of the inverse of a canonical layout.
bool excluded(const Layout& l) { return detail::LeftInverseCuts<Layout>(l, *span(l, Axis{})).exclude_all(); }

/// The search alone, all orders of the factors of the span.
bool found(const Layout& l)
{
    detail::LeftInverseSearch<Layout> search(l);
    search.span = *span(l, Axis{});
    search.domain = *size(l);
    search.start = l.offset[Axis{}];
    Int weight = 1;
    for (int k = l.shard.size() - 1; k >= 0; --k) {
        if (l.shard[k].stride < 0) search.origin += (l.shard[k].extent - 1) * weight;
        search.pool[search.pooled++] = weight;
        weight *= l.shard[k].extent;
    }
    auto place = [&](Int p) {
        int i = 0;
        while (i < search.factors && search.factor[i] != p) ++i;
        if (i == search.factors) {
            search.factor[i] = p;
            search.times[search.factors++] = 0;
        }
        ++search.times[i];
    };
    detail::for_each_prime_factor(search.span, place);
    const bool yes = search.place(1);
    REQUIRE((yes || (search.steps > 0 && search.nodes > 0 && !search.gave_up)));
    return yes;
}

} // namespace

TEST_CASE("LeftInverseCuts: what it excludes no search finds, and of digits side by side few are left to the search")
{
    int none = 0, left = 0;
    const auto see = [&](const Layout& given) {
        const Layout l = *canonicalize(from_zero(given));
        for (const Iter& it : l.shard)
            if (it.stride == 0) return;
        INFO(print(l).c_str());
        const bool yes = found(l), no = excluded(l);
        REQUIRE_FALSE((yes && no));
        none += !yes;
        left += !yes && !no;
    };
    laws::all_shards(3, 3, 7, 1, see); // most of them with values that several indices have
    CHECK(left * 2 < none);

    none = left = 0;
    laws::Random r(61);
    for (int i = 0; i < 20'000; ++i) { // digits side by side or with holes, in any order and direction
        Layout l;
        Int stride = r.in(1, 2);
        for (Int k = r.in(1, 4); k > 0; --k) {
            const Int n = r.in(2, 6);
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), Iter(n, r.one_in(4) ? -stride : stride));
            stride *= n + (r.one_in(4) ? r.in(1, 2) : 0);
        }
        if (stride < 2000) see(l);
    }
    CHECK(none > 1000);
    CHECK(left * 20 < none);
}

TEST_CASE("LeftInverseCuts: each way to decide, and what is left open")
{
    CHECK(excluded("4:2"_axe));               // 7 is prime: M would have a slope of one half
    CHECK(excluded("(8,8):(1,9)"_axe));       // 71 is prime: one slope for both strides
    CHECK(excluded("(8,2):(6,2)"_axe));       // 3 may be a cut, and is none of the smallest stride
    CHECK(excluded("(4,8,2):(3,15,1)"_axe));  // at 2 and 4 the same values carry, but for one pair at 4 alone
    CHECK_FALSE(excluded("(2,3):(5,1)"_axe)); // (2,4):(2,1)
    CHECK_FALSE(excluded("(4,8):(1,4)"_axe));
    CHECK_FALSE(excluded(Layout{}));
    // Numbers at their end: not decided here, and without overflow.
    CHECK_FALSE(excluded(Layout{{Iter(2, INT64_C(1) << 61), Iter(3, INT64_C(1) << 59)}}));
    CHECK_FALSE(excluded(Layout{{Iter(2, (INT64_C(1) << 62) - 2), Iter(2, INT64_C(1) << 61)}}));
}
