// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_RUN_PAGE_CSS_HPP
#define AXE_PICTURE_EMBEDDED_RUN_PAGE_CSS_HPP

// Made of include/axe/picture/web/run_page.css. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char run_page_css[] =
R"css(:root{color-scheme:light dark;--mono:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;
    --rule:#dde1e6;--tint:#f3f5f8;--good:#1a6e2e;--bad:#b3261e;--bar:#88ccee;--focus:#0b57d0}
@media (prefers-color-scheme:dark){:root{--rule:#3d4149;--tint:#22252b;--good:#7fd492;--bad:#ff8f85;--bar:#2f6f93;--focus:#8ab4f8}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;
    -webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.25rem clamp(.75rem,3vw,2.5rem) 3rem;max-width:76rem}
h1{font-size:1.35rem;line-height:1.25;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .5rem}
p{margin:.3rem 0}
a{color:var(--focus)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
code,.code,.number,td,.lowered{font-family:var(--mono);font-size:.8rem}
.soft{color:var(--soft);font-size:.87rem}
.verdict{font-weight:650}
.good{color:var(--good)}.bad{color:var(--bad)}
.fault{border-left:4px solid var(--bad);background:var(--tint);padding:.5rem .9rem;overflow-wrap:anywhere;margin:.6rem 0}
.scroll{overflow-x:auto;max-width:100%}
.scroll svg{display:block;max-width:100%;min-width:56rem;height:auto;border:1px solid var(--rule);border-radius:8px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.18rem .7rem .18rem 0;text-align:right;white-space:nowrap;vertical-align:top}
th{font-size:.78rem;font-weight:600;color:var(--soft);border-bottom:1px solid var(--rule)}
th.text,td.text{text-align:left}
td.long{white-space:normal;overflow-wrap:anywhere;min-width:14rem}
tr.sum td{border-top:1px solid var(--rule);font-weight:650}
.bar{display:inline-block;height:.7rem;background:var(--bar);border-radius:2px;min-width:1px;vertical-align:baseline}
.barred{width:12rem;min-width:6rem}

.program{border:1px solid var(--rule);border-radius:8px;overflow:hidden}
.row,summary{display:flex;flex-wrap:wrap;gap:0 .8rem;align-items:baseline;padding:.16rem .7rem;list-style:none}
details,.row{border-top:1px solid var(--rule)}
.program>:first-child{border-top:0}
summary{cursor:pointer}
summary::-webkit-details-marker{display:none}
summary .number::before{content:'\25b8\a0';color:var(--soft)}
details[open]>summary .number::before{content:'\25be\a0'}
.row .number::before{content:'\a0\a0'}
summary:hover{background:var(--tint)}
.number{color:var(--soft);flex:none;width:3.6rem;white-space:nowrap}
.code{flex:1 1 16rem;min-width:0;white-space:pre-wrap;overflow-wrap:anywhere;padding-left:calc(var(--d)*1.1em)}
.tag{font-size:.78rem;border:1px solid var(--soft);border-radius:4px;padding:0 .35rem;flex:none;white-space:nowrap}
.count{font-size:.78rem;color:var(--soft);flex:none;min-width:8.5rem;text-align:right;white-space:nowrap}
.here{background:var(--tint);box-shadow:inset 4px 0 0 var(--bad)}
.inside{padding:.3rem .7rem .8rem 4.4rem;background:var(--tint)}
.inside h3{font-size:.8rem;margin:.6rem 0 .15rem;color:var(--soft);font-weight:600}
.lowered{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
dl{margin:0;display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.1rem .8rem;font-size:.84rem}
dt{font-family:var(--mono);font-size:.8rem}
dd{margin:0;overflow-wrap:anywhere}
@media (max-width:40rem){
    .inside{padding-left:.9rem}
    .number{width:2.9rem}
    .code{flex-basis:calc(100% - 4rem)}
    .tag{margin-left:3.7rem}
    .count:empty{display:none}
    .count{min-width:0}
    .barred{width:6rem}
}
@media print{html{font-size:11px}.scroll{overflow:visible}.bar{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

} // namespace detail
} // namespace v0
} // namespace axe

#endif
