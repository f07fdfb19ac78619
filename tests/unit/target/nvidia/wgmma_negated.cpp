// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>

#include <axe/kernels.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// Products of warpgroups with negated and transposed operands, against sums of whole numbers; which forms exist.
namespace {

struct NegatedProduct {
    DType type = f16;
    bool negate_a = false, negate_b = false, transpose_a = false, transpose_b = true, accumulate = true;
};

/// D = ±A·±B (+ 3), 64 × 32 × 32, with operands in shared memory that the target lays out.
Program program_of_product(const NegatedProduct& f, const Machine& machine = machines::sm90)
{
    Kernel k("negated", machine);
    const auto A = k.input("A", f.transpose_a ? Shape{32, 64} : Shape{64, 32}, f.type);
    const auto B = k.input("B", f.transpose_b ? Shape{32, 32} : Shape{32, 32}, f.type);
    const DType sums = is_float(f.type) ? f32 : i32;
    const auto C = k.output("C", {64, 32}, sums);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, A.shape(), f.type, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, B.shape(), f.type, conflict_free, "b");
        const auto d =
            cta.alloc(Role::registers, {64, 32}, sums, "(4,2,8,4,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe, "d");
        cta.copy(a, A).copy(b, B).sync().fill(d, 3);
        Scope::Gemm form;
        form.accumulate = f.accumulate;
        form.transpose_a = f.transpose_a;
        form.transpose_b = f.transpose_b;
        form.negate_a = f.negate_a;
        form.negate_b = f.negate_b;
        Options options;
        options.schedule = "wgmma";
        cta.gemm(d, a, b, form, options).copy(C, d);
    });
    return k.program().value();
}

} // namespace

TEST_CASE("products of warpgroups: negated operands", "[nvidia]")
{
    for (const DType type : {f16, bf16, tf32, e4m3})
        for (const bool transpose_a : {false, true})
            for (const bool transpose_b : {false, true})
                for (int negated = 0; negated < 4; ++negated)
                    for (const bool accumulate : {false, true}) {
                        const NegatedProduct f{type, (negated & 1) != 0, (negated & 2) != 0, transpose_a, transpose_b, accumulate};
                        CAPTURE(name(type), transpose_a, transpose_b, negated, accumulate);
                        const Program program = program_of_product(f);
                        const auto lowered = lower(program);
                        INFO((lowered ? "" : lowered.error().text));
                        const bool exists = (!transpose_a && transpose_b) || type == f16 || type == bf16;
                        CHECK(lowered.has_value() == exists);
                        if (!lowered) {
                            CHECK(lowered.error().text.find("no descriptor reads the tile of") != std::string::npos);
                            continue;
                        }
                        Bindings inputs;
                        Array a = Array::make(transpose_a ? Shape{32, 64} : Shape{64, 32}, type).value(),
                              b = Array::make({32, 32}, type).value();
                        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 7 - 3));
                        for (std::int64_t i = 0; i < b.size(); ++i) b.set(i, static_cast<double>(i % 5 - 1));
                        std::vector<double> left, right;
                        for (std::int64_t i = 0; i < a.size(); ++i) left.push_back(a.at(i));
                        for (std::int64_t i = 0; i < b.size(); ++i) right.push_back(b.at(i));
                        inputs.set("A", std::move(a));
                        inputs.set("B", std::move(b));
                        const auto report = sim::run(lowered->program, inputs);
                        INFO(report->fault.text);
                        REQUIRE(report->ok());
                        const Array& c = *report->outputs.find("C");
                        for (std::int64_t m = 0; m < 64; ++m)
                            for (std::int64_t n = 0; n < 32; ++n) {
                                double sum = 0;
                                for (std::int64_t l = 0; l < 32; ++l)
                                    sum += left[static_cast<std::size_t>(transpose_a ? l * 64 + m : m * 32 + l)] *
                                           right[static_cast<std::size_t>(transpose_b ? n * 32 + l : l * 32 + n)];
                                REQUIRE(c.at(m * 32 + n) == (accumulate ? 3 : 0) + (f.negate_a != f.negate_b ? -sum : sum));
                            }
                        CHECK(verify(program, inputs, report->outputs)->word() == std::string("consistent"));
                    }
}

TEST_CASE("products of warpgroups: who does not negate", "[nvidia]")
{
    NegatedProduct f;
    f.negate_b = true;
    CHECK(print(program_of_product(f)).find("gemm d += a * -b^T") != std::string::npos);
    f.type = i8;
    CHECK(validate(program_of_product(f)).front().text.find("A `a` is of i8; a gemm negates floating-point operands") !=
          std::string::npos);
    Kernel k("negated", machines::sm80);
    const auto A = k.input("A", {16, 16}, f32), C = k.output("C", {16, 16}, f32);
    one_block(k, 1, [&](Scope cta) { cta.fill(C, 0).gemm(C, A, A, {.negate_a = true}); });
    const auto lowered = lower(k.program().value());
    REQUIRE_FALSE(lowered.has_value());
    CHECK(lowered.error().text.find("does not negate its operands") != std::string::npos);
}

TEST_CASE("products of warpgroups: negated instructions written by hand", "[nvidia]")
{
    const auto changed = [](DType type, const std::vector<std::int64_t>& parameters) {
        NegatedProduct f;
        f.type = type;
        Program program = lower(program_of_product(f)).value().program;
        for_each_statement(program.body, [&](const Statement& s) {
            auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
            if (i != nullptr && i->opcode == "wgmma") i->parameters = parameters;
        });
        Bindings inputs;
        inputs.set("A", Array::make({64, 32}, type).value());
        inputs.set("B", Array::make({32, 32}, type).value());
        const auto report = sim::run(program, inputs);
        return report ? report->fault.text : report.error().text;
    };
    CHECK(changed(f16, {1, 1, 1, 1}).find("it takes accumulate, fence and commit, and then which of A and B are negated") !=
          std::string::npos);
    CHECK(changed(f16, {1, 1, 1, 1, 2}).find("a parameter is 2; it must be 0 or 1") != std::string::npos);
    CHECK(changed(i8, {1, 1, 1, 0, 1}).find("products of integers are not negated") != std::string::npos);
}
