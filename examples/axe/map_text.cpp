// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps, from an argument and into an answer.
#include "map_text.hpp"

#include <axe/map/attribute.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/text/parse_expression.hpp>
#include <axe/map/text/print_expression.hpp>

namespace axe_cli {

using axe::IndexingMap;
using axe::IndexInterval;

axe::Result<IndexingMap> parse_map_argument(axe::TextView given)
{
    const auto [text, length] = given;
    constexpr std::int32_t most_nodes = 1 << 13; // a request may hold a hundred times more, and some operations are quadratic
    const std::string_view words(text, static_cast<std::size_t>(length));
    axe::Result<IndexingMap> map =
        axe::detail::Reader(text, length).peek() == '#' ? axe::parse_map_attribute(words) : axe::parse_map(words);
    if (map && map->pool.size() > most_nodes)
        return axe::Error(axe::errc::capacity, -1, "the map has {0} nodes, and the command takes at most {1}", map->pool.size(),
                          most_nodes);
    return map;
}

axe::Result<Numbers> parse_numbers(axe::TextView given)
{
    const auto [text, length] = given;
    axe::detail::Reader in(text, length);
    Numbers out;
    const auto item = [&] { return in.integer(out.emplace_back(), "expected a number at character {0}"); };
    if (in.accept('('))
        axe::detail::read_list(in, ')', "expected ',' or ')' at character {0}", item);
    else
        item();
    if (!in.finish()) return in.error;
    return axe::Result<Numbers>(std::move(out));
}

axe::Result<Intervals> parse_intervals(axe::TextView given)
{
    const auto [text, length] = given;
    axe::detail::Reader in(text, length);
    Intervals out;
    if (in.accept('(')) { // of a map without results
        if (!in.expect(')', "expected ')' at character {0}") || !in.finish()) return in.error;
        return out;
    }
    do {
        if (!axe::detail::read_index_interval(in, out.emplace_back())) return in.error;
        in.accept(',');
    } while (in.peek() != '\0');
    return axe::Result<Intervals>(std::move(out));
}

bool can_print(Reply& reply, const IndexingMap& map)
{
    const std::int64_t nodes = axe::printed_nodes(map);
    if (nodes <= most_map_nodes) return true;
    reply.fail("capacity", "the text of the answer has " + std::to_string(nodes) + " nodes, and at most " +
                               std::to_string(most_map_nodes) + " are written");
    return false;
}

void give_map(Reply& reply, const IndexingMap& map, const axe::MapSpelling& spelling)
{
    if (!can_print(reply, map)) return;
    reply.text = axe::print(map, spelling);
    if (reply.json()) axe::write_json_members(reply.fields, map, spelling);
}

void give(Reply& reply, const IndexingMap& map) { give_map(reply, map, {}); }

std::string text_of(const Numbers& values)
{
    std::string out = "(";
    for (const std::int64_t n : values) out.append(out.size() > 1 ? "," : "").append(std::to_string(n));
    return out + ")";
}

void write(JsonWriter& json, const Numbers& values)
{
    json.open('[');
    for (const std::int64_t n : values) json.number(n);
    json.close(']');
}

void give(Reply& reply, const Numbers& values)
{
    reply.text = text_of(values);
    if (reply.json()) write(reply.fields.key("values"), values);
}

void give(Reply& reply, const Intervals& intervals)
{
    if (reply.json()) reply.fields.key("intervals").open('[');
    for (const IndexInterval& interval : intervals) {
        reply.text.append(reply.text.empty() ? "" : ", ").append(axe::detail::interval_text(interval));
        if (!reply.json()) continue;
        axe::write_json(reply.fields, interval);
    }
    if (intervals.empty()) reply.text = "()";
    if (reply.json()) reply.fields.close(']');
}

} // namespace axe_cli
