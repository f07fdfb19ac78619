// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From hardware back to the index, and what is missing.
#include "operation.hpp"

namespace axe_cli {
namespace {
namespace invert_table {

using axe::Layout;

constexpr Operation rows[] = {
    operation("inverse", "L AXES", "the index of each point of hardware, the axes in this order",
              "M(L(x)) = x; M is on the box [0, span) of each axis, row-major",
              "none: L is not a bijection onto that box\n"
              "bad_axis, overflow, capacity",
              "inverse; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg); warp,lane,reg", "ok: (2,8,8):(8,16,1)",
              [](const PlainLayout<Unswizzled::inverse>& l, const Layout::Axes& axes) { return axe::inverse(*l, axes); }),
    operation("left-inverse", "L", "the index of each value, of a layout on one axis", "M(L(x)) = x, of an injective layout",
              "none: no layout does that\n"
              "not_single_valued, overflow, capacity, too_hard",
              "left-inverse; (2,3):(5,1)", "ok: (2,4):(2,1)",
              [](const PlainLayout<Unswizzled::inverse>& l) { return axe::left_inverse(*l); }),
    operation("right-inverse", "L", "the longest run of values 0, 1, 2, ... found again", "L(R(i)) = i",
              "none: L does not reach 0, or moves on two axes\n"
              "not_single_valued, overflow, capacity, too_hard",
              "right-inverse; (4,8):(1,4)", "ok: (8,4):(1,8)",
              [](const PlainLayout<Unswizzled::inverse>& l) { return axe::right_inverse(*l); }),
    operation("complement", "L N", "the layout that fills the gaps up to N, of a layout on one axis",
              "L(x) + M(y) is each of 0 ... N-1 once, of an injective layout",
              "none: no layout does that\n"
              "bad_extent, not_single_valued, overflow, capacity",
              "complement; 4:2; 16", "ok: (2,2):(8,1)",
              [](const PlainLayout<Unswizzled::complement>& l, std::int64_t n) { return axe::complement(*l, n); }),
};

} // namespace invert_table
} // namespace

constinit const std::span<const Operation> invert_operations = invert_table::rows;

} // namespace axe_cli
