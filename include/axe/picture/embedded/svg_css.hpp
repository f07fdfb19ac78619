// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_SVG_CSS_HPP
#define AXE_PICTURE_EMBEDDED_SVG_CSS_HPP

// Made of include/axe/picture/web/svg.css. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char svg_css[] =
R"css(.axe text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}.axe .head,.axe .soft{font:12px system-ui,'Segoe UI','DejaVu Sans',sans-serif}.axe .head{font-size:15px;font-weight:600}.axe .title,.axe .lead,.axe .worst{font-weight:700}.axe .label{text-anchor:middle}.axe .edge text{font-size:10px}.axe .edge .name{font-style:italic}.axe .line{fill:none;stroke-width:1;shape-rendering:crispEdges})css";

} // namespace detail
} // namespace v0
} // namespace axe

#endif
