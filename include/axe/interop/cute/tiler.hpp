// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_TILER_HPP
#define AXE_INTEROP_CUTE_TILER_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// A tuple of layouts that apply to the modes of another one by one, CuTe's `Tile`, written `<4:1,_,<8:2,2:1>>`.
///
/// An integer n of CuTe's is n:1. Items are layouts, counted from left to right through all tuples of tilers; where `kept` has bit i,
/// item i stands for `_`: the mode stays whole. Where `nested` has bit n, node n of `items` is not a layout, but a tuple of tilers
/// for the modes of its mode; node 0 always is one.      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
struct Tiler {
    Layout items{};
    std::uint64_t kept = 0;
    std::uint64_t nested = 0;

    friend constexpr bool operator==(const Tiler&, const Tiler&) = default;
};

namespace detail {

/// Where one is in a tiler: a node, and the number of the next item.
struct TilerPlace {
    int node = 0, item = 0;
};

constexpr bool is_nested(const Tiler& tiler, const TilerPlace& at) noexcept
{
    return at.node == 0 || (tiler.nested >> at.node & 1) != 0;
}
constexpr bool keeps(const Tiler& tiler, const TilerPlace& at) noexcept { return (tiler.kept >> at.item & 1) != 0; }

/// The item at a place, which goes on to the next.
constexpr Part next_item(const Tiler& tiler, TilerPlace& at) noexcept
{
    const Part item = part_at(tiler.items.nodes.items, at.node);
    at.node += item.count;
    ++at.item;
    return item;
}

/// Both are sound, and tuples of tilers are tuples.
constexpr Status check_tiler(const Layout& layout, const Tiler& tiler, Widths& a, Widths& t) noexcept
{
    if (const Status e = check_widths(layout, a); !e.ok()) return e;
    if (const Status e = check_widths(tiler.items, t); !e.ok()) return e;
    for (int i = 0; i < (tiler.nested == 0 ? 1 : tiler.items.nodes.size()); ++i)
        if (is_nested(tiler, {i, 0}) && tiler.items.nodes[i].children < 0)
            return Error(errc::bad_argument, -1, "a tiler is a tuple of layouts; this one is a single leaf");
    return {};
}

/// Opens the tuple of tilers at a place, for the modes of a part.
constexpr Status open_tuple(const Tiler& tiler, TilerPlace& at, const Part& part, int& items) noexcept
{
    items = tiler.items.nodes[at.node++].children;
    if (items <= part.rank()) return {};
    return Error(errc::rank_mismatch, -1, "the tiler has {0} items, the layout {1} modes", items, part.rank());
}

/// Mode by mode, tuple in tuple: what `Operation` appends of each mode and its item; modes without one, and those kept, as they are,
/// or, those without one, not at all.
template <class Operation>
constexpr Status by_mode(const Part& part, const Tiler& tiler, TilerPlace& at, bool with_others, Layout& out) noexcept
{
    int items = 0;
    if (const Status e = open_tuple(tiler, at, part, items); !e.ok()) return e;
    Modes modes(part);
    bool room = put_tuple(out, with_others ? part.rank() : items);
    for (int i = 0; i < items; ++i) {
        const Part mode = modes.next();
        if (is_nested(tiler, at)) {
            if (const Status e = by_mode<Operation>(mode, tiler, at, with_others, out); !e.ok()) return e;
            continue;
        }
        const bool kept = keeps(tiler, at);
        const Part item = next_item(tiler, at);
        if (kept)
            room = put_part(out, mode) && room;
        else if (const Status e = Operation::append(mode, item, out); !e.ok())
            return e;
    }
    while (with_others && !modes.done()) room = put_part(out, modes.next()) && room;
    return room ? Error{} : nodes_capacity();
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
