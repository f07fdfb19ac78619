// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

#include <limits>

using namespace axe;
using enum DType;

namespace {

enum class Slip { none, no_rescale, tail_counted };

/// Softmax of rows, a row a partition, over tiles of `wide` columns: a pass finds the maximum and the sum of exponentials, rescaled when
/// the maximum grows, the second writes the quotients. The last tile is filled up with −∞.
Program softmax_kernel(const Machine& machine, std::int64_t M, std::int64_t N, std::int64_t wide, Slip slip = Slip::none)
{
    const double lowest = -std::numeric_limits<double>::infinity();
    Kernel k("softmax", machine);
    const auto x = k.input("x", {M, N}, f32), y = k.output("y", {M, N}, f32);
    k.computes(y, softmax(x, 1));
    k.cta(tiles(M, 128), [&](Scope cta, const Tile& t) {
        const auto registers = [&](const Shape& shape, const char* name) {
            return cta.alloc(Role::registers, shape, f32, LayoutHint::registers, name);
        };
        const auto e = registers({128, wide}, "e");
        const auto most = registers({128}, "most"), total = registers({128}, "total");
        const auto here = registers({128}, "here"), old = registers({128}, "old");
        cta.fill(most, -3e38).fill(total, 0);
        const auto bring = [&](const Interval& s, std::int64_t valid) {
            if (valid < wide) cta.fill(e, slip == Slip::tail_counted ? 0 : lowest);
            cta.copy(e(all, Interval(0, valid)), x(t.rows, Interval(s.begin, valid)));
        };
        const auto first_pass = [&](const Interval& s, std::int64_t valid) {
            bring(s, valid);
            cta.copy(old, most);
            cta.reduce(Function::max, here, e, {1});
            cta.binary(Function::max, most, most, here);
            cta.binary(Function::sub, e, e, most.repeated(1, wide));
            cta.unary(Function::exp, e, e);
            cta.sum(here, e, 1);
            if (slip != Slip::no_rescale) {
                cta.binary(Function::sub, old, old, most);
                cta.unary(Function::exp, old, old);
                cta.binary(Function::mul, total, total, old);
            }
            cta.binary(Function::add, total, total, here);
        };
        const auto second_pass = [&](const Interval& s, std::int64_t valid) {
            bring(s, valid);
            cta.binary(Function::sub, e, e, most.repeated(1, wide));
            cta.unary(Function::exp, e, e);
            cta.binary(Function::div, e, e, total.repeated(1, wide));
            cta.copy(y(t.rows, Interval(s.begin, valid)), e(all, Interval(0, valid)));
        };
        const std::int64_t full = N / wide * wide;
        for (const auto& pass : {std::function<void(const Interval&, std::int64_t)>(first_pass),
                                 std::function<void(const Interval&, std::int64_t)>(second_pass)}) {
            if (full > 0) cta.loop(tiles(full, wide), [&](const Interval& s) { pass(s, wide); });
            if (full < N) pass(Interval(full, wide), N - full);
        }
    });
    return trial::written(k);
}
/// Rows whose largest number is at another place each, in the last tile too.
Bindings inputs(std::int64_t M, std::int64_t N)
{
    laws::Random random(33);
    Array x = arrays::random({M, N}, f32, random);
    for (std::int64_t i = 0; i < M; ++i) x.set(i * N + i * 7 % N, 3);
    return trial::given({{"x", &x}});
}

} // namespace

TEST_CASE("a softmax on Trainium, of odd rows that are longer than a tile, is what its specification says")
{
    for (const Machine& machine : {machines::trn1, machines::trn2})
        trial::check_right(softmax_kernel(machine, 131, 301, 128), inputs(131, 301));
    trial::check_right(softmax_kernel(machines::trn1, 1, 1, 128), inputs(1, 1));
    trial::check_right(softmax_kernel(machines::trn1, 3, 129, 128), inputs(3, 129));
    trial::check_right(softmax_kernel(machines::trn1, 3, 256, 128), inputs(3, 256));
}
TEST_CASE("a softmax on Trainium without its rescaling, or with what is beyond the end, is wrong")
{
    for (const Slip slip : {Slip::no_rescale, Slip::tail_counted})
        trial::check_wrong(softmax_kernel(machines::trn1, 131, 301, 128, slip), inputs(131, 301));
}
