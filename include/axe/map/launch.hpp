// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAUNCH_HPP
#define AXE_MAP_LAUNCH_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

/// The launch of a kernel that gives each thread `vector` elements of a tensor that follow one another, in row-major order:
///
///   (th_x, th_y, th_z, bl_x, bl_y, bl_z)[vector_elem] -> the index of element (bl_x·threads + th_x)·vector + vector_elem
///
/// As many blocks as are needed, in x; a constraint keeps the last of them within the tensor. Threads and blocks in y and z are 0.
///
/// @returns the simplified map; `errc::bad_argument` for fewer than one thread or element, or an extent below 0; `errc::overflow`
/// Source: the thread-id maps of XLA's GPU back end (openxla, "Indexing analysis").
AXE_DECL Result<IndexingMap> launch_map(const std::vector<std::int64_t>& shape, std::int64_t threads, std::int64_t vector = 1);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/launch.hpp>
#endif

#endif
