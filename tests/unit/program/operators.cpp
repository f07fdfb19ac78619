// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/operators.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>

#include <set>

using namespace axe;
using enum DType;

namespace {

/// Tensors a, b, c, … of what is given, and an operation on all of them; what the operator's row says to it.
struct Operand {
    Shape shape;
    DType type = f32;
    const char* memory = "gmem";
};
Program program_of(const std::vector<Operand>& operands, Operation& operation)
{
    Kernel k("k", machines::sm80);
    int n = 0;
    operation.operands.clear();
    for (const Operand& o : operands) {
        const TensorRef t = k.inout(std::string(1, static_cast<char>('a' + n++)), o.shape, o.type);
        operation.operands.push_back(t.view());
    }
    Program p = k.program().value();
    for (std::size_t i = 0; i < operands.size(); ++i) p.tensors[i].memory = operands[i].memory;
    return p;
}
std::string said(Operation operation, const std::vector<Operand>& operands)
{
    const Program p = program_of(operands, operation);
    return operation.op.row().check(p, operation).error().text;
}
Operation op(Op which, Function f = Function::identity)
{
    Operation o;
    o.op = which;
    o.function = f;
    return o;
}
Operation fill(double number)
{
    Operation o = op(Op::fill);
    o.number = number;
    return o;
}
Operation reduce(Function f, InlineVector<int, max_rank> axes)
{
    Operation o = op(Op::reduce, f);
    o.axes = axes;
    return o;
}

} // namespace

TEST_CASE("each operator has a row in its place and a name of its own")
{
    std::set<std::string> names;
    for (const Operator& row : operator_rows) {
        CHECK(&Op(row).row() == &row);
        CHECK(find_operator(row.name) == &row);
        CHECK(std::string(row.operands[0]) == (std::string(row.name) == "prefetch" ? "A" : "D")); // which writes nothing
        names.insert(row.name);
    }
    CHECK(names == std::set<std::string>{"fill",        "copy",      "copy_async", "map",    "reduce",      "gemm",
                                         "scaled_gemm", "gather",    "scatter",    "atomic", "atomic_rows", "compare_exchange",
                                         "iota",        "prefetch",  "raw",        "scan",   "shift_rows",  "load_reduce",
                                         "store_all",   "reduce_all"});
    CHECK(find_operator("Copy") == nullptr);
    CHECK(Op(operator_rows[0]) == Op::fill);
    CHECK(Op::fill != Op::copy);
    CHECK(std::string(name(Op::copy_async)) == "copy_async");
}

TEST_CASE("operators without the operands they take are refused")
{
    CHECK(said(op(Op::copy), {{{4}}}) == "it takes 2 operands and is given 1");
    CHECK(said(fill(0), {{{4}}, {{4}}}) == "it takes 1 operand and is given 2");
    CHECK(said(op(Op::gemm), {{{4, 4}}}) == "it takes 3 operands and is given 1");
    CHECK(said(op(Op::gather), {{{4, 4}}}) == "it takes 3 operands and is given 1");
    CHECK(said(op(Op::atomic, Function::add), {{{4}}}) == "it takes 2 operands and is given 1");
    CHECK(said(op(Op::reduce, Function::add), {}) == "it takes 2 operands and is given 0");
    CHECK(said(op(Op::map, Function::fma), {{{4}}, {{4}}}) == "fma takes 3 operands after D and is given 1");
    CHECK(said(op(Op::map, Function::neg), {}) == "neg takes 1 operand after D and is given -1");
}

TEST_CASE("fill: the number is one of the type's")
{
    for (const DType t : {f64, f32, tf32, f16, bf16, dl16, e4m3, e5m2, ue4m3, e3m2, e2m3, e2m1, i32, i16, i8, u8, i4, b1})
        CHECK(said(fill(0), {{{4}, t}}).empty());
    CHECK(said(fill(0.1), {{{4}, f16}}).empty()); // rounded as a copy would
    CHECK(said(fill(-std::numeric_limits<double>::infinity()), {{{4}, f16}}).empty());
    CHECK(said(fill(std::nan("")), {{{4}, bf16}}).empty());
    CHECK(said(fill(1e6), {{{4}, f16}}) == "D `a` is of f16, which has no 1000000");
    CHECK(said(fill(-1), {{{4}, u8}}) == "D `a` is of u8, which has no -1");
    CHECK(said(fill(0.5), {{{4}, i32}}) == "D `a` is of i32, which has no 0.5");
    CHECK(said(fill(8), {{{4}, i4}}) == "D `a` is of i4, which has no 8");
    CHECK(said(fill(2), {{{4}, b1}}) == "D `a` is of b1, which has no 2");
    CHECK(said(fill(std::numeric_limits<double>::infinity()), {{{4}, e4m3}}) == "D `a` is of e4m3, which has no inf");
    CHECK(said(fill(0), {{{4}, e8m0}}) == "D `a` is of e8m0, which has no 0");
    CHECK(said(fill(-1), {{{4}, ue4m3}}) == "D `a` is of ue4m3, which has no -1");
    CHECK(said(fill(8), {{{4}, e2m1}}) == "D `a` is of e2m1, which has no 8");
    CHECK(said(fill(std::nan("")), {{{4}, e3m2}}) == "D `a` is of e3m2, which has no nan");
    CHECK(said(fill(0.3), {{{4}, e2m3}}).empty());
    CHECK(said(fill(6), {{{4}, e2m1}}).empty());
}

TEST_CASE("copy: extents agree, types need not")
{
    CHECK(said(op(Op::copy), {{{128, 32}, f16}, {{128, 32}, f32}}).empty());
    CHECK(said(op(Op::copy), {{{128, 32}}, {{128, 16}}}) == "D `a` is 128×32, A `b` is 128×16; their extents must be equal");
    CHECK(said(op(Op::copy_async), {{{128}}, {{128, 1}}}) == "D `a` is 128, A `b` is 128×1; their extents must be equal");
    CHECK(said(op(Op::copy), {{{}}, {{2}}}) == "D `a` is one element, A `b` is 2; their extents must be equal");
}

TEST_CASE("what is written does not repeat")
{
    Kernel k("k", machines::sm80);
    const auto a = k.inout("a", {4}, f32), b = k.inout("b", {4, 3}, f32);
    Operation o = op(Op::copy);
    o.operands = {a.repeated(1, 3).view(), b.view()};
    const Program p = k.program().value();
    CHECK(Op::copy.row().check(p, o).error().text ==
          "D `a` repeats its elements along dimension 1; only an operand that is read can repeat");
    o.operands = {b.view(), a.repeated(1, 3).view()};
    CHECK(Op::copy.row().check(p, o).error().text.empty());
    o = op(Op::atomic, Function::add); // whose purpose it is
    o.operands = {a.repeated(1, 3).view(), b.view()};
    CHECK(Op::atomic.row().check(p, o).error().text.empty());
}

TEST_CASE("map: as many operands as the function has, of its kind")
{
    CHECK(said(op(Op::map, Function::add), {{{4}}, {{4}, f16}, {{4}, i32}}).empty());
    CHECK(said(op(Op::map, Function::less), {{{4}, b1}, {{4}}, {{4}}}).empty());
    CHECK(said(op(Op::map, Function::exp), {{{4}}, {{4}}, {{4}}}) == "exp takes 1 operand after D and is given 2");
    CHECK(said(op(Op::map, Function::add), {{{4}}, {{4}}, {{5}}}) == "D `a` is 4, B `c` is 5; their extents must be equal");
    CHECK(said(op(Op::map, Function::exp), {{{4}, f32}, {{4}, i32}}) ==
          "A `b` is of i32; exp takes floating-point numbers: copy it to a floating-point type first");
    CHECK(said(op(Op::map, Function::bit_or), {{{4}, i32}, {{4}, i32}, {{4}, f32}}) ==
          "B `c` is of f32; bit_or takes integers and b1");
    CHECK(said(op(Op::map, Function::bit_or), {{{4}, f32}, {{4}, i32}, {{4}, i32}}) ==
          "D `a` is of f32; bit_or takes integers and b1");
}

TEST_CASE("reduce: over dimensions of A that D does not have")
{
    CHECK(said(reduce(Function::add, {1}), {{{4, 6}}, {{4, 5, 6}}}).empty());
    CHECK(said(reduce(Function::max, {2, 0}), {{{5}}, {{4, 5, 6}}}).empty());
    CHECK(said(reduce(Function::max, {0}), {{{}}, {{4}}}).empty());
    CHECK(said(reduce(Function::add, {1}), {{{5, 6}}, {{4, 5, 6}}}) ==
          "D `a` is 5×6, A `b` is 4×5×6; without the reduced dimensions the shape is 4×6");
    CHECK(said(reduce(Function::add, {3}), {{{5, 6}}, {{4, 5, 6}}}) == "dimension 3 is reduced; A `b` is 4×5×6");
    CHECK(said(reduce(Function::add, {-1}), {{{5, 6}}, {{4, 5, 6}}}) == "dimension -1 is reduced; A `b` is 4×5×6");
    CHECK(said(reduce(Function::add, {0, 0}), {{{5, 6}}, {{4, 5, 6}}}) == "the reduced dimensions name 0 twice");
    CHECK(said(reduce(Function::add, {}), {{{4}}, {{4}}}) == "no dimension of A `b` is reduced");
    CHECK(said(reduce(Function::sub, {0}), {{{}}, {{4}}}) == "sub is not a reduction: the value depends on the order");
    CHECK(said(reduce(Function::bit_and, {0}), {{{}, i32}, {{4}, f32}}) == "A `b` is of f32; bit_and takes integers and b1");
}

TEST_CASE("gemm: extents agree, transposed or not")
{
    Operation o = op(Op::gemm);
    CHECK(said(o, {{{8, 16}}, {{8, 4}}, {{4, 16}}}).empty());
    CHECK(said(o, {{{8}}, {{8, 4}}, {{4, 16}}}) == "D `a` is 8; a matrix has two dimensions");
    CHECK(said(o, {{{8, 16}}, {{8, 4}}, {{4, 15}}}) == "D `a` is 8×16, B `c` is 4×15; their columns differ");
    CHECK(said(o, {{{8, 16}}, {{7, 4}}, {{4, 16}}}) == "D `a` is 8×16, A `b` is 7×4; their rows differ");
    CHECK(said(o, {{{8, 16}}, {{8, 4}}, {{5, 16}}}) == "A `b` is 8×4, B `c` is 5×16; their summed dimensions differ");
    o.transpose_a = true;
    CHECK(said(o, {{{8, 16}}, {{4, 8}}, {{4, 16}}}).empty());
    CHECK(said(o, {{{8, 16}}, {{8, 4}}, {{4, 16}}}) == "D `a` is 8×16, A `b` is 8×4 transposed; their rows differ");
    o.transpose_b = true;
    CHECK(said(o, {{{8, 16}}, {{4, 8}}, {{16, 4}}}).empty());
    CHECK(said(o, {{{8, 16}}, {{4, 8}}, {{16, 5}}}) ==
          "A `b` is 4×8 transposed, B `c` is 16×5 transposed; their summed dimensions differ");
}

TEST_CASE("gemm: types of the operands say what sums are of")
{
    const auto typed = [](DType d, DType a, DType b) { return said(op(Op::gemm), {{{8, 16}, d}, {{8, 4}, a}, {{4, 16}, b}}); };
    const GemmTypes known[] = {{f16, f16, f32}, {f16, f16, f16},   {bf16, bf16, f32}, {tf32, tf32, f32}, {f32, f32, f32},
                               {f64, f64, f64}, {e4m3, e5m2, f32}, {e5m2, e5m2, f32}, {i8, i8, i32},     {u8, i8, i32},
                               {i4, i4, i32},   {dl16, dl16, f32}, {dl16, dl16, dl16}};
    for (const GemmTypes& t : known) CHECK(typed(t.d, t.a, t.b).empty());
    for (const DType a : {e4m3, e5m2, e3m2, e2m3, e2m1})
        for (const DType b : {e4m3, e5m2, e3m2, e2m3, e2m1}) CHECK((typed(f32, a, b).empty() && typed(f16, a, b).empty()));
    CHECK(!typed(f32, e2m1, f16).empty());
    CHECK(!typed(f16, e2m1, f16).empty());
    CHECK(typed(bf16, e2m1, e2m1) == "D `a` is of bf16, A `b` is of e2m1; sums of such products have the type f32 or f16");
    CHECK(typed(bf16, f16, f16) == "D `a` is of bf16, A `b` is of f16; sums of such products have the type f32 or f16");
    CHECK(typed(f32, i8, i8) == "D `a` is of f32, A `b` is of i8; sums of such products have the type i32");
    CHECK(typed(f32, f16, bf16) == "A `b` is of f16, B `c` is of bf16; no product of these types exists");
    CHECK(typed(i32, i32, i32) == "A `b` is of i32, B `c` is of i32; no product of these types exists");
}

TEST_CASE("gather and scatter: a row for each index")
{
    CHECK(said(op(Op::gather), {{{3, 16}}, {{100, 16}}, {{3}, i32}}).empty());
    CHECK(said(op(Op::gather), {{{3}}, {{100}}, {{3}, i32}}).empty());
    CHECK(said(op(Op::scatter), {{{100, 16}}, {{3}, i32}, {{3, 16}}}).empty());
    CHECK(said(op(Op::gather), {{{3, 16}}, {{100, 16}}, {{3}, f32}}) == "index `c` is of f32; an index has the type i32");
    CHECK(said(op(Op::gather), {{{3, 1, 16}}, {{100, 16}}, {{3, 1}, i32}}).empty());
    CHECK(said(op(Op::gather), {{{3}}, {{100, 16}}, {{3}, i32}, {{3}, i32}}).empty());
    CHECK(said(op(Op::gather), {{{3, 16}}, {{100, 16}}, {{3, 1}, i32}}) ==
          "D `a` is 3×16, A `b` is 100×16, index `c` is 3×1; the first must have one row for each index, of the shape of the "
          "second's rows");
    CHECK(said(op(Op::gather), {{{3, 16}}, {{100, 15}}, {{3}, i32}}) ==
          "D `a` is 3×16, A `b` is 100×15, index `c` is 3; the first must have one row for each index, of the shape of the "
          "second's rows");
    CHECK(said(op(Op::scatter), {{{100, 16}}, {{3}, i32}, {{4, 16}}}) ==
          "A `c` is 4×16, D `a` is 100×16, index `b` is 3; the first must have one row for each index, of the shape of the "
          "second's rows");
    CHECK_FALSE(said(op(Op::gather), {{{}}, {{}}, {{1}, i32}}).empty());
}

TEST_CASE("atomic: of some functions, between equal types, where others reach")
{
    CHECK(said(op(Op::atomic, Function::add), {{{4}}, {{4}}}).empty());
    CHECK(said(op(Op::atomic, Function::identity), {{{4}, i32}, {{4}, i32}}).empty());
    CHECK(said(op(Op::atomic, Function::bit_xor), {{{4}, i32, "smem"}, {{4}, i32, "reg"}}).empty());
    CHECK(said(op(Op::atomic, Function::inc), {{{4}, i32, "smem"}, {{4}, i32, "reg"}}).empty());
    CHECK(said(op(Op::atomic, Function::dec), {{{4}, i16, "smem"}, {{4}, i16, "reg"}}) ==
          "D `a` is of i16; dec is of i32, as unsigned numbers");
    CHECK(said(op(Op::atomic, Function::mul), {{{4}}, {{4}}}) ==
          "mul is not an atomic function; these are add, min, max, bit_and, bit_or, bit_xor, inc, dec and identity (exchange)");
    CHECK(said(op(Op::atomic, Function::add), {{{4}, f32}, {{4}, f16}}) ==
          "D `a` is of f32, A `b` is of f16; an atomic operation does not convert");
    CHECK(said(op(Op::atomic, Function::add), {{{4}, i8}, {{4}, i8}}) ==
          "D `a` is of i8; an atomic operation takes elements of at least 16 bits");
    CHECK(said(op(Op::atomic, Function::bit_and), {{{4}}, {{4}}}) == "D `a` is of f32; bit_and takes integers and b1");
    CHECK(said(op(Op::atomic, Function::add), {{{4}, f32, "reg"}, {{4}}}) == "D `a` is in reg, which no other agent can access");
    CHECK(said(op(Op::atomic, Function::add), {{{4}}, {{3}}}) == "D `a` is 4, A `b` is 3; their extents must be equal");
}

TEST_CASE("iota and scan: along one dimension that there is")
{
    Operation o = op(Op::iota);
    o.axes = {1};
    CHECK(said(o, {{{4, 3}, i32}}).empty());
    CHECK(said(o, {{{4}, i32}}) == "it goes along dimension 1; D `a` is 4");
    o.axes = {};
    CHECK(said(o, {{{4}, i32}}) == "it is given 0 dimensions; it goes along one");
    o = op(Op::scan, Function::add);
    o.axes = {0};
    CHECK(said(o, {{{4, 3}}, {{4, 3}}}).empty());
    CHECK(said(o, {{{4, 3}}, {{4, 2}}}) == "D `a` is 4×3, A `b` is 4×2; their extents must be equal");
    o.function = Function::sub;
    CHECK(said(o, {{{4}}, {{4}}}) == "sub is not a reduction: the value depends on the order");
    o.function = Function::bit_or;
    CHECK(said(o, {{{4}}, {{4}}}) == "D `a` is of f32; bit_or takes integers and b1");
    o.function = Function::max;
    o.exclusive = true;
    CHECK(said(o, {{{4}}, {{4}}}).empty());
    CHECK(said(o, {{{4}, DType::e4m3}, {{4}}}) == "D `a` is of e4m3, which has no -inf");
}

TEST_CASE("atomic_rows and compare_exchange: a row for each index, of one type, and registers for what was there")
{
    const Operation add = op(Op::atomic_rows, Function::add), cas = op(Op::compare_exchange);
    CHECK(said(add, {{{100, 16}}, {{3}, i32}, {{3, 16}}}).empty());
    CHECK(said(add, {{{100, 16}}, {{3}, i32}, {{3, 16}}, {{3, 16}, f32, "reg"}}).empty());
    CHECK(said(cas, {{{100}, i32}, {{3}, i32}, {{3}, i32}, {{3}, i32, "reg"}}).empty());
    CHECK(said(cas, {{{100}, i32}, {{3}, i32}, {{3}, i32}}) == "it takes 4 operands and is given 3");
    CHECK(said(op(Op::atomic_rows, Function::sub), {{{100}}, {{3}, i32}, {{3}}}) ==
          "sub is not an atomic function; these are add, min, max, bit_and, bit_or, bit_xor, inc, dec and identity (exchange)");
    CHECK(said(add, {{{100}, i32}, {{3}, i32}, {{3}}}) == "D `a` is of i32, A `c` is of f32; an atomic operation does not convert");
    CHECK(said(add, {{{100}}, {{3}, i32}, {{3}}, {{3}}}) == "old `d` is in gmem; what was there before goes to registers");
    CHECK(said(cas, {{{100}}, {{3}, i32}, {{3}}, {{2}, f32, "reg"}}) ==
          "expected `d` is 2, A `c` is 3; their extents must be equal");
    CHECK(said(op(Op::atomic_rows, Function::bit_or), {{{100}}, {{3}, i32}, {{3}}}) ==
          "D `a` is of f32; bit_or takes integers and b1");
    CHECK(said(add, {{{100}, f32, "reg"}, {{3}, i32}, {{3}}}) == "D `a` is in reg, which no other agent can access");
}

TEST_CASE("bit_cast: between types of as many bits")
{
    CHECK(said(op(Op::map, Function::bit_cast), {{{4}, i32}, {{4}, f32}}).empty());
    CHECK(said(op(Op::map, Function::bit_cast), {{{4}, i8}, {{4}, DType::e4m3}}).empty());
    CHECK(said(op(Op::map, Function::bit_cast), {{{4}, i32}, {{4}, f16}}) ==
          "D `a` is of i32, A `b` is of f16; the bits of an element fill one of as many bits");
}
