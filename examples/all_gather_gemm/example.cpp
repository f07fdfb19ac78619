// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose rows are distributed to devices: each puts its rows into the memory of all, and multiplies rows as they come.
#include "../common/device_gemm.hpp"

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
    const std::int64_t launches = setting.number("launches"), row_tiles = share / 64;
    const Iter device{devices, 1, "gpuid"};
    Kernel k("all_gather_gemm", setting.machine);
    const auto A = k.input("A", {M, K}, f16, Layout{{device, {share * K, 1}}, {}, {}});      // rows distributed
    const auto B = k.input("B", {K, N}, f16, Layout{{{K, per}, device, {per, 1}}, {}, {}});  // columns distributed
    const auto C = k.output("C", {M, N}, f32, Layout{{{M, per}, device, {per, 1}}, {}, {}}); // columns distributed
    k.computes(C, matmul(A, B));
    const auto gathered = k.alloc(Role::global, {M, K}, f16, Layout{{{M * K, 1}}, {device}, {}}, "gathered"); // all of A on each
    // A flag for each source, on each device: how many tiles of 64 rows have come from there. Blocks that have ended, in all launches.
    const auto ready = k.alloc(Role::global, {devices, devices}, i32, Layout{{device, {devices, 1}}, {}, {}}, "ready");
    const auto ended = k.alloc(Role::global, {devices}, i32, Layout{{device}, {}, {}}, "ended");
    k.fill(ready, 0).fill(ended, 0);
    k.sync();
    for (std::int64_t launch = 0; launch < launches; ++launch)
        // Rows of the own share come first, then those of the next device, and so on: each starts with what it has.
        k.cta(tiles({devices, share, per}, {1, 64, 64}), [&](Scope cta, const Tile& t) {
            const DeviceTile tile(cta);
            const Expression own(k.device()), W{Affine(devices)};
            // The first blocks of the own rows put them into the memory of all devices, and signal.
            cta.when(both(equals(t.index[0], 0), equals(t.index[2], 0)), [&] {
                const Interval rows(k.device() * share + 64 * t.index[1], 64);
                cta.loop(0, devices, 1, [&](const Affine& turn) {
                    const Affine peer = cta.index(floor_mod(own + Expression(turn), W), 0, devices, "peer");
                    if (launch > 0) // no block there reads the rows of the launch before
                        cta.signal_wait(ended.remote(peer)(peer), Affine(launch * devices * row_tiles * (per / 64)));
                    cta.put_signal(gathered.remote(peer)(rows, all), A(rows, all), ready.remote(peer)(peer, k.device()), 1,
                                   Signal::add);
                });
            });
            const Affine from = cta.index(floor_mod(own + Expression(t.index[0]), W), 0, devices, "from");
            cta.signal_wait(ready(k.device(), from), Affine((launch + 1) * row_tiles));
            const Interval rows(from * share + 64 * t.index[1], 64), columns(k.device() * per + 64 * t.index[2], 64);
            tile.multiply(cta, gathered, B, rows, columns, 0, K);
            if (launch + 1 < launches) // all agents have read: the product ends with a barrier
                cta.elected([&](Scope one) { one.add_to_flag(ended(k.device()), 1, MemoryOrder::release, Within::system); });
            cta.copy(C(rows, columns), tile.acc);
        });
    return k.program();
}

} // namespace

const Example all_gather_gemm{
    "all_gather_gemm",
    "a matrix product whose rows are distributed to devices, which put them into each other's memory as they multiply",
    {{"M", "512", "rows, a multiple of 64 times the devices", 1 << 13},
     {"N", "512", "columns, the same", 1 << 13},
     {"K", "70", "the inner dimension", 1 << 13},
     {"launches", "1", "how often in a row, with flags that count on", 8}},
    {"sm90", "sm80"},
    {4, 1, 2, 8},
    all_gather_gemm_program,
    made_inputs,
    nullptr};

} // namespace examples
