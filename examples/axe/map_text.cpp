// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing maps, from an argument and into an answer.
#include "map_text.hpp"

#include <axe/map/attribute.hpp>

namespace axe_cli {
namespace {

using axe::IndexingMap;
using axe::IndexInterval;

/// Variables of one kind: their names and intervals.
void write_variables(JsonWriter& json, const char* key, const IndexingMap& map, const std::vector<std::string>& names, int first,
                     int last)
{
    json.key(key).open('[');
    for (int v = first; v < last; ++v) {
        json.open('{').key("name").string(names[static_cast<std::size_t>(v)]);
        write_bounds(json, map.variables[static_cast<std::size_t>(v)].bounds);
        json.close('}');
    }
    json.close(']');
}

} // namespace

void write_bounds(JsonWriter& json, const IndexInterval& interval)
{
    json.key("low").number(interval.low).key("high").number(interval.high);
}

void write(JsonWriter& json, const IndexingMap& map, const std::vector<axe::IndexConstraint>& constraints,
           const axe::MapSpelling& spelling)
{
    json.open('[');
    for (const axe::IndexConstraint& c : constraints) {
        json.open('{').key("expression").string(axe::print(map, c.expression, spelling));
        write_bounds(json, c.interval);
        json.close('}');
    }
    json.close(']');
}

void write_members(JsonWriter& json, const IndexingMap& map, const axe::MapSpelling& spelling)
{
    if (map.is_undefined) return;
    const auto names = axe::detail::variable_names(map, spelling);
    write_variables(json, "dimensions", map, names, 0, map.dimensions);
    write_variables(json, "ranges", map, names, map.first_range(), map.first_runtime());
    write_variables(json, "runtimes", map, names, map.first_runtime(), static_cast<int>(map.variables.size()));
    json.key("results").open('[');
    for (const axe::IndexExpr e : map.results) json.string(axe::print(map, e, spelling));
    json.close(']').key("constraints");
    write(json, map, map.constraints, spelling);
}

axe::Result<IndexingMap> parse_map_argument(const char* text, int length)
{
    constexpr std::int32_t most_nodes = 1 << 13; // a request may hold a hundred times more, and some operations are quadratic
    const std::string_view words(text, static_cast<std::size_t>(length));
    axe::Result<IndexingMap> map =
        axe::detail::Reader(text, length).peek() == '#' ? axe::parse_map_attribute(words) : axe::parse_map(words);
    if (map && map->pool.size() > most_nodes)
        return axe::Error(axe::errc::capacity, -1, "the map has {0} nodes, and the command takes at most {1}", map->pool.size(),
                          most_nodes);
    return map;
}

axe::Result<Numbers> parse_numbers(const char* text, int length)
{
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

axe::Result<Intervals> parse_intervals(const char* text, int length)
{
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
    if (reply.json()) write_members(reply.fields, map, spelling);
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
        reply.fields.open('{');
        write_bounds(reply.fields, interval);
        reply.fields.close('}');
    }
    if (intervals.empty()) reply.text = "()";
    if (reply.json()) reply.fields.close(']');
}

} // namespace axe_cli
