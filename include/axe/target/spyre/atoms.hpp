// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_ATOMS_HPP
#define AXE_TARGET_SPYRE_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// IBM Spyre: device memory in sticks.
namespace atoms::spyre {

inline constexpr const char* torch = "torch-spyre 859df83e, tests/tensor/test_tensor_layout.py line 93";
inline constexpr const char* sticks = "a stick is 128 bytes, 64 f16: columns of sticks one after the other, (columns/64, rows, 64)";
inline constexpr AtomHead stick{"spyre.stick.f16", "spyre", "device", torch, Evidence::documents};

inline constexpr Atom rows[] = {
    {stick, "mem", "f16", {512, 256}, {{512, 64}, {4, 32768}, {64, 1}}, sticks},
};

} // namespace atoms::spyre

} // namespace v0
} // namespace axe

#endif
