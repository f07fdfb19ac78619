// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EMIT_C_HPP
#define AXE_MAP_EMIT_C_HPP

#include <axe/map/indexing_map.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// The function that `emit_c` writes.
struct EmitOptions {
    std::string name = "map";
    bool checks = true; ///< does it answer whether the point is in the domain? Else the caller knows
};

/// A map as a function in C++20 (and CUDA C++), variables in their order and an array for the results:
///
///   static inline bool map(long long d0, long long d1, long long* r)     true, and r[i] = result i, in the domain; false elsewhere
///
/// The integer is `int` where all that is computed in the variables' intervals fits, `long long` otherwise. Divisions by powers of two
/// are shifts and their remainders masks, as both round down for negative numbers too; other divisions are the language's where the
/// dividend cannot be negative, and corrected by one where it can. What occurs more than once is computed once.
///
/// @returns `errc::overflow` when a value may overflow 64 bits; `errc::bad_argument` for an undefined map, or a name that is not an identifier.
/// Cost: linear in the nodes and in the text.
AXE_DECL Result<std::string> emit_c(const IndexingMap& map, const EmitOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/emit_c.hpp>
#endif

#endif
