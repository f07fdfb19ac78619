// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/broadcast.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/slice.hpp>
#include <tests/laws/report.hpp>

/// A no is counted like a yes: of the questions of each kind, exactly those are refused whose table of values, written out, is not that
/// of a D. The kinds lead to each way of deciding: few divisors or many, sizes that are tabulated and larger ones, large prime factors.
namespace {

using laws::Int;

struct Kind {
    const char* name;
    Int (*extent)(laws::Random&);
    Int (*stride)(laws::Random&);
    Int largest;
    Int cases;
};
constexpr Int primes[] = {2, 3, 5, 7, 61, 67, 71, 131};
const Kind kinds[] = {
    {"powers of two", [](laws::Random& r) { return Int{1} << r.in(1, 3); }, [](laws::Random& r) { return Int{1} << r.in(0, 6); },
     4096, 40'000},
    {"signed powers of two", [](laws::Random& r) { return Int{1} << r.in(1, 2); },
     [](laws::Random& r) { return (r.one_in(2) ? -1 : 1) * (Int{1} << r.in(0, 4)); }, 256, 60'000},
    {"mixed", [](laws::Random& r) { return r.in(2, 6); },
     [](laws::Random& r) { return r.one_in(2) ? Int{1} << r.in(0, 5) : r.in(-3, 24); }, 1024, 60'000},
    {"many divisors", [](laws::Random& r) { return Int{12} * r.in(1, 5); },
     [](laws::Random& r) { return r.in(0, 4) * r.in(1, 60); }, 40'000, 2'000},
    {"large primes", [](laws::Random& r) { return primes[r.in(0, 7)]; },
     [](laws::Random& r) { return primes[r.in(0, 7)] * r.in(0, 2) + r.in(0, 1); }, 20'000, 4'000},
};

axe::Layout any(laws::Random& r, const Kind& kind, int iters, Int largest, int axes)
{
    axe::Layout l;
    Int size = 1;
    for (Int i = r.in(1, iters); i > 0; --i) {
        const Int n = kind.extent(r);
        if (size * n > largest) break;
        size *= n;
        l.shard.push_back({n, kind.stride(r), laws::random_axis(r, axes)});
    }
    return l;
}

/// Compares the answer with the table of the map; says whether it was refused.
template <class R, class... T>
bool refused(laws::Report& report, const std::vector<oracle::Value>& values, const R& got, const T&... question)
{
    const auto d = oracle::recover_d(values);
    if (report.exists(d.has_value(), got, question...))
        report.that(oracle::same_list(got->shard, *d), "another map", question..., "got", *got);
    return !got;
}

/// Asks questions of each kind, a `share`-th of its cases; `ask` says whether one was refused.
template <class Ask>
void refusals_of(std::uint64_t seed, Int share, bool both_ways, Ask ask)
{
    for (const Kind& kind : kinds) {
        laws::Report report(kind.name);
        laws::Random r(seed);
        Int refusals = 0;
        for (Int i = laws::cases(kind.cases / share); i > 0; --i) refusals += ask(report, r, kind);
        CHECK(refusals == report.no());
        report.finish(both_ways);
    }
}

} // namespace

TEST_CASE("refusals of compose are those of brute force")
{
    refusals_of(7, 1, true, [](laws::Report& report, laws::Random& r, const Kind& kind) {
        const axe::Layout a = any(r, kind, 4, kind.largest, r.one_in(4) ? 2 : 1);
        axe::Layout b;
        Int low = 0, high = 0;
        for (int attempt = 0; attempt < 20; ++attempt) {
            b = any(r, kind, 3, kind.largest, 1);
            low = high = 0;
            for (const auto& it : b.shard) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
            if (high - low < oracle::size(a)) break;
            b = {};
            low = high = 0;
        }
        if (const Int shift = r.in(-low, oracle::size(a) - 1 - high); shift != 0) *b.offset.entry(axe::Axis{}) = shift;
        const auto from = oracle::model(a);
        std::vector<oracle::Value> values;
        for (oracle::Value y : oracle::values(oracle::model(b).shard))
            values.push_back(oracle::at(from, y + b.offset[axe::Axis{}]));
        return refused(report, values, axe::compose(a, b), a, b);
    });
}

TEST_CASE("refusals of slice are those of brute force")
{
    refusals_of(11, 1, true, [](laws::Report& report, laws::Random& r, const Kind& kind) {
        const axe::Layout a = any(r, kind, 4, kind.largest, r.one_in(4) ? 2 : 1);
        const axe::Shape shape = laws::random_shape(r, oracle::size(a), 3);
        const axe::Region region = laws::random_region(r, shape);
        const auto from = oracle::model(a);
        std::vector<oracle::Value> values;
        Int count = 1;
        for (const auto& interval : region) count *= interval.hi - interval.lo;
        for (Int u = 0; u < count; ++u) {
            Int rest = u, index = 0, pitch = 1;
            for (int d = shape.size() - 1; d >= 0; --d) {
                const Int n = region[d].hi - region[d].lo;
                index += (region[d].lo + rest % n) * pitch;
                rest /= n;
                pitch *= shape[d];
            }
            values.push_back(oracle::at(from, index));
        }
        return refused(report, values, axe::slice(a, shape, region), a, shape, region);
    });
}

TEST_CASE("refusals of broadcast are those of brute force")
{
    refusals_of(13, 4, false, [](laws::Report& report, laws::Random& r, const Kind& kind) {
        const axe::Layout a = any(r, kind, 4, kind.largest / 8, 1);
        const axe::Shape shape = laws::random_shape(r, oracle::size(a), 3);
        const int dim = static_cast<int>(r.in(0, shape.size()));
        const Int n = r.in(1, 8);
        Int inner = 1;
        for (int d = dim; d < shape.size(); ++d) inner *= shape[d];
        const auto from = oracle::model(a);
        std::vector<oracle::Value> values;
        for (Int x = 0; x < oracle::size(a) * n; ++x) values.push_back(oracle::at(from, x / (inner * n) * inner + x % inner));
        return refused(report, values, axe::broadcast(a, shape, dim, n), a, shape);
    });
}
