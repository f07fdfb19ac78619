// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on the axes and on single iters.
#include "facts.hpp"
#include "operation.hpp"

namespace axe_cli {
namespace {

using axe::Axis, axe::Iter, axe::Layout, axe::Point, axe::Shape;

constexpr Operation rows[] = {
    operation("project", "L AXES", "the coordinates on the axes named; the others become 0", "P(x) = L(x) on AXES", "bad_axis",
              "project; (2,32,2,64):(1@gpuid,64,2@gpuid,1); gpuid", "ok: (2,32,2,64):(1@gpuid,0,2@gpuid,0)",
              [](const Layout& l, const Layout::Axes& axes) { return axe::project(l, axes); }),
    operation("local", "L AXES", "what one owner holds", "all that moves on the axes is taken out; the domain shrinks", "bad_axis",
              "local; (2,32,2,64):(1@gpuid,64,2@gpuid,1); gpuid", "ok: 2048:1",
              [](const Layout& l, const Layout::Axes& axes) { return axe::local(l, axes); }),
    operation("rename", "L OLD=NEW", "another name for an axis", "",
              "unknown_axis (L does not have OLD), bad_axis (L has NEW already)", "rename; (8,4):(1@lane,1@reg); lane=thread",
              "ok: (8,4):(1@thread,1@reg)",
              [](const Layout& l, const Renaming& axes) { return axe::rename(l, axes.from, axes.to); }),
    operation("shift", "L POINT", "the layout moved by a point", "S(x) = L(x) + POINT", "bad_axis, overflow, capacity",
              "shift; 8:1@lane; {lane:8, warp:2}", "ok: 8:1@lane + 8@lane + 2@warp",
              [](const Layout& l, const Point& by) { return axe::shift(l, by); }),
    operation("unpack", "L N AXIS", "from places of packed words on AXIS to places of their N parts",
              "U(x*N + i) = L(x) with its coordinate on AXIS times N, plus i@AXIS", "bad_extent, overflow, capacity",
              "unpack; (4,8):(10,1); 2; m", "ok: (4,16):(20,1)",
              [](const Layout& l, std::int64_t n, const Axis& axis) { return axe::unpack(l, n, axis); }),
    operation("pack", "L N AXIS", "from places of parts on AXIS to places of words of N", "unpack(P, N, AXIS) = L",
              "none: N successive elements do not always make a word\n"
              "bad_extent, overflow, capacity",
              "pack; (4,16):(20,1); 4; m", "ok: (4,4):(5,1)",
              [](const Layout& l, std::int64_t n, const Axis& axis) { return axe::pack(l, n, axis); }),
    operation("max-vector", "L S DIM AXIS", "the most elements that one access along a dimension may take",
              "that many successive elements always lie side by side on AXIS, from a multiple of it on",
              "size_mismatch, bad_argument (no such dimension), unknown_axis, too_hard",
              "max-vector; (64,128):(132,1); (64,128); 1; m", "ok: 4",
              [](const Layout& l, const Shape& shape, const Dimension& d, const Axis& axis) {
                  return axe::max_vector(l, shape, d.dim, axis);
              }),
    operation("intersect", "ITER ITER", "the values that two iters on one axis have in common", "",
              "none: the iters are on different axes\n"
              "bad_extent, overflow",
              "intersect; 8:4@lane; 10:6@lane", "ok: 3:12@lane", [](const Iter& a, const Iter& b) { return axe::intersect(a, b); }),
    operation("span", "L", "the room that the layout takes on each axis",
              "1 + sum of (n-1)*|s| over the iters on the axis; a span of 1 is left out", "overflow, capacity",
              "span; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp", "ok: {lane:32, reg:2, warp:6}",
              [](Reply& reply, const Layout& l) {
                  const Point spans = spans_of(l);
                  append(reply.text, spans);
                  if (!reply.json()) return;
                  reply.fields.key("spans");
                  write(reply.fields, spans);
              }),
};

} // namespace

constinit const std::span<const Operation> axis_operations = rows;

} // namespace axe_cli
