// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the library as texts and as JSON. Text is always made, as the JSON answer holds it, too; the members of the JSON object
// only when they are asked for.
#include "answers.hpp"

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

void give_text(Reply& reply, std::string_view text)
{
    reply.text = text;
    if (reply.json()) reply.fields.key("text").string(text);
}

void give_verdict(Reply& reply, bool yes, std::string_view witness)
{
    reply.text = yes ? "yes" : "no";
    if (!witness.empty()) reply.text.append(": ").append(witness);
    if (reply.json()) reply.fields.key("verdict").boolean(yes);
}

} // namespace axe_cli
