// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/question.hpp>

#include <tests/oracle.hpp>

#include <utility>

namespace fuzz {
namespace {

constexpr Int largest_size = 128;

axe::Axis small_axis(Bytes& bytes) { return oracle::axes[bytes.below(8) % 7 % 3]; }

/// Digits whose strides follow from the ones inside them: neighbors that chain, that follow the footprint so far, or that repeat a step,
/// so that carries cancel; and digits of a box in any order, so that there are inverses.
axe::Layout small_layout(Bytes& bytes)
{
    axe::Layout l;
    const int header = bytes.byte(), style = bytes.byte();
    const bool one_axis = (style & 1) != 0, from_zero = (style & 6) == 6;
    Int size = 1, reach = 0, step = 1, box[oracle::axis_count] = {1, 1, 1};
    for (int k = header % 6; k > 0; --k) {
        constexpr Int extents[16] = {2, 3, 4, 2, 5, 6, 8, 1, 7, 2, 3, 4, 9, 10, 12, 16};
        const int choice = bytes.byte(), rule = bytes.byte();
        const Int n = extents[choice & 15], value = (rule & 15) - 8;
        if (size * n > largest_size) break;
        size *= n;
        const int a = one_axis || (choice >> 4) % 8 < 5 ? 0 : (choice >> 4) % 3;
        const Int chained = l.shard.empty() ? 1 : l.shard[0].extent * l.shard[0].stride;
        Int stride = value;
        bool anywhere = false, turned = false;
        switch (rule >> 4 & 7) {
        case 0: break;
        case 1: stride = chained; break;
        case 2: stride = chained + value; break;
        case 3: stride = reach + value; break;
        case 4: stride = chained + step; break;
        case 5: stride = value * 8; break;
        default:
            stride = box[a] + (rule % 16 == 15 ? 1 : 0);
            box[a] *= n;
            anywhere = (rule & 1) != 0;
            turned = (rule & 2) != 0;
        }
        if (stride > 2000 || stride < -2000) stride = value;
        step = stride - reach;
        reach += (n - 1) * stride;
        if (turned) stride = -stride;
        if (from_zero && stride < 0) *l.offset.entry(oracle::axes[a]) -= (n - 1) * stride;
        l.shard.insert(anywhere ? l.shard.size() : 0, {n, stride, oracle::axes[a]});
    }
    for (int k = (header >> 4 & 7) - 4; k > 0; --k) {
        const int choice = bytes.byte();
        l.replica.push_back({1 + choice % 4, (choice >> 2) % 16 - 7, small_axis(bytes)});
    }
    if ((header & 0x80) != 0) *l.offset.entry(small_axis(bytes)) += bytes.in(-20, 20);
    l.offset.drop_zeros();
    return l;
}

axe::Shape admitted_shape(Bytes& bytes, Int size)
{
    axe::Shape shape;
    for (Int rank = bytes.below(4); rank > 0; --rank) {
        Int divisors[32];
        int count = 0;
        for (Int f = 1; f <= size && count < 32; ++f)
            if (size % f == 0) divisors[count++] = f;
        const Int f = divisors[bytes.below(count)];
        shape.push_back(f);
        size /= f;
    }
    shape.push_back(size);
    return shape;
}

axe::Region small_region(Bytes& bytes, const axe::Shape& shape)
{
    axe::Region region;
    for (Int n : shape) {
        const Int lo = bytes.below(n);
        region.push_back({lo, n - bytes.below(n - lo)});
    }
    return region;
}

axe::Swizzle small_swizzle(Bytes& bytes)
{
    axe::Swizzle s;
    const int choice = bytes.byte();
    s.bits = choice % 4;
    s.base = choice / 4 % 5;
    s.shift = s.bits + choice / 20 % 3;
    if (bytes.bit()) s.shift = -s.shift;
    return s;
}

/// The same map with every iter of even extent cut in two, for each bit that says so; and replicas turned round.
axe::Layout rewritten(Bytes& bytes, const axe::Layout& l)
{
    axe::Layout out;
    const int cuts = bytes.byte();
    for (int i = 0; i < l.shard.size(); ++i) {
        const auto& it = l.shard[i];
        if ((cuts >> i & 1) != 0 && it.extent % 2 == 0) {
            out.shard.push_back({it.extent / 2, it.stride * 2, it.axis});
            out.shard.push_back({2, it.stride, it.axis});
        } else {
            out.shard.push_back(it);
        }
    }
    out.offset = l.offset;
    for (int i = 0; i < l.replica.size(); ++i) {
        axe::Iter it = l.replica[i];
        if ((cuts >> (7 - i) & 1) != 0 && it.stride != 0) {
            *out.offset.entry(it.axis) += (it.extent - 1) * it.stride;
            it.stride = -it.stride;
        }
        out.replica.insert(0, it);
    }
    return out;
}

/// On one axis, with values in [0, n) where they fit.
void become_walk(Bytes& bytes, axe::Layout& l, const axe::Axis& axis, Int n)
{
    Int low = 0, high = 0;
    for (auto& it : l.shard) {
        it.axis = axis;
        (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
    }
    l.replica = {};
    l.offset = {};
    *l.offset.entry(axis) = high - low < n ? bytes.in(-low, n - 1 - high) : -low;
    l.offset.drop_zeros();
}

/// One number a little different, for three bytes out of four.
void perturb(Bytes& bytes, axe::Layout& l)
{
    const int where = bytes.byte();
    const Int by = bytes.in(-2, 2);
    switch (where & 3) {
    case 1:
        if (!l.shard.empty()) l.shard[where / 4 % l.shard.size()].stride += by;
        break;
    case 2:
        if (!l.replica.empty()) l.replica[where / 4 % l.replica.size()].stride += by;
        break;
    case 3: *l.offset.entry(oracle::axes[where / 4 % oracle::axis_count]) += by; break;
    default: break;
    }
}

} // namespace

Question small_question(Bytes& bytes)
{
    Question q;
    const int relation = bytes.byte() % 8;
    q.a = small_layout(bytes);
    q.b = relation == 1 ? rewritten(bytes, q.a) : small_layout(bytes);
    const int n = bytes.byte();
    q.n = (n < 128 ? 1 : oracle::size(q.a)) * (1 + n % 8);
    q.axis = small_axis(bytes);
    q.new_axis = small_axis(bytes);
    q.a_shape = admitted_shape(bytes, oracle::size(q.a));
    q.b_shape = admitted_shape(bytes, oracle::size(q.b));
    while (q.a_shape.size() < q.b_shape.size()) q.a_shape.push_back(1);
    while (q.b_shape.size() < q.a_shape.size()) q.b_shape.insert(0, 1);

    axe::Result<axe::Layout> whole(q.a);
    const bool tiled = relation == 2 || relation == 3, summed = relation == 4 || relation == 5;
    if (tiled) whole = axe::tile(q.a, q.a_shape, q.b, q.b_shape);
    if (summed) whole = axe::sum(q.a, q.a_shape, q.b, q.b_shape);
    if (relation == 6 && q.n <= 8) whole = axe::unpack(q.a, q.n, q.axis);
    if (relation == 7) become_walk(bytes, q.b, q.axis, oracle::size(q.a));
    if (whole) {
        if (relation == 3 || relation == 5) { // the factor that is known is the outer one
            q.b = q.a;
            std::swap(q.b_shape, q.a_shape);
        }
        for (int d = 0; (tiled || summed) && d < q.a_shape.size(); ++d) q.a_shape[d] *= q.b_shape[d];
        q.a = *whole;
        if (relation == 6) q.a_shape = {oracle::size(q.a)};
    }
    if (relation == 7) q.b_shape = {oracle::size(q.b)};
    q.other_shape = admitted_shape(bytes, oracle::size(q.a));
    perturb(bytes, relation == 1 ? q.b : q.a);

    q.region = small_region(bytes, q.a_shape);
    for (int d = 0; d < q.a_shape.size(); ++d) q.order.insert(static_cast<int>(bytes.in(0, d)), d);
    q.dim = static_cast<int>(bytes.below(q.a_shape.size() + 1));
    for (const auto& axis : oracle::axes)
        if (bytes.byte() % 4 != 0) q.axes.insert(static_cast<int>(bytes.in(0, q.axes.size())), axis);
    q.index = bytes.below(oracle::size(q.a));
    for (int k = bytes.byte() % 4; k > 0; --k) *q.point.entry(small_axis(bytes)) = bytes.in(-2, 40);
    q.swizzle = small_swizzle(bytes);
    q.other_swizzle = bytes.bit() ? small_swizzle(bytes) : q.swizzle;
    q.width = Int{1} << bytes.below(q.swizzle.base + 1);
    q.new_width = Int{1} << bytes.below(6);
    return q;
}

namespace {

axe::Axis wild_axis(Bytes& bytes)
{
    const int choice = bytes.byte() % 16;
    if (choice < 6) return axe::Axis{};
    char name[15] = {'l', 'a', 'n', 'e', '_', '.', '9', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'};
    name[0] = static_cast<char>('a' + choice);
    return *axe::Axis::make(name, choice % 3 == 0 ? 15 : choice % 7 + 1);
}

Int wild_extent(Bytes& bytes)
{
    const int b = bytes.byte();
    if (b < 160) return 1 + b % 16;
    return b < 208 ? Int{1} << (b - 160) : bytes.number();
}

/// A list as full as it may be, or fuller.
template <class List, class Item>
void fill(Bytes& bytes, List& list, Item item)
{
    int count = bytes.byte() % 32;
    if (count > 8) count = count < 24 ? count % 6 : list.capacity + count - 28;
    for (; count > 0; --count)
        if (const auto made = item(); !list.push_back(made)) ++list.count;
}

/// In order, but for one byte out of sixteen.
axe::Point wild_point(Bytes& bytes)
{
    axe::Point p;
    const int kind = bytes.byte();
    if (kind >= 240) {
        fill(bytes, p.entries, [&] {
            const axe::Axis axis = wild_axis(bytes);
            return axe::Point::Entry{axis, bytes.number()};
        });
        return p;
    }
    for (int k = kind % 16 - 6; k > 0; --k)
        if (Int* entry = p.entry(wild_axis(bytes))) *entry = bytes.number();
    return p;
}

axe::Layout wild_layout(Bytes& bytes)
{
    axe::Layout l;
    const auto iter = [&] {
        const Int extent = wild_extent(bytes), stride = bytes.number();
        return axe::Iter{extent, stride, wild_axis(bytes)};
    };
    fill(bytes, l.shard, iter);
    fill(bytes, l.replica, iter);
    l.offset = wild_point(bytes);
    return l;
}

/// The extents of the layout, neighbors taken together now and then, or any numbers.
axe::Shape wild_shape(Bytes& bytes, const axe::Layout& l)
{
    axe::Shape shape;
    const int kind = bytes.byte();
    if (kind % 8 == 7 || !axe::check(l).ok()) {
        fill(bytes, shape, [&] { return wild_extent(bytes); });
        return shape;
    }
    for (const auto& it : l.shard) {
        if (!shape.empty() && bytes.bit())
            shape.back() *= it.extent; // within the size that was checked
        else
            shape.push_back(it.extent);
    }
    if (kind % 8 == 6) shape.push_back(wild_extent(bytes));
    return shape;
}

} // namespace

Question wild_question(Bytes& bytes)
{
    Question q;
    q.a = wild_layout(bytes);
    q.b = bytes.byte() % 4 == 0 ? q.a : wild_layout(bytes);
    q.a_shape = wild_shape(bytes, q.a);
    q.b_shape = wild_shape(bytes, q.b);
    q.other_shape = wild_shape(bytes, q.a);
    for (int d = 0; d < q.a_shape.size() && d < axe::max_rank; ++d) {
        const Int n = q.a_shape[d] > 0 ? q.a_shape[d] : 1, lo = bytes.below(1 << 16) % n, hi = n - bytes.byte() % (n - lo);
        q.region.push_back(bytes.byte() % 8 == 7 ? axe::Range{bytes.number(), bytes.number()} : axe::Range{lo, hi});
        q.order.insert(static_cast<int>(bytes.in(0, d)), d);
    }
    if (bytes.byte() % 16 == 0) fill(bytes, q.order, [&] { return bytes.byte() - 1; });
    q.point = wild_point(bytes);
    fill(bytes, q.axes, [&] { return wild_axis(bytes); });
    q.axis = wild_axis(bytes);
    q.new_axis = wild_axis(bytes);
    q.n = bytes.number();
    q.index = bytes.number();
    q.dim = bytes.byte() % 20 - 1;
    for (axe::Swizzle* s : {&q.swizzle, &q.other_swizzle}) {
        s->bits = bytes.byte() % 34 - 1;
        s->base = bytes.byte() % 64 - 1;
        s->shift = bytes.byte() - 128;
    }
    q.width = bytes.byte() % 8 == 0 ? bytes.number() : Int{1} << bytes.below(6);
    q.new_width = bytes.byte() % 8 == 0 ? bytes.number() : Int{1} << bytes.below(6);
    return q;
}

} // namespace fuzz
