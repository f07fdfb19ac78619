// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_MAP_TEXT_HPP
#define AXE_CLI_MAP_TEXT_HPP

#include "reply.hpp"

#include <axe/map/indexing_map.hpp>
#include <axe/map/json_form.hpp>
#include <axe/map/text/names.hpp>
#include <axe/text/text_view.hpp>

#include <cstdint>
#include <vector>

namespace axe_cli {

using Numbers = std::vector<std::int64_t>;
using Intervals = std::vector<axe::IndexInterval>;

/// Reads an indexing map, or the attribute of MLIR that holds one, which begins with #.
axe::Result<axe::IndexingMap> parse_map_argument(axe::TextView given);

/// Reads `(1,-2)` or `1`, as many numbers as a map may have variables.
axe::Result<Numbers> parse_numbers(axe::TextView given);

/// Reads `[0, 3] [2, 5]`, both ends included, with or without commas between them, or `()`.
axe::Result<Intervals> parse_intervals(axe::TextView given);

// The whole reply from a value.
void give(Reply& reply, const axe::IndexingMap& map);
void give_map(Reply& reply, const axe::IndexingMap& map, const axe::MapSpelling& spelling);
void give(Reply& reply, const Numbers& values);
void give(Reply& reply, const Intervals& intervals);
std::string text_of(const Numbers& values);
void write(JsonWriter& json, const Numbers& values);

/// The most nodes of an answer that are written out: composing may double a text with every step.
inline constexpr std::int64_t most_map_nodes = std::int64_t{1} << 18;

/// Is the text of a map of a bearable length? If not, that is the reply.
bool can_print(Reply& reply, const axe::IndexingMap& map);

} // namespace axe_cli

#endif
