// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_EDGE_TABLE_HPP
#define AXE_SIM_MEMORY_EDGE_TABLE_HPP

#include <axe/sim/memory/byte_runs.hpp>
#include <axe/sim/memory/column_cells.hpp>
#include <axe/sim/memory/traffic.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

/// What is put together once of the accesses of an agent, and taken again whenever they are the same but for the base: the cells that
/// they touch, their places where a tile crosses the edge of its tensor, what these come to.
namespace axe {
inline namespace v0 {
namespace sim {

/// The places of one column of a guarded operand whose tile crosses edges: those that are cut off are `outside`. Wherever as many
/// indices are cut off on each side, the places are the same, but for the base.
struct EdgeTable {
    int column = 0;
    std::int64_t cut[2 * max_rank]{}; ///< indices before the first one of a dimension, and past its last one
    std::vector<std::int32_t> table{};
    std::int64_t least = 0, most = 0;                              ///< place
    std::vector<std::pair<std::uint64_t, OperandTally>> traffic{}; ///< by where in 128 bytes the base is
};

/// What a move between two such columns does: the bytes that come from inside the source, and the zeros for what is outside.
struct EdgeMove {
    const std::int32_t *to = nullptr, *from = nullptr;
    ByteRuns copied{}, zeros{};
};

/// These of one device.
class KnownColumns {
  public:
    /// The cells of a column's accesses.
    const ColumnCells& cells(const ColumnTable& t, const Shadow& shadow, bool writing)
    {
        auto& list = cells_[t.table];
        const std::int64_t key = t.phase * 2 + (writing ? 1 : 0);
        for (const auto& [known, cells] : list)
            if (known == key) return cells;
        list.emplace_back(key, ColumnCells::make(t, shadow, writing));
        return list.back().second;
    }

    /// The table of a column with these cuts; null if none is known.
    EdgeTable* find(const LaneAccess& a, int column, const std::int64_t* cut)
    {
        for (const auto& e : edges_[&a])
            if (e->column == column && std::equal(cut, cut + 2 * max_rank, e->cut)) return e.get();
        return nullptr;
    }
    /// Keeps a table; null if there are too many of the operand, as of one whose every tile is cut otherwise.
    EdgeTable* keep(const LaneAccess& a, std::unique_ptr<EdgeTable> edge)
    {
        auto& list = edges_[&a];
        if (list.size() >= most_edges) return nullptr;
        list.push_back(std::move(edge));
        return list.back().get();
    }

    /// What a move of `bytes` bytes an access does between two columns, with zeros for what is outside.
    const EdgeMove& move(const void* instruction, const std::int32_t* to, const std::int32_t* from, std::size_t entries, int bytes,
                         int width)
    {
        auto& list = moves_[instruction];
        for (const auto& m : list)
            if (m->to == to && m->from == from) return *m;
        auto made = std::make_unique<EdgeMove>();
        made->to = to;
        made->from = from;
        made->copied = runs_between(to, from, entries, bytes, width);
        made->zeros.width = width;
        for (std::size_t i = 0; i < entries; ++i)
            if (to[i] > outside && from[i] == outside) made->zeros.add({to[i], to[i], bytes});
        list.push_back(std::move(made));
        return *list.back();
    }

  private:
    static constexpr std::size_t most_edges = 64;
    std::unordered_map<const std::int32_t*, std::vector<std::pair<std::int64_t, ColumnCells>>> cells_{};
    std::unordered_map<const LaneAccess*, std::vector<std::unique_ptr<EdgeTable>>> edges_{};
    std::unordered_map<const void*, std::vector<std::unique_ptr<EdgeMove>>> moves_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
