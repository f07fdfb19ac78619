// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/sim/compile.hpp>

using namespace axe;
using enum axe::DType;

/// What is resolved on several threads is what one thread resolves, and so is what cannot be.

namespace {

Program gemm()
{
    Kernel k("gemm", machines::sm80);
    const auto A = k.input("A", {256, 64}, f16), B = k.input("B", {64, 256}, f16), C = k.output("C", {256, 256}, f32);
    k.cta(
        tiles(C, {128, 128}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {128, 128}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(tiles(64, 32), [&](const Interval& step) {
                cta.copy(a, A(t.rows, step)).copy(b, B(step, t.cols)).sync();
                cta.gemm(acc, a, b).sync();
            });
            cta.copy(C(t), acc);
        },
        4);
    const auto lowered = required(lower(k.program().value()));
    return lowered->program;
}

void each_instruction(Body& body, const std::function<void(Instruction&)>& act)
{
    for (Statement& s : body) {
        if (auto* instruction = std::get_if<Instruction>(&s.what)) act(*instruction);
        for_each_body(s, [&](Body& inner) { each_instruction(inner, act); });
    }
}

} // namespace

TEST_CASE("operands resolved on several threads are those that one thread resolves", "[sim][threads]")
{
    const Program p = gemm();
    const auto one = sim::compile(p, targets::sm80, 1);
    REQUIRE(one.has_value());
    const auto& expected = (*one)->grids.at(0).instructions;
    for (const int threads : {2, 4, 300}) {
        const auto several = sim::compile(p, targets::sm80, threads);
        REQUIRE(several.has_value());
        const auto& found = (*several)->grids.at(0).instructions;
        REQUIRE(found.size() == expected.size());
        std::size_t operands = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            REQUIRE(found[i]->operands.size() == expected[i]->operands.size());
            for (std::size_t k = 0; k < found[i]->operands.size(); ++k, ++operands) {
                const sim::LaneAccess &a = found[i]->operands[k], &b = expected[i]->operands[k];
                CHECK(a.tensor == b.tensor);
                CHECK(a.table == b.table);
                CHECK(a.swizzled == b.swizzled);
                CHECK(a.slots == b.slots);
                CHECK(a.uniform == b.uniform);
                CHECK(a.least == b.least);
                CHECK(a.most == b.most);
                CHECK(a.reference == b.reference);
                CHECK((a.linear == b.linear && a.fixed == b.fixed && a.still == b.still && a.skew == b.skew));
            }
        }
        CHECK(operands > 10);
    }
}

TEST_CASE("an operand that cannot be resolved is the same problem on any number of threads", "[sim][threads]")
{
    const Program p = gemm();
    int count = 0, problems = 0;
    Program whole = p;
    each_instruction(whole.body, [&](Instruction& i) { count += static_cast<int>(i.operands.size()); });
    for (int wrong = 0; wrong < count; ++wrong) {
        Program q = p;
        int at = 0;
        each_instruction(q.body, [&](Instruction& i) {
            for (Access& a : i.operands) {
                // This operand, and those of some after it, so that the first problem is the one to report.
                if (at >= wrong && (at - wrong) % 3 == 0 && a.distribution != nullptr) {
                    auto d = std::make_shared<Distribution>(*a.distribution);
                    d->element.at(5) = 1 << 20;
                    a.distribution = std::move(d);
                }
                ++at;
            }
        });
        const auto one = sim::compile(q, targets::sm80, 1), several = sim::compile(q, targets::sm80, 3);
        REQUIRE(one.has_value() == several.has_value());
        if (one) continue;
        ++problems;
        CHECK(one.error().text == several.error().text);
    }
    CHECK(problems > 5);
}
