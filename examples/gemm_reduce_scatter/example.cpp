// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose inner dimension is distributed to devices: each has terms of every element, and keeps a share of the sums.
#include "../common/device_gemm.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

struct ReduceScatter {
    std::int64_t devices, M, N, K, launches;
    [[nodiscard]] std::int64_t share() const { return M / devices; }
    [[nodiscard]] std::int64_t per() const { return K / devices; }
    [[nodiscard]] Layout columns_of(std::int64_t rows) const // columns distributed
    {
        return {{{rows, per()}, {devices, 1, "gpuid"}, {per(), 1}}, {}, {}};
    }
    [[nodiscard]] Layout by_rows(std::int64_t elements) const // rows distributed, so many elements a device
    {
        return {{{devices, 1, "gpuid"}, {elements, 1}}, {}, {}};
    }
};

/// All tiles, then a barrier of the devices, then a collective.
Result<Program, axe::Problem> with_collective(const Setting& setting, const ReduceScatter& s)
{
    Kernel k("gemm_reduce_scatter", setting.machine);
    const auto A = k.input("A", {s.M, s.K}, f16, s.columns_of(s.M)), B = k.input("B", {s.K, s.N}, f16, s.by_rows(s.per() * s.N));
    const auto C = k.output("C", {s.M, s.N}, f32, s.by_rows(s.share() * s.N));
    k.computes(C, matmul(A, B));
    const auto terms = k.alloc(Role::global, {s.devices, s.M, s.N}, f32, s.by_rows(s.M * s.N), "terms");
    k.cta(tiles({s.M, s.N}, {64, 64}), [&](Scope cta, const Tile& t) {
        const DeviceTile tile(cta);
        tile.multiply(cta, A, B, t.rows, t.cols, k.device() * s.per(), s.per());
        cta.copy(terms(k.device(), t.rows, t.cols), tile.acc);
    });
    k.sync();
    k.sum(C, terms, 0);
    return k.program();
}

/// Each tile is added up by its owner as soon as all devices have its terms.      [mlc-ai/TIRx-kernels, GEMM + reduce-scatter]
Result<Program, axe::Problem> fused(const Setting& setting, const ReduceScatter& s, bool in_network)
{
    const std::int64_t devices = s.devices, share = s.share();
    Kernel k("gemm_reduce_scatter", setting.machine);
    const auto A = k.input("A", {s.M, s.K}, f16, s.columns_of(s.M)), B = k.input("B", {s.K, s.N}, f16, s.by_rows(s.per() * s.N));
    const auto C = k.output("C", {s.M, s.N}, f16, s.by_rows(share * s.N));
    k.computes(C, cast(sum_of_rounded_terms(A, B, devices, s.per()), f16));
    const Tiles own = tiles({share, s.N}, {64, 64});
    const std::int64_t tile_count = *volume(own.counts());
    const auto terms = k.alloc(Role::global, {s.M, s.N}, f16, Layout{{{s.M * s.N, 1}}, {{devices, 1, "gpuid"}}, {}}, "terms");
    const Shape each{devices, own.counts()[0], own.counts()[1]};
    const auto arrived = k.alloc(Role::global, each, i32, s.by_rows(tile_count), "arrived"), // terms of a tile, all launches
        taken = k.alloc(Role::global, each, i32, s.by_rows(tile_count), "taken");            // launches whose terms were read
    k.fill(arrived, 0).fill(taken, 0);
    k.sync();
    for (std::int64_t launch = 0; launch < s.launches; ++launch)
        // The tiles of the next device, of the one after it, …, the own ones; then the sums of the own ones, which wait for other devices: behind
        // all that others wait for.
        k.cta(tiles({devices + 1, share, s.N}, {1, 64, 64}), [&](Scope cta, const Tile& t) {
            const Affine row = t.index[1], column = t.index[2];
            const Interval columns = t.intervals[2];
            cta.when(
                Expression(t.index[0]) < Expression(Affine(devices)),
                [&] {
                    const DeviceTile tile(cta);
                    const Affine owner = cta.index(floor_mod(Expression(k.device()) + Expression(t.index[0]) + 1, Affine(devices)),
                                                   0, devices, "owner");
                    const Interval rows(owner * share + 64 * row, 64);
                    tile.multiply(cta, A, B, rows, columns, k.device() * s.per(), s.per());
                    if (launch > 0) cta.signal_wait(taken.remote(owner)(owner, row, column), Affine(launch));
                    cta.copy(terms(rows, columns), tile.acc);
                    cta.signal(arrived.remote(owner)(owner, row, column), 1, Signal::add);
                },
                [&] {
                    const Interval rows(k.device() * share + 64 * row, 64);
                    cta.signal_wait(arrived(k.device(), row, column), Affine(devices * (launch + 1)));
                    const auto has_read = [&] {
                        if (launch + 1 < s.launches) cta.signal(taken(k.device(), row, column), Affine(launch + 1));
                    };
                    if (in_network) {
                        const auto sum = cta.alloc(Role::registers, {64, 64}, f16, LayoutHint::registers, "sum");
                        cta.load_reduce(Function::add, sum, terms(rows, columns));
                        has_read();
                        cta.copy(C(rows, columns), sum);
                        return;
                    }
                    const auto term = cta.alloc(Role::registers, {64, 64}, f32, LayoutHint::registers, "term"),
                               sum = cta.alloc(Role::registers, {64, 64}, f32, LayoutHint::registers, "sum");
                    add_terms(cta, sum, term, terms, rows, columns, devices);
                    has_read();
                    cta.copy(C(rows, columns), sum);
                });
        });
    return k.program();
}

Result<Program, axe::Problem> gemm_reduce_scatter_program(const Setting& setting)
{
    const ReduceScatter s{setting.devices, setting.number("M"), setting.number("N"), setting.number("K"),
                          setting.number("launches")};
    const bool in_network = setting.word("form") == "network", is_fused = in_network || setting.word("form") == "fused";
    const std::int64_t rows = s.devices * (is_fused ? 64 : 1), inner = 32 * s.devices;
    if (s.M % rows != 0 || s.K % inner != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(s.M) + " and K is " + std::to_string(s.K) + "; " +
                                               std::to_string(s.devices) +
                                               " devices share M's rows and K's tiles of 32: multiples of " + std::to_string(rows) +
                                               " and " + std::to_string(inner));
    if (!is_fused && s.launches > 1)
        return Problem(errc::bad_argument, "launches is " + std::to_string(s.launches) + "; the collective form has one");
    return is_fused ? fused(setting, s, in_network) : with_collective(setting, s);
}

} // namespace

const Example gemm_reduce_scatter{
    "gemm_reduce_scatter",
    "a matrix product whose inner dimension is distributed to devices, each keeping a share of the rows",
    {{"M", "256", "rows, a multiple of 64 times the devices, or of the devices", 1 << 13},
     {"N", "70", "columns", 1 << 13},
     {"K", "256", "the inner dimension, a multiple of 32 times the devices", 1 << 13},
     {"form",
      "fused",
      "tile by tile with signals, the terms loaded from each device or as the network's sums, or a collective behind the product",
      0,
      {"fused", "network", "collective"}},
     {"launches", "1", "how often in a row, with flags that count on", 8}},
    {"sm80", "sm90"},
    {4, 1, 2, 8},
    gemm_reduce_scatter_program,
    made_inputs,
    nullptr};

} // namespace examples
