// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_ORACLE_HPP
#define AXE_TESTS_ORACLE_HPP

#include <axe/layout/layout.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

/// The truth about small layouts, from the defining equations alone: every index is visited and every set is written out. Nothing
/// here calls an operation of the library; layouts are taken only as the lists of numbers that they are.
namespace oracle {

using Int = std::int64_t;

// ---- Points as numbers ----------------------------------------------------------------------------------------------------------

/// A point of up to three axes as one number, Σ v_a·2^(20a): sums of points are sums of numbers, and every number stands for one
/// point as long as each coordinate stays within ±2^19.
using Value = std::int64_t;
inline constexpr int axis_count = 3;
inline constexpr Int place = Int{1} << 20;
inline constexpr Int limit = place / 2;

inline constexpr axe::Axis axes[axis_count] = {axe::Axis{"m"}, axe::Axis{"lane"}, axe::Axis{"warp"}};

inline int axis_number(const axe::Axis& axis)
{
    for (int a = 0; a < axis_count; ++a)
        if (axes[a] == axis) return a;
    std::abort(); // the laws use these three axes only
}
inline Value encode(Int v, const axe::Axis& axis)
{
    Value out = v;
    for (int a = axis_number(axis); a > 0; --a) out *= place;
    return out;
}
/// The coordinate on axis a.
inline Int decode(Value v, int a)
{
    Int out = 0;
    for (int i = 0; i <= a; ++i) {
        out = (v % place + place) % place;
        if (out >= limit) out -= place;
        v = (v - out) / place;
    }
    return out;
}

// ---- Maps -----------------------------------------------------------------------------------------------------------------------

struct Digit {
    Int extent;
    Value stride;
};

/// A layout, its strides and offset as numbers, each axis scaled by a factor of its own.
struct Model {
    std::vector<Digit> shard, replica;
    Value offset = 0;
};
using Scale = Int[axis_count];
inline constexpr Scale unscaled = {1, 1, 1};

inline Model model(const axe::Layout& l, const Scale& scale = unscaled)
{
    Model out;
    for (const auto& it : l.shard)
        out.shard.push_back({it.extent, it.stride == 0 ? 0 : encode(it.stride * scale[axis_number(it.axis)], it.axis)});
    for (const auto& it : l.replica)
        out.replica.push_back({it.extent, it.stride == 0 ? 0 : encode(it.stride * scale[axis_number(it.axis)], it.axis)});
    for (const auto& e : l.offset) out.offset += encode(e.value * scale[axis_number(e.axis)], e.axis);
    return out;
}

inline Int size(const axe::Layout& l)
{
    Int n = 1;
    for (const auto& it : l.shard) n *= it.extent;
    return n;
}
inline Int volume(const axe::Shape& shape)
{
    Int n = 1;
    for (Int e : shape) n *= e;
    return n;
}

/// D(x), digit by digit.
inline Value at(const Model& l, Int x)
{
    Value v = 0;
    for (std::size_t k = l.shard.size(); k-- > 0;) {
        v += x % l.shard[k].extent * l.shard[k].stride;
        x /= l.shard[k].extent;
    }
    return v;
}

/// All values of D, in order.
inline std::vector<Value> values(const std::vector<Digit>& shard)
{
    std::vector<Value> out{0};
    for (const Digit& d : shard) { // outermost first: every value so far is followed by its multiples
        std::vector<Value> next;
        next.reserve(out.size() * static_cast<std::size_t>(d.extent));
        for (Value v : out)
            for (Int i = 0; i < d.extent; ++i) next.push_back(v + i * d.stride);
        out.swap(next);
    }
    return out;
}

/// The set of all sums of the digits, ascending, each once.
inline std::vector<Value> sums(const std::vector<Digit>& digits)
{
    std::vector<Value> out = values(digits);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// A map from indices to sets that are translates of one set. L(x) = low[x] + set, the set's least member (as a number) being 0.
///
/// Two layouts are equal iff these are: a finite set is not a translate of itself but by 0.
struct Table {
    std::vector<Value> low;
    std::vector<Value> set;
    friend bool operator==(const Table& a, const Table& b) { return a.low == b.low && a.set == b.set; }
};

inline Table table(const Model& l)
{
    Table out{values(l.shard), sums(l.replica)};
    const Value least = out.set.front();
    for (Value& v : out.set) v -= least;
    for (Value& v : out.low) v += least + l.offset;
    return out;
}
inline Table table(const axe::Layout& l) { return table(model(l)); }

/// Has the map a point that is not 0 on axis a?
inline bool has_axis(const Table& t, int a)
{
    for (const Value low : t.low)
        for (const Value v : t.set)
            if (decode(low + v, a) != 0) return true;
    return false;
}

// ---- From a table back to a layout ----------------------------------------------------------------------------------------------

/// One stride on one axis, or nothing when the number is a point off the axes.
inline std::optional<std::pair<Int, axe::Axis>> single_axis(Value v)
{
    std::pair<Int, axe::Axis> out{0, axe::Axis{}};
    for (int a = 0; a < axis_count; ++a) {
        const Int c = decode(v, a);
        if (c == 0) continue;
        if (out.first != 0) return std::nullopt;
        out = {c, axes[a]};
    }
    return out;
}

/// The canonical D of  u ↦ values[u] − values[0], or nothing when that is no D.
///
/// The innermost extent is the first index where the values stop being linear; it is peeled, and every n-th value goes on. The list
/// found is put back and compared with all values.
inline std::optional<std::vector<axe::Iter>> recover_d(const std::vector<Value>& all)
{
    std::vector<axe::Iter> out;
    std::vector<Digit> digits;
    std::size_t step = 1;
    const std::size_t n = all.size();
    while (step < n) {
        const std::size_t m = n / step;
        const Value s = all[step] - all[0];
        std::size_t e = 2;
        while (e < m && all[e * step] - all[0] == static_cast<Value>(e) * s) ++e;
        if (m % e != 0) return std::nullopt;
        const auto stride = single_axis(s);
        if (!stride) return std::nullopt;
        out.insert(out.begin(), axe::Iter{static_cast<Int>(e), stride->first, stride->second});
        digits.insert(digits.begin(), Digit{static_cast<Int>(e), s});
        step *= e;
    }
    const auto again = values(digits);
    for (std::size_t u = 0; u < n; ++u)
        if (again[u] != all[u] - all[0]) return std::nullopt;
    return out;
}

/// Is the shard this list, iter for iter?
inline bool same_list(const axe::Layout::Shard& shard, const std::vector<axe::Iter>& list)
{
    if (shard.size() != static_cast<int>(list.size())) return false;
    for (int i = 0; i < shard.size(); ++i)
        if (!(shard[i] == list[static_cast<std::size_t>(i)])) return false;
    return true;
}

/// Does f(q·x + y) = f(q·x) + f(y) − f(0) hold for all y < q? Exactly then a canonical D of f can be cut at q.
inline bool splits_at(const std::vector<Value>& f, Int q)
{
    for (std::size_t x = 0; x < f.size(); ++x) {
        const std::size_t y = x % static_cast<std::size_t>(q);
        if (f[x] != f[x - y] + f[y] - f[0]) return false;
    }
    return true;
}

/// Does the shape group the map?
inline bool groups(const std::vector<Value>& f, const axe::Shape& shape)
{
    Int q = 1;
    for (int d = shape.size() - 1; d > 0; --d) {
        q *= shape[d];
        if (!splits_at(f, q)) return false;
    }
    return true;
}

/// The fewest iters of one dimension's block: those of the canonical D of its function alone.
inline std::size_t fewest_iters(const std::vector<Value>& f, Int pitch, Int extent)
{
    std::vector<Value> block;
    for (Int i = 0; i < extent; ++i) block.push_back(f[static_cast<std::size_t>(i * pitch)]);
    const auto d = recover_d(block);
    return d ? d->size() : 0;
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------------------

/// Row-major, last dimension fastest.
inline std::vector<Int> coordinate(const std::vector<Int>& shape, Int x)
{
    std::vector<Int> out(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        out[d] = x % shape[d];
        x /= shape[d];
    }
    return out;
}
inline Int index(const std::vector<Int>& shape, const std::vector<Int>& coord)
{
    Int x = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) x = x * shape[d] + coord[d];
    return x;
}
inline std::vector<Int> list(const axe::Shape& shape) { return {shape.begin(), shape.end()}; }

/// The flat indices of a region, in order.
inline std::vector<Int> region_indices(const axe::Shape& shape, const axe::Region& region)
{
    std::vector<Int> out{0};
    for (int d = 0; d < shape.size(); ++d) {
        std::vector<Int> next;
        for (Int x : out)
            for (Int i = region[d].lo; i < region[d].hi; ++i) next.push_back(x * shape[d] + i);
        out.swap(next);
    }
    return out;
}

/// For every index of the interleaved domain (z_0, y_0, z_1, y_1, …), the flat indices of z and of y.
inline std::vector<std::pair<Int, Int>> interleaved(const axe::Shape& outer, const axe::Shape& inner)
{
    std::vector<std::pair<Int, Int>> out{{0, 0}};
    for (int d = 0; d < outer.size(); ++d) {
        std::vector<std::pair<Int, Int>> next;
        for (const auto& [z, y] : out)
            for (Int i = 0; i < outer[d]; ++i)
                for (Int k = 0; k < inner[d]; ++k) next.push_back({z * outer[d] + i, y * inner[d] + k});
        out.swap(next);
    }
    return out;
}

// ---- Spans and sets -------------------------------------------------------------------------------------------------------------

/// 1 + Σ (n−1)·|s| over D and R.
inline Int span(const axe::Layout& l, int a)
{
    Int out = 1;
    for (const auto& it : l.shard)
        if (it.stride != 0 && axis_number(it.axis) == a) out += (it.extent - 1) * std::abs(it.stride);
    for (const auto& it : l.replica)
        if (it.stride != 0 && axis_number(it.axis) == a) out += (it.extent - 1) * std::abs(it.stride);
    return out;
}

/// The sums of two sets.
inline std::vector<Value> minkowski(const std::vector<Value>& a, const std::vector<Value>& b)
{
    std::vector<Value> out;
    for (Value v : a)
        for (Value w : b) out.push_back(v + w);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// The projection of a set to one axis, ascending.
inline std::vector<Int> on_axis(const std::vector<Value>& set, int a)
{
    std::vector<Int> out;
    for (Value v : set) out.push_back(decode(v, a));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

namespace detail {
/// Goes through all sums of progressions within the candidates, strides ascending; `found` hears of every set that ends at `top`.
template <class Found>
void progressions(const std::vector<Int>& set, Int least_stride, int terms, const std::vector<Int>& candidates, Found& found)
{
    const Int top = candidates.back();
    if (set.back() == top) found(set);
    if (terms == 0) return;
    for (Int s : candidates) {
        if (s < least_stride || s == 0) continue;
        std::vector<Int> sums = set;
        for (Int n = 2; set.back() + (n - 1) * s <= top; ++n) {
            std::vector<Int> next = sums;
            for (Int v : set) next.push_back(v + (n - 1) * s);
            std::sort(next.begin(), next.end());
            next.erase(std::unique(next.begin(), next.end()), next.end());
            if (!std::includes(candidates.begin(), candidates.end(), next.begin(), next.end())) break;
            sums = next;
            progressions(sums, s + 1, terms - 1, candidates, found);
        }
    }
}
} // namespace detail

/// Of the sums of progressions X with X ⊕ part = whole (one axis, both from 0, ascending) the fewest points one can have; 0 when
/// there is none. Every candidate set is tried: whatever X is, its members are v with v ⊕ part ⊆ whole.
inline std::size_t fewest_quotient(const std::vector<Int>& whole, const std::vector<Int>& part, int terms = 8)
{
    std::vector<Int> candidates;
    for (Int v : whole) {
        const bool inside =
            std::all_of(part.begin(), part.end(), [&](Int w) { return std::binary_search(whole.begin(), whole.end(), v + w); });
        if (inside) candidates.push_back(v);
    }
    if (candidates.empty() || candidates.front() != 0 || candidates.back() + part.back() != whole.back()) return 0;
    std::size_t best = 0;
    auto found = [&](const std::vector<Int>& set) {
        if (best != 0 && set.size() >= best) return;
        std::vector<Int> sums;
        for (Int v : set)
            for (Int w : part) sums.push_back(v + w);
        std::sort(sums.begin(), sums.end());
        sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
        if (sums == whole) best = set.size();
    };
    detail::progressions({0}, 1, terms, candidates, found);
    return best;
}

/// Is the set (from 0, ascending) a sum of progressions?
inline bool is_sum_of_progressions(const std::vector<Int>& set) { return fewest_quotient(set, {0}) != 0; }

} // namespace oracle

#endif
