// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_CONVERT_BACK_HPP
#define AXE_INTEROP_LINEAR_CONVERT_BACK_HPP

#include <axe/interop/linear/make.hpp>
#include <axe/interop/linear/names.hpp>
#include <axe/layout/canonicalize.hpp>
#include <axe/layout/swizzle.hpp>

/// From linear layouts to layouts. By what convert.hpp shows, a linear map is one of a layout iff it moves single bits: every basis is
/// 0 (a copy) or one bit, and every output bit is met once; and one of a swizzled layout iff it is so after some swizzle of the bits
/// of one dimension is undone. A swizzle that leaves the dimension's bits adds nothing to one that does not.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// Are the bases zeros and single bits, each bit of the output once?
constexpr bool moves_single_bits(const std::uint64_t* bases, int count, std::uint64_t all) noexcept
{
    std::uint64_t seen = 0;
    for (int j = 0; j < count; ++j) {
        if ((bases[j] & (bases[j] - 1)) != 0 || (bases[j] & seen) != 0) return false;
        seen |= bases[j];
    }
    return seen == all;
}

/// Why they are not.
AXE_COLD constexpr Error no_single_bits(const LinearLayout& layout) noexcept
{
    int from[64]{};
    std::uint64_t seen = 0;
    for (int j = 0; j < layout.bases.size(); ++j) {
        const std::uint64_t basis = layout.bases[j];
        if (basis == 0) continue;
        if ((basis & (basis - 1)) != 0)
            return Error(errc::no_layout, j, "input bit {0} moves {1} output bits; a digit of a layout moves one", j,
                         __builtin_popcountll(basis));
        const int bit = __builtin_ctzll(basis);
        if ((seen & basis) != 0)
            return Error(errc::no_layout, j,
                         "input bits {0} and {1} move one output bit, so places of an element are not a product", from[bit], j);
        from[bit] = j;
        seen |= basis;
    }
    return Error(errc::no_layout, __builtin_ctzll(~seen), "no input bit moves output bit {0}: some elements have no place",
                 __builtin_ctzll(~seen));
}

/// The layout of bases that move single bits: D from the highest bit of the row-major index down, R from the bases that are 0.
constexpr Status read_bits(const LinearLayout& from, const std::uint64_t* bases, const AxisNames& names, Layout& to) noexcept
{
    Axis axes[LinearLayout::max_bits]{};
    int bit[LinearLayout::max_bits]{}, at[LinearLayout::max_bits + 1]{};
    for (int i = 0, j = 0; i < from.in.size(); ++i) {
        const Axis axis = axis_of(names, from.in[i].name);
        for (int k = 0; k < i; ++k)
            if (axis_of(names, from.in[k].name) == axis)
                return Error(errc::bad_axis, i, "input dimensions {0} and {1} become one axis", k, i);
        for (int b = 0; b < from.in[i].bits; ++b, ++j) {
            axes[j] = axis;
            bit[j] = b;
            const std::int64_t step = std::int64_t{1} << b;
            if (bases[j] != 0)
                at[__builtin_ctzll(bases[j])] = j;
            else if (!to.replica.empty() && to.replica.back().axis == axis &&
                     to.replica.back().extent * to.replica.back().stride == step)
                to.replica.back().extent *= 2;
            else if (!to.replica.push_back({2, step, axis}))
                return Error(errc::capacity, Layout::max_replica, "the copies need more than {0} replica iters",
                             Layout::max_replica);
        }
    }
    for (int d = 0; d < from.out.size(); ++d)
        for (int b = from.out[d].bits - 1, low = first_bit(from.out, d); b >= 0; --b) {
            const int j = at[low + b];
            if (!axe::detail::append(to.shard, std::int64_t{2}, std::int64_t{1} << bit[j], axes[j]))
                return Error(errc::capacity, Layout::max_shard, "the elements need more than {0} shard iters", Layout::max_shard);
        }
    return axe::detail::canonical_replica(to.replica, to.offset);
}

/// A swizzle of the bits of one dimension, from bit `first` of the input on, after which single bits move; `bases` becomes those.
constexpr bool undo_swizzle(const LinearLayout& from, int first, int count, std::uint64_t* bases, Swizzle& swizzle) noexcept
{
    const std::uint64_t all = (std::uint64_t{1} << bits_of(from.out)) - 1;
    // The bits that read others' are the ones that move several: the run of bits read must hold them all.
    int least = count, most = -1;
    for (int j = 0; j < from.bases.size(); ++j) {
        if ((from.bases[j] & (from.bases[j] - 1)) == 0) continue;
        if (j < first || j >= first + count) return false;
        least = least < j - first ? least : j - first;
        most = j - first;
    }
    const auto from_bit = [&](int j) { return from.bases[first + j]; };
    for (int size = most < 0 ? 1 : most - least + 1; 2 * size <= count; ++size)
        for (int low = least < count - size ? least : count - size; low >= 0 && low + size > most; --low)
            for (int to = 0; to + size <= count; ++to) {
                const int apart = low > to ? low - to : to - low;
                if (apart < size) continue;
                if (most >= 0) {
                    const std::uint64_t rest = from_bit(least) ^ from_bit(least - low + to);
                    if ((rest & (rest - 1)) != 0) continue;
                }
                for (int j = 0; j < size; ++j) bases[first + low + j] = from_bit(low + j) ^ from_bit(to + j);
                if (moves_single_bits(bases, from.bases.size(), all)) {
                    swizzle = {size, low < to ? low : to, low - to};
                    return true;
                }
                for (int j = 0; j < size; ++j) bases[first + low + j] = from_bit(low + j);
            }
    return false;
}

} // namespace detail

/// The shape of a linear layout's output: its dimensions in their order.
constexpr Shape shape_of(const LinearLayout& layout) noexcept
{
    Shape shape;
    for (const Dim& d : layout.out) shape.push_back(std::int64_t{1} << d.bits);
    return shape;
}

/// Where each element is:  x ∈ to_layout(T) at p  ⇔  T(p) = x , for the row-major index over `shape_of(T)`.
///
/// Exists iff every input bit moves one output bit or nothing, and every output bit is moved by one; `errc::no_layout` with the bit
/// otherwise. The result is canonical. Errors: those of `check`, `errc::bad_axis` of the names, `errc::capacity` when there are more
/// iters than a layout holds. Cost: linear in bits.
constexpr Result<Layout> to_layout(const LinearLayout& layout, const AxisNames& names = all_names) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check(names); !e.ok()) return e;
    if (!detail::moves_single_bits(layout.bases.items, layout.bases.size(), (std::uint64_t{1} << bits_of(layout.out)) - 1))
        return detail::no_single_bits(layout);
    Result<Layout> result;
    if (const Status e = detail::read_bits(layout, layout.bases.items, names, *result); !e.ok()) return e;
    return result;
}

/// The same of a swizzled map: a layout, and a swizzle of the places on one axis, in bytes of elements of `width`.
///
/// Exists iff some swizzle of one dimension leaves a map that `to_layout` takes; the one of the fewest bits is found. `errc::bad_argument`
/// when the width is not a power of two; else as `to_layout`. Cost: that of a search over runs of bits, where there is a swizzle.
constexpr Result<Swizzled<Layout>> to_swizzled(const LinearLayout& layout, std::int64_t width = 1,
                                               const AxisNames& names = all_names) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check(names); !e.ok()) return e;
    const int shift = detail::exponent(width);
    if (shift < 0) return Error(errc::bad_argument, -1, "the width is {0} bytes, not a power of two", width);
    Result<Swizzled<Layout>> result;
    result->width = width;
    std::uint64_t bases[LinearLayout::max_bits + 1]{};
    for (int j = 0; j < layout.bases.size(); ++j) bases[j] = layout.bases[j];
    bool found = detail::moves_single_bits(bases, layout.bases.size(), (std::uint64_t{1} << bits_of(layout.out)) - 1);
    for (int i = 0; i < layout.in.size() && !found; ++i) {
        Swizzle swizzle;
        found = detail::undo_swizzle(layout, first_bit(layout.in, i), layout.in[i].bits, bases, swizzle);
        if (!found) continue;
        swizzle.base += shift;
        result->swizzle = swizzle;
        result->axis = detail::axis_of(names, layout.in[i].name);
    }
    if (!found) return detail::no_single_bits(layout);
    if (const Status e = detail::read_bits(layout, bases, names, result->layout); !e.ok()) return e;
    if (const Status e = axe::check(*result); !e.ok()) return e;
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
