// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/scaled_gemm.hpp>
#include <tests/random.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <cmath>

/// Products with scales: the operator against plain loops, for boxes and types of scales that machines and libraries have.
using namespace axe;
using enum DType;

namespace {

struct ScaledCase {
    const char* machine;
    DType element, a_scale, b_scale;
    std::int64_t m, n, k;
    std::int64_t a_rows, a_depth, b_depth, b_columns;
    bool transpose_b = true, accumulate = false, shared = true;
};

/// A matrix with a scale for each box of `high` x `wide`, as a formula.
Formula spread_scales(const TensorRef& x, const TensorRef& scales, std::int64_t high, std::int64_t wide)
{
    const Shape s = scales.shape();
    const Formula boxes = broadcast(reshape(scales, {s[0], 1, s[1], 1}), {s[0], high, s[1], wide});
    return x * reshape(boxes, x.shape());
}

Program scaled_program(const ScaledCase& c)
{
    Kernel k("scaled", *machines::find(c.machine));
    const Shape of_b = c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n};
    const Shape sfb_shape = c.transpose_b ? Shape{c.n / c.b_columns, c.k / c.b_depth} : Shape{c.k / c.b_depth, c.n / c.b_columns};
    const auto A = k.input("A", {c.m, c.k}, c.element), B = k.input("B", of_b, c.element);
    const auto SFA = k.input("SFA", {c.m / c.a_rows, c.k / c.a_depth}, c.a_scale), SFB = k.input("SFB", sfb_shape, c.b_scale);
    const auto D = k.inout("D", {c.m, c.n}, f32);
    const Formula right =
        c.transpose_b ? spread_scales(B, SFB, c.b_columns, c.b_depth) : spread_scales(B, SFB, c.b_depth, c.b_columns);
    const Formula product = matmul(spread_scales(A, SFA, c.a_rows, c.a_depth), right, {.transpose_b = c.transpose_b});
    k.computes(D, c.accumulate ? D + product : product);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        ViewRef a = A, b = B;
        if (c.shared) {
            a = cta.alloc(Role::shared, A.shape(), c.element, conflict_free, "a");
            b = cta.alloc(Role::shared, B.shape(), c.element, conflict_free, "b");
            cta.copy(a, A).copy(b, B).sync();
        }
        const auto d = cta.alloc(Role::accumulator, {c.m, c.n}, f32, accumulator, "d");
        cta.copy(d, D);
        cta.scaled_gemm(d, a, b, SFA, SFB, {.accumulate = c.accumulate, .transpose_b = c.transpose_b}).copy(D, d);
    });
    return trial::written(k);
}

/// Small numbers, and scales from 2⁻³ to 2³: all sums are exact.
Bindings scaled_inputs_of(const Program& p)
{
    Bindings in;
    laws::Random r(7);
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding == Binding::local) continue;
        Array x = Array::make(t.shape, t.dtype).value();
        const bool scale = t.name[0] == 'S';
        for (std::int64_t i = 0; i < x.size(); ++i)
            x.set(i, scale ? std::ldexp(1.0, static_cast<int>(r.in(-3, 3))) : static_cast<double>(r.in(-4, 4)));
        in.set(t.name, std::move(x));
    }
    return in;
}

/// By plain loops, element by element.
double scaled_element(const ScaledCase& c, const Bindings& in, std::int64_t i, std::int64_t j)
{
    const Array &A = *in.find("A"), &B = *in.find("B"), &SFA = *in.find("SFA"), &SFB = *in.find("SFB");
    double sum = c.accumulate ? in.find("D")->at(i * c.n + j) : 0;
    for (std::int64_t k = 0; k < c.k; ++k) {
        const double a = A.at(i * c.k + k) * SFA.at(i / c.a_rows * (c.k / c.a_depth) + k / c.a_depth);
        const double b = c.transpose_b ? B.at(j * c.k + k) * SFB.at(j / c.b_columns * (c.k / c.b_depth) + k / c.b_depth)
                                       : B.at(k * c.n + j) * SFB.at(k / c.b_depth * (c.n / c.b_columns) + j / c.b_columns);
        sum += a * b;
    }
    return sum;
}

std::string scaled_refusal(DType d, DType scale, const Shape& sfa)
{
    Kernel k("k", machines::sm90);
    const auto D = k.inout("D", {64, 16}, d), A = k.inout("A", {64, 64}, f16), B = k.inout("B", {64, 16}, f16);
    const auto SFA = k.inout("SFA", sfa, scale), SFB = k.inout("SFB", {2, 16}, f32);
    Operation o;
    o.op = Op::scaled_gemm;
    o.operands = {D.view(), A.view(), B.view(), SFA.view(), SFB.view()};
    return o.op.row().check(k.program().value(), o).error().text;
}

} // namespace

TEST_CASE("scaled_gemm: every element is what plain loops give, on all machines, for all forms of scales")
{
    for (const ScaledCase& c : {
             ScaledCase{"sm80", f16, f32, f32, 64, 16, 64, 1, 32, 64, 16},                 // 1 x 32, and one number for B
             ScaledCase{"sm80", bf16, e8m0, e8m0, 64, 32, 64, 1, 32, 32, 1},               // MX
             ScaledCase{"sm80", f32, f32, f32, 16, 8, 12, 4, 3, 6, 2, false, true, false}, // boxes, by lanes, added to D
             ScaledCase{"sm90", e4m3, f32, f32, 64, 16, 256, 1, 128, 128, 16},             // DeepGEMM
             ScaledCase{"sm90", e4m3, e8m0, e8m0, 64, 24, 64, 1, 32, 32, 1, true, true},
             ScaledCase{"sm100", e5m2, e4m3, e4m3, 64, 16, 64, 1, 32, 32, 1},   // scales with a fraction
             ScaledCase{"sm100", e2m1, ue4m3, ue4m3, 64, 16, 64, 1, 16, 16, 1}, // NVIDIA's, of 16
             ScaledCase{"sm100", e3m2, e8m0, e8m0, 64, 16, 64, 1, 32, 32, 1},
             ScaledCase{"cpu", f32, f32, e8m0, 4, 6, 8, 2, 4, 2, 3, false, false, false},
         }) {
        INFO(c.machine << ", " << name(c.element) << ", scales of " << name(c.a_scale) << " and " << name(c.b_scale));
        const Program p = scaled_program(c);
        const Bindings in = scaled_inputs_of(p);
        trial::check_right(p, in);
        const Bindings out = trial::ran(p, in);
        for (std::int64_t i = 0; i < c.m; ++i)
            for (std::int64_t j = 0; j < c.n; ++j) CHECK(out.find("D")->at(i * c.n + j) == scaled_element(c, in, i, j));
    }
}

TEST_CASE("scaled_gemm: the best products of each machine are inside")
{
    const auto chosen = [](const ScaledCase& c) {
        std::string out;
        const auto lowered = lower(scaled_program(c)).value();
        for (const Choice& choice : lowered.choices)
            if (choice.schedule == "scaled_in_registers") out += choice.detail;
        for_each_statement(lowered.program.body, [&](const Statement& s) {
            if (const auto* i = std::get_if<Instruction>(&s.what))
                if (i->opcode == "mma" || i->opcode == "wgmma")
                    if (out.find(i->opcode + ";") == std::string::npos) out += " " + i->opcode + ";";
        });
        return out;
    };
    CHECK(chosen({"sm80", f16, f32, f32, 64, 16, 64, 1, 32, 32, 1}) == "2 products of 32 k, each scaled in registers mma;");
    CHECK(chosen({"sm90", e4m3, e8m0, e8m0, 64, 16, 64, 1, 32, 64, 1}) == "2 products of 32 k, each scaled in registers wgmma;");
}

TEST_CASE("scaled_gemm: a scale of e8m0 that is no number makes its rows none, and another one is not taken for it")
{
    const ScaledCase c{"sm80", f16, e8m0, e8m0, 64, 16, 64, 1, 32, 32, 1};
    const Program p = scaled_program(c);
    Bindings in = scaled_inputs_of(p);
    Array scales = in.find("SFA")->clone().value();
    scales.set(2 * 5 + 1, std::nan("")); // of row 5, columns 32 to 63: code 255
    in.set("SFA", std::move(scales));
    const Bindings out = trial::ran(p, in);
    for (std::int64_t i = 0; i < c.m; ++i)
        for (std::int64_t j = 0; j < c.n; ++j) CHECK(std::isnan(out.find("D")->at(i * c.n + j)) == (i == 5));
    CHECK(verify(p, in, out).value().ok());
    // A run with the scales of the next row instead.
    Program wrong = p;
    for_each_statement(wrong.body, [&](Statement& s) {
        if (auto* o = std::get_if<Operation>(&s.what); o != nullptr && o->op == Op::scaled_gemm)
            std::swap(o->operands[3], o->operands[4]);
    });
    CHECK(!validate(wrong).empty());
}

TEST_CASE("scaled_gemm: what it does not take, and its text")
{
    CHECK(scaled_refusal(f32, f32, {64, 2}).empty());
    CHECK(scaled_refusal(f32, f32, {64, 3}) ==
          "SFA `SFA` is 64×3, A `A` is 64×64; each dimension of the scales must divide that of what they scale");
    CHECK(scaled_refusal(f32, f16, {64, 2}) == "SFA `SFA` is of f16; scales are of f32, e8m0, ue4m3 or e4m3");
    CHECK(scaled_refusal(f16, f32, {64, 2}) == "D `D` is of f16; sums of products with scales are of f32");
    const Program p = scaled_program({"sm80", f16, f32, f32, 64, 16, 64, 1, 32, 32, 1, true, true});
    CHECK(print(p).find("scaled_gemm d += a by SFA * b^T by SFB") != std::string::npos);
    const Operation* o = nullptr;
    for_each_statement(p.body, [&](const Statement& s) {
        if (const auto* found = std::get_if<Operation>(&s.what); found != nullptr && found->op == Op::scaled_gemm) o = found;
    });
    REQUIRE(o != nullptr);
    const ScaledProduct sizes = scaled_product_of(*o);
    CHECK(sizes.m == 64);
    CHECK(sizes.n == 16);
    CHECK(sizes.k == 64);
    CHECK(sizes.depth() == 32);
}
