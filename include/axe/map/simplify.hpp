// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_HPP
#define AXE_MAP_SIMPLIFY_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {

/// The same map on the same domain, with the fewest divisions and remainders and then the fewest nodes that are found.
AXE_DECL IndexingMap simplify(const IndexingMap& map);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/simplify.hpp>
#endif

#endif
