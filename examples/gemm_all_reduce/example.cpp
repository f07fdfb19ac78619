// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose inner dimension is distributed to devices, in one kernel: each device adds up a share of the tiles and puts the sums
// into the memory of all.
#include "../common/device_gemm.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

Result<Program, axe::Problem> gemm_all_reduce_program(const Setting& setting)
{
    const std::int64_t devices = setting.devices, M = setting.number("M"), N = setting.number("N"), K = setting.number("K"),
                       launches = setting.number("launches"), share = M / devices, per = K / devices;
    if (M % (64 * devices) != 0 || K % (32 * devices) != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(M) + " and K is " + std::to_string(K) + "; " +
                                               std::to_string(devices) +
                                               " devices share tiles of 64 rows and of 32 of K: multiples of " +
                                               std::to_string(64 * devices) + " and " + std::to_string(32 * devices));
    const bool in_network = setting.word("form") == "network";
    const Iter device{devices, 1, "gpuid"};
    const Layout on_each{{{M * N, 1}}, {device}, {}};
    Kernel k("gemm_all_reduce", setting.machine);
    const auto A = k.input("A", {M, K}, f16, Layout{{{M, per}, device, {per, 1}}, {}, {}}); // columns distributed
    const auto B = k.input("B", {K, N}, f16, Layout{{device, {per * N, 1}}, {}, {}});       // rows distributed
    const auto C = k.output("C", {M, N}, f16, on_each);
    k.computes(C, cast(sum_of_rounded_terms(A, B, devices, per), f16));
    const Tiles own = tiles({share, N}, {64, 64});
    const std::int64_t rows_of_tiles = own.counts()[0], columns_of_tiles = own.counts()[1], tile_count = *volume(own.counts());
    const auto terms = k.alloc(Role::global, {M, N}, f16, on_each, "terms");
    const auto arrived =
        k.alloc(Role::global, {devices, rows_of_tiles, columns_of_tiles}, i32, Layout{{device, {tile_count, 1}}, {}, {}},
                "arrived"); // terms of a tile at its owner, all launches
    const auto complete = k.alloc(Role::global, {devices}, i32, Layout{{device}, {}, {}}, "complete"); // tiles of C, all launches
    k.fill(arrived, 0).fill(complete, 0);
    k.sync();
    for (std::int64_t launch = 0; launch < launches; ++launch)
        // The tiles of the next device, of the one after it, …, the own ones; the sums of the own ones, which wait for other devices; and one
        // block that waits for all sums. So what waits comes behind what others wait for.
        k.cta(tiles({devices + 2, share, N}, {1, 64, 64}), [&](Scope cta, const Tile& t) {
            const Affine row = t.index[1], column = t.index[2];
            const Interval columns = t.intervals[2];
            const Expression turn(t.index[0]), W{Affine(devices)}, me(k.device());
            cta.when(turn < W, [&] {
                const DeviceTile tile(cta);
                const Affine owner = cta.index(floor_mod(me + turn + 1, W), 0, devices, "owner");
                const Interval rows(owner * share + 64 * row, 64);
                tile.multiply(cta, A, B, rows, columns, k.device() * per, per);
                cta.copy(terms(rows, columns), tile.acc);
                cta.signal(arrived.remote(owner)(owner, row, column), 1, Signal::add);
            });
            cta.when(equals(turn, W), [&] {
                const Interval rows(k.device() * share + 64 * row, 64);
                cta.signal_wait(arrived(k.device(), row, column), Affine(devices * (launch + 1)));
                if (in_network) {
                    const auto sum = cta.alloc(Role::registers, {64, 64}, f16, LayoutHint::registers, "sum");
                    cta.load_reduce(Function::add, sum, terms(rows, columns)).store_all(C(rows, columns), sum);
                    cta.sync();
                    cta.elected([&](Scope one) {
                        one.loop(0, devices, 1, [&](const Affine& peer) {
                            one.add_to_flag(complete.remote(peer)(peer), 1, MemoryOrder::release, Within::system);
                        });
                    });
                    return;
                }
                const auto term = cta.alloc(Role::registers, {64, 64}, f32, LayoutHint::registers, "term"),
                           sum = cta.alloc(Role::registers, {64, 64}, f32, LayoutHint::registers, "sum");
                add_terms(cta, sum, term, terms, rows, columns, devices);
                cta.loop(0, devices, 1, [&](const Affine& next) {
                    const Affine peer = cta.index(floor_mod(me + Expression(next), W), 0, devices, "peer");
                    cta.put_signal(C.remote(peer)(rows, columns), sum, complete.remote(peer)(peer), 1, Signal::add);
                });
            });
            // When the kernel has ended, C is complete, and all have read the terms of this device.
            cta.when(both(equals(turn, W + 1), both(equals(row, 0), equals(column, 0))),
                     [&] { cta.signal_wait(complete(k.device()), Affine(devices * tile_count * (launch + 1))); });
        });
    return k.program();
}

} // namespace

const Example gemm_all_reduce{
    "gemm_all_reduce",
    "a matrix product whose inner dimension is distributed to devices, all of which get the sums",
    {{"M", "256", "rows, a multiple of 64 times the devices", 1 << 13},
     {"N", "70", "columns", 1 << 13},
     {"K", "256", "the inner dimension, a multiple of 32 times the devices", 1 << 13},
     {"form", "peers", "terms and sums from and to each device, or by the network between them", 0, {"peers", "network"}},
     {"launches", "1", "how often in a row, with flags that count on", 8}},
    {"sm90", "sm80"},
    {4, 1, 2, 8},
    gemm_all_reduce_program,
    made_inputs,
    nullptr};

} // namespace examples
