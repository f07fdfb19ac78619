// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_TILES_HPP
#define AXE_TESTS_LAWS_MAP_TILES_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/tile.hpp>

#include <functional>
#include <set>
#include <vector>

namespace laws {

using TileIndex = std::vector<std::int64_t>;
using TileSet = std::set<TileIndex>;

/// One tile in each dimension: offset, size and stride.
struct TileOf {
    TileIndex offsets, sizes, strides;
};

/// Calls f with the points of a product of lists.
inline void each_of(const std::vector<TileIndex>& lists, const std::function<void(const TileIndex&)>& f)
{
    TileIndex at(lists.size());
    std::function<void(std::size_t)> go = [&](std::size_t i) {
        if (i == lists.size()) return f(at);
        for (const std::int64_t x : lists[i]) {
            at[i] = x;
            go(i + 1);
        }
    };
    go(0);
}

/// By enumeration of the tile: which indices the map needs.
inline TileSet needed(const axe::IndexingMap& map, const TileOf& tile, const TileIndex& runtimes = {})
{
    std::vector<TileIndex> lists;
    for (std::size_t d = 0; d < tile.sizes.size(); ++d) {
        lists.emplace_back();
        for (std::int64_t k = 0; k < tile.sizes[d]; ++k) lists.back().push_back(tile.offsets[d] + k * tile.strides[d]);
    }
    for (int v = map.dimensions; v < map.first_runtime(); ++v) {
        lists.emplace_back();
        const axe::IndexInterval b = map.variables[static_cast<std::size_t>(v)].bounds;
        for (std::int64_t x = b.low; x <= b.high; ++x) lists.back().push_back(x);
    }
    for (const std::int64_t x : runtimes) lists.push_back({x});
    TileSet out;
    each_of(lists, [&](const TileIndex& at) {
        if (*axe::contains(map, at)) out.insert(*axe::evaluate_anywhere(map, at));
    });
    return out;
}

/// The box of the rows.
inline TileSet box(const std::vector<axe::TileRow>& rows)
{
    std::vector<TileIndex> lists;
    for (const axe::TileRow& r : rows) {
        lists.emplace_back();
        for (std::int64_t k = 0; k < r.size; ++k)
            if (r.clip.contains(r.offset + k * r.stride)) lists.back().push_back(r.offset + k * r.stride);
    }
    TileSet out;
    each_of(lists, [&](const TileIndex& at) { out.insert(at); });
    return out;
}

inline TileIndex parameters(const TileOf& tile, const TileIndex& runtimes = {})
{
    TileIndex out = tile.offsets;
    for (const TileIndex* more : {&tile.sizes, &tile.strides, &runtimes}) out.insert(out.end(), more->begin(), more->end());
    return out;
}

/// What a symbolic tile says of one tile: nothing, the truth, or not.
enum class TileAnswer { none, right, wrong };

inline TileAnswer judge(const axe::IndexingMap& map, const axe::SymbolicTile& symbolic, const TileOf& tile,
                        const TileIndex& runtimes = {})
{
    const TileSet truth = needed(map, tile, runtimes);
    // All cases that hold, not only the first.
    bool says = false;
    axe::SymbolicTile one = symbolic;
    for (const axe::TileCase& c : symbolic.cases) {
        one.cases = {c};
        const auto rows = axe::tile_at(one, parameters(tile, runtimes));
        if (!rows && rows.error().code == axe::errc::out_of_domain) continue;
        if (!rows || box(*rows) != truth) return TileAnswer::wrong;
        says = true;
    }
    return says ? TileAnswer::right : TileAnswer::none;
}

} // namespace laws

#endif
