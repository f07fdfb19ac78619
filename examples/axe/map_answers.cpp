// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is decided and counted of maps, in words.
#include "map_answers.hpp"

#include "answers.hpp"

#include <axe/map/coalescing.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/on_grid.hpp>
#include <axe/map/peel.hpp>
#include <axe/map/print.hpp>
#include <axe/map/text/print_expression.hpp>
#include <axe/map/tile_print.hpp>

#include <algorithm>
#include <utility>

namespace axe_cli {
namespace {

using axe::IndexingMap;

/// Between the parts of an answer that is one line, or has a line for each.
const char* between(const Reply& reply) { return reply.form == Form::page ? "\n" : "; "; }

/// The variable of this name, or with this number.
axe::Result<int> variable_of(const IndexingMap& map, std::string_view word)
{
    const auto names = axe::detail::variable_names(map, {});
    for (std::size_t v = 0; v < names.size(); ++v)
        if (names[v] == word) return static_cast<int>(v);
    const bool is_number = !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
    if (!is_number) return axe::Error(axe::errc::bad_argument, 0, "the map has no variable of the name at character {0}");
    const auto number = axe::parse_integer(word);
    if (!number) return number.error();
    if (*number < 0 || *number >= static_cast<std::int64_t>(names.size()))
        return axe::Error(axe::errc::bad_argument, -1, "there is no variable {0}: the map has {1}, counted from 0", *number,
                          static_cast<std::int64_t>(names.size()));
    return static_cast<int>(*number);
}

std::vector<std::int64_t> extents_of(const std::optional<axe::Shape>& shape)
{
    return shape ? std::vector<std::int64_t>(shape->begin(), shape->end()) : std::vector<std::int64_t>{};
}

/// Is the text of the cases of a bearable length? If not, that is the reply.
bool can_print(Reply& reply, const axe::SymbolicTile& tile)
{
    IndexingMap all = tile.parameters; // all that is written, in one map
    for (const axe::TileCase& c : tile.cases) {
        all.constraints.insert(all.constraints.end(), c.conditions.begin(), c.conditions.end());
        for (const axe::TileSpan& s : c.spans) {
            all.results.insert(all.results.end(), {s.offset, s.size, s.stride});
            if (s.is_clipped) all.results.insert(all.results.end(), {s.low, s.high});
        }
    }
    return can_print(reply, all);
}

void write_case(JsonWriter& json, const axe::SymbolicTile& tile, const axe::TileCase& tile_case)
{
    const auto text = [&](const char* key, axe::IndexExpr e) { json.key(key).string(axe::print(tile.parameters, e)); };
    json.open('{').key("rows").open('[');
    for (const axe::TileSpan& s : tile_case.spans) {
        json.open('{');
        text("offset", s.offset);
        text("size", s.size);
        text("stride", s.stride);
        if (s.is_clipped) {
            text("low", s.low);
            text("high", s.high);
        }
        json.close('}');
    }
    json.close(']').key("conditions");
    axe::write_json(json, tile.parameters, tile_case.conditions);
    if (tile.is_grid) {
        json.key("divides").open('[');
        for (const std::int64_t n : tile_case.divides) json.number(n);
        json.close(']');
    }
    json.close('}');
}

/// Are the parameters of a tile as many as there are, and in their bounds? If not, that is the reply.
bool has_parameters(Reply& reply, const IndexingMap& tile, const Numbers& values)
{
    const auto names = axe::detail::variable_names(tile, {});
    if (values.size() != names.size()) {
        std::string message = "a tile of this map has " + std::to_string(names.size()) + " numbers";
        for (std::size_t v = 0; v < names.size(); ++v) message.append(v == 0 ? ", (" : ",").append(names[v]);
        reply.fail("rank_mismatch", message + (names.empty() ? "" : ")") + "; here are " + std::to_string(values.size()));
        return false;
    }
    for (std::size_t v = 0; v < names.size(); ++v) {
        if (tile.variables[v].bounds.contains(values[v])) continue;
        reply.fail("out_of_domain", names[v] + " is " + std::to_string(values[v]) + ", and may be in " +
                                        axe::detail::interval_text(tile.variables[v].bounds));
        return false;
    }
    return true;
}

/// Does the clip leave any of the row out?
bool is_cut(const axe::TileRow& r)
{
    std::int64_t last = 0;
    if (!axe::detail::sub(r.size, std::int64_t{1}, last) || !axe::detail::mul(last, r.stride, last) ||
        !axe::detail::add(last, r.offset, last))
        return true;
    return r.size > 0 && (!r.clip.contains(r.offset) || !r.clip.contains(last));
}

/// `1 + [0, 2) * 3`, written as `axe::print` writes a case.
std::string row_text(const axe::TileRow& r)
{
    std::string out = std::to_string(r.offset);
    if (r.size != 1) out = (r.offset == 0 ? "" : out + " + ") + "[0, " + std::to_string(r.size) + ")";
    if (r.size != 1 && r.stride != 1) out += " * " + std::to_string(r.stride);
    return is_cut(r) ? out + " in " + axe::detail::interval_text(r.clip) : out;
}

} // namespace

void answer_equal(Reply& reply, const IndexingMap& a, const IndexingMap& b)
{
    using Kind = axe::MapDifference::Kind;
    const axe::MapDecision decision = axe::equal(a, b);
    if (decision.undecided()) return reply.refuse(decision.error());
    if (decision) return give_decision(reply, true);
    const axe::MapDifference& difference = decision.witness();
    const std::string at = text_of(difference.point);
    if (difference.kind != Kind::result) {
        const bool first = difference.kind == Kind::first_only;
        give_decision(reply, false, at + " is in the domain of the " + (first ? "first" : "second") + " map only");
        if (reply.json()) write(reply.fields.key("only").number(first ? 1 : 2).key("point"), difference.point);
        return;
    }
    const auto i = static_cast<std::size_t>(difference.result);
    const auto left = axe::evaluate_anywhere(a, difference.point), right = axe::evaluate_anywhere(b, difference.point);
    const auto value = [i](const auto& results) { return results ? std::to_string((*results)[i]) : "too large"; };
    give_decision(reply, false, "result " + std::to_string(i) + " at " + at + " is " + value(left) + " and " + value(right));
    if (!reply.json()) return;
    write(reply.fields.key("result").number(difference.result).key("point"), difference.point);
    if (left) write(reply.fields.key("left"), *left);
    if (right) write(reply.fields.key("right"), *right);
}

void answer_empty(Reply& reply, const IndexingMap& map)
{
    const auto point = axe::find_point(map);
    if (!point) return reply.refuse(point.error());
    if (!point->has_value()) return give_decision(reply, true);
    give_decision(reply, false, text_of(**point) + " is a point of it");
    if (reply.json()) write(reply.fields.key("point"), **point);
}

void answer_coalescing(Reply& reply, const IndexingMap& map, std::int64_t bytes, const std::optional<std::int64_t>& wanted)
{
    const auto legal = axe::vector_width(map, bytes);
    if (!legal) return reply.refuse(legal.error());
    const std::int64_t width = wanted.value_or(*legal);
    const auto answer = axe::coalescing(map, bytes, width);
    if (!answer) return reply.refuse(answer.error());
    const axe::Coalescing& c = *answer;
    const std::pair<const char*, std::int64_t> counts[] = {
        {"vector_width", *legal},         {"width", width},       {"requests", c.requests},
        {"elements", c.elements},         {"sectors", c.sectors}, {"ideal_sectors", c.ideal_sectors},
        {"most_sectors", c.most_sectors}, {"lines", c.lines},     {"most_lines", c.most_lines},
    };
    for (const auto& [name, n] : counts) {
        std::string words = name;
        std::replace(words.begin(), words.end(), '_', ' ');
        reply.text.append(reply.text.empty() ? "" : "; ").append(words).append(" ").append(std::to_string(n));
        if (reply.json()) reply.fields.key(name).number(n);
    }
}

void answer_peel(Reply& reply, const IndexingMap& map, const Text& variable)
{
    if (map.is_undefined) return reply.refuse(axe::peel(map, 0).error()); // has no variables to be named
    const auto v = variable_of(map, trimmed(variable.words));
    if (!v) return reply.misread(variable.argument, variable.words, v.error());
    give(reply, axe::peel(map, *v));
}

void answer_tile(Reply& reply, const IndexingMap& map, const std::optional<axe::Shape>& shape, bool is_grid)
{
    auto tile = axe::symbolic_tile(map, extents_of(shape));
    if (tile && is_grid) tile = axe::on_grid(*tile);
    if (!tile) return reply.refuse(tile.error());
    if (!can_print(reply, *tile)) return;
    reply.text = axe::print(*tile);
    reply.text.pop_back(); // each case ends in a newline
    if (tile->is_cut_short) reply.text += "\nand perhaps more: not all ways were looked at";
    if (reply.form != Form::page)
        for (std::size_t at; (at = reply.text.find('\n')) != std::string::npos;) reply.text.replace(at, 1, "; ");
    if (!reply.json()) return;
    const auto names = axe::detail::variable_names(tile->parameters, {});
    reply.fields.key("parameters").open('[');
    for (std::size_t v = 0; v < names.size(); ++v) {
        reply.fields.open('{').key("name").string(names[v]);
        axe::write_json_members(reply.fields, tile->parameters.variables[v].bounds);
        reply.fields.close('}');
    }
    reply.fields.close(']').key("cases").open('[');
    for (const axe::TileCase& c : tile->cases) write_case(reply.fields, *tile, c);
    reply.fields.close(']').key("cut_short").boolean(tile->is_cut_short);
}

void answer_tile_at(Reply& reply, const IndexingMap& map, const Numbers& parameters, const std::optional<axe::Shape>& shape)
{
    const auto tile = axe::symbolic_tile(map, extents_of(shape));
    if (!tile) return reply.refuse(tile.error());
    if (!has_parameters(reply, tile->parameters, parameters)) return;
    const auto rows = axe::tile_at(*tile, parameters);
    if (!rows) return reply.refuse(rows.error());
    if (reply.json()) reply.fields.key("rows").open('[');
    for (const axe::TileRow& r : *rows) {
        reply.text.append(reply.text.empty() ? "" : ", ").append(row_text(r));
        if (!reply.json()) continue;
        reply.fields.open('{').key("offset").number(r.offset).key("size").number(r.size).key("stride").number(r.stride);
        if (!(r.clip == axe::every_integer)) axe::write_json_members(reply.fields, r.clip);
        reply.fields.close('}');
    }
    if (rows->empty()) reply.text = "()";
    if (reply.json()) reply.fields.close(']');
}

void give(Reply& reply, const std::vector<IndexingMap>& maps)
{
    for (const IndexingMap& map : maps)
        if (!can_print(reply, map)) return;
    if (reply.json()) reply.fields.key("maps").open('[');
    for (const IndexingMap& map : maps) {
        const std::string text = axe::print(map);
        reply.text.append(reply.text.empty() ? "" : between(reply)).append(text);
        if (!reply.json()) continue;
        axe::write_json_members(reply.fields.open('{').key("text").string(text), map);
        reply.fields.close('}');
    }
    if (maps.empty()) reply.text = "no part: the domain is empty";
    if (reply.json()) reply.fields.close(']');
}

} // namespace axe_cli
