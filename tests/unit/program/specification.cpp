// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>

using namespace axe;
using enum DType;

namespace {

/// A kernel with a few tensors, and what it says of a formula for an output of that shape and type.
struct Writer {
    Kernel k{"f", machines::sm80};
    TensorRef A = k.input("A", {4, 6}, f16), B = k.input("B", {5, 6}, f16), I = k.input("I", {3}, i32), V = k.input("V", {6}, f32);
    TensorRef W = k.input("W", {6}, f64), X = k.inout("X", {4}, f32);
    TensorRef local = k.alloc(Role::global, {4}, f32, {}, "local");
    int outputs = 0;

    std::string said(const Shape& shape, const Formula& f)
    {
        Kernel& kernel = k;
        kernel.computes(kernel.output("D" + std::to_string(outputs++), shape, f32), f);
        const auto p = kernel.program();
        return p ? "" : p.error().text;
    }
};
/// The message of the only mistake of a kernel.
template <class F>
std::string mistake(const Shape& shape, F formula)
{
    Writer w;
    const std::string text = w.said(shape, formula(w));
    const std::string start = "f, specification of D0: ";
    CHECK(text.rfind(start, 0) == 0);
    return text.substr(std::min(text.size(), start.size()));
}
/// The last node of a formula that is one.
SpecificationNode typed(Writer& w, const Shape& shape, const Formula& f)
{
    const std::string text = w.said(shape, f);
    CAPTURE(text);
    REQUIRE(text.empty());
    const auto program = w.k.program().value();
    const Specification& s = *program.specification;
    return s.nodes[static_cast<std::size_t>(s.outputs.back().node)];
}

} // namespace

TEST_CASE("a program carries what its outputs are to be")
{
    Writer w;
    CHECK(w.k.program().value().specification == nullptr);
    CHECK(w.said({4, 5}, softmax(0.125 * matmul(w.A, w.B, {.transpose_b = true}), 1)).empty());
    CHECK(w.said({4}, w.X + 1).empty());
    w.k.computes(w.X, w.X * 2);
    const Program p = w.k.program().value();
    REQUIRE(p.specification != nullptr);
    CHECK(p.specification->outputs.size() == 3);
    CHECK(print(p, *p.specification) == "D0 = softmax((0.125 * matmul(A, B, transpose_b)), 1)\nD1 = (X + 1)\nX = (X * 2)\n");
}

TEST_CASE("formulas have the types that their operations are computed in")
{
    Writer w;
    CHECK(typed(w, {4, 6}, w.A + w.A).type == f32);
    CHECK(typed(w, {6}, w.V + w.W).type == f64);
    CHECK(typed(w, {4, 6}, (w.A + w.A).in(f16)).working == f16);
    CHECK(typed(w, {3}, w.I + 1).type == i32);
    CHECK(typed(w, {3}, w.I + 1).whole);
    CHECK(typed(w, {3}, w.I + 0.5).type == f32);
    CHECK_FALSE(typed(w, {3}, w.I + 0.5).whole);
    CHECK(typed(w, {3}, exp(w.I)).type == f32);
    CHECK(typed(w, {3}, w.I < 2).type == b1);
    CHECK(typed(w, {4, 6}, select(w.A < 1, w.A, 0)).type == f16);
    CHECK(typed(w, {4, 6}, max(w.A, 0)).type == f16);
    CHECK(typed(w, {4, 5}, matmul(w.A, w.B, {.transpose_b = true})).type == f32);
    CHECK(typed(w, {4, 4}, matmul(w.A, w.A, {.transpose_b = true}).in(f16)).type == f16);
    CHECK(typed(w, {4}, sum(w.A, 1)).type == f32);
    CHECK(typed(w, {3}, cast(w.I, f16)).type == f16);
    CHECK(typed(w, {4, 6}, rounded(w.A, f16)).type == f32);
    CHECK(typed(w, {7}, histogram(w.I, 7)).whole);
}

TEST_CASE("a node that several formulas share is there once")
{
    Writer w;
    const Formula shared = exp(w.A);
    CHECK(w.said({4, 6}, shared / shared).empty());
    CHECK(w.said({4, 6}, shared * 2).empty());
    const auto program = w.k.program().value();
    int count = 0;
    for (const SpecificationNode& n : program.specification->nodes) count += n.formula == shared.shared() ? 1 : 0;
    CHECK(count == 1);
}

TEST_CASE("what is wrong with a formula is said with the names of its tensors")
{
    CHECK(mistake({4, 5}, [](Writer& w) { return matmul(w.A, w.B) + 1; }) ==
          "matmul(A, B): the operands are 4×6 and 5×6: the inner extents are 6 and 5; they must be equal");
    CHECK(mistake({4, 6}, [](Writer& w) { return exp(w.A + w.B); }) ==
          "(A + B): shapes 4×6 and 5×6 do not broadcast: dimension 2 from the end is 4 and 5");
    CHECK(mistake({4, 5}, [](Writer& w) { return exp(w.A); }) == "exp(A) is 4×6, the output is 4×5");
    CHECK(mistake({4, 6}, [](Writer& w) { return softmax(w.A, 2); }) == "softmax(A, 2): no dimension 2 in an operand of 4×6");
    CHECK(mistake({4}, [](Writer& w) { return sum(w.A, {1, -1}); }) == "sum(A, {1, -1}): the axes name dimension 1 twice");
    CHECK(mistake({4}, [](Writer& w) { return reduce(Function::sub, w.A, {1}); }) ==
          "sub(A, 1): sub is not an operation of reductions");
    CHECK(mistake({4}, [](Writer& w) { return matmul(w.V, w.V); }) ==
          "matmul(V, V): the operands are 6 and 6; they must have at least two dimensions");
    CHECK(mistake({6, 4}, [](Writer& w) { return permute(w.A, {0, 0}); }) ==
          "permute(A, {0, 0}): the order of 2 numbers does not name each dimension of 4×6 once");
    CHECK(mistake({5, 5}, [](Writer& w) { return reshape(w.A, {5, 5}); }) ==
          "reshape(A, {5, 5}): 4×6 and 5×5 do not have as many elements");
    CHECK(mistake({4, 1}, [](Writer& w) { return slice(w.A, 1, 0, 0); }).find("0 indices from 0 on") != std::string::npos);
    CHECK(mistake({4, 3}, [](Writer& w) { return slice(w.A, 1, 2, 3, 2); }) ==
          "slice(A, 1, 2, 3, 2): 3 indices from 2 on, 2 apart, are not in dimension 1 of 6 indices");
    CHECK(mistake({4, 6}, [](Writer& w) { return shift(w.A, {1}); }) ==
          "shift(A, {1}): the offset has 1 number, the operand is 4×6");
    CHECK(mistake({4, 6}, [](Writer& w) { return broadcast(w.B, {4, 6}); }).find("dimension 2 from the end is 4 and 5") !=
          std::string::npos);
    CHECK(mistake({6}, [](Writer& w) { return broadcast(w.A, {6}); }) == "broadcast(A, {6}): 4×6 does not broadcast to 6");
    CHECK(mistake({3, 6}, [](Writer& w) { return gather(w.A, w.V); }) == "gather(A, V): an index of f32 is not of integers");
    CHECK(mistake({3}, [](Writer& w) { return gather_at(w.A, {w.I, w.I, w.I}); }) ==
          "gather(A, I, I, I): an operand of 4×6 is given 3 indices; it must be 1 to 2");
    CHECK(mistake({4, 6}, [](Writer& w) { return gather_at(w.A, {}); }) ==
          "gather(A): an operand of 4×6 is given 0 indices; it must be 1 to 2");
    CHECK(mistake({3}, [](Writer& w) { return gather_at(w.A, {w.I, w.V}); }) ==
          "gather(A, I, V): an index of f32 is not of integers");
    CHECK(mistake({4}, [](Writer& w) { return scatter_add(w.X, w.I, w.V); }) ==
          "scatter_add(X, I, V): shapes 3 and 6 do not broadcast: dimension 1 from the end is 3 and 6");
    CHECK(mistake({9, 6}, [](Writer& w) { return concat({w.A, w.B, w.V}, 0); }) ==
          "concat(A, B, V, 0): part 2 is 6, the first is 4×6; they must be equal but in dimension 0");
    CHECK(mistake({4, 6}, [](Writer& w) { return elementwise(Function::fma, {w.A, w.A}); }) ==
          "fma(A, A): fma is of 3 operands, 2 are given");
    CHECK(mistake({4, 6}, [](Writer& w) { return elementwise(Function::bit_or, {w.A, w.A}); }) ==
          "bit_or(A, A): bit_or is of integers, and an operand is not");
    CHECK(mistake({4, 6}, [](Writer& w) { return exp(w.A).in(i8); }) ==
          "exp(A).in(i8): a working type is a floating-point type, not i8");
    CHECK(mistake({4, 6}, [](Writer& w) { return rounded(w.A, u8); }) ==
          "rounded(A, u8): a working type is a floating-point type, not u8");
    CHECK(mistake({4}, [](Writer& w) { return w.local + 1; }) == "local: local is local; a formula is of inputs");
    CHECK(mistake({4}, [](Writer& w) { return by_function("g", {}, {w.A}, {4}, f32); }) == "g(A): function `g` is empty");
}

TEST_CASE("what is wrong with an output is said with its name")
{
    Writer w;
    w.k.computes(w.A, w.A);
    CHECK(w.k.program().error().text == "f, specification of A: an input is not computed; name an output or inout");
    Writer l;
    l.k.computes(l.local, l.X);
    CHECK(l.k.program().error().text == "f, specification of local: a local tensor is not seen outside; name an output or inout");
    Writer twice;
    twice.k.computes(twice.X, twice.X).computes(twice.X, twice.X);
    CHECK(twice.k.program().error().text == "f, specification of X: a second formula; an output has one");
    Writer one, other;
    one.k.computes(one.X, other.X);
    CHECK(one.k.program().error().text ==
          "f, specification of X: X: the tensor is another kernel's; a formula is of tensors of its own kernel");
    Writer another;
    another.k.computes(other.X, other.X);
    CHECK(another.k.program().error().text == "f, specification: the output is another kernel's");
    Writer output;
    const auto D = output.k.output("D", {4}, f32);
    output.k.computes(output.X, D);
    CHECK(output.k.program().error().text == "f, specification of X: D: D is an output; a formula is of inputs");
}

TEST_CASE("a formula too deep is a problem, and one just within is not")
{
    Writer w;
    Formula f = w.X;
    while (f.node().depth < max_formula_depth) f = f + 1;
    CHECK(w.said({4}, f).empty());
    CHECK(w.said({4}, f + 1) == "f, specification of D1: the formula is 2001 operations deep; at most 2000");
}

TEST_CASE("formulas are printed as they are written, and long ones cut")
{
    Writer w;
    CHECK(w.said({4, 6}, select(iota({4, 6}, 1) <= iota({4, 6}, 0), cast(rounded(w.A, bf16), f32), -1e30)).empty());
    CHECK(w.said({4, 1}, sum(w.A, {1}, keep_dims) / 6).empty());
    CHECK(w.said({4, 6}, shift(w.A, {0, -1}, 2) - w.A).empty());
    CHECK(w.said({9, 6}, concat({w.A, w.B}, 0)).empty());
    Program p = w.k.program().value();
    CHECK(print(p, *p.specification) == "D0 = select((iota({4, 6}, 1) <= iota({4, 6}, 0)), cast(rounded(A, bf16), f32), -1e+30)\n"
                                        "D1 = (sum(A, 1, keep_dims) / 6)\n"
                                        "D2 = (shift(A, {0, -1}, 2) - A)\n"
                                        "D3 = concat(A, B, 0)\n");
    Formula f = w.X;
    for (int i = 0; i < 1000; ++i) f = f + f;
    CHECK(print(p, f, 20).size() < 40);
}
