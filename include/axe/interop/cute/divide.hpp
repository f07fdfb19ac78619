// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_DIVIDE_HPP
#define AXE_INTEROP_CUTE_DIVIDE_HPP

#include <axe/interop/cute/complement.hpp>
#include <axe/interop/cute/composition.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// Appends (A∘T, A∘T*) as one mode, T* what T leaves of A.
constexpr Error divide_into(const Part& a, const Part& tiler, Layout& out) noexcept
{
    Digits rest;
    if (const Error e = complement_into(tiler, size_of(a), true, rest)) return e;
    Layout others;
    if (!put_digits(others, rest) || !put_tuple(out, 2)) return nodes_capacity();
    const Part inner[2] = {tiler, whole(others)};
    return compose_into(a, inner, 2, out);
}
constexpr Error divide_into(const Layout& layout, const Tiler& tiler, Layout& out) noexcept
{
    if (const Error e = check_tiler(layout, tiler)) return e;
    put_tuple(out, rank(layout));
    Modes items(whole(tiler.items));
    int i = 0;
    for (Modes modes(whole(layout)); !modes.done(); ++i) {
        const Part mode = modes.next();
        const bool divided = !items.done() && !keeps(tiler, i);
        const Part item = items.done() ? Part{} : items.next();
        if (!divided) {
            if (!put_part(out, mode)) return nodes_capacity();
        } else if (const Error e = divide_into(mode, item, out)) {
            return e;
        }
    }
    return {};
}

/// How the two halves of each mode, tile and rest, are put together.
enum class Zip : std::uint8_t { zipped, tiled, flat };

/// ((t_0,r_0),(t_1,r_1),…,more) becomes ((t_0,t_1,…),(r_0,r_1,…,more)), one tuple or both opened.
constexpr Error zip_into(const Part& halves, const Tiler& tiler, Zip zip, Layout& out) noexcept
{
    const int tiles = rank(tiler.items);
    for (int i = 0; i < tiles; ++i)
        if (keeps(tiler, i)) return Error(errc::bad_argument, i, "item {0} of the tiler is _, which leaves no tile to gather", i);
    bool room =
        zip == Zip::zipped ? put_tuple(out, 2) : put_tuple(out, zip == Zip::tiled ? 1 + halves.rank() : tiles + halves.rank());
    if (zip != Zip::flat) room = put_tuple(out, tiles) && room;
    for (int half = 0; half < 2; ++half) {
        if (half == 1 && zip == Zip::zipped) room = put_tuple(out, halves.rank()) && room;
        Modes modes(halves);
        for (int i = 0; !modes.done(); ++i) {
            const Part mode = modes.next();
            if (i < tiles)
                room = put_part(out, mode_of(mode, half)) && room;
            else if (half == 1)
                room = put_part(out, mode) && room;
        }
    }
    return room ? Error{} : nodes_capacity();
}
/// (tile, rest), of a tiler that is one layout, with one mode or both opened.
constexpr Error open_into(const Part& halves, Zip zip, Layout& out) noexcept
{
    if (zip == Zip::zipped) return put_part(out, halves) ? Error{} : nodes_capacity();
    const Part tile = mode_of(halves, 0), rest = mode_of(halves, 1);
    bool room = put_tuple(out, (zip == Zip::flat ? tile.rank() : 1) + rest.rank());
    if (zip == Zip::tiled) room = put_part(out, tile) && room;
    for (Modes modes(tile); zip == Zip::flat && !modes.done();) room = put_part(out, modes.next()) && room;
    for (Modes modes(rest); !modes.done();) room = put_part(out, modes.next()) && room;
    return room ? Error{} : nodes_capacity();
}

constexpr Error divide(const Layout& layout, const Layout& tiler, Zip zip, Layout& out) noexcept
{
    if (const Error e = check(layout)) return e;
    if (const Error e = check(tiler)) return e;
    if (zip == Zip::zipped) return divide_into(whole(layout), whole(tiler), out);
    Layout halves;
    if (const Error e = divide_into(whole(layout), whole(tiler), halves)) return e;
    return open_into(whole(halves), zip, out);
}
constexpr Error divide(const Layout& layout, const Tiler& tiler, Zip zip, Layout& out) noexcept
{
    Layout halves;
    if (const Error e = divide_into(layout, tiler, halves)) return e;
    return zip_into(whole(halves), tiler, zip, out);
}
template <class T>
constexpr Result<Layout> divided(const Layout& layout, const T& tiler, Zip zip) noexcept
{
    Result<Layout> result;
    if (const Error e = divide(layout, tiler, zip, *result)) result = e;
    return result;
}

} // namespace detail

/// A tile and how often it is found:  logical_divide(A, T)(i, j) = A(T(i) + T*(j)),  T* = complement(T, size(A)).
///
/// Every element of A is in one tile; where tiles reach past A, its last leaf runs on, as CuTe rounds up. Exists iff the map is a
/// layout whose modes are T's and T*'s, and T's copies leave no element out (`errc::no_layout` otherwise; CuTe loses elements, or
/// gives a wrong layout where its divisibility fails at run time). Errors: those of `composition` and `complement`. Cost: that of
/// axe::compose.
/// [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
constexpr Result<Layout> logical_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::zipped);
}
/// Mode by mode:  (A_0/T_0, A_1/T_1, …, A_k, …);  modes past the tiler's, and those it keeps, stay.
constexpr Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    Result<Layout> result;
    if (const Error e = detail::divide_into(layout, tiler, *result)) result = e;
    return result;
}

/// The tiles of all modes gathered, and the rests:  ((t_0,t_1,…),(r_0,r_1,…)),  the same map as logical_divide with coordinates
/// swapped.
///
/// With one layout as tiler it is logical_divide. `errc::bad_argument` when the tiler keeps a mode: there is no tile to gather.
constexpr Result<Layout> zipped_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::zipped);
}
constexpr Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::zipped);
}

/// zipped_divide with the rests opened:  ((t_0,t_1,…),r_0,r_1,…).
constexpr Result<Layout> tiled_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::tiled);
}
constexpr Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::tiled);
}

/// zipped_divide with both opened:  (t_0,t_1,…,r_0,r_1,…).
constexpr Result<Layout> flat_divide(const Layout& layout, const Layout& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::flat);
}
constexpr Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler) noexcept
{
    return detail::divided(layout, tiler, detail::Zip::flat);
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
