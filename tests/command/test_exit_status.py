# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One request on the command line: the answer, the exit status, and what a person is told besides."""

import unittest

from axe_command import TILE, main, run

ANSWERS = [
    # arguments, standard output, exit status, standard error
    (["eval", TILE, "(8,16)", "(2,9)"], "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}", 0, ""),
    (["slice", TILE, "(8,16)", "[0:8,5:12]"], "none: dimension 1: the slice [5, 12) is not a layout", 1, ""),
    (["preimage", "8:2", "8", "{m:1}"], "none: nothing is at {m:1}", 1, ""),
    (["eval", TILE, "(8,16)", "(2,99)"], "error: out_of_domain: index 99 of dimension 1 is outside [0, 16)", 2, ""),
    (["equal", "4:1", "4:1"], "ok: yes", 0, ""),
    (["equal", "4:1", "5:1"], "ok: no: sizes 4 and 5", 1, ""),
    # every question: 1 on no
    (["same-canonical", "4:1", "4:2"], "ok: no: 4:1 and 4:2", 1, ""),
    (["same-canonical", "(4,2):(2,1)", "8:1"], "ok: yes", 0, ""),
    (["injective", "(2,3):(2,1)"], "ok: no: indices 2 and 3 share {m:2}", 1, ""),
    (["bijective", "4:2"], "ok: no: nothing is at {m:1}", 1, ""),
    (["contiguous", "4:2"], "ok: no: index 0 is at {m:0}, index 1 is at {m:2}", 1, ""),
    (["map", "empty", "(d0) -> (d0), domain: d0 in [0, 7]"], "ok: no: (0) is a point of it", 1, ""),
    (
        ["map", "equal", "(d0) -> (d0 mod 4), domain: d0 in [0, 7]", "(d0) -> (d0), domain: d0 in [0, 7]"],
        "ok: no: result 0 at (4) is 0 and 4",
        1,
        "",
    ),
    (["--json", "equal", "4:1", "5:1"], '{"status":"ok","answer":"no: sizes 4 and 5","decision":false,"sizes":[4,5]}', 1, ""),
    # neither: 3
    (
        ["injective", "(1000,1000,1000,1000,1000,1000):(1000003,1000033,1000037,1000039,1000081,1000099)"],
        "undecided: ",
        3,
        "",
    ),
    # a text that cannot be read: where, with a caret, and what the argument is
    (
        ["eval", TILE, "8;16", "2,9"],
        "error: bad_syntax: argument 2: expected the end of the text at character 1",
        2,
        "8;16\n ^\nexpected the end of the text at character 1\nS is a shape: (8,16), 8,16, 8x16 or 64\n",
    ),
    (
        ["reshape", "8:1", "8", "2x4x"],
        "error: bad_syntax: argument 3: expected an extent at character 4",
        2,
        "S2 is a shape: ",
    ),
    (
        ["group-many", "8:1", "8", "8", "8", "8:8"],
        "error: bad_syntax: argument 5: expected the end of the text at character 1",
        2,
        "8:8\n ^\n",
    ),
    # other spellings of shapes, coordinates and regions, and offsets without an axis
    (["eval", TILE, "8,16", "2,9"], "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}", 0, ""),
    (["eval", TILE, "8x16", "2,9"], "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}", 0, ""),
    (["reshape", "(4,2):(1,4)", "8", "2x2x2"], "ok: (4,2):(1,4)", 0, ""),
    (["slice", "(64,128):(128,1)", "64x128", "[:, 0:4]"], "ok: (64,4):(128,1)", 0, ""),
    (["slice", "(64,128):(128,1)", "64x128", "[32:, :]"], "ok: 4096:1 + 4096@m", 0, ""),
    (["slice", "(64,128):(128,1)", "64x128", "[:8, 120:]"], "ok: (8,8):(128,1) + 120@m", 0, ""),
    (
        ["slice", "(64,128):(128,1)", "64x128", "[:, :, :]"],
        "error: rank_mismatch: argument 3: the interval at character 7 has no end: the shape has no dimension 2 to end it",
        2,
        "[:, :, :]\n       ^\n",
    ),
    (["canonicalize", "8:1 + 5"], "ok: 8:1 + 5@m", 0, ""),
    (["canonicalize", "8:1@lane + 5 + 2@lane"], "ok: 8:1@lane + 2@lane + 5@m", 0, ""),
    # names outside ASCII are refused by name
    (
        ["canonicalize", "8:1@gr\u00f6\u00dfe"],
        "error: bad_axis: argument 1: the name of an axis has a character outside ASCII at character 6 "
        "(names are of letters A-Z, digits, _ and .), in gr<U+00F6><U+00DF>e",
        2,
        "8:1@gr????e\n      ^\n",
    ),
    (["local", "8:1@lane", "\u03b1"], "error: bad_axis: argument 2: ", 2, "?"),
    # splitting and fusing axes
    (["split", "128:1@thread", "thread=32*warp+lane"], "ok: (4,32):(1@warp,1@lane)", 0, ""),
    (["fuse", "(4,32):(1@warp,1@lane)", "thread = 32*warp + lane"], "ok: 128:1@thread", 0, ""),
    (["split", "8:20@thread", "thread=32*warp+lane"], "none: ", 1, ""),
    (["fuse", "(4,33):(1@warp,1@lane)", "thread=32*warp+lane"], "error: out_of_domain: the inner axis has the coordinate 32, outside [0, 32)", 2, ""),
    (
        ["split", "8:1@thread", "thread=warp,lane"],
        "error: bad_syntax: argument 2: expected the extent of the inner axis at character 7",
        2,
        "SPLIT is an axis and its two parts: thread=32*warp+lane\n",
    ),
    (["convert-axes", "128:1@thread", "sm90", "warp,lane"], "ok: (4,32):(1@warp,1@lane)", 0, ""),
    (["convert-axes", "(4,32):(1@warp,1@lane)", "sm90", "thread"], "ok: 128:1@thread", 0, ""),
    (
        ["convert-axes", "128:1@thread", "H100", "warp,lane"],
        "error: unknown_machine: no machine is called 'H100'; there are cpu, sm80, sm90, sm100, trn1, trn2, spyre; did you mean sm90?",
        2,
        "",
    ),
    # swizzled layouts, and why one is not taken
    (["tile", "(8,4):(1,8)", "8x4", "swizzle<3,3,3>(512:1)", "8x64"], "ok: swizzle<3,3,3>((64,4,64):(64,4096,1))", 0, ""),
    (["untile", "swizzle<3,3,3>((64,4,64):(64,4096,1))", "64x256", "swizzle<3,3,3>(512:1)", "8x64"], "ok: (8,4):(1,8)", 0, ""),
    (["untile-outer", "swizzle<3,3,3>((64,4,64):(64,4096,1))", "64x256", "(8,4):(1,8)", "8x4"], "ok: swizzle<3,3,3>(512:1)", 0, ""),
    (["sum", "4:512", "4", "swizzle<3,3,3>(512:1)", "512"], "ok: swizzle<3,3,3>(2048:1)", 0, ""),
    (["span", "swizzle<3,3,3>@smem(512:1@smem)"], "ok: {smem:512}", 0, ""),
    (["span", "swizzle<1,0,1>(2:2)"], "ok: {m:4}", 0, ""),
    (["local", "swizzle<3,3,3>((2,512):(1@cta,1))", "cta"], "ok: swizzle<3,3,3>(512:1)", 0, ""),
    (["canonicalize", "swizzle<3,3,3>((8,64):(64,1))"], "ok: swizzle<3,3,3>(512:1)", 0, ""),
    (["pack", "swizzle<3,4,3>(1024:1)", "2", "m"], "ok: swizzle<3,4,3>/2(512:1)", 0, ""),
    (["unpack", "swizzle<3,3,3>(512:1)", "2", "m"], "ok: swizzle<3,4,3>(1024:1)", 0, ""),
    (["permute", "swizzle<3,3,3>(512:1)", "8x64", "1,0"], "ok: swizzle<3,3,3>((64,8):(1,64))", 0, ""),
    (["injective", "swizzle<1,0,1>((2,2):(2,2))"], "ok: no: indices 1 and 2 share {m:3}", 1, ""),
    (
        ["shift", "swizzle<3,3,3>(512:1)", "{m:8}"],
        "error: bad_argument: a swizzled layout moves by multiples of the period 512 of its swizzle, not by 8",
        2,
        "",
    ),
    (
        ["inverse", "swizzle<3,4,3>(64:1)", "m"],
        "error: bad_argument: argument 1: an inverse applies the XOR of the swizzle first, and a swizzled layout last: give the layout inside",
        2,
        "",
    ),
    # each of the others has a reason that fits it
    *(
        (request, f"error: bad_argument: argument 1: {reason}", 2, "")
        for request, reason in (
            (["left-inverse", "swizzle<3,4,3>(64:1)"], "an inverse applies the XOR of the swizzle first, and a swizzled layout last: give the layout inside"),
            (["right-inverse", "swizzle<3,4,3>(64:1)"], "an inverse applies the XOR of the swizzle first, and a swizzled layout last: give the layout inside"),
            (["complement", "swizzle<3,4,3>(64:1)", "128"], "a complement is added before the swizzle: give the layout inside"),
            (["group", "swizzle<3,4,3>(64:1)", "8x8"], "the blocks of a shape are cut from the iters, which a swizzle does not change: give the layout inside"),
            (["group-many", "swizzle<3,4,3>(64:1)", "8x8"], "the blocks of a shape are cut from the iters, which a swizzle does not change: give the layout inside"),
            *(
                (
                    [op, "swizzle<3,4,3>(64:1)", "64", "8:1", "8"],
                    "points under a swizzle are not subtracted: give the layouts inside, whose sum is swizzled where one moves by multiples of the period",
                )
                for op in ("unsum-left", "unsum-right")
            ),
        )
    ),
    # beside the swizzled axis, and where the points decide
    (["split", "swizzle<3,3,3>((128,512):(1@thread,1))", "thread=32*warp+lane"], "ok: swizzle<3,3,3>((4,32,512):(1@warp,1@lane,1))", 0, ""),
    (["fuse", "swizzle<3,3,3>((4,32,512):(1@warp,1@lane,1))", "thread=32*warp+lane"], "ok: swizzle<3,3,3>((128,512):(1@thread,1))", 0, ""),
    (["convert-axes", "swizzle<3,3,3>((128,512):(1@thread,1))", "sm90", "warp,lane"], "ok: swizzle<3,3,3>((4,32,512):(1@warp,1@lane,1))", 0, ""),
    (
        ["split", "swizzle<3,3,3>@thread(512:1@thread)", "thread=32*warp+lane"],
        "error: bad_argument: the swizzled axis is neither split nor fused: the XOR is applied to its whole coordinate",
        2,
        "",
    ),
    (["same-canonical", "swizzle<3,3,3>((8,64):(64,1))", "swizzle<3,3,3>(512:1)"], "ok: yes", 0, ""),
    (["same-canonical", "swizzle<3,3,3>(64:1)", "64:1"], "ok: no: swizzle<3,3,3>(64:1) and 64:1", 1, ""),
    (["contiguous", "swizzle<3,3,3>(64:1)"], "ok: yes", 0, ""),
    (["contiguous", "swizzle<3,3,3>(512:1)"], "ok: no: index 63 is at {m:63}, index 64 is at {m:72}", 1, ""),
    (["max-vector", "swizzle<3,4,3>/2((8,64):(64,1))", "8x64", "1", "m"], "ok: 8", 0, ""),
    (["max-vector", "swizzle<1,0,2>((8,64):(64,1))", "8x64", "1", "m"], "ok: 1", 0, ""),
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
    (["show", "8:1\x1b[2J"], "error: bad_syntax: argument 1: the byte at character 3 is not text", 2, "8:1?[2J\n   ^\n"),
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
    # words of others
    (["transpose", "8:1"], "error: unknown_operation: no operation is called 'transpose'; did you mean permute?", 2, ""),
    (["divide", "8:1"], "error: unknown_operation: no operation is called 'divide'; did you mean untile?", 2, ""),
    (["size", "8:1"], "error: unknown_operation: no operation is called 'size'; did you mean show?", 2, ""),
    (["is_injective", "8:1"], "error: unknown_operation: no operation is called 'is_injective'; did you mean injective?", 2, ""),
    (["logical_divide"], "error: unknown_operation: no operation is called 'logical_divide'; did you mean cute logical-divide?", 2, ""),
    (
        ["machines", "H100"],
        "error: unknown_machine: no machine is called 'H100'; there are cpu, sm80, sm90, sm100, trn1, trn2, spyre; did you mean sm90?",
        2,
        "",
    ),
    (["atoms", "H100"], "error: unknown_atom: no instruction, form of memory or architecture has 'H100' in its name; did you mean sm90?", 2, ""),
    (["notation"], "error: unknown_operation: notation is a topic of the help, and no operation: axe help notation", 2, ""),
    (["help", "notatoin"], "error: unknown_operation: no operation is called 'notatoin'; did you mean notation?", 2, ""),
    (["H100", "8:1"], "error: unknown_operation: no operation is called 'H100'; did you mean machines sm90?", 2, ""),
    (["help", "H100"], "error: unknown_operation: no operation is called 'H100'; did you mean machines sm90?", 2, ""),
    (["sm90"], "error: unknown_operation: no operation is called 'sm90'; did you mean machines sm90?", 2, ""),
    (["mi300x"], "error: unknown_operation: no operation is called 'mi300x'; did you mean atoms gfx942?", 2, ""),
    (["hlep"], "error: unknown_operation: no operation is called 'hlep'; did you mean help?", 2, "axe help"),
    (["xyzzy"], "error: unknown_operation: no operation is called 'xyzzy'", 2, "axe help"),
    (["a\nb"], "error: unknown_operation: no operation is called a field that is not a plain text", 2, ""),
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
    (["linear", "a\nb"], "error: unknown_operation: no operation of linear is called a field that is not a plain text", 2, ""),
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
    # words of others in a group
    *(
        (name.split(), f"error: unknown_operation: no operation of {name.split()[0]} is called '{name.split()[1]}'; did you mean {meant}?", 2, "")
        for name, meant in (
            ("cute transpose", "composition"),
            ("cute divide 8:1 2:1", "logical-divide"),
            ("cute product", "logical-product"),
            ("cute inverse 8:1", "right-inverse"),
            ("cute size 8:1", "show"),
            ("cute cosize 8:1", "show"),
            ("cute rank 8:1", "show"),
            ("linear transpose", "transpose-ins"),
            ("sharding reshard", "collective"),
        )
    ),
    (["help", "cute", "transpose"], "error: unknown_operation: no operation of cute is called 'transpose'; did you mean composition?", 2, ""),
    # architectures by the names of their products
    *(
        (["atoms", word], f"error: unknown_atom: no instruction, form of memory or architecture has '{word}' in its name; did you mean {arch}?", 2, "")
        for words, arch in (("mi350x mi355x cdna4", "gfx950"), ("pvc ponte-vecchio max1550 dpas xmx", "xe-hpc"), ("b300", "sm100a"))
        for word in words.split()
    ),
    # an axis as TVM prints it
    (["canonicalize", "8:4 @ Axis.laneid"], "ok: 8:4@laneid", 0, ""),
    (["local", "(2,8):(4@Axis.laneid,1)", "Axis.laneid"], "ok: 8:1", 0, ""),
    (["rename", "8:4@laneid", "Axis.laneid=Axis.lane"], "ok: 8:4@lane", 0, ""),
    (["canonicalize", 'R[2:4@warpid] + S[8:4@"laneid"]'], "ok: 8:4@laneid + [2:4@warpid]", 0, ""),
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
    (["surjective", "8:1", "{m:9}"], "ok: no: nothing is at {m:8}", 1, ""),
    (
        ["max-vector", "(8,8):(8,1)", "(8,8)", "4294967297", "m"],
        "error: bad_argument: argument 3: 4294967297 is not a dimension: they count from 0 to at most 16",
        2,
        "",
    ),
    (
        ["permute", "(4,8):(8,1)", "(4,8)", "(4294967297,0)"],
        "error: bad_argument: argument 3: 4294967297 is not a dimension: they count from 0 to at most 16",
        2,
        "",
    ),
    (
        ["tile", "swizzle<3,4,3>(64:1)", "64", "8:1", "8"],
        "error: bad_argument: a tiling scales its outer layout, and a swizzle cannot be scaled; only the tile may have one",
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
                if status != 2:
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
            (["completion", "tcsh"], "bash, fish or zsh"),
            (["completion"], "bash, fish or zsh"),
            (["batch", "file"], "standard input"),
        ):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.stdout, done.returncode), ("", 2))
                self.assertIn(told, done.stderr)


if __name__ == "__main__":
    main()
