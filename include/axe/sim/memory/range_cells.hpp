// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_RANGE_CELLS_HPP
#define AXE_SIM_MEMORY_RANGE_CELLS_HPP

#include <axe/sim/memory/column_cells.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Accesses of so many bytes each of the memory of a block, at places that an operation finds once, and the cells that they touch.
class RangeCells {
  public:
    /// @param places of each access, by `Shadow::place_of`, in the order of the accesses
    /// @param lane of all of them
    RangeCells(std::vector<std::int32_t> places, std::int64_t bytes, int lane, const Shadow& shadow, bool writing)
        : places_(std::move(places)), bytes_(static_cast<int>(bytes)), lane_(lane), writing_(writing)
    {
        cells_ = ColumnCells::make(table(), shadow, writing);
    }

    /// Checks and notes all of them; the first conflict in their order.
    FirstConflict touch(Shadow& shadow, const Actor& actor, Past::Log* log = nullptr) const
    {
        return cells_.touch(table(), shadow, actor, 0, writing_, true, log);
    }

  private:
    [[nodiscard]] ColumnTable table() const { return {places_.data(), places_.size(), 1, 1, bytes_, 0, lane_}; }

    std::vector<std::int32_t> places_;
    int bytes_, lane_;
    bool writing_;
    ColumnCells cells_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
