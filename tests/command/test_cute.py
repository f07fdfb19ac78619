# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The group `cute`: swizzled operands, the spellings of shapes and coordinates, nested shapes, and why an operand is not taken."""

import random
import re
import unittest

from axe_command import batch, main, run

S = "Sw<3,3,3> o 0 o (8,64):(64,1)"
INSIDE = "(8,64):(64,1)"


def values(layout, size):
    """What a layout of CuTe has at each index."""
    return [int(answer.split(": ")[1]) for answer in batch([f"cute eval; {layout}; {x}" for x in range(size)])]


class Swizzled(unittest.TestCase):
    def test_answers(self):
        for request, answer in (
            # only the shape counts
            (f"cute idx2crd; {S}; 9", "ok: (1,1)"),
            (f"cute crd2idx; {S}; (1,1)", "ok: 9"),
            (f"cute compatible; {S}; ((2,4),64)", "ok: yes"),
            (f"cute congruent; {S}; (2,3)", "ok: yes"),
            (f"cute domain-distribute; {S}; 16", "ok: 16:1"),
            ("cute nullspace; Sw<3,3,3> o 0 o (8,4):(64,0)", "ok: 4:8"),
            (f"cute coalesce; (2,4):(1,2); {S}", "ok: (2,4):(1,2)"),
            # the modes are others, the swizzle stays
            (f"cute group; {S}; 0; 2", "ok: Sw<3,3,3> o 0 o ((8,64)):((64,1))"),
            (f"cute sort; {S}", "ok: Sw<3,3,3> o 0 o (64,8):(1,64)"),
            (f"cute slice; {S}; (3,_)", "ok: Sw<3,3,3> o 192 o (64):(1)"),
            ("cute slice; Sw<0,0,0> o 3 o (4,2):(8,1); (_,1)", "ok: Sw<0,0,0> o 4 o (4):(8)"),
            (f"cute zipped-product; {S}; 2:1", "ok: Sw<3,3,3> o 0 o ((8,64),2):((64,1),512)"),
            (f"cute tiled-product; {S}; (2,3):(1,2)", "ok: Sw<3,3,3> o 0 o ((8,64),2,3):((64,1),512,1024)"),
            (f"cute flat-product; {S}; (2,3):(1,2)", "ok: Sw<3,3,3> o 0 o (8,64,2,3):(64,1,512,1024)"),
            # the swizzle acts on words
            (f"cute upcast; {S}; 4", "ok: Sw<3,1,3> o 0 o (8,16):(16,1)"),
            (f"cute downcast; {S}; 4", "ok: Sw<3,5,3> o 0 o (8,256):(256,1)"),
            (f"cute recast; {S}; 16; 32", "ok: Sw<3,2,3> o 0 o (8,32):(32,1)"),
            # as far as both are in place
            (f"cute max-common-vector; {S}; {INSIDE}", "ok: 64"),
            (f"cute max-common-vector; {S}; {S}", "ok: 512"),
            ("cute max-common-layout; Sw<3,3,3> o 0 o 64:1; 64:1", "ok: 64:1"),
            (f"cute show; {S}", "ok: rank 2, depth 1, size 512"),
            ("cute show; ((2,4),8):((1,16),2)", "ok: rank 2, depth 2, size 64, cosize 64"),
            ("cute show; (2,4):(1@0,1@1)", "ok: rank 2, depth 1, size 8"),
        ):
            with self.subTest(request):
                self.assertEqual(batch([request]), [answer])

    def test_the_values_are_those_of_the_layout(self):
        size = 512
        whole = values(S, size)
        self.assertEqual(sorted(values("Sw<3,3,3> o 0 o (64,8):(1,64)", size)), sorted(whole))
        for i in range(8):
            part = batch([f"cute slice; {S}; ({i},_)"])[0].removeprefix("ok: ")
            self.assertEqual(values(part, 64), whole[i::8])
        words = values("Sw<3,1,3> o 0 o (8,16):(16,1)", 128)
        for x in range(size):
            self.assertEqual(words[x % 8 + x // 8 // 4 * 8], whole[x] // 4)

    def test_one_true_reason_for_each_that_is_not_taken(self):
        for request, reason in (
            (f"cute complement; {S}; 24", "argument 1: a complement is added to the values before the swizzle and the offset: "),
            (f"cute logical-divide; 512; {S}", "argument 2: the complement of a tiler is added to it, and a swizzle"),
            (f"cute flat-product; 512; {S}", "argument 2: the complement of a tiler is added to it, and a swizzle"),
            (f"cute blocked-product; (2,2); {S}", "argument 2: the complement of a tiler is added to it, and a swizzle"),
            (f"cute to-tile; {S}; (8,64)", "argument 1: threads and values are digits of the tile, which a swizzle"),
            (f"cute slice; Sw<3,4,3> o smem_ptr[16b] o {INSIDE}; (3,_)", "the composed layout has a pointer flag of 16 bits and offset 192"),
        ):
            with self.subTest(request):
                answer = batch([request])[0]
                self.assertIn("error: bad_argument: " + reason, answer)
        self.assertEqual(run("cute", "upcast", "Sw<2,2,-2> o 0 o 64:1", "8").stdout, "none: the swizzle moves words of 8 elements by bit 2, which is within a word\n")
        for word in ("complement", "blocked-product", "logical-divide", "to-tile"):
            self.assertIn("not", re.search(r".*(swizzled|T not).*", run("help", "cute", word).stdout)[0])


class Spellings(unittest.TestCase):
    def test_shapes_and_coordinates(self):
        plain = {
            "cute logical-divide; (8,8):(8,1); (4,2)": ["4,2", "4x2", "(4, 2)"],
            "cute logical-divide; (8,(4,4)):(16,(4,1)); (4,(2,2))": ["4,(2,2)", "4x(2,2)"],
            "cute zipped-divide; (8,8):(8,1); (4,2)": ["4,2", "<4,2>"],
            "cute complement; 4:1; (4,6)": ["4,6", "4x6", "24"],
            "cute complement; 4:1@0; (24)": ["24"],
            "cute composition; (8,8):(8,1); (4,2)": ["4,2", "4x2"],
            "cute eval; (4,8); (3,5)": ["3,5", "23"],
            "cute slice; (4,8); (_,3)": ["_,3"],
            "cute crd2idx; (4,(2,3)); (3,(1,2))": ["3,(1,2)"],
            "cute tile-to-shape; (2,3):(1,2); (4,6)": ["4,6", "4x6", "(4,(2,3))", "4,(3,2)"],
            "cute to-tile; ((4,8),(2,2)):((32,1),(16,8)); (16,8)": ["16,8", "16x8", "(16,(2,4))"],
            "cute logical-divide; (8,2):(1,8); (_,_)": ["<>", "<_>", "()"],
        }
        for request, others in plain.items():
            head, _, last = request.rpartition("; ")
            want = batch([request])[0]
            self.assertRegex(want, "^ok: ")
            for other in others:
                with self.subTest(request, other=other):
                    self.assertEqual(batch([f"{head}; {other}"]), [want])
        for request, answer in (
            ("cute idx2crd; 8x4; 7", "ok: (7,0)"),
            ("cute idx2crd; 2,(2,2); 7", "ok: (1,(1,1))"),
            ("cute compatible; 8,4; (2,4),4", "ok: yes"),
            ("cute tile-to-shape; (2,3):(1,2); (4,(2,3)); (1,0)", "ok: ((2,2),(3,2)):((1,12),(2,6))"),
            ("cute from-axe; (4,6):(1,4); coordinate; (4,(2,3))", "ok: (4,(2,3)):(1,(4,8))"),
            ("cute from-axe; (4,6):(1,4); coordinate; 4x6", "ok: (4,6):(1,4)"),
            ("cute from-axe; swizzle<1,0,2>((4,6):(1,4)); coordinate; (4,(2,3))", "ok: Sw<1,0,2> o 0 o (4,(2,3)):(1,(4,8))"),
            ("cute eval; (8,):(1,); (3,)", "ok: 3"),
            ("canonicalize; (8,):(4@lane,)", "ok: 8:4@lane"),
            ("eval; (8,):(4@lane,); (8,); (3,)", "ok: {lane:12}"),
        ):
            with self.subTest(request):
                self.assertEqual(batch([request]), [answer])

    def test_what_is_still_wrong(self):
        for request, answer in (
            ("cute idx2crd; 8x; 7", "error: bad_syntax: argument 1: expected an extent or '(' at character 2"),
            ("cute idx2crd; 8,4x2; 7", "error: bad_syntax: argument 1: expected the end of the text at character 3"),
            ("cute eval; (4,8); 3x5", "error: bad_syntax: argument 2: expected the end of the text at character 1"),
            ("cute tile-to-shape; 8; 16:1", "error: bad_syntax: argument 2: expected the end of the text at character 2"),
            ("cute complement; 4:1@1; 24", "error: rank_mismatch: a basis names mode 1 where there is no tuple of modes, but a single extent, 24"),
        ):
            with self.subTest(request):
                self.assertEqual(batch([request]), [answer])

    def test_a_nested_shape_gives_the_same_function(self):
        rng = random.Random(6)
        for _ in range(40):
            parts = [[rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(1, 3))] for _ in range(2)]
            sizes = [1, 1]
            for d in range(2):
                for n in parts[d]:
                    sizes[d] *= n
            nested = "(" + ",".join("(" + ",".join(map(str, p)) + ")" for p in parts) + ")"
            a, b = rng.randint(0, 9), rng.randint(0, 9)
            answer = batch([f"cute from-axe; ({sizes[0]},{sizes[1]}):({a},{b}); coordinate; {nested}"])[0]
            with self.subTest(nested, strides=(a, b)):
                self.assertRegex(answer, "^ok: ")
                layout = answer.removeprefix("ok: ")
                self.assertEqual(batch([f"cute congruent; {layout}; {nested}"]), ["ok: yes"])
                asked = [(i, j) for i in range(sizes[0]) for j in range(sizes[1])]
                got = batch([f"cute eval; {layout}; {i},{j}" for i, j in asked])
                self.assertEqual(got, [f"ok: {a * i + b * j}" for i, j in asked])


class Witnesses(unittest.TestCase):
    def test_which_mode_and_why(self):
        for request, answer in (
            ("cute compatible; (8,4); ((2,4),5)", "ok: no: mode 1 has 4 elements in A and 5 in B"),
            ("cute compatible; ((2,4),4); (8,4)", "ok: no: mode 0 is a tuple of 2 in A and an extent in B"),
            ("cute compatible; (8,(4,3)); (8,((2,2),(2,2)))", "ok: no: mode 1.1 has 3 elements in A and 4 in B"),
            ("cute compatible; 6; (2,4)", "ok: no: the whole has 6 elements in A and 8 in B"),
            ("cute congruent; (8,4); (2,3,4)", "ok: no: the whole is a tuple of 2 in A and a tuple of 3 in B"),
            ("cute congruent; (8,(4,3)); (8,(4,(3,1)))", "ok: no: mode 1.1 is an extent in A and a tuple of 2 in B"),
        ):
            with self.subTest(request):
                self.assertEqual(batch([request]), [answer])

    def test_a_no_has_a_witness_and_a_yes_none(self):
        shapes = ["8", "(8)", "(2,4)", "((2,4),3)", "(8,3)", "(8,(3,1))", "24", "((8,3))", "(2,(4,3))", "()", "(8,())"]
        for op in ("compatible", "congruent"):
            for a, b in ((a, b) for a in shapes for b in shapes):
                answer = batch([f"cute {op}; {a}; {b}"])[0]
                with self.subTest(op, a=a, b=b):
                    self.assertRegex(answer, r"^ok: (yes|no: (mode [0-9.]+|the whole) (is|has) .* in B)$")


if __name__ == "__main__":
    main()
