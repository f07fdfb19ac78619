// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_HALVES_HPP
#define AXE_INTEROP_CUTE_HALVES_HPP

#include <axe/interop/cute/tiler.hpp>

/// What divides and products share: each makes two halves of a mode, (tile, rest) or (block, copies), and both come in four forms that
/// differ in how the halves of all modes are put together.
///
///   logical   ((t_0,r_0),(t_1,r_1),…,more)
///   zipped    ((t_0,t_1,…),(r_0,r_1,…,more))
///   tiled     ((t_0,t_1,…),r_0,r_1,…,more)
///   flat      (t_0,t_1,…,r_0,r_1,…,more)
///
/// An `Operation` has append(mode, item, out), which appends the two halves as one mode, and
/// stays_plain(a, t): are the numbers of both too small for the halves, put together, to overflow?
namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

enum class Form : std::uint8_t { logical, zipped, tiled, flat };

/// One half of every mode that the tuple of tilers at a place divides; the second with the modes that it does not.
constexpr Status put_half(const Part& halves, const Tiler& tiler, TilerPlace& at, int half, bool open, Layout& out) noexcept
{
    int items = 0;
    if (const Status e = open_tuple(tiler, at, halves, items); !e.ok()) return e;
    bool room = open || put_tuple(out, half == 0 ? items : halves.rank());
    Modes modes(halves);
    for (int i = 0; i < items; ++i) {
        const Part mode = modes.next();
        if (is_nested(tiler, at)) {
            if (const Status e = put_half(mode, tiler, at, half, false, out); !e.ok()) return e;
            continue;
        }
        if (!mode.is_tuple() || mode.rank() != 2)
            return Error(errc::bad_argument, at.item, "item {0} of the tiler is _, but the mode is not a pair", at.item);
        room = put_part(out, mode_of(mode, half)) && room;
        next_item(tiler, at);
    }
    while (half == 1 && !modes.done()) room = put_part(out, modes.next()) && room;
    return room ? Error{} : nodes_capacity();
}
constexpr Status zip_into(const Part& halves, const Tiler& tiler, Form form, Layout& out) noexcept
{
    const int items = whole(tiler.items).rank();
    if (form == Form::zipped)
        put_tuple(out, 2);
    else
        put_tuple(out, (form == Form::flat ? items : 1) + halves.rank());
    TilerPlace first, second;
    if (const Status e = put_half(halves, tiler, first, 0, form == Form::flat, out); !e.ok()) return e;
    return put_half(halves, tiler, second, 1, form != Form::zipped, out);
}

/// The same of two halves that a tiler of one layout makes.
constexpr Status open_into(const Part& halves, Form form, Layout& out) noexcept
{
    const Part tile = mode_of(halves, 0), rest = mode_of(halves, 1);
    bool room = put_tuple(out, (form == Form::flat ? tile.rank() : 1) + rest.rank());
    if (form == Form::tiled) room = put_part(out, tile) && room;
    for (Modes modes(tile); form == Form::flat && !modes.done();) room = put_part(out, modes.next()) && room;
    for (Modes modes(rest); !modes.done();) room = put_part(out, modes.next()) && room;
    return room ? Error{} : nodes_capacity();
}

template <class Operation>
constexpr Status halve_into(const Layout& layout, const Layout& tiler, Form form, Layout& out, Widths& a, Widths& t) noexcept
{
    if (const Status e = check_widths(layout, a); !e.ok()) return e;
    if (const Status e = check_widths(tiler, t); !e.ok()) return e;
    if (form == Form::logical || form == Form::zipped) return Operation::append(whole(layout), whole(tiler), out);
    Layout halves;
    if (const Status e = Operation::append(whole(layout), whole(tiler), halves); !e.ok()) return e;
    return open_into(whole(halves), form, out);
}
template <class Operation>
constexpr Status halve_into(const Layout& layout, const Tiler& tiler, Form form, Layout& out, Widths& a, Widths& t) noexcept
{
    TilerPlace at;
    if (const Status e = check_tiler(layout, tiler, a, t); !e.ok()) return e;
    if (form == Form::logical) return by_mode<Operation>(whole(layout), tiler, at, true, out);
    Layout halves;
    if (const Status e = by_mode<Operation>(whole(layout), tiler, at, true, halves); !e.ok()) return e;
    return zip_into(whole(halves), tiler, form, out);
}
template <class Operation, class T>
constexpr Result<Layout> halved(const Layout& layout, const T& tiler, Form form) noexcept
{
    Result<Layout> result;
    Widths a, t;
    Status e = halve_into<Operation>(layout, tiler, form, *result, a, t);
    if (e.ok() && !Operation::stays_plain(a, t)) e = check(*result);
    if (!e.ok()) result = e;
    return result;
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
