// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's layouts and tilers, from an argument and into an answer.
#include "cute_text.hpp"

#include <axe/interop/cute/tiler_text.hpp>

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

} // namespace

axe::Result<CuteTarget> parse_cute_target(const char* text, int length)
{
    if (axe::detail::Reader(text, length).peek() == '<') {
        const auto tiler = axe::cute::parse_tiler(text, length);
        if (!tiler) return tiler.error();
        return CuteTarget(*tiler);
    }
    const auto layout = axe::cute::parse_layout(text, length);
    if (!layout) return layout.error();
    return CuteTarget(*layout);
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
