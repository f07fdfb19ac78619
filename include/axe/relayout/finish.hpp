// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_FINISH_HPP
#define AXE_RELAYOUT_FINISH_HPP

#include <axe/relayout/options.hpp>
#include <axe/tensor/convert_run.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::int64_t finish_block = 256; ///< elements that are finished together

/// Are its values single-precision numbers?
constexpr bool is_within_f32(DType type) noexcept { return is_float(type) && type != DType::f64; }

/// to[i] = scale · from[i], plus what was there where they accumulate; computed in double precision and rounded once.
template <class Real>
inline void finish_values(const Finish& f, std::byte* to, const std::byte* from, std::size_t n)
{
    Real values[finish_block], kept[finish_block];
    decode(f.from, from, values, n);
    if (f.scale != 1)
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Real>(values[i] * f.scale);
    if (f.accumulate) {
        decode(f.to, to, kept, n);
        for (std::size_t i = 0; i < n; ++i) values[i] += kept[i];
    }
    encode(f.to, values, to, n);
}

/// The same of elements that are together on both sides, any number.
inline void finish_run(const Finish& f, std::byte* to, const std::byte* from, std::int64_t n)
{
    // Values that are only converted are exact in single precision where both types are within it.
    const bool is_single = f.scale == 1 && !f.accumulate && is_within_f32(f.from) && is_within_f32(f.to);
    for (std::int64_t i = 0; i < n; i += finish_block) {
        const auto count = static_cast<std::size_t>(std::min(finish_block, n - i));
        std::byte* const out = to + i * storage_bytes(f.to);
        const std::byte* const in = from + i * storage_bytes(f.from);
        if (is_single)
            finish_values<float>(f, out, in, count);
        else
            finish_values<double>(f, out, in, count);
    }
}

/// The same of elements that are apart.
inline void finish_strided(const Finish& f, const RelayoutKernels& kernels, std::byte* to, std::int64_t to_step,
                           const std::byte* from, std::int64_t from_step, std::int64_t n)
{
    const int to_bytes = storage_bytes(f.to), from_bytes = storage_bytes(f.from);
    const auto log2 = [](int bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; };
    std::byte in[finish_block * 8], out[finish_block * 8];
    for (std::int64_t i = 0; i < n; i += finish_block) {
        const std::int64_t count = std::min(finish_block, n - i);
        std::byte* const target = to + i * to_step;
        kernels.strided[log2(from_bytes)](in, from_bytes, from + i * from_step, from_step, count);
        if (f.accumulate) kernels.strided[log2(to_bytes)](out, to_bytes, target, to_step, count);
        finish_run(f, out, in, count);
        kernels.strided[log2(to_bytes)](target, to_step, out, to_bytes, count);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
