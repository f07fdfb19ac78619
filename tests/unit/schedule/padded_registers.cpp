// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/schedule/padded_registers.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

namespace {

/// exp of A's rows and, if asked, their sums, in registers with a hint.
Program rows(const Shape& shape, int warps, bool reduces, DType type = f32, const Machine& machine = machines::sm80)
{
    Kernel k("rows", machine);
    const auto A = k.input("A", shape, type), C = k.output("C", shape, type), S = k.output("S", {shape[0]}, type);
    one_block(k, warps, [&](Scope cta) {
        const auto r = cta.alloc(Role::registers, shape, type, LayoutHint::registers, "r");
        cta.copy(r, A).map(Function::neg, r, {r}).copy(C, r);
        if (reduces)
            cta.reduce(Function::max, S, r, {1});
        else
            cta.fill(S, 0);
    });
    return k.program().value();
}
std::int64_t registers_in(const Lowered& lowered)
{
    for (const ProgramTensor& t : lowered.program.tensors)
        if (t.name == "r") return detail::registers_of(lowered.program.machine, t.layout.layout);
    return 0;
}
std::string detail_in(const Lowered& lowered)
{
    for (const Choice& c : lowered.choices)
        if (c.schedule == "layout") return c.detail;
    return "";
}

} // namespace

TEST_CASE("the hint for registers: any shape takes all lanes", "[padded_registers]")
{
    for (const auto& [shape, warps, most] : {std::tuple{Shape{1, 301}, 4, 3},
                                             {Shape{1, 301}, 1, 10},
                                             {Shape{4, 301}, 4, 12},
                                             {Shape{3, 7}, 2, 1},
                                             {Shape{1, 4097}, 4, 33},
                                             {Shape{1, 127}, 4, 1},
                                             {Shape{5, 131}, 8, 5}})
        for (const bool reduces : {false, true})
            for (const DType type : {f32, f16, i32}) {
                const Program p = rows(shape, warps, reduces, type);
                CHECK(validate(p).empty());
                const auto lowered = required(lower(p));
                INFO(detail_in(*lowered));
                CHECK(registers_in(*lowered) <= most);
                Bindings in;
                Array a = Array::make(shape, type).value();
                for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i % 13 + 2)); // negative after `neg`
                in.set("A", std::move(a));
                const auto report = without_fault(sim::run(lowered->program, in));
                const auto verified = verify(p, in, report->outputs);
                INFO((verified ? verified->text() : verified.error().text));
                REQUIRE(verified.has_value());
                CHECK(verified->ok());
            }
}

TEST_CASE("rows are padded only where lanes get fewer registers, and where no operator sees it", "[padded_registers]")
{
    CHECK(detail_in(lower(rows({1, 301}, 4, false)).value()) == "r: vectors distributed to the lanes, rows of 301 padded to 384");
    CHECK(detail_in(lower(rows({1, 512}, 4, false)).value()) == "r: vectors distributed to the lanes");
    CHECK(detail_in(lower(rows({1, 64}, 4, false)).value()) == "r: vectors distributed to the lanes");
    // A guarded view asks for the edge.
    Kernel k("k", machines::sm80);
    const auto C = k.output("C", {320}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto r = cta.alloc(Role::registers, {301}, f32, LayoutHint::registers, "r");
        cta.fill(r, 1).fill(C, 0).sync().copy(C(Interval(0, 301)), r(Interval(0, 301)).guarded());
    });
    CHECK(detail_in(lower(k.program().value()).value()) == "r: vectors distributed to the lanes");
}
