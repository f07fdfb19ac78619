// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Are two layouts one map? What kind of map is one? A no always shows why.
#include "facts.hpp"
#include "operation.hpp"

namespace axe_cli {
namespace {
namespace compare_table {

using axe::Layout;

/// The box that was named, or that of the spans.
axe::Point box_or_spans(const std::optional<Box>& box, const Layout& layout) { return box ? box->sides : spans_of(layout); }

/// One side of a difference: its points as text, and as an object of the JSON answer.
bool give_side(Reply& reply, const char* key, const SwizzledLayout& layout, std::int64_t index)
{
    if (reply.json()) reply.fields.key(key).open('{');
    if (!list_counted(reply, axe::points(layout, index), "points")) return false;
    if (reply.json()) reply.fields.close('}');
    return true;
}

constexpr Operation rows[] = {
    operation(
        "canonicalize", "L", "the canonical form of the layout",
        "canonicalize(L)(x) = L(x); layouts without replicas and swizzles are one map exactly when their canonical texts are equal",
        "overflow, capacity", "canonicalize; (4,2,8):(16,8,1) + [2:-4@warp]", "ok: 64:1 + [2:4@warp] + -4@warp",
        [](Reply& reply, const SwizzledLayout& l) { give_under(reply, l, [](const auto& x) { return axe::canonicalize(x); }); }),
    operation("same-canonical", "L M", "are the two canonical texts equal?",
              "of swizzled layouts a no does not mean that the maps differ: two swizzles may be one map of few elements",
              "overflow, capacity", "same-canonical; (4,16):(16,1); 64:1", "ok: yes",
              [](Reply& reply, const SwizzledLayout& l, const SwizzledLayout& m) {
                  const auto a = axe::canonicalize(l), b = axe::canonicalize(m);
                  if (!a || !b) return reply.refuse(a ? b.error() : a.error());
                  if (*a == *b) return give_decision(reply, true);
                  give_decision(reply, false, text_of(*a) + " and " + text_of(*b));
              }),
    operation("equal", "L M", "are two layouts the same map?",
              "L(x) = M(x) for every x; a no has the least x that differs, and the points of both there",
              "too_hard (replicas that overlap too much)", "equal; (4,2):(2,1); (4,2):(1,4)", "ok: no: at 1: {m:1} vs {m:4}",
              [](Reply& reply, const SwizzledLayout& l, const SwizzledLayout& m) {
                  const axe::Decision decision = axe::equal(l, m);
                  if (decision.undecided()) return reply.refuse(decision.error());
                  if (decision) return give_decision(reply, true);
                  give_decision(reply, false);
                  if (decision.witness() < 0) {
                      const std::int64_t n = *axe::size(l.layout), k = *axe::size(m.layout);
                      reply.text.append(": sizes ").append(std::to_string(n)).append(" and ").append(std::to_string(k));
                      if (reply.json()) reply.fields.key("sizes").open('[').number(n).number(k).close(']');
                      return;
                  }
                  reply.text.append(": at ").append(std::to_string(decision.witness())).append(": ");
                  if (reply.json()) reply.fields.key("index").number(decision.witness());
                  if (!give_side(reply, "left", l, decision.witness())) return;
                  reply.text += " vs ";
                  give_side(reply, "right", m, decision.witness());
              }),
    operation("injective", "L [EXTENTS]", "do different indices have different points?",
              "L(x) and L(y) share no point for x /= y; a no has two indices and a point; EXTENTS do not matter",
              "overflow, too_hard (strides that overlap too much)", "injective; (2,3):(2,1)", "ok: no: indices 2 and 3 share {m:2}",
              [](const SwizzledLayout& l, const std::optional<Box>&) { return is_injective(l); }),
    operation("surjective", "L [EXTENTS]", "is each point of the box reached?",
              "the box is [0, n) on each axis, n of the EXTENTS, or else of the spans; a no has the least point that is missed",
              "bad_extent, bad_axis, overflow, too_hard", "surjective; (2,2):(4,1); box {m:6}", "ok: no: nothing is at {m:2}",
              [](const Layout& l, const std::optional<Box>& box) { return is_surjective(l, box_or_spans(box, l)); }),
    operation("bijective", "L [EXTENTS]", "is each point of the box reached by one index, and none outside?",
              "the box is [0, n) on each axis, n of the EXTENTS, or else of the spans", "bad_extent, bad_axis, overflow, too_hard",
              "bijective; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg)", "ok: yes",
              [](const Layout& l, const std::optional<Box>& box) { return is_bijective(l, box_or_spans(box, l)); }),
    operation("contiguous", "L [EXTENTS]", "are successive elements contiguous on one axis?",
              "L(x) = L(0) + x@axis; a no has the least x that fails; EXTENTS do not matter", "overflow",
              "contiguous; (4,8):(10,1)", "ok: no: index 7 is at {m:7}, index 8 is at {m:10}",
              [](const SwizzledLayout& l, const std::optional<Box>&) { return is_contiguous(l); }),
};

} // namespace compare_table
} // namespace

constinit const std::span<const Operation> compare_operations = compare_table::rows;

} // namespace axe_cli
