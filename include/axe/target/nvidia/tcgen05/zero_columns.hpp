// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_ZERO_COLUMNS_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_ZERO_COLUMNS_HPP

#include <axe/support/result.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>

#include <algorithm>
#include <cstdint>

namespace axe {
inline namespace v0 {

/// The columns of B that `tcgen05.mma.ws` takes as zeros, whatever shared memory has there: in each part of the columns, of which M = 128
/// has one, 64 two and 32 four, spans of `used` columns and of `zeros` columns follow each other.
///
///   column j of part p is zeros   where  (j + start[p]) mod (used + zeros)  is in the span of zeros, which is the first one or the second
///
/// The bits: start at 0, 8, 16, 24, which span is first at 32 to 35, 1 at 39, zeros − 1 at 40, used − 1 at 48; the shift of columns, at 56, is
/// not there. PTX names the spans the other way in its table than in each of its three examples; here they are as in the examples. What a start
/// beyond the first span means PTX does not say: there is none.      [PTX ISA, tcgen05, Zero-Column Mask Descriptor]
struct ZeroColumns {
    std::int64_t used = 1, zeros = 1; ///< from 1 to 256
    std::int64_t start[4]{};          ///< from 0 to 255, and less than the first span
    bool zeros_first[4]{};

    [[nodiscard]] constexpr bool is_zero(std::int64_t part, std::int64_t column) const noexcept
    {
        const std::int64_t at = (column + start[part]) % (used + zeros);
        return zeros_first[part] ? at < zeros : at >= used;
    }
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept
    {
        std::uint64_t out =
            std::uint64_t{1} << 39 | static_cast<std::uint64_t>(zeros - 1) << 40 | static_cast<std::uint64_t>(used - 1) << 48;
        for (int part = 0; part < 4; ++part)
            out |= static_cast<std::uint64_t>(start[part]) << 8 * part | static_cast<std::uint64_t>(zeros_first[part])
                                                                             << (32 + part);
        return out;
    }
    friend constexpr bool operator==(const ZeroColumns&, const ZeroColumns&) = default;
};

/// What the bits of a descriptor say, for a product of `parts` parts; `errc::out_of_domain` where bits are set that must not be, columns are
/// shifted, or a part starts beyond its first span. Bits that say that no column is zeros have used = 256 in all parts.
constexpr Result<ZeroColumns> zero_columns_of(std::uint64_t bits, std::int64_t parts) noexcept
{
    const auto field = [&](int at, int count) { return static_cast<std::int64_t>(bits >> at & ((std::uint64_t{1} << count) - 1)); };
    if (field(36, 3) != 0 || field(62, 2) != 0)
        return Error(errc::out_of_domain, -1, "bits 36 to 38 and 62 to 63 of the mask of columns must be 0");
    if (field(56, 6) != 0) return Error(errc::out_of_domain, -1, "columns are shifted by {0}; only 0 is simulated", field(56, 6));
    ZeroColumns out;
    out.used = 256;
    if (field(39, 1) == 0) return out;
    out.used = field(48, 8) + 1, out.zeros = field(40, 8) + 1;
    for (int part = 0; part < parts; ++part) {
        out.start[part] = field(8 * part, 8), out.zeros_first[part] = field(32 + part, 1) != 0;
        if (const std::int64_t first = out.zeros_first[part] ? out.zeros : out.used; out.start[part] >= first)
            return Error(errc::out_of_domain, -1, "a part of the mask of columns starts at {0} of a span of {1}", out.start[part],
                         first);
    }
    return out;
}

/// The descriptor for columns j of `n`, in `parts` parts, where `is_zero(j)`. `errc::no_layout` with the part, from 0, where the spans of its
/// columns are not those of a descriptor: all spans but a part's first and last one have the length of their kind.
///
/// Cost: linear in n.
template <class IsZero>
constexpr Result<ZeroColumns> zero_columns(std::int64_t n, std::int64_t parts, const IsZero& is_zero)
{
    const std::int64_t each = n / parts;
    std::int64_t length[2] = {0, 0}, most[2] = {1, 1}; // of spans of used columns and of zeros: inside of a part, and at its ends
    const auto none = [](std::int64_t part) {
        return Error(errc::no_layout, static_cast<int>(part),
                     "the columns of B that are zeros, of part {0}, are not spans of one length with spans of another one between",
                     part);
    };
    for (const bool checks : {false, true})
        for (std::int64_t part = 0; part < parts; ++part)
            for (std::int64_t begin = 0, end = 0; begin < each; begin = end) {
                const bool zeros = is_zero(part * each + begin);
                for (end = begin; end < each && is_zero(part * each + end) == zeros;) ++end;
                const std::int64_t span = end - begin;
                const bool inside = begin > 0 && end < each;
                if (inside && length[zeros] == 0) length[zeros] = span;
                if (!inside) most[zeros] = std::max(most[zeros], span);
                if (checks && (inside ? span != length[zeros] : length[zeros] != 0 && span > length[zeros])) return none(part);
            }
    ZeroColumns out;
    out.used = length[0] != 0 ? length[0] : most[0];
    out.zeros = length[1] != 0 ? length[1] : most[1];
    for (std::int64_t part = 0; part < parts; ++part) {
        const bool zeros = is_zero(part * each);
        std::int64_t first = 0;
        while (first < each && is_zero(part * each + first) == zeros) ++first;
        out.zeros_first[part] = zeros;
        out.start[part] = (zeros ? out.zeros : out.used) - first;
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
