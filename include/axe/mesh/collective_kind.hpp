// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_COLLECTIVE_KIND_HPP
#define AXE_MESH_COLLECTIVE_KIND_HPP

#include <axe/support/config.hpp>

#include <cstdint>

namespace axe {
inline namespace v0 {

/// What a copy or a reduction between placements is, seen from the devices. Each holds for groups of devices side by side, which need not
/// know of each other; what a group has and wants is called whole, an even nth of it a part.
enum class CollectiveKind : std::uint8_t {
    local,          ///< every device has already what it wants
    broadcast,      ///< one device has the whole, all want it
    scatter,        ///< one device has the whole, each wants a part
    gather,         ///< each has a part, one wants the whole
    all_gather,     ///< each has a part, all want the whole
    all_to_all,     ///< each has a part and wants a part, and has an nth of each part that is wanted
    permute,        ///< each wants just what another one has
    reduce,         ///< each has terms of the whole, one wants its sum
    all_reduce,     ///< each has terms of the whole, all want its sum
    reduce_scatter, ///< each has terms of the whole, each wants the sum of a part
    reshard,        ///< anything else
};

/// The name of a kind, as the enumerator is spelled.
constexpr const char* name(CollectiveKind kind) noexcept
{
    constexpr const char* names[] = {"local",   "broadcast", "scatter",    "gather",         "all_gather", "all_to_all",
                                     "permute", "reduce",    "all_reduce", "reduce_scatter", "reshard"};
    return names[static_cast<int>(kind)];
}

} // namespace v0
} // namespace axe

#endif
