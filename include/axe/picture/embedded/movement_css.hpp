// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_MOVEMENT_CSS_HPP
#define AXE_PICTURE_EMBEDDED_MOVEMENT_CSS_HPP

// Made of include/axe/picture/web/movement.css. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char movement_css[] =
R"css(.axe .strong{font-weight:700}.axe .move{fill:none;stroke-width:1.5}.axe .across{stroke-dasharray:5 3}.axe .column{fill:none;stroke-width:1;stroke-opacity:.5}.axe .written rect{stroke-width:2})css";

} // namespace detail
} // namespace v0
} // namespace axe

#endif
