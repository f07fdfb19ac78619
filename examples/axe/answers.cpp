// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the library as texts and as JSON. Text is always made, as the JSON answer holds it, too; the members of the JSON object
// only when they are asked for.
#include "answers.hpp"

#include <algorithm>
#include <vector>

namespace axe_cli {
namespace {

void write_axis(JsonWriter& json, const axe::Axis& axis) { json.key("axis").string(axis.name().c_str()); }

template <class List>
void write_iters(JsonWriter& json, const char* name, const List& iters)
{
    json.key(name).open('[');
    for (const auto& it : iters) write(json, it);
    json.close(']');
}

/// The points of an index of a swizzled layout, ascending; the swizzle moves each, so that all are made before they are ordered.
bool swizzled_points(Reply& reply, const SwizzledLayout& layout, const axe::Points<axe::Layout>& points, std::int64_t count,
                     std::vector<axe::Point>& out)
{
    constexpr std::int64_t most = 1 << 16;
    if (count > most) {
        reply.refuse(axe::Error(axe::errc::too_hard, -1,
                                "the {0} points of an index are more than the {1} that a swizzle puts in order", count, most));
        return false;
    }
    SwizzledLayout moved = layout; // a layout of this one point, swizzled
    moved.layout = axe::Layout{};
    for (const axe::Point& point : points) {
        moved.layout.offset = point;
        const auto at = axe::evaluate(moved, 0);
        if (!at) {
            reply.refuse(at.error());
            return false;
        }
        out.push_back(*at);
    }
    std::sort(out.begin(), out.end(), [](const axe::Point& a, const axe::Point& b) {
        for (int i = 0; i < a.size(); ++i) // all have the same axes
            if (a.entries[i].value != b.entries[i].value) return a.entries[i].value < b.entries[i].value;
        return false;
    });
    return true;
}

} // namespace

bool is_plain(const SwizzledLayout& s) { return s.swizzle == axe::Swizzle{} && s.axis == axe::Axis{} && s.width == 1; }

void append(std::string& out, const SwizzledLayout& layout)
{
    if (is_plain(layout)) return append(out, layout.layout);
    const auto text = axe::print(layout);
    out.append(text.begin(), static_cast<std::size_t>(text.size));
}

void write(JsonWriter& json, const axe::Point& point)
{
    json.open('{');
    for (const auto& e : point) json.key(e.axis.name().c_str()).number(e.value);
    json.close('}');
}

void write(JsonWriter& json, const axe::Coord& coord)
{
    json.open('[');
    for (const std::int64_t n : coord) json.number(n);
    json.close(']');
}

void write(JsonWriter& json, const axe::Iter& it)
{
    json.open('{').key("extent").number(it.extent).key("stride").number(it.stride);
    write_axis(json, it.axis);
    json.close('}');
}

void write_members(JsonWriter& json, const axe::Layout& layout)
{
    write_iters(json, "shard", layout.shard);
    write_iters(json, "replica", layout.replica);
    json.key("offset");
    write(json, layout.offset);
}

void write_members(JsonWriter& json, const SwizzledLayout& layout)
{
    write_members(json, layout.layout);
    if (is_plain(layout)) return;
    const axe::Swizzle& s = layout.swizzle;
    json.key("swizzle").open('{').key("bits").number(s.bits).key("base").number(s.base).key("shift").number(s.shift);
    write_axis(json, layout.axis);
    json.key("width").number(layout.width).close('}');
}

void give(Reply& reply, const axe::Layout& layout)
{
    append(reply.text, layout);
    if (reply.json()) write_members(reply.fields, layout);
}

void give(Reply& reply, const SwizzledLayout& layout)
{
    append(reply.text, layout);
    if (reply.json()) write_members(reply.fields, layout);
}

void give(Reply& reply, const axe::Grouped<axe::Layout>& grouped)
{
    append(reply.text, grouped);
    if (!reply.json()) return;
    write_members(reply.fields, grouped.layout);
    reply.fields.key("blocks").open('[');
    for (int d = 0; d < grouped.rank(); ++d) reply.fields.number(grouped.end(d) - grouped.begin(d));
    reply.fields.close(']');
}

void give(Reply& reply, const axe::Iter& it)
{
    append(reply.text, it);
    if (!reply.json()) return;
    reply.fields.key("iter");
    write(reply.fields, it);
}

void give(Reply& reply, std::int64_t number)
{
    reply.text = std::to_string(number);
    if (reply.json()) reply.fields.key("value").number(number);
}

void give_verdict(Reply& reply, bool yes, std::string_view witness)
{
    reply.text = yes ? "yes" : "no";
    if (!witness.empty()) reply.text.append(": ").append(witness);
    if (reply.json()) reply.fields.key("verdict").boolean(yes);
}

bool list_points(Reply& reply, const SwizzledLayout& layout, const axe::Points<axe::Layout>& points)
{
    const auto count = points.count();
    if (!count) {
        reply.refuse(count.error());
        return false;
    }
    if (layout.swizzle.bits == 0) {
        list(reply, points, *count, "points");
        return true;
    }
    std::vector<axe::Point> moved;
    if (!swizzled_points(reply, layout, points, *count, moved)) return false;
    list(reply, moved, *count, "points");
    return true;
}

} // namespace axe_cli
