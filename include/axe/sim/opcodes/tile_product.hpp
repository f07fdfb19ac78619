// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_TILE_PRODUCT_HPP
#define AXE_SIM_OPCODES_TILE_PRODUCT_HPP

#include <axe/support/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// The inner loop of simulated matrix instructions, for this processor's widest vectors, chosen when it runs.
namespace axe {
inline namespace v0 {
namespace sim {
namespace tile {

// Vectors of eight floats where the processor has them, of four elsewhere: eight would be pairs that do not fit the registers.
// (Members, since a template's argument loses its attributes.)
struct Eight {
    typedef float Vector __attribute__((vector_size(32), aligned(4), may_alias));
};
struct Four {
    typedef float Vector __attribute__((vector_size(16), aligned(4), may_alias));
};

inline constexpr int m = 16, n = 8, k = 16;

/// C_j += A·B_j for `Blocks` neighboring blocks j: A is 16×16 in four 8×8 blocks, (0,0), (8,0), (0,8), (8,8), as a fragment is stored in
/// registers; B_j is 16×8 and C_j 16×8, row-major. Each element of C is one chain of multiply-adds, k ascending, so that every
/// instruction set gives the same bits where products are exact. Eight sums at a time, in as many registers. Rows of C are `row` floats apart.
template <class Width, int Blocks>
[[gnu::always_inline]] inline void product(const float* a, const float* const* b, float* const* c, std::ptrdiff_t row)
{
    typedef typename Width::Vector Vector;
    constexpr int width = static_cast<int>(sizeof(Vector) / sizeof(float)), parts = n / width, columns = Blocks * parts,
                  rows = 8 / columns;
    for (int i = 0; i < m; i += rows) {
        Vector sum[rows][columns];
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) {
            AXE_UNROLL
            for (int j = 0; j < columns; ++j)
                sum[r][j] = *reinterpret_cast<const Vector*>(c[j / parts] + (i + r) * row + j % parts * width);
        }
        for (int half = 0; half < k; half += 8) {
            const float* block = a + (half / 8 * 2 + i / 8) * 64 + i % 8 * 8;
            AXE_UNROLL
            for (int l = 0; l < 8; ++l) {
                Vector right[columns];
                AXE_UNROLL
                for (int j = 0; j < columns; ++j)
                    right[j] = *reinterpret_cast<const Vector*>(b[j / parts] + (half + l) * n + j % parts * width);
                AXE_UNROLL
                for (int r = 0; r < rows; ++r) {
                    const float left = block[r * 8 + l];
                    AXE_UNROLL
                    for (int j = 0; j < columns; ++j) sum[r][j] += left * right[j];
                }
            }
        }
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) {
            AXE_UNROLL
            for (int j = 0; j < columns; ++j)
                *reinterpret_cast<Vector*>(c[j / parts] + (i + r) * row + j % parts * width) = sum[r][j];
        }
    }
}

/// `count` issues: issue i adds A[a[i]]·B[b[i]] to C[c[i]]; issues that follow each other with one A are done two at a time.
struct Issues {
    const float* left = nullptr; ///< decoded operands, one after the other
    const float* right = nullptr;
    const int* a = nullptr;
    const int* b = nullptr;
    float* const* c = nullptr;
    int count = 0;
    std::ptrdiff_t row = n; ///< from one row of a C to the next
};

template <class Width>
[[gnu::always_inline]] inline void products(const Issues& s)
{
    for (int i = 0; i < s.count;) {
        const float* a = s.left + static_cast<std::ptrdiff_t>(s.a[i]) * (m * k);
        const float* b[2] = {s.right + static_cast<std::ptrdiff_t>(s.b[i]) * (k * n), nullptr};
        if (i + 1 < s.count && s.a[i + 1] == s.a[i] && s.c[i + 1] != s.c[i]) {
            b[1] = s.right + static_cast<std::ptrdiff_t>(s.b[i + 1]) * (k * n);
            product<Width, 2>(a, b, s.c + i, s.row);
            i += 2;
        } else {
            product<Width, 1>(a, b, s.c + i, s.row);
            i += 1;
        }
    }
}

/// Eight rows of eight 16-bit elements, columns for rows: three rounds that interleave rows i and i + 4.
inline void transpose(const std::uint16_t* in, std::uint16_t* out)
{
    typedef std::uint16_t Row __attribute__((vector_size(16)));
    Row a[8], b[8];
    std::memcpy(a, in, sizeof a);
    const auto interleave = [](const Row* x, Row* y) {
        for (int i = 0; i < 4; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
    };
    interleave(a, b);
    interleave(b, a);
    interleave(a, b);
    std::memcpy(out, b, sizeof b);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
/// Eight f16 at a time as f32; their count is a multiple of 8.
[[gnu::target("avx2,f16c"), gnu::noinline]] inline void widen_f16(const std::uint16_t* from, float* to, int count)
{
    typedef short Halves __attribute__((vector_size(16)));
    for (int i = 0; i < count; i += 8) {
        Halves halves;
        std::memcpy(&halves, from + i, sizeof halves);
        const auto floats = __builtin_ia32_vcvtph2ps256(halves);
        std::memcpy(to + i, &floats, sizeof floats);
    }
}
[[gnu::target("avx2,fma"), gnu::noinline]] inline void products_avx2(const Issues& s) { products<Eight>(s); }
[[gnu::noinline]] inline void products_any(const Issues& s) { products<Four>(s); }

/// May vectors of this processor be eight floats wide? AXE_SIM_NO_AVX2, where it is defined, says no. All that have AVX2 have F16C.
inline bool is_wide() noexcept
{
#  if defined(AXE_SIM_NO_AVX2)
    return false;
#  else
    static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return yes;
#  endif
}
inline void run(const Issues& s) { is_wide() ? products_avx2(s) : products_any(s); }
#else
inline bool is_wide() noexcept { return false; }
inline void widen_f16(const std::uint16_t*, float*, int) {}
inline void run(const Issues& s) { products<Four>(s); }
#endif

} // namespace tile
} // namespace sim
} // namespace v0
} // namespace axe

#endif
