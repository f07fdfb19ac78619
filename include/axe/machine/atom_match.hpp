// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_ATOM_MATCH_HPP
#define AXE_MACHINE_ATOM_MATCH_HPP

#include <axe/layout/evaluator.hpp>
#include <axe/layout/untile.hpp>
#include <axe/machine/atom.hpp>
#include <axe/machine/permutation.hpp>

namespace axe {
inline namespace v0 {

/// Is this operand where the atom has it, element for element?
///
/// On a no, `witness()` is the least element, row-major, that is elsewhere; −1 where the shapes differ. Errors: those of `equal`, and
/// `errc::size_mismatch` when the shape is not one that the layout admits. Cost: linear in the number of iters; for two different
/// swizzles in the number of elements.
constexpr Decision matches(const Atom& atom, const Swizzled<Layout>& layout, const Shape& shape) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_admission(layout.layout, shape); !e.ok()) return e;
    if (!(shape == atom.shape())) return Decision(false);
    return equal(atom.swizzled(), layout);
}
constexpr Decision matches(const Atom& atom, const Layout& layout, const Shape& shape) noexcept
{
    return matches(atom, Swizzled<Layout>{{}, {}, 1, layout}, shape);
}

namespace detail {

/// The layout on all axes but one, with the same domain.
constexpr Layout without_axis(const Layout& layout, const Axis& axis) noexcept
{
    Layout out;
    for (auto it : layout.shard) {
        if (it.axis == axis) it.stride = 0;
        out.shard.push_back(it);
    }
    for (const auto& it : layout.replica)
        if (!(it.axis == axis)) out.replica.push_back(it);
    for (const auto& e : layout.offset)
        if (!(e.axis == axis)) *out.offset.entry(e.axis) = e.value;
    return out;
}

} // namespace detail

/// The permutation p of the fragment's registers with which the operand is the atom's:
///   on `reg`  layout(x) = p[atom(x)],  on every other axis  layout(x) = atom(x)
///
/// Exists iff the shapes are one, the operand is at the atom's places on the other axes, and elements that share a register of the
/// atom, lane by lane, share one here, registers to registers one to one (`errc::no_layout`; its position is the least element, row-major,
/// that shows it, −1 for shapes). A register is an element of the fragment here, as in `Atom`: where several make up a hardware
/// register, that p keeps them together is for the caller to ask. Errors: those of `equal`; `errc::size_mismatch`;
/// `errc::bad_argument` for a swizzled atom, and one whose registers are not [0, size of p).
/// Cost: linear in the number of elements.
constexpr Result<Permutation> match_registers(const Atom& atom, const Layout& layout, const Shape& shape,
                                              const Axis& reg = Axis{"reg"}) noexcept
{
    if (const Status e = detail::check_admission(layout, shape); !e.ok()) return e;
    if (atom.swizzle.bits != 0) return Error(errc::bad_argument, -1, "a swizzled atom has no registers");
    if (!(shape == atom.shape())) return Error(errc::no_layout, -1, "the shapes of the operand and the atom differ");
    const auto whole = canonicalize(atom.layout()), other = canonicalize(layout);
    if (!whole) return whole.error();
    if (!other) return other.error();
    const Decision elsewhere = equal(detail::without_axis(*whole, reg), detail::without_axis(*other, reg));
    if (elsewhere.undecided()) return elsewhere.error();
    if (!elsewhere)
        return Error(errc::no_layout, static_cast<int>(elsewhere.witness()),
                     "element {0} is at a different place on an axis other than the registers", elsewhere.witness());
    const auto here = make_evaluator(*whole, reg), there = make_evaluator(*other, reg);
    if (!here) return Error(errc::bad_argument, -1, "the atom has each element in several registers");
    if (!there) return Error(errc::no_layout, 0, "element 0 is in several registers");

    const std::int64_t registers = detail::span_of(*whole, reg), size = detail::product(whole->shard);
    if (registers > Permutation::most)
        return Error(errc::bad_argument, -1, "{0} registers exceed the {1} entries of a permutation", registers, Permutation::most);
    Permutation p, back;
    for (std::int64_t r = 0; r < registers; ++r) {
        p.values.push_back(-1);
        back.values.push_back(-1);
    }
    for (std::int64_t x = 0; x < size; ++x) {
        const std::int64_t from = (*here)(x), to = (*there)(x);
        const int at = static_cast<int>(x);
        if (from < 0 || from >= registers)
            return Error(errc::bad_argument, at, "the atom has element {0} in register {1}, but only {2} registers", x, from,
                         registers);
        if (to < 0 || to >= registers)
            return Error(errc::no_layout, at, "element {0} is in register {1}, but the fragment has {2}", x, to, registers);
        auto& image = p.values[static_cast<int>(from)];
        auto& origin = back.values[static_cast<int>(to)];
        if (image < 0 && origin < 0) {
            image = static_cast<std::int32_t>(to);
            origin = static_cast<std::int32_t>(from);
        }
        if (image >= 0 && image != to)
            return Error(errc::no_layout, at, "element {0} is in register {1}; others of the same register of the atom are in {2}",
                         x, to, image);
        if (origin != from)
            return Error(errc::no_layout, at, "element {0} is in register {1}, with elements of another register of the atom", x,
                         to);
    }
    for (std::int64_t r = 0; r < registers; ++r) // a fragment with holes says nothing of them: they stay in order
        if (p.values[static_cast<int>(r)] < 0) {
            int free = 0;
            while (back.values[free] >= 0) ++free;
            p.values[static_cast<int>(r)] = free;
            back.values[free] = static_cast<std::int32_t>(r);
        }
    return p;
}

/// How a tile is made of an atom, again and again: what `match_tile` finds.
struct AtomTiling {
    Layout outer{};         ///< where the atoms of the tile are, in units of the atom's span: `tile(outer, shape; atom, its shape)`
    Shape shape{};          ///< how many along each dimension
    std::int64_t count = 1; ///< in all
    std::int64_t in_turn = 1; ///< how many one owner has: those that `outer` tells apart on the atom's own places, or not at all
};

namespace detail {

/// Do the coordinates of this axis tell owners, of those that the scopes of atoms consist of? All else are places that an owner has.
constexpr bool tells_owners(const Axis& axis) noexcept
{
    return axis == Axis{"lane"} || axis == Axis{"warp"} || axis == Axis{"cta"};
}

} // namespace detail

/// Is the layout of a larger operand a tiling by the atom; where are its atoms, and how many?      [Axe 3.3: tile(outer; atom)]
///
/// Exists iff `untile` finds the outer layout (`errc::not_grouped` with the dimension that the atom does not divide, or
/// `errc::no_layout`). With a swizzle, the same on both sides, also iff no atom starts inside its period, so that the atoms of the tile
/// are swizzled alike. Errors: those of `untile`; `errc::rank_mismatch`. Cost: linear in the number of iters.
constexpr Result<AtomTiling> match_tile(const Atom& atom, const Swizzled<Layout>& tile, const Shape& shape) noexcept
{
    if (const Status e = check(tile); !e.ok()) return e;
    const Swizzled<Layout> inner = atom.swizzled();
    if (const Status e = check(inner); !e.ok()) return e;
    const Swizzle swizzle = in_elements(tile);
    if (!(swizzle == in_elements(inner)) || (swizzle.bits != 0 && !(tile.axis == inner.axis)))
        return Error(errc::no_layout, -1, "the swizzles of the tile and the atom differ");
    Result<AtomTiling> result;
    AtomTiling& out = *result;
    const auto outer = untile(tile.layout, shape, inner.layout, atom.shape());
    if (!outer) return outer.error();
    out.outer = *outer;
    if (swizzle.bits != 0) {
        const std::int64_t span = detail::span_of(inner.layout, tile.axis), period = swizzle.period();
        bool whole = outer->offset[tile.axis] * span % period == 0;
        for (const auto& it : outer->shard)
            whole = whole && (!(it.axis == tile.axis) || it.extent == 1 || it.stride * span % period == 0);
        for (const auto& it : outer->replica)
            whole = whole && (!(it.axis == tile.axis) || it.extent == 1 || it.stride * span % period == 0);
        if (!whole)
            return Error(errc::no_layout, -1, "an atom of the tile starts inside the {0} elements that the swizzle moves", period);
    }
    const Shape one = atom.shape();
    for (int d = 0; d < shape.size(); ++d) out.shape.push_back(shape[d] / one[d]);
    for (const auto& it : outer->shard) {
        out.count *= it.extent;
        bool own = it.stride == 0;
        for (const auto& held : inner.layout.shard) own = own || (held.axis == it.axis && !detail::tells_owners(it.axis));
        for (const auto& held : inner.layout.replica) own = own || (held.axis == it.axis && !detail::tells_owners(it.axis));
        if (own) out.in_turn *= it.extent;
    }
    return result;
}
constexpr Result<AtomTiling> match_tile(const Atom& atom, const Layout& tile, const Shape& shape) noexcept
{
    return match_tile(atom, Swizzled<Layout>{{}, {}, 1, tile}, shape);
}

} // namespace v0
} // namespace axe

#endif
