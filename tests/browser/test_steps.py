# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page that steps through a run says at each step what the trace of the run has there."""

import unittest

import support

LOOK = """
const text = (id) => document.getElementById(id).textContent;
const pairs = [...document.querySelectorAll('#step dt')].map((dt) => [dt.textContent, dt.nextElementSibling.textContent]);
return {
    step: Object.fromEntries(pairs),
    rows: [...document.querySelectorAll('#timeline text:not(.soft)')].map((e) => e.textContent),
    now: document.querySelectorAll('#timeline rect.now').length,
    memory: [...document.querySelectorAll('#memory tr')].slice(1).map((tr) => [...tr.children].map((td) => td.textContent)),
    disabled: ['first', 'back', 'next', 'last'].filter((id) => document.getElementById(id).disabled),
    address: location.hash,
    wide: document.documentElement.scrollWidth > innerWidth,
};
"""


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = support.library.ask("steps", support.browser.path("steps.html"))

    def setUp(self):
        support.browser.screen()
        support.browser.open("steps.html")

    def look(self):
        return support.browser.js(LOOK)

    def click(self, name):
        support.browser.js("document.getElementById(arguments[0]).click()", name)

    def press(self, key):
        support.browser.js(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}))", key
        )

    def steps(self, device):
        """The events of a device, as the trace has them, in the order of their ticks."""
        found = [e for e in self.trace["traceEvents"] if e["ph"] == "X" and e["pid"] == device and e["name"] != "grid"]
        return sorted(found, key=lambda e: e["ts"])

    def test_every_step_is_the_event_of_the_trace(self):
        for device in (0, 1):
            support.browser.js(
                "const s = document.getElementById('device'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", device
            )
            wanted = self.steps(device)
            self.assertGreater(len(wanted), 10)
            for number, event in enumerate(wanted, 1):
                seen = self.look()
                self.assertEqual(seen["step"]["step"], f"step {number} of {len(wanted)}")
                self.assertEqual(seen["step"]["tick"].split(" ")[0], str(event["ts"]))
                self.assertTrue(seen["step"]["statement"].startswith(f"{event['args']['statement']}: "))
                self.assertTrue(seen["step"]["does"].startswith("waits" if event["cat"] == "wait" else event["name"]))
                if "block" in event["args"]:
                    self.assertIn(f"block {event['args']['block']}", seen["step"]["agent"])
                    self.assertIn(f"warp {event['tid'] - 1}", seen["step"]["agent"])
                self.assertGreaterEqual(seen["now"], 1)
                self.click("next")
        self.assertEqual(support.browser.complaints(), [])

    def test_memories(self):
        first = self.look()
        memory = {row[0].split(" ")[0]: row for row in first["memory"]}
        self.assertEqual(memory["s"][1], "smem")
        self.assertRegex(memory["s"][2], r"statement \d+, warp 0, block 0, tick 0")
        self.assertEqual(memory["C"][2], "not yet")
        self.assertEqual(first["step"]["writes"], "s in smem")
        self.assertEqual(first["step"]["reads"], "A in gmem")
        self.click("last")
        memory = {row[0].split(" ")[0]: row for row in self.look()["memory"]}
        self.assertRegex(memory["C"][3], r"statement \d+, stream, tick \d+")
        self.assertRegex(memory["G"][2], r"statement \d+, stream, tick \d+")

    def test_rows_are_agents_and_tensors(self):
        rows = self.look()["rows"]
        self.assertEqual(rows[:3], ["stream", "warp 0", "warp 1"])
        self.assertEqual(sorted(rows[3:]), ["A: gmem", "C: gmem", "G: gmem", "r: reg", "s: smem"])

    def test_ways_through(self):
        self.assertEqual(self.look()["disabled"], ["first", "back"])
        self.press("ArrowRight")
        self.assertTrue(self.look()["step"]["step"].startswith("step 2 "))
        self.assertEqual(self.look()["address"], "#device=0&step=2")
        self.press("End")
        self.assertEqual(self.look()["disabled"], ["next", "last"])
        self.press("ArrowRight")
        self.assertEqual(self.look()["disabled"], ["next", "last"])
        self.press("ArrowLeft")
        self.press("Home")
        self.assertTrue(self.look()["step"]["step"].startswith("step 1 "))
        support.browser.js("const at = document.getElementById('at'); at.value = 4; at.dispatchEvent(new Event('input'))")
        self.assertTrue(self.look()["step"]["step"].startswith("step 5 "))
        support.browser.open("steps.html", "#device=1&step=3")
        seen = self.look()
        self.assertTrue(seen["step"]["step"].startswith("step 3 "))
        self.assertEqual(seen["address"], "#device=1&step=3")
        support.browser.open("steps.html", "#device=9&step=99999")
        self.assertEqual(self.look()["disabled"], ["next", "last"])
        for zoom in ("32", "256", "0"):
            support.browser.js(
                "const z = document.getElementById('zoom'); z.value = arguments[0]; z.dispatchEvent(new Event('change'))", zoom
            )
            self.assertGreaterEqual(self.look()["now"], 1)
        self.assertEqual(support.browser.complaints(), [])

    def test_narrow_screens(self):
        support.browser.screen(width=400, height=800, dark=True)
        support.browser.open("steps.html")
        self.assertFalse(self.look()["wide"])
        support.browser.screen()


if __name__ == "__main__":
    unittest.main()
