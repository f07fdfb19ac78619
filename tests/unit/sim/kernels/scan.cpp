// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// D[i, j] = Σ_{k≤j} X[i, k], a block a row: in step d each adds what is d before it, d = 1, 2, 4, … below `until`.
///                                                                                          [Hillis and Steele 1986]
Program scan(std::int64_t M, std::int64_t N, std::int64_t until, DType type)
{
    Kernel k("scan", machines::sm80);
    const auto X = k.input("X", {M, N}, type), D = k.output("D", {M, N}, type);
    k.computes(D, cumsum(X, 1));
    k.cta(
        tiles(M, 1),
        [&](Scope cta, const Tile& t) {
            const auto now = cta.alloc(Role::shared, {N}, type, {}, "now"),
                       before = cta.alloc(Role::shared, {N}, type, {}, "before");
            cta.copy(now, X(t.index[0], all)).sync();
            for (std::int64_t d = 1; d < until; d *= 2) {
                cta.copy(before, now).sync();
                cta.binary(Function::add, now, before, before(Interval(-d, N)).guarded()).sync();
            }
            cta.copy(D(t.index[0], all), now);
        },
        2);
    return trial::written(k);
}
Bindings inputs(std::int64_t M, std::int64_t N, DType type)
{
    laws::Random random(26);
    Array x = Array::make({M, N}, type).value();
    for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(random.in(-1000, 1000)) / (type == i32 ? 1 : 1000));
    return trial::given({{"X", &x}});
}

} // namespace

TEST_CASE("a scan in steps of powers of two is what its specification says, of numbers and of integers")
{
    trial::check_right(scan(3, 77, 77, f32), inputs(3, 77, f32));
    trial::check_right(scan(2, 65, 65, i32), inputs(2, 65, i32));
    trial::check_right(scan(1, 1, 1, f32), inputs(1, 1, f32));
}
TEST_CASE("a scan that ends a step early is wrong from that step on")
{
    const Verification v = trial::check_wrong(scan(1, 77, 64, i32), inputs(1, 77, i32));
    CHECK(v.tensors[0].wrong > 0);
    CHECK(v.tensors[0].wrong <= 77 - 64);
}
