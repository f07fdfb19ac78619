// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine of one's own, outside the library: hardware, an element function, an operator, opcodes and schedules, each a row in a table
// of a target. A kernel for it is lowered, run with all checks and verified; then the same kernel without one of its barriers.
#include "machine.hpp"
#include "opcodes.hpp"
#include "pool.hpp"
#include "schedules.hpp"
#include "softsign.hpp"

#include <axe/kernels.hpp>

#include <cstdio>

using axe::DType;

namespace {

/// The library's target for lanes that load and store, and what Brook has beside.
const axe::Target target = [] {
    axe::Target out = axe::targets::cpu;
    out.machine = brook::machine;
    out.schedules.add(brook::schedules);
    out.opcodes.add(brook::opcodes);
    out.opcodes.add(axe::sim::engine_opcodes); // the stream engine is a `dma`
    out.operators.add(brook::pool_row);
    out.functions.add(brook::softsign_row);
    return out;
}();

/// Y = softsign(pool(X)), tile by tile. With `seeded` the barrier after the pooling engine is missing.
axe::Result<axe::Program, axe::Problem> edges(std::int64_t rows, std::int64_t columns, bool seeded)
{
    axe::Kernel k("edges", target.machine);
    const auto x = k.input("X", {2 * rows, 2 * columns}, DType::f16);
    const auto y = k.output("Y", {rows, columns}, DType::f32);
    // The greatest of each four, wherever they are kept; the function's own bounds hold here, too.
    const auto corner = [&](std::int64_t i, std::int64_t j) { return slice(slice(x, 0, i, rows, 2), 1, j, columns, 2); };
    k.computes(y, elementwise(brook::softsign, {max(max(corner(0, 0), corner(0, 1)), max(corner(1, 0), corner(1, 1)))}));
    k.cta(
        axe::tiles(y, {16, 64}),
        [&](axe::Scope core, const axe::Tile& t) {
            const auto raw = core.alloc("pond", {32, 128}, DType::f16, {}, "raw");
            const auto pooled = core.alloc("pond", {16, 64}, DType::f16, {}, "pooled");
            const auto mine = core.alloc(axe::Role::registers, {16, 64}, DType::f32, axe::LayoutHint::registers, "mine");
            core.copy(raw, x({axe::Interval(t.rows.begin * 2, 32), axe::Interval(t.cols.begin * 2, 128)}));
            core.operate(brook::pool, {pooled, raw});
            if (!seeded) core.sync();
            core.copy(mine, pooled);
            core.map(brook::softsign, mine, {mine});
            core.copy(y(t), mine);
        },
        4);
    return k.program();
}

axe::Array picture(std::int64_t rows, std::int64_t columns)
{
    auto out = axe::Array::make({rows, columns}, DType::f16).value();
    for (std::int64_t i = 0; i < rows * columns; ++i) out.set(i, static_cast<double>((i * 37 + i / 7) % 201 - 100) / 16);
    return out;
}

int fail(const std::string& what)
{
    std::printf("%s\n", what.c_str());
    return 1;
}

} // namespace

int main()
{
    const std::int64_t rows = 50, columns = 150; // no multiples of a tile: the last ones stand over
    axe::Bindings inputs;
    inputs.set("X", picture(2 * rows, 2 * columns));

    const auto program = edges(rows, columns, false);
    if (!program) return fail(program.error().text);
    for (const axe::Problem& p : axe::validate(*program)) return fail(p.text);
    const auto lowered = axe::lower(*program, target);
    if (!lowered) return fail(lowered.error().text);
    for (const axe::Choice& c : lowered->choices)
        std::printf("statement %d: %s %s\n", c.statement, c.schedule.c_str(), c.detail.c_str());

    const auto report = axe::sim::run(lowered->program, target, inputs);
    if (!report) return fail(report.error().text);
    if (!report->ok()) return fail(report->fault.text);
    const auto checked = axe::verify(*program, inputs, report->outputs);
    if (!checked) return fail(checked.error().text);
    std::printf("%s", checked->text().c_str());
    for (const auto& [text, count] : report->total.by_text)
        std::printf("%-12s %lld\n", text.c_str(), static_cast<long long>(count));
    if (!checked->ok()) return 1;

    const auto seeded = axe::lower(edges(rows, columns, true).value(), target);
    if (!seeded) return fail(seeded.error().text);
    const auto race = axe::sim::run(seeded->program, target, inputs);
    if (!race || race->fault.kind != axe::sim::FaultKind::race) return fail("the seeded race was not found");
    std::printf("without the barrier: %s\n", race->fault.text.c_str());
}
