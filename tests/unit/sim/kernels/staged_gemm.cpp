// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// C = A·B through a ring of three stages: two tiles of K are on their way while one is multiplied. The kernel multiplies the
/// stage of tile i + `ahead`.
Program staged_gemm(std::int64_t M, std::int64_t N, int rounds, int ahead)
{
    const int stages = 3;
    Kernel k("staged_gemm", machines::sm80);
    const auto A = k.input("A", {M, rounds * 32}, f16), B = k.input("B", {rounds * 32, N}, f16), C = k.output("C", {M, N}, f32);
    k.computes(C, matmul(A, B));
    k.cta(
        tiles({M, N}, {32, 32}),
        [&](Scope cta, const Tile& t) {
            std::vector<TensorRef> a, b;
            for (int s = 0; s < stages; ++s) {
                a.push_back(cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "a" + std::to_string(s)));
                b.push_back(cta.alloc(Role::shared, {32, 32}, f16, conflict_free, "b" + std::to_string(s)));
            }
            const auto acc = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "acc");
            const auto start = [&](int round) {
                if (round < rounds) {
                    const auto stage = static_cast<std::size_t>(round % stages);
                    const Interval part(32 * round, 32);
                    cta.copy_async(a[stage], A(t.rows, part)).copy_async(b[stage], B(part, t.cols));
                }
                cta.commit();
            };
            cta.fill(acc, 0);
            for (int round = 0; round + 1 < stages; ++round) start(round);
            for (int round = 0; round < rounds; ++round) {
                cta.wait(stages - 2 - ahead).sync();
                const auto stage = static_cast<std::size_t>((round + ahead) % stages);
                cta.gemm(acc, a[stage], b[stage]).sync();
                start(round + stages - 1);
            }
            cta.copy(C(t), acc);
        },
        2);
    return trial::written(k);
}
Bindings inputs(std::int64_t M, std::int64_t N, int rounds)
{
    laws::Random random(28);
    Bindings in;
    in.set("A", arrays::random({M, rounds * 32}, f16, random)).set("B", arrays::random({rounds * 32, N}, f16, random));
    return in;
}

} // namespace

TEST_CASE("a product through three stages of asynchronous copies is what its specification says")
{
    trial::check_right(staged_gemm(48, 40, 5, 0), inputs(48, 40, 5));
    trial::check_right(staged_gemm(32, 32, 1, 0), inputs(32, 32, 1));
}
TEST_CASE("a product that multiplies the next stage is wrong") { trial::check_wrong(staged_gemm(32, 32, 5, 1), inputs(32, 32, 5)); }
