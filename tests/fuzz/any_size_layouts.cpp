// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/any_size.hpp>

/// The operations that answer with a layout.
namespace fuzz::any_size {
namespace {

/// Row-major indices, dimension by dimension.
Int take_index(const axe::Shape& shape, const std::vector<Int>& coord)
{
    Int x = 0;
    for (int d = 0; d < shape.size(); ++d) x = x * shape[d] + coord[static_cast<std::size_t>(d)];
    return x;
}
std::vector<Int> coordinate(const axe::Shape& shape, Int x)
{
    std::vector<Int> out(static_cast<std::size_t>(shape.size()));
    for (int d = shape.size(); d-- > 0; x /= shape[d]) out[static_cast<std::size_t>(d)] = x % shape[d];
    return out;
}

std::vector<Term> joined(std::vector<Term> a, const std::vector<Term>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Are the coordinates of D + O on the axis in [0, n)?
bool within(const axe::Layout& l, const axe::Axis& axis, Wide n)
{
    Wide low = l.offset[axis], high = low;
    for (const auto& it : l.shard)
        if (it.extent > 1 && it.axis == axis) (it.stride < 0 ? low : high) += Wide(it.extent - 1) * it.stride;
    return low >= 0 && high < n;
}

bool pair_admitted(const Question& q)
{
    return admits(q.a, q.a_shape) && admits(q.b, q.b_shape) && q.a_shape.size() == q.b_shape.size();
}

/// x ↦ factor ⊙ outer(z) + inner(y) on the interleaved domain.
struct Interleaved {
    Map outer, inner;
    axe::Shape outer_shape, inner_shape;
    Place operator()(Int x) const
    {
        Int z = 0, y = 0, z_pitch = 1, y_pitch = 1;
        for (int d = outer_shape.size(); d-- > 0;) {
            y += x % inner_shape[d] * y_pitch;
            y_pitch *= inner_shape[d];
            x /= inner_shape[d];
            z += x % outer_shape[d] * z_pitch;
            z_pitch *= outer_shape[d];
            x /= outer_shape[d];
        }
        Place p = outer(z);
        p.add(inner(y));
        return p;
    }
    std::vector<Term> replicas() const { return joined(outer.replica, inner.replica); }
};

Interleaved tiled(const axe::Layout& outer, const axe::Shape& os, const axe::Layout& inner, const axe::Shape& is)
{
    return {Map(outer).scaled([&](const axe::Axis& axis) { return fuzz::span(inner, axis); }), Map(inner), os, is};
}
Interleaved summed(const axe::Layout& left, const axe::Shape& ls, const axe::Layout& right, const axe::Shape& rs)
{
    return {Map(left), Map(right), ls, rs};
}

axe::Shape quotient(const axe::Shape& whole, const axe::Shape& part)
{
    axe::Shape out;
    for (int d = 0; d < whole.size(); ++d) out.push_back(whole[d] / part[d]);
    return out;
}

/// The two factors put together are the whole again.
void put_back(const Asked& asked, const axe::Layout& got, const Interleaved& again)
{
    const Question& q = asked.q;
    asked.sound(got);
    const Map whole(q.a);
    for (Int x : samples(static_cast<Int>(size(q.a)), q.a))
        if (!(whole(x) == again(x))) asked.wrong("put back, another point at " + std::to_string(x) + ", got " + print(got).c_str());
    asked.same_replicas(whole.replica, again.replicas());
}

} // namespace

void canonicalize(const Question& q)
{
    const Asked asked{"canonicalize", q};
    const auto got = axe::canonicalize(q.a);
    asked.answered(got.error(), valid(q.a));
    if (got) asked.is(*got, size(q.a), Map(q.a), Map(q.a).replica);
}

void group(const Question& q)
{
    const Asked asked{"group", q};
    const auto got = axe::group(q.a, q.a_shape);
    asked.answered(got.error(), admits(q.a, q.a_shape));
    if (!got) return;
    asked.that(got->rank() == q.a_shape.size(), "another rank");
    for (int d = 0; d < got->rank(); ++d) {
        Wide extent = 1;
        for (int i = got->begin(d); i < got->end(d); ++i) extent *= got->layout.shard[i].extent;
        asked.that(extent == q.a_shape[d], "a block of another extent");
    }
    asked.that(got->rank() == 0 || got->end(got->rank() - 1) == got->layout.shard.size(), "iters outside the dimension groups");
    const auto canonical = axe::canonicalize(got->layout);
    asked.that(canonical.has_value(), "the answer is not a layout");
    asked.is(*canonical, size(q.a), Map(q.a), Map(q.a).replica);
}

void group_many(const Question& q)
{
    const Asked asked{"group_many", q};
    const auto got = axe::group_many(q.a, q.a_shape, q.other_shape);
    asked.answered(got.error(), admits(q.a, q.a_shape) && admits(q.a, q.other_shape));
    if (!got) return;
    for (int i = 0; i < 2; ++i) {
        const axe::Shape& shape = i == 0 ? q.a_shape : q.other_shape;
        for (int d = 0; d < shape.size(); ++d) {
            Wide extent = 1;
            for (int k = got->begin(i, d); k < got->end(i, d); ++k) extent *= got->layout.shard[k].extent;
            asked.that(extent == shape[d], "a block of another extent");
        }
    }
    const auto canonical = axe::canonicalize(got->layout);
    asked.that(canonical.has_value(), "the answer is not a layout");
    asked.is(*canonical, size(q.a), Map(q.a), Map(q.a).replica);
}

void tile(const Question& q)
{
    const Asked asked{"tile", q};
    const auto got = axe::tile(q.a, q.a_shape, q.b, q.b_shape);
    asked.answered(got.error(), pair_admitted(q));
    if (!got) return;
    const auto truth = tiled(q.a, q.a_shape, q.b, q.b_shape);
    asked.is(*got, size(q.a) * size(q.b), truth, truth.replicas());
}

void sum(const Question& q)
{
    const Asked asked{"sum", q};
    const auto got = axe::sum(q.a, q.a_shape, q.b, q.b_shape);
    asked.answered(got.error(), pair_admitted(q));
    if (!got) return;
    const auto truth = summed(q.a, q.a_shape, q.b, q.b_shape);
    asked.is(*got, size(q.a) * size(q.b), truth, truth.replicas());
}

void untile(const Question& q)
{
    const Asked asked{"untile", q};
    const auto got = axe::untile(q.a, q.a_shape, q.b, q.b_shape);
    asked.answered(got.error(), pair_admitted(q));
    if (got) put_back(asked, *got, tiled(*got, quotient(q.a_shape, q.b_shape), q.b, q.b_shape));
}

void untile_outer(const Question& q)
{
    const Asked asked{"untile_outer", q};
    const auto got = axe::untile_outer(q.a, q.a_shape, q.b, q.b_shape);
    asked.answered(got.error(), pair_admitted(q));
    if (got) put_back(asked, *got, tiled(q.b, q.b_shape, *got, quotient(q.a_shape, q.b_shape)));
}

void unsum(const Question& q)
{
    const Asked left{"unsum_left", q}, right{"unsum_right", q};
    const auto x = axe::unsum_left(q.a, q.a_shape, q.b, q.b_shape), y = axe::unsum_right(q.a, q.a_shape, q.b, q.b_shape);
    left.answered(x.error(), pair_admitted(q));
    right.answered(y.error(), pair_admitted(q));
    if (x) put_back(left, *x, summed(*x, quotient(q.a_shape, q.b_shape), q.b, q.b_shape));
    if (y) put_back(right, *y, summed(q.b, q.b_shape, *y, quotient(q.a_shape, q.b_shape)));
}

void slice(const Question& q)
{
    const Asked asked{"slice", q};
    bool inside = admits(q.a, q.a_shape) && q.region.size() == q.a_shape.size();
    axe::Shape sides;
    Wide elements = 1;
    for (int d = 0; inside && d < q.region.size(); ++d) {
        const auto& r = q.region[d];
        inside = r.lo >= 0 && r.lo < r.hi && r.hi <= q.a_shape[d];
        if (!inside) break;
        sides.push_back(r.hi - r.lo);
        elements *= r.hi - r.lo;
    }
    const auto got = axe::slice(q.a, q.a_shape, q.region);
    asked.answered(got.error(), inside);
    if (!got) return;
    const Map from(q.a);
    const auto truth = [&](Int u) {
        auto c = coordinate(sides, u);
        for (int d = 0; d < sides.size(); ++d) c[static_cast<std::size_t>(d)] += q.region[d].lo;
        return from(take_index(q.a_shape, c));
    };
    asked.is(*got, elements, truth, from.replica);
}

void compose(const Question& q)
{
    const Asked asked{"compose", q};
    bool inside = valid(q.a) && valid(q.b) && !has_replicas(q.b);
    if (inside) {
        for (const auto& it : q.b.shard) inside = inside && (it.extent == 1 || it.stride == 0 || it.axis == q.axis);
        for (const auto& e : q.b.offset) inside = inside && (e.value == 0 || e.axis == q.axis);
        inside = inside && within(q.b, q.axis, size(q.a));
    }
    const auto got = axe::compose(q.a, q.b, q.axis);
    asked.answered(got.error(), inside);
    if (!got) return;
    const Map from(q.a), walk(q.b);
    asked.is(*got, size(q.b), [&](Int x) { return from(static_cast<Int>(walk(x)[q.axis])); }, from.replica);
}

void inverse(const Question& q)
{
    const Asked asked{"inverse", q};
    const auto got = axe::inverse(q.a, q.axes);
    asked.answered(got.error(), valid(q.a) && distinct(q.axes));
    if (!got) return;
    asked.sound(*got);
    asked.that(size(*got) == size(q.a), "another size");
    const Map from(q.a), back(*got);
    for (Int x : samples(static_cast<Int>(size(q.a)), q.a)) {
        const Place p = from(x);
        Wide place = 0;
        Place rest = p;
        for (const auto& axis : q.axes) {
            place = place * fuzz::span(q.a, axis) + p[axis];
            rest.add(axis, -p[axis]);
        }
        asked.that(rest == Place(), "a point off the axes");
        asked.that(place >= 0 && place < size(q.a), "a point outside the box");
        asked.that(back(static_cast<Int>(place))[axe::Axis{}] == x, "another index");
    }
}

void left_inverse(const Question& q)
{
    const Asked asked{"left_inverse", q};
    const auto got = axe::left_inverse(q.a);
    asked.answered(got.error(), valid(q.a) && !has_replicas(q.a), true);
    if (!got) return;
    asked.sound(*got);
    const Map from(q.a), back(*got);
    axe::Axis axis{};
    for (const auto& it : q.a.shard)
        if (it.extent > 1 && it.stride != 0) axis = it.axis;
    asked.that(size(*got) == fuzz::span(q.a, axis), "another domain than [0, span)");
    for (Int x : samples(static_cast<Int>(size(q.a)), q.a)) {
        const Wide v = from(x)[axis];
        asked.that(v >= 0 && v < size(*got), "a value outside the span");
        asked.that(back(static_cast<Int>(v))[axe::Axis{}] == x, "another index");
    }
}

void right_inverse(const Question& q)
{
    const Asked asked{"right_inverse", q};
    const auto got = axe::right_inverse(q.a);
    asked.answered(got.error(), valid(q.a) && !has_replicas(q.a), true);
    if (!got) return;
    asked.sound(*got);
    const Map from(q.a), back(*got);
    axe::Axis axis{};
    for (const auto& it : q.a.shard)
        if (it.extent > 1 && it.stride != 0) axis = it.axis;
    for (const auto& e : q.a.offset)
        if (e.value != 0) axis = e.axis;
    for (Int i : samples(static_cast<Int>(size(*got)), *got)) {
        const Wide x = back(i)[axe::Axis{}];
        asked.that(x >= 0 && x < size(q.a), "an index outside the domain");
        asked.that(from(static_cast<Int>(x))[axis] == i, "another value");
    }
}

void complement(const Question& q)
{
    const Asked asked{"complement", q};
    const auto got = axe::complement(q.a, q.n);
    const bool sound = valid(q.a) && q.n >= 1 && !has_replicas(q.a);
    if (sound) {
        bool inside = true;
        for (const auto& it : q.a.shard) inside = inside && within(q.a, it.axis, q.n);
        for (const auto& e : q.a.offset) inside = inside && within(q.a, e.axis, q.n);
        if (!inside) return asked.that(!got, "completes what leaves the interval"); // on two axes that is none, too
    }
    asked.answered(got.error(), sound);
    if (!got) return;
    asked.sound(*got);
    asked.that(size(*got) * size(q.a) == q.n, "another size");
    const Map from(q.a), rest(*got);
    axe::Axis axis{};
    for (const auto& it : q.a.shard)
        if (it.extent > 1 && it.stride != 0) axis = it.axis;
    for (const auto& e : q.a.offset)
        if (e.value != 0) axis = e.axis;
    for (Int y : samples(static_cast<Int>(size(*got)), *got)) {
        if (y > 0) asked.that(rest(y)[axis] > rest(y - 1)[axis], "not increasing");
        for (Int x : {Int{0}, static_cast<Int>(size(q.a) / 2), static_cast<Int>(size(q.a) - 1)}) {
            const Wide v = from(x)[axis] + rest(y)[axis];
            asked.that(v >= 0 && v < q.n, "a sum outside [0, n)");
        }
    }
}

void permute(const Question& q)
{
    const Asked asked{"permute", q};
    bool sound = admits(q.a, q.a_shape) && q.order.size() == q.a_shape.size();
    std::vector<bool> taken(axe::max_rank);
    axe::Shape places;
    for (int d = 0; sound && d < q.order.size(); ++d) {
        const int e = q.order[d];
        sound = e >= 0 && e < q.a_shape.size() && !taken[static_cast<std::size_t>(e)];
        if (!sound) break;
        taken[static_cast<std::size_t>(e)] = true;
        places.push_back(q.a_shape[e]);
    }
    const auto got = axe::permute(q.a, q.a_shape, q.order);
    asked.answered(got.error(), sound);
    if (!got) return;
    const Map from(q.a);
    const auto truth = [&](Int x) {
        const auto c = coordinate(places, x);
        auto old = c;
        for (int d = 0; d < places.size(); ++d) old[static_cast<std::size_t>(q.order[d])] = c[static_cast<std::size_t>(d)];
        return from(take_index(q.a_shape, old));
    };
    asked.is(*got, size(q.a), truth, from.replica);
}

void reshape(const Question& q)
{
    const Asked asked{"reshape", q};
    const auto got = axe::reshape(q.a, q.a_shape);
    asked.answered(got.error(), admits(q.a, q.a_shape));
    if (got) asked.is(*got, size(q.a), Map(q.a), Map(q.a).replica);
}

void broadcast(const Question& q)
{
    const Asked asked{"broadcast", q};
    const auto got = axe::broadcast(q.a, q.a_shape, q.dim, q.n);
    asked.answered(got.error(), admits(q.a, q.a_shape) && q.dim >= 0 && q.dim <= q.a_shape.size() && q.n >= 1);
    if (!got) return;
    Int inner = 1;
    for (int d = q.dim; d < q.a_shape.size(); ++d) inner *= q.a_shape[d];
    const Map from(q.a);
    asked.is(*got, size(q.a) * q.n, [&](Int x) { return from(x / inner / q.n * inner + x % inner); }, from.replica);
}

} // namespace fuzz::any_size
