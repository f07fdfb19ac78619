// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on the axes and on single iters.
#include "columns.hpp"
#include "facts.hpp"
#include "machine_text.hpp"
#include "operation.hpp"

#include <axe/kernels.hpp>
#include <axe/machine/swizzled_axes.hpp>

namespace axe_cli {
namespace {
namespace axes_table {

using axe::Axis, axe::Iter, axe::Layout, axe::Point, axe::Shape;

/// The layout on other axes of a machine.
void convert_axes(Reply& reply, const SwizzledLayout& layout, std::string_view machine, const Layout::Axes& wanted)
{
    std::vector<std::string> names;
    for (const axe::Target* target : axe::targets::all()) {
        if (machine == target->machine.name)
            return give_under(reply, layout, [&](const auto& x) { return axe::convert_axes(target->machine, x, wanted); });
        names.emplace_back(target->machine.name);
    }
    reply.fail("unknown_machine", "no machine is called " + quoted(machine) + "; there are " + listed(names),
               meant_machine(machine));
}

constexpr Operation rows[] = {
    operation("project", "L AXES", "the coordinates on the axes named; the others become 0", "P(x) = L(x) on AXES", "bad_axis",
              "project; (2,32,2,64):(1@gpuid,64,2@gpuid,1); gpuid", "ok: (2,32,2,64):(1@gpuid,0,2@gpuid,0)",
              [](Reply& reply, const SwizzledLayout& l, const Layout::Axes& axes) {
                  give_under(reply, l, [&](const auto& x) { return axe::project(x, axes); });
              }),
    operation("local", "L AXES", "the part of one owner", "iters on the axes are removed; the domain shrinks", "bad_axis",
              "local; (2,32,2,64):(1@gpuid,64,2@gpuid,1); gpuid", "ok: 2048:1",
              [](Reply& reply, const SwizzledLayout& l, const Layout::Axes& axes) {
                  give_under(reply, l, [&](const auto& x) { return axe::local(x, axes); });
              }),
    operation("rename", "L OLD=NEW", "another name for an axis", "",
              "unknown_axis (L does not have OLD), bad_axis (L has NEW already)", "rename; (8,4):(1@lane,1@reg); lane=thread",
              "ok: (8,4):(1@thread,1@reg)",
              [](Reply& reply, const SwizzledLayout& l, const Renaming& axes) {
                  give_under(reply, l, [&](const auto& x) { return axe::rename(x, axes.from, axes.to); });
              }),
    operation("split", "L SPLIT", "one axis as two: quotient and remainder",
              "S(x) is L(x) with OUTER = floor(WHOLE / N) and INNER = WHOLE mod N; SPLIT is WHOLE=N*OUTER+INNER\n"
              "none of the three may be a swizzled axis",
              "none: an iter crosses a multiple of N where it may not\n"
              "bad_axis (L has WHOLE and a part of it, or two of the three axes are one), bad_extent, overflow, capacity, too_hard",
              "split; (2,8,4):(64@thread,4@thread,1@thread); thread=32*warp+lane", "ok: (2,32):(2@warp,1@lane)",
              [](Reply& reply, const SwizzledLayout& l, const Split& s) {
                  give_under(reply, l, [&](const auto& x) { return axe::split_axis(x, s.split); });
              }),
    operation("fuse", "L SPLIT", "two axes as one",
              "F(x) is L(x) with WHOLE = N * OUTER + INNER; fuse(split(L)) = L; SPLIT is WHOLE=N*OUTER+INNER\n"
              "none of the three may be a swizzled axis",
              "out_of_domain (INNER leaves [0, N)), bad_axis (L has WHOLE and a part of it, or two of the three axes are one), "
              "bad_extent, overflow",
              "fuse; (2,8,4):(2@warp,4@lane,1@lane); thread=32*warp+lane", "ok: (2,32):(64@thread,1@thread)",
              [](Reply& reply, const SwizzledLayout& l, const Split& s) {
                  give_under(reply, l, [&](const auto& x) { return axe::fuse_axes(x, s.split); });
              }),
    operation("convert-axes", "L MACHINE AXES", "the layout on the axes named, which a machine splits or fuses",
              "split or fuse, for each split of the machine that produces one of AXES; `axe machines` lists machines",
              "none: an iter crosses a multiple of an inner extent where it may not\n"
              "unknown_machine, unknown_axis, bad_argument (one of AXES is a part of another), out_of_domain, bad_axis, overflow, "
              "capacity, too_hard",
              "convert-axes; (4,8,4,2):(32@thread,4@thread,1@thread,1@reg); sm90; warp,lane", "ok: (4,32,2):(1@warp,1@lane,1@reg)",
              [](Reply& reply, const SwizzledLayout& l, const std::string_view& machine, const Layout::Axes& axes) {
                  convert_axes(reply, l, machine, axes);
              }),
    operation("shift", "L POINT", "the layout moved by a point", "S(x) = L(x) + POINT",
              "bad_axis, bad_argument (a swizzled axis, and not by multiples of the period), overflow, capacity",
              "shift; 8:1@lane; {lane:8, warp:2}", "ok: 8:1@lane + 8@lane + 2@warp",
              [](Reply& reply, const SwizzledLayout& l, const Point& by) {
                  give_under(reply, l, [&](const auto& x) { return axe::shift(x, by); });
              }),
    operation("unpack", "L N AXIS", "from addresses of packed words on AXIS to addresses of their N parts",
              "U(x*N + i) = L(x) with its coordinate on AXIS times N, plus i@AXIS", "bad_extent, overflow, capacity",
              "unpack; (4,8):(10,1); 2; m", "ok: (4,16):(20,1)",
              [](Reply& reply, const SwizzledLayout& l, std::int64_t n, const Axis& axis) {
                  give_under(reply, l, [&](const auto& x) { return axe::unpack(x, n, axis); });
              }),
    operation("pack", "L N AXIS", "from addresses of parts on AXIS to addresses of words of N", "unpack(P, N, AXIS) = L",
              "none: N successive elements do not always make a word\n"
              "bad_extent, overflow, capacity",
              "pack; (4,16):(20,1); 4; m", "ok: (4,4):(5,1)",
              [](Reply& reply, const SwizzledLayout& l, std::int64_t n, const Axis& axis) {
                  give_under(reply, l, [&](const auto& x) { return axe::pack(x, n, axis); });
              }),
    operation("max-vector", "L S DIM AXIS", "the most elements that one access along a dimension may cover",
              "that many successive elements are always contiguous on AXIS, starting at a multiple of it",
              "size_mismatch, bad_argument (no such dimension), unknown_axis, too_hard",
              "max-vector; (64,128):(132,1); (64,128); 1; m", "ok: 4",
              [](const SwizzledLayout& l, const Shape& shape, const Dimension& d, const Axis& axis) {
                  return is_plain(l) ? axe::max_vector(l.layout, shape, d.dim, axis) : axe::max_vector(l, shape, d.dim, axis);
              }),
    operation("intersect", "ITER ITER", "the values that two iters on one axis have in common", "",
              "none: the iters are on different axes\n"
              "bad_extent, overflow",
              "intersect; 8:4@lane; 10:6@lane", "ok: 3:12@lane", [](const Iter& a, const Iter& b) { return axe::intersect(a, b); }),
    operation("span", "L", "the number of coordinates that the layout spans on each axis",
              "1 + sum of (n-1)*|s| over the iters on the axis; a span of 1 is omitted\n"
              "on a swizzled axis 1 + the greatest coordinate - the least",
              "overflow, capacity, too_hard", "span; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp",
              "ok: {lane:32, reg:2, warp:6}",
              [](Reply& reply, const SwizzledLayout& l) {
                  Point spans = spans_of(l.layout);
                  if (!is_plain(l)) {
                      const auto swizzled = axe::span(l, l.axis);
                      if (!swizzled) return reply.refuse(swizzled.error());
                      if (auto* entry = *swizzled > 1 ? spans.entry(l.axis) : nullptr) *entry = *swizzled;
                  }
                  append(reply.text, spans);
                  if (!reply.json()) return;
                  reply.fields.key("spans");
                  write(reply.fields, spans);
              }),
};

} // namespace axes_table
} // namespace

constinit const std::span<const Operation> axis_operations = axes_table::rows;

} // namespace axe_cli
