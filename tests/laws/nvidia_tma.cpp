// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/laws/nvidia_tma.hpp>

#include <algorithm>
#include <utility>

/// plan_tma: the copies put exactly each element of the region at the byte that the shared layout says, by the definition of a copy; where
/// there is no plan, no box does it.
namespace {

using laws::Int;

struct Counts {
    Int planned = 0, single = 0, several = 0, none = 0, missed = 0, edges = 0, stores = 0;
};

/// The law for one request; counts what it met.
void holds(const axe::TmaRequest& r, Counts& counts)
{
    const auto plan = axe::plan_tma(r);
    const tma::Moves moves = tma::asked(r);
    const bool within = std::none_of(moves.begin(), moves.end(), [](const auto& m) { return m.second == tma::outside; });
    const bool free = within && !r.rules.strict;
    const auto runs = free ? tma::runs_of(r, moves) : std::vector<tma::Run>();
    const bool box = runs.size() == 1 && tma::is_box(r, runs[0], 0, static_cast<Int>(runs[0].global.size()));
    const auto fails = [&](const char* what) {
        FAIL(what << ": " << tma::describe(r) << "; " << (plan ? "" : plan.error().message().c_str()));
    };
    if (!plan) {
        ++counts.none;
        if (plan.code() == axe::errc::internal) fails(plan.error().message().c_str());
        if (box) fails("there is a box, but no plan");
        if (free && std::all_of(runs.begin(), runs.end(), [&](const tma::Run& run) { return tma::are_boxes(r, run); }))
            ++counts.missed; // boxes of several maps: a plan has one
        return;
    }
    ++counts.planned;
    if (!within) ++counts.edges;
    if (!axe::check(plan->map, r.rules).ok()) fails("the map is not one");
    for (const axe::TmaIssue& issue : plan->issues)
        if (!axe::check(plan->map, issue, r.rules).ok()) fails("an issue is not one");
    bool sound = true;
    const tma::Moves did = tma::done(*plan, tma::width_of(r.type), sound);
    if (!sound) fails("a byte is written twice, or issue_element is wrong");
    if (did != moves) fails("the copies are not what was asked");
    if (plan->bytes != static_cast<Int>(moves.size()) * tma::width_of(r.type)) fails("the bytes to expect");
    ++(plan->issues.size() == 1 ? counts.single : counts.several);
    if (r.rules.use == axe::TmaUse::store) ++counts.stores;
    if (free && box != (plan->issues.size() == 1))
        fails("one box does it, but the plan has several issues; or the search has not found it");
}

constexpr axe::Swizzle modes[] = {{}, {1, 4, 3}, {2, 4, 3}, {3, 4, 3}, {2, 5, 2}, {1, 6, 1}}; // the last two from sm100

/// All ways of cutting n into two digits.
std::vector<std::pair<Int, Int>> cuts(Int n)
{
    std::vector<std::pair<Int, Int>> out;
    for (Int d = 1; d <= n; ++d)
        if (n % d == 0) out.emplace_back(n / d, d);
    return out;
}

} // namespace

TEST_CASE("law: TMA plans of all small matrices, with all orders of their digits in shared memory")
{
    Counts counts;
    for (const Int rows : {1, 2, 3, 4})
        for (const Int cols : {2, 4, 6, 8})
            for (const Int pitch : {Int{0}, cols, cols + 1, cols + 2})
                for (const auto& row_cut : cuts(rows))
                    for (const auto& col_cut : cuts(cols)) {
                        std::vector<Int> order{0, 1, 2, 3};
                        const Int extents[] = {row_cut.first, row_cut.second, col_cut.first, col_cut.second};
                        do {
                            axe::TmaRequest r;
                            r.type = axe::TmaType::f64;
                            r.global_shape = r.shared_shape = {rows, cols};
                            if (pitch == 0) // columns are adjacent
                                r.global.shard = {{rows, 1, {}}, {cols, rows, {}}};
                            else
                                r.global.shard = {{rows, pitch, {}}, {cols, 1, {}}};
                            Int strides[4], next = 1;
                            for (const Int k : order) {
                                strides[k] = next;
                                next *= extents[k];
                            }
                            for (int k = 0; k < 4; ++k) r.shared.layout.shard.push_back({extents[k], strides[k], {}});
                            r.shared.width = 8;
                            for (int mode = 0; mode < 4; ++mode) {
                                r.shared.swizzle = modes[mode];
                                holds(r, counts);
                            }
                        } while (std::next_permutation(order.begin(), order.end()));
                    }
    CHECK(counts.planned > 1000);
    CHECK(counts.none > 1000);
    CHECK(counts.missed == 0);
}

TEST_CASE("law: TMA plans of random tensors, regions and tilings")
{
    laws::Random random(21);
    Counts counts;
    for (Int n = laws::cases(12000); n > 0; --n) {
        axe::TmaRequest r;
        constexpr axe::TmaType types[] = {axe::TmaType::u8, axe::TmaType::f16, axe::TmaType::f32, axe::TmaType::f64};
        r.type = types[random.in(0, 3)];
        const Int width = tma::width_of(r.type);
        const int rank = static_cast<int>(random.one_in(6) ? random.in(5, 7) : random.in(1, 4));
        // Global memory: dimensions, the last adjacent mostly, and rows with a gap at times.
        std::vector<int> order;
        for (int d = 0; d < rank; ++d) order.push_back(d);
        if (random.one_in(4)) std::swap(order[0], order[static_cast<std::size_t>(rank - 1)]);
        std::vector<Int> tensor, stride(static_cast<std::size_t>(rank));
        axe::Region from;
        for (int d = 0; d < rank; ++d) {
            const bool last = order[static_cast<std::size_t>(rank - 1)] == d;
            const Int extent = last ? (16 / width) * random.in(1, rank > 4 ? 2 : 16) : random.in(1, rank > 4 ? 3 : 4);
            const Int before = last && !random.one_in(3) ? (16 / width) * random.in(0, 2) : random.in(0, 3);
            Int n_d = before + extent + (last ? (16 / width) * random.in(0, 2) : random.in(0, 3));
            Int lo = before;
            if (random.one_in(12)) n_d = std::max<Int>(1, n_d - random.in(1, extent + 3)); // the region ends after the tensor
            if (random.one_in(24)) lo -= before + random.in(1, 2);                         // or begins before it
            tensor.push_back(n_d);
            from.push_back({lo, lo + extent});
        }
        Int next = 1;
        for (int k = rank - 1; k >= 0; --k) {
            const auto d = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
            stride[d] = next;
            next *= tensor[d];
            if (k == rank - 1 && !random.one_in(8)) next = (next + 16 / width - 1) / (16 / width) * (16 / width);
            if (random.one_in(6)) next += (16 / width) * random.in(1, 3);
        }
        for (int d = 0; d < rank; ++d) {
            const auto at = static_cast<std::size_t>(d);
            r.global_shape.push_back(tensor[at]);
            // At times a tensor that is itself of tiles: two iters in a dimension.
            Int tile = 1;
            if (random.one_in(10))
                for (const Int t : {2, 3, 4})
                    if (tensor[at] % t == 0) tile = t;
            if (tile > 1) {
                r.global.shard.push_back({tensor[at] / tile, next, {}});
                r.global.shard.push_back({tile, stride[at], {}});
                next *= tensor[at] / tile;
            } else {
                r.global.shard.push_back({tensor[at], random.one_in(30) ? -stride[at] : stride[at], {}});
            }
        }
        r.global_region = from;
        if (random.one_in(5)) *r.global.offset.entry(axe::Axis{}) = random.in(0, 4) * 8;
        // Shared memory: digits of the dimensions in some order, mostly that of the global ones.
        struct Digit {
            Int extent, rank, stride;
        };
        std::vector<Digit> digits;
        for (int d = 0; d < rank; ++d) {
            const Int extent = from[d].hi - from[d].lo;
            const auto all = cuts(extent);
            const auto cut = random.one_in(2) ? all[static_cast<std::size_t>(random.in(0, static_cast<Int>(all.size()) - 1))]
                                              : std::pair<Int, Int>{1, extent};
            const Int weight = 2 * stride[static_cast<std::size_t>(d)];
            digits.push_back({cut.first, random.one_in(3) ? random.in(0, 4000) : weight + 1, 0});
            digits.push_back({cut.second, random.one_in(12) ? random.in(0, 4000) : weight, 0});
        }
        std::vector<std::size_t> by(digits.size());
        for (std::size_t i = 0; i < by.size(); ++i) by[i] = i;
        std::sort(by.begin(), by.end(),
                  [&](std::size_t a, std::size_t b) { return std::pair(digits[a].rank, a) < std::pair(digits[b].rank, b); });
        Int pitch = 1;
        for (const std::size_t i : by) {
            digits[i].stride = pitch;
            pitch *= digits[i].extent;
            if (random.one_in(15)) pitch = (pitch * width / 128 + random.in(1, 2)) * 128 / width;
        }
        for (const Digit& digit : digits) r.shared.layout.shard.push_back({digit.extent, digit.stride, {}});
        for (int d = 0; d < rank; ++d) r.shared_shape.push_back(from[d].hi - from[d].lo);
        if (random.one_in(4)) *r.shared.layout.offset.entry(axe::Axis{}) = random.in(0, 3) * 128 / width;
        r.shared.width = width;
        r.rules.arch = random.one_in(4) ? 100 : 90;
        r.rules.strict = random.one_in(8);
        if (random.one_in(3)) r.rules.use = axe::TmaUse::store;
        r.shared.swizzle = modes[random.one_in(2) ? 0 : random.in(1, r.rules.arch == 100 ? 5 : 3)];
        holds(r, counts);
    }
    CHECK(counts.planned > 1000);
    CHECK(counts.none > 1000);
    CHECK(counts.missed * 200 < counts.none);
    CHECK(counts.single > 1000);
    CHECK(counts.several > 200);
    CHECK(counts.edges > 100);
    CHECK(counts.stores > 500);
}
