// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using namespace axe::literals;
using enum DType;

namespace {

/// What orders the roles of the kernel below; a test leaves out one of them.
enum class Needed {
    all,
    wait_for_free_slot,
    bytes,
    wait_of_scheduler,
    wait_of_workers,
    fence_of_scheduler,
    fence_of_workers,
    arrival,
    sync_of_workers,
};

/// C = A·Bᵀ: each block does its own tile, and then those of blocks that it has kept from starting. A warp asks for them while two others
/// multiply.
Program persistent_gemm(std::int64_t M, std::int64_t N, std::int64_t K, Needed left_out = Needed::all)
{
    using Action = Mbarrier::Action;
    const auto has = [&](Needed what) { return what != left_out; };
    constexpr int full = 0, empty = 1;
    Kernel k("persistent_gemm", machines::sm100);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {N, K}, f16), C = k.output("C", {M, N}, f32);
    k.computes(C, matmul(A, B, {.transpose_b = true}));
    k.cta(
        tiles({M, N}, {32, 32}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {32, K}, f16, {}, "a"), b = cta.alloc(Role::shared, {32, K}, f16, {}, "b");
            const auto reply = cta.alloc(Role::shared, {4}, i32, {}, "reply");
            const auto acc = cta.alloc(Role::registers, {32, 32}, f32, accumulator, "acc");
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, full, 1, {}}).mbarrier({Action::init, empty, 2, {}}); });
            cta.sync();
            cta.warps(2, 1, "scheduler", [&](Scope w) {
                const ScalarRef more = w.scalar("more", 1), parity = w.scalar("parity", 0);
                w.loop_while(equals(Expression(more), 1), [&] {
                    if (has(Needed::wait_for_free_slot)) w.mbarrier({Action::wait, empty, 0, Expression(1.0) - parity});
                    if (has(Needed::bytes))
                        w.mbarrier({Action::expect_bytes, full, 16, {}});
                    else
                        w.mbarrier({Action::arrive, full, 0, {}});
                    w.try_cancel(reply, full);
                    if (has(Needed::wait_of_scheduler)) w.mbarrier({Action::wait, full, 0, parity});
                    w.assign(more, load(reply(0)));
                    if (has(Needed::fence_of_scheduler)) w.proxy_fence();
                    w.assign(parity, Expression(1.0) - parity);
                });
            });
            cta.warps(0, 2, "workers", [&](Scope w) {
                const ScalarRef more = w.scalar("more here", 1), parity = w.scalar("parity here", 0);
                const ScalarRef row = w.scalar("row"), column = w.scalar("column");
                w.assign(row, t.index[0]).assign(column, t.index[1]);
                w.loop_while(equals(Expression(more), 1), [&] {
                    const Affine i = w.index(row, 0, M / 32), j = w.index(column, 0, N / 32);
                    const Interval rows(i * 32, 32), columns(j * 32, 32);
                    w.copy(a, A(rows, all)).copy(b, B(columns, all)).sync();
                    w.gemm(acc, a, b, {.accumulate = false, .transpose_b = true});
                    w.copy(C(rows, columns), acc);
                    if (has(Needed::wait_of_workers)) w.mbarrier({Action::wait, full, 0, parity});
                    w.assign(more, load(reply(0))).assign(row, load(reply(1))).assign(column, load(reply(2)));
                    if (has(Needed::fence_of_workers)) w.proxy_fence();
                    if (has(Needed::arrival)) w.mbarrier({Action::arrive, empty, 0, {}});
                    w.assign(parity, Expression(1.0) - parity);
                    if (has(Needed::sync_of_workers)) w.sync();
                });
            });
        },
        3);
    return trial::written(k);
}

Bindings persistent_gemm_inputs(std::int64_t M, std::int64_t N, std::int64_t K)
{
    laws::Random random(51);
    Bindings in;
    in.set("A", arrays::random({M, K}, f16, random)).set("B", arrays::random({N, K}, f16, random));
    return in;
}

} // namespace

TEST_CASE("blocks take the tiles of blocks that they keep from starting, and the product is right")
{
    const auto program = persistent_gemm(96, 160, 32);
    const auto inputs = persistent_gemm_inputs(96, 160, 32);
    trial::check_right(program, inputs);
    const auto lowered = required(lower(program));
    const auto wanted = required(sim::run(lowered->program, inputs));
    for (const int resident : {1, 2, 4, 7, 15})
        for (const sim::RunOrder order : sim::all_run_orders)
            for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
                sim::RunOptions options;
                options.resident = resident;
                options.order = order;
                options.level = level;
                options.seed = static_cast<std::uint64_t>(resident);
                std::int64_t done = 0;
                options.progress = [&](std::int64_t blocks, std::int64_t) { return done = blocks, true; };
                const auto report = sim::run(lowered->program, inputs, options);
                CAPTURE(resident, name(order), report->fault.text);
                REQUIRE(report->ok());
                CHECK(done == 15); // those that were cancelled among them
                const Array &c = *report->outputs.find("C"), &d = *wanted->outputs.find("C");
                CHECK(std::memcmp(c.data(), d.data(), static_cast<std::size_t>(c.size_bytes())) == 0);
            }
}

TEST_CASE("a persistent product that lacks one of what orders its roles is found in each order")
{
    const auto inputs = persistent_gemm_inputs(64, 96, 32);
    for (const Needed left_out : {Needed::wait_for_free_slot, Needed::bytes, Needed::wait_of_scheduler, Needed::wait_of_workers,
                                  Needed::fence_of_scheduler, Needed::fence_of_workers, Needed::arrival, Needed::sync_of_workers}) {
        const auto lowered = required(lower(persistent_gemm(64, 96, 32, left_out)));
        for (const int resident : {1, 2})
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.resident = resident;
                options.order = order;
                const auto report = required(sim::run(lowered->program, inputs, options));
                CAPTURE(static_cast<int>(left_out), resident, name(order), report->fault.text);
                CHECK_FALSE(report->ok());
            }
    }
}
