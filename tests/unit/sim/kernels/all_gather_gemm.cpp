// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

enum class Slip { none, no_gather, own_part };

/// C = A·B on devices that have a part of A each, of its rows or of its columns (which are K), and a part of the columns of B and C. A
/// collective gathers A; then each device multiplies all of it by its columns. `per`: columns of a device.
struct Sizes {
    std::int64_t devices = 2, M = 1, N = 1, K = 1;
    bool by_rows = true;
    Slip slip = Slip::none;
};
Program all_gather_gemm(const Sizes& s)
{
    const std::int64_t per = s.N / s.devices, part = (s.by_rows ? s.M : s.K) / s.devices;
    const Iter device{s.devices, 1, "gpuid"};
    const Layout rows{{device, {part * s.K, 1}}, {}, {}}, columns{{{s.M, part}, device, {part, 1}}, {}, {}};
    const Layout each{{{s.M * s.K, 1}}, {device}, {}};
    Kernel k("all_gather_gemm", mesh(machines::sm90, Shape{s.devices}).value());
    const auto A = k.input("A", {s.M, s.K}, f16, s.by_rows ? rows : columns);
    const auto B = k.input("B", {s.devices, s.K, per}, f16, Layout{{device, {s.K * per, 1}}, {}, {}});
    const auto C = k.output("C", {s.devices, s.M, per}, f32, Layout{{device, {s.M * per, 1}}, {}, {}});
    k.computes(C, matmul(A, B));
    const auto gathered = k.alloc(Role::global, {s.M, s.K}, f16, each, "gathered");
    k.copy(gathered, A);
    k.sync();
    k.cta(tiles({s.M, per}, {32, 16}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "a"),
                   b = cta.alloc(Role::shared, {32, 16}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {32, 16}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(s.slip == Slip::own_part ? part : s.K, 32), [&](const Interval& i) {
            const Interval inner(s.slip == Slip::own_part ? k.device() * part + i.begin : i.begin, 32);
            cta.copy(a, (s.slip == Slip::no_gather ? A : gathered)(t.rows, inner).guarded());
            cta.copy(b, B(k.device(), inner, t.cols).guarded()).sync();
            cta.gemm(acc, a, b).sync();
        });
        cta.copy(C(k.device(), t.rows, t.cols), acc);
    });
    return trial::written(k);
}
Bindings inputs(const Sizes& s)
{
    laws::Random random(31);
    Bindings in;
    in.set("A", arrays::random({s.M, s.K}, f16, random));
    in.set("B", arrays::random({s.devices, s.K, s.N / s.devices}, f16, random));
    return in;
}

} // namespace

TEST_CASE("an all-gather and a product, of rows and of parts of K, on 2 and 4 devices, is what its specification says")
{
    for (const std::int64_t devices : {2, 4})
        for (const bool by_rows : {true, false})
            for (const Sizes& s : {Sizes{devices, 9 * devices, 13 * devices, 37 * devices, by_rows},
                                   Sizes{devices, devices, devices, devices, by_rows}}) {
                CAPTURE(s.devices, s.M, s.by_rows);
                trial::check_right(all_gather_gemm(s), inputs(s));
            }
}
TEST_CASE("a product without its all-gather: of a device's own part of K it is wrong, of rows of another device a fault")
{
    const Sizes part{2, 18, 26, 64, false, Slip::own_part}, rows{2, 66, 26, 64, true, Slip::no_gather};
    trial::check_wrong(all_gather_gemm(part), inputs(part));
    const auto lowered = lower(all_gather_gemm(rows));
    REQUIRE_FALSE(lowered);
    CHECK(lowered.error().text.find(
              "dimension 0 of A: tile [32, 64) is in the shares [0, 33) and [33, 66) of two devices; it must be in "
              "one\nhint: copy A between the devices before the grid") != std::string::npos);
    Sizes aligned = rows;
    aligned.M = 64;
    const auto report = required(sim::run(lower(all_gather_gemm(aligned))->program, inputs(aligned)));
    CHECK(report->fault.kind == sim::FaultKind::wrong_owner);
}
