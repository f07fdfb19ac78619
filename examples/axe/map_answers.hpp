// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_MAP_ANSWERS_HPP
#define AXE_CLI_MAP_ANSWERS_HPP

#include "arguments.hpp"
#include "map_text.hpp"

#include <axe/map/tile.hpp>

#include <optional>
#include <string>
#include <vector>

/// The answers of `axe map` that are more than one value of the library.
namespace axe_cli {

void answer_equal(Reply& reply, const axe::IndexingMap& a, const axe::IndexingMap& b);
void answer_empty(Reply& reply, const axe::IndexingMap& map);
void answer_coalescing(Reply& reply, const axe::IndexingMap& map, std::int64_t bytes, const std::optional<std::int64_t>& wanted);

/// The parts of the map, split along a variable that is named or counted.
void answer_peel(Reply& reply, const axe::IndexingMap& map, const Text& variable);

/// What tiles need, a line a case, any tiles or those of grids; or what one tile needs.
void answer_tile(Reply& reply, const axe::IndexingMap& map, const std::optional<axe::Shape>& shape, bool is_grid);
void answer_tile_at(Reply& reply, const axe::IndexingMap& map, const Numbers& parameters, const std::optional<axe::Shape>& shape);

/// The map as a function of C++, with `name=` and `checks=`.
void answer_emit_c(Reply& reply, const axe::IndexingMap& map, const std::vector<Setting>& settings);

/// The loops of an operation: for each operand a map and a shape, then settings.
void answer_emit_loops(Reply& reply, const axe::Shape& shape, const std::vector<Text>& rest);

// The whole reply from a value.
void give(Reply& reply, const std::vector<axe::IndexingMap>& maps);

} // namespace axe_cli

#endif
