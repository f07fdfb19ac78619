# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The completion scripts: sound for their shells, and they complete what they should."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from axe_command import AXE, TILE, main, run

QUOTED = f"'{TILE}'"
GROUPS = re.findall(r"^  ([a-z]+) OPERATION ", run("help").stdout, re.M)


def words_of(group):
    """The operations of a group, as its help lists them."""
    page = run("help", group).stdout
    return sorted(re.findall(r"^  ([a-z0-9-]+) ", page[page.index("\nOperations") :], re.M))


class Bash(unittest.TestCase):
    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def complete(self, *words):
        """What bash offers for the last of the words after `axe`."""
        script = run("completion", "bash").stdout
        driver = 'COMP_WORDS=(axe "$@"); COMP_CWORD=$#; _axe; printf "%s\\n" "${COMPREPLY[@]}"'
        with tempfile.TemporaryDirectory() as folder:
            for name in ("tile.svg", "tide.html", "other"):
                open(os.path.join(folder, name), "w", encoding="ascii").close()
            done = subprocess.run(
                ["bash", "--norc", "-c", script + driver, "bash", *words], capture_output=True, text=True, cwd=folder, timeout=60
            )
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return sorted(word for word in done.stdout.split("\n") if word)

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_syntax(self):
        done = subprocess.run(["bash", "-n"], input=run("completion", "bash").stdout, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_operations(self):
        self.assertEqual(self.complete("un"), ["unpack", "unsum-left", "unsum-right", "untile", "untile-outer"])
        self.assertEqual(self.complete("--json", "can"), ["canonicalize"])
        self.assertEqual(self.complete("ba"), ["batch"])
        self.assertEqual(self.complete("--"), ["--help", "--json", "--version"])
        self.assertGreater(len(self.complete("")), 40)

    def test_arguments(self):
        self.assertEqual(self.complete("help", "sl"), ["slice"])
        self.assertEqual(self.complete("help", "not"), ["notation"])
        self.assertEqual(self.complete("completion", ""), ["bash", "fish", "zsh"])
        self.assertEqual(self.complete("slice", ""), [])
        self.assertEqual(self.complete("run", "ge"), ["gemm", "gemm_all_reduce", "gemm_reduce_scatter", "gemm_sm100", "gemm_sm90"])
        self.assertEqual(self.complete("run", "gemm", "--ma"), ["--machine"])
        self.assertEqual(self.complete("run", "gemm", "--report", "ti"), ["tide.html", "tile.svg"])
        self.assertEqual(self.complete("picture", QUOTED, "(8,16)", "ti"), ["tide.html", "tile.svg"])
        self.assertEqual(self.complete("picture", QUOTED, "(8,16)", "tile.svg", "co"), ["color=", "columns="])
        self.assertEqual(self.complete("picture", ""), [])

    def test_groups(self):
        for group in GROUPS:
            words = words_of(group)
            self.assertEqual(self.complete(group, ""), words)
            self.assertEqual(self.complete("--json", group, words[0]), [w for w in words if w.startswith(words[0])])
            self.assertEqual(self.complete(group, words[0], ""), [])
            self.assertEqual(self.complete("help", group), [group])
            self.assertEqual(self.complete("help", group, ""), words)
            self.assertEqual(self.complete("help", group, words[0], ""), [])
            self.assertIn(group, self.complete(""))


class Zsh(unittest.TestCase):
    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_syntax(self):
        done = subprocess.run(["zsh", "-n"], input=run("completion", "zsh").stdout, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def complete(self, line):
        """What zsh offers: its completion functions are replaced by ones that print."""
        script = run("completion", "zsh").stdout
        driver = r"""
            compdef() { :; }
            _describe() { local -a list; list=(${(P)2}); print -l ${list%%:*}; }
            compadd() { [[ $1 == -S ]] && shift 2; [[ $1 == -- ]] && shift; print -l -- $@; }
            _files() { print files; }
        """
        call = 'words=(axe "$@"); CURRENT=$#; ((CURRENT++)); _axe'
        done = subprocess.run(
            ["zsh", "-f", "-c", driver + script + call, "zsh", *line], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout.split("\n")[:-1]

    def test_offers(self):
        self.assertTrue({"slice", "untile-outer", "batch", "--json"} <= set(self.complete([""])))
        self.assertTrue({"slice", "untile-outer"} <= set(self.complete(["--json", ""])))
        self.assertIn("slice", self.complete(["help", ""]))
        self.assertNotIn("relayout", self.complete(["help", ""]))
        self.assertIn("notation", self.complete(["help", ""]))
        self.assertEqual(self.complete(["completion", ""]), ["bash", "fish", "zsh"])
        self.assertEqual(self.complete(["slice", ""]), [])
        self.assertEqual(self.complete(["picture", QUOTED, "(8,16)", ""]), ["files"])
        self.assertIn("color=", self.complete(["picture", QUOTED, "(8,16)", "tile.svg", ""]))

    def test_groups(self):
        for group in GROUPS:
            words = words_of(group)
            self.assertEqual(sorted(self.complete([group, ""])), words)
            self.assertEqual(self.complete([group, words[0], ""]), [])
            self.assertIn(group, self.complete(["help", ""]))
            self.assertEqual(sorted(self.complete(["help", group, ""])), words)
            self.assertEqual(self.complete(["help", group, words[0], ""]), [])
        self.assertEqual(self.complete(["help", "slice", ""]), [])


@unittest.skipUnless(shutil.which("fish"), "there is no fish")
class Fish(unittest.TestCase):
    def complete(self, *lines):
        """What fish offers at the end of each command line."""
        driver = "axe completion fish | source; for line in $argv; complete -C $line; echo @end; end"
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(AXE, os.path.join(folder, "axe"))
            for name in ("tile.svg", "tide.html", "other"):
                open(os.path.join(folder, name), "w", encoding="ascii").close()
            done = subprocess.run(
                ["fish", "--no-config", "-c", driver, *lines],
                env={**os.environ, "PATH": folder + ":" + os.environ["PATH"], "HOME": folder},
                capture_output=True,
                text=True,
                cwd=folder,
                timeout=60,
            )
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        offers = [sorted(line.split("\t")[0] for line in part.split("\n") if line) for part in done.stdout.split("@end\n")]
        self.assertEqual(len(offers), len(lines) + 1)
        return offers[:-1]

    def test_syntax(self):
        done = subprocess.run(["fish", "-n"], input=run("completion", "fish").stdout, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_offers(self):
        offers = {
            "axe un": ["unpack", "unsum-left", "unsum-right", "untile", "untile-outer"],
            "axe --json can": ["canonicalize"],
            "axe ba": ["batch"],
            "axe --": ["--help", "--json", "--version"],
            "axe help sl": ["slice"],
            "axe help not": ["notation"],
            "axe help relay": [],
            "axe help slice ": [],
            "axe completion ": ["bash", "fish", "zsh"],
            "axe slice ": [],
            "axe run ge": ["gemm", "gemm_all_reduce", "gemm_reduce_scatter", "gemm_sm100", "gemm_sm90"],
            "axe run gemm --ma": ["--machine"],
            "axe run gemm --report ti": ["tide.html", "tile.svg"],
            f"axe picture {QUOTED} '(8,16)' ti": ["tide.html", "tile.svg"],
            f"axe picture {QUOTED} '(8,16)' tile.svg col": ["color=", "columns="],
            "axe picture ": [],
        }
        for (line, expected), offered in zip(offers.items(), self.complete(*offers)):
            with self.subTest(line):
                self.assertEqual(offered, expected)

    def test_groups(self):
        for group in GROUPS:
            words = words_of(group)
            self.assertEqual(
                self.complete(f"axe {group} ", f"axe {group} {words[0]} ", f"axe help {group} ", f"axe help {group} {words[0]} "),
                [words, [], words, []],
            )


if __name__ == "__main__":
    main()
