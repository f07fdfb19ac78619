# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page against the library, cell by cell."""

import re
import unittest

import support


def coordinate(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


def point(text):
    return {axis: int(n) for axis, n in re.findall(r"([A-Za-z][\w.]*):(-?\d+)", text)}


def items(text, pattern):
    """The items of a list in the name of a cell, and how many there are in all."""
    found = re.findall(pattern, text)
    more = re.search(r" and more, (\d+) in all$", text)
    return found, int(more.group(1)) if more else len(found)


class Agreement(unittest.TestCase):
    def agree(self, case, shown):
        """What a page shows against the library; returns the number of cells compared."""
        ask = support.library.ask
        truth = ask("points", case.layout, case.shape)
        self.assertIsInstance(truth, list, truth)
        drawn = {
            view: ask("picture", view, case.layout, case.shape, case.color, *(hardware or ("", "")), "", 1, case.width)
            for view, hardware in (("logical", None), ("hardware", (case.rows, case.columns)))
        }
        color = case.color or support.browser.js("return document.querySelector('#legend .name').textContent")
        colors = {value: (cell, text) for value, cell, text in ask("values", case.layout, case.shape, color, case.width)}
        rules = {
            name: (cell, text)
            for name, cell, text in re.findall(
                r"\.(k\d+)\{--k:[^;]+;background:(#\w{6});color:(#\w{6})\}",
                support.browser.js("return document.getElementById('colors').textContent"),
            )
        }

        cells = [(panel, cell) for panel in shown["logical"] for cell in panel["cells"]]
        self.assertEqual(len(cells), len(truth))
        for (panel, (row, column, name, _, classes)), (coord, points) in zip(cells, truth):
            said, rest = name.split(" at ")
            self.assertEqual(said, coord)
            self.assertEqual(items(rest, r"\{[^}]*\}"), (points[:64], len(points)), coord)
            c = coordinate(coord)
            if len(c) > 1:
                self.assertEqual([int(row), int(panel["columns"][column])], c[-2:])
            if len(c) > 2:
                self.assertEqual(panel["title"], "(" + "".join(f"{n}," for n in c[:-2]) + ":,:)")
            if len(c) == 1:
                self.assertEqual(int(row) + int(panel["columns"][column]), c[0])
            if color in point(points[0]):
                self.assertEqual(rules[classes.split()[1]], colors[str(point(points[0])[color])], coord)

        cells = [(panel, cell) for panel in shown["hardware"] for cell in panel["cells"]]
        places = [cell[2].split(" holds ")[0] for _, cell in cells]
        self.assertEqual(len(set(places)), len(places))
        self.assertLessEqual({p for _, points in truth for p in points}, set(places))
        held = ask("preimage", case.layout, case.shape, *places)
        for (panel, (row, column, name, _, classes)), place, coords in zip(cells, places, held):
            rest = name.split(" holds ")[1]
            self.assertEqual(items(rest, r"\([^)]*\)"), (coords[:64], len(coords)), place)
            self.assertEqual(rest == "nothing", not coords)
            p, axes = point(place), re.findall(r"(rows|columns) ([\w.]+)", panel["name"])
            for kind, axis in axes:
                along = int(row) if kind == "rows" else int(panel["columns"][column])
                if len(axes) == 1 and kind == "columns":
                    along += int(row)
                self.assertEqual(along, p[axis], place)
            for axis, n in re.findall(r"([\w.]+) (-?\d+)", panel["title"]):
                self.assertEqual(int(n), p[axis])
            self.assertEqual("hole" in classes.split(), not coords)
            if coords and color in p:
                self.assertEqual(rules[classes.split()[1]], colors[str(p[color])], place)

        for panel in shown["hardware"]:  # the axes that are not its own are the same in all of a panel
            own = re.findall(r"(?:rows|columns) ([\w.]+)", panel["name"])
            rest = {tuple((axis, n) for axis, n in point(cell[2]).items() if axis not in own) for cell in panel["cells"]}
            self.assertEqual(len(rest), 1)

        # the panels, and the labels of cells that have one, as the library's own pictures have them
        for view in ("logical", "hardware"):
            self.assertEqual([(p["title"], p["columns"]) for p in shown[view]], [(p["title"], p["columns"]) for p in drawn[view]])
            for mine, theirs in zip(shown[view], drawn[view]):
                labels = [cell for cell in theirs["cells"] if cell is not None]
                self.assertEqual(len(mine["cells"]), len(labels))
                for (_, _, name, label, classes), (expected, several) in zip(mine["cells"], labels):
                    if mine["small"]:
                        expected, several = "", False
                    self.assertEqual((label, "several" in classes.split()), (expected, several), name)
        return len(truth) + len(places)

    def banks_agree(self, case, shown):
        plain = re.sub(r"^swizzle<[^>]*>(@\w+)?(/\d+)?\((.*)\)$", r"\3", case.layout)
        width = int((re.search(r"/(\d+)\(", case.layout) or [0, case.width])[1])
        kinds = [(case.layout, case.width)] if plain == case.layout else [(plain, width), (case.layout, 1)]
        self.assertEqual(len(shown["banks"]), len(kinds))
        drawn = support.library.ask("picture", "banks", case.layout, case.shape, "", "", "", case.access, case.vector, case.width)
        for panel, theirs, (layout, bytes_) in zip(shown["banks"], drawn, kinds):
            truth = support.library.ask("banks", layout, case.access, case.vector, bytes_)
            self.assertEqual(panel["tallies"], [phase["words"] for phase in truth])
            worst, passes = max(p["degree"] for p in truth), sum(p["degree"] for p in truth)
            said = [int(n) for n in re.findall(r"\d+", panel["verdict"])]
            self.assertEqual(said, ([worst] if worst > 1 else []) + [passes, len(truth)])
            self.assertEqual([cell[3] for cell in panel["cells"]], [label for label, _ in theirs["cells"]])
            self.assertEqual([cell[0] for cell in panel["cells"]][::32], theirs["rows"])
