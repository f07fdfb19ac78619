// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/mixed_radix.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

/// A mixed-radix map against its table of values.
namespace {

using laws::Int;
using Digits = std::vector<std::pair<Int, Int>>; // extent, stride

axe::MixedRadix make(const Digits& digits)
{
    axe::MixedRadix m;
    for (const auto& [n, s] : digits) REQUIRE(m.push(n, s).ok());
    return m;
}
/// By nested loops, the first digit outermost.
std::vector<Int> table(const Digits& digits)
{
    std::vector<Int> values{0};
    for (const auto& [n, s] : digits) {
        std::vector<Int> next;
        for (Int v : values)
            for (Int i = 0; i < n; ++i) next.push_back(v + i * s);
        values = next;
    }
    return values;
}
/// Every list of up to three digits.
template <class F>
void all(Int extent, Int stride, F f)
{
    const auto go = [&](const auto& self, Digits& digits) -> void {
        f(digits);
        if (digits.size() == 3) return;
        for (Int n = 1; n <= extent; ++n)
            for (Int s = -stride; s <= stride; ++s) {
                digits.emplace_back(n, s);
                self(self, digits);
                digits.pop_back();
            }
    };
    Digits digits;
    go(go, digits);
}
/// Strides of which no two sums are one by chance.
axe::MixedRadix generic(const std::vector<Int>& extents)
{
    axe::MixedRadix m;
    Int stride = 1'000'003;
    for (Int n : extents) {
        REQUIRE(m.push(n, stride).ok());
        stride = stride * 31 % 999'983 + 7;
    }
    return m;
}
/// Every list of extents of a size, 2 and more.
void factorizations(Int size, std::vector<Int>& extents, std::vector<std::vector<Int>>& out)
{
    if (size == 1) out.push_back(extents);
    for (Int n = 2; n <= size; ++n) {
        if (size % n != 0) continue;
        extents.push_back(n);
        factorizations(size / n, extents, out);
        extents.pop_back();
    }
}
std::set<Int> boundaries(const std::vector<Int>& extents)
{
    std::set<Int> out{1};
    Int weight = 1;
    for (std::size_t k = extents.size(); k-- > 0;) out.insert(weight *= extents[k]);
    return out;
}

} // namespace

TEST_CASE("mixed radix: values, digits, range, linearity of all small maps")
{
    Int wrong = 0, linear = 0, maps = 0;
    all(4, 3, [&](const Digits& digits) {
        const axe::MixedRadix m = make(digits);
        const auto values = table(digits);
        ++maps;
        wrong += m.size() != static_cast<Int>(values.size());
        bool straight = true;
        for (Int x = 0; x < m.size(); ++x) {
            wrong += m(x) != values[static_cast<std::size_t>(x)];
            straight = straight && values[static_cast<std::size_t>(x)] == x * m.slope();
            Int back = 0;
            m.for_each_digit(x, [&](int k, Int d) {
                wrong += d != x / m.digits[k].weight % m.digits[k].extent;
                back += d * m.digits[k].weight;
            });
            wrong += back != x && !digits.empty();
        }
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        wrong += !(m.range().value() == axe::Range{*least, *most + 1});
        wrong += m.is_linear() != straight;
        linear += straight;
    });
    CHECK(wrong == 0);
    CHECK(linear > 0);
    CHECK(linear < maps);
}

TEST_CASE("mixed radix: beyond its indices the outermost digit goes on")
{
    Int wrong = 0;
    all(3, 2, [&](const Digits& digits) {
        if (digits.empty() || digits.front().first == 1) return;
        const axe::MixedRadix m = make(digits);
        const Int period = m.digits[0].weight;
        for (Int x = -20; x < 40; ++x) wrong += m(x + period) != m(x) + digits.front().second;
    });
    CHECK(wrong == 0);
}

TEST_CASE("mixed radix: an inverse exists iff the values are each number once")
{
    Int wrong = 0, yes = 0, no = 0;
    all(4, 12, [&](const Digits& digits) {
        auto values = table(digits);
        const axe::MixedRadix m = make(digits);
        const auto inverse = m.inverse();
        std::sort(values.begin(), values.end());
        bool each = true;
        for (std::size_t i = 0; i < values.size(); ++i) each = each && values[i] == static_cast<Int>(i);
        ++(each ? yes : no);
        wrong += inverse.has_value() != each;
        for (Int x = 0; inverse && x < m.size(); ++x) wrong += (*inverse)(m(x)) != x;
        wrong += !inverse && inverse.code() != axe::errc::no_layout;
    });
    CHECK(wrong == 0);
    CHECK(yes > 0);
    CHECK(no > 0);
}

TEST_CASE("mixed radix: refinements and common cuts of all pairs of one size")
{
    Int wrong = 0, yes = 0, no = 0;
    for (const Int size : {1, 2, 6, 8, 12, 16, 24, 30, 36}) {
        std::vector<std::vector<Int>> lists;
        std::vector<Int> extents;
        factorizations(size, extents, lists);
        for (const auto& a : lists)
            for (const auto& b : lists) {
                const axe::MixedRadix x = generic(a), y = generic(b);
                auto bounds = boundaries(a);
                bounds.merge(boundaries(b));
                Int before = 1;
                bool chain = true;
                for (Int w : bounds) {
                    chain = chain && w % before == 0;
                    before = w;
                }
                const auto both = x.refined(y), swapped = y.refined(x);
                ++(chain ? yes : no);
                wrong += both.has_value() != chain || swapped.has_value() != chain;
                if (!chain) wrong += both.code() != axe::errc::not_grouped;
                if (both && swapped) {
                    std::set<Int> got{size};
                    for (const auto& d : both->digits) got.insert(d.weight);
                    wrong += got != bounds;
                    wrong += both->digits.size() != swapped->digits.size();
                    for (int k = 0; k < both->digits.size(); ++k) wrong += both->digits[k].extent != swapped->digits[k].extent;
                    for (Int i = 0; i < size; ++i) wrong += (*both)(i) != x(i);
                }

                // The places where both part: with generic strides exactly those where both maps are sums.
                const auto parts = [&](Int w) {
                    bool sum = true;
                    for (Int i = 0; i < size; ++i) sum = sum && x(i) == x(i % w) + x(i - i % w) && y(i) == y(i % w) + y(i - i % w);
                    return sum;
                };
                const auto cuts = x.common_cuts(y);
                wrong += cuts[0] != 1 || cuts.back() != size;
                for (int k = 0; k < cuts.size(); ++k) {
                    wrong += !parts(cuts[k]) || (k > 0 && cuts[k] % cuts[k - 1] != 0);
                    if (k == 0) continue;
                    // None is missing in between.
                    for (Int w = cuts[k - 1] + 1; w < cuts[k]; ++w)
                        wrong += w % cuts[k - 1] == 0 && cuts[k] % w == 0 && x.cuts_at(w) && y.cuts_at(w) && (bounds.count(w) > 0);
                }
                if (chain) wrong += static_cast<std::size_t>(cuts.size()) != bounds.size();
            }
    }
    CHECK(wrong == 0);
    CHECK(yes > 0);
    CHECK(no > 0);
}

TEST_CASE("mixed radix: what is ill-formed is an error")
{
    axe::MixedRadix m;
    CHECK(m.push(0, 1).code() == axe::errc::bad_extent);
    CHECK(m.push(std::int64_t{1} << 40, 1).ok());
    CHECK(m.push(std::int64_t{1} << 40, 1).code() == axe::errc::overflow);
    axe::MixedRadix wide;
    CHECK(wide.push(4, std::int64_t{1} << 62).code() == axe::errc::overflow);
    CHECK(make({{4, 1}}).refined(make({{6, 1}})).code() == axe::errc::size_mismatch);
    axe::MixedRadix full;
    for (int k = 0; k < 32; ++k) CHECK(full.push(1, 0).ok());
    CHECK(full.push(1, 0).code() == axe::errc::capacity);
}

static_assert([] {
    axe::MixedRadix m;
    if (!m.push(4, 8).ok() || !m.push(8, 1).ok()) return false;
    return m(13) == 13 && m.is_linear() && m.size() == 32;
}());
