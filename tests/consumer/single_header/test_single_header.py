# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The single header is the library: the same tokens after the preprocessor, without warnings, small.

usage: test_single_header.py MAKER INCLUDE COMPILER [FLAGS...]
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MAKER, INCLUDE, COMPILER, *FLAGS = sys.argv[1:]
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wundef -Werror".split()
LARGEST = 320 * 1024  # bytes: what an editor in a browser still takes


def run(*command, folder=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stderr[:4000]}"
    return done.stdout


def make(*options):
    return run(sys.executable, "-B", MAKER, *options)


def tokens(source, *options):
    return run(COMPILER, *FLAGS, "-std=c++20", "-E", "-P", "-x", "c++", *options, source).split()


class SingleHeader(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_a_program(self):
        make("-o", self.folder / "axe.hpp")
        self.assertLess((self.folder / "axe.hpp").stat().st_size, LARGEST)
        (self.folder / "main.cpp").write_bytes((HERE / "main.cpp").read_bytes())
        run(COMPILER, *FLAGS, "-std=c++20", *WARNINGS, "main.cpp", "-o", "main", folder=self.folder)
        self.assertEqual(
            run(str(self.folder / "main")),
            "(32,2):(1@lane,1@reg) + 1@warp\ndimension 1: the slice [5, 12) is not a layout\n",
        )

    def test_the_same_tokens(self):
        for header in ("axe/axe.hpp", "axe/layout/tile.hpp"):
            expected = tokens(f"{INCLUDE}/{header}", f"-I{INCLUDE}")
            self.assertGreater(len(expected), 1000)
            for options in ((), ("--comments",)):
                single = self.folder / "single.hpp"
                single.write_text(make(*options, header), encoding="utf-8")
                found = tokens(str(single))
                self.assertTrue(found == expected, [pair for pair in zip(found, expected) if pair[0] != pair[1]][:8])

    def test_the_same_bytes(self):
        self.assertEqual(make(), make("axe/axe.hpp"))

    def test_literals_are_not_comments(self):
        sys.path.insert(0, str(pathlib.Path(MAKER).parent))
        sys.dont_write_bytecode = True
        import single_header

        code = """a("// no /* no"); // yes
        // yes
        b('"'); c(1'000); /* yes
        yes */ d('\\''); e(R"x(// no)x"); f("\\"//"); # yes not
"""
        kept = single_header.without_comments(code)
        self.assertNotIn("yes\n", kept.replace("# yes not", ""))
        for text in ("// no /* no", "b('\"'); c(1'000);", "d('\\'')", 'R"x(// no)x"', '"\\"//"'):
            self.assertIn(text, kept)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
