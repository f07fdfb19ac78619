// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton's linear layouts: the operations on tensors of 128 × 128 halves, and the way to and from Axe layouts.
#include "harness.hpp"

#include <axe/interop/linear.hpp>

namespace {

using namespace axe;
using namespace axe::linear;

const Shape square{128, 128};

/// What Triton has on the two sides of a tensor-core product: an accumulator, what loads coalesced, and where it lies between.
LinearLayout mma() { return to_linear_layout(MmaEncoding{2, {2, 2}, {16, 8}, {}}, square).value(); }
LinearLayout blocked() { return to_linear_layout(BlockedEncoding{{1, 8}, {4, 8}, {4, 1}, {1, 0}, {}}, square).value(); }
LinearLayout shared() { return to_linear_layout(SwizzledSharedEncoding{8, 1, 8, {1, 0}, {}}, square).value(); }

[[maybe_unused]] const bool registered = [] {
    using bench::add;
    const LinearLayout acc = mma(), rows = blocked(), memory = shared(), back = invert(memory).value();
    const auto compose = [](const LinearLayout& a, const LinearLayout& b) { return axe::linear::compose(a, b); };
    const auto invert_and_compose = [](const LinearLayout& a, const LinearLayout& b) {
        return axe::linear::invert_and_compose(a, b);
    };
    const auto invert = [](const LinearLayout& a) { return axe::linear::invert(a); };
    add("linear/compose/mma_shared", compose, acc, back);
    add("linear/compose/blocked_shared", compose, rows, back);
    add("linear/invert/mma", invert, acc);
    add("linear/invert/blocked", invert, rows);
    add("linear/invert/shared", invert, memory);
    add("linear/invert_and_compose/mma_blocked", invert_and_compose, acc, rows);
    add("linear/invert_and_compose/blocked_mma", invert_and_compose, rows, acc);
    add("linear/invert_and_compose/mma_shared", invert_and_compose, acc, memory);
    add("linear/invert_and_compose/shared_mma", invert_and_compose, memory, acc);
    add("linear/invert_and_compose/blocked_shared", invert_and_compose, rows, memory);
    add("linear/invert_and_compose/shared_blocked", invert_and_compose, memory, rows);

    // The tile that a warp has, and what repeats it.
    const LinearLayout tile = to_linear_layout(MmaEncoding{2, {1, 1}, {16, 8}, {}}, {16, 8}).value();
    const LinearLayout repeats = (identity_1d(2, "warp", "dim0").value() * identity_1d(2, "warp", "dim1")).value();
    const LinearLayout whole = axe::linear::product(tile, repeats).value();
    add("linear/product", [](const LinearLayout& a, const LinearLayout& b) { return axe::linear::product(a, b); }, tile, repeats);
    add("linear/divide_left", [](const LinearLayout& a, const LinearLayout& b) { return divide_left(a, b); }, whole, tile);
    add("linear/divide_right", [](const LinearLayout& a, const LinearLayout& b) { return divide_right(a, b); }, whole, repeats);
    add("linear/pseudo_invert", [](const LinearLayout& a) { return pseudo_invert(a); }, acc);
    add(
        "linear/sublayout", [](const LinearLayout& a, const Names& i, const Names& o) { return sublayout(a, i, o); }, acc,
        Names{"register", "lane"}, Names{"dim0", "dim1"});
    add(
        "linear/reshape_outs", [](const LinearLayout& a, const Dims& d) { return reshape_outs(a, d); }, acc,
        Dims{{"dim0", 4}, {"dim1", 4}, {"dim2", 6}});
    add(
        "linear/transpose_ins", [](const LinearLayout& a, const Names& n) { return transpose_ins(a, n); }, acc,
        Names{"warp", "lane", "register", "block"});
    add(
        "linear/transpose_outs", [](const LinearLayout& a, const Names& n) { return transpose_outs(a, n); }, acc,
        Names{"dim1", "dim0"});
    add("linear/flatten_outs", [](const LinearLayout& a) { return flatten_outs(a); }, acc);
    add("linear/is_invertible", [](const LinearLayout& a) { return is_invertible(a); }, acc);
    add("linear/free_variable_masks", [](const LinearLayout& a) { return free_variable_masks(a); }, acc);
    add(
        "linear/register_permutation", [](const LinearLayout& a, const LinearLayout& b) { return register_permutation(a, b); }, acc,
        acc);
    const LinearLayout columns = to_linear_layout(BlockedEncoding{{4, 2}, {1, 32}, {4, 1}, {1, 0}, {}}, square).value();
    add("linear/shuffles", [](const LinearLayout& a, const LinearLayout& b) { return shuffles(a, b, 2); }, rows, columns);
    add("linear/optimal_swizzle", [](const LinearLayout& a, const LinearLayout& b) { return optimal_swizzle(a, b, 2); }, rows, acc);

    const auto lines = print(acc);
    const auto list = print_triton(acc);
    add("linear/print", [](const LinearLayout& a) { return print(a); }, acc);
    add("linear/print_triton", [](const LinearLayout& a) { return print_triton(a); }, acc);
    add("linear/parse", [](const auto& t) { return parse_linear({t.c_str(), t.size}); }, lines);
    add("linear/parse_triton", [](const auto& t) { return parse_linear({t.c_str(), t.size}); }, list);

    const auto from_mma = [](const MmaEncoding& e) { return to_linear_layout(e, square); };
    add("linear/encoding/mma", from_mma, MmaEncoding{2, {2, 2}, {16, 8}, {}});
    const auto from_blocked = [](const BlockedEncoding& e) { return to_linear_layout(e, square); };
    add("linear/encoding/blocked", from_blocked, BlockedEncoding{{1, 8}, {4, 8}, {4, 1}, {1, 0}, {}});
    const auto from_shared = [](const SwizzledSharedEncoding& e) { return to_linear_layout(e, square); };
    add("linear/encoding/swizzled_shared", from_shared, SwizzledSharedEncoding{8, 1, 8, {1, 0}, {}});

    const auto to_linear = [](const Layout& l) { return axe::linear::to_linear(l, square); };
    const auto to_layout = [](const LinearLayout& l) { return axe::linear::to_layout(l); };
    const auto to_swizzled = [](const LinearLayout& l) { return axe::linear::to_swizzled(l, 2); };
    add("convert/linear/mma/out", to_layout, acc);
    add("convert/linear/mma/in", to_linear, axe::linear::to_layout(acc).value());
    add("convert/linear/blocked/out", to_layout, rows);
    add("convert/linear/blocked/in", to_linear, axe::linear::to_layout(rows).value());
    add("convert/linear/swizzled/out", to_swizzled, memory);
    add(
        "convert/linear/swizzled/in", [](const Swizzled<Layout>& l) { return axe::linear::to_linear(l, square); },
        axe::linear::to_swizzled(memory, 2).value());
    return true;
}();

} // namespace
