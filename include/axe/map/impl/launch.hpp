// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_LAUNCH_HPP
#define AXE_MAP_IMPL_LAUNCH_HPP

#include <axe/map/errors.hpp>
#include <axe/map/launch.hpp>
#include <axe/map/simplify.hpp>

#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

AXE_DECL Result<IndexingMap> launch_map(const std::vector<std::int64_t>& shape, std::int64_t threads, std::int64_t vector)
{
    if (threads < 1) return Error(errc::bad_argument, -1, "a block needs at least 1 thread, got {0}", threads);
    if (vector < 1) return Error(errc::bad_argument, -1, "a thread needs at least 1 element at a time, got {0}", vector);
    std::int64_t elements = 1, per_block = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < 0)
            return Error(errc::bad_argument, static_cast<int>(d), "dimension {0} has {1} elements; it must have 0 or more",
                         static_cast<int>(d), shape[d]);
        if (!detail::mul(elements, shape[d], elements)) return detail::elements_overflow(static_cast<int>(d));
    }
    std::int64_t padded = 0; // elements of whole blocks
    if (!detail::mul(threads, vector, per_block) || !detail::add(elements, per_block, padded))
        return Error(errc::overflow, -1, "the elements of a block overflow");
    const std::int64_t blocks = (elements + per_block - 1) / per_block;

    IndexingMap map = IndexingMap::over({threads, 1, 1, blocks, 1, 1}, {vector});
    constexpr IndexKind kinds[] = {IndexKind::thread_x, IndexKind::thread_y, IndexKind::thread_z, IndexKind::block_x,
                                   IndexKind::block_y,  IndexKind::block_z,  IndexKind::vector};
    for (std::size_t v = 0; v < map.variables.size(); ++v) map.variables[v].kind = kinds[v];
    IndexPool& pool = map.pool;
    const IndexExpr thread = pool.add(pool.mul(map.dimension(3), threads), map.dimension(0));
    const IndexExpr element = pool.add(pool.mul(thread, vector), map.range(0));
    if (elements % vector == 0)
        map.constraints.push_back({thread, {0, elements / vector - 1}});
    else
        map.constraints.push_back({element, {0, elements - 1}});
    std::int64_t below = elements;
    for (const std::int64_t extent : shape) {
        if (elements == 0) break; // no points
        below /= extent;
        const IndexExpr digit = pool.floor_div(element, below);
        map.results.push_back(below * extent == elements ? digit : pool.mod(digit, extent));
    }
    map.results.resize(shape.size(), pool.constant(0));
    return simplify(map);
}

} // namespace v0
} // namespace axe

#endif
