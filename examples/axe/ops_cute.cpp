// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's operations on CuTe's layouts, and the way to layouts and back.
#include "operation.hpp"

#include <axe/interop/cute.hpp>

#include <utility>

namespace axe_cli {
namespace {

using axe::Result;
using axe::cute::Layout;
using axe::cute::Node;
using axe::cute::Tiler;
using std::string_view;

bool read(Reply& reply, int argument, string_view text, Layout& out)
{
    const auto read = axe::cute::parse_layout(text.data(), static_cast<int>(text.size()));
    if (read)
        out = *read;
    else
        reply.misread(argument, text, read.error());
    return read.has_value();
}

/// `<4:1,_,(2,2):(1,8)>`: a layout for each mode, `8` for `8:1`, `_` for a mode that stays.
bool read_tiler(Reply& reply, int argument, string_view text, Tiler& out)
{
    const auto wrong = [&](std::size_t at, const char* words) {
        reply.misread(argument, text,
                      axe::Error(axe::errc::bad_syntax, static_cast<int>(at), words, static_cast<std::int64_t>(at)));
        return false;
    };
    if (text.back() != '>') return wrong(text.size(), "expected '>' after the layouts of the modes at character {0}");
    int depth = 0, item = 0;
    for (std::size_t from = 1, at = 1; at < text.size(); ++at) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (at + 1 < text.size() && (depth > 0 || text[at] != ',')) continue;
        std::string mode(text.substr(from, at - from));
        while (!mode.empty() && mode.front() == ' ') mode.erase(mode.begin());
        while (!mode.empty() && mode.back() == ' ') mode.pop_back();
        if (mode == "_") {
            out.kept |= std::uint64_t{1} << item;
            mode = "1:0";
        }
        if (!mode.empty() && mode.find_first_not_of("0123456789") == std::string::npos) mode += ":1";
        const auto read = axe::cute::parse_layout(mode.data(), static_cast<int>(mode.size()));
        if (!read) {
            axe::Error error = read.error();
            error.position = static_cast<int>(from) + (error.position < 0 ? 0 : error.position);
            error.numbers[0] = error.code == axe::errc::bad_syntax ? error.position : error.numbers[0];
            reply.misread(argument, text, error);
            return false;
        }
        if (!axe::cute::append_mode(out.items, *read)) return wrong(from, "the tiler has too many modes from character {0} on");
        ++item;
        from = at + 1;
    }
    return true;
}

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

void give_cute(Reply& reply, const Result<Layout>& result)
{
    if (!result) return reply.refuse(result.error());
    reply.text = axe::cute::print(*result).c_str();
    if (!reply.json()) return;
    int i = 0;
    write_tree(reply.fields.key("shape"), *result, i, false);
    i = 0;
    write_tree(reply.fields.key("stride"), *result, i, true);
}

template <class F>
void one(Reply& reply, string_view a, F function)
{
    Layout layout;
    if (read(reply, 1, a, layout)) give_cute(reply, function(layout));
}
/// The second layout may be a tiler.
template <class F>
void two(Reply& reply, string_view a, string_view b, F function)
{
    Layout layout, second;
    Tiler tiler;
    if (!read(reply, 1, a, layout)) return;
    if (b.empty() || b.front() != '<') {
        if (read(reply, 2, b, second)) give_cute(reply, function(layout, std::as_const(second)));
    } else if (read_tiler(reply, 2, b, tiler)) {
        give_cute(reply, function(layout, std::as_const(tiler)));
    }
}

/// `linear` or `coordinate`.
bool by_coordinate(Reply& reply, string_view which, bool& out)
{
    out = which == "coordinate";
    if (out || which == "linear") return true;
    reply.fail("bad_argument", "the same function of what? linear or coordinate, not " + quoted(which));
    return false;
}

void to_axe(Reply& reply, string_view text, string_view which)
{
    Layout layout;
    bool coordinates = false;
    if (!read(reply, 1, text, layout) || !by_coordinate(reply, which, coordinates)) return;
    if (!coordinates) return give(reply, axe::cute::to_axe_linear(layout));
    const auto result = axe::cute::to_axe_by_coordinate(layout);
    if (!result) return reply.refuse(result.error());
    reply.text = text_of(result->layout) + " on " + text_of(result->shape);
    if (!reply.json()) return;
    write_members(reply.fields, result->layout);
    reply.fields.key("shape").open('[');
    for (const std::int64_t n : result->shape) reply.fields.number(n);
    reply.fields.close(']');
}

void from_axe(Reply& reply, const axe::Layout& layout, string_view which, const std::optional<axe::Shape>& shape)
{
    bool coordinates = false;
    if (!by_coordinate(reply, which, coordinates)) return;
    if (!coordinates) return give_cute(reply, axe::cute::from_axe_linear(layout));
    if (!shape) return reply.fail("bad_argument", "a function of the coordinate needs the shape of the coordinates");
    give_cute(reply, axe::cute::from_axe_by_coordinate(layout, *shape));
}

constexpr string_view tiler_words = "T is a layout, or one for each mode: <8:1,(2,4):(1,8)>; 8 stands for 8:1, _ keeps a mode";

constexpr Operation rows[] = {
    operation("cute composition", "A B", "one CuTe layout after another, or mode by mode",
              "R(x) = A(B(x)), of B's modes; the last leaf of A runs on\n"
              "B is a layout, or one for each mode: <2:1,(2,2):(1,4)>",
              "none: the map is no layout\n"
              "rank_mismatch, overflow, capacity, too_hard",
              "cute composition; (4,8):(8,1); (2,2):(1,4)", "ok: (2,2):(8,1)",
              [](Reply& reply, string_view a, string_view b) {
                  two(reply, a, b, [](const Layout& x, const auto& y) { return axe::cute::composition(x, y); });
              }),
    operation("cute coalesce", "L [PROFILE]", "the fewest modes of the same map",
              "R(x) = L(x); PROFILE is any layout: R has its tuples, coalesced below each leaf", "rank_mismatch, overflow",
              "cute coalesce; (2,(1,6)):(1,(6,2))", "ok: 12:1",
              [](Reply& reply, string_view l, const std::optional<string_view>& profile) {
                  if (!profile) return one(reply, l, [](const Layout& x) { return axe::cute::coalesce(x); });
                  Layout layout, tuples;
                  if (read(reply, 1, l, layout) && read(reply, 2, *profile, tuples))
                      give_cute(reply, axe::cute::coalesce(layout, tuples));
              }),
    operation("cute filter", "L", "the modes that move something, coalesced",
              "every value of L, as many times fewer as strides of 0 repeat it", "overflow", "cute filter; (4,(2,8)):(1,(0,4))",
              "ok: 32:1", [](Reply& reply, string_view l) { one(reply, l, [](const Layout& x) { return axe::cute::filter(x); }); }),
    operation("cute complement", "L N", "what fills the gaps up to N, rounded up",
              "all L(x) + M(y) differ; without holes where the strides are a chain of multiples",
              "none: modes interleave, or lead below 0\n"
              "bad_extent, bad_argument, overflow",
              "cute complement; (2,4):(1,6); 24", "ok: 3:2",
              [](Reply& reply, string_view l, std::int64_t n) {
                  one(reply, l, [&](const Layout& x) { return axe::cute::complement(x, n); });
              }),
    operation("cute left-inverse", "L", "the index of each value", "M(L(x)) = x, the digits of strides 0 left at 0",
              "none: no layout does that\n"
              "bad_argument, overflow, too_hard",
              "cute left-inverse; (4,2):(1,5)", "ok: (5,2):(1,4)",
              [](Reply& reply, string_view l) { one(reply, l, [](const Layout& x) { return axe::cute::left_inverse(x); }); }),
    operation("cute right-inverse", "L", "the longest run of values 0, 1, 2, ... found again", "L(R(i)) = i",
              "bad_argument, overflow, too_hard", "cute right-inverse; (4,8):(8,1)", "ok: (8,4):(4,1)",
              [](Reply& reply, string_view l) { one(reply, l, [](const Layout& x) { return axe::cute::right_inverse(x); }); }),
    operation("cute logical-divide", "L T", "tiles and how often they are found, or mode by mode", tiler_words,
              "none: tiles leave elements out, or the map is no layout\n"
              "rank_mismatch, bad_argument, overflow, capacity",
              "cute logical-divide; (4,2,3):(2,1,8); 4:2", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              [](Reply& reply, string_view l, string_view t) {
                  two(reply, l, t, [](const Layout& x, const auto& y) { return axe::cute::logical_divide(x, y); });
              }),
    operation("cute logical-product", "L T", "copies of a layout, laid out by another, or mode by mode", tiler_words,
              "none: L has no complement, or the map is no layout\n"
              "rank_mismatch, bad_argument, overflow, capacity",
              "cute logical-product; (2,2):(4,1); 6:1", "ok: ((2,2),(2,3)):((4,1),(2,8))",
              [](Reply& reply, string_view l, string_view t) {
                  two(reply, l, t, [](const Layout& x, const auto& y) { return axe::cute::logical_product(x, y); });
              }),
    operation("cute to-axe", "L linear|coordinate", "the layout that is the same function of the index, or of the coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension", "bad_argument, bad_axis, capacity",
              "cute to-axe; (4,8):(1,16); linear", "ok: (8,4):(16,1)",
              [](Reply& reply, string_view l, string_view which) { to_axe(reply, l, which); }),
    operation("cute from-axe", "L linear|coordinate [SHAPE]",
              "the CuTe layout that is the same function of the index, or of SHAPE's coordinate",
              "CuTe counts the leftmost mode fastest, Axe the rightmost dimension",
              "none: L begins elsewhere than at 0, or SHAPE does not group it\n"
              "bad_argument, bad_axis, not_single_valued, size_mismatch, capacity",
              "cute from-axe; (8,4):(16,1); coordinate; (8,4)", "ok: (8,4):(16,1)",
              [](Reply& reply, const axe::Layout& l, string_view which, const std::optional<axe::Shape>& shape) {
                  from_axe(reply, l, which, shape);
              }),
};

} // namespace

constinit const std::span<const Operation> cute_operations = rows;

} // namespace axe_cli
