// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/left_inverse.hpp>
#include <tests/laws/report.hpp>

/// left_inverse(L): an M on [0, span) with M(L(x)) = x for every x; none if no layout does that.
namespace {

using laws::Int;

/// Has  Σ_j a[i][j]·s_j = b[i]  a solution in integers? Columns are combined, gcd by gcd, until each row has one entry of its own.
bool solvable(std::vector<std::vector<Int>> a, std::vector<Int> b)
{
    const std::size_t rows = a.size(), columns = rows == 0 ? 0 : a[0].size();
    std::size_t c = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = c + 1; j < columns; ++j)
            while (a[i][j] != 0) { // Euclid on the columns c and j
                const Int q = a[i][c] / a[i][j];
                for (std::size_t k = 0; k < rows; ++k) {
                    a[k][c] -= q * a[k][j];
                    std::swap(a[k][c], a[k][j]);
                }
            }
        if (c >= columns || a[i][c] == 0) {
            if (b[i] != 0) return false;
            continue;
        }
        if (b[i] % a[i][c] != 0) return false;
        const Int t = b[i] / a[i][c];
        for (std::size_t k = i; k < rows; ++k) b[k] -= t * a[k][c];
        ++c;
    }
    return true;
}

/// Is there an M whose extents, innermost first, begin with `extents` and multiply to `span`?
bool some_chain(const std::vector<Int>& image, Int span, std::vector<Int>& extents, Int inside)
{
    if (inside == span) {
        std::vector<std::vector<Int>> a;
        std::vector<Int> b;
        for (std::size_t x = 0; x < image.size(); ++x) {
            std::vector<Int> row{1}; // the offset
            Int v = image[x];
            for (Int n : extents) {
                row.push_back(v % n);
                v /= n;
            }
            a.push_back(row);
            b.push_back(static_cast<Int>(x));
        }
        return solvable(a, b);
    }
    for (Int n = 2; n <= span / inside; ++n) {
        if (span / inside % n != 0) continue;
        extents.push_back(n);
        if (some_chain(image, span, extents, inside * n)) return true;
        extents.pop_back();
    }
    return false;
}

void check_left_inverse(laws::Report& report, const axe::Layout& l)
{
    const auto image = oracle::table(l).low;
    const Int span = oracle::span(l, 0);
    bool inside = true;
    for (Int v : image) inside = inside && v >= 0 && v < span;
    std::vector<Int> sorted = image, extents;
    std::sort(sorted.begin(), sorted.end());
    const bool injective = std::unique(sorted.begin(), sorted.end()) == sorted.end();
    const auto got = axe::left_inverse(l);
    if (!injective || !inside) {
        report.asked(false);
        report.that(!got, "inverts what is not injective, or starts elsewhere than at 0", l);
        return;
    }
    if (!report.exists(some_chain(image, span, extents, 1), got, l)) return;
    const auto m = oracle::table(*got);
    if (!report.that(static_cast<Int>(m.low.size()) == span && m.set.size() == 1, "another domain than [0, span)", l, "got", *got))
        return;
    for (std::size_t x = 0; x < image.size(); ++x)
        if (!report.that(m.low[static_cast<std::size_t>(image[x])] == static_cast<Int>(x), "wrong", l, "got", *got)) return;
}

/// Moved so that it starts at 0.
axe::Layout from_zero(axe::Layout l)
{
    Int least = 0;
    for (const auto& it : l.shard) least += it.stride < 0 ? (it.extent - 1) * it.stride : 0;
    if (least != 0) *l.offset.entry({}) = -least;
    return l;
}

} // namespace

TEST_CASE("left_inverse: every small layout")
{
    laws::Report report("left_inverse");
    laws::all_shards(2, 4, 12, 1, [&](const axe::Layout& l) {
        if (oracle::span(l, 0) <= 64) check_left_inverse(report, from_zero(l));
    });
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) {
        if (oracle::span(l, 0) <= 48) check_left_inverse(report, from_zero(l));
    });
    report.finish();
}

TEST_CASE("left_inverse: random layouts with holes")
{
    laws::Report report("left_inverse");
    laws::Random r(20240612);
    for (Int i = laws::cases(100'000); i > 0; --i) {
        axe::Layout l;
        Int reach = 1;
        for (Int k = r.in(1, 4); k > 0; --k) {
            const Int n = r.in(2, 5), s = reach * r.in(1, 3) + (r.one_in(8) ? r.in(0, 2) : 0);
            if ((n - 1) * s + reach > 200) break;
            l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), {n, r.one_in(4) ? -s : s});
            reach += (n - 1) * s;
        }
        check_left_inverse(report, from_zero(l));
    }
    report.finish();
}
