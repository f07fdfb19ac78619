// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_HLO_SHARDING_HPP
#define AXE_INTEROP_SHARDING_HLO_SHARDING_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/mesh.hpp>

namespace axe {
inline namespace v0 {
namespace sharding {

/// What XLA says of one array: one word, or a tile assignment.
///
/// Tile (t_0, …, t_{r−1}) of an array of r dimensions is on the devices at these places of an array of devices of shape `tile`, which
/// has one more dimension for each of `subgroups`; within those, devices are copies, hold terms, or are left to the program.
///                                                             [XLA, xla/hlo/ir/hlo_sharding.h and tile_assignment.h; GSPMD 3.1–3.2]
struct HloSharding {
    enum class Kind : std::uint8_t { replicated, maximal, manual, unknown, unreduced, tiled };

    Kind kind = Kind::replicated;
    std::int64_t device = 0;           ///< of maximal: the one that has all
    Shape tile{};                      ///< of tiled, like all that follows
    InlineVector<Kind, 3> subgroups{}; ///< of the last dimensions of `tile`: replicated, manual or unreduced
    DeviceOrder order{};               ///< the steps that number the places, major first
    std::int64_t first = 0;            ///< the device at the first

    friend constexpr bool operator==(const HloSharding&, const HloSharding&) = default;
};

namespace detail {

constexpr Error too_many_tiles() noexcept
{
    return Error(errc::capacity, max_rank, "the tile assignment needs more than {0} dimensions or steps", max_rank);
}

} // namespace detail

/// Is the value a sharding? Of the kinds other than tiled only the device counts, which is not below 0.
///
/// Tiles are at least 1 in each dimension, as many as the devices, and these are all the numbers of a range from 0 or above, each once.
/// `errc::capacity`, `errc::bad_extent`, `errc::bad_argument`, `errc::rank_mismatch`, `errc::size_mismatch`, `errc::overflow`,
/// `errc::out_of_domain`, `errc::no_layout` for steps that miss a device or reach one twice. Cost: quadratic in the steps.
constexpr Status check(const HloSharding& hlo) noexcept
{
    using namespace detail;
    using Kind = HloSharding::Kind;
    if (hlo.kind == Kind::maximal && hlo.device < 0) return detail::negative_device(hlo.device);
    if (hlo.kind != Kind::tiled) return {};
    if (hlo.tile.overfull() || hlo.subgroups.overfull() || hlo.order.overfull()) return too_many_tiles();
    if (hlo.subgroups.size() > hlo.tile.size())
        return Error(errc::rank_mismatch, -1, "{0} subgroups are more than the {1} dimensions of the tile assignment",
                     hlo.subgroups.size(), hlo.tile.size());
    for (int g = 0; g < hlo.subgroups.size(); ++g)
        if (hlo.subgroups[g] != Kind::replicated && hlo.subgroups[g] != Kind::manual && hlo.subgroups[g] != Kind::unreduced)
            return Error(errc::bad_argument, g, "subgroup {0} is not replicated, manual or unreduced", g);
    std::int64_t tiles = 1, devices = 1, low = 0;
    for (int d = 0; d < hlo.tile.size(); ++d) {
        if (hlo.tile[d] < 1)
            return Error(errc::bad_extent, d, "dimension {0} of the tile assignment has {1} tiles; it must have at least 1", d,
                         hlo.tile[d]);
        if (!mul(tiles, hlo.tile[d], tiles)) return Error(errc::overflow, d, "the number of tiles overflows at dimension {0}", d);
    }
    DeviceOrder steps;
    for (const Iter& it : hlo.order) {
        if (it.extent < 1) return detail::empty_step(it.extent);
        if (it.extent > 1) steps.push_back(it);
    }
    if (const Status e = check_steps(steps, hlo.first, devices, low); !e.ok()) return e;
    if (devices != tiles)
        return Error(errc::size_mismatch, -1, "the tile assignment has {0} tiles for {1} devices", tiles, devices);
    return {};
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
