// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product that names no lane, no engine and no instruction: one text for every machine.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// C = A·B in tiles of 128×128, 32 of k at a time, several of them on their way where that is asked for.
Result<Program, axe::Problem> gemm_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), K = setting.number("K");
    const Stages stages{.count = static_cast<int>(setting.number("stages")), .bulk = setting.word("copies") == "bulk"};
    Kernel k("gemm", setting.machine);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {K, N}, f16), C = k.output("C", {M, N}, f32);
    k.computes(C, matmul(A, B));
    k.cta(tiles(C, {128, 128}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {128, 128}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(K, 32), stages, [&](Interval s) {
            cta.copy(a, A(t.rows, s));
            cta.copy(b, B(s, t.cols));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(C(t), acc);
    });
    return k.program();
}

} // namespace

const Example gemm{"gemm",
                   "a matrix product in tiles, one text for GPUs, Trainium and a plain processor",
                   {{"M", "200", "rows of A", 1 << 14},
                    {"N", "150", "columns of B", 1 << 14},
                    {"K", "70", "columns of A", 1 << 14},
                    {"stages", "1", "tiles of A and B on their way or in use", 16},
                    {"copies", "lanes", "what brings them where it can: lanes, or one agent's bulk copies", 0, {"lanes", "bulk"}}},
                   {"sm80", "sm90", "sm100", "trn1", "trn2", "cpu"},
                   {1},
                   gemm_program,
                   made_inputs,
                   nullptr};

} // namespace examples
