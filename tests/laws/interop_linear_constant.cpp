// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_constant.hpp"

#include <axe/interop/linear.hpp>

/// Every operation and conversion of linear layouts: the compiler's answer is that of the program.
namespace {

using namespace axe;
using namespace axe::linear;

struct Layouts {
    static constexpr LinearLayout list[] = {
        to_linear_layout(MmaEncoding{2, {1, 2}, {16, 8}, {}}, {16, 16}).value(),
        to_linear_layout(BlockedEncoding{{1, 2}, {4, 8}, {2, 1}, {1, 0}, {}}, {16, 16}).value(),
        to_linear_layout(SwizzledSharedEncoding{2, 1, 8, {1, 0}, {}}, {16, 16}).value(),
        identity_1d(8, "lane", "dim0").value(),
        zeros_1d(4, "register", "dim0", 2).value(),
        LinearLayout{{{"register", 2}}, {{"dim0", 1}, {"dim1", 1}}, {3, 3}}, // neither injective nor surjective
        LinearLayout{{{"a", 1}, {"a", 1}}, {{"dim0", 1}}, {1, 1}},           // none
    };
};

} // namespace

TEST_CASE("constant: operations on one linear layout")
{
    const auto law = [](auto f, int least) { CHECK(constant::each<Layouts>(f).answered >= least); };
    law([](const LinearLayout& l) { return check(l); }, 6);
    law([](const LinearLayout& l) { return invert(l); }, 4);
    law([](const LinearLayout& l) { return pseudo_invert(l); }, 4);
    law([](const LinearLayout& l) { return linear::rank(l); }, 6);
    law([](const LinearLayout& l) { return is_injective(l); }, 6);
    law([](const LinearLayout& l) { return is_surjective(l); }, 6);
    law([](const LinearLayout& l) { return is_invertible(l); }, 6);
    law([](const LinearLayout& l) { return is_trivial_over(l, {"lane", "dim0"}); }, 1);
    law([](const LinearLayout& l) { return free_variable_masks(l); }, 6);
    law([](const LinearLayout& l) { return transpose_ins(l, {"block", "warp", "lane", "register"}); }, 2);
    law([](const LinearLayout& l) { return transpose_outs(l, {"dim1", "dim0"}); }, 4);
    law([](const LinearLayout& l) { return reshape_ins(l, {{"x", 2}, {"y", bits_of(l.in) - 2}}); }, 5);
    law([](const LinearLayout& l) { return reshape_outs(l, {{"x", 1}, {"y", bits_of(l.out) - 1}}); }, 6);
    law([](const LinearLayout& l) { return flatten_ins(l); }, 6);
    law([](const LinearLayout& l) { return flatten_outs(l); }, 6);
    law([](const LinearLayout& l) { return sublayout(l, {"register"}, {"dim0"}); }, 3);
    law([](const LinearLayout& l) { return quotient(l, {"block"}); }, 0);
    law([](const LinearLayout& l) { return resize_in(l, "register", 6); }, 4);
    law([](const LinearLayout& l) { return remove_unit_in(l, "block"); }, 2);
    law([](const LinearLayout& l) { return remove_unit_out(l, "dim1"); }, 0);
    law([](const LinearLayout& l) { return remove_dim(l, 0); }, 6);
    law([](const LinearLayout& l) { return distinct_registers(l); }, 2);
    law([](const LinearLayout& l) { return evaluate(l, Point{{"register", 1}, {"lane", 1}, {"warp", 0}, {"block", 0}}); }, 2);
    law([](const LinearLayout& l) { return apply(l, 1); }, 7);
}

TEST_CASE("constant: conversions and texts of linear layouts")
{
    const auto law = [](auto f, int least) { CHECK(constant::each<Layouts>(f).answered >= least); };
    law([](const LinearLayout& l) { return to_layout(l); }, 3);
    law([](const LinearLayout& l) { return to_swizzled(l, 2); }, 1);
    law(
        [](const LinearLayout& l) {
            const auto there = to_layout(l);
            return there ? to_linear(*there, shape_of(l)) : Result<LinearLayout>(there.error());
        },
        3);
    law(
        [](const LinearLayout& l) {
            const auto there = to_swizzled(l, 2);
            return there ? to_linear(*there, shape_of(l)) : Result<LinearLayout>(there.error());
        },
        1);
    law([](const LinearLayout& l) { return print(l); }, 7);
    law([](const LinearLayout& l) { return print_triton(l); }, 7);
    law(
        [](const LinearLayout& l) {
            const auto text = print(l);
            return parse_linear({text.c_str(), text.size});
        },
        6);
    law(
        [](const LinearLayout& l) {
            const auto text = print_triton(l);
            return parse_linear({text.c_str(), text.size});
        },
        6);
    law(
        [](const LinearLayout& l) { // half of a text is none
            const auto text = print(l);
            return parse_linear({text.c_str(), text.size / 2});
        },
        0);
}

TEST_CASE("constant: operations on two linear layouts")
{
    const auto law = [](auto f, int least) { CHECK(constant::pairs<Layouts>(f).answered >= least); };
    law([](const LinearLayout& a, const LinearLayout& b) { return compose(a, b); }, 0);
    law(
        [](const LinearLayout& a, const LinearLayout& b) { // from one input to the other's
            const auto back = invert(b);
            return back ? compose(a, *back) : Result<LinearLayout>(back.error());
        },
        9);
    law([](const LinearLayout& a, const LinearLayout& b) { return invert_and_compose(a, b); }, 9);
    law([](const LinearLayout& a, const LinearLayout& b) { return product(a, b); }, 9);
    law([](const LinearLayout& a, const LinearLayout& b) { return divide_left(a, b); }, 3);
    law([](const LinearLayout& a, const LinearLayout& b) { return divide_right(a, b); }, 3);
    law([](const LinearLayout& a, const LinearLayout& b) { return concat_ins(a, b); }, 0);
    law([](const LinearLayout& a, const LinearLayout& b) { return concat_outs(a, b); }, 0);
    law([](const LinearLayout& a, const LinearLayout& b) { return reach_of(a, b); }, 4);
    law(
        [](const LinearLayout& a, const LinearLayout& b) {
            const auto p = register_permutation(a, b);
            return p ? Result<LinearLayout>(p->source) : Result<LinearLayout>(p.error());
        },
        0);
    law(
        [](const LinearLayout& a, const LinearLayout& b) {
            const auto s = shuffles(a, b, 2);
            return s ? Result<LinearLayout>(s->moves) : Result<LinearLayout>(s.error());
        },
        0);
    law(
        [](const LinearLayout& a, const LinearLayout& b) {
            const auto s = optimal_swizzle(a, b, 2);
            return s ? Result<LinearLayout>(s->shared) : Result<LinearLayout>(s.error());
        },
        4);
    law(
        [](const LinearLayout& a, const LinearLayout& b) {
            const auto v = vector_bits(a, b, 2);
            return v ? shared_traffic(a, b, 2, *v) : Result<SharedTraffic>(v.error());
        },
        2);
}
