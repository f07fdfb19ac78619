// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to which the answer is no, and those like them to which it is not: seeded random small layouts, asked one after another, so
// that no branch is learned. `no/<operation>/<layouts>` takes only the questions without an answer, `yes/…` only those with one;
// a time is that of one question. The counter says how many there are.
#include "layouts.hpp"

#include <utility>
#include <vector>

namespace {

using namespace bench;
using Int = std::int64_t;

/// SplitMix64: the same numbers everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    Int in(Int lo, Int hi) { return lo + static_cast<Int>(next() % static_cast<std::uint64_t>(hi - lo + 1)); }
    bool one_in(Int n) { return in(1, n) == 1; }

  private:
    std::uint64_t state_;
    std::uint64_t next()
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
};

/// Where the numbers of the layouts come from.
struct Family {
    const char* name;
    Int (*extent)(Random&);
    Int (*stride)(Random&);
};
constexpr Family families[] = {
    {"powers", [](Random& r) { return Int{1} << r.in(1, 3); }, [](Random& r) { return Int{1} << r.in(0, 6); }},
    {"mixed", [](Random& r) { return r.in(2, 6); }, [](Random& r) { return r.one_in(2) ? Int{1} << r.in(0, 5) : r.in(0, 24); }},
};

Int size_of(const Layout& l)
{
    Int n = 1;
    for (const auto& it : l.shard) n *= it.extent;
    return n;
}

axe::Axis some_axis(Random& r) { return r.one_in(4) ? axe::Axis("lane") : axe::Axis(); }

Layout any(Random& r, const Family& f, int iters, bool replicas = false)
{
    Layout l;
    for (Int i = r.in(2, iters); i > 0; --i) l.shard.push_back({f.extent(r), f.stride(r), some_axis(r)});
    for (Int i = replicas ? r.in(0, 2) : 0; i > 0; --i) l.replica.push_back({f.extent(r), f.stride(r), some_axis(r)});
    return l;
}
/// The digits of an index in another order, now and then on two axes: injective, mostly onto.
Layout permutation(Random& r, const Family& f, int iters)
{
    Layout l;
    int order[8];
    const int count = static_cast<int>(r.in(2, iters));
    for (int i = 0; i < count; ++i) {
        l.shard.push_back({f.extent(r), 0});
        const int at = static_cast<int>(r.in(0, i));
        for (int k = i; k > at; --k) order[k] = order[k - 1];
        order[at] = i;
    }
    Int weight = r.one_in(6) ? 2 : 1;
    for (int i = 0; i < count; ++i) {
        l.shard[order[i]].stride = weight;
        weight *= l.shard[order[i]].extent + (r.one_in(8) ? 1 : 0);
    }
    return l;
}
/// An affine walk within n indices.
Layout walk(Random& r, const Family& f, Int n)
{
    while (true) {
        Layout l;
        Int high = 0;
        for (Int i = r.in(1, 3); i > 0; --i) {
            l.shard.push_back({f.extent(r), f.stride(r)});
            high += (l.shard.back().extent - 1) * l.shard.back().stride;
        }
        if (high < n) return l;
    }
}
/// A shape of the size, cut at random divisors.
Shape shape_of(Random& r, Int size)
{
    Shape s;
    for (Int d = r.in(0, 2); d > 0; --d) {
        Int divisor = r.in(1, size);
        while (size % divisor != 0) --divisor;
        s.push_back(divisor);
        size /= divisor;
    }
    s.push_back(size);
    return s;
}
Region region_of(Random& r, const Shape& s)
{
    Region region;
    for (Int n : s) {
        const Int lo = r.one_in(2) ? 0 : r.in(0, n - 1);
        region.push_back({lo, r.one_in(3) ? n : r.in(lo + 1, n)});
    }
    return region;
}
Shape rows(const Layout& l)
{
    Shape s;
    for (const auto& it : l.shard) s.push_back(it.extent);
    return s;
}
/// The dimensions of one, times or divided by those of another.
Shape times(Shape s, const Shape& by)
{
    for (int d = 0; d < s.size(); ++d) s[d] *= by[d];
    return s;
}

bool says_no(const axe::Error& e) { return e.is_none(); }

/// Registers the questions that `ask` makes, as tuples of arguments, by their answer.
template <class Ask, class F>
void add_questions(const char* operation, const Family& family, Ask ask, F f)
{
    using Arguments = decltype(ask(std::declval<Random&>(), family));
    std::vector<Arguments> yes, no;
    Random r(20250531);
    for (int i = 0; i < 20'000 && yes.size() + no.size() < 2000; ++i) {
        const Arguments question = ask(r, family);
        const auto answer = std::apply(f, question);
        if (answer)
            yes.push_back(question);
        else if (says_no(answer.error()))
            no.push_back(question);
    }
    for (const bool granted : {false, true}) {
        const auto& list = granted ? yes : no;
        if (list.empty()) continue;
        const std::string name = std::string(granted ? "yes/" : "no/") + operation + "/" + family.name;
        benchmark::RegisterBenchmark(name.c_str(), [f, list](benchmark::State& state) {
            std::size_t i = 0;
            for (auto _ : state) {
                auto question = list[i];
                benchmark::DoNotOptimize(question);
                auto answer = std::apply(f, question);
                benchmark::DoNotOptimize(answer);
                benchmark::ClobberMemory();
                if (++i == list.size()) i = 0;
            }
            state.counters["questions"] = static_cast<double>(list.size());
        });
    }
}

[[maybe_unused]] const bool registered = [] {
    for (const Family& family : families) {
        // What copying a question costs.
        add_questions(
            "nothing", family, [](Random& r, const Family& f) { return std::tuple(any(r, f, 4), any(r, f, 4)); },
            [](const Layout& a, const Layout&) { return axe::Result<Layout>(a); });
        add_questions(
            "compose", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                return std::tuple(a, walk(r, f, size_of(a)));
            },
            [](const Layout& a, const Layout& b) { return axe::compose(a, b); });
        add_questions(
            "slice", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                const Shape s = shape_of(r, size_of(a));
                return std::tuple(a, s, region_of(r, s));
            },
            [](const Layout& a, const Shape& s, const Region& region) { return axe::slice(a, s, region); });
        add_questions(
            "group", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                return std::tuple(a, shape_of(r, size_of(a)));
            },
            [](const Layout& a, const Shape& s) { return axe::group(a, s); });
        add_questions(
            "group_many", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                return std::tuple(a, shape_of(r, size_of(a)), shape_of(r, size_of(a)));
            },
            [](const Layout& a, const Shape& s, const Shape& t) { return axe::group_many(a, s, t); });
        add_questions(
            "broadcast", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                const Shape s = shape_of(r, size_of(a));
                return std::tuple(a, s, static_cast<int>(r.in(0, s.size())), f.extent(r));
            },
            [](const Layout& a, const Shape& s, int dim, Int n) { return axe::broadcast(a, s, dim, n); });
        add_questions(
            "permute", family,
            [](Random& r, const Family& f) {
                const Layout a = any(r, f, 4);
                Shape s = shape_of(r, size_of(a));
                axe::Order order;
                for (int d = 0; d < s.size(); ++d) order.insert(static_cast<int>(r.in(0, d)), d);
                return std::tuple(a, s, order);
            },
            [](const Layout& a, const Shape& s, const axe::Order& order) { return axe::permute(a, s, order); });
        add_questions(
            "inverse", family, [](Random& r, const Family& f) { return std::tuple(permutation(r, f, 4)); },
            [](const Layout& a) { return axe::inverse(a, {"m"}); });
        add_questions(
            "left_inverse", family, [](Random& r, const Family& f) { return std::tuple(permutation(r, f, 4)); },
            [](const Layout& a) { return axe::left_inverse(a); });
        add_questions(
            "complement", family,
            [](Random& r, const Family& f) { return std::tuple(permutation(r, f, 4), Int{1} << r.in(5, 12)); },
            [](const Layout& a, Int n) { return axe::complement(a, n); });
        add_questions(
            "pack", family, [](Random& r, const Family& f) { return std::tuple(permutation(r, f, 4), f.extent(r)); },
            [](const Layout& a, Int n) { return axe::pack(a, n, axe::Axis{}); });

        // A tile or a sum, and a factor that is the one it was made of, or one like it.
        const auto whole_and_part = [](bool scaled, bool outer) {
            return [=](Random& r, const Family& f) {
                while (true) {
                    const bool replicas = r.one_in(2);
                    Layout b = any(r, f, 2, replicas), c = any(r, f, 2, replicas);
                    const Shape bs = rows(b), cs = rows(c);
                    const auto whole = scaled ? axe::tile(c, cs, b, bs) : axe::sum(c, cs, b, bs);
                    if (!whole) continue;
                    Layout& part = outer ? c : b;
                    if (r.one_in(3)) part.shard[0].stride = f.stride(r);
                    if (r.one_in(3)) part.replica.clear();
                    if (r.one_in(3)) part.replica.push_back({f.extent(r), f.stride(r)});
                    Layout asked = *whole;
                    if (r.one_in(4)) asked.replica.push_back({f.extent(r), f.stride(r)});
                    return std::tuple(asked, times(bs, cs), part, outer ? cs : bs);
                }
            };
        };
        const auto with = [&](const char* name, bool scaled, bool outer, auto operation) {
            add_questions(name, family, whole_and_part(scaled, outer), operation);
        };
        with("untile", true, false,
             [](const Layout& a, const Shape& as, const Layout& b, const Shape& bs) { return axe::untile(a, as, b, bs); });
        with("untile_outer", true, true,
             [](const Layout& a, const Shape& as, const Layout& b, const Shape& bs) { return axe::untile_outer(a, as, b, bs); });
        with("unsum_left", false, false,
             [](const Layout& a, const Shape& as, const Layout& b, const Shape& bs) { return axe::unsum_left(a, as, b, bs); });
        with("unsum_right", false, true,
             [](const Layout& a, const Shape& as, const Layout& b, const Shape& bs) { return axe::unsum_right(a, as, b, bs); });
    }
    return true;
}();

} // namespace
