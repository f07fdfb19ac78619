// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout on a shape: cut into dimension groups, in another order, in part.
#include "operation.hpp"

#include <utility>

namespace axe_cli {
namespace {
namespace shape_table {

using axe::Layout, axe::Shape;

/// The most shapes that `group-many` takes; the library takes their number at compile time.
constexpr std::size_t most_shapes = 8;

/// `(8|2,4,2)`: the extents of a grouped layout, up to the ':' of its text.
std::string groups_of(const axe::Grouped<Layout>& grouped)
{
    const std::string text = text_of(grouped);
    return text.substr(0, text.find(':'));
}

template <std::size_t... I>
void group_for(Reply& reply, const Layout& layout, const std::vector<Shape>& shapes, std::index_sequence<I...>)
{
    const auto many = axe::group_many(layout, shapes[I]...);
    if (!many) return reply.refuse(many.error());
    give(reply, many->layout);
    if (reply.json()) reply.fields.key("groups").open('[');
    for (const auto& ends : many->ends) {
        const axe::Grouped<Layout> grouped{many->layout, ends};
        reply.text.append("; ").append(groups_of(grouped));
        if (!reply.json()) continue;
        reply.fields.open('[');
        for (int d = 0; d < grouped.rank(); ++d) reply.fields.number(grouped.end(d) - grouped.begin(d));
        reply.fields.close(']');
    }
    if (reply.json()) reply.fields.close(']');
}

/// Picks the library's function for this number of shapes.
void group_many(Reply& reply, const Layout& layout, const Shape& first, std::vector<Shape> shapes)
{
    shapes.insert(shapes.begin(), first);
    if (shapes.size() > most_shapes)
        return reply.refuse(axe::Error(axe::errc::capacity, -1, "at most {0} shapes at a time, here are {1}", most_shapes,
                                       static_cast<std::int64_t>(shapes.size())));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (void)((shapes.size() == I + 1 && (group_for(reply, layout, shapes, std::make_index_sequence<I + 1>()), true)) || ...);
    }(std::make_index_sequence<most_shapes>());
}

constexpr Operation rows[] = {
    operation("group", "L S", "the layout cut into one block for each dimension of S",
              "the extents of group d multiply to S_d; | separates the groups",
              "none: a dimension ends inside an iter and does not divide it\n"
              "size_mismatch, capacity",
              "group; (8,8):(4@lane,1@reg); (16,4)", "ok: (8,2|4):(4@lane,4@reg|1@reg)",
              [](const PlainLayout<Unswizzled::blocks>& l, const Shape& s) { return axe::group(*l, s); }),
    operation("group-many", "L S S ...", "one cut that serves several shapes",
              "the layout, then its extents in the groups of each shape",
              "none: a shape does not cut the layout, or its cuts do not fit those of the others\n"
              "size_mismatch, capacity",
              "group-many; 64:1; (8,8); (4,16)", "ok: (4,2,8):(16,8,1); (4,2|8); (4|2,8)",
              [](Reply& reply, const PlainLayout<Unswizzled::blocks>& l, const Shape& first, const std::vector<Shape>& more) {
                  group_many(reply, *l, first, more);
              }),
    operation("slice", "L S REGION", "the layout of a region", "L'(u) = L(lo + u)",
              "none: the elements of the region are not a layout\n"
              "size_mismatch, rank_mismatch, out_of_domain, bad_extent, too_hard",
              "slice; (5,2):(1@P,5@P); 10; [3:7]", "ok: (2,2):(1@P,-4@P) + 6@P",
              [](const SwizzledLayout& l, const Shape& s, const axe::Region& region) { return axe::slice(l, s, region); }),
    operation("permute", "L S ORDER", "the dimensions in another order", "P(c[order[0]], c[order[1]], ...) = L(c[0], c[1], ...)",
              "none: the shape does not cut the layout into dimension groups\n"
              "size_mismatch, rank_mismatch, bad_argument",
              "permute; (4,8):(8,1); (4,8); (1,0)", "ok: (8,4):(1,8)",
              [](Reply& reply, const SwizzledLayout& l, const Shape& s, const axe::Order& order) {
                  give_under(reply, l, [&](const auto& x) { return axe::permute(x, s, order); });
              }),
    operation("reshape", "L S [S2]", "the same layout, seen on another shape",
              "R(x) = L(x); the shapes have as many elements as the layout", "size_mismatch", "reshape; (4,8):(8,1); (4,8); (2,16)",
              "ok: 32:1",
              [](Reply& reply, const SwizzledLayout& l, const Shape& s, const std::optional<Shape>& other) {
                  give_under(reply, l, [&](const auto& x) {
                      const auto seen = axe::reshape(x, s);
                      return seen && other ? axe::reshape(*seen, *other) : seen;
                  });
              }),
    operation("broadcast", "L S DIM N", "a new dimension of extent N before DIM, which moves nothing",
              "B(..., j, ...) = L(..., ...)",
              "none: the map is not a layout\n"
              "size_mismatch, bad_argument, bad_extent, overflow, capacity",
              "broadcast; (4,8):(8,1); (4,8); 1; 3", "ok: (4,3,8):(8,0,1)",
              [](Reply& reply, const SwizzledLayout& l, const Shape& s, const NewDimension& d) {
                  give_under(reply, l, [&](const auto& x) { return axe::broadcast(x, s, d.dim, d.extent); });
              }),
};

} // namespace shape_table
} // namespace

constinit const std::span<const Operation> shape_operations = shape_table::rows;

} // namespace axe_cli
