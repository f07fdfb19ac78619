// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRINT_HPP
#define AXE_MAP_PRINT_HPP

#include <axe/map/text/names.hpp>

#include <cstdint>
#include <string>

namespace axe {
inline namespace v0 {

/// How many nodes the text of a map writes out, the largest integer where there are more. A node that is used twice is written twice,
/// and so a map of n nodes may have a text of 2^n: check the size of an untrusted map before printing it. Cost: linear in the nodes.
AXE_DECL std::int64_t printed_nodes(const IndexingMap& map);

/// The text of one expression of a map, its variables called as in the map's text: `(d0 mod 2) * 30 + d0 floordiv 2`.
/// Cost: linear in the text, in which an expression that is used ten times appears ten times.
AXE_DECL std::string print(const IndexingMap& map, IndexExpr expression, const MapSpelling& spelling = {});

/// The text of a map: `(d0) -> ((d0 mod 2) * 30 + d0 floordiv 2), domain: d0 in [0, 19]`.
///
/// For every map that the makers of its pool made, `parse_map(print(map))` is the same map, node by node and up to the order of the
/// nodes, when no two variables have one name. A constraint on a variable alone is written `(d0) in [0, 4]`, so that it is not
/// mistaken for the variable's interval. Where every variable is any integer there is no domain to write.
/// Cost: linear in the text; the depth of an expression is not limited.
AXE_DECL std::string print(const IndexingMap& map, const MapSpelling& spelling = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/map/impl/print.hpp>
#endif

#endif
