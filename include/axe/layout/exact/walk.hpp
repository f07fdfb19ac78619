// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_WALK_HPP
#define AXE_LAYOUT_EXACT_WALK_HPP

#include <axe/layout/exact/candidate.hpp>
#include <axe/layout/exact/floor_form.hpp>
#include <axe/layout/exact/replica_set.hpp>
#include <axe/layout/exact/window.hpp>
#include <axe/support/factor.hpp>

/// A canonical D after an affine walk through its domain, decided exactly: what compose, slice and broadcast share.
namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error no_composition() noexcept { return Error(errc::no_layout, -1, "the composed map is not a layout"); }

/// The canonical D of  D(X(d)) − D(X(0)) , one digit of the walk at a time: every floor ⌊X/W_k⌋ must be a sum of functions of
/// single digits. Then, and by hint of f(qx+y) = f(qx) + f(y), the composition is a D iff each digit's own one is.
/// @returns `errc::too_hard` when some floor is not seen to be such a sum: the general way decides.
template <class L>
constexpr Status compose_digitwise(const Digits<typename L::integer>& f, const Walk<typename L::integer>& walk, L& out) noexcept
{
    using Int = typename L::integer;
    const Error undecided(errc::too_hard, -1, "");
    const int levels = f.size(), digits = walk.count;

    // Walk upwards along every digit, from the least index on.
    Int up[most_digits], low = walk.start;
    for (int j = 0; j < digits; ++j) {
        up[j] = magnitude(walk.stride[j]);
        if (walk.stride[j] < 0) low += (walk.extent[j] - 1) * walk.stride[j];
    }

    int carries[most_digits]; // the number of levels, from the outermost, above the finest one that digit j carries into
    for (int j = 0; j < digits; ++j) carries[j] = 0;
    Int period = 1;
    for (int k = levels - 2; k >= 0; --k) {
        period *= f[k + 1].extent; // W_k
        Int footprint = low - quotient(low, period) * period, rest = 0;
        int carrier = -1;
        for (int j = 0; j < digits; ++j) {
            if (up[j] > period) {
                if (divides(period, up[j])) continue;
                return undecided;
            }
            if (up[j] == period || up[j] == 0) continue;
            footprint += up[j] * (walk.extent[j] - 1);
            if (carrier < 0 || up[j] > up[carrier]) carrier = j;
        }
        if (footprint < period) continue;
        const Int t = up[carrier];
        if (!divides(t, period)) return undecided;
        rest = low - quotient(low, t) * t;
        for (int j = 0; j < digits; ++j)
            if (j != carrier && up[j] < period) rest += up[j] * (walk.extent[j] - 1);
        if (rest >= t) return undecided;
        if (carries[carrier] == 0) carries[carrier] = k + 1;
    }

    for (int j = 0; j < digits; ++j) {
        const Int n = walk.extent[j], t = up[j];
        const bool backwards = walk.stride[j] < 0;
        if (carries[j] == 0) { // no carry: linear
            const auto step = t == 0 ? SingleAxis<Int>{0, Axis{}, true} : displacement(f.items, levels, low, Int(low + t));
            if (!step.exists) return no_composition();
            if (!append(out.shard, n, backwards ? Int(-step.stride) : step.stride, step.axis)) return shard_capacity<L>();
            continue;
        }
        // f in steps of t: the iters above t, the one that t falls into divided by it; a window of them.
        Digits<Int> scaled;
        Int inner = 1; // product of the extents inside iter k
        int k = levels - 1;
        for (; quotient(t, inner) >= f[k].extent; --k) inner *= f[k].extent;
        const Int z = quotient(t, inner);
        for (int i = 0; i < k; ++i) scaled.push_back(f[i]);
        if (f[k].extent != z) scaled.push_back({quotient(f[k].extent, z), f[k].stride * z, f[k].axis});
        if (const Status e = append_window(scaled.items, scaled.size(), quotient(low, t), n, out, j, backwards); !e.ok()) {
            if (e.code() == errc::no_layout) return no_composition();
            return e;
        }
    }
    return {};
}

/// The first index at which the map is not the D that was found for it, by sums of floors; the size of the walk if none exists.
/// @param steps counts down the boxes looked at; at 0 the search ends undecided
template <class L>
AXE_COLD constexpr wider_t<typename L::integer> first_difference(const WalkedMap<L>& map, std::int64_t& steps) noexcept
{
    using Int = typename L::integer;
    const auto& f = map.f;
    const auto& walk = map.walk;
    Int weight[most_digits]; // of the walk's digits in the flat index
    Int inside = 1;
    for (int j = walk.count - 1; j >= 0; --j) {
        weight[j] = inside;
        inside *= walk.extent[j];
    }
    BasicIter<Int> reversed[most_digits];
    for (int i = 0; i < map.found.count; ++i) reversed[i] = map.found.items[map.found.count - 1 - i];
    FloorForm<Int> form(walk.extent, walk.count);
    wider_t<Int> end = map.size;
    for (int a = 0; a < map.axes && steps > 0; ++a) {
        form.clear();
        add_coordinate(form, f.items, f.count, map.axis[a], 1, walk.start, walk.stride);
        form.add(-map.origin[a]);
        add_coordinate(form, reversed, map.found.count, map.axis[a], -1, Int{0}, weight);
        const auto first = form.first_nonzero(steps);
        if (first >= 0 && first < end) end = first;
    }
    return end;
}

/// The divisors of a walk's size, ascending, from the prime factors of its extents; 0 where there are more than fit.
template <class Int, int Most>
constexpr int divisors_of(const Walk<Int>& walk, Int (&divisors)[Most]) noexcept
{
    int count = 1, before = 1; // of the divisors that were there before the last prime
    Int last = 0;
    bool room = true;
    divisors[0] = 1;
    Int primes[Most];
    int found = 0;
    for (int j = 0; j < walk.count; ++j) {
        auto keep = [&](Int p) {
            room = room && found < Most;
            int at = found;
            for (; room && at > 0 && primes[at - 1] > p; --at) primes[at] = primes[at - 1];
            if (room) primes[at] = p;
            found += room;
        };
        for_each_prime_factor(walk.extent[j], keep);
    }
    for (int i = 0; i < found && room; ++i) { // times a prime once more: what the same prime has made last, or all
        const int from = primes[i] == last ? before : 0, end = count;
        room = end + (end - from) <= Most;
        for (int k = from; k < end && room; ++k) divisors[count++] = divisors[k] * primes[i];
        before = end;
        last = primes[i];
    }
    for (int i = 1; i < count && room; ++i)
        for (int k = i; k > 0 && divisors[k - 1] > divisors[k]; --k) {
            const Int moved = divisors[k];
            divisors[k] = divisors[k - 1];
            divisors[k - 1] = moved;
        }
    return room ? count : 0;
}

/// The same for every walk: the canonical D is peeled from the inside, each extent ending where its hypothesis first breaks.
///
/// The products of the extents so far divide the size N. Where they multiply to `inside`, the next extent is the least e with
/// inside·e | N for which the hypothesis fails at inside·e: a smaller one would not be canonical, a larger one not the map. So the values
/// at the divisors of N, if they are few, leave one candidate. A few of its values mostly show that it is not the map; all of them, or
/// sums of floors, that it is. For large N, and for many divisors, each extent is found by sums of floors.
template <class L>
AXE_COLD constexpr Status compose_by_peeling(const Digits<typename L::integer>& f, const Walk<typename L::integer>& walk,
                                             L& out) noexcept
{
    using Int = typename L::integer;
    constexpr Int tabulated = 128, small = 4096, medium = 1 << 20;
    std::int64_t steps = 4 * search_limit;
    WalkedMap<L> map(f, walk);
    const Int size = map.size, samples = size <= tabulated ? 16 : 64;
    Int divisors[64]; // ascending; no size up to `small` has as many
    int low = 0, high = 64;
    for (Int d = 1; d * d <= size && size <= small; ++d) {
        if (!divides(d, size)) continue;
        divisors[low++] = d;
        divisors[--high] = quotient(size, d);
    }
    while (high < 64) divisors[low++] = divisors[high++];
    const bool listed = size <= small || (size <= medium && divisors_of(walk, divisors) > 0);

    int i = 0;
    for (Int inside = 1, next; inside < size; inside = next) {
        if (!map.extend(inside)) return no_composition();
        if (listed) {
            do next = divisors[++i];
            while (next < size && (!divides(inside, next) || map.agrees(next)));
        } else {
            next = static_cast<Int>(first_difference(map, steps));
            if (steps <= 0) break;
            if (!divides(inside, next) || !divides(next, size)) return no_composition();
        }
        map.found.back().extent = next / inside;
    }
    if (listed) {
        const Int step = (size / 2 + size / 8) | 1; // far from here, and from there
        for (Int k = size > samples ? 1 : samples; k < samples + (size <= tabulated ? size : 0); ++k)
            if (!map.agrees(k < samples ? k * step - quotient(k * step, size) * size : k - samples)) return no_composition();
        if (size > tabulated && first_difference(map, steps) < size && steps > 0) return no_composition();
    }
    if (steps <= 0) return Error(errc::too_hard, -1, "the composition takes more than {0} boxes", 4 * search_limit);
    for (int k = map.found.count - 1; k >= 0; --k)
        if (!append(out.shard, map.found.items[k])) return shard_capacity<L>();
    return {};
}

/// D(X(0)) goes to the offset, the rest to `out.shard`, which must be empty. X must stay in the domain of the canonical digits.
template <class L>
constexpr Status compose_digits(const Digits<typename L::integer>& f, const Walk<typename L::integer>& walk, L& out) noexcept
{
    using Int = typename L::integer;
    Int x = walk.start;
    for (int k = f.size() - 1; k >= 0; --k) {
        const Int q = quotient(x, f[k].extent);
        if (const Status e = add_offset(out.offset, f[k].axis, Int((x - q * f[k].extent) * f[k].stride)); !e.ok()) return e;
        x = q;
    }
    if (f.size() == 0 || walk.count == 0) {
        for (int j = 0; j < walk.count; ++j) append(out.shard, walk.extent[j], Int{0}, Axis{});
        return {};
    }
    const Status e = compose_digitwise(f, walk, out);
    if (e.code() != errc::too_hard) return e;
    out.shard.clear();
    return compose_by_peeling(f, walk, out);
}
template <class L>
constexpr Status compose_walk(const L& layout, const Walk<typename L::integer>& walk, L& out) noexcept
{
    Digits<typename L::integer> f;
    for (const auto& it : layout.shard) append(f, it);
    return compose_digits(f, walk, out);
}

/// Replicas and offset come along unchanged (made canonical).
template <class L>
constexpr Status carry_replicas(const L& layout, L& out) noexcept
{
    for (const auto& e : layout.offset)
        if (const Status f = add_offset(out.offset, e.axis, e.value); !f.ok()) return f;
    if (layout.replica.size() > 0) {
        append_all(layout.replica, out.replica);
        if (const Status f = canonical_replica(out.replica, out.offset); !f.ok()) return f;
    }
    out.offset.drop_zeros();
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
