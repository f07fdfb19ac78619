// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_STRIDED_HPP
#define AXE_INTEROP_STRIDES_STRIDED_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/layout/group.hpp>
#include <axe/support/errors.hpp>

#include <type_traits>

namespace axe {
inline namespace v0 {

/// An array as a shape, one stride a dimension, and the address of its first element, all in elements:
///   address(c) = offset + Σ_d c_d·strides_d
///
/// What NumPy, PyTorch, DLPack, mdspan's layout_stride, C and Fortran arrays have in common. Strides may be negative, or 0
/// (broadcast); an extent of 0 is a value of this type (an empty array), but no layout.
struct Strided {
    Shape shape{};
    InlineVector<std::int64_t, max_rank> strides{};
    std::int64_t offset = 0;

    friend constexpr bool operator==(const Strided&, const Strided&) = default;
};

namespace detail {

/// Has the layout one point for each index, on one axis?
constexpr Status check_addresses(const Layout& layout, const Axis& axis) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].extent > 1 && layout.replica[i].stride != 0)
            return Error(errc::not_single_valued, i,
                         "replica iter {0} places an element at {1} points; an array has one address per element", i,
                         layout.replica[i].extent);
    for (int i = 0; i < layout.shard.size(); ++i)
        if (layout.shard[i].extent > 1 && layout.shard[i].stride != 0 && !(layout.shard[i].axis == axis))
            return Error(errc::bad_axis, i, "iter {0} moves on an axis other than the address axis", i);
    for (int i = 0; i < layout.offset.size(); ++i)
        if (layout.offset.entries[i].value != 0 && !(layout.offset.entries[i].axis == axis))
            return Error(errc::bad_axis, i, "offset {0} is on an axis other than the address axis", i);
    return {};
}

/// The strides and the offset of a layout that `check_addresses` takes, into an empty value.
constexpr Status read_strides(const Layout& layout, const Shape& shape, const Axis& axis, Strided& out) noexcept
{
    const auto v = volume(shape);
    if (!v) return v.error();
    if (const Status e = shape_admission(*v, product(layout.shard)); !e.ok()) return e;
    Digits<std::int64_t> digits;
    int ends[max_rank]{};
    if (const Status e = cut(layout.shard, shape.items, shape.size(), digits, ends); !e.ok()) return e;

    out.offset = layout.offset[axis];
    for (int d = 0, begin = 0; d < shape.size(); begin = ends[d++]) {
        out.shape.push_back(shape[d]);
        out.strides.push_back(0);
        if (ends[d] - begin > 1)
            return Error(errc::no_layout, d, "dimension {0} has {1} strides, {2} the outermost; an array has one per dimension", d,
                         ends[d] - begin, digits[begin].stride);
        if (ends[d] > begin) out.strides[d] = digits[begin].stride;
    }
    for (int d = shape.size() - 1; d >= 0; --d) {
        if (shape[d] != 1) continue;
        const bool last = d + 1 == shape.size();
        if (!last && mul(shape[d + 1], out.strides[d + 1], out.strides[d])) continue;
        out.strides[d] = 1;
    }
    return {};
}

/// One stride for each dimension, and none empty?
constexpr Status check_strided(const Strided& array) noexcept
{
    if (array.shape.size() != array.strides.size()) return stride_rank(array.shape.size(), array.strides.size());
    for (int d = 0; d < array.shape.size() && d < max_rank; ++d)
        if (array.shape[d] == 0) return empty_dimension(d);
    const auto v = volume(array.shape);
    return v ? Error{} : v.error();
}

} // namespace detail

/// The layout of an array's elements:  L(c) = address(c)@axis.      [numpy.ndarray.strides]
///
/// Canonical. `errc::bad_extent` with the dimension for an empty array, `errc::rank_mismatch`, `errc::capacity` for more than
/// `max_rank` dimensions, `errc::overflow` when an address overflows. Cost: linear in the dimensions.
constexpr Result<Layout> to_axe(const Strided& array, const Axis& axis = {}) noexcept
{
    if (const Status e = detail::check_strided(array); !e.ok()) return e;
    Layout raw;
    for (int d = 0; d < array.shape.size(); ++d) raw.shard.push_back({array.shape[d], array.strides[d], axis});
    if (array.offset != 0) raw.offset.entries.push_back({axis, array.offset});
    return canonicalize(raw);
}

/// The array of a layout on a shape: the strides of the dimensions and the address of the first element.
///
///   offset + Σ c_d·strides_d = L(c)
///
/// Exists iff the layout moves with one stride in each dimension (`errc::no_layout`, or `errc::not_grouped`, with the dimension).
/// A dimension of extent 1 gets the stride that a C-contiguous array would have there. `errc::not_single_valued` and
/// `errc::bad_axis` for a layout that gives no addresses, `errc::size_mismatch`. Cost: linear in iters and dimensions.
constexpr Result<Strided> to_strided(const Layout& layout, const Shape& shape, const Axis& axis = {}) noexcept
{
    Result<Strided> result;
    Status e = detail::check_addresses(layout, axis);
    if (e.ok()) e = detail::read_strides(layout, shape, axis, *result);
    if (!e.ok()) result = e;
    return result;
}

namespace detail {

constexpr Error negative_dimension(int dim, std::int64_t extent) noexcept
{
    return Error(errc::bad_extent, dim, "dimension {0} of the array is {1}; it cannot be negative", dim, extent);
}

} // namespace detail

/// How far below the first element the array reaches:  Σ (n_d−1)·|s_d| over the negative strides; 0 for an empty array.
///
/// With it as the offset, the least address is 0. `errc::rank_mismatch`, `errc::bad_extent` below 0, `errc::overflow`.
constexpr Result<std::int64_t> reach_below(const Strided& array) noexcept
{
    if (array.shape.size() != array.strides.size() || array.shape.overfull()) return detail::check_strided(array);
    std::int64_t below = 0;
    bool empty = false;
    for (int d = 0; d < array.shape.size(); ++d) {
        std::int64_t part = 0;
        if (array.shape[d] < 0) return detail::negative_dimension(d, array.shape[d]);
        empty = empty || array.shape[d] == 0;
        if (empty || array.strides[d] >= 0) continue;
        if (!detail::mul(array.shape[d] - 1, array.strides[d], part) || !detail::sub(below, part, below))
            return Error(errc::overflow, d, "the addresses overflow at dimension {0}", d);
    }
    return empty ? 0 : below;
}

/// Is it C-contiguous as NumPy and PyTorch define it: strides those of a row-major array, those of extents 1 not counting, and any
/// empty array is?      [numpy.ndarray.flags; torch.Tensor.is_contiguous]
constexpr bool is_c_contiguous(const Strided& array) noexcept
{
    std::int64_t next = 1;
    if (array.shape.size() != array.strides.size() || array.shape.overfull()) return false;
    bool yes = true;
    for (int d = array.shape.size() - 1; d >= 0; --d) {
        if (array.shape[d] == 0) return true;
        if (array.shape[d] == 1) continue;
        yes = yes && array.strides[d] == next && detail::mul(next, array.shape[d], next);
    }
    return yes;
}

/// Is it Fortran-contiguous, by the same rules?
constexpr bool is_f_contiguous(const Strided& array) noexcept
{
    std::int64_t next = 1;
    if (array.shape.size() != array.strides.size() || array.shape.overfull()) return false;
    bool yes = true;
    for (int d = 0; d < array.shape.size(); ++d) {
        if (array.shape[d] == 0) return true;
        if (array.shape[d] == 1) continue;
        yes = yes && array.strides[d] == next && detail::mul(next, array.shape[d], next);
    }
    return yes;
}

namespace detail {

constexpr Result<Strided> compact(const Shape& shape, bool last_fastest) noexcept
{
    Result<Strided> result;
    result->shape = shape;
    result->strides.count = shape.size();
    if (shape.overfull()) return volume(shape).error();
    std::int64_t next = 1;
    for (int i = 0; i < shape.size(); ++i) {
        const int d = last_fastest ? shape.size() - 1 - i : i;
        if (shape[d] < 0) return negative_dimension(d, shape[d]);
        result->strides[d] = next;
        if (shape[d] != 0 && !mul(next, shape[d], next)) return shape_overflows(d);
    }
    return result;
}

} // namespace detail

/// A compact array whose last dimension is fastest: C, C++, mdspan's layout_right. An extent of 0 counts as 1, as in NumPy.
constexpr Result<Strided> row_major_array(const Shape& shape) noexcept { return detail::compact(shape, true); }

/// A compact array whose first dimension is fastest: Fortran, MATLAB, mdspan's layout_left.
constexpr Result<Strided> column_major_array(const Shape& shape) noexcept { return detail::compact(shape, false); }

/// The array that a C array type is, `c_array<float[4][8]>()`: nested rows, last index fastest.
template <class Array>
constexpr Strided c_array() noexcept
{
    Strided out;
    std::int64_t rest = static_cast<std::int64_t>(sizeof(Array) / sizeof(std::remove_all_extents_t<Array>));
    const auto go = [&]<class T>(const auto& self, std::type_identity<T>) -> void {
        if constexpr (std::is_array_v<T>) {
            static_assert(std::extent_v<T> > 0, "the array type has no bound");
            const auto n = static_cast<std::int64_t>(std::extent_v<T>);
            rest /= n;
            out.shape.push_back(n);
            out.strides.push_back(rest);
            self(self, std::type_identity<std::remove_extent_t<T>>{});
        }
    };
    static_assert(std::rank_v<Array> <= max_rank, "a shape has at most 16 dimensions");
    go(go, std::type_identity<Array>{});
    return out;
}

} // namespace v0
} // namespace axe

#endif
