// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COALESCING_HPP
#define AXE_MAP_COALESCING_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>

namespace axe {
inline namespace v0 {

/// How the threads of warps reach memory. A request is what one instruction does for the 32 lanes of a warp.
struct Coalescing {
    std::int64_t requests = 0;
    std::int64_t elements = 0;      ///< read, each time that one is
    std::int64_t sectors = 0;       ///< pieces of 32 bytes that requests touch, summed over them
    std::int64_t lines = 0;         ///< the same of 128 bytes
    std::int64_t ideal_sectors = 0; ///< those that the distinct bytes of a request would fill
    std::int64_t most_sectors = 0;  ///< of one request
    std::int64_t most_lines = 0;    ///< of one request
    friend bool operator==(const Coalescing&, const Coalescing&) = default;
};

/// How many elements one instruction may move: the most, of 16 bytes together, that follow one another in memory as `vector_elem` runs,
/// begin at a multiple of their size wherever they begin, and are in the domain together.
///
/// @param map    from threads, blocks and a variable of the kind `vector` to the element that is read
/// @param bytes  of an element; the array itself begins at a multiple of 16
/// @returns 1 if no such variable exists. `errc::rank_mismatch` unless the map has one result; `errc::bad_argument` for a size that no
///          instruction has, or without a thread; `errc::too_hard` as `is_always`.
AXE_DECL Result<std::int64_t> vector_width(const IndexingMap& map, std::int64_t bytes);

/// Counts exactly what the warps of a launch ask of memory, `width` elements of `vector_elem` by an instruction (1: each by itself).
///
/// A warp is 32 threads that follow one another in th_x, then th_y, then th_z; the array begins at a multiple of 128. Blocks are peeled, and
/// a variable that moves addresses by whole lines and decides no constraint is counted without being walked through: launches of any
/// number of blocks are counted.
///
/// @returns errors as `vector_width`; `errc::bad_argument` for a width that is not legal; `errc::overflow`; `errc::too_hard` when more than 2^20
///          elements would have to be looked at. Cost: linear in those, times the nodes.
AXE_DECL Result<Coalescing> coalescing(const IndexingMap& map, std::int64_t bytes, std::int64_t width = 1);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/coalescing.hpp>
#endif

#endif
