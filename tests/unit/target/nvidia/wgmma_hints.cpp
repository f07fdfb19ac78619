// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <axe/target/nvidia/schedules/wgmma_hints.hpp>
#include <map>
#include <tests/random.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <tests/random.hpp>
#include <tests/required.hpp>

/// Kernels that name no schedule and no layout: which instructions they get, and that these are right.
namespace {

using namespace axe;
using enum DType;

struct Form {
    std::int64_t m = 128, n = 128, k = 32; ///< of a block's tile
    int warps = 4, first = 0;              ///< that multiply
    std::int64_t stages = 1;
    bool transpose_a = false, transpose_b = false, bulk = false;
    DType type = f16, sum = f32;
    [[nodiscard]] std::string text() const
    {
        return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + ", warps " + std::to_string(warps) +
               " from " + std::to_string(first) + ", stages " + std::to_string(stages) + (transpose_a ? ", A transposed" : "") +
               (transpose_b ? ", B transposed" : "") + (bulk ? ", bulk copies" : "") + ", " + name(type);
    }
};

Program product(const Machine& machine, const Form& f)
{
    Kernel k("product", machine);
    const std::int64_t M = f.m - 8, N = f.n, K = 2 * f.k;
    const auto turned = [](bool t, std::int64_t x, std::int64_t y) { return t ? Shape{y, x} : Shape{x, y}; };
    const auto A = k.input("A", turned(f.transpose_a, M, K), f.type), B = k.input("B", turned(f.transpose_b, K, N), f.type);
    const auto C = k.output("C", {M, N}, f.sum);
    k.computes(C, matmul(A, B, {.transpose_a = f.transpose_a, .transpose_b = f.transpose_b}));
    k.cta(
        tiles(C, {f.m, f.n}),
        [&](Scope cta, const Tile& t) {
            const auto staged = [&](Shape s) { return Shape{f.stages, s[0], s[1]}; };
            const auto a = cta.alloc(Role::shared, staged(turned(f.transpose_a, f.m, f.k)), f.type, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, staged(turned(f.transpose_b, f.k, f.n)), f.type, conflict_free, "b");
            if (f.bulk) cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 1, {}}); }).sync();
            cta.warps(f.first, f.warps, [&](Scope w) {
                const auto acc = w.alloc(Role::accumulator, {f.m, f.n}, f.sum, accumulator, "acc");
                w.fill(acc, 0);
                for (std::int64_t i = 0; i < 2; ++i) {
                    const Interval s(i * f.k, f.k);
                    const std::int64_t stage = i % f.stages;
                    const ViewRef from_a = f.transpose_a ? A(s, t.rows) : A(t.rows, s);
                    const ViewRef from_b = f.transpose_b ? B(all, s) : B(s, all);
                    if (f.bulk) {
                        w.warps(f.first, 1, [&](Scope one) {
                            one.mbarrier({Mbarrier::Action::expect_bytes, 0, (f.m + f.n) * f.k * storage_bytes(f.type), {}});
                            one.copy_async(a(stage, all, all), from_a, {.completes_on = 0});
                            one.copy_async(b(stage, all, all), from_b, {.completes_on = 0});
                        });
                        w.mbarrier({Mbarrier::Action::wait, 0, 0, static_cast<double>(i % 2)});
                    } else {
                        w.copy(a(stage, all, all), from_a).copy(b(stage, all, all), from_b);
                        w.sync();
                    }
                    w.gemm(acc, a(stage, all, all), b(stage, all, all),
                           {.accumulate = true, .transpose_a = f.transpose_a, .transpose_b = f.transpose_b});
                    w.sync();
                }
                w.copy(C(t), acc);
            });
        },
        f.first + f.warps);
    return trial::written(k);
}

Bindings inputs(const Program& program)
{
    laws::Random r(91);
    return arrays::inputs_of(program, [&](const ProgramTensor& t, std::int64_t) { return r.in(t.dtype == u8 ? 0 : -4, 4); });
}

/// The schedules of the products, each once.
std::string products_of(const Program& program)
{
    const auto lowered = required(lower(program));
    std::string out;
    for (const Choice& c : lowered->choices)
        if ((c.schedule == "tcgen05" || c.schedule == "wgmma" || c.schedule == "mma_sync" || c.schedule == "fma") &&
            out.find(c.schedule) == std::string::npos)
            out += (out.empty() ? "" : ", ") + c.schedule;
    return out;
}

} // namespace

TEST_CASE("a product that names no schedule and no layout takes the best instructions of each machine, and is right")
{
    for (const Form& f :
         {Form{}, Form{64, 8, 16}, Form{128, 32, 64, 8}, Form{64, 128, 32, 8}, Form{256, 24, 16, 8, 4}, Form{64, 16, 128, 4, 0, 2},
          Form{128, 64, 64, 4, 4, 3, false, true}, Form{64, 72, 16, 4, 0, 1, true, true}, Form{128, 64, 16, 8, 0, 2, true, false},
          Form{64, 32, 32, 4, 0, 1, false, true, false, bf16}}) {
        INFO(f.text());
        const Program hopper = product(machines::sm90, f), ampere = product(machines::sm80, f),
                      blackwell = product(machines::sm100, f);
        CHECK(products_of(blackwell) == "tcgen05");
        trial::check_right(blackwell, inputs(blackwell));
        CHECK(products_of(hopper) == "wgmma");
        trial::check_right(hopper, inputs(hopper));
        CHECK(products_of(ampere) == "mma_sync");
        if (f.n <= 16) trial::check_right(ampere, inputs(ampere));
    }
}

TEST_CASE("the layouts that products of warpgroups and of tensor memory get are ones that tensor maps copy")
{
    for (const Form& f : {Form{64, 16, 64, 4, 0, 2, false, true, true}, Form{64, 128, 16, 4, 0, 1, false, false, true},
                          Form{64, 8, 128, 4, 0, 1, false, true, true}}) {
        INFO(f.text());
        for (const Machine& machine : {machines::sm90, machines::sm100}) {
            const Program p = product(machine, f);
            CHECK(products_of(p) == (machine.name == std::string("sm90") ? "wgmma" : "tcgen05"));
            trial::check_right(p, inputs(p));
        }
    }
}

TEST_CASE("8-bit integers and floats")
{
    for (const Form& f :
         {Form{64, 32, 32, 4, 0, 1, false, true, false, i8, i32}, Form{128, 16, 64, 8, 0, 1, false, true, false, e4m3}}) {
        INFO(f.text());
        for (const Machine& machine : {machines::sm90, machines::sm100}) {
            const Program p = product(machine, f);
            CHECK(products_of(p) == (machine.name == std::string("sm90") ? "wgmma" : "tcgen05"));
            trial::check_right(p, inputs(p));
        }
    }
}

TEST_CASE("what no product of warpgroups or of tensor memory writes is laid out for one warp's instructions")
{
    for (const Form& f : {Form{32, 32, 32}, Form{64, 16, 32, 2}, Form{64, 64, 16, 4, 2}}) {
        INFO(f.text());
        for (const Machine& machine : {machines::sm90, machines::sm100}) {
            const Program p = product(machine, f);
            CHECK(products_of(p) == "mma_sync");
            trial::check_right(p, inputs(p));
        }
    }
}

TEST_CASE("an accumulator of warpgroups: which warps hold which rows and columns")
{
    const auto layout = [](int first, int count, std::int64_t m, std::int64_t n) {
        return warpgroup_accumulator_layout(machines::sm90, ExecutionScope{true, first, count, 1, 32}, {m, n}, f32);
    };
    for (const auto& [first, count, m, n] : {std::array<int, 4>{0, 4, 64, 8},
                                             {0, 4, 128, 256},
                                             {4, 8, 128, 64},
                                             {0, 8, 64, 512},
                                             {8, 8, 64, 48},
                                             {4, 12, 192, 24},
                                             {0, 16, 128, 128}}) {
        INFO(first << " " << count << " " << m << " " << n);
        const auto out = layout(first, count, m, n);
        REQUIRE(out);
        std::map<std::array<std::int64_t, 3>, int> seen;
        std::int64_t misplaced = 0;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                const auto at = evaluate(*out, i * n + j);
                const std::int64_t warp = (*at)[Axis{"warp"}], lane = (*at)[Axis{"lane"}];
                misplaced += warp >= first && warp < first + count ? 0 : 1;
                // Rows of 16 within 64 are the warp's within its warpgroup; lane 4·(row mod 8) + column / 2 mod 4.
                misplaced += warp % 4 == i % 64 / 16 && lane == i % 8 * 4 + j % 8 / 2 ? 0 : 1;
                misplaced += seen[{warp, lane, (*at)[Axis{"reg"}]}]++;
            }
        CHECK(misplaced == 0);
        CHECK(static_cast<int>(seen.size()) == m * n);
    }
    CHECK(layout(0, 4, 32, 64).error().text == "no tile of 32 instructions divides 32 x 64 elements");
    CHECK(layout(0, 4, 64, 12).error().code == errc::size_mismatch);
    CHECK(layout(2, 4, 64, 8).error().text ==
          "4 agents from 2 in steps of 1 run it; warpgroups are 4 neighbors, the first a multiple of 4");
}
