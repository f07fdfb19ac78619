# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python programs of docs/how-to/command.md print what the page says; its shell commands are run with those of all pages."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from axe_command import AXE, main

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "how-to", "command.md")


class Page(unittest.TestCase):
    def test_python(self):
        with open(PAGE, encoding="utf-8") as file:
            programs = re.findall(r"\n```python\n(.*?)```\n\n```text\n(.*?)```\n", file.read(), re.S)
        self.assertGreater(len(programs), 0)
        for program, printed in programs:
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(AXE, os.path.join(folder, "axe"))
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    capture_output=True,
                    text=True,
                    timeout=60,
                    env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]},
                )
            self.assertEqual((done.stdout, done.stderr), (printed, ""))


if __name__ == "__main__":
    main()
