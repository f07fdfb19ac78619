// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <numeric>

using namespace axe;
using enum DType;

namespace {

/// counts[b] = how often b is in x: each block compares its 32 numbers with all bins, and adds the sums by atomics. A block's last numbers
/// may be beyond the end, and are taken for `beyond`.
Program histogram_kernel(std::int64_t N, std::int64_t bins, double beyond)
{
    Kernel k("histogram", machines::sm80);
    const auto x = k.input("x", {N}, i32), bin = k.input("bin", {bins}, i32);
    const auto counts = k.output("counts", {bins}, i32);
    k.computes(counts, histogram(x, bins));
    one_block(k, 1, [&](Scope cta) {
        const auto zero = cta.alloc(Role::shared, {bins}, i32, {}, "zero");
        cta.fill(zero, 0).sync();
        cta.copy(counts, zero);
    });
    k.cta(
        tiles(N, 32),
        [&](Scope cta, const Tile& t) {
            const auto mine = cta.alloc(Role::shared, {32}, i32, {}, "mine"),
                       numbers = cta.alloc(Role::shared, {bins}, i32, {}, "numbers");
            const auto hits = cta.alloc(Role::shared, {32, bins}, i32, {}, "hits"),
                       sums = cta.alloc(Role::shared, {bins}, i32, {}, "sums");

            cta.copy(numbers, bin).copy(mine, x(t.rows)).sync();
            const auto inside = cta.alloc(Role::shared, {32}, i32, {}, "inside"),
                       away = cta.alloc(Role::shared, {}, i32, {}, "away");

            cta.fill(away, beyond).sync();
            cta.fill(inside, 0).sync();
            cta.loop(Affine(0), 32, 1, [&](const Affine& i) {
                cta.when(Expression(t.rows.begin + i) < static_cast<double>(N), [&] { cta.fill(inside(i), 1).sync(); });
            });
            cta.select(mine, inside, mine, away.repeated(0, 32)).sync();
            cta.map(Function::equal, hits, {mine.repeated(1, bins), numbers.repeated(0, 32)}).sync();
            cta.sum(sums, hits, 0).sync();
            cta.atomic(Function::add, counts, sums);
        },
        1);
    return trial::written(k);
}
Bindings inputs(std::int64_t N, std::int64_t bins)
{
    laws::Random random(25);
    Array x = Array::make({N}, i32).value();
    for (std::int64_t i = 0; i < N; ++i) x.set(i, static_cast<double>(random.in(0, static_cast<int>(bins) - 1)));
    Array bin = arrays::counting({bins}, i32);
    return trial::given({{"x", &x}, {"bin", &bin}});
}

} // namespace

TEST_CASE("a histogram by atomics is what its specification says")
{
    trial::check_right(histogram_kernel(77, 13, -1), inputs(77, 13));
}
TEST_CASE("a histogram that counts what is beyond the end is wrong, in one bin")
{
    const Verification v = trial::check_wrong(histogram_kernel(77, 13, 0), inputs(77, 13));
    CHECK(v.tensors[0].wrong == 1);
    CHECK(v.tensors[0].worst.coord == Coord{0});
    CHECK(v.tensors[0].worst.got - v.tensors[0].worst.want == 19); // 96 − 77
}
