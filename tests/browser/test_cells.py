# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every cell of every page says what the library says, in the place and the color where it belongs."""

import re

import support
from agreement import Agreement
from cases import CASES


class Cells(Agreement):
    pass


def one_case(case):
    def test(self):
        made = support.library.ask("page", support.browser.path("case.html"), case.layout, case.shape, "", *case.options())
        self.assertIsInstance(made, int, made)
        support.browser.open("case.html")
        shown = support.browser.read()
        self.assertGreater(self.agree(case, shown), 0)
        if case.access:
            self.banks_agree(case, shown)
        else:
            self.assertEqual(shown["banks"], [])
        self.assertEqual(support.browser.complaints(), [])

    return test


for case in CASES:
    setattr(Cells, "test_" + re.sub(r"\W+", "_", case.name), one_case(case))
