// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_APPLE_ATOMS_HPP
#define AXE_TARGET_APPLE_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// Apple M1 AMX: the accumulators of its outer products, interleaved over the rows of Z.
namespace atoms::apple {

inline constexpr Axis zrow{"zrow"}, zelem{"zelem"};
inline constexpr const char* corsix = "corsix/amx, found by experiment; not documented by Apple";

constexpr AtomHead amx(const char* name) noexcept { return {name, "apple-m1", "core", corsix, Evidence::documents}; }

inline constexpr Atom rows[] = {
    {amx("apple.amx.fma32"), "Z", "f32", {16, 16}, {{16, 4, zrow}, {16, 1, zelem}}, "accumulator q of 4 is at {zrow:q}"},
    {amx("apple.amx.fma16"), "Z", "f16", {32, 32}, {{32, 2, zrow}, {32, 1, zelem}}, "accumulator q of 2 is at {zrow:q}"},
};

} // namespace atoms::apple

} // namespace v0
} // namespace axe

#endif
