// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_MDSPAN_HPP
#define AXE_INTEROP_STRIDES_MDSPAN_HPP

#include <axe/interop/strides/strided.hpp>
#include <axe/layout/evaluator.hpp>
#include <axe/layout/properties.hpp>
#include <axe/support/errors.hpp>

#include <concepts>
#include <limits>
#include <utility>

namespace axe {
inline namespace v0 {
namespace detail {

/// What is asked of `std::extents`, or Kokkos' own: nothing of either is included.
template <class E>
concept Extents = std::regular<E> && requires(const E& e) {
    typename E::index_type;
    typename E::size_type;
    typename E::rank_type;
    { E::rank() } -> std::convertible_to<int>;
    { e.extent(typename E::rank_type{}) } -> std::convertible_to<typename E::index_type>;
};

/// The shape of extents. `errc::capacity` for more than `max_rank`; an extent that is not an int64 becomes negative, and is rejected later.
template <Extents E>
constexpr Result<Shape> shape_of(const E& extents) noexcept
{
    constexpr int rank = static_cast<int>(E::rank());
    if (rank > max_rank) return shape_capacity(max_rank, rank);
    Result<Shape> result;
    for (int d = 0; d < rank; ++d)
        result->push_back(static_cast<std::int64_t>(extents.extent(static_cast<typename E::rank_type>(d))));
    return result;
}

/// Does the number fit an index type of a user?
template <class Index>
constexpr bool fits_index(std::int64_t n) noexcept
{
    if constexpr (std::is_signed_v<Index>)
        return n >= static_cast<std::int64_t>(std::numeric_limits<Index>::min()) &&
               n <= static_cast<std::int64_t>(std::numeric_limits<Index>::max());
    else
        return n >= 0 && static_cast<std::uint64_t>(n) <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
}

/// Is each stride of a canonical layout on one axis greater than what the smaller ones reach together? Then no two elements meet.
constexpr bool has_gaps(const Layout& layout) noexcept
{
    std::int64_t footprint = 0; // of the strides so far, the smallest first; a checked layout's fits
    for (int i = 0; i < layout.shard.size(); ++i) {
        const Iter* next = nullptr;
        for (const Iter& it : layout.shard)
            if (magnitude(it.stride) > footprint && (next == nullptr || magnitude(it.stride) < magnitude(next->stride))) next = &it;
        if (next == nullptr) return false;
        footprint += (next->extent - 1) * magnitude(next->stride);
    }
    return true;
}

} // namespace detail

/// A layout mapping policy for `std::mdspan`, Kokkos' or any other: each Axe layout on one axis is one of its mappings.
///
///   mapping(i_0, …, i_r) = L(i_0, …, i_r)@axis                                     [C++23, mdspan.layout.reqmts]
///
/// Tiled, swizzle-free blocked and strided layouts alike. A mapping is made by `layout_axe::make`, which checks what an mdspan takes
/// for granted.
struct layout_axe {
    template <class E>
    class mapping {
      public:
        using extents_type = E;
        using index_type = typename E::index_type;
        using size_type = typename E::size_type;
        using rank_type = typename E::rank_type;
        using layout_type = layout_axe;

        /// Row-major on default extents.
        constexpr mapping() noexcept
        {
            const auto on = detail::shape_of(extents_);
            const auto array = on ? row_major_array(*on) : Result<Strided>(on.error());
            if (!array) return;
            strides_ = array->strides;
            span_ = 1;
            for (const std::int64_t n : *on) span_ *= n;
            if (span_ == 0) return;
            if (const auto made = to_axe(*array)) layout_ = *made; // without elements there are no addresses
        }

        [[nodiscard]] constexpr const extents_type& extents() const noexcept { return extents_; }
        /// One more than the greatest address; 0 when there is no element.
        [[nodiscard]] constexpr index_type required_span_size() const noexcept { return static_cast<index_type>(span_); }

        /// @pre each index is within its extent, as for every mdspan. Cost: a multiplication a dimension if the mapping is strided, else
        /// also one a level of the layout.
        template <class... I>
            requires(sizeof...(I) == static_cast<std::size_t>(E::rank()) && (std::convertible_to<I, index_type> && ...))
        constexpr index_type operator()(I... i) const noexcept
        {
            std::int64_t address = offset_, index = 0;
            [[maybe_unused]] int d = 0;
            if (strided_)
                ((address += static_cast<std::int64_t>(static_cast<index_type>(i)) * strides_[d++]), ...);
            else
                ((index = index * shape(d++) + static_cast<std::int64_t>(static_cast<index_type>(i))), ...);
            return static_cast<index_type>(strided_ ? address : evaluator_(index));
        }

        static constexpr bool is_always_unique() noexcept { return false; }
        static constexpr bool is_always_exhaustive() noexcept { return false; }
        static constexpr bool is_always_strided() noexcept { return false; }
        /// Does no element share its address?
        [[nodiscard]] constexpr bool is_unique() const noexcept { return unique_; }
        /// Is every address below `required_span_size()` an element's?
        [[nodiscard]] constexpr bool is_exhaustive() const noexcept { return exhaustive_; }
        /// Is there one stride for each dimension, which the index type holds?
        [[nodiscard]] constexpr bool is_strided() const noexcept { return strided_; }
        /// @pre is_strided() and r < rank. Negative where a dimension runs backwards.
        [[nodiscard]] constexpr index_type stride(rank_type r) const noexcept
        {
            return static_cast<index_type>(strides_[static_cast<int>(r)]);
        }
        /// The layout behind it, canonical.
        [[nodiscard]] constexpr const Layout& layout() const noexcept { return layout_; }

        friend constexpr bool operator==(const mapping& a, const mapping& b) noexcept
        {
            return a.extents_ == b.extents_ && a.layout_ == b.layout_;
        }

      private:
        friend struct layout_axe;
        E extents_{};
        Layout layout_{};
        Evaluator<> evaluator_{};
        InlineVector<std::int64_t, max_rank> strides_{};
        std::int64_t offset_ = 0, span_ = 0;
        bool strided_ = true, unique_ = true, exhaustive_ = true;

        [[nodiscard]] constexpr std::int64_t shape(int d) const noexcept
        {
            return static_cast<std::int64_t>(extents_.extent(static_cast<rank_type>(d)));
        }
    };

    /// The mapping of a layout on extents.
    ///
    /// Exists iff L gives one address of `axis` for each element, none below 0 (`errc::no_layout`: an mdspan begins at its data handle),
    /// and all within the index type (`errc::overflow`). `errc::size_mismatch`, `errc::bad_extent` for empty extents; `errc::bad_axis`,
    /// `errc::not_single_valued`. Uniqueness that is too hard to decide counts as none. Cost: that of `is_injective`.
    template <class E>
    static constexpr Result<mapping<E>> make(const Layout& layout, const E& extents, const Axis& axis = {}) noexcept
    {
        Result<mapping<E>> result;
        if (const Status e = fill(layout, extents, axis, *result); !e.ok()) result = e;
        return result;
    }

  private:
    template <class E>
    static constexpr Status fill(const Layout& layout, const E& extents, const Axis& axis, mapping<E>& out) noexcept
    {
        using Index = typename E::index_type;
        if (const Status e = detail::check_addresses(layout, axis); !e.ok()) return e;
        const auto shape = detail::shape_of(extents);
        if (!shape) return shape.error();
        Strided array;
        const Status not_strided = detail::read_strides(layout, *shape, axis, array);
        if (!not_strided.ok() && !not_strided.error().is_none()) return not_strided;
        out.extents_ = extents;
        out.layout_.shard.clear();
        if (const Status e = detail::canonicalize_into(layout, out.layout_); !e.ok()) return e;

        out.offset_ = layout.offset[axis];
        std::int64_t low = out.offset_, high = low; // checked: the footprint fits
        for (const auto& it : out.layout_.shard) (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
        if (low < 0)
            return Error(errc::no_layout, -1, "the least address is {0}; an mdspan has no address before its data handle", low);
        if (high == std::numeric_limits<std::int64_t>::max() || !detail::fits_index<Index>(high + 1))
            return Error(errc::overflow, -1, "the greatest address is {0}, which overflows the index type of the extents", high);
        out.span_ = high + 1;

        out.strided_ = not_strided.ok();
        out.strides_.clear();
        for (int d = 0; d < array.strides.size() && out.strided_; ++d) { // a dimension of one index may have any stride
            const std::int64_t s = array.strides[d];
            out.strides_.push_back((*shape)[d] == 1 && !detail::fits_index<Index>(s) ? 1 : s);
            out.strided_ = detail::fits_index<Index>(out.strides_.back());
        }
        if (!out.strided_) {
            const auto ready = make_evaluator(out.layout_, axis);
            if (!ready) return ready.error();
            out.evaluator_ = *ready;
        }
        if (detail::has_gaps(out.layout_)) { // so no two elements meet, and they fill the span if they are as many
            out.unique_ = true;
            out.exhaustive_ = low == 0 && high + 1 == detail::product(out.layout_.shard);
            return {};
        }
        const auto certain = [](const Decision& v) { return !v.undecided() && v; };
        out.unique_ = certain(is_injective(out.layout_));
        out.exhaustive_ = certain(is_surjective(out.layout_, Point{{axis, out.span_}}));
        return {};
    }
};

namespace detail {

/// A strided mapping at 0 in every dimension: its offset.
template <class M, std::size_t... I>
constexpr std::int64_t first_address(const M& mapping, std::index_sequence<I...>) noexcept
{
    return static_cast<std::int64_t>(mapping(static_cast<typename M::index_type>(I * 0)...));
}

} // namespace detail

/// The strides of any strided layout mapping: `layout_right`, `layout_left`, `layout_stride`, padded ones, `layout_axe`.
///
///   offset + Σ c_d·stride(d) = mapping(c…)
///
/// `errc::no_layout` when the mapping is not strided; `errc::capacity`. Empty extents are read with the offset 0; `to_axe` rejects them.
template <class M>
    requires detail::Extents<typename M::extents_type>
constexpr Result<Strided> from_mapping(const M& mapping) noexcept
{
    using E = typename M::extents_type;
    const auto shape = detail::shape_of(mapping.extents());
    if (!shape) return shape.error();
    if (!mapping.is_strided()) return Error(errc::no_layout, -1, "the mapping is not strided");
    Result<Strided> result(Strided{*shape, {}, 0});
    bool empty = false;
    for (int d = 0; d < shape->size(); ++d) empty = empty || (*shape)[d] == 0;
    if constexpr (E::rank() > 0)
        for (int d = 0; d < shape->size(); ++d)
            result->strides.push_back(static_cast<std::int64_t>(mapping.stride(static_cast<typename E::rank_type>(d))));
    if (!empty) result->offset = detail::first_address(mapping, std::make_index_sequence<static_cast<std::size_t>(E::rank())>{});
    return result;
}

} // namespace v0
} // namespace axe

#endif
