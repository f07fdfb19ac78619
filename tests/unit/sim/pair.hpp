// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_PAIR_HPP
#define AXE_TESTS_UNIT_SIM_PAIR_HPP

#include <axe/kernels.hpp>
#include <axe/sim/report/trace.hpp>

/// A small kernel with a bit of everything that reports, traces and pictures show, and its run.
namespace pair {

using namespace axe;

struct Run {
    Program program{};
    Lowered lowered{};
    Bindings inputs{};
    sim::Report report{};
    Verification verification{};
};

/// Two sm80; C = relu(A), each device half of the rows, through shared memory and registers; then G, on both, is all of C.
/// @param racy without the barrier between the two accesses to shared memory
inline Program program(bool racy = false, const char* name = "pair")
{
    Kernel k(name, mesh(machines::sm80, Shape{2}).value());
    Layout rows, everywhere;
    rows.shard = {Iter{2, 1, "gpuid"}, Iter{std::int64_t{64} * 64, 1, "m"}};
    everywhere.shard = {Iter{std::int64_t{128} * 64, 1, "m"}};
    everywhere.replica = {Iter{2, 1, "gpuid"}};
    const auto A = k.input("A", {128, 64}, DType::f16, rows);
    const auto C = k.output("C", {128, 64}, DType::f32, rows);
    const auto G = k.output("G", {128, 64}, DType::f32, everywhere);
    k.computes(C, relu(A)).computes(G, relu(A));
    const Affine d = k.device();
    k.cta(
        tiles(64, 32),
        [&](Scope cta, const Tile& t) {
            const Interval mine(d * 64 + t.rows.begin, 32);
            const auto s = cta.alloc(Role::shared, {32, 64}, DType::f16, conflict_free, "s");
            const auto r = cta.alloc(Role::registers, {32, 64}, DType::f32, LayoutHint::registers, "r");
            cta.copy_async(s, A(mine, all)).commit().wait();
            if (!racy) cta.sync();
            cta.copy(r, s).unary(Function::relu, r, r).copy(C(mine, all), r);
        },
        2);
    k.sync();
    k.copy(G, C);
    return k.program().value();
}

inline Bindings inputs()
{
    Bindings in;
    in.set("A", Array::make({128, 64}, DType::f16).value());
    for (std::int64_t i = 0; i < 128 * 64; ++i) in.find("A")->set(i, static_cast<double>(i % 17 - 8));
    return in;
}

inline Run run(sim::RunOptions options = {}, bool racy = false, const char* name = "pair")
{
    Run out;
    out.program = program(racy, name);
    out.lowered = lower(out.program).value();
    out.inputs = inputs();
    out.report = sim::run(out.lowered.program, out.inputs, options).value();
    if (out.report.ok()) out.verification = verify(out.program, out.inputs, out.report.outputs).value();
    return out;
}

} // namespace pair

#endif
