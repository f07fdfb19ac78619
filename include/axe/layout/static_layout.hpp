// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_STATIC_LAYOUT_HPP
#define AXE_LAYOUT_STATIC_LAYOUT_HPP

#include <axe/layout/group.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The same layout in a type that has room for just what it uses: short names in symbols and messages.
template <int Shards, int Replicas, int Axes, AnyLayout L>
consteval auto shrink(const L& layout)
{
    BasicLayout<typename L::integer, Shards, Replicas, Axes> out;
    for (const auto& it : layout.shard) out.shard.push_back(it);
    for (const auto& it : layout.replica) out.replica.push_back(it);
    for (const auto& e : layout.offset) out.offset.entries.push_back({e.axis, e.value});
    return out;
}

/// The number of different axes of a layout.
template <AnyLayout L>
consteval int axis_total(const L& layout)
{
    AxisSet<64> axes;
    for (const auto& it : layout.shard) axes.insert(it.axis);
    for (const auto& it : layout.replica) axes.insert(it.axis);
    for (const auto& e : layout.offset) axes.insert(e.axis);
    return axes.count;
}

/// The layout with room for the pieces that a shape may cut it into.
template <AnyLayout L>
consteval auto widen(const L& layout)
{
    BasicLayout<typename L::integer, most_digits, L::max_replica, L::max_axes> out;
    for (const auto& it : layout.shard) out.shard.push_back(it);
    for (const auto& e : layout.offset) out.offset.entries.push_back({e.axis, e.value});
    return out;
}

/// The shape whose dimensions are the layout's own iters.
template <AnyLayout L>
consteval typename L::Shape own_shape(const L& layout)
{
    typename L::Shape shape;
    for (const auto& it : layout.shard) shape.push_back(it.extent);
    return shape;
}

template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
    using type = Indices<I...>;
};

/// One iter of a layout that has been cut for a shape: the digit (index_dim / inner) mod extent, times stride.
template <class Int>
struct StaticTerm {
    int dim;
    Int inner;
    Int extent; ///< 0 for the outermost of its block: no remainder is taken
    Int stride;
    Axis axis;
};
template <class Int, int Terms>
struct StaticTerms {
    StaticTerm<Int> items[Terms > 0 ? Terms : 1]{};
};

/// The axes on which something moves or stands, counted; the only one is written to `axis`.
template <AnyLayout L>
constexpr int count_axes(const L& layout, Axis& axis) noexcept
{
    int count = 0;
    const auto visit = [&](const Axis& a) {
        if (count == 0 || !(a == axis)) ++count;
        axis = a;
    };
    for (const auto& it : layout.shard)
        if (it.stride != 0 && it.extent > 1) visit(it.axis);
    for (const auto& e : layout.offset) visit(e.axis);
    return count;
}

} // namespace detail

/// A layout as a type: `static_layout<L>` wraps a value as a template argument, and evaluates it with constants.
///
/// `operator()(i, j, …)` takes an index for each dimension of the shape (by default the layout's own iters; or one flat index) and
/// compiles to multiplications and additions, with divisions by constants only where a dimension is spread over several iters.
/// Indices must be inside the shape: this is the inner loop, nothing is checked. Usable in device code.
///
/// @tparam Value the layout, without replicas; @tparam Dimensions the shape, which must group it
template <auto Value, auto Dimensions>
struct StaticLayout {
    using layout_type = decltype(Value);
    using integer = typename layout_type::integer;

    static constexpr auto value = Value;
    static constexpr auto shape = Dimensions;
    static constexpr int rank = Dimensions.size();

    /// The coordinate on one axis.
    template <Axis On, class... Index>
        requires(sizeof...(Index) == rank)
    [[nodiscard]] AXE_HOST_DEVICE static constexpr integer on(Index... index) noexcept
    {
        const integer at[] = {static_cast<integer>(index)..., 0};
        return sum<On>(at, typename detail::MakeIndices<term_count>::type{});
    }
    template <Axis On, class Index>
        requires(rank != 1)
    [[nodiscard]] AXE_HOST_DEVICE static constexpr integer on(Index index) noexcept
    {
        return flat<On>(static_cast<integer>(index), typename detail::MakeIndices<rank>::type{});
    }

    /// The coordinate on the only axis of the layout.
    template <class... Index>
        requires(sizeof...(Index) == rank || sizeof...(Index) == 1)
    [[nodiscard]] AXE_HOST_DEVICE constexpr integer operator()(Index... index) const noexcept
    {
        static_assert(axis_count <= 1, "the layout has several axes: ask for one, as in layout.on<\"lane\">(i, j)");
        return on<the_axis>(index...);
    }

    /// The number of elements.
    [[nodiscard]] static constexpr integer size() noexcept { return axe::size(Value).value(); }

  private:
    static constexpr auto grouped = group(detail::widen(Value), Dimensions).value();
    static constexpr int term_count = grouped.layout.shard.size();
    static_assert(Value.replica.empty(), "a static layout gives one point for each index: it has no replicas");

    static constexpr auto make_terms()
    {
        detail::StaticTerms<integer, term_count> out;
        for (int d = 0; d < rank; ++d) {
            integer inner = 1;
            for (int k = grouped.end(d) - 1; k >= grouped.begin(d); --k) {
                const auto& it = grouped.layout.shard[k];
                out.items[k] = {d, inner, k == grouped.begin(d) ? integer{0} : it.extent, it.stride, it.axis};
                inner *= it.extent;
            }
        }
        return out;
    }
    static constexpr auto terms = make_terms();
    static constexpr int axes_used()
    {
        Axis axis{};
        return detail::count_axes(Value, axis);
    }
    static constexpr Axis axis_used()
    {
        Axis axis{};
        detail::count_axes(Value, axis);
        return axis;
    }
    static constexpr int axis_count = axes_used();
    static constexpr Axis the_axis = axis_used();

    /// Unsigned division by constants needs no correction for signs.
    template <Axis On, int K>
    AXE_HOST_DEVICE static constexpr integer term(const integer* at) noexcept
    {
        constexpr auto t = terms.items[K];
        if constexpr (t.stride == 0 || !(t.axis == On)) {
            return 0;
        } else {
            auto digit = static_cast<std::uint64_t>(at[t.dim]);
            if constexpr (t.inner != 1) digit /= static_cast<std::uint64_t>(t.inner);
            if constexpr (t.extent != 0) digit %= static_cast<std::uint64_t>(t.extent);
            return static_cast<integer>(digit) * t.stride;
        }
    }
    template <Axis On, int... K>
    AXE_HOST_DEVICE static constexpr integer sum(const integer* at, detail::Indices<K...>) noexcept
    {
        constexpr integer origin = Value.offset[On];
        return (origin + ... + term<On, K>(at));
    }
    /// A flat index, cut into the indices of the dimensions.
    template <Axis On, int... D>
    AXE_HOST_DEVICE static constexpr integer flat(integer index, detail::Indices<D...>) noexcept
    {
        return on<On>(dimension<D>(index)...);
    }
    template <int D>
    AXE_HOST_DEVICE static constexpr integer dimension(integer index) noexcept
    {
        constexpr auto inner = [] {
            integer p = 1;
            for (int d = D + 1; d < rank; ++d) p *= shape[d];
            return static_cast<std::uint64_t>(p);
        }();
        const auto q = static_cast<std::uint64_t>(index) / inner;
        if constexpr (D == 0) return static_cast<integer>(q);
        else return static_cast<integer>(q % static_cast<std::uint64_t>(shape[D]));
    }
};

namespace detail {
template <AnyLayout L>
consteval typename L::Shape static_shape(const L& layout)
{
    return own_shape(layout);
}
template <AnyLayout L, class... S>
consteval typename L::Shape static_shape(const L&, S... extents)
{
    return {static_cast<typename L::integer>(extents)...};
}
template <AnyLayout L>
consteval typename L::Shape static_shape(const L&, const typename L::Shape& shape)
{
    return shape;
}
} // namespace detail

/// `static_layout<L>` on the layout's own iters; `static_layout<L, Shape{64, 128}>` or `static_layout<L, 64, 128>` on a shape.
template <auto L, auto... S>
using static_layout =
    StaticLayout<detail::shrink<L.shard.size(), L.replica.size(), detail::axis_total(L)>(L), detail::static_shape(L, S...)>;

} // namespace v0
} // namespace axe

#endif
