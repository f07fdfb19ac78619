// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_TILES_HPP
#define AXE_TESTS_LAWS_MAP_TILES_HPP

#include <axe/map/evaluate.hpp>
#include <axe/map/on_grid.hpp>
#include <axe/map/print.hpp>
#include <tests/catch.hpp>
#include <tests/random.hpp>

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
        if (axe::contains(map, at).yes()) out.insert(*axe::evaluate_anywhere(map, at));
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

///
/// @param numbers  the tile's parameters
/// @param truth    what it needs
inline TileAnswer judge(const axe::SymbolicTile& symbolic, const TileIndex& numbers, const TileSet& truth)
{
    const auto first = axe::tile_at(symbolic, numbers);
    if (!first && first.error().code == axe::errc::out_of_domain) return TileAnswer::none;
    // All cases that hold, not only the first.
    bool says = false;
    axe::SymbolicTile one = symbolic;
    for (const axe::TileCase& c : symbolic.cases) {
        one.cases = {c};
        const auto rows = axe::tile_at(one, numbers);
        if (!rows && rows.error().code == axe::errc::out_of_domain) continue;
        if (!rows || box(*rows) != truth) return TileAnswer::wrong;
        says = true;
    }
    return says ? TileAnswer::right : TileAnswer::none;
}

inline TileAnswer judge(const axe::IndexingMap& map, const axe::SymbolicTile& symbolic, const TileOf& tile,
                        const TileIndex& runtimes = {})
{
    return judge(symbolic, parameters(tile, runtimes), needed(map, tile, runtimes));
}

/// How many tiles were looked at, and of how many something was said. Aligned ones are at multiples of their sizes, with stride 1.
struct TileTally {
    std::int64_t maps = 0, without_tile = 0, cut_short = 0, most_cases = 0;
    std::int64_t tiles = 0, accepted = 0, aligned = 0, aligned_accepted = 0, in_grids = 0;
};

inline TileOf random_tile(Random& r, const TileIndex& shape, bool is_aligned)
{
    TileOf out;
    for (const std::int64_t n : shape) {
        out.sizes.push_back(r.one_in(4) ? n : r.in(1, n));
        out.strides.push_back(is_aligned || r.one_in(2) ? 1 : r.in(1, n));
        out.offsets.push_back(is_aligned ? r.in(0, (n - 1) / out.sizes.back()) * out.sizes.back() : r.in(0, n - 1));
    }
    return out;
}

/// Symbolic tiles of a map, and those on a grid, against enumeration.
class TileLaw {
  public:
    TileLaw(const axe::IndexingMap& map, const TileIndex& shape, TileTally& tally)
        : map_(map), tile_(axe::symbolic_tile(map, shape)), tally_(tally)
    {
        ++tally_.maps;
        if (!tile_) {
            ++tally_.without_tile;
            return;
        }
        grid_ = axe::on_grid(*tile_);
        tally_.cut_short += tile_->is_cut_short ? 1 : 0;
        tally_.most_cases = std::max(tally_.most_cases, static_cast<std::int64_t>(tile_->cases.size()));
    }

    void check(const TileOf& tile, bool is_aligned, const TileIndex& runtimes = {})
    {
        (is_aligned ? tally_.aligned : tally_.tiles) += 1;
        if (!tile_) return;
        const TileSet truth = needed(map_, tile, runtimes);
        const TileAnswer answer = judge(*tile_, parameters(tile, runtimes), truth);
        (is_aligned ? tally_.aligned_accepted : tally_.accepted) += answer == TileAnswer::right ? 1 : 0;
        // What a grid says of one of its tiles it says of all.
        TileOf first = tile;
        first.offsets.assign(first.offsets.size(), 0);
        const bool is_in_grid = is_aligned && grid_ && axe::tile_at(*grid_, parameters(first, runtimes)).has_value();
        const TileAnswer by_grid = is_in_grid ? judge(*grid_, parameters(tile, runtimes), truth) : TileAnswer::right;
        tally_.in_grids += is_in_grid ? 1 : 0;
        if (answer != TileAnswer::wrong && by_grid == TileAnswer::right) return;
        INFO(axe::print(map_) << (answer == TileAnswer::wrong ? "" : ", of the grid"));
        for (const std::int64_t n : parameters(tile, runtimes)) UNSCOPED_INFO(n);
        REQUIRE(answer != TileAnswer::wrong);
        REQUIRE(by_grid == TileAnswer::right);
    }

    [[nodiscard]] const axe::Result<axe::SymbolicTile>& tile() const { return tile_; }

  private:
    const axe::IndexingMap& map_;
    axe::Result<axe::SymbolicTile> tile_;
    axe::Result<axe::SymbolicTile> grid_ = axe::Error(axe::errc::no_layout, -1, "none");
    TileTally& tally_;
};

inline std::string text(const TileTally& t)
{
    std::string out;
    const auto say = [&](std::int64_t n, const char* words) { out += std::to_string(n) + words; };
    say(t.maps, " maps, "), say(t.without_tile, " without tile, "), say(t.cut_short, " cut short; accepted ");
    say(t.aligned_accepted, " of "), say(t.aligned, " aligned tiles ("), say(t.in_grids, " for whole grids), ");
    say(t.accepted, " of "), say(t.tiles, " others; at most "), say(t.most_cases, " cases");
    return out;
}

} // namespace laws

#endif
