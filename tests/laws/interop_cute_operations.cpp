// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute.hpp>
#include <tests/cute_oracle.hpp>
#include <tests/laws/report.hpp>

#include <map>

/// The equations of CuTe's operations, by enumeration: on random layouts, nested, with gaps, repetitions and strides that are no
/// chain, a result is there exactly when the map is a layout, and it is that map.
namespace {

using namespace axe::cute;
using cute_oracle::Int;
using cute_oracle::Values;

std::string both(const Layout& a, const Layout& b) { return cute_oracle::text(a) + "; " + cute_oracle::text(b); }

Layout flat(std::initializer_list<std::pair<Int, Int>> list)
{
    Layout out;
    out.nodes.push_back(Node{static_cast<int>(list.size()), {}, false, false});
    for (const auto& [extent, stride] : list) out.nodes.push_back(Node{-1, {extent, stride, {}}, false, false});
    return out;
}

Layout reversed(const axe::Layout::Shard& shard)
{
    Layout out;
    out.nodes.push_back(Node{shard.size(), {}, false, false});
    for (int i = shard.size() - 1; i >= 0; --i) out.nodes.push_back(Node{-1, {shard[i].extent, shard[i].stride, {}}, false, false});
    return out;
}

/// x without the digits of the modes that move nothing.
Int moving_index(const Layout& l, Int x)
{
    Int weight = 1, out = 0;
    for (const auto& [extent, stride] : cute_oracle::digits(l)) {
        if (stride != 0) out += x % extent * weight;
        x /= extent;
        weight *= extent;
    }
    return out;
}

/// The longest R with L(R(i)) = i: every index that has the next value is tried, with every extent that is right.
Int longest_inverse(const Values& of, const Values& so_far, Int inside)
{
    Int best = inside;
    for (Int x = 1; x < static_cast<Int>(of.size()); ++x) {
        if (of[static_cast<std::size_t>(x)] != inside) continue;
        Values r = so_far;
        for (Int e = 2;; ++e) {
            bool right = true;
            for (Int i = 0; i < inside && right; ++i) {
                const Int index = so_far[static_cast<std::size_t>(i)] + (e - 1) * x, value = (e - 1) * inside + i;
                right = index >= 0 && index < static_cast<Int>(of.size()) && of[static_cast<std::size_t>(index)] == value;
                r.push_back(index);
            }
            if (!right) break;
            best = std::max(best, longest_inverse(of, r, e * inside));
        }
    }
    return best;
}

/// Some M with small strides and M(v) = x for each value v with its index x? Every list of extents of a size up to twice the span
/// is tried.
bool some_inverse(const std::map<Int, Int>& index, Int rest, Int inside, Values& table)
{
    bool wrong = false, all = true;
    for (const auto& [v, x] : index) {
        if (v < inside)
            wrong = wrong || table[static_cast<std::size_t>(v)] != x;
        else
            all = false;
    }
    if (wrong) return false;
    if (all) return true;
    for (Int e = 2; e <= rest; ++e) {
        if (rest % e != 0) continue;
        for (Int s = -24; s <= 24; ++s) {
            Values next = table;
            for (Int i = inside; i < e * inside; ++i) next.push_back(table[static_cast<std::size_t>(i % inside)] + i / inside * s);
            if (some_inverse(index, rest / e, e * inside, next)) return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("cute: coalesce, filter, filter_zeros and nullspace of random layouts")
{
    laws::Report report("cute coalesce");
    laws::Random r(20261121);
    for (Int i = laws::cases(20000); i > 0; --i) {
        const Layout l = cute_oracle::random_layout(r, 5, 5, 300, true, r.one_in(3));
        const auto name = cute_oracle::text(l);
        const auto table = cute_oracle::values(l);
        report.asked(true);
        const auto short_form = coalesce(l);
        report.that(short_form && cute_oracle::text(*short_form) == cute_oracle::coalesced(table), "coalesce", name.c_str());
        const auto by_self = coalesce(l, l); // nothing to merge
        report.that(by_self && cute_oracle::values(*by_self) == table && cute_oracle::compatible(l, *by_self), "profile",
                    name.c_str());

        const auto zeros = filter_zeros(l), moving = filter(l), idle = nullspace(l);
        if (!report.that(zeros && moving && idle, "filter", name.c_str())) continue;
        report.that(cute_oracle::text(*moving) == cute_oracle::coalesced(cute_oracle::values(*zeros)), "filter", name.c_str());
        report.that(cute_oracle::elements(*moving) * cute_oracle::elements(*idle) == cute_oracle::elements(l), "size",
                    name.c_str());
        for (const Int x : cute_oracle::values(*idle)) {
            report.that(table[static_cast<std::size_t>(x)] == 0, "nullspace", name.c_str());
            if (moving_index(l, x) != 0) report.wrong("nullspace", name.c_str());
        }
    }
    report.finish(false);
}

TEST_CASE("cute: composition of random layouts, in the domain and beyond")
{
    laws::Report report("cute composition");
    laws::Random r(20261122);
    for (Int i = laws::cases(60000); i > 0; --i) {
        laws::Kind kind; // in some, carries of several digits cancel
        kind.largest_size = 100;
        const Layout a =
            r.one_in(2) ? reversed(laws::random_shard(r, kind)) : cute_oracle::random_layout(r, 4, 6, 100, true, r.one_in(3));
        const Layout b = cute_oracle::random_layout(r, 4, 6, 60, true, r.one_in(4));
        const auto truth = cute_oracle::composed(a, b);
        const auto name = both(a, b);
        const auto result = composition(a, b);
        if (!report.that(result || result.error().is_none(), "an error, not none", name.c_str())) continue;
        const bool exists = cute_oracle::is_layout(truth);
        report.asked(exists);
        report.that(result.has_value() == exists, exists ? "not found" : "found where there is none", name.c_str());
        if (!result || !exists) continue;
        report.that(cute_oracle::values(*result) == truth, "wrong", name.c_str());
        bool cut = true;
        Int below = 1;
        for (const auto& [extent, stride] : cute_oracle::digits(b)) {
            cut = cut && oracle::splits_at(truth, below);
            below *= extent;
        }
        if (cut) report.that(cute_oracle::compatible(b, *result), "not of the inner profile", name.c_str());
    }
    report.finish();
}

TEST_CASE("cute: complements of random layouts")
{
    laws::Report report("cute complement");
    laws::Random r(20261123);
    for (Int i = laws::cases(20000); i > 0; --i) {
        const Layout l = cute_oracle::random_layout(r, 4, 5, 80, true, r.one_in(8));
        const Int n = r.in(1, 300);
        const auto result = complement(l, n);
        const auto name = cute_oracle::text(l) + "; " + std::to_string(n);
        const auto copies = cute_oracle::copies(l, n);
        if (copies) report.that(result && cute_oracle::values(*result) == *copies, "not the copies that fill", name.c_str());
        report.asked(result.has_value());
        if (!result) {
            report.that(result.error().is_none(), "an error, not none", name.c_str());
            continue;
        }
        std::map<Int, Int> own, sums;
        for (const Int v : cute_oracle::values(l)) ++own[v];
        for (const Int v : cute_oracle::values(*result))
            for (const auto& [w, times] : own) ++sums[v + w];
        for (const auto& [v, times] : sums) report.that(times == 1, "two sums are one", name.c_str());
        report.that(sums.begin()->first == 0, "does not begin at 0", name.c_str());
    }
    report.finish();
}

TEST_CASE("cute: inverses of random layouts")
{
    laws::Report left("cute left_inverse"), right("cute right_inverse");
    laws::Random r(20261124);
    for (Int i = laws::cases(6000); i > 0; --i) {
        const Layout l = cute_oracle::random_layout(r, 4, 4, 40, true, r.one_in(12));
        const auto name = cute_oracle::text(l);
        const auto table = cute_oracle::values(l);

        const auto r_inverse = right_inverse(l);
        if (right.that(r_inverse.has_value(), "none", name.c_str())) {
            const auto back = cute_oracle::composed(l, *r_inverse);
            for (std::size_t k = 0; k < back.size(); ++k)
                if (back[k] != static_cast<Int>(k)) right.wrong("wrong", name.c_str());
            right.asked(back.size() > 1);
            right.that(static_cast<Int>(back.size()) == longest_inverse(table, {0}, 1), "not the longest", name.c_str());
        }

        const auto inverse = left_inverse(l);
        std::map<Int, Int> index; // of each value
        for (Int x = 0; x < static_cast<Int>(table.size()); ++x)
            index.emplace(table[static_cast<std::size_t>(x)], moving_index(l, x));
        if (inverse) {
            left.asked(true);
            for (const auto& [v, x] : index) left.that(cute_oracle::at(*inverse, v) == x, "wrong", name.c_str());
            continue;
        }
        if (inverse.code() == axe::errc::too_hard) continue; // idle modes below others; said so
        left.asked(false);
        left.that(inverse.error().is_none(), "an error, not none", name.c_str());
    }
    left.finish();
    right.finish();
}

TEST_CASE("cute: where left_inverse has none, none is found by trying")
{
    laws::Report report("cute left_inverse");
    const auto ask = [&](const Layout& l) {
        std::map<Int, Int> index;
        const auto table = cute_oracle::values(l);
        for (Int x = 0; x < static_cast<Int>(table.size()); ++x)
            if (!index.emplace(table[static_cast<std::size_t>(x)], x).second) return; // not injective
        const auto name = cute_oracle::text(l);
        const auto inverse = left_inverse(l);
        const Int span = index.rbegin()->first + 1;
        if (span > 12) return;
        bool found = false;
        for (Int n = span; n < 2 * span && !found; ++n) {
            Values start{0};
            found = some_inverse(index, n, 1, start);
        }
        report.asked(inverse.has_value());
        report.that(inverse || inverse.error().is_none(), "an error, not none", name.c_str());
        report.that(inverse || !found, "not found", name.c_str());
    };
    for (Int n = 2; n <= 3; ++n)
        for (Int s = 1; s <= 6; ++s)
            for (Int m = 2; m <= 4; ++m)
                for (Int t = 1; t <= 6; ++t) {
                    ask(flat({{n, s}, {m, t}}));
                    if (n == 2 && m == 2)
                        for (Int u = 1; u <= 5; ++u) ask(flat({{n, s}, {m, t}, {2, u}}));
                }
    report.finish();
}

TEST_CASE("cute: divides and products of random layouts")
{
    laws::Report divides("cute logical_divide"), products("cute logical_product");
    laws::Random r(20261125);
    for (Int i = laws::cases(20000); i > 0; --i) {
        const Layout a = cute_oracle::random_layout(r, 3, 6, 64);
        const Layout t = cute_oracle::random_layout(r, 3, 4, 16, r.one_in(4));
        const auto name = both(a, t);
        const auto copies = cute_oracle::copies(t, cute_oracle::elements(a));
        Values truth;
        bool exists = copies.has_value();
        if (copies) {
            for (const Int begin : *copies)
                for (const Int v : cute_oracle::values(t)) truth.push_back(cute_oracle::at(a, begin + v));
            exists = cute_oracle::is_layout(truth) && oracle::splits_at(truth, cute_oracle::elements(t));
        }
        const auto divided = logical_divide(a, t);
        if (divides.that(divided || divided.error().is_none(), "an error, not none", name.c_str())) {
            divides.asked(exists);
            divides.that(divided.has_value() == exists, exists ? "not found" : "found where there is none", name.c_str());
            if (divided && exists) {
                divides.that(cute_oracle::values(*divided) == truth, "wrong", name.c_str());
                divides.that(rank(*divided) == 2 && size(mode(*divided, 0)) == size(t), "modes", name.c_str());
                const auto tiled = tiled_divide(a, t), open = flat_divide(a, t);
                divides.that(tiled && cute_oracle::values(*tiled) == truth && mode(*tiled, 0) == mode(*divided, 0), "tiled",
                             name.c_str());
                divides.that(open && cute_oracle::values(*open) == truth, "flat", name.c_str());
            }
        }

        const auto multiplied = logical_product(a, t);
        const auto places = complement(a, Int{1} << 17); // far enough
        truth.clear();
        Values second;
        if (places)
            for (const Int y : cute_oracle::values(t)) {
                second.push_back(cute_oracle::at(*places, y));
                for (const Int v : cute_oracle::values(a)) truth.push_back(second.back() + v);
            }
        exists = places && cute_oracle::is_layout(second);
        if (!products.that(multiplied || multiplied.error().is_none(), "an error, not none", name.c_str())) continue;
        products.asked(exists);
        products.that(multiplied.has_value() == exists, exists ? "not found" : "found where there is none", name.c_str());
        if (!multiplied || !exists) continue;
        products.that(cute_oracle::values(*multiplied) == truth, "wrong", name.c_str());
        products.that(mode(*multiplied, 0) == a, "the block", name.c_str());
        const auto blocked = blocked_product(a, t), raked = raked_product(a, t);
        for (const auto* half : {&blocked, &raked}) {
            if (!*half) continue; // the modes of the tiler may not be there
            auto sorted = cute_oracle::values(**half), all = cute_oracle::values(*multiplied);
            std::sort(sorted.begin(), sorted.end());
            std::sort(all.begin(), all.end());
            products.that(sorted == all, "blocked or raked", name.c_str());
        }
    }
    divides.finish();
    products.finish();
}

TEST_CASE("cute: recasts of random layouts")
{
    laws::Report up("cute upcast"), down("cute downcast");
    laws::Random r(20261126);
    for (Int i = laws::cases(20000); i > 0; --i) {
        const Layout l = cute_oracle::random_layout(r, 4, 6, 100, true, r.one_in(6));
        const Int n = r.in(1, 8);
        const auto name = cute_oracle::text(l) + "; " + std::to_string(n);
        const auto list = cute_oracle::digits(l);

        const auto words = upcast(l, n);
        up.asked(words.has_value());
        if (words) {
            const auto shrunk = cute_oracle::digits(*words);
            for (Int x = 0; x < cute_oracle::elements(l); ++x) {
                Int rest = x, y = 0, weight = 1;
                for (std::size_t k = 0; k < list.size(); ++k) {
                    const Int s = list[k].second, q = s != 0 && n % s == 0 && s > 0 ? n / s : 1;
                    y += rest % list[k].first / q * weight;
                    rest /= list[k].first;
                    weight *= shrunk[k].first;
                }
                if (cute_oracle::at(*words, y) != cute_oracle::floored(cute_oracle::at(l, x), n)) up.wrong("wrong", name.c_str());
            }
        } else {
            up.that(words.error().is_none(), "an error, not none", name.c_str());
        }

        const auto parts = downcast(l, n);
        down.asked(parts.has_value());
        if (!parts) continue;
        std::vector<Int> expected, got = cute_oracle::values(*parts);
        for (const Int v : cute_oracle::values(l))
            for (Int k = 0; k < n; ++k) expected.push_back(n * v + k);
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
        down.that(got == expected, "wrong", name.c_str());
        const auto again = upcast(*parts, n);
        down.that(again && cute_oracle::values(*again) == cute_oracle::values(l), "not undone", name.c_str());
    }
    up.finish();
    down.finish();
}

TEST_CASE("cute: common layouts of random pairs, and threads in random shapes")
{
    laws::Report report("cute max_common_layout");
    laws::Random r(20261127);
    for (Int i = laws::cases(10000); i > 0; --i) {
        const Layout a = cute_oracle::random_layout(r, 4, 4, 64), b = r.one_in(3) ? a : cute_oracle::random_layout(r, 4, 4, 64);
        const auto name = both(a, b);
        const auto common = max_common_layout(a, b);
        const auto length = max_common_vector(a, b);
        if (!report.that(common && length && size(*common) == *length, "none", name.c_str())) continue;
        const auto first = cute_oracle::composed(a, *common), second = cute_oracle::composed(b, *common);
        for (std::size_t k = 0; k < first.size(); ++k)
            if (first[k] != static_cast<Int>(k) || second[k] != static_cast<Int>(k)) report.wrong("wrong", name.c_str());
        report.asked(first.size() > 1);
        // Of an injective layout each value has one index: R is the longest beginning of those indices that is a layout.
        auto one = cute_oracle::values(a), other = cute_oracle::values(b);
        if (std::set<Int>(one.begin(), one.end()).size() < one.size()) one.swap(other);
        if (std::set<Int>(one.begin(), one.end()).size() < one.size()) continue;
        Values index;
        while (true) {
            const auto value = static_cast<Int>(index.size());
            const auto at = std::find(one.begin(), one.end(), value) - one.begin();
            if (at >= static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()))) break;
            if (other[static_cast<std::size_t>(at)] != value) break;
            index.push_back(at);
        }
        while (!cute_oracle::is_layout(index)) index.pop_back();
        report.that(index.size() == first.size(), "not the longest", name.c_str());
    }
    for (Int i = laws::cases(5000); i > 0; --i) {
        const Layout s = cute_oracle::random_layout(r, 4, 16, 5000);
        const Int n = r.in(1, 200);
        const auto d = domain_distribute(s, n);
        const auto name = cute_oracle::text(s) + "; " + std::to_string(n);
        if (!report.that(d.has_value(), "none", name.c_str())) continue;
        report.that(n % size(*d) == 0, "threads left over", name.c_str());
        Int before = -1;
        for (const Int v : cute_oracle::values(*d)) {
            report.that(v > before && v < size(s), "not increasing, or outside", name.c_str());
            before = v;
        }
    }
    report.finish();
}

TEST_CASE("cute: large layouts cost no more, and what overflows is an error")
{
    constexpr Int e = Int{1} << 20, big = Int{1} << 60;
    const Layout huge = flat({{e, 1}, {e, e}, {e, e * e}});
    CHECK(cute_oracle::text(*coalesce(huge)) == std::to_string(big) + ":1");
    CHECK(cute_oracle::text(*composition(huge, flat({{e, e * e}, {e, 1}}))) == "(1048576,1048576):(1099511627776,1)");
    CHECK(composition(huge, flat({{e, e * e + 1}})).has_value());
    CHECK(composition(flat({{e, 3}, {e, 7}}), flat({{e, e + 1}})).has_value()); // 10·x: every digit carries alike
    CHECK(composition(flat({{e, 3}, {e, 7}}), flat({{e, e - 1}})).code() == axe::errc::no_layout);
    CHECK(cute_oracle::text(*complement(flat({{e, e}}), big)) == "(1048576,1048576):(1,1099511627776)");
    CHECK(cute_oracle::text(*left_inverse(flat({{e, e}, {e, 1}}))) == "(1048576,1048576):(1048576,1)");
    CHECK(cute_oracle::text(*right_inverse(flat({{e, e}, {e, 1}}))) == "(1048576,1048576):(1048576,1)");
    CHECK(cute_oracle::text(*logical_divide(huge, flat({{e, e}}))) ==
          "((1048576),(1048576,1048576)):((1048576),(1,1099511627776))");
    CHECK(cute_oracle::text(*logical_product(flat({{e, 1}}), flat({{e, 1}}))) == "((1048576),(1048576)):((1),(1048576))");
    CHECK(cute_oracle::text(*max_common_layout(huge, huge)) == std::to_string(big) + ":1");
    CHECK(*max_common_vector(flat({{e, 1}, {e, e}, {e, e * e}}), flat({{e, 1}, {3, e}, {e, 3 * e}})) == 3 * e * e);
    CHECK(cute_oracle::text(*upcast(huge, 8)) == "(131072,1048576,1048576):(1,131072,137438953472)");
    const Int prime = (Int{1} << 61) - 1; // 2^61 − 1
    CHECK(cute_oracle::text(*left_inverse(flat({{2, prime}}))) == "(2305843009213693951,2):(0,1)");
    CHECK(composition(flat({{2, prime}}), flat({{8, 1}})).code() == axe::errc::overflow);
    CHECK(downcast(flat({{prime, 1}}), 8).code() == axe::errc::overflow);
    CHECK(logical_product(flat({{2, prime}}), flat({{4, prime}})).code() == axe::errc::overflow);
    CHECK(coalesce(flat({{big, 1}, {big, 1}})).code() == axe::errc::overflow);
    CHECK(coalesce(flat({{0, 1}})).code() == axe::errc::bad_extent);
    CHECK(complement(flat({{2, 3}, {2, 5}}), big).code() == axe::errc::no_layout);
    // Strides that are not a chain, of a large span: decided where a size is found, else said not to be.
    CHECK(left_inverse(flat({{e, 2}, {e, 3}})).code() == axe::errc::no_layout); // 6 twice
    const auto odd = left_inverse(flat({{e, 2}, {2, 3}}));
    REQUIRE(odd);
    for (const Int x : {Int{0}, Int{1}, e - 1, e, e + 1, 2 * e - 1})
        CHECK(cute_oracle::at(*odd, cute_oracle::at(flat({{e, 2}, {2, 3}}), x)) == x);
    CHECK(left_inverse(flat({{1000, 7}, {7, 1000}})).code() == axe::errc::too_hard);
}
