// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes of kernels that a comparison with the kernel itself cannot see, and that one with its specification does.
#include <tests/one_block.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;
using trial::check_right;
using trial::check_wrong;

namespace {

/// Y = softmax(scale·X) of rows; the kernel multiplies by `factor`.
Program softmax_kernel(double factor)
{
    const std::int64_t M = 5, N = 37;
    Kernel k("softmax", machines::sm80);
    const auto X = k.input("X", {M, N}, f32), Y = k.output("Y", {M, N}, f32);
    k.computes(Y, softmax(0.125 * X, 1));
    one_block(k, 2, [&](Scope cta) {
        const auto e = cta.alloc(Role::shared, {M, N}, f32, {}, "e"), row = cta.alloc(Role::shared, {M}, f32, {}, "row");
        const auto scale = cta.alloc(Role::shared, {}, f32, {}, "scale");
        cta.copy(e, X).fill(scale, factor).sync();
        cta.binary(Function::mul, e, e, scale.repeated(0, N).repeated(0, M)).sync();
        cta.reduce(Function::max, row, e, {1}).sync();
        cta.binary(Function::sub, e, e, row.repeated(1, N)).sync();
        cta.unary(Function::exp, e, e).sync();
        cta.sum(row, e, 1).sync();
        cta.binary(Function::div, e, e, row.repeated(1, N)).sync();
        cta.copy(Y, e);
    });
    return trial::written(k);
}

/// D[i] = A[i − 1] + A[i] + A[i + 1], 0 outside; the kernel begins at i + `first`.
Program stencil_kernel(int first)
{
    const std::int64_t N = 70;
    Kernel k("stencil", machines::sm80);
    const auto A = k.input("A", {N}, f32), D = k.output("D", {N}, f32);
    k.computes(D, shift(A, {-1}) + A + shift(A, {1}));
    k.cta(
        tiles(N, 32),
        [&](Scope cta, const Tile& t) {
            const auto halo = cta.alloc(Role::shared, {34}, f32, {}, "halo"), d = cta.alloc(Role::shared, {32}, f32, {}, "d");
            cta.copy(halo, A(Interval(t.rows.begin + first, 34)).guarded()).sync();
            cta.binary(Function::add, d, halo(Interval(0, 32)), halo(Interval(1, 32))).sync();
            cta.binary(Function::add, d, d, halo(Interval(2, 32))).sync();
            cta.copy(D(t.rows), d);
        },
        1);
    return trial::written(k);
}

/// C = A·B, K in two halves, of which the second begins at `second`.
Program halves_kernel(std::int64_t second)
{
    Kernel k("halves", machines::sm80);
    const auto A = k.input("A", {16, 64}, f16), B = k.input("B", {64, 16}, f16), C = k.output("C", {16, 16}, f32);
    k.computes(C, matmul(A, B));
    one_block(k, 1, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {16, 32}, f16, conflict_free),
                   b = cta.alloc(Role::shared, {32, 16}, f16, conflict_free);
        const auto acc = cta.alloc(Role::accumulator, {16, 16}, f32, accumulator);
        cta.fill(acc, 0);
        for (const std::int64_t begin : {std::int64_t{0}, second}) {
            cta.copy(a, A(all, Interval(begin, 32))).copy(b, B(Interval(begin, 32), all)).sync();
            cta.gemm(acc, a, b).sync();
        }
        cta.copy(C, acc);
    });
    return trial::written(k);
}

/// D = 2·A in four tiles through a ring of two slots; the consumer reads slot i + `ahead`.
Program ring_kernel(int ahead)
{
    Kernel k("ring", machines::sm80);
    const auto A = k.input("A", {4, 32}, f32), D = k.output("D", {4, 32}, f32);
    k.computes(D, 2 * A);
    one_block(k, 1, [&](Scope cta) {
        const auto slot = cta.alloc(Role::shared, {2, 32}, f32, {}, "slot"), d = cta.alloc(Role::shared, {32}, f32, {}, "d");
        cta.copy(slot, A(Interval(0, 2), all)).sync();
        for (int i = 0; i < 4; ++i) {
            const int from = (i + ahead) % 2;
            cta.binary(Function::add, d, slot(from, all), slot(from, all)).sync();
            cta.copy(D(i, all), d).sync();
            if (i < 2) cta.copy(slot(i, all), A(i + 2, all)).sync();
        }
    });
    return trial::written(k);
}

Bindings random_inputs(const Program& program)
{
    laws::Random random(11);
    Bindings out;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::input) out.set(t.name, arrays::random(t.shape, t.dtype, random));
    return out;
}

void check_both(const Program& right, const Program& wrong)
{
    check_right(right, random_inputs(right));
    check_wrong(wrong, random_inputs(wrong));
}

/// C = A + A, of which the specification has `factor`·A where it is stated.
Program doubled(double factor, bool stated)
{
    Kernel k("doubled", machines::cpu);
    const auto A = k.input("A", {6, 4}, f32), C = k.output("C", {6, 4}, f32), E = k.output("E", {6}, f32);
    if (stated) k.computes(C, factor * A);
    k.binary(Function::add, C, A, A).sum(E, A, 1);
    return trial::written(k);
}
Bindings doubled_outputs(double first)
{
    Array c = arrays::counting({6, 4}, f32), e = Array::make({6}, f32).value();
    for (std::int64_t i = 0; i < 24; ++i) c.set(i, 2.0 * static_cast<double>(i));
    for (std::int64_t i = 0; i < 6; ++i) e.set(i, static_cast<double>(16 * i + 6));
    c.set(0, first);
    return trial::given({{"C", &c}, {"E", &e}});
}
Bindings counted()
{
    Array a = arrays::counting({6, 4}, f32);
    return trial::given({{"A", &a}});
}

} // namespace

TEST_CASE("a softmax without its scale is wrong") { check_both(softmax_kernel(0.125), softmax_kernel(1)); }
TEST_CASE("a stencil that is shifted by one is wrong") { check_both(stencil_kernel(-1), stencil_kernel(0)); }
TEST_CASE("a sum over parts of K that overlap is wrong") { check_both(halves_kernel(32), halves_kernel(24)); }
TEST_CASE("a consumer that reads another slot is wrong") { check_both(ring_kernel(0), ring_kernel(1)); }

TEST_CASE("a program without a specification is consistent, and never right")
{
    const Program p = doubled(2, false);
    const auto v = verify(p, counted(), doubled_outputs(0)).value();
    CHECK(v.ok());
    CHECK(std::string(v.word()) == "consistent");
    CHECK(v.text().find("right") == std::string::npos);
    CHECK(v.text().rfind("C (6, 4) f32: consistent, 0 of 24 elements wrong", 0) == 0);
    CHECK(std::string(verify(p, counted(), doubled_outputs(1)).value().tensors[0].word()) == "inconsistent");
    ReferenceOptions options;
    options.against = Against::specification;
    const auto none = verify(p, counted(), doubled_outputs(0), options);
    REQUIRE_FALSE(none);
    CHECK(none.error().text == "doubled has no specification\nhint: state what an output is with `Kernel::computes`");
    options.against = Against::both;
    CHECK_FALSE(verify(p, counted(), doubled_outputs(0), options));
}

TEST_CASE("outputs without a formula are compared with the program")
{
    const auto v = verify(doubled(2, true), counted(), doubled_outputs(0)).value();
    REQUIRE(v.tensors.size() == 2);
    CHECK(v.tensors[0].specified);
    CHECK_FALSE(v.tensors[1].specified);
    CHECK(std::string(v.tensors[0].word()) == "right");
    CHECK(std::string(v.tensors[1].word()) == "consistent");
    CHECK(std::string(v.word()) == "consistent");
    ReferenceOptions options;
    options.against = Against::specification;
    CHECK(verify(doubled(2, true), counted(), doubled_outputs(0), options).value().tensors.size() == 1);
}

TEST_CASE("a program that differs from its specification is reported with output, element and both values")
{
    ReferenceOptions options;
    options.against = Against::both;
    const auto v = verify(doubled(3, true), counted(), doubled_outputs(0), options).value();
    CHECK_FALSE(v.ok());
    REQUIRE(v.disagreements.size() == 1);
    const Disagreement& d = v.disagreements[0];
    CHECK(d.name == "C");
    CHECK(d.elements == 23); // 0 is 0
    CHECK(d.coord == Coord{0, 1});
    CHECK(d.program == 2);
    CHECK(d.specification == 3);
    CHECK(
        v.text().find("C: program and specification differ in 23 elements; C(0, 1): 2 by the operators, should be 3 in [3, 3]\n") !=
        std::string::npos);
    CHECK(verify(doubled(2, true), counted(), doubled_outputs(0), options).value().disagreements.empty());
}

TEST_CASE("chosen rows: the text says how many, and what is missed with which probability")
{
    ReferenceOptions options;
    options.rows = 2;
    options.against = Against::specification;
    int found = 0;
    for (options.seed = 0; options.seed < 300; ++options.seed) {
        const auto v = verify(doubled(2, true), counted(), doubled_outputs(1), options).value();
        REQUIRE(v.tensors.size() == 1);
        CHECK(v.tensors[0].rows == 6);
        CHECK(v.tensors[0].rows_checked == 2);
        CHECK(v.tensors[0].elements == 8);
        CHECK(v.text().find("; 2 of 6 rows checked, a defect in a fraction p of the rows is missed with probability (1 - p)^2\n") !=
              std::string::npos);
        if (v.ok()) continue;
        ++found;
        CHECK(v.tensors[0].worst.coord == Coord{0, 0});
        CHECK(v.tensors[0].worst.got == 1);
    }
    // One row of six is wrong: two of six find it with probability 1/3, which is more than 1 − (5/6)².
    CHECK(found > 70);
    CHECK(found < 130);
    options.rows = 6;
    const auto v = verify(doubled(2, true), counted(), doubled_outputs(0), options).value();
    CHECK(v.tensors[0].elements == 24);
    CHECK(v.text().find("rows checked") == std::string::npos);
}

TEST_CASE("chosen rows of a product of 16,384 by 16,384 cost those rows alone")
{
    const std::int64_t N = 16384;
    Kernel k("large", machines::cpu);
    const auto A = k.input("A", {N, 4}, i8), B = k.input("B", {4, N}, i8), C = k.output("C", {N, N}, i8);
    k.computes(C, cast(matmul(A, B), i8));
    Bindings in, out;
    in.set("A", Array::make({N, 4}, i8).value()).set("B", Array::make({4, N}, i8).value());
    out.set("C", Array::make({N, N}, i8).value());
    ReferenceOptions options;
    options.rows = 2;
    const auto v = verify(trial::written(k), in, out, options).value();
    CHECK(v.ok());
    CHECK(v.tensors[0].elements == 2 * N);
}

TEST_CASE("lowering keeps the specification, and the lowered program is verified by it")
{
    const Program p = softmax_kernel(0.125);
    const Bindings in = random_inputs(p);
    const Lowered lowered = lower(p).value();
    REQUIRE(lowered.program.specification == p.specification);
    const auto v = verify(lowered.program, in, trial::ran(p, in)).value();
    CHECK(std::string(v.word()) == "right");
}
