// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_STATIC_LAYOUT_HPP
#define AXE_LAYOUT_STATIC_LAYOUT_HPP

#include <axe/layout/group.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
    using type = Indices<I...>;
};

/// One iter of a layout cut for a shape, as a type:  (index_dim / inner) mod extent · stride@axis; extent 0 takes no remainder.
template <int Dim, auto Inner, auto Extent, auto Stride, std::uint64_t AxisHigh, std::uint64_t AxisLow>
struct StaticTerm {
    static constexpr int dim = Dim;
    static constexpr auto inner = Inner;
    static constexpr auto extent = Extent;
    static constexpr auto stride = Stride;
    AXE_HOST_DEVICE static constexpr bool is_on(const Axis& axis) noexcept { return axis.high == AxisHigh && axis.low == AxisLow; }
    static constexpr bool moves = Stride != 0 && Extent != 1;
    static constexpr Axis axis() noexcept
    {
        Axis a{};
        a.high = AxisHigh;
        a.low = AxisLow;
        return a;
    }
    /// Unsigned division by constants needs no correction for signs.
    template <class Int>
    AXE_HOST_DEVICE static constexpr Int at(const Int* index) noexcept
    {
        auto digit = static_cast<std::uint64_t>(index[Dim]);
        if constexpr (Inner != 1) digit /= static_cast<std::uint64_t>(Inner);
        if constexpr (Extent != 0) digit %= static_cast<std::uint64_t>(Extent);
        return static_cast<Int>(digit) * Stride;
    }
};
/// One coordinate of an offset, as a type.
template <auto Value, std::uint64_t AxisHigh, std::uint64_t AxisLow>
struct StaticOrigin : StaticTerm<0, 1, 0, Value, AxisHigh, AxisLow> {
    static constexpr auto value = Value;
};
template <class... Terms>
struct Pack {};

/// Whether an iter or offset moves anything, and where.
struct AxisUse {
    bool moves;
    Axis axis;
};
constexpr Axis last_axis_of(const AxisUse* use, int count) noexcept
{
    Axis last{};
    for (int i = 0; i < count; ++i)
        if (use[i].moves) last = use[i].axis;
    return last;
}
/// 0, 1, or 2 for more.
constexpr int count_axes_of(const AxisUse* use, int count) noexcept
{
    const Axis last = last_axis_of(use, count);
    int axes = 0;
    for (int i = 0; i < count; ++i)
        if (use[i].moves && axes < 2) axes = use[i].axis == last ? greatest(axes, 1) : 2;
    return axes;
}

template <class Int, class Terms, class Origins, Int... Shape>
class StaticLayout;
template <class T>
inline constexpr bool is_static_layout = false;
template <class Int, class Terms, class Origins, Int... Shape>
inline constexpr bool is_static_layout<StaticLayout<Int, Terms, Origins, Shape...>> = true;

} // namespace detail

/// A layout as a type, made by `static_layout`: all of it is in its template arguments, which are integers, so that messages
/// stay readable and a kernel may take it as a template parameter on every compiler.
///
/// `operator()(i, j, …)` takes an index for each dimension of the shape, or one flat index, and compiles to multiplications and
/// additions, with divisions by constants only where a dimension is spread over several iters. Indices must be inside the shape: this
/// is the inner loop, nothing is checked.
template <class Int, class... Terms, class... Origins, Int... Shape>
class detail::StaticLayout<Int, detail::Pack<Terms...>, detail::Pack<Origins...>, Shape...> {
  public:
    using integer = Int;

    static constexpr int rank = static_cast<int>(sizeof...(Shape));

    /// The layout itself, with its type spelled out: nvcc names a kernel's template arguments as they were written, and the value in
    /// `static_layout<L>` has no spelling there; `kernel<<<…>>>(static_layout<L>::self(), …)` has.
    [[nodiscard]] AXE_HOST_DEVICE static constexpr StaticLayout self() noexcept { return {}; }

    /// The number of elements.
    [[nodiscard]] AXE_HOST_DEVICE static constexpr Int size() noexcept { return (Int{1} * ... * Shape); }

    /// The coordinate on one axis, of an index for each dimension or of one flat index.
    template <Axis On, class... Index>
        requires(sizeof...(Index) == rank || sizeof...(Index) == 1)
    [[nodiscard]] AXE_HOST_DEVICE static constexpr Int on(Index... index) noexcept
    {
        if constexpr (sizeof...(Index) == rank) {
            const Int at[] = {static_cast<Int>(index)..., 0};
            return (origin<On> + ... + term<On, Terms>(at));
        } else {
            return flat<On>(static_cast<std::uint64_t>(index)..., typename MakeIndices<iters>::type{});
        }
    }

    /// The coordinate on the only axis of the layout.
    template <class... Index>
        requires(sizeof...(Index) == rank || sizeof...(Index) == 1)
    [[nodiscard]] AXE_HOST_DEVICE constexpr Int operator()(Index... index) const noexcept
    {
        static_assert(axis_count <= 1, "the layout has several axes: ask for one, as in layout.on<\"lane\">(i, j)");
        return on<last_axis>(index...);
    }

  private:
    static constexpr int uses = static_cast<int>(sizeof...(Terms) + sizeof...(Origins));
    static constexpr AxisUse use[] = {{Terms::moves, Terms::axis()}..., {Origins::moves, Origins::axis()}..., {}};
    static constexpr Axis last_axis = last_axis_of(use, uses);
    static constexpr int axis_count = count_axes_of(use, uses);

    template <Axis On>
    static constexpr Int origin = (Int{0} + ... + (Origins::is_on(On) ? Origins::value : Int{0}));

    template <Axis On, class Term>
    AXE_HOST_DEVICE static constexpr Int term(const Int* at) noexcept
    {
        if constexpr (Term::moves && Term::is_on(On))
            return Term::at(at);
        else
            return 0;
    }

    static constexpr int iters = static_cast<int>(sizeof...(Terms));

    /// The coordinate of a flat index x without its origin:  Σ_k weight_k·⌊x/inner_k⌋ , as in `Evaluator`: divisions by constants that
    /// do not wait for each other, none where neighbors chain. Modulo 2^64, as a term may pass the integer on the way.
    struct FlatForm {
        std::uint64_t weight[iters + 1]{};
        std::uint64_t inner[iters + 1]{};
    };
    template <Axis On>
    static constexpr FlatForm make_flat_form() noexcept
    {
        constexpr Int shape[] = {Shape..., 1};
        FlatForm form;
        int k = 0;
        const auto enter = [&](int dim, std::uint64_t inner, std::uint64_t stride) {
            for (int d = dim + 1; d < rank; ++d) inner *= static_cast<std::uint64_t>(shape[d]);
            form.inner[k] = inner;
            // digit k is ⌊x/inner_k⌋ − n_k·⌊x/inner_{k−1}⌋, with inner_{k−1} = n_k·inner_k
            if (k > 0) form.weight[k - 1] -= stride * (form.inner[k - 1] / inner);
            form.weight[k++] += stride;
        };
        (enter(Terms::dim, static_cast<std::uint64_t>(Terms::inner),
               static_cast<std::uint64_t>(Terms::moves && Terms::is_on(On) ? Terms::stride : Int{0})),
         ...);
        return form;
    }
    template <Axis On>
    static constexpr FlatForm flat_form = make_flat_form<On>();

    template <Axis On, int K>
    AXE_HOST_DEVICE static constexpr std::uint64_t flat_term(std::uint64_t index) noexcept
    {
        constexpr std::uint64_t weight = flat_form<On>.weight[K], inner = flat_form<On>.inner[K];
        if constexpr (weight == 0)
            return 0;
        else
            return weight * (index / inner);
    }
    template <Axis On, int... K>
    AXE_HOST_DEVICE static constexpr Int flat(std::uint64_t index, Indices<K...>) noexcept
    {
        return static_cast<Int>((static_cast<std::uint64_t>(origin<On>) + ... + flat_term<On, K>(index)));
    }
};

namespace detail {

template <AnyLayout L>
constexpr typename L::Shape static_shape(const L& layout)
{
    typename L::Shape shape;
    for (const auto& it : layout.shard) shape.push_back(it.extent);
    return shape;
}
template <AnyLayout L, class... S>
constexpr typename L::Shape static_shape(const L&, S... extents)
{
    return {static_cast<typename L::integer>(extents)...};
}
template <AnyLayout L>
constexpr typename L::Shape static_shape(const L&, const typename L::Shape& shape)
{
    return shape;
}

/// The layout with room for the pieces that a shape may cut it into.
template <AnyLayout L>
constexpr auto widen(const L& layout)
{
    BasicLayout<typename L::integer, L::max_shard + max_rank, L::max_replica, L::max_axes> out;
    append_all(layout.shard, out.shard);
    append_all(layout.replica, out.replica);
    for (const auto& e : layout.offset) out.offset.entries.push_back({e.axis, e.value});
    return out;
}

/// From a layout and a shape as values to the type.
template <auto L, auto S>
struct StaticLayoutOf {
    using Int = decltype(L.shard.items[0].extent + 0);
    static constexpr auto grouped = group(widen(L), S).value();
    static constexpr auto cut = grouped.layout;
    static constexpr auto shape = S;
    static_assert(cut.replica.empty(), "a static layout gives one point for each index: it has no replicas");

    struct DimensionDigit {
        int dim = 0;
        Int inner = 1;
        Int extent = 0;
    };
    struct DimensionDigits {
        DimensionDigit of[cut.shard.size() + 1]{};
    };
    static constexpr DimensionDigits find_digits() noexcept
    {
        DimensionDigits out;
        for (int d = 0; d < S.size(); ++d) {
            Int inner = 1;
            for (int k = grouped.end(d) - 1; k >= grouped.begin(d); --k) {
                const Int extent = grouped.layout.shard[k].extent;
                out.of[k] = {d, inner, k == grouped.begin(d) ? Int{0} : extent};
                inner *= extent;
            }
        }
        return out;
    }
    static constexpr DimensionDigits places = find_digits();
};

/// The type spelled out, iter by iter, offset by offset, dimension by dimension.
template <class Of, class Iters, class Offsets, class Dimensions>
struct SpellStaticLayout;
template <class Of, int... K, int... O, int... D>
struct SpellStaticLayout<Of, Indices<K...>, Indices<O...>, Indices<D...>> {
    using type = StaticLayout<typename Of::Int,
                              Pack<StaticTerm<Of::places.of[K].dim, Of::places.of[K].inner, Of::places.of[K].extent,
                                              Of::cut.shard[K].stride, Of::cut.shard[K].axis.high, Of::cut.shard[K].axis.low>...>,
                              Pack<StaticOrigin<Of::cut.offset.entries[O].value, Of::cut.offset.entries[O].axis.high,
                                                Of::cut.offset.entries[O].axis.low>...>,
                              Of::shape[D]...>;
};

template <class Of>
using SpelledStaticLayout = typename SpellStaticLayout<Of, typename MakeIndices<Of::cut.shard.size()>::type,
                                                       typename MakeIndices<Of::cut.offset.size()>::type,
                                                       typename MakeIndices<Of::shape.size()>::type>::type;

} // namespace detail

/// A layout as a type:  static_layout<L>{}(i, j, …)  is the coordinate of L there, computed with constants.
///
/// The shape is that of the layout's own iters; `static_layout<L, 64, 128>` or `static_layout<L, Shape{64, 128}>` gives another, which
/// must group it. `operator()` is for layouts on one axis, `on<"lane">(i, j, …)` for each of several; both also take one flat index.
/// The layout has no replicas. A layout or shape that does not fit is rejected by the compiler, with the message. Usable in device
/// code and as the template argument of a kernel.
template <auto L, auto... S>
using static_layout = detail::SpelledStaticLayout<detail::StaticLayoutOf<L, detail::static_shape(L, S...)>>;

/// Any type that `static_layout` makes.
template <class T>
concept AnyStaticLayout = detail::is_static_layout<T>;

/// A static layout as a value again, an iter for each digit that its shape was cut into:  as_layout(static_layout<L>{})(x) = L(x).
/// With room for all of them, and on 64 bits. Always exists; costs the number of iters.
template <class Int, class... Terms, class... Origins, Int... Shape>
constexpr auto as_layout(const detail::StaticLayout<Int, detail::Pack<Terms...>, detail::Pack<Origins...>, Shape...>&) noexcept
{
    BasicLayout<std::int64_t, detail::greatest<int>(16, sizeof...(Terms)), 8, detail::greatest<int>(8, sizeof...(Origins))> out;
    [[maybe_unused]] constexpr Int shape[] = {Shape..., 1};
    (out.shard.push_back({Terms::extent != 0 ? Terms::extent : shape[Terms::dim] / Terms::inner, Terms::stride, Terms::axis()}),
     ...);
    (out.offset.entries.push_back({Origins::axis(), Origins::value}), ...);
    return out;
}

} // namespace v0
} // namespace axe

#endif
