// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// C = A·Bᵀ of 8-bit integers; what tiles have beyond K is 0, or what the kernel leaves there.
/// @param K what the kernel sums over
Program int8_gemm(std::int64_t M, std::int64_t N, std::int64_t depth, std::int64_t K)
{
    Kernel k("int8_gemm", machines::sm80);
    const auto A = k.input("A", {M, depth}, i8), B = k.input("B", {N, depth}, i8), C = k.output("C", {M, N}, i32);
    k.computes(C, matmul(A, B, {.transpose_b = true}));
    k.cta(tiles({M, N}, {32, 32}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {32, 32}, i8, {}, "a"), b = cta.alloc(Role::shared, {32, 32}, i8, {}, "b");
        const auto acc = cta.alloc(Role::accumulator, {32, 32}, i32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(K, 32), [&](const Interval& s) {
            cta.copy(a, A(t.rows, s)).copy(b, B(t.cols, s)).sync();
            cta.gemm(acc, a, b, {.transpose_b = true}).sync();
        });
        cta.copy(C(t), acc);
    });
    return trial::written(k);
}
Bindings inputs(std::int64_t M, std::int64_t N, std::int64_t K)
{
    laws::Random random(27);
    const auto bytes = [&](const Shape& shape) {
        Array out = Array::make(shape, i8).value();
        for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(random.in(-128, 127)));
        return out;
    };
    Array a = bytes({M, K}), b = bytes({N, K});
    return trial::given({{"A", &a}, {"B", &b}});
}

} // namespace

TEST_CASE("a product of 8-bit integers with transposed B and odd K is what its specification says, exactly")
{
    const Program p = int8_gemm(37, 41, 77, 77);
    const Bindings in = inputs(37, 41, 77);
    trial::check_right(p, in);
    Bindings out = trial::ran(p, in);
    out.find("C")->set({36, 40}, out.find("C")->at({36, 40}) + 1);
    const Verification v = trial::verified(p, in, out);
    CHECK(v.tensors[0].wrong == 1);
    CHECK(v.tensors[0].worst.coord == Coord{36, 40});
}
TEST_CASE("a product that leaves the last part of K out is wrong")
{
    trial::check_wrong(int8_gemm(37, 41, 77, 64), inputs(37, 41, 77));
}
