// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAUNCH_HPP
#define AXE_MAP_LAUNCH_HPP

#include <axe/map/simplify.hpp>

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
inline Result<IndexingMap> launch_map(const std::vector<std::int64_t>& shape, std::int64_t threads, std::int64_t vector = 1)
{
    if (threads < 1) return Error(errc::bad_argument, -1, "a block has at least one thread, not {0}", threads);
    if (vector < 1) return Error(errc::bad_argument, -1, "a thread has at least one element at a time, not {0}", vector);
    std::int64_t elements = 1, per_block = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < 0)
            return Error(errc::bad_argument, static_cast<int>(d), "dimension {0} has {1} elements", static_cast<int>(d), shape[d]);
        if (!detail::mul(elements, shape[d], elements))
            return Error(errc::overflow, static_cast<int>(d), "the number of elements leaves the integer");
    }
    std::int64_t padded = 0; // elements of whole blocks
    if (!detail::mul(threads, vector, per_block) || !detail::add(elements, per_block, padded))
        return Error(errc::overflow, -1, "the elements of a block leave the integer");
    const std::int64_t blocks = (elements + per_block - 1) / per_block;

    IndexingMap map;
    const auto add = [&](std::int64_t extent, IndexRole role) { map.variables.push_back({{0, extent - 1}, {}, role}); };
    add(threads, IndexRole::thread_x);
    add(1, IndexRole::thread_y);
    add(1, IndexRole::thread_z);
    add(blocks, IndexRole::block_x);
    add(1, IndexRole::block_y);
    add(1, IndexRole::block_z);
    add(vector, IndexRole::vector);
    map.dimensions = 6;
    map.ranges = 1;
    IndexPool& pool = map.pool;
    const IndexExpr thread = pool.add(pool.mul(map.dimension(3), threads), map.dimension(0));
    const IndexExpr element = pool.add(pool.mul(thread, vector), map.range(0));
    if (elements % vector == 0)
        map.constraints.push_back({thread, {0, elements / vector - 1}});
    else
        map.constraints.push_back({element, {0, elements - 1}});
    std::int64_t below = elements;
    for (const std::int64_t extent : shape) {
        if (extent == 0) break; // no points
        below /= extent;
        const IndexExpr digit = pool.floor_div(element, below);
        map.results.push_back(below * extent == elements ? digit : pool.mod(digit, extent));
    }
    while (map.results.size() < shape.size()) map.results.push_back(pool.constant(0));
    return simplify(map);
}

} // namespace v0
} // namespace axe

#endif
