// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_WGMMA_DESCRIPTOR_HPP
#define AXE_TARGET_NVIDIA_WGMMA_DESCRIPTOR_HPP

#include <axe/program/messages.hpp>

#include <algorithm>
#include <cstdint>

/// How `wgmma` finds an operand in shared memory: a few numbers in 64 bits, which only some arrangements of the operand have.
namespace axe {
inline namespace v0 {

/// The descriptor of one instruction's operand, MN × K elements of T to 16 bytes. Byte address of element (mn, k), addresses in bytes:
///
///   xor_span(start + f(mn, k)),   W = span/16,
///
/// | f              | mn                             | k                            |
/// | K-major, span  | (MN/8, 8):(stride, span)       | (2, T):(16, bytes)           |
/// | K-major, none  | (MN/8, 8):(stride, 16)         | (2, T):(leading, bytes)      |
/// | MN-major, span | (MN/(W·T), W·T):(leading, bytes) | (K/8, 8):(stride, span)    |
/// | MN-major, none | (MN/T, T):(stride, bytes)      | (K/8, 8):(leading, 16)       |
///
/// xor_span flips bits 4 and up of an address by bits 7 and up: as many as span/16 has digits, none without a span.
/// [PTX ISA, wgmma, Matrix Descriptor and Canonical Layouts; CUTLASS 7107b055, cute/atom/mma_traits_sm90_gmma.hpp]
struct SharedDescriptor {
    std::int64_t start = 0, leading = 0, stride = 0;
    int span = 0; ///< of the swizzle: 32, 64, 128; 0: none
    bool mn_major = false;

    /// The 64 bits: start, leading and stride in units of 16 bytes, 14 bits each, and the mode of the swizzle.
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept
    {
        const auto field = [](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes) >> 4 & 0x3fff; };
        const std::uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
        return field(start) | field(leading) << 16 | field(stride) << 32 | mode << 62;
    }
    friend bool operator==(const SharedDescriptor&, const SharedDescriptor&) = default;
};

namespace detail {

/// The address that the swizzle of a span exchanges with this one.
constexpr std::int64_t xor_span(std::int64_t address, int span) noexcept
{
    return span == 0 ? address : address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

/// f(mn, k) of a descriptor.
constexpr std::int64_t descriptor_offset(const SharedDescriptor& d, std::int64_t mn, std::int64_t k, int bytes) noexcept
{
    const std::int64_t t = 16 / bytes, wide = d.span / 16 * t;
    if (!d.mn_major)
        return mn / 8 * d.stride + mn % 8 * std::max(d.span, 16) + k / t * (d.span > 0 ? 16 : d.leading) + k % t * bytes;
    if (d.span > 0) return mn / wide * d.leading + mn % wide * bytes + k / 8 * d.stride + k % 8 * d.span;
    return mn / t * d.stride + mn % t * bytes + k / 8 * d.leading + k % 8 * 16;
}

} // namespace detail

/// The descriptor of an operand whose element (mn, k) is at byte `address(mn, k)`, elements of `bytes` bytes (1, 2 or 4).
///
/// Exists if and only if an arrangement of the table is that of all elements, start and distances are multiples of 16 below 2^18, the
/// swizzle's pattern begins at a multiple of 8·span, and MN-major elements have 16 bits, or 8 where
/// `least_mn_major` is 1 (tcgen05), and fill 16 bytes along MN: else `errc::bad_argument` with what differs in
/// the arrangement that most elements agree with. Cost: 8·MN·K calls of `address`.
template <class Address>
Result<SharedDescriptor, Problem> shared_descriptor(std::int64_t mn, std::int64_t k, int bytes, const Address& address,
                                                    int least_mn_major = 2)
{
    constexpr std::int64_t beyond = std::int64_t{1} << 18;
    std::int64_t best = -1;
    std::string reason;
    for (const bool mn_major : {false, true})
        for (const int span : {128, 64, 32, 0}) {
            SharedDescriptor d;
            d.span = span;
            d.mn_major = mn_major;
            const auto at = [&](std::int64_t i, std::int64_t l) { return detail::xor_span(address(i, l), span); };
            const std::int64_t t = 16 / bytes, wide = std::max(1, span / 16) * t;
            d.start = at(0, 0);
            // The distances, where the operand is large enough to have them.
            const auto step = [&](std::int64_t i, std::int64_t l) { return i < mn && l < k ? at(i, l) - d.start : 0; };
            d.stride = !mn_major ? step(8, 0) : span > 0 ? step(0, 8) : step(t, 0);
            d.leading = !mn_major ? (span > 0 ? 0 : step(0, t)) : span > 0 ? step(wide, 0) : step(0, 8);
            std::int64_t agree = 0;
            std::string wrong;
            for (std::int64_t i = 0; i < mn; ++i)
                for (std::int64_t l = 0; l < k; ++l) {
                    const std::int64_t here = at(i, l), asked = d.start + detail::descriptor_offset(d, i, l, bytes);
                    if (here == asked)
                        ++agree;
                    else if (wrong.empty())
                        wrong = detail::worded(
                            "element ({0},{1}) is at byte {2}; {3} asks for byte {4}",
                            {i, l, address(i, l),
                             std::string(mn_major ? "MN-major" : "K-major") +
                                 (span > 0 ? ", swizzle of " + std::to_string(span) + " bytes," : " without a swizzle"),
                             detail::xor_span(asked, span)});
                }
            if (wrong.empty() && mn_major && (bytes > 2 || bytes < least_mn_major))
                wrong = detail::worded(least_mn_major == 2
                                           ? "it is MN-major with elements of {0} bytes; only those of 2 bytes can be"
                                           : "it is MN-major with elements of {0} bytes; only those of 1 or 2 bytes can be",
                                       {bytes});
            if (wrong.empty() && mn_major && mn % t != 0)
                wrong = detail::worded("it is MN-major with {0} elements along MN; they must be a multiple of {1}", {mn, t});
            for (const std::int64_t distance : {d.start, d.leading, d.stride})
                if (wrong.empty() && (distance < 0 || distance >= beyond || distance % 16 != 0))
                    wrong = detail::worded("its start or a distance is {0} bytes; they must be multiples of 16 below {1}",
                                           {distance, beyond});
            const std::int64_t pattern = span > 0 ? d.start / span * span : 0;
            if (wrong.empty() && span > 0 && pattern % (8 * span) != 0)
                wrong = detail::worded("its pattern of {0} bytes begins at byte {1}; that must be a multiple of {2}",
                                       {span, pattern, 8 * span});
            if (wrong.empty()) return d;
            if (agree > best) {
                best = agree;
                reason = wrong;
            }
        }
    return Problem(errc::bad_argument, reason);
}

} // namespace v0
} // namespace axe

#endif
