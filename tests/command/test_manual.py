# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual page: sound for groff, and it holds what the pages of the help hold."""

import re
import shutil
import subprocess
import unittest

from axe_command import main, run


def groff(page, *options):
    done = subprocess.run(["groff", "-man", "-ww", *options], input=page.encode(), capture_output=True, timeout=60)
    return done.stdout.decode(), done.stderr.decode()


@unittest.skipUnless(shutil.which("groff"), "there is no groff")
class Manual(unittest.TestCase):
    def setUp(self):
        done = run("help", "man")
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.page = done.stdout

    def test_groff_has_nothing_to_say(self):
        text, warnings = groff(self.page, "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=150n")
        self.assertEqual(warnings, "")
        self.assertGreater(len(text), 10000)

    def test_a_wrong_page_is_noticed(self):
        self.assertNotEqual(groff(self.page + ".NOSUCH\n", "-Tutf8")[1], "")

    def test_every_line_of_every_page_of_the_help(self):
        text, _ = groff(self.page, "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=150n", "-rHY=0")
        words = " ".join(text.split())
        pages = {"status": run("help", "status").stdout}
        overview = run("help").stdout
        for line in re.findall(r"^  (.+)$", overview[overview.index("\nOperations") :], re.M):
            name = line.split()[0]
            pages[name] = run("help", name).stdout
            if " OPERATION " in line:
                for word in re.findall(r"^  ([a-z0-9-]+) ", pages[name][pages[name].index("\nOperations") :], re.M):
                    pages[f"{name} {word}"] = run("help", name, word).stdout
                pages[name] = ""
        self.assertGreater(len(pages), 150)
        for name, page in pages.items():
            for line in page.split("\n")[2:]:  # those that are not filled stand there as they are
                with self.subTest(name):
                    if line.startswith("  "):
                        self.assertTrue(" ".join(line.split()) in words, line)

    def test_head(self):
        version = run("--version").stdout.strip()
        head = "\n".join(self.page.split("\n")[:3])
        self.assertRegex(head, rf'^\.\\" .*\n\.TH AXE 1 "" "{re.escape(version)}" ')
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPERATIONS", "RUN", "RELAYOUT", "NOTATION", "EXIT STATUS"):
            self.assertEqual(len(re.findall(rf'^\.SH "?{section}"?$', self.page, re.M)), 1, section)


if __name__ == "__main__":
    main()
