// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_MOVEMENT_HPP
#define AXE_PICTURE_MOVEMENT_HPP

#include <axe/picture/movement_model.hpp>

namespace axe {
inline namespace v0 {

/// The movement as a separate file: SVG 1.1, no scripts, fonts or links, legible on light and dark pages. The same movement gives the
/// same bytes.
AXE_DECL std::string draw(const MovementPicture& movement);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/movement.hpp>
#endif

#endif
