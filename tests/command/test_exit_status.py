# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One request on the command line: the answer, the exit status, and what a person is told besides."""

import unittest

from axe_command import TILE, main, run

ANSWERS = [
    # arguments, standard output, exit status, standard error
    (["eval", TILE, "(8,16)", "(2,9)"], "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}", 0, ""),
    (["slice", TILE, "(8,16)", "[0:8,5:12]"], "none: dimension 1: the 7 elements from 5 on are no layout of their own", 1, ""),
    (["preimage", "8:2", "8", "{m:1}"], "none: nothing is at {m:1}", 1, ""),
    (["eval", TILE, "(8,16)", "(2,99)"], "error: out_of_domain: index 99 of dimension 1 is outside [0, 16)", 2, ""),
    (["equal", "4:1", "5:1"], "ok: no sizes 4 and 5", 0, ""),
    # a text that cannot be read: where, with a caret, and what the argument is
    (
        ["eval", TILE, "8,16", "2,9"],
        "error: bad_syntax: argument 2: expected the end of the text at character 1",
        2,
        "8,16\n ^\nexpected the end of the text at character 1\nS is a shape: (8,16), or 64\n",
    ),
    (
        ["reshape", "8:1", "8", "2x4"],
        "error: bad_syntax: argument 3: expected the end of the text at character 1",
        2,
        "S2 is a shape: ",
    ),
    (
        ["group-many", "8:1", "8", "8", "8", "8,8"],
        "error: bad_syntax: argument 5: expected the end of the text at character 1",
        2,
        "8,8\n ^\n",
    ),
    (
        ["canonicalize", "(8,2):(4,1@7)"],
        "error: bad_syntax: argument 1: expected the name of an axis at character 11",
        2,
        "(8,2):(4,1@7)\n           ^\nexpected the name of an axis at character 11\n",
    ),
    (
        ["inverse", "8:1@lane", "lane reg"],
        "error: bad_syntax: argument 2: expected ',' or the end of the text at character 5",
        2,
        "lane reg\n     ^\n",
    ),
    (["show", "8:1\x1b[2J"], "error: bad_syntax: argument 1: the byte at character 3 is no text", 2, "8:1?[2J\n   ^\n"),
    (
        ["show", "8:\n1\t"],
        "ok: 8:1\n( 8 )\n( 1 )\nsize        8\ncopies      1\nspans       {m:8}\ncanonical   8:1\ninjective   yes\n"
        "contiguous  yes",
        0,
        "",
    ),
    (["picture", "8:1", "8", "a\nb.svg"], "error: bad_argument: argument 3: expected the name of a file in one line", 2, ""),
    # words that are not known
    (["slcie", "8:1"], "error: unknown_operation: no operation is called 'slcie'; did you mean slice?", 2, "axe help"),
    (["hlep"], "error: unknown_operation: no operation is called 'hlep'; did you mean help?", 2, "axe help"),
    (["xyzzy"], "error: unknown_operation: no operation is called 'xyzzy'", 2, "axe help"),
    (["a\nb"], "error: unknown_operation: no operation is called a field that is no plain text", 2, ""),
    (["x" * 5000], "error: unknown_operation: no operation is called a field of 5000 characters", 2, ""),
    (
        ["slice", "8:1", "8"],
        "error: wrong_arguments: slice takes 3 arguments, L S REGION; here are 2",
        2,
        "usage: axe slice L S REGION",
    ),
    (["show"], "error: wrong_arguments: show takes 1 to 2 arguments, L [S]; here are 0", 2, "usage: axe show L [S]"),
    # groups
    (
        ["linear", "show", "lane=[1,2,3] -> dim0:4", "2"],
        "error: wrong_arguments: linear show takes 1 argument, A; here are 2",
        2,
        "usage: axe linear show A ",
    ),
    (["linear", "invert", "a=[1,1] -> x:2"], "none: ", 1, ""),
    (["linear", "shwo", "1"], "error: unknown_operation: no operation of linear is called 'shwo'; did you mean show?", 2, "axe help linear"),
    (["linear", "xyzzy"], "error: unknown_operation: no operation of linear is called 'xyzzy'", 2, "axe help linear"),
    (["linear", "a\nb"], "error: unknown_operation: no operation of linear is called a field that is no plain text", 2, ""),
    (["lienar", "show"], "error: unknown_operation: no operation is called 'lienar'; did you mean linear?", 2, "`axe help` lists"),
    (["pseudo-invert", "1"], "error: unknown_operation: no operation is called 'pseudo-invert'; did you mean linear pseudo-invert?", 2, ""),
    (["help", "linear", "shwo"], "error: unknown_operation: no operation of linear is called 'shwo'; did you mean show?", 2, ""),
    (["linear", "shwo", "--help"], "error: unknown_operation: no operation of linear is called 'shwo'; did you mean show?", 2, ""),
    (
        ["linear", "show", "lane=[1,2 -> x:4"],
        "error: bad_syntax: argument 1: ",
        2,
        "A is a linear layout: ",
    ),
    # quotes forgotten: the shell has cut the text in parts
    (["show", "8:1", "+", "5@warp"], "error: wrong_arguments: show takes 1 to 2 arguments, L [S]; here are 3", 2, "in quotes"),
    # what begins with - is an argument, unless it is an option as a whole
    (["intersect", "8:-4@lane", "10:-6@lane"], "ok: 3:-12@lane", 0, ""),
    (["complement", "8:1", "-5"], "error: bad_extent: the interval [0, -5) is empty", 2, ""),
    (["intersect", "-4:1", "8:1"], "error: bad_extent: argument 1: the extent of iter 0 is -4; it must be at least 1", 2, ""),
    (["--", "canonicalize", "8:1"], "ok: 8:1", 0, ""),
    (["canonicalize", "--", "--json"], "error: bad_syntax: argument 1: expected '(' or an extent at character 1", 2, ""),
    (
        ["canonicalize", "--json", "8:1"],
        '{"status":"ok","answer":"8:1","shard":[{"extent":8,"stride":1,"axis":"m"}],"replica":[],"offset":{}}',
        0,
        "",
    ),
    # two ways to write the same
    (["broadcast", "32:1", "(4,8)", "1", "3"], "ok: (4,3,8):(8,0,1)", 0, ""),
    (["broadcast", "32:1", "(4,8)", "1, 3"], "ok: (4,3,8):(8,0,1)", 0, ""),
    (["reshape", "32:1", "(4,8)", "(2,16)"], "ok: 32:1", 0, ""),
    (["reshape", "32:1", "(4,8)", "(2,17)"], "error: size_mismatch: the shape has 34 elements, the layout 32", 2, ""),
    (["surjective", "8:1", "box", "{m:8}"], "ok: yes", 0, ""),
    (["surjective", "8:1", "box {m:8}"], "ok: yes", 0, ""),
    (["surjective", "8:1", "{m:9}"], "ok: no: nothing is at {m:8}", 0, ""),
    (
        ["max-vector", "(8,8):(8,1)", "(8,8)", "4294967297", "m"],
        "error: bad_argument: argument 3: 4294967297 is no dimension: they count from 0 to at most 16",
        2,
        "",
    ),
    (
        ["permute", "(4,8):(8,1)", "(4,8)", "(4294967297,0)"],
        "error: bad_argument: argument 3: 4294967297 is no dimension: they count from 0 to at most 16",
        2,
        "",
    ),
    (
        ["tile", "swizzle<3,4,3>(64:1)", "64", "8:1", "8"],
        "error: bad_argument: argument 1: a swizzle stands outside the algebra; this operation takes layouts without one",
        2,
        "",
    ),
]


class ExitStatus(unittest.TestCase):
    def test_answers(self):
        for arguments, answer, status, told in ANSWERS:
            with self.subTest(arguments):
                done = run(*arguments)
                if answer.endswith(": "):  # the rest is a library's sentence
                    self.assertEqual((done.stdout[: len(answer)], done.returncode), (answer, status))
                else:
                    self.assertEqual((done.stdout, done.returncode), (answer + "\n", status))
                self.assertIn(told, done.stderr)
                if status < 2:
                    self.assertEqual(done.stderr, "")

    def test_a_group_alone(self):
        done = run("linear")
        self.assertTrue(
            done.stdout.startswith(
                "error: unknown_operation: linear is a group; one of its operations comes next: show eval compose "
            ),
            done.stdout,
        )
        self.assertEqual((done.returncode, done.stderr), (2, "`axe help linear` tells what they do\n"))

    def test_misuse(self):
        for arguments, told in (
            (["--jsno", "show", "8:1"], "there is no option '--jsno'"),
            (["completion", "fish"], "bash or zsh"),
            (["completion"], "bash or zsh"),
            (["batch", "file"], "standard input"),
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.stdout, done.returncode), ("", 2))
                self.assertIn(told, done.stderr)


if __name__ == "__main__":
    main()
