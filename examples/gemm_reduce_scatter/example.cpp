// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose inner dimension is distributed to devices: each has terms of every element, and keeps a share of the sums.
#include "queue.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

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

enum class ReduceScatterForm { fused, network, queue, queue_network };

/// Each tile is added up by its owner as soon as all devices have its terms.      [mlc-ai/TIRx-kernels, GEMM + reduce-scatter]
Result<Program, axe::Problem> tile_by_tile(const Setting& setting, const ReduceScatter& s, ReduceScatterForm form)
{
    const std::int64_t devices = s.devices, share = s.share();
    Kernel k("gemm_reduce_scatter", setting.machine);
    const auto A = k.input("A", {s.M, s.K}, f16, s.columns_of(s.M)), B = k.input("B", {s.K, s.N}, f16, s.by_rows(s.per() * s.N));
    const auto C = k.output("C", {s.M, s.N}, f16, s.by_rows(share * s.N));
    k.computes(C, cast(sum_of_rounded_terms(A, B, devices, s.per()), f16));
    const Shape own = tiles({share, s.N}, {64, 64}).counts(), each{devices, own[0], own[1]};
    const std::int64_t tile_count = *volume(own);
    const auto terms = k.alloc(Role::global, {s.M, s.N}, f16, Layout{{{s.M * s.N, 1}}, {{devices, 1, "gpuid"}}, {}}, "terms");
    const auto arrived = k.alloc(Role::global, each, i32, s.by_rows(tile_count), "arrived"),
               taken = k.alloc(Role::global, each, i32, s.by_rows(tile_count), "taken");
    k.fill(arrived, 0).fill(taken, 0);
    const ReduceScatterTiles t{k, s, A, B, C, terms, arrived, taken};
    if (form == ReduceScatterForm::queue || form == ReduceScatterForm::queue_network) {
        ReduceScatterQueue queue(k, t, own[0], own[1], setting.number("blocks"), form == ReduceScatterForm::queue_network);
        k.sync();
        for (std::int64_t launch = 0; launch < s.launches; ++launch) queue.launch(launch);
        return k.program();
    }
    k.sync();
    for (std::int64_t launch = 0; launch < s.launches; ++launch)
        // The tiles of the next device, of the one after it, …, the own ones; then the sums of the own ones, which wait for other devices: behind
        // all that others wait for.
        k.cta(tiles({devices + 1, share, s.N}, {1, 64, 64}), [&](Scope cta, const Tile& tile) {
            const Affine row = tile.index[1], column = tile.index[2];
            cta.when(
                Expression(tile.index[0]) < Expression(Affine(devices)),
                [&] {
                    const Affine owner = cta.index(
                        floor_mod(Expression(k.device()) + Expression(tile.index[0]) + 1, Affine(devices)), 0, devices, "owner");
                    t.multiply(cta, owner, row, column, launch);
                    cta.signal(arrived.remote(owner)(owner, row, column), 1, Signal::add);
                },
                [&] {
                    cta.signal_wait(arrived(k.device(), row, column), Affine(devices * (launch + 1)));
                    t.add_up(cta, row, column, launch, form == ReduceScatterForm::network);
                });
        });
    return k.program();
}

Result<Program, axe::Problem> gemm_reduce_scatter_program(const Setting& setting)
{
    const ReduceScatter s{setting.devices, setting.number("M"), setting.number("N"), setting.number("K"),
                          setting.number("launches")};
    const std::string& form = setting.word("form");
    const bool is_fused = form != "collective";
    const std::int64_t rows = s.devices * (is_fused ? 64 : 1), inner = 32 * s.devices;
    if (s.M % rows != 0 || s.K % inner != 0)
        return Problem(errc::bad_argument, "M is " + std::to_string(s.M) + " and K is " + std::to_string(s.K) + "; " +
                                               std::to_string(s.devices) +
                                               " devices share M's rows and K's tiles of 32: multiples of " + std::to_string(rows) +
                                               " and " + std::to_string(inner));
    if (!is_fused && s.launches > 1)
        return Problem(errc::bad_argument, "launches is " + std::to_string(s.launches) + "; the collective form has one");
    if (!is_fused) return with_collective(setting, s);
    using enum ReduceScatterForm;
    return tile_by_tile(setting, s,
                        form == "queue"           ? queue
                        : form == "queue_network" ? queue_network
                        : form == "network"       ? network
                                                  : fused);
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
      "tile by tile with signals, the terms loaded from each device or as the network's sums, or from a queue, in both ways; or a "
      "collective behind the product",
      0,
      {"fused", "network", "queue", "queue_network", "collective"}},
     {"blocks", "3", "that stay and take tiles, of the forms with a queue", 1 << 10},
     {"launches", "1", "how often in a row, with flags that count on", 8}},
    {"sm80", "sm90"},
    {4, 1, 2, 8},
    gemm_reduce_scatter_program,
    made_inputs,
    nullptr};

} // namespace examples
