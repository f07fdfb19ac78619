// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static layout in a loop over four modes against the nested loops that one writes by hand. The times are per loop nest, 4,096
// elements; `static/…` is to be compared with `hand/…`.
#include "harness.hpp"

namespace {

/// Where element (i, j, k, l) of a 4×8×32×4 tensor lies: in blocks of four, the modes permuted.
constexpr axe::Layout blocked{{{4, 1024, "m"}, {8, 4, "m"}, {32, 32, "m"}, {4, 1, "m"}}};
constexpr std::int64_t I = 4, J = 8, K = 32, L = 4, all = I * J * K * L;
constexpr axe::Layout scattered{{{4, 4, "m"}, {8, 16, "m"}, {32, 128, "m"}, {4, 1, "m"}}};

alignas(64) float from[all];
alignas(64) float to[all];
alignas(64) std::uint32_t numbers[all];

/// From here on the compiler must believe that anyone may read and write the arrays.
void hide_arrays()
{
    float *f = from, *t = to;
    std::uint32_t* n = numbers;
    benchmark::DoNotOptimize(f);
    benchmark::DoNotOptimize(t);
    benchmark::DoNotOptimize(n);
}

template <class F>
void loops(benchmark::State& state, F at)
{
    hide_arrays();
    for (auto _ : state) {
        for (std::int64_t i = 0; i < I; ++i)
            for (std::int64_t j = 0; j < J; ++j)
                for (std::int64_t k = 0; k < K; ++k)
                    for (std::int64_t l = 0; l < L; ++l) to[at(i, j, k, l)] = from[((i * J + j) * K + k) * L + l];
        benchmark::ClobberMemory();
    }
}

/// The sum of the elements, a strided mode innermost: no vector instruction hides the address arithmetic.
template <class F>
void gather(benchmark::State& state, F at)
{
    hide_arrays();
    for (auto _ : state) {
        std::uint32_t sum = 0;
        for (std::int64_t i = 0; i < I; ++i)
            for (std::int64_t k = 0; k < K; ++k)
                for (std::int64_t l = 0; l < L; ++l)
                    for (std::int64_t j = 0; j < J; ++j) sum += numbers[at(i, j, k, l)];
        benchmark::DoNotOptimize(sum);
        benchmark::ClobberMemory();
    }
}

[[maybe_unused]] const bool registered = [] {
    using benchmark::RegisterBenchmark;
    RegisterBenchmark("hand/copy_blocked", [](benchmark::State& state) {
        loops(state, [](auto i, auto j, auto k, auto l) { return i * 1024 + j * 4 + k * 32 + l; });
    });
    RegisterBenchmark("static/copy_blocked", [](benchmark::State& state) {
        loops(state, [](auto i, auto j, auto k, auto l) { return axe::static_layout<blocked>{}(i, j, k, l); });
    });
    RegisterBenchmark("hand/gather_scattered", [](benchmark::State& state) {
        gather(state, [](auto i, auto j, auto k, auto l) { return i * 4 + j * 16 + k * 128 + l; });
    });
    RegisterBenchmark("static/gather_scattered", [](benchmark::State& state) {
        gather(state, [](auto i, auto j, auto k, auto l) { return axe::static_layout<scattered>{}(i, j, k, l); });
    });
    // Two dimensions, each spread over two iters: tiles of 8×4 in a 64×64 matrix.
    RegisterBenchmark("hand/tiled_matrix", [](benchmark::State& state) {
        hide_arrays();
        for (auto _ : state) {
            for (std::int64_t r = 0; r < 64; ++r)
                for (std::int64_t c = 0; c < 64; ++c) to[(r / 8) * 512 + (c / 4) * 32 + (r % 8) * 4 + c % 4] = from[r * 64 + c];
            benchmark::ClobberMemory();
        }
    });
    RegisterBenchmark("static/tiled_matrix", [](benchmark::State& state) {
        constexpr axe::Layout tiles{{{8, 512, "m"}, {8, 4, "m"}, {16, 32, "m"}, {4, 1, "m"}}};
        constexpr axe::static_layout<tiles, 64, 64> at;
        hide_arrays();
        for (auto _ : state) {
            for (std::int64_t r = 0; r < 64; ++r)
                for (std::int64_t c = 0; c < 64; ++c) to[at(r, c)] = from[r * 64 + c];
            benchmark::ClobberMemory();
        }
    });
    return true;
}();

} // namespace
