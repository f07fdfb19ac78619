// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/any_size.hpp>

#include <algorithm>

/// The operations on coordinates, which answer with a layout.
namespace fuzz::any_size {
namespace {

bool named(const axe::Layout::Axes& axes, const axe::Axis& axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

} // namespace

void project(const Question& q)
{
    const Asked asked{"project", q};
    const auto got = axe::project(q.a, q.axes);
    asked.answered(got.error(), valid(q.a) && distinct(q.axes));
    if (!got) return;
    const auto seen = Map(q.a).scaled([&](const axe::Axis& axis) { return Wide(named(q.axes, axis)); });
    std::vector<Term> replica;
    for (const Term& t : seen.replica)
        if (t.stride != 0) replica.push_back(t);
    asked.is(*got, size(q.a), seen, replica);
}

void local(const Question& q)
{
    const Asked asked{"local", q};
    const auto got = axe::local(q.a, q.axes);
    asked.answered(got.error(), valid(q.a) && distinct(q.axes));
    if (!got) return;
    axe::Layout kept;
    for (const auto& it : q.a.shard)
        if (it.stride == 0 || !named(q.axes, it.axis)) kept.shard.push_back(it);
    for (const auto& it : q.a.replica)
        if (!named(q.axes, it.axis)) kept.replica.push_back(it);
    for (const auto& e : q.a.offset)
        if (!named(q.axes, e.axis)) *kept.offset.entry(e.axis) = e.value;
    asked.is(*got, size(kept), Map(kept), Map(kept).replica);
}

void rename(const Question& q)
{
    const Asked asked{"rename", q};
    const auto got = axe::rename(q.a, q.axis, q.new_axis);
    asked.answered(got.error(), valid(q.a) && moves_on(q.a, q.axis) && (q.axis == q.new_axis || !moves_on(q.a, q.new_axis)));
    if (!got) return;
    const Map from(q.a);
    const auto renamed = [&](Place p) {
        const Wide v = p[q.axis];
        p.add(q.axis, -v);
        p.add(q.new_axis, v);
        return p;
    };
    auto replica = from.replica;
    for (Term& t : replica)
        if (t.axis == q.axis) t.axis = q.new_axis;
    asked.is(*got, size(q.a), [&](Int x) { return renamed(from(x)); }, replica);
}

void shift(const Question& q)
{
    const Asked asked{"shift", q};
    const auto got = axe::shift(q.a, q.point);
    axe::Layout by;
    by.offset = q.point;
    asked.answered(got.error(), valid(q.a) && valid(by));
    if (!got) return;
    Map moved(q.a);
    for (const auto& e : q.point) moved.origin.add(e.axis, e.value);
    asked.is(*got, size(q.a), moved, moved.replica);
}

namespace {

/// x ↦ words(x / n), its coordinate on the axis times n, and x % n more
struct Unpacked {
    Map words;
    Int n;
    axe::Axis axis;
    Place operator()(Int x) const
    {
        Place p = words(x / n);
        p.add(axis, x % n);
        return p;
    }
};
Unpacked unpacked(const axe::Layout& l, Int n, const axe::Axis& axis)
{
    return {Map(l).scaled([&](const axe::Axis& a) { return Wide(a == axis ? n : 1); }), n, axis};
}

} // namespace

void unpack(const Question& q)
{
    const Asked asked{"unpack", q};
    const auto got = axe::unpack(q.a, q.n, q.axis);
    asked.answered(got.error(), valid(q.a) && q.n >= 1);
    if (!got) return;
    const auto truth = unpacked(q.a, q.n, q.axis);
    asked.is(*got, size(q.a) * q.n, truth, truth.words.replica);
}

void pack(const Question& q)
{
    const Asked asked{"pack", q};
    const auto got = axe::pack(q.a, q.n, q.axis);
    asked.answered(got.error(), valid(q.a) && q.n >= 1);
    if (!got) return;
    asked.sound(*got);
    asked.that(size(*got) * q.n == size(q.a), "another size");
    const Map from(q.a);
    const auto back = unpacked(*got, q.n, q.axis);
    for (Int x : samples(static_cast<Int>(size(q.a)), q.a)) asked.that(from(x) == back(x), "unpacked, another point");
    asked.same_replicas(from.replica, back.words.replica);
}

} // namespace fuzz::any_size
