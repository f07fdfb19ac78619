// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/any_size.hpp>

#include <algorithm>
#include <iterator>

/// The operations that answer with a yes or no, a number, points or coordinates; and the swizzles.
namespace fuzz::any_size {
namespace {

Place place(const axe::Point& p)
{
    Place out;
    for (const auto& e : p) out.add(e.axis, e.value);
    return out;
}

Int flat_index(const axe::Shape& shape, const axe::Coord& coord)
{
    Int x = 0;
    for (int d = 0; d < shape.size(); ++d) x = x * shape[d] + coord[d];
    return x;
}

/// Is p among the points whose least corner is given?
bool among(const Sets& set, const Place& corner, const axe::Point& p, const std::vector<axe::Axis>& axes)
{
    for (const auto& axis : axes) {
        const Wide v = Wide(p[axis]) - corner[axis];
        const auto at = std::find_if(set.begin(), set.end(), [&](const auto& s) { return s.first == axis; });
        if (at == set.end() ? v != 0 : !std::binary_search(at->second.begin(), at->second.end(), v)) return false;
    }
    return true;
}

std::vector<axe::Axis> axes_of(const axe::Layout& l, const axe::Point& p)
{
    std::vector<axe::Axis> out;
    for (const auto& it : l.shard) out.push_back(it.axis);
    for (const auto& it : l.replica) out.push_back(it.axis);
    for (const auto& e : l.offset) out.push_back(e.axis);
    for (const auto& e : p) out.push_back(e.axis);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool is_point(const axe::Point& p)
{
    axe::Layout at;
    at.offset = p;
    return valid(at);
}

bool is_box(const axe::Point& p)
{
    return !p.entries.overfull() &&
           std::adjacent_find(p.begin(), p.end(), [](const auto& a, const auto& b) { return !(a.axis < b.axis); }) == p.end() &&
           std::all_of(p.begin(), p.end(), [](const auto& e) { return e.value >= 1; });
}

} // namespace

void equal(const Question& q)
{
    const Asked asked{"equal", q};
    const axe::Decision got = axe::equal(q.a, q.b), turned = axe::equal(q.b, q.a);
    asked.answered(got.error(), valid(q.a) && valid(q.b));
    if (!valid(q.a) || !valid(q.b)) return;
    asked.that(!axe::equal(q.a, q.a).undecided() && axe::equal(q.a, q.a), "not equal to itself");
    asked.that(!got.undecided() == !turned.undecided(), "decided one way round only");
    if (got.undecided()) return;
    asked.that(static_cast<bool>(got) == static_cast<bool>(turned) && got.witness() == turned.witness(),
               "another verdict the other way");
    const Map a(q.a), b(q.b);
    const auto a_set = sets(a.replica), b_set = sets(b.replica);
    const bool sets_known = a_set && b_set, same_sets = !sets_known || *a_set == *b_set;
    if (got) {
        asked.that(size(q.a) == size(q.b), "yes to different sizes");
        asked.that(same_sets, "yes to different replica sets");
        for (Int x : samples(static_cast<Int>(size(q.a)), q.a)) asked.that(a(x) == b(x), "yes to different points");
        return;
    }
    const Int x = got.witness();
    asked.that((x < 0) == (size(q.a) != size(q.b)), "no witness, or one of different sizes");
    if (x < 0) return;
    asked.that(x < size(q.a), "a witness outside the domain");
    asked.that(!(a(x) == b(x)) || !same_sets || (!sets_known && x == 0), "a witness that does not differ");
    for (Int y : samples(x, q.a)) asked.that(a(y) == b(y) && same_sets, "not the least witness");
}

void points(const Question& q)
{
    const Asked asked{"points", q};
    const bool inside = valid(q.a) && q.index >= 0 && q.index < size(q.a);
    const auto range = axe::points(q.a, q.index);
    const auto one = axe::evaluate(q.a, q.index);
    asked.answered(range.error(), inside);
    asked.answered(one.error(), inside && !has_replicas(q.a));
    if (valid(q.a)) {
        const auto evaluator = axe::make_evaluator(q.a, q.axis);
        bool moves = false;
        for (const auto& it : q.a.replica) moves = moves || (it.extent > 1 && it.stride != 0 && it.axis == q.axis);
        asked.answered(evaluator.error(), !moves);
        const Map from(q.a);
        if (evaluator)
            for (Int x : samples(static_cast<Int>(size(q.a)), q.a))
                asked.that((*evaluator)(x) == from(x)[q.axis], "the evaluator gives another coordinate");
    }
    axe::Coord coord;
    bool in_shape = admits(q.a, q.a_shape) && q.region.size() == q.a_shape.size();
    for (int d = 0; d < q.region.size(); ++d) {
        coord.push_back(q.region[d].lo);
        in_shape = in_shape && q.region[d].lo >= 0 && q.region[d].lo < q.a_shape[d];
    }
    const auto there = axe::evaluate(q.a, q.a_shape, coord);
    asked.answered(there.error(), in_shape && !has_replicas(q.a));
    if (there) asked.that(place(*there) == Map(q.a)(flat_index(q.a_shape, coord)), "evaluated to another point of the shape");
    if (!range.error().ok()) return;
    const Map from(q.a);
    const Place corner = from(q.index);
    if (one) asked.that(place(*one) == corner, "evaluated to another point");
    const auto set = sets(from.replica);
    const auto axes = axes_of(q.a, {});
    axe::Point last;
    int seen = 0;
    for (const auto& p : range) {
        if (seen == 0) asked.that(place(p) == corner, "another least point");
        if (set) asked.that(among(*set, corner, p, axes), "a point that is none");
        const auto differs = std::find_if(axes.begin(), axes.end(), [&](const auto& axis) { return last[axis] != p[axis]; });
        if (seen > 0) asked.that(differs != axes.end() && last[*differs] < p[*differs], "points out of order");
        last = p;
        if (++seen == 64) break;
    }
    const auto count = range.count();
    asked.answered(count.error(), true);
    if (count && set) {
        Wide n = 1;
        for (const auto& s : *set) n *= static_cast<Wide>(s.second.size());
        asked.that(*count == n, "another count");
    }
    if (count) asked.that(seen == 64 ? *count >= 64 : *count == seen, "a count of other points");
}

void preimage(const Question& q)
{
    const Asked asked{"preimage", q};
    // the point as given, and one that some index has
    for (const bool of_an_index : {false, true}) {
        axe::Point p = q.point;
        Int index = -1;
        if (of_an_index) {
            if (!admits(q.a, q.a_shape)) return;
            index = (q.index < 0 ? -(q.index + 1) : q.index) % static_cast<Int>(size(q.a));
            const auto range = axe::points(q.a, index);
            if (!range.error().ok()) return;
            p = *range.begin();
        }
        const auto range = axe::preimage(q.a, q.a_shape, p);
        asked.answered(range.error(), admits(q.a, q.a_shape) && is_point(p));
        if (!range.error().ok()) return;
        const Map from(q.a);
        const auto set = sets(from.replica);
        const auto axes = axes_of(q.a, p);
        Int last = -1;
        int seen = 0;
        for (const auto& c : range) {
            asked.that(static_cast<bool>(axe::linear_index(q.a_shape, c)), "a coordinate outside the shape");
            const Int x = flat_index(q.a_shape, c);
            asked.that(x > last, "coordinates out of order");
            if (set) asked.that(among(*set, from(x), p, axes), "a coordinate that does not reach the point");
            last = x;
            if (++seen == 64) break;
        }
        asked.that(range.empty() == (seen == 0), "empty, or not");
        if (of_an_index) asked.that(seen > 0 && (seen == 64 || index <= last), "an index is missing that has the point");
        const auto count = range.count();
        asked.answered(count.error(), true);
        if (count) asked.that(seen == 64 ? *count >= 64 : *count == seen, "a count of other coordinates");
    }
}

void properties(const Question& q)
{
    const Asked injective{"injective", q}, surjective{"surjective", q}, bijective{"bijective", q};
    const axe::Decision one = axe::is_injective(q.a), onto = axe::is_surjective(q.a, q.point),
                        both = axe::is_bijective(q.a, q.point);
    injective.answered(one.error(), valid(q.a));
    surjective.answered(onto.error(), valid(q.a) && is_box(q.point));
    // is_bijective says no before it looks at the box when the layout is not injective
    if (!(!both.undecided() && !both)) bijective.answered(both.error(), valid(q.a) && is_box(q.point));
    if (!one.undecided() && !one) injective.that(one.witness() >= 0 && one.witness() < size(q.a), "a witness outside the domain");
    if (!one.undecided() && !onto.undecided() && !both.undecided() && both)
        bijective.that(one && onto, "yes, but not injective or not surjective");
}

void contiguous(const Question& q)
{
    const Asked asked{"contiguous", q};
    const axe::Decision got = axe::is_contiguous(q.a);
    asked.answered(got.error(), valid(q.a));
    if (got.undecided()) return;
    const Map from(q.a);
    const Place start = from(0);
    const Place second = size(q.a) > 1 ? from(1) : start;
    const auto step = [&](Int x) { // start + x·(second − start)
        Place p = start.mapped([&](const axe::Axis&, Wide v) { return v * (1 - Wide(x)); });
        p.add(second.mapped([&](const axe::Axis&, Wide v) { return v * x; }));
        return p;
    };
    const Int end = got ? static_cast<Int>(size(q.a)) : got.witness();
    for (Int x : samples(end, q.a)) asked.that(from(x) == step(x), "not contiguous, or not the least witness");
    if (!got && end > 1) asked.that(!(from(end) == step(end)), "a witness that does not differ");
}

void max_vector(const Question& q)
{
    const Asked asked{"max_vector", q};
    const auto got = axe::max_vector(q.a, q.a_shape, q.dim, q.axis);
    asked.answered(got.error(),
                   valid(q.a) && moves_on(q.a, q.axis) && admits(q.a, q.a_shape) && q.dim >= 0 && q.dim < q.a_shape.size());
    if (!got) return;
    const Int v = *got;
    asked.that(v >= 1 && q.a_shape[q.dim] % v == 0, "does not divide the dimension");
    if (v == 1) return;
    Int pitch = 1;
    for (int d = q.dim + 1; d < q.a_shape.size(); ++d) pitch *= q.a_shape[d];
    const Map from(q.a);
    for (const Term& t : from.replica) asked.that(!(t.axis == q.axis) || t.stride % v == 0, "a replica off the multiples");
    for (Int x : samples(static_cast<Int>(size(q.a)), q.a)) {
        const Int place = x / pitch % q.a_shape[q.dim] % v;
        Place p = from(x - place * pitch);
        asked.that(p[q.axis] % v == 0, "a vector that starts off the multiples");
        p.add(q.axis, place);
        asked.that(from(x) == p, "elements that do not follow one another");
    }
}

void intersect(const Question& q)
{
    const Asked asked{"intersect", q};
    if (q.a.shard.empty() || q.b.shard.empty()) return;
    const axe::Iter a = q.a.shard[0], b = q.b.shard[0];
    const auto got = axe::intersect(a, b);
    asked.answered(got.error(), a.extent >= 1 && b.extent >= 1);
    if (!got) return;
    for (const axe::Iter& it : {a, b})
        for (Int i : {Int{0}, Int{1}, got->extent / 2, got->extent - 1}) {
            if (i >= got->extent) continue;
            const Wide v = Wide(i) * got->stride;
            asked.that(v == 0 || (it.stride != 0 && v % it.stride == 0 && v / it.stride >= 0 && v / it.stride < it.extent),
                       "a value that is not in both");
        }
    if (!(a.axis == b.axis) || a.extent > 64 || b.extent > 64) return;
    std::vector<Wide> left, right, common;
    for (Int i = 0; i < a.extent; ++i) left.push_back(Wide(i) * a.stride);
    for (Int i = 0; i < b.extent; ++i) right.push_back(Wide(i) * b.stride);
    for (auto* list : {&left, &right}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
    asked.that(got->extent == static_cast<Int>(common.size()), "not all the common values");
}

void span(const Question& q)
{
    const Asked asked{"span", q};
    const auto got = axe::span(q.a, q.axis);
    asked.answered(got.error(), valid(q.a));
    if (got) asked.that(*got == fuzz::span(q.a, q.axis), "another span");
    const auto n = axe::size(q.a);
    asked.answered(n.error(), valid(q.a));
    if (n) asked.that(*n == size(q.a), "another size");
}

// ---- swizzles -------------------------------------------------------------------------------------------------------------------

namespace {

using Swizzled = axe::Swizzled<axe::Layout>;

/// Bit base + i + max(−shift, 0) takes in bit base + i + max(shift, 0), for 0 ≤ i < bits.
Wide by_bits(const axe::Swizzle& s, Wide address)
{
    Wide out = address;
    for (int i = 0; i < s.bits; ++i) {
        const int read = s.base + i + (s.shift > 0 ? s.shift : 0), written = s.base + i + (s.shift > 0 ? 0 : -s.shift);
        out ^= (address >> read & 1) << written;
    }
    return out;
}

bool well_formed(const Swizzled& s)
{
    const axe::Swizzle& w = s.swizzle;
    const int apart = std::abs(w.shift);
    if (w.bits < 0 || w.base < 0 || apart < w.bits || w.base + w.bits + apart > 61) return false;
    if (s.width < 1 || (s.width & (s.width - 1)) != 0) return false;
    return valid(s.layout) && (w.bits == 0 || s.width <= Int{1} << w.base);
}

Place at(const Swizzled& s, Int x)
{
    Place p = Map(s.layout)(x);
    const Wide v = p[s.axis];
    p.add(s.axis, by_bits(s.swizzle, v * s.width) / s.width - v);
    return p;
}

} // namespace

void swizzle(const Question& q)
{
    const Asked asked{"swizzle", q};
    const Swizzled s{q.swizzle, q.axis, q.width, q.a}, other{q.other_swizzle, q.axis, q.width, q.b};
    const bool sound = well_formed(s), single = sound && !has_replicas(q.a);
    const auto one = axe::evaluate(s, q.index);
    asked.answered(one.error(), single && q.index >= 0 && q.index < size(q.a));
    if (one) asked.that(place(*one) == at(s, q.index), "evaluated to another point");
    if (!single) return;
    const auto numbers = samples(static_cast<Int>(size(q.a)), q.a);
    for (Int x : numbers) {
        const auto p = axe::evaluate(s, x);
        if (!p) {
            asked.answered(p.error(), true);
            continue;
        }
        asked.that(place(*p) == at(s, x), "evaluated to another point");
        if (!admits(q.a, q.a_shape) || x % 37 != 0) continue;
        bool found = false;
        int tried = 0;
        for (const auto& c : axe::preimage(s, q.a_shape, *p)) {
            found = found || flat_index(q.a_shape, c) == x;
            if (found || ++tried == 64) break;
        }
        asked.that(found || tried == 64, "a place that is not taken back");
    }
    if (const auto part = axe::slice(s, q.a_shape, q.region)) {
        const auto plain = axe::slice(q.a, q.a_shape, q.region);
        asked.that(plain && part->layout == *plain && part->swizzle == s.swizzle && part->width == s.width, "another slice");
        if (axe::is_aligned(*part)) {
            Swizzled moved = *part;
            moved.layout.offset = {};
            for (Int u : samples(static_cast<Int>(size(*plain)), *plain)) {
                Place p = at(moved, u);
                p.add(place(plain->offset));
                asked.that(p == at(*part, u), "aligned, but the offset does not come out");
            }
        }
    }
    if (const auto wide = axe::with_width(s, q.new_width)) {
        const Int n = q.new_width > s.width ? q.new_width / s.width : s.width / q.new_width;
        const bool larger = q.new_width > s.width;
        const Swizzled &small = larger ? s : *wide, &large = larger ? *wide : s;
        asked.that(size(small.layout) == size(large.layout) * n, "another size at another width");
        for (Int x : samples(static_cast<Int>(size(small.layout)), small.layout)) {
            Place p = at(large, x / n).mapped([&](const axe::Axis& axis, Wide v) { return axis == s.axis ? v * n : v; });
            p.add(s.axis, x % n);
            asked.that(p == at(small, x), "other bytes at another width");
        }
    }
    if (size(q.a) <= 4096 || s.swizzle == other.swizzle) { // different ones are compared one index after another
        const axe::Decision same = axe::equal(s, other);
        if (same.undecided() || !well_formed(other) || size(q.a) != size(q.b) || has_replicas(q.b)) return;
        const Int end = same ? static_cast<Int>(size(q.a)) : same.witness();
        for (Int x : samples(end, q.a)) asked.that(at(s, x) == at(other, x), "equal, or not the least witness");
        if (!same) asked.that(end >= 0 && !(at(s, end) == at(other, end)), "a witness that does not differ");
    }
}

} // namespace fuzz::any_size
