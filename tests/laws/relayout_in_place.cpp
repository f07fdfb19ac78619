// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/properties.hpp>
#include <axe/relayout/in_place.hpp>
#include <tests/laws/report.hpp>
#include <tests/relayout_sides.hpp>

#include <numeric>

/// relayout_in_place: what a copy into other memory gives, wherever both layouts reach the same addresses; nothing moves elsewhere.
namespace {

using laws::Int;
using laws::Random;

/// Steps of digits of these extents, in a random order, so that they reach every address from 0 on; some backward.
axe::Layout random_order(Random& r, const std::vector<Int>& extents)
{
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(r.in(0, static_cast<Int>(i) - 1))]);
    axe::Layout l;
    for (const Int n : extents) l.shard.push_back({n, 0});
    Int next = 1, least = 0;
    for (const std::size_t i : order) {
        const bool is_backward = r.one_in(5);
        l.shard[static_cast<int>(i)].stride = is_backward ? -next : next;
        if (is_backward) least += (extents[i] - 1) * next;
        next *= extents[i];
    }
    if (least != 0) *l.offset.entry({}) = least;
    return l;
}

} // namespace

TEST_CASE("relayout: in place, random permutations, against a copy")
{
    laws::Report report("relayout in place");
    Random r(99);
    for (Int n = 0; n < laws::cases(3000); ++n) {
        const Int width = Int{1} << r.in(0, 4);
        const axe::Shape shape = relayouts::random_shape(r, 600);
        std::vector<Int> extents;
        for (const Int e : shape) relayouts::random_cut(r, e, extents);
        if (extents.size() > 14) continue;
        axe::Layout to = random_order(r, extents), from = random_order(r, extents);
        Int size = 1;
        for (const Int e : extents) size *= e;
        // Rows with a gap on both sides; steps that interleave, backwards; or the elements after one that only one side has.
        const Int kind = r.in(0, 4);
        bool exists = true;
        if (kind == 1 && !extents.empty()) {
            const Int pitch = size + r.in(0, 9);
            extents.insert(extents.begin(), 3);
            for (axe::Layout* l : {&to, &from}) l->shard.insert(0, {3, pitch});
        } else if (kind == 2 && !extents.empty()) {
            Int reach = 0; // a step that falls between the others' multiples
            const Int step = size > 3 ? size / 2 + 1 : size;
            from.shard.insert(0, {2, step});
            const auto is_once = axe::is_injective(from);
            if (is_once.undecided() || !is_once) continue;
            to = from;
            for (axe::Iter& it : to.shard) {
                reach += (it.extent - 1) * it.stride;
                it.stride = -it.stride;
            }
            const Int start = from.offset[{}];
            to.offset = {};
            if (start + reach != 0) *to.offset.entry({}) = start + reach;
            extents.insert(extents.begin(), 2);
        } else if (kind == 3) {
            *(r.one_in(2) ? to : from).offset.entry({}) += 1;
            exists = false;
        }
        axe::Shape whole;
        for (const Int e : extents) whole.push_back(e);
        axe::RelayoutOptions o;
        o.bits = static_cast<int>(8 * width);
        const auto plan = axe::plan_relayout(to, from, whole, o);
        report.asked(exists);
        if (!plan) {
            report.wrong(plan.error().text.c_str());
            continue;
        }
        const auto bytes = static_cast<std::size_t>(std::max(plan->parts().to.most, plan->parts().from.most) + 1);
        const relayouts::GuardedBytes buffer(bytes), source(bytes), target(bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            buffer.data()[i] = source.data()[i] = target.data()[i] = static_cast<std::byte>(r.next());
        const axe::Result<void, axe::Problem> p = axe::relayout_in_place(buffer.data(), bytes, to, from, whole, o);
        if (exists) {
            if (!p.ok()) report.wrong(p.error().text.c_str(), whole, to, from);
            if (!plan->run(target.data(), bytes, source.data(), bytes).ok()) report.wrong("no copy", whole, to, from);
        } else if (p.code() != axe::errc::no_layout) {
            report.wrong("found where there is none", whole, to, from);
        }
        if (std::memcmp(buffer.data(), target.data(), bytes) != 0) report.wrong("other than the copy", whole, to, from);
    }
    report.finish();
}
