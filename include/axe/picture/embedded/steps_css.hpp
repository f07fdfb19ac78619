// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_STEPS_CSS_HPP
#define AXE_PICTURE_EMBEDDED_STEPS_CSS_HPP

// Made of include/axe/picture/web/steps.css. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char steps_css[] =
R"css(.bar-of-steps{display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:center;margin:.8rem 0}
.bar-of-steps button,.bar-of-steps select{font:inherit;color:inherit;background:var(--tint);border:1px solid var(--soft);
    border-radius:4px;padding:.15rem .6rem;min-height:2rem}
.bar-of-steps button:disabled{opacity:.45}
.bar-of-steps input{flex:1 1 12rem;min-width:8rem;accent-color:var(--focus)}
#timeline svg{display:block;width:100%;min-width:40rem;height:auto;border:1px solid var(--rule);border-radius:8px}
#timeline text{font:11px var(--mono);fill:var(--ink)}
#timeline .soft{fill:var(--soft)}
#timeline rect{stroke:var(--paper);stroke-width:.5}
#timeline .issue{fill:var(--bar)}
#timeline .wait{fill:var(--hole)}
#timeline .read{fill:var(--bar)}
#timeline .write{fill:var(--bad)}
#timeline .now{stroke:var(--ink);stroke-width:2}
#timeline .tick{stroke:var(--focus);stroke-width:1.5}
#timeline .line{stroke:var(--rule)}
#memory .now{background:var(--tint);font-weight:650}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.4fr);gap:0 2rem}
@media (max-width:50rem){.columns{grid-template-columns:minmax(0,1fr)}}
)css";

} // namespace detail
} // namespace v0
} // namespace axe

#endif
