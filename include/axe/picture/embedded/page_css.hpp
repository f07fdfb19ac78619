// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_EMBEDDED_PAGE_CSS_HPP
#define AXE_PICTURE_EMBEDDED_PAGE_CSS_HPP

// Made of include/axe/picture/web/page.css. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char page_css[] =
R"css(:root{color-scheme:light dark;--mono:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;
    --rule:#dde1e6;--focus:#0b57d0;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--rule:#3d4149;--focus:#8ab4f8;--bad:#ff8f85}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;
    -webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.25rem clamp(.75rem,3vw,2.5rem) 2rem;max-width:100rem}
h1,h2,p,dl,dd{margin:0}
h1{font-size:1.35rem;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
h2{font-size:1.05rem;font-weight:650}
.head{font-size:.87rem;font-weight:600;min-height:1.3em}
input,select,.text,#place,dd,button{font-family:var(--mono)}
[hidden]{display:none!important}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}

#fields{display:flex;flex-wrap:wrap;gap:.6rem .9rem;margin:.9rem 0 .2rem}
#fields label{display:block;font-size:.8rem;color:var(--soft);margin-bottom:.15rem}
input,select{width:100%;height:2.1rem;padding:0 .5rem;font-size:.87rem;color:var(--ink);background:var(--paper);
    border:1px solid var(--soft);border-radius:5px}
input:disabled{color:var(--soft)}
input[aria-invalid]{border:2px solid var(--bad)}
.wide{flex:1 1 26rem;min-width:0}.middle{flex:0 1 14rem;min-width:0}.choice{flex:0 1 11.5rem;min-width:6.5rem}
.break{flex-basis:100%}
#say{min-height:3.6rem;margin-top:.6rem}
#message{border-left:4px solid var(--bad);padding:.1rem .8rem;overflow-x:auto}
#hello{max-width:60rem}
#place{margin:.2rem 0 0;font-size:.87rem}

#legend,#lanes{margin:.9rem 0 .2rem;display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
.name{font-weight:600}
#legend span,#lanes span{font-size:.8rem}
[role=toolbar]{flex:1;display:flex;flex-wrap:wrap;gap:3px;align-items:center}
button{min-width:1.9rem;height:1.6rem;padding:0 .3rem;border:1px solid var(--soft);border-radius:4px;font-size:.8rem;cursor:pointer}
button[aria-pressed=true]{outline:3px solid var(--ink);outline-offset:1px}
button[aria-pressed=true]::before{content:'✓ '}
.ramp{display:inline-block;width:min(16rem,40vw);height:1.1rem;border:1px solid var(--soft);border-radius:3px}
#picked{font-size:.87rem;min-height:1.45em}
#lanes{margin-top:.3rem}

#work{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:1.2rem 1.8rem;align-items:start;margin-top:.6rem}
main{display:flex;flex-wrap:wrap;gap:1.4rem 1.8rem;align-items:flex-start}
section{min-width:0;max-width:100%;flex:0 1 26rem}
#banks{flex-basis:100%!important}
.lede,.note,.verdict,.keys{color:var(--soft);font-size:.84rem}
section .lede{margin-bottom:.3rem}
.verdict{margin-bottom:.3rem}.verdict b{color:var(--ink)}
.body{display:flex;flex-wrap:wrap;gap:.8rem 1.4rem}
.panel{min-width:0;max-width:100%}
.axes{color:var(--soft);font-weight:400}

.side{position:sticky;top:1rem}
aside{border:1px solid var(--rule);border-radius:8px;padding:.8rem 1rem;background:var(--paper)}
aside h2{font-size:.95rem;margin-bottom:.3rem}
#map>div{padding:.25rem 0;border-top:1px solid var(--rule)}
dt{font-size:.76rem;color:var(--soft)}
dd{font-size:.84rem;overflow-wrap:anywhere;display:inline-block;margin-right:.7em}
.keys{margin-top:.8rem}
kbd{font:inherit;font-size:.78rem;border:1px solid var(--rule);border-radius:3px;padding:0 .25rem;color:var(--ink)}

/* Grids. Cells have a fixed size, so that rows out of sight cost nothing. The script gives --columns, the characters and lines of a
   label (for small cells --w and --h), and the characters along the left edge. Nothing moves. */
.scroll{--w:calc(var(--chars)*1ch + 7px);--h:calc(var(--lines)*13px + 5px);--e:calc(var(--edge)*1ch + 8px);
    font:11px/13px var(--mono);overflow-x:auto;max-width:100%;width:max-content;padding:2px 1px 3px 0}
[role=grid]{width:max-content}
[role=row]{display:flex;width:max-content;content-visibility:auto;
    contain-intrinsic-size:calc(var(--e) + var(--columns)*var(--w)) var(--h)}
.c,.tally [role=gridcell],[role=columnheader]{flex:none;width:var(--w);text-align:center;white-space:pre;overflow:hidden;
    font-style:normal}
.c{height:var(--h);padding-top:2px;border:solid var(--paper);border-width:0 1px 1px 0;cursor:pointer;
    forced-color-adjust:none}
[role=rowheader],.corner{flex:none;width:var(--e)!important;position:sticky;left:0;z-index:1;background:var(--paper);
    padding:2px 6px 0 0;text-align:right;white-space:nowrap;color:var(--soft)}
[role=columnheader]{color:var(--soft);padding-bottom:2px}
.scroll:not(.small) [role=rowheader]{border-right:1px solid var(--rule)}
.scroll:not(.small) [role=columnheader]:not(.corner){border-bottom:1px solid var(--rule)}
.heads{content-visibility:visible}
.hole{background:repeating-linear-gradient(135deg,transparent 0 4px,var(--hole) 4px 5px)}
.blank{border-color:var(--rule)}
.several{background-image:linear-gradient(225deg,currentColor 4.5px,transparent 5px)}
.tally{color:var(--soft);margin-top:1px}
.tally [role=gridcell]{padding-top:2px}
.many{color:var(--ink)}
.worst{color:var(--ink);font-weight:700;text-decoration:underline}
.small{content-visibility:auto;
    contain-intrinsic-size:auto calc(var(--e) + var(--columns)*var(--w)) auto calc(var(--rows)*var(--h) + 20px)}
.small [role=row]{content-visibility:visible}
.small .c{padding:0;border:0}
.small .hole{background:var(--paper)}
.small [role=columnheader]{overflow:visible;text-align:left}
.small [role=rowheader]{height:var(--h);line-height:var(--h);padding-top:0;overflow:visible}
.small .tally{display:none}

/* What is not highlighted loses its color; what is pointed at has a double ring. */
body.lit .c:not([aria-selected]):not(.hole){background:var(--paper);color:var(--soft);border-color:var(--rule)}
body.lit .small .c:not([aria-selected]):not(.hole){background:color-mix(in srgb,var(--k) 22%,var(--paper))}
body.lit .small .c[aria-selected]{background:var(--ink);box-shadow:none}
body.lit .c[aria-selected]{box-shadow:inset 0 0 0 2px var(--ink)}
.c.mark,body.lit .c.mark{outline:2px solid var(--ink);outline-offset:-2px;box-shadow:inset 0 0 0 3px var(--paper);position:relative}
.small .c.mark,body.lit .small .c.mark{outline-offset:0;outline-width:2px;box-shadow:0 0 0 4px var(--paper);z-index:2}
.c:focus-visible,.c.mark:focus-visible,body.lit .c.mark:focus-visible{outline:3px solid var(--focus);outline-offset:-3px;
    box-shadow:inset 0 0 0 4px var(--paper)}
.small .c:focus-visible,.small .c.mark:focus-visible,body.lit .small .c.mark:focus-visible{outline-offset:1px;
    box-shadow:0 0 0 4px var(--paper)}

@media (max-width:64rem){
    #work{grid-template-columns:minmax(0,1fr)}
    .side{display:contents}
    aside{position:sticky;bottom:0;max-height:38vh;overflow:auto;border-radius:8px 8px 0 0;z-index:3}
    #map{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));column-gap:1rem}
}
@media (max-width:30rem){
    .wide,.middle{flex-basis:100%}.choice{flex:1 1 7rem}
    section{flex-basis:100%!important}
}
@media print{
    html{font-size:11px}
    body{max-width:none;padding:0}
    .c,button,.ramp{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    #work{display:block}
    .scroll{overflow:visible}
    [role=row]{content-visibility:visible}
    .panel{break-inside:avoid-page}
    .side,#hello,#picked:empty{display:none}
    #say{min-height:0}
    input,select{border:0;padding:0;appearance:none}
}
)css";

} // namespace detail
} // namespace v0
} // namespace axe

#endif
