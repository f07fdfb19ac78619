// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a layout is, and where things are.
#include "facts.hpp"
#include "operation.hpp"

#include <axe/text/pretty.hpp>
#include <axe/text/table.hpp>

namespace axe_cli {
namespace {
namespace look_table {

using axe::Layout, axe::Shape;

/// `show` says the same things in three forms: a name and a value each.
class Sheet {
  public:
    explicit Sheet(Reply& reply) : reply_(reply) {}

    void text(const char* name, std::string_view value)
    {
        remark(name, value);
        if (reply_.json()) reply_.fields.key(name).string(value);
    }
    void number(const char* name, std::int64_t value)
    {
        remark(name, std::to_string(value));
        if (reply_.json()) reply_.fields.key(name).number(value);
    }
    void point(const char* name, const axe::Point& value)
    {
        remark(name, text_of(value));
        if (!reply_.json()) return;
        reply_.fields.key(name);
        write(reply_.fields, value);
    }
    void fact(const char* name, const Fact& value)
    {
        std::string words = value.yes ? "yes" : "no: " + value.witness;
        if (!value.undecided.ok()) words = value.undecided.message().c_str();
        remark(name, words);
        if (reply_.json() && value.undecided.ok()) reply_.fields.key(name).boolean(value.yes);
    }
    /// Lines as they are; left out where there is one line only.
    void picture(const char* name, std::string_view lines, const char* before = "\n")
    {
        if (reply_.form == Form::page) reply_.text.append(before).append(lines);
        if (reply_.json()) reply_.fields.key(name).string(lines);
    }

    /// Words for a reader, and none for a program.
    void remark(std::string_view name, std::string_view value)
    {
        constexpr std::size_t column = 12;
        if (reply_.form != Form::page) {
            reply_.text.append("; ").append(name).append(" ").append(value);
            return;
        }
        const std::string space(name.size() < column ? column - name.size() : 1, ' ');
        reply_.text.append("\n").append(name).append(space).append(value);
    }

  private:
    Reply& reply_;
};

/// How the shape cuts the layout into dimension groups, or why it does not.
std::string grouped_or_why(const Layout& layout, const Shape& shape)
{
    const auto grouped = axe::group(layout, shape);
    return grouped ? text_of(*grouped) : std::string("none: ") + grouped.error().message().c_str();
}

void show(Reply& reply, const SwizzledLayout& swizzled, const std::optional<Shape>& shape)
{
    const Layout& layout = swizzled.layout;
    const bool plain = is_plain(swizzled);
    if (shape) {
        if (const auto same = axe::reshape(layout, *shape); !same) return reply.refuse(same.error());
    }
    give(reply, swizzled);
    Sheet sheet(reply);
    sheet.picture("pretty", plain ? std::string(axe::pretty(layout).c_str()) : std::string(axe::pretty(swizzled).c_str()));
    sheet.number("size", *axe::size(layout));
    if (const auto count = axe::points(layout, 0).count())
        sheet.number("copies", *count);
    else
        sheet.remark("copies", std::string("not counted: ") + count.error().message().c_str());
    if (plain) sheet.point("spans", spans_of(layout));
    if (const auto canonical = axe::canonicalize(layout); canonical && plain) sheet.text("canonical", text_of(*canonical));
    sheet.fact("injective", is_injective(swizzled));
    if (plain) sheet.fact("contiguous", is_contiguous(layout));
    if (!shape) return;
    sheet.text("grouped", grouped_or_why(layout, *shape));
    if (reply.form == Form::line || shape->size() < 1 || shape->size() > 2) return;
    const auto drawn_table = plain ? axe::table(layout, *shape) : axe::table(swizzled, *shape);
    const axe::Message why_not = drawn_table.error().message();
    sheet.picture("table", drawn_table ? std::string_view(*drawn_table) : why_not.c_str(), "\n\n");
}

constexpr Operation rows[] = {
    operation("show", "L [S]", "the layout in two aligned lines, its size and properties",
              "with S also how S cuts it into dimension groups, and a table of the points where S has one or two dimensions",
              "size_mismatch", "show; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp",
              "ok: (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
              "( 8       2       4       2     ) [ 2      ]\n"
              "( 4@lane  1@warp  1@lane  1@reg ) [ 4@warp ] + 5@warp\n"
              "size        128\n"
              "copies      2\n"
              "spans       {lane:32, reg:2, warp:6}\n"
              "canonical   (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
              "injective   yes\n"
              "contiguous  no: index 1 is at {lane:0, reg:1, warp:5}, index 2 is at {lane:1, reg:0, warp:5}",
              [](Reply& reply, const SwizzledLayout& l, const std::optional<Shape>& s) { show(reply, l, s); }),
    operation("eval", "L S COORD", "the points at which an element is stored", "L(x) = { D(x) + r + O : r in R }",
              "size_mismatch, rank_mismatch, out_of_domain, too_hard (replicas that overlap too much to be counted)",
              "eval; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp; (8,16); (2,9)",
              "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}",
              [](Reply& reply, const SwizzledLayout& l, const Shape& s, const Index& at) {
                  list_counted(reply, axe::points(l, s, at.coord), "points");
              }),
    operation("preimage", "L S POINT", "the elements stored at a point", "{ c : POINT in L(c) }; an axis that is not named is at 0",
              "none: nothing is there\n"
              "size_mismatch, bad_axis, too_hard (strides that overlap too much to be counted)",
              "preimage; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp; (8,16); {lane:8, reg:1, warp:6}",
              "ok: (2,9)",
              [](Reply& reply, const SwizzledLayout& l, const Shape& s, const axe::Point& point) {
                  const auto found = axe::preimage(l, s, point);
                  if (!list_counted(reply, found, "coordinates") || !found.empty()) return;
                  reply.status = Exit::none;
                  reply.text = "nothing is at " + text_of(point);
              }),
};

} // namespace look_table
} // namespace

constinit const std::span<const Operation> look_operations = look_table::rows;

} // namespace axe_cli
