// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_ELEMENT_BITS_HPP
#define AXE_SIM_MEMORY_ELEMENT_BITS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace axe {
inline namespace v0 {
namespace sim {

/// The bits of an element of 1, 2, 4 or 8 bytes, in a buffer that need not be aligned.
inline std::uint64_t load_bits(const std::byte* from, int width) noexcept
{
    switch (width) {
    case 1: return std::to_integer<std::uint64_t>(*from);
    case 2: {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from, 2);
        return bits;
    }
    case 4: {
        std::uint32_t bits = 0;
        std::memcpy(&bits, from, 4);
        return bits;
    }
    default: {
        std::uint64_t bits = 0;
        std::memcpy(&bits, from, 8);
        return bits;
    }
    }
}
inline void store_bits(std::byte* to, std::uint64_t bits, int width) noexcept
{
    switch (width) {
    case 1: *to = static_cast<std::byte>(bits); return;
    case 2: {
        const auto word = static_cast<std::uint16_t>(bits);
        std::memcpy(to, &word, 2);
        return;
    }
    case 4: {
        const auto word = static_cast<std::uint32_t>(bits);
        std::memcpy(to, &word, 4);
        return;
    }
    default: std::memcpy(to, &bits, 8);
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
