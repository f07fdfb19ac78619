// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/right_inverse.hpp>
#include <tests/laws/report.hpp>

/// right_inverse(L): the largest layout R with L(R(i)) = i for every i < size(R); none when not even 0 is reached.
namespace {

using laws::Int;

/// Every D of the first values, from the inside: `index` holds R(0), …, R(inside−1). The largest size found.
Int largest(const std::vector<std::vector<Int>>& holders, std::vector<Int>& index)
{
    const std::size_t inside = index.size();
    Int best = static_cast<Int>(inside);
    if (inside >= holders.size()) return best;
    for (Int next : holders[inside]) {
        const Int stride = next - index[0];
        // the digit of this stride, as long as all its values are right
        for (std::size_t n = 2; n * inside <= holders.size(); ++n) {
            bool right = true;
            for (std::size_t i = (n - 1) * inside; i < n * inside && right; ++i) {
                const Int at = index[i % inside] + static_cast<Int>(n - 1) * stride;
                right = std::binary_search(holders[i].begin(), holders[i].end(), at);
                if (right) index.push_back(at);
            }
            if (!right) break;
            best = std::max(best, largest(holders, index));
        }
        index.resize(inside);
    }
    return best;
}

/// The size of the largest R for each index of value 0, ascending.
std::vector<std::pair<Int, Int>> largest_right_inverses(const std::vector<oracle::Value>& l)
{
    std::vector<std::vector<Int>> holders;
    for (Int v = 0;; ++v) {
        std::vector<Int> at;
        for (std::size_t x = 0; x < l.size(); ++x)
            if (l[x] == v) at.push_back(static_cast<Int>(x));
        if (at.empty()) break;
        holders.push_back(at);
    }
    std::vector<std::pair<Int, Int>> best;
    if (holders.empty()) return best;
    for (Int origin : holders[0]) {
        std::vector<Int> index{origin};
        best.emplace_back(origin, largest(holders, index));
    }
    return best;
}

/// Is this result an R, of the largest size? `size` 0: there is none.
bool check_inverse(laws::Report& report, const axe::Layout& l, const std::vector<oracle::Value>& image, Int size,
                   const axe::Result<axe::Layout>& got)
{
    if (!report.exists(size > 0, got, l)) return false;
    const auto r = oracle::table(*got);
    if (!report.that(static_cast<Int>(r.low.size()) == size, "not the largest", l, "got", *got, size)) return false;
    for (std::size_t i = 0; i < r.low.size(); ++i) {
        const Int x = r.low[i];
        const bool right =
            x >= 0 && x < static_cast<Int>(image.size()) && image[static_cast<std::size_t>(x)] == static_cast<Int>(i);
        if (!report.that(right && r.set.size() == 1, "wrong", l, "got", *got)) return false;
    }
    return true;
}

void check_right_inverse(laws::Report& report, const axe::Layout& l)
{
    const auto image = oracle::table(l).low;
    const auto largest_of = largest_right_inverses(image);
    Int size = 0;
    for (const auto& [origin, of_origin] : largest_of) size = std::max(size, of_origin);
    check_inverse(report, l, image, size, axe::right_inverse(l));
    // From an index of value 0, and from one of another value.
    for (const auto& [origin, of_origin] : largest_of) {
        const auto got = axe::right_inverse(l, origin);
        if (check_inverse(report, l, image, of_origin, got) && axe::evaluate(*got, 0).value()[{}] != origin)
            report.that(false, "another origin", l, "got", *got, origin);
    }
    for (std::size_t x = 0; x < image.size(); ++x)
        if (image[x] != 0) {
            check_inverse(report, l, image, 0, axe::right_inverse(l, static_cast<Int>(x)));
            break;
        }
}

} // namespace

TEST_CASE("right_inverse: every small layout, injective or not")
{
    laws::Report report("right_inverse");
    const auto from_several_places = [&](const axe::Layout& l) {
        check_right_inverse(report, l);
        axe::Layout moved = l;
        for (Int offset : {-2, 1, 5}) {
            *moved.offset.entry({}) = offset;
            check_right_inverse(report, moved);
        }
    };
    laws::all_shards(2, 4, 6, 1, from_several_places);
    laws::all_shards(3, 3, 4, 1, from_several_places);
    laws::all_shards(3, 4, 2, 1, from_several_places);
    report.finish();
}

TEST_CASE("right_inverse: random layouts, most of them onto an interval")
{
    laws::Report report("right_inverse");
    laws::Random r(20240613);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        axe::Layout l;
        Int reach = 1;
        for (Int k = r.in(1, 5); k > 0; --k) {
            const Int n = r.in(2, 4), s = reach * (r.one_in(8) ? 2 : 1) + (r.one_in(12) ? r.in(-1, 1) : 0);
            if (oracle::size(l) * n > 120) break;
            const bool turned = r.one_in(4);
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), {n, turned ? -s : s});
            if (turned) *l.offset.entry({}) += (n - 1) * s;
            reach *= n;
        }
        if (r.one_in(8)) *l.offset.entry({}) += r.in(-3, 3);
        check_right_inverse(report, l);
    }
    report.finish();
}
