// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_CUTE_TEXT_HPP
#define AXE_CLI_CUTE_TEXT_HPP

#include "reply.hpp"

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/text.hpp>
#include <axe/text/text_view.hpp>

#include <string>
#include <variant>

namespace axe_cli {

/// The second layout of many of CuTe's operations: one, or one for each mode of the first.
using CuteTarget = std::variant<axe::cute::Layout, axe::cute::Tiler>;

/// Reads `(2,2):(1,4)`, or `<4:1,_,(2,2):(1,8)>`: a layout for each mode, `8` for `8:1`, `_` for a mode that stays, and
/// `<…>` again for the modes of a mode.
axe::Result<CuteTarget> parse_cute_target(axe::TextView given);

/// The same, the one layout under a swizzle or not.
using CuteInner = std::variant<axe::cute::Composed, axe::cute::Tiler>;
axe::Result<CuteInner> parse_cute_inner(axe::TextView given);

/// Reads a layout, swizzled or not, or a shape alone, `((2,4),8)`: its compact layout, leftmost fastest.
axe::Result<axe::cute::Composed> parse_any_cute(axe::TextView given);
/// Why an argument is without swizzle and offset.
enum class Plain {
    complement, ///< the values of the complement are added before the swizzle
    tiler,      ///< its complement is added to it
    tile        ///< threads and values are digits of the tile
};
/// The same without swizzle and offset, or an error that says why.
axe::Result<axe::cute::Layout> parse_plain_cute(axe::TextView given, Plain why);
template <Plain why>
axe::Result<axe::cute::Layout> parse_plain_cute(axe::TextView given)
{
    return parse_plain_cute(given, why);
}

/// The extent of each mode.
axe::Shape mode_extents(const axe::cute::Layout& shape);

/// Why A is not congruent to B, of the first mode that differs: `mode 1.0 is a tuple of 2 in A and an extent in B`. Empty where it is.
std::string not_congruent(const axe::cute::Layout& a, const axe::cute::Layout& b);
/// Why A is not compatible with B: the first mode of A whose extent, or tuple, is not that of B. Empty where it is.
std::string not_compatible(const axe::cute::Layout& a, const axe::cute::Layout& b);

/// Reads the ranks of dimensions, `(1,0)`: only their order counts.
axe::Result<axe::Shape> parse_ordering(axe::TextView given);

// The whole reply from a value: the text that CuTe prints; in the JSON object `shape` and `stride`, nested as the tuples are.
void give(Reply& reply, const axe::cute::Layout& layout);
void give(Reply& reply, const axe::cute::Composed& composed);

} // namespace axe_cli

#endif
