// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts put together, and taken apart again.
#include "operation.hpp"

namespace axe_cli {
namespace {
namespace combine_table {

using axe::Layout, axe::Shape;
using Summed = PlainLayout<Unswizzled::difference>;

constexpr Operation rows[] = {
    operation("tile", "C S_C B S_B", "copies of the tile B, laid out by C",
              "T(z|y) = span(B) * C(z) + B(y), on the interleaved shape",
              "none: a shape does not cut its layout into dimension groups, or under a swizzle the sum is not a layout\n"
              "rank_mismatch, size_mismatch, bad_argument (two swizzles), overflow, capacity, too_hard",
              "tile; (2,3):(3@cta,1@cta); (2,3); (4,2):(2,1); (4,2)", "ok: (2,4,3,2):(3@cta,2,1@cta,1)",
              [](Reply& reply, const SwizzledLayout& c, const Shape& c_shape, const SwizzledLayout& b, const Shape& b_shape) {
                  give_under(reply, c, b, [&](const auto& x, const auto& y) { return axe::tile(x, c_shape, y, b_shape); });
              }),
    operation("untile", "A S_A B S_B", "the C of which A is the tiling by B", "tile(C, B) = A",
              "none: A is not a tiling by B\n"
              "rank_mismatch, size_mismatch, overflow, capacity, too_hard",
              "untile; (2,4,3,2):(3@cta,2,1@cta,1); (8,6); (4,2):(2,1); (4,2)", "ok: 6:1@cta",
              [](Reply& reply, const SwizzledLayout& a, const Shape& a_shape, const SwizzledLayout& b, const Shape& b_shape) {
                  give_under(reply, a, b, [&](const auto& x, const auto& y) { return axe::untile(x, a_shape, y, b_shape); });
              }),
    operation("untile-outer", "A S_A B S_B", "the tile X of which A is the tiling that B lays out", "tile(B, X) = A",
              "none: B lays out no tile to give A\n"
              "rank_mismatch, size_mismatch, overflow, capacity, too_hard",
              "untile-outer; (2,4,3,2):(3@cta,2,1@cta,1); (8,6); (2,3):(3@cta,1@cta); (2,3)", "ok: 8:1",
              [](Reply& reply, const SwizzledLayout& a, const Shape& a_shape, const SwizzledLayout& b, const Shape& b_shape) {
                  give_under(reply, a, b, [&](const auto& x, const auto& y) { return axe::untile_outer(x, a_shape, y, b_shape); });
              }),
    operation("sum", "A S_A B S_B", "the direct sum: a tiling without its scale",
              "(A+B)(z|y) = A(z) + B(y), on the interleaved shape",
              "none: a shape does not cut its layout into dimension groups, or under a swizzle the sum is not a layout\n"
              "rank_mismatch, size_mismatch, bad_argument (two swizzles), overflow, capacity, too_hard",
              "sum; (2,2):(8,2); (2,2); (2,2):(4,1); (2,2)", "ok: 16:1",
              [](Reply& reply, const SwizzledLayout& a, const Shape& a_shape, const SwizzledLayout& b, const Shape& b_shape) {
                  give_under(reply, a, b, [&](const auto& x, const auto& y) { return axe::sum(x, a_shape, y, b_shape); });
              }),
    operation("unsum-left", "A S_A B S_B", "the X that summed with B gives A", "sum(X, B) = A",
              "none: no layout summed with B gives A\n"
              "rank_mismatch, size_mismatch, overflow, capacity, too_hard",
              "unsum-left; 16:1; (4,4); (2,2):(4,1); (2,2)", "ok: (2,2):(8,2)",
              [](const Summed& a, const Shape& a_shape, const Summed& b, const Shape& b_shape) {
                  return axe::unsum_left(*a, a_shape, *b, b_shape);
              }),
    operation("unsum-right", "A S_A B S_B", "the X that B summed with gives A", "sum(B, X) = A",
              "none: B summed with no layout gives A\n"
              "rank_mismatch, size_mismatch, overflow, capacity, too_hard",
              "unsum-right; 16:1; (4,4); (2,2):(8,2); (2,2)", "ok: (2,2):(4,1)",
              [](const Summed& a, const Shape& a_shape, const Summed& b, const Shape& b_shape) {
                  return axe::unsum_right(*a, a_shape, *b, b_shape);
              }),
    operation("compose", "A B", "A after B; B gives indices of A on the axis m", "C(x) = A(B(x))",
              "none: the composed map is not a layout\n"
              "out_of_domain (B leaves the domain of A), not_single_valued, bad_axis, overflow, capacity, too_hard",
              "compose; (4,8):(8,1); (8,4):(4,1)", "ok: 32:1",
              [](Reply& reply, const SwizzledLayout& a, const Layout& b) {
                  give_under(reply, a, [&](const auto& x) { return axe::compose(x, b); });
              }),
};

} // namespace combine_table
} // namespace

constinit const std::span<const Operation> combine_operations = combine_table::rows;

} // namespace axe_cli
