# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointing, highlighting and the keyboard: what is shown and marked is what the library answers."""

import re
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import support
from agreement import point
from cases import CASES

# The maps that the page shows, as {name: [texts]}, and the names of the cells that are marked or highlighted, by view.
HELPERS = """
const maps = () => Object.fromEntries([...document.querySelectorAll('#map > div')].map((div) =>
    [div.querySelector('dt')?.textContent ?? '', [...div.querySelectorAll('dd')].map((dd) => dd.textContent)]));
const named = (selector) => Object.fromEntries(['logical', 'hardware', 'banks'].map((id) =>
    [id, [...document.querySelectorAll(`#${id} .c${selector}`)].map((cell) => cell.getAttribute('aria-label'))]));
const point_at = (cell) => cell.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
"""
ALL_HOVERS = HELPERS + """
return [...document.querySelectorAll(`#${arguments[0]} .c`)].map((cell) => {
    point_at(cell);
    return [cell.getAttribute('aria-label'), maps(), named('.mark')];
});
"""
LIT = HELPERS + "return named('[aria-selected=true]')"


def coords(names):
    return {name.split(" at ")[0] for name in names}


def places(names):
    return {name.split(" holds ")[0] for name in names}


class Pointing(unittest.TestCase):
    def show(self, name):
        self.case = next(case for case in CASES if case.name == name)
        made = support.library.ask(
            "page", support.browser.path("case.html"), self.case.layout, self.case.shape, "", *self.case.options()
        )
        self.assertIsInstance(made, int, made)
        support.browser.open("case.html")
        self.truth = dict(support.library.ask("points", self.case.layout, self.case.shape))

    def tearDown(self):
        self.assertEqual(support.browser.complaints(), [])

    def preimage(self, *points):
        return support.library.ask("preimage", self.case.layout, self.case.shape, *points)

    def holding(self, axis, value):
        """The coordinates and the points that have a value on an axis."""
        own = {c: [p for p in points if point(p)[axis] == value] for c, points in self.truth.items()}
        return {c for c, points in own.items() if points}, {p for points in own.values() for p in points}

    def test_hovering_shows_both_maps_and_marks_the_same_elements(self):
        names = [
            "tensor core tile",
            "swizzled with copies",
            "stride 0",
            "overlapping replicas",
            "negative strides",
            "rank 3",
            "one element",
            "farther than 2^53",
            "nothing moves",
            "swizzled rows of 128 bytes",
            "bytes that share words",
            "many replicas",
            "holes",
        ]
        for name in names:
            with self.subTest(name):
                self.show(name)
                hovers = support.browser.js(ALL_HOVERS, "logical")
                self.assertEqual(len(hovers), len(self.truth))
                words = support.browser.js(
                    "return [...document.querySelectorAll('#banks .c')].map((cell) => cell.getAttribute('aria-label'))"
                )
                for label, maps, marked in hovers:
                    coord = label.split(" at ")[0]
                    truth = support.library.ask("forward", self.case.layout, self.case.shape, coord)
                    self.assertEqual(maps["coordinate"], [coord])
                    self.assertEqual(maps["linear index"][0].split(" = ")[-1], truth["index"])
                    self.assertEqual(maps["digits"][0].split(" of ")[0], truth["digits"])
                    self.assertEqual(maps["points"][:64], truth["points"][:64])
                    self.assertEqual(coords(marked["logical"]), {coord})
                    self.assertEqual(places(marked["hardware"]), set(truth["points"]))
                    self.assertEqual(marked["banks"], [word for word in words if coord in re.findall(r"\([^)]*\)", word)])
                    self.assertEqual("replicas" in maps, "[" in self.case.layout)
                hovers = support.browser.js(ALL_HOVERS, "hardware")
                held = self.preimage(*[label.split(" holds ")[0] for label, _, _ in hovers])
                for (label, maps, marked), elements in zip(hovers, held):
                    place = label.split(" holds ")[0]
                    self.assertEqual(maps["point"], [place])
                    self.assertEqual(maps["coordinates"][:64], elements[:64] or ["none: nothing lives here"])
                    self.assertEqual(coords(marked["logical"]), set(elements))
                    self.assertEqual(places(marked["hardware"]), {place}.union(*(self.truth[c] for c in elements)))

    def test_the_sum_of_the_forward_map_is_the_point(self):
        self.show("tensor core tile")
        for _, maps, _ in support.browser.js(ALL_HOVERS, "logical"):
            terms, total = maps["shard"][0].split(" = ")
            sums = {}
            for digit, stride, axis in re.findall(r"(\d+)·(-?\d+)@(\w+)", terms):
                sums[axis] = sums.get(axis, 0) + int(digit) * int(stride)
            self.assertEqual(sums, point(total))
            a, b = (point(text) for text in maps["points"])
            self.assertEqual(a, {**sums, "warp": sums["warp"] + 5})
            self.assertEqual(b, {**sums, "warp": sums["warp"] + 9})
            left, right = maps["linear index"][0].split(" = ")
            self.assertEqual(eval(left.replace("·", "*")), int(right))

    def test_the_pointer_itself(self):
        self.show("tensor core tile")
        cell = support.browser.driver.find_element(By.CSS_SELECTOR, "#logical .c[aria-label^='(2,9) ']")
        ActionChains(support.browser.driver).move_to_element(cell).perform()
        maps = support.browser.js(HELPERS + "return maps()")
        self.assertEqual(maps["points"], ["{lane:8, reg:1, warp:6}", "{lane:8, reg:1, warp:10}"])
        cell.click()
        lit = support.browser.js(LIT)
        self.assertEqual((coords(lit["logical"]), places(lit["hardware"])), self.holding("lane", 8))

    def test_each_button_of_the_legend_highlights_what_its_owner_holds(self):
        for name, axis in [
            ("tensor core tile", "lane"),
            ("tensor core tile by warp", "warp"),
            ("sharded over a mesh", "gpuid"),
            ("rows sharded, columns replicated", "gpuid"),
            ("negative strides", "m"),
            ("stride 0", "lane"),
            ("three axes", "beta.2"),
        ]:
            with self.subTest(name):
                self.show(name)
                values = [value for value, _, _ in support.library.ask("values", self.case.layout, self.case.shape, axis, 1)]
                buttons = support.browser.js("return [...document.querySelectorAll('#legend button')].map((b) => b.textContent)")
                self.assertEqual(buttons, values)
                for value in values:
                    support.browser.js("document.querySelector(`#legend [data-value='${arguments[0]}']`).click()", value)
                    lit = support.browser.js(LIT)
                    self.assertEqual((coords(lit["logical"]), places(lit["hardware"])), self.holding(axis, int(value)))
                    self.assertIn(f"{axis} {value}.", support.browser.js("return document.getElementById('picked').textContent"))
                    pressed = support.browser.js(
                        "return [...document.querySelectorAll('[aria-pressed=true]')].map((b) => b.dataset.value)"
                    )
                    self.assertEqual(pressed, [value])
                support.browser.js("document.querySelector(`#legend [data-value='${arguments[0]}']`).click()", values[-1])
                self.assertEqual(sum(map(len, support.browser.js(LIT).values())), 0)

    def test_banks_are_highlighted_by_the_bank_of_their_words(self):
        self.show("swizzled rows of 128 bytes")
        bank = {c: (point(points[0])["m"] * 2) // 4 % 32 for c, points in self.truth.items()}
        for value in (0, 5, 31):
            support.browser.js("document.querySelector(`#legend [data-value='${arguments[0]}']`).click()", value)
            lit = support.browser.js(LIT)
            self.assertEqual(coords(lit["logical"]), {c for c, n in bank.items() if n == value})
            swizzled = lit["banks"][-len(lit["banks"]) // 2 :]
            self.assertTrue(swizzled and all(f"bank {value}:" in name for name in swizzled), swizzled)

    def test_a_lane_of_an_access(self):
        self.show("swizzled rows of 128 bytes")
        for lane in range(8):
            support.browser.js("document.querySelector(`#lanes [data-value='${arguments[0]}']`).click()", lane)
            lit = support.browser.js(LIT)
            own = {f"({lane},{column})" for column in range(8)}  # (8,8):(64,1), vectors of 8
            self.assertEqual(coords(lit["logical"]), own)
            self.assertEqual(places(lit["hardware"]), {p for c in own for p in self.truth[c]})
            self.assertEqual(len(lit["banks"]), 8)  # four words with, and four without the swizzle
            self.assertTrue(all(f"lane {lane} takes" in name for name in lit["banks"]))

    def test_the_keyboard_alone(self):
        self.show("tensor core tile by warp")
        driver = support.browser.driver
        active = lambda: support.browser.js(
            "const e = document.activeElement; return e.getAttribute('aria-label') ?? e.id"
        )  # noqa: E731
        send = lambda *keys: ActionChains(driver).send_keys(*keys).perform()  # noqa: E731
        driver.execute_script("document.body.focus()")
        stops = []
        for _ in range(20):
            send(Keys.TAB)
            stops.append(
                support.browser.js(
                    "const e = document.activeElement; return e.id || e.tagName + ' ' + (e.closest('section')?.id ?? '')"
                )
            )
            if stops[-1] == "I hardware":
                break
        self.assertEqual(
            stops,
            [
                "layout",
                "shape",
                "color",
                "rows",
                "columns",
                "cells",
                "access",
                "vector",
                "width",
                "BUTTON ",
                "I logical",
                "I hardware",
            ],
        )
        ring = support.browser.js(
            "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)]"
        )
        self.assertEqual(ring[0], "solid")
        self.assertGreaterEqual(ring[1], 2)

        ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
        walk = [
            (Keys.ARROW_RIGHT, "(0,1)"),
            (Keys.ARROW_DOWN, "(1,1)"),
            (Keys.ARROW_DOWN, "(2,1)"),
            (Keys.END, "(2,15)"),
            (Keys.ARROW_RIGHT, "(2,15)"),
            (Keys.ARROW_LEFT, "(2,14)"),
            (Keys.HOME, "(2,0)"),
            (Keys.ARROW_LEFT, "(2,0)"),
            (Keys.ARROW_UP, "(1,0)"),
            (Keys.ARROW_UP, "(0,0)"),
            (Keys.ARROW_UP, "(0,0)"),
        ]
        for key, coord in walk:
            send(key)
            self.assertEqual(active().split(" at ")[0], coord)
            self.assertEqual(support.browser.js(HELPERS + "return maps()")["coordinate"], [coord])
            self.assertEqual(support.browser.js("return document.querySelectorAll('#logical [tabindex]').length"), 1)
        ActionChains(driver).key_down(Keys.CONTROL).send_keys(Keys.END).key_up(Keys.CONTROL).perform()
        self.assertTrue(active().startswith("(7,15) at"))

        # Enter goes through the owners of the cell, which has two copies; Escape clears
        for warp in (6, 10):
            send(Keys.ENTER)
            lit = support.browser.js(LIT)
            self.assertEqual((coords(lit["logical"]), places(lit["hardware"])), self.holding("warp", warp))
        send(Keys.ENTER)
        self.assertEqual(support.browser.js(LIT)["logical"], [])
        send(Keys.SPACE)
        self.assertNotEqual(support.browser.js(LIT)["logical"], [])
        send(Keys.ESCAPE)
        self.assertEqual(support.browser.js(LIT)["logical"], [])
        self.assertEqual(support.browser.js("return document.querySelectorAll('body.lit').length"), 0)

        # the legend: one stop, arrows between its buttons
        driver.find_element(By.CSS_SELECTOR, "#legend button").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
        lit = support.browser.js(LIT)
        self.assertEqual((coords(lit["logical"]), places(lit["hardware"])), self.holding("warp", 9))
        send(Keys.ARROW_LEFT, Keys.SPACE)
        self.assertEqual(coords(support.browser.js(LIT)["logical"]), self.holding("warp", 6)[0])

    def test_keys_between_panels_and_in_lines_that_end_early(self):
        self.show("rank 3")
        driver = support.browser.driver
        active = lambda: support.browser.js("return document.activeElement.getAttribute('aria-label')").split(" at ")[
            0
        ]  # noqa: E731
        driver.find_element(By.CSS_SELECTOR, "#logical .c").click()
        for key, coord in [
            (Keys.PAGE_DOWN, "(1,0,0)"),
            (Keys.ARROW_RIGHT, "(1,0,1)"),
            (Keys.PAGE_DOWN, "(2,0,1)"),
            (Keys.PAGE_DOWN, "(2,0,1)"),
            (Keys.PAGE_UP, "(1,0,1)"),
        ]:
            ActionChains(driver).send_keys(key).perform()
            self.assertEqual(active(), coord)
        self.show("rank 1 of 100")  # lines of 32, the last one of 4
        driver.find_element(By.CSS_SELECTOR, "#logical .c[aria-label^='(70) ']").click()
        for key, coord in [
            (Keys.ARROW_DOWN, "(99)"),
            (Keys.HOME, "(96)"),
            (Keys.ARROW_DOWN, "(96)"),
            (Keys.END, "(99)"),
            (Keys.ARROW_RIGHT, "(99)"),
        ]:
            ActionChains(driver).send_keys(key).perform()
            self.assertEqual(active(), coord)
