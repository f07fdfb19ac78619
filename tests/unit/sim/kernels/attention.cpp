// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

#include <limits>

using namespace axe;
using enum DType;

namespace {

constexpr std::int64_t D = 128, T = 16; // of a head, of a tile of queries or keys
constexpr double infinity = std::numeric_limits<double>::infinity();

/// O = softmax(scale·Q·Kᵀ, causal)·V in one pass over the keys: running maximum, running sum, products rescaled where the maximum grows,
/// probabilities in f16.      [FlashAttention, Dao et al. 2022]
/// @param factor what the kernel multiplies by; @param mask does it mask the tile on the diagonal; @param rescale does it rescale?
Program attention(std::int64_t S, double factor, bool mask, bool rescale)
{
    const double scale = 0.08838834764831845; // 1/√128
    Kernel k("attention", machines::sm80);
    const auto Q = k.input("Q", {S, D}, f16), K = k.input("K", {S, D}, f16), V = k.input("V", {S, D}, f16);
    const auto above = k.input("above", {T, T}, f32); // −∞ above the diagonal, else 0
    const auto O = k.output("O", {S, D}, f32);
    const Formula scores = scale * matmul(Q, K, {.transpose_b = true});
    const Formula causal = select(iota({S, S}, 1) <= iota({S, S}, 0), scores, -infinity);
    k.computes(O, matmul(rounded(softmax(causal, 1), f16), V));
    k.cta(
        tiles(S, T),
        [&](Scope cta, const Tile& t) {
            const auto q = cta.alloc(Role::shared, {T, D}, f16, conflict_free, "q"),
                       keys = cta.alloc(Role::shared, {T, D}, f16, conflict_free, "keys");
            const auto values = cta.alloc(Role::shared, {T, D}, f16, conflict_free, "values"),
                       p16 = cta.alloc(Role::shared, {T, T}, f16, {}, "p16");
            const auto s = cta.alloc(Role::shared, {T, T}, f32, {}, "s"), o = cta.alloc(Role::shared, {T, D}, f32, {}, "o");
            const auto most = cta.alloc(Role::shared, {T}, f32, {}, "most"), next = cta.alloc(Role::shared, {T}, f32, {}, "next");
            const auto total = cta.alloc(Role::shared, {T}, f32, {}, "total"), part = cta.alloc(Role::shared, {T}, f32, {}, "part");
            const auto number = cta.alloc(Role::shared, {}, f32, {}, "number"),
                       bias = cta.alloc(Role::shared, {T, T}, f32, {}, "bias");
            const auto product = cta.alloc(Role::accumulator, {T, T}, f32, accumulator, "product");
            const auto sums = cta.alloc(Role::accumulator, {T, D}, f32, accumulator, "sums");
            cta.copy(q, Q(t.rows, all)).copy(bias, above).fill(number, factor);
            cta.fill(most, -infinity).fill(total, 0).fill(o, 0).sync();
            cta.loop(Affine(0), t.index[0] + 1, 1, [&](const Affine& j) {
                cta.copy(keys, K(Interval(j * T, T), all)).copy(values, V(Interval(j * T, T), all)).sync();
                cta.gemm(product, q, keys, {.accumulate = false, .transpose_b = true});
                cta.copy(s, product).sync();
                cta.binary(Function::mul, s, s, number.repeated(0, T).repeated(0, T)).sync();
                if (mask) cta.when(equals(j, t.index[0]), [&] { cta.binary(Function::add, s, s, bias).sync(); });
                cta.reduce(Function::max, next, s, {1}).sync();
                cta.binary(Function::max, next, next, most).sync();
                cta.binary(Function::sub, most, most, next).sync();
                cta.unary(Function::exp, most, most).sync(); // by what everything before shrinks
                cta.binary(Function::sub, s, s, next.repeated(1, T)).sync();
                cta.unary(Function::exp, s, s).sync();
                cta.sum(part, s, 1).sync();
                cta.fma(total, total, most, part).sync();
                cta.copy(p16, s).sync();
                if (rescale) cta.binary(Function::mul, o, o, most.repeated(1, D)).sync();
                cta.copy(most, next).sync();
                cta.gemm(sums, p16, values, {.accumulate = false});
                cta.binary(Function::add, o, o, sums).sync();
            });
            cta.binary(Function::div, o, o, total.repeated(1, D)).sync();
            cta.copy(O(t.rows, all), o);
        },
        8);
    return trial::written(k);
}
Bindings inputs(std::int64_t S)
{
    laws::Random random(22);
    Bindings in;
    for (const char* name : {"Q", "K", "V"}) {
        Array a = arrays::random({S, D}, f16, random);
        if (name[0] == 'Q')
            for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, 4 * a.at(i)); // maxima that differ
        in.set(name, std::move(a));
    }
    Array above = Array::make({T, T}, f32).value();
    for (std::int64_t i = 0; i < T; ++i)
        for (std::int64_t j = i + 1; j < T; ++j) above.set({i, j}, -infinity);
    in.set("above", std::move(above));
    return in;
}
constexpr double right_scale = 0.08838834764831845;

} // namespace

TEST_CASE("causal attention with D = 128, in one pass over the keys, is what its specification says")
{
    trial::check_right(attention(48, right_scale, true, true), inputs(48));
}
TEST_CASE("causal attention without its scale, its mask, or the rescaling is wrong")
{
    trial::check_wrong(attention(32, 1, true, true), inputs(32));
    trial::check_wrong(attention(32, right_scale, false, true), inputs(32));
    trial::check_wrong(attention(32, right_scale, true, false), inputs(32));
}
