// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy, which is what shares are of; a copy by streaming stores, which tells how far memcpy is from the memory's speed; and the loop
// that anybody writes, which says what is right.
#include "job.hpp"
#include "pool.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace bench {
namespace {

/// The loops from `first` to `last` one in another.
template <class T>
void nest(T* dst, const T* src, const Loop* first, const Loop* last)
{
    if (first == last) {
        *dst = *src;
        return;
    }
    const Loop l = *first;
    if (first + 1 == last)
        for (std::int64_t i = 0; i < l.extent; ++i) dst[i * l.dst] = src[i * l.src];
    else
        for (std::int64_t i = 0; i < l.extent; ++i) nest(dst + i * l.dst, src + i * l.src, first + 1, last);
}

/// In the order of the destination, the outermost loop divided among the threads.
template <class T>
Run naive(const Job& job)
{
    std::vector<Loop> loops = job.loops;
    std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.dst > b.dst; });
    return [loops, &pool = Pool::of(job.threads), dst = static_cast<T*>(job.dst), src = static_cast<const T*>(job.src)] {
        const int n = pool.threads();
        if (n == 1) return nest(dst, src, loops.data(), loops.data() + loops.size());
        pool.run([&](int i) {
            std::vector<Loop> mine = loops;
            Loop& outer = mine.front();
            const std::int64_t begin = part(outer.extent, i, n);
            outer.extent = part(outer.extent, i + 1, n) - begin;
            nest(dst + begin * outer.dst, src + begin * outer.src, mine.data(), mine.data() + mine.size());
        });
    };
}

/// copy(dst, src, bytes), the bytes divided among the threads at whole cache lines.
template <class Copy>
Run divided(const Job& job, Copy copy)
{
    const std::size_t bytes = job.bytes();
    auto* dst = static_cast<char*>(job.dst);
    const auto* src = static_cast<const char*>(job.src);
    if (job.threads == 1) return [=] { copy(dst, src, bytes); };
    return [=, &pool = Pool::of(job.threads)] {
        pool.run([&](int i) {
            const auto lines = static_cast<std::int64_t>(bytes / 64);
            const auto begin = static_cast<std::size_t>(part(lines, i, pool.threads())) * 64;
            const auto end = i + 1 == pool.threads() ? bytes : static_cast<std::size_t>(part(lines, i + 1, pool.threads())) * 64;
            copy(dst + begin, src + begin, end - begin);
        });
    };
}

} // namespace

Run prepare_memcpy(const Job& job)
{
    return divided(job, [](char* dst, const char* src, std::size_t bytes) { std::memcpy(dst, src, bytes); });
}

Run prepare_stream([[maybe_unused]] const Job& job)
{
#if defined(__SSE2__)
    if (job.bytes() < std::size_t{1} << 20) return {}; // for what does not fit the caches
    return divided(job, [](char* dst, const char* src, std::size_t bytes) {
        std::size_t i = 0;
        for (; i + 64 <= bytes; i += 64)
            for (std::size_t k = i; k < i + 64; k += 16)
                _mm_stream_si128(reinterpret_cast<__m128i*>(dst + k), _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + k)));
        std::memcpy(dst + i, src + i, bytes - i);
        _mm_sfence();
    });
#else
    return {};
#endif
}

Run prepare_naive(const Job& job) { return job.element_bytes == 4 ? naive<std::uint32_t>(job) : naive<std::uint16_t>(job); }

} // namespace bench
