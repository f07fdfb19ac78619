# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shares of memcpy's bandwidth as bars: a panel for one thread and one for two, an SVG without anything from elsewhere."""
import html
import math

COLOURS = {"axe": "#0072b2", "onednn": "#e69f00", "eigen": "#009e73", "openblas": "#cc79a7", "naive": "#8a8a8a"}
INK, SOFT, LINE, PAPER, GOAL = "#1a1a1a", "#595959", "#d9d9d9", "#ffffff", "#d00000"
FONT = "system-ui,'Segoe UI','DejaVu Sans',sans-serif"  # no attribute holds a double quote
BAR, GAP, MARGIN, LABELS, PANEL, SPACE = 12, 18, 20, 244, 330, 64
TOP = 118  # where the bars begin, below title, legend and the panels' headings


def element(name, text=None, **attributes):
    inside = " ".join(f'{key.rstrip("_").replace("_", "-")}="{html.escape(str(value), quote=False)}"' for key, value in attributes.items())
    return f"<{name} {inside}/>" if text is None else f"<{name} {inside}>{html.escape(text, quote=False)}</{name}>"


def text(x, y, words, size=12, fill=INK, anchor="start", **more):
    return element("text", words, x=round(x, 1), y=round(y, 1), font_size=size, fill=fill, text_anchor=anchor, **more)


def diamond(x, y):
    return element("path", d=f"M{x:.1f} {y - 5:.1f}l4 5l-4 5l-4 -5z", fill=PAPER, stroke=INK, stroke_width=1.4)


def goal_mark(x, top, bottom):
    return element("line", x1=round(x, 1), x2=round(x, 1), y1=round(top, 1), y2=round(bottom, 1), stroke=GOAL, stroke_width=2)


def legend(names):
    out, x, y = [], MARGIN, 54
    for key, words in names:
        out += [element("rect", x=x, y=y - 9, width=14, height=10, fill=COLOURS[key]), text(x + 19, y, words)]
        x += 19 + 6.7 * len(words) + 22
    out += [goal_mark(x + 5, y - 11, y + 3), text(x + 14, y, "goal")]
    x += 62
    out += [diamond(x + 5, y - 4), text(x + 15, y, "best peer measured elsewhere")]
    return out


def draw(rows, names, caption):
    """rows: (words, [panel of one thread, of two]); a panel: {"goal", "best", "bars": [(contender, share or why there is none)]}.

    names: (contender, in words), in the order of the legend."""
    shares = [value for _, panels in rows for p in panels for value in (p["goal"], p["best"], *(v for _, v in p["bars"])) if isinstance(value, (int, float))]
    most = max(1.2, *shares)
    step = next(s for s in (0.2, 0.25, 0.5, 1, 2, 5, 10, most) if most / s <= 8)
    most = math.ceil(most / step - 1e-9) * step
    bars = [max(1, *(len(p["bars"]) for p in panels)) for _, panels in rows]
    bottom = TOP + sum(n * BAR + GAP for n in bars)
    width, height = MARGIN + LABELS + 2 * PANEL + SPACE + 52, bottom + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONT}" role="img">',
           element("title", "Copies between layouts: share of memcpy's bandwidth"), element("rect", width=width, height=height, fill=PAPER),
           text(MARGIN, 28, "Copies between layouts: bandwidth as a share of memcpy's", 17, font_weight=600), *legend(names)]
    lefts = [MARGIN + LABELS, MARGIN + LABELS + PANEL + SPACE]
    for left, heading in zip(lefts, ("one thread", "two threads")):
        out.append(text(left, TOP - 26, heading, 13, font_weight=600))
        scale = PANEL / most
        for tick in sorted({1.0, *(i * step for i in range(round(most / step) + 1))}):
            x = left + tick * scale
            out.append(element("line", x1=round(x, 1), x2=round(x, 1), y1=TOP - 4, y2=bottom, stroke=INK if tick == 1 else LINE, stroke_width=1))
            if tick == 1 or abs(tick - 1) * scale > 34:  # room beside the word
                out += [text(x, y, "memcpy" if tick == 1 else f"{tick:.1f}", 10, SOFT, "middle") for y in (TOP - 9, bottom + 14)]
    top = TOP
    for (words, panels), count in zip(rows, bars):
        out.append(text(MARGIN + LABELS - 10, top + count * BAR / 2 + 4, words, 12, anchor="end"))
        for left, panel in zip(lefts, panels):
            values = []
            for i, (contender, value) in enumerate(panel["bars"]):
                y = top + i * BAR
                if isinstance(value, (int, float)):
                    out.append(element("rect", x=left, y=y + 1, width=round(max(value * scale, 1), 1), height=BAR - 2, fill=COLOURS[contender]))
                    values.append(text(left + max(value * scale, 1) + 4, y + BAR - 2.5, f"{value:.2f}", 9.5, INK, stroke=PAPER, stroke_width=3, paint_order="stroke"))
                else:
                    out.append(text(left + 4, y + BAR - 2, f"{contender}: {value}", 9.5, GOAL))
            if panel["goal"]:
                out.append(goal_mark(left + panel["goal"] * scale, top - 1, top + count * BAR + 1))
            if panel["best"]:
                out.append(diamond(left + panel["best"] * scale, top + count * BAR + 6))  # below the bars: it would hide a number
            out += values  # above every line
        top += count * BAR + GAP
    for i, line in enumerate(caption):
        out.append(text(MARGIN, bottom + 34 + 15 * i, line, 11, SOFT))
    return "\n".join(out) + "\n</svg>\n"
