// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_THREAD_VALUE_HPP
#define AXE_INTEROP_CUTE_THREAD_VALUE_HPP

#include <axe/interop/cute/check.hpp>
#include <axe/layout/permute.hpp>
#include <axe/machine/axes.hpp>

/// CuTe's layouts of threads and values, `((4,8),(2,2)):((32,1),(16,8))`, as Axe's and back.
///
/// CuTe maps (thread, value) to the element of a tile that is there, counted leftmost dimension fastest. Axe maps an element to the
/// places that hold it: the inverse. That is a layout exactly if every element of the tile is held equally often:
///
/// Claim. Let TV's leaves of stride 0 have the extents z_j, the others (n_i, s_i). Each element of [0, N) is TV of equally many
/// places iff the others, by stride, run 1, n_1, n_1·n_2, … up to N. *If* is plain. *Only if*: element 0 is TV of Π z places, as all
/// strides must be positive, so each is, and the others are a bijection onto [0, N). There the least stride is 1; the first value
/// that its n_1 leave out is n_1, and so the next stride; then all is blocks of n_1, and so on.
namespace axe {
inline namespace v0 {
namespace cute {

/// The axes that threads and values are on.
struct ThreadAxes {
    Axis thread{"thread"};  ///< the number of the thread, when `lanes` is 0
    Axis value{"reg"};      ///< the number of the value within the thread
    std::int64_t lanes = 0; ///< else thread = lanes·warp + lane: 32, or 64 in a wave
    Axis lane{"lane"}, warp{"warp"};

    [[nodiscard]] constexpr AxisSplit split() const noexcept { return {thread, warp, lane, lanes}; }
};

namespace detail {

/// A leaf, what its digit weighs among the threads or the values, and what in the tile.
struct Digit {
    std::int64_t extent, weight, stride;
    bool is_value;
};
using DigitList = InlineVector<Digit, 48>;

/// Sorts by one of the weights, least first.
constexpr void sort_digits(DigitList& list, std::int64_t Digit::* by) noexcept
{
    for (int i = 1; i < list.size(); ++i)
        for (int k = i; k > 0 && list[k].*by < list[k - 1].*by; --k) {
            const Digit moved = list[k];
            list[k] = list[k - 1];
            list[k - 1] = moved;
        }
}

constexpr Status check_axes(const ThreadAxes& axes) noexcept
{
    if (axes.lanes < 0)
        return Error(errc::bad_argument, -1, "a warp of {0} lanes; it must be at least 1, or 0 for threads that are not split",
                     axes.lanes);
    const bool same = axes.lanes == 0 ? axes.value == axes.thread
                                      : axes.value == axes.lane || axes.value == axes.warp || axes.value == axes.thread;
    if (same) return Error(errc::bad_axis, -1, "the value axis is also an axis of the threads");
    return {};
}

/// The digits of a mode; those of stride 0 go to the replicas.
constexpr Status take_mode(const Layout& tv, int from, int to, bool is_value, const Axis& axis, DigitList& digits,
                           axe::Layout& out) noexcept
{
    std::int64_t weight = 1;
    for (int i = from; i < to; ++i) {
        const Leaf& leaf = tv.nodes[i].leaf;
        if (tv.nodes[i].children >= 0 || leaf.extent == 1) continue;
        if (leaf.stride < 0) return Error(errc::no_layout, -1, "stride {0} is negative: it leaves the tile", leaf.stride);
        if (leaf.stride != 0)
            digits.push_back({leaf.extent, weight, leaf.stride, is_value});
        else if (!out.replica.push_back({leaf.extent, weight, axis}))
            return axe::detail::replica_capacity<axe::Layout>();
        weight *= leaf.extent;
    }
    return {};
}

/// The digits of one axis as a mode, where they number its places 0, 1, … without a gap.
constexpr Status put_numbered(DigitList& digits, bool is_value, Layout& tv) noexcept
{
    const char* const words =
        is_value ? "values are numbered in steps of {0}, but {1} are numbered so far: numbers are skipped or used twice"
                 : "threads are numbered in steps of {0}, but {1} are numbered so far: some hold no value, or two";
    const int at = tv.nodes.size();
    std::int64_t filled = 1;
    tv.nodes.push_back(Node{0, Leaf{}});
    for (const Digit& d : digits) {
        if (d.is_value != is_value) continue;
        if (d.weight != filled) return Error(errc::no_layout, -1, words, d.weight, filled);
        if (!axe::detail::mul(filled, d.extent, filled)) return axe::detail::result_overflow();
        Leaf& before = tv.nodes.back().leaf;
        if (tv.nodes[at].children > 0 && before.extent * before.stride == d.stride) { // it runs on
            before.extent *= d.extent;
            continue;
        }
        tv.nodes.push_back(Node{-1, {d.extent, d.stride}});
        ++tv.nodes[at].children;
    }
    if (tv.nodes[at].children == 0) tv.nodes[at] = Node{-1, {1, 0}};
    if (tv.nodes[at].children == 1) tv.nodes.erase(at);
    return {};
}

constexpr Status to_tile(const Layout& tv, const axe::Shape& tile, const ThreadAxes& axes, axe::Layout& out) noexcept
{
    if (const Status e = check(tv); !e.ok()) return e;
    if (const Status e = check_axes(axes); !e.ok()) return e;
    const auto elements = axe::volume(tile);
    if (!elements) return elements.error();
    if (!is_plain(tv))
        return Error(errc::bad_argument, -1,
                     "a layout of threads and values gives element numbers of a tile; its strides cannot be along a basis");
    if (tv.nodes[0].children != 2)
        return Error(errc::rank_mismatch, -1, "a layout of threads and values has 2 modes, this one has {0}", rank(tv));

    axe::Layout by_element;
    DigitList digits;
    const int values = end_of(tv, 1);
    if (const Status e = take_mode(tv, 1, values, false, axes.thread, digits, by_element); !e.ok()) return e;
    if (const Status e = take_mode(tv, values, tv.nodes.size(), true, axes.value, digits, by_element); !e.ok()) return e;
    sort_digits(digits, &Digit::stride);
    std::int64_t held = 1;
    for (const Digit& d : digits) {
        if (d.stride != held)
            return Error(errc::no_layout, -1,
                         "stride {0} does not continue the {1} elements before it: elements are held twice or not at all", d.stride,
                         held);
        held *= d.extent;
    }
    if (held != *elements)
        return Error(errc::size_mismatch, -1, "threads and values hold {0} elements, but the tile has {1}", held, *elements);
    for (int i = digits.size() - 1; i >= 0; --i)
        if (!by_element.shard.push_back({digits[i].extent, digits[i].weight, digits[i].is_value ? axes.value : axes.thread}))
            return axe::detail::shard_capacity<axe::Layout>();

    axe::Shape reversed;
    axe::Order order;
    for (int d = tile.size() - 1; d >= 0; --d) {
        order.push_back(d);
        reversed.push_back(tile[d]);
    }
    const auto on_tile = axe::permute(by_element, reversed, order);
    if (!on_tile) {
        Error e = on_tile.error();
        if (e.code == errc::not_grouped) e.numbers[0] = e.position = tile.size() - 1 - e.position;
        return e;
    }
    const auto canonical = axes.lanes == 0 ? axe::canonicalize(*on_tile) : axe::split_axis(*on_tile, axes.split());
    if (canonical) out = *canonical;
    return canonical.error();
}

constexpr Status from_tile(const axe::Layout& layout, const axe::Shape& tile, const ThreadAxes& axes, Layout& out) noexcept
{
    if (const Status e = check_axes(axes); !e.ok()) return e;
    const auto fused = axes.lanes == 0 ? axe::canonicalize(layout) : axe::fuse_axes(layout, axes.split());
    if (!fused) return fused.error();
    for (const auto& e : fused->offset)
        if (e.value != 0) return Error(errc::no_layout, -1, "threads or values start at {0}, not at 0", e.value);
    const auto grouped = axe::group(*fused, tile);
    if (!grouped) return grouped.error();

    DigitList digits;
    const auto take = [&](const axe::Iter& it, int i, std::int64_t stride) {
        if (!(it.axis == axes.thread) && !(it.axis == axes.value))
            return Error(errc::unknown_axis, i, "iter {0} of the canonical layout is on an axis of neither threads nor values", i);
        digits.push_back({it.extent, it.stride, stride, it.axis == axes.value});
        return Error{};
    };
    std::int64_t stride = 1;
    for (int d = 0; d < grouped->rank(); ++d)
        for (int i = grouped->end(d) - 1; i >= grouped->begin(d); --i) {
            const axe::Iter& it = grouped->layout.shard[i];
            if (it.stride == 0)
                return Error(errc::no_layout, i, "{0} elements of the tile are at the same thread and value", it.extent);
            if (it.stride < 0) return Error(errc::no_layout, i, "threads or values have the negative stride {0}", it.stride);
            if (const Status e = take(it, i, stride); !e.ok()) return e;
            stride *= it.extent;
        }
    for (int i = 0; i < fused->replica.size(); ++i)
        if (const Status e = take(fused->replica[i], i, 0); !e.ok()) return e;
    sort_digits(digits, &Digit::weight);

    out.nodes.push_back(Node{2, Leaf{}});
    for (const bool is_value : {false, true})
        if (const Status e = put_numbered(digits, is_value, out); !e.ok()) return e;
    return check(out);
}

} // namespace detail

/// The Axe layout of a tile that a layout of threads and values holds, on the tile's shape:
///
///   to_axe_thread_value(TV, S)(c) = { thread t, value v : TV(t, v) = Σ c_d · Π_{e<d} S_e }
///
/// Threads that hold the same elements, of stride 0, become replicas, and so do such values. Exists iff that map is a
/// layout: `errc::no_layout` with a stride where elements are not held equally often, `errc::size_mismatch` when the tile has more or
/// fewer, `errc::not_grouped` where a dimension ends inside a digit, the errors of `split_axis` where a warp does. Ill-formed:
/// `errc::rank_mismatch` for other than two modes. The result is canonical. Cost: quadratic in the leaves.
constexpr Result<axe::Layout> to_axe_thread_value(const Layout& tv, const axe::Shape& tile, const ThreadAxes& axes = {}) noexcept
{
    Result<axe::Layout> result;
    if (const Status e = detail::to_tile(tv, tile, axes, *result); !e.ok()) result = e;
    return result;
}

/// The layout of threads and values of a tile: the inverse of `to_axe_thread_value`, and exact like it.
///
/// Replicas become threads, or values, of stride 0. Exists iff threads are 0, 1, … without a gap, and so are values, and each pair
/// holds one element; the result is coalesced. `errc::no_layout` says what is otherwise, `errc::not_grouped` where the tile does not cut the layout;
/// `errc::unknown_axis` with the iter on an axis of neither; `errc::out_of_domain` for a lane beyond the warp's.
constexpr Result<Layout> from_axe_thread_value(const axe::Layout& layout, const axe::Shape& tile,
                                               const ThreadAxes& axes = {}) noexcept
{
    Result<Layout> result;
    if (const Status e = detail::from_tile(layout, tile, axes, *result); !e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
