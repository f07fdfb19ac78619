// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_STICKS_HPP
#define AXE_TARGET_SPYRE_STICKS_HPP

#include <axe/machine/machine.hpp>

namespace axe {
inline namespace v0 {

/// The bytes of a stick, at a multiple of as many, which instructions on this memory take whole; 0 where it has no sticks.
///
/// A machine has sticks when it has the limit `stick.bytes`; they are in the memories whose allocations begin at multiples of it.
constexpr std::int64_t stick_bytes(const Machine& machine, const Memory& memory) noexcept
{
    const Limit* bytes = find_limit(machine, "stick.bytes");
    return bytes != nullptr && memory.alignment % bytes->value == 0 ? bytes->value : 0;
}

} // namespace v0
} // namespace axe

#endif
