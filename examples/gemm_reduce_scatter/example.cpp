// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose inner dimension is distributed to devices: each has terms of every element, and keeps a share of the sums.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> gemm_reduce_scatter_program(const Setting& setting)
{
    const std::int64_t devices = setting.devices, M = setting.number("M"), N = setting.number("N"), K = setting.number("K");
    if (M % devices != 0 || K % (32 * devices) != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(M) + " and K is " + std::to_string(K) + "; " +
                                               std::to_string(devices) +
                                               " devices share M's rows and K's tiles of 32: multiples of " +
                                               std::to_string(devices) + " and " + std::to_string(32 * devices));
    const std::int64_t per = K / devices;
    const Iter device{devices, 1, "gpuid"};
    Kernel k("gemm_reduce_scatter", setting.machine);
    const auto A = k.input("A", {M, K}, f16, Layout{{{M, per}, device, {per, 1}}, {}, {}}); // columns distributed
    const auto B = k.input("B", {K, N}, f16, Layout{{device, {per * N, 1}}, {}, {}});       // rows distributed
    const auto C = k.output("C", {M, N}, f32, Layout{{device, {M / devices * N, 1}}, {}, {}});
    k.computes(C, matmul(A, B));
    const auto terms = k.alloc(Role::global, {devices, M, N}, f32, Layout{{device, {M * N, 1}}, {}, {}}, "terms");
    k.cta(tiles({M, N}, {64, 64}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {64, 64}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(per, 32), [&](Interval s) {
            const Interval mine(k.device() * per + s.begin, 32);
            cta.copy(a, A(t.rows, mine));
            cta.copy(b, B(mine, t.cols));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(terms(k.device(), t.rows, t.cols), acc);
    });
    k.sync();
    k.sum(C, terms, 0);
    return k.program();
}

} // namespace

const Example gemm_reduce_scatter{
    "gemm_reduce_scatter",
    "a matrix product whose inner dimension is distributed to devices, each keeping a share of the rows",
    {{"M", "120", "rows, a multiple of the devices", 1 << 13},
     {"N", "70", "columns", 1 << 13},
     {"K", "256", "the inner dimension, a multiple of 32 times the devices", 1 << 13}},
    {"sm80", "sm90"},
    {4, 2, 8},
    gemm_reduce_scatter_program,
    made_inputs,
    nullptr};

} // namespace examples
