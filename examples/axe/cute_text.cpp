// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's layouts and tilers, from an argument and into an answer.
#include "cute_text.hpp"

#include <axe/interop/cute/tiler_text.hpp>
#include <axe/text/parse.hpp>

#include <vector>

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

/// `<4:1,_>`, or `(4,2)`, `4,2` and `4x2`, which as a layout would have strides.
bool is_tiler(axe::TextView given)
{
    const char first = axe::detail::Reader(given).peek();
    const std::string_view text(given.text, static_cast<std::size_t>(given.size));
    return first == '<' || (text.find(':') == text.npos && text.find_first_of("(,x") != text.npos);
}

/// The mode at a path, `mode 1.0`, counted from 0.
std::string mode_at(const std::vector<int>& path)
{
    if (path.empty()) return "the whole";
    std::string out = "mode ";
    for (const int place : path) out.append(out.back() == ' ' ? "" : ".").append(std::to_string(place));
    return out;
}
std::string kind_of(const Node& node) { return node.children < 0 ? "an extent" : "a tuple of " + std::to_string(node.children); }

/// Where two trees part first: of A's node i and B's node k, which are left after them. `extents`: an extent of A may be any tuple of B.
std::string difference(const Layout& a, int& i, const Layout& b, int& k, std::vector<int>& path, bool extents)
{
    const Node &left = a.nodes[i], &right = b.nodes[k];
    if (left.children < 0 && extents) {
        const int end = axe::cute::end_of(b, k);
        std::int64_t size = 1;
        for (; k < end; ++k)
            if (b.nodes[k].children < 0) size *= b.nodes[k].leaf.extent;
        ++i;
        if (size == left.leaf.extent) return {};
        return mode_at(path) + " has " + std::to_string(left.leaf.extent) + " elements in A and " + std::to_string(size) + " in B";
    }
    if (left.children != right.children) return mode_at(path) + " is " + kind_of(left) + " in A and " + kind_of(right) + " in B";
    ++i;
    ++k;
    for (int place = 0; place < left.children; ++place) {
        path.push_back(place);
        std::string found = difference(a, i, b, k, path, extents);
        if (!found.empty()) return found;
        path.pop_back();
    }
    return {};
}
std::string difference(const Layout& a, const Layout& b, bool extents)
{
    int i = 0, k = 0;
    std::vector<int> path;
    return difference(a, i, b, k, path, extents);
}

} // namespace

axe::Result<CuteTarget> parse_cute_target(axe::TextView given)
{
    if (is_tiler(given)) {
        const auto tiler = axe::cute::parse_tiler(given);
        if (!tiler) return tiler.error();
        return CuteTarget(*tiler);
    }
    const auto layout = parse_plain_cute(given, Plain::tiler);
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

axe::Result<Layout> parse_plain_cute(axe::TextView given, Plain why)
{
    const auto any = parse_any_cute(given);
    if (!any) return any.error();
    if (any->swizzle == axe::Swizzle{} && any->offset == 0 && any->element_bits == 0) return any->layout;
    const char* const reasons[] = {
        "a complement is added to the values before the swizzle and the offset: give the layout inside",
        "the complement of a tiler is added to it, and a swizzle or an offset is not a sum of strides: give a tiler without",
        "threads and values are digits of the tile, which a swizzle or an offset mixes: give the layout inside",
    };
    return axe::Error(axe::errc::bad_argument, -1, reasons[static_cast<int>(why)]);
}

axe::Shape mode_extents(const Layout& shape)
{
    axe::Shape out;
    for (int i = 0; i < axe::cute::rank(shape); ++i) out.push_back(axe::cute::size(axe::cute::mode(shape, i)));
    return out;
}

std::string not_congruent(const Layout& a, const Layout& b) { return difference(a, b, false); }
std::string not_compatible(const Layout& a, const Layout& b) { return difference(a, b, true); }

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
