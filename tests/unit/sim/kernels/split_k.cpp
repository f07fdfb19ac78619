// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// C += A·B, K in parts that blocks of their own add by atomics. Each part begins `stride` after the one before.
Program split_k(std::int64_t stride)
{
    const std::int64_t M = 33, N = 20, K = 96;
    Kernel k("split_k", machines::sm80);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {K, N}, f16), C = k.inout("C", {M, N}, f32);
    k.computes(C, C + matmul(A, B));
    k.cta(
        tiles({M, N, K}, {16, 16, 32}),
        [&](Scope cta, const Tile& t) {
            const Interval part(t.index[2] * stride, 32);
            const auto a = cta.alloc(Role::shared, {16, 32}, f16, conflict_free, "a"),
                       b = cta.alloc(Role::shared, {32, 16}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {16, 16}, f32, accumulator, "acc");
            cta.copy(a, A(t.rows, part)).copy(b, B(part, t.cols)).sync();
            cta.gemm(acc, a, b, {.accumulate = false});
            cta.atomic(Function::add, C(t.rows, t.cols), acc);
        },
        1);
    return trial::written(k);
}
Bindings inputs()
{
    laws::Random random(23);
    Bindings in;
    in.set("A", arrays::random({33, 96}, f16, random)).set("B", arrays::random({96, 20}, f16, random));
    in.set("C", arrays::random({33, 20}, f32, random));
    return in;
}

} // namespace

TEST_CASE("a product whose K is split over blocks that add by atomics is what its specification says")
{
    trial::check_right(split_k(32), inputs());
}
TEST_CASE("a product whose parts of K overlap is wrong") { trial::check_wrong(split_k(24), inputs()); }
