// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose rows are distributed to devices: each puts its rows into the memory of all, and multiplies rows as they come.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> all_gather_gemm_program(const Setting& setting)
{
    const std::int64_t devices = setting.devices, M = setting.number("M"), N = setting.number("N"), K = setting.number("K");
    const std::int64_t share = M / devices, per = N / devices;
    if (M % (64 * devices) != 0 || N % (64 * devices) != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(M) + " and N is " + std::to_string(N) + "; " +
                                               std::to_string(devices) + " devices share tiles of 64 of both: multiples of " +
                                               std::to_string(64 * devices));
    const Iter device{devices, 1, "gpuid"};
    Kernel k("all_gather_gemm", setting.machine);
    const auto A = k.input("A", {M, K}, f16, Layout{{device, {share * K, 1}}, {}, {}});      // rows distributed
    const auto B = k.input("B", {K, N}, f16, Layout{{{K, per}, device, {per, 1}}, {}, {}});  // columns distributed
    const auto C = k.output("C", {M, N}, f32, Layout{{{M, per}, device, {per, 1}}, {}, {}}); // columns distributed
    k.computes(C, matmul(A, B));
    const auto gathered = k.alloc(Role::global, {M, K}, f16, Layout{{{M * K, 1}}, {device}, {}}, "gathered"); // all of A on each
    const auto ready = k.alloc(Role::global, {devices, M / 64}, i32, Layout{{device, {M / 64, 1}}, {}, {}}, "ready");
    k.fill(ready, 0);
    k.sync();
    // Rows of the own share come first, then those of the next device, and so on: each starts with what it has.
    k.cta(tiles({devices, share, per}, {1, 64, 64}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {64, 64}, f32, accumulator, "acc");
        const Expression own(k.device()), W{Affine(devices)};
        // The first blocks of the own rows put them into the memory of all devices, and signal.
        cta.when(both(equals(t.index[0], 0), equals(t.index[2], 0)), [&] {
            const Interval rows(k.device() * share + 64 * t.index[1], 64);
            cta.loop(0, devices, 1, [&](const Affine& turn) {
                const Affine peer = cta.index(floor_mod(own + Expression(turn), W), 0, devices, "peer");
                cta.copy(gathered.remote(peer)(rows, all), A(rows, all)).sync();
                cta.warps(0, 1, [&](Scope warp) {
                    warp.set_flag(ready.remote(peer)(peer, k.device() * (share / 64) + t.index[1]), 1, MemoryOrder::release,
                                  Within::system);
                });
            });
        });
        const Affine from = cta.index(floor_mod(own + Expression(t.index[0]), W), 0, devices, "from");
        cta.warps(0, 1, [&](Scope warp) {
            warp.wait_at_least(ready(k.device(), from * (share / 64) + t.index[1]), 1, MemoryOrder::acquire, Within::system);
        });
        cta.sync();
        const Interval rows(from * share + 64 * t.index[1], 64), columns(k.device() * per + 64 * t.index[2], 64);
        cta.fill(acc, 0);
        cta.loop(tiles(K, 32), [&](Interval s) {
            cta.copy(a, gathered(rows, s));
            cta.copy(b, B(s, columns));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(C(rows, columns), acc);
    });
    return k.program();
}

} // namespace

const Example all_gather_gemm{
    "all_gather_gemm",
    "a matrix product whose rows are distributed to devices, which put them into each other's memory as they multiply",
    {{"M", "512", "rows, a multiple of 64 times the devices", 1 << 13},
     {"N", "512", "columns, the same", 1 << 13},
     {"K", "70", "the inner dimension", 1 << 13}},
    {"sm90", "sm80"},
    {4, 1, 2, 8},
    all_gather_gemm_program,
    made_inputs,
    nullptr};

} // namespace examples
