# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe batch` against tests/data/suites.tsv: what TileLang's tests assert of layouts, of linear layouts and of maps, asked of the command."""

import os
import unittest

from axe_command import batch, main

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "suites.tsv")
OPERATIONS = {
    "to-axe": "cute to-axe",
    "from-axe": "cute from-axe",
    "show": "show",
    "slice": "slice",
    "linear to-axe": "linear to-axe",
    "map equal": "map equal",
    "map to-layout": "map to-layout",
}


def rows():
    with open(DATA, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


class Suites(unittest.TestCase):
    def test_all(self):
        asked = [(OPERATIONS[op], arguments, expected) for _, _, op, arguments, expected in rows() if op in OPERATIONS]
        answers = batch([f"{op}; {arguments}" for op, arguments, _ in asked])
        self.assertEqual(len(answers), len(asked))
        for (op, arguments, expected), answer in zip(asked, answers):
            with self.subTest(op, arguments=arguments):
                if expected == "none":
                    self.assertRegex(answer, "^none: ")
                else:
                    self.assertEqual(answer, "ok: " + expected)
        self.assertEqual(len(asked), 168)


if __name__ == "__main__":
    main()
