// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's layouts and tilers, from an argument and into an answer.
#include "cute_text.hpp"

#include <axe/interop/cute/tiler_text.hpp>
#include <axe/text/parse.hpp>

namespace axe_cli {
namespace {

using axe::cute::Composed;
using axe::cute::Layout;
using axe::cute::Node;

void write_tree(JsonWriter& json, const Layout& layout, int& i, bool strides)
{
    const Node& node = layout.nodes[i++];
    if (node.children < 0) {
        if (!strides || node.leaf.basis.path.empty()) {
            json.number(strides ? node.leaf.stride : node.leaf.extent);
            return;
        }
        Layout alone;
        alone.nodes.push_back(node);
        const std::string text = axe::cute::print(alone).c_str();
        json.string(text.substr(text.find(':') + 1));
        return;
    }
    json.open('[');
    for (int k = 0; k < node.children; ++k) write_tree(json, layout, i, strides);
    json.close(']');
}

void write_members(JsonWriter& json, const Layout& layout)
{
    int i = 0;
    write_tree(json.key("shape"), layout, i, false);
    i = 0;
    write_tree(json.key("stride"), layout, i, true);
}

/// `<4:1,_>`, or `(4,2)`, which as a layout would have strides.
bool is_tiler(axe::TextView given)
{
    const char first = axe::detail::Reader(given).peek();
    const std::string_view text(given.text, static_cast<std::size_t>(given.size));
    return first == '<' || (first == '(' && text.find(':') == text.npos);
}

} // namespace

axe::Result<CuteTarget> parse_cute_target(axe::TextView given)
{
    if (is_tiler(given)) {
        const auto tiler = axe::cute::parse_tiler(given);
        if (!tiler) return tiler.error();
        return CuteTarget(*tiler);
    }
    const auto layout = parse_plain_cute(given);
    if (!layout) return layout.error();
    return CuteTarget(*layout);
}

axe::Result<CuteInner> parse_cute_inner(axe::TextView given)
{
    if (is_tiler(given)) {
        const auto tiler = axe::cute::parse_tiler(given);
        if (!tiler) return tiler.error();
        return CuteInner(*tiler);
    }
    const auto layout = parse_any_cute(given);
    if (!layout) return layout.error();
    return CuteInner(*layout);
}

axe::Result<Composed> parse_any_cute(axe::TextView given)
{
    if (axe::detail::Reader(given).peek() == 'S') return axe::cute::parse_composed(given);
    const auto layout = axe::cute::parse_layout_or_shape(given);
    if (!layout) return layout.error();
    Composed bare;
    bare.layout = *layout;
    return bare;
}

axe::Result<Layout> parse_plain_cute(axe::TextView given)
{
    const auto any = parse_any_cute(given);
    if (!any) return any.error();
    if (any->swizzle == axe::Swizzle{} && any->offset == 0 && any->element_bits == 0) return any->layout;
    return axe::Error(axe::errc::bad_argument, -1,
                      "the layout has a swizzle or an offset; the result would be no layout, so give one without");
}

axe::Result<axe::Shape> parse_ordering(axe::TextView given)
{
    const auto ranks = axe::parse_coord(given);
    if (!ranks) return ranks.error();
    axe::Shape out;
    for (const std::int64_t rank : *ranks) out.push_back(rank);
    return out;
}

void give(Reply& reply, const Layout& layout)
{
    reply.text = axe::cute::print(layout).c_str();
    if (reply.json()) write_members(reply.fields, layout);
}

void give(Reply& reply, const Composed& composed)
{
    reply.text = axe::cute::print(composed).c_str();
    if (!reply.json()) return;
    write_members(reply.fields, composed.layout);
    const auto& s = composed.swizzle;
    reply.fields.key("swizzle").open('{').key("bits").number(s.bits).key("base").number(s.base).key("shift").number(s.shift);
    reply.fields.close('}').key("offset").number(composed.offset);
}

} // namespace axe_cli
