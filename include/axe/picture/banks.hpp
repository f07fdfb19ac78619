// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_BANKS_HPP
#define AXE_PICTURE_BANKS_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/machine/banks.hpp>
#include <axe/support/errors.hpp>

/// The bank conflicts of an access that is given as a layout, as pictures show it.
namespace axe {
inline namespace v0 {
namespace detail {

/// The byte of an element of a tile. Axes other than the memory's are not looked at.
template <AnyLayout L>
constexpr Result<std::int64_t> byte_of(const Swizzled<L>& tile, typename L::integer index) noexcept
{
    const auto point = evaluate(tile, index);
    if (!point) return point.error();
    std::int64_t byte = 0;
    if (!mul<std::int64_t>((*point)[tile.axis], tile.width, byte) || !add<std::int64_t>(byte, tile.width, byte))
        return Error(errc::overflow, -1, "the byte address of element {0} overflows", index);
    return byte - tile.width;
}

} // namespace detail

/// The access of a tile: lane i takes the `vector` elements number access(i·vector), …, access(i·vector + vector − 1).
///
/// @param tile in shared memory, its width the bytes of an element; only its memory axis is looked at
/// @param access (lane, element of the vector), row-major, to the linear index of the tile's element on m
/// @returns the lanes' bytes. `errc::bad_argument` when the elements of a lane do not follow each other in memory, or are not aligned;
///          `errc::size_mismatch` when the access is not a whole number of vectors; `errc::not_single_valued` and
///          `errc::out_of_domain` as for `evaluate`
template <AnyLayout L>
constexpr Result<WarpAccess> warp_access(Swizzled<L> tile, const L& access, int vector) noexcept
{
    if (const Status e = check(tile); !e.ok()) return e;
    const auto elements = size(access);
    if (!elements) return elements.error();
    if (vector < 1 || *elements % vector != 0)
        return Error(errc::size_mismatch, -1, "an access of {0} elements is not a whole number of vectors of {1}", *elements,
                     vector);
    if (*elements / vector > most_warp_lanes) return detail::lanes_of_a_warp(*elements / vector);
    if (tile.width > 16 || vector > 16 || tile.width * vector > 16)
        return Error(errc::bad_argument, -1, "a lane moves 1, 2, 4, 8 or 16 bytes, got {0} elements of {1}", vector, tile.width);
    for (int i = tile.layout.replica.size() - 1; i >= 0; --i)
        if (!(tile.layout.replica[i].axis == tile.axis)) tile.layout.replica.erase(i);

    Result<WarpAccess> result;
    result->lanes = static_cast<int>(*elements / vector);
    result->bytes = static_cast<int>(tile.width) * vector;
    for (int i = 0; i < result->lanes * vector; ++i) {
        const int lane = i / vector, part = i % vector;
        const auto element = evaluate(access, i);
        if (!element) return element.error();
        for (const auto& e : *element)
            if (!(e.axis == Axis{}) && e.value != 0)
                return Error(errc::bad_argument, -1, "an access gives element numbers, so it moves on m only");
        const auto byte = detail::byte_of(tile, (*element)[Axis{}]);
        if (!byte) return byte.error();
        if (part == 0) result->address[lane] = *byte;
        if (*byte - result->address[lane] != part * static_cast<std::int64_t>(tile.width))
            return Error(errc::bad_argument, lane,
                         "element {0} of the vector of lane {1} is not next to the one before it in memory", part, lane);
    }
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

/// The conflicts of an access of a tile: `bank_conflicts(warp_access(tile, access, vector))`.
template <AnyLayout L>
constexpr Result<BankConflicts> bank_conflicts(const Swizzled<L>& tile, const L& access, int vector) noexcept
{
    const auto lanes = warp_access(tile, access, vector);
    if (!lanes) return lanes.error();
    return bank_conflicts(*lanes);
}

} // namespace v0
} // namespace axe

#endif
