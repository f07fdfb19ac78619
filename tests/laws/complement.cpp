// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/complement.hpp>
#include <tests/laws/report.hpp>

/// complement(L, n), L injective with its image in [0, n): the increasing M such that L(x) + M(y) hits every value of [0, n) exactly
/// once; none if no layout does.
namespace {

using laws::Int;

void check_complement(laws::Report& report, const axe::Layout& l, Int n)
{
    auto image = oracle::table(l).low;
    std::sort(image.begin(), image.end());
    if (std::unique(image.begin(), image.end()) != image.end() || image.front() < 0 || image.back() >= n) {
        const auto got = axe::complement(l, n);
        report.asked(false);
        report.that(!got, "completes what is not injective, or not within", l, n);
        return;
    }
    // The least value that is not hit can only be hit by the least of the image: M's values follow one another.
    std::vector<bool> hit(static_cast<std::size_t>(n));
    oracle::Table truth{{}, {0}};
    bool exists = true;
    for (Int v = 0; v < n && exists; ++v) {
        if (hit[static_cast<std::size_t>(v)]) continue;
        const Int y = v - image.front();
        truth.low.push_back(y);
        for (Int x : image) {
            exists = exists && x + y < n && !hit[static_cast<std::size_t>(x + y)];
            if (exists) hit[static_cast<std::size_t>(x + y)] = true;
        }
    }
    exists = exists && oracle::recover_d(truth.low).has_value();
    const auto got = axe::complement(l, n);
    if (!report.exists(exists, got, l, n)) return;
    report.that(laws::is_map(*got, truth), "wrong", l, n, "got", *got);
}

} // namespace

TEST_CASE("complement: every small layout")
{
    laws::Report report("complement");
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) {
        Int low = 0, high = 0;
        for (const auto& it : l.shard) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
        axe::Layout moved = l;
        if (low != 0) *moved.offset.entry({}) = -low;
        const Int span = high - low + 1;
        for (Int n : {span, 2 * span, 3 * span, oracle::size(l) * 2, oracle::size(l) * 3, oracle::size(l) * 4})
            check_complement(report, moved, n);
        *moved.offset.entry({}) += 1;
        check_complement(report, moved, 2 * span);
    });
    report.finish();
}

TEST_CASE("complement: random layouts with room between their digits")
{
    laws::Report report("complement");
    laws::Random r(20240614);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        axe::Layout l;
        Int pitch = r.in(1, 3);
        for (Int k = r.in(1, 4); k > 0; --k) {
            const Int n = r.in(2, 4);
            const bool turned = r.one_in(5);
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), {n, turned ? -pitch : pitch});
            if (turned) *l.offset.entry({}) += (n - 1) * pitch;
            pitch = pitch * n * r.in(1, 3) + (r.one_in(10) ? 1 : 0);
        }
        if (pitch < 2000) check_complement(report, l, pitch * r.in(1, 2));
    }
    report.finish();
}
