// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_REMOVE_UNUSED_HPP
#define AXE_MAP_REMOVE_UNUSED_HPP

#include <axe/map/indexing_map.hpp>

#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {

/// Which variables may go.
enum class UnusedKind : std::uint8_t { dimensions, symbols, every };

/// A map without some of its variables, and which they were: [v] for each variable that it had.
struct Unused {
    IndexingMap map{};
    std::vector<bool> removed{};
};

/// Removes the variables that no result needs:  (x, r) ∈ out  ⇔  ∃ u : (x, u, r) ∈ map,  u the removed variables
///
/// A variable is needed when a result mentions it, or a constraint together with a needed one or one of another kind. Of the
/// others the constraints go with them once they are known to have a point that satisfies them. Where there is none the map is empty, and
/// stays so; where `is_empty` has no answer, variables and constraints stay.
/// Cost: quadratic in the variables and constraints, and `is_empty` for each group of variables that constraints tie together.
/// Source: XLA's RemoveUnusedVars, which drops such constraints unasked.
AXE_DECL Unused remove_unused(const IndexingMap& map, UnusedKind which = UnusedKind::every);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/remove_unused.hpp>
#endif

#endif
