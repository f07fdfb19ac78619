# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists and witnesses: what answers promise, checked by enumeration; and that huge lists answer at once."""

import random
import re
import time
import unittest

from axe_command import batch, main
from notation import Layout, numbers, point, points


def random_layout(rng):
    count = rng.randint(1, 3)
    extents = [rng.randint(1, 4) for _ in range(count)]
    strides = [f"{rng.randint(-3, 6)}@{rng.choice(['m', 'lane'])}" for _ in range(count)]
    text = f"({','.join(map(str, extents))}):({','.join(strides)})"
    if rng.random() < 0.3:
        text += f" + [{rng.randint(1, 3)}:{rng.randint(-4, 4)}@{rng.choice(['m', 'lane'])}]"
    if rng.random() < 0.3:
        text += f" + {rng.randint(-3, 3)}@lane"
    return text


def box_points(box):
    cells = [{}]
    for axis in sorted(box):
        cells = [{**cell, axis: value} for cell in cells for value in range(box[axis])]
    return cells


class Properties(unittest.TestCase):
    """Of 2000 small layouts; every no must be shown by what the answer says, every yes hold everywhere."""

    @classmethod
    def setUpClass(cls):
        rng = random.Random(4)
        cls.layouts = [random_layout(rng) for _ in range(2000)]
        cls.boxes = [{axis: rng.randint(1, 5) for axis in rng.sample(["lane", "m"], rng.randint(1, 2))} for _ in cls.layouts]

    def ask(self, request):
        self.both = set()
        for text, box, answer in zip(self.layouts, self.boxes, batch([request(t, b) for t, b in zip(self.layouts, self.boxes)])):
            with self.subTest(layout=text, box=box, answer=answer):
                self.assertRegex(answer, "^ok: (yes$|no: )")
                self.both.add(answer[:6])
                yield Layout(text), Layout(text).table(), box, answer
        self.assertEqual(len(self.both), 2)

    @staticmethod
    def with_box(operation):
        return lambda text, box: f"{operation}; {text}; box {{" + ", ".join(f"{a}:{n}" for a, n in box.items()) + "}"

    def test_injective(self):
        for _, table, _, answer in self.ask(lambda text, _: f"injective; {text}"):
            disjoint = sum(map(len, table)) == len(frozenset().union(*table))
            self.assertEqual(answer == "ok: yes", disjoint)
            if not disjoint:
                x, y, shared = re.fullmatch(r"ok: no: indices (\d+) and (\d+) share (\{.*\})", answer).groups()
                self.assertLess(int(x), int(y))
                self.assertIn(point(points(shared)[0]), table[int(x)] & table[int(y)])

    def test_surjective(self):
        for _, table, box, answer in self.ask(self.with_box("surjective")):
            image = frozenset().union(*table)
            missed = [p for p in box_points(box) if point(p) not in image]
            self.assertEqual(answer, f"ok: no: nothing is at {self.text(missed[0])}" if missed else "ok: yes")

    def test_surjective_onto_its_spans(self):
        for layout, table, _, answer in self.ask(lambda text, _: f"surjective; {text}"):
            box = {axis: layout.span(axis) for axis in ("lane", "m") if layout.span(axis) > 1}
            missed = [p for p in box_points(box) if point(p) not in frozenset().union(*table)]
            self.assertEqual(answer, f"ok: no: nothing is at {self.text(missed[0])}" if missed else "ok: yes")

    def test_bijective(self):
        for _, table, box, answer in self.ask(self.with_box("bijective")):
            image = frozenset().union(*table)
            inside = {point(p) for p in box_points(box)}
            bijective = sum(map(len, table)) == len(image) and image == inside
            self.assertEqual(answer == "ok: yes", bijective)
            if match := re.fullmatch(r"ok: no: index (\d+) is at (\{.*\}), outside the box", answer):
                self.assertFalse(table[int(match[1])] <= inside)

    def test_contiguous(self):
        for layout, _, _, answer in self.ask(lambda text, _: f"contiguous; {text}"):
            starts = self.starts(layout)
            wrong = [
                next((x for x, p in enumerate(starts) if p != {**starts[0], axis: starts[0][axis] + x}), None)
                for axis in ("lane", "m")
            ]
            self.assertEqual(answer == "ok: yes", None in wrong)
            if None not in wrong:
                before, first, index, second = re.fullmatch(
                    r"ok: no: index (\d+) is at (.*), index (\d+) is at (.*)", answer
                ).groups()
                self.assertEqual((int(before), int(index)), (max(wrong) - 1, max(wrong)))
                self.assertEqual(point(points(first)[0]), point(starts[int(before)]))
                self.assertEqual(point(points(second)[0]), point(starts[int(index)]))

    @staticmethod
    def starts(layout):
        """D(x) + O, with both axes."""
        table = []
        layout.replica = []
        for cell in layout.table():
            place = dict(next(iter(cell)))
            table.append({axis: place.get(axis, 0) for axis in ("lane", "m")})
        return table

    @staticmethod
    def text(place):
        return "{" + ", ".join(f"{axis}:{place[axis]}" for axis in sorted(place)) + "}"


class Lists(unittest.TestCase):
    def test_64_are_listed(self):
        for n in (1, 63, 64, 65, 1000):
            eval_, preimage = batch([f"eval; 1:1 + [{n}:3@lane] + -7@lane; 1; 0", f"preimage; {n}:0; {n}; {{m:0}}"])
            listed, _, rest = eval_.partition(" ... ")
            self.assertEqual([p["lane"] for p in points(listed)], [3 * i - 7 for i in range(min(n, 64))])
            self.assertEqual(rest, f"{n} points" if n > 64 else "")
            listed, _, rest = preimage[4:].partition(" ... ")
            self.assertEqual([numbers(c) for c in listed.split(" ")], [[i] for i in range(min(n, 64))])
            self.assertEqual(rest, f"{n} coordinates" if n > 64 else "")

    def test_points_are_sorted_by_value(self):
        (answer,) = batch(["eval; (2,3):(1@z,1@a) + [3:-2@z, 2:5@a] + 100@z; 6; 4"])
        self.assertEqual(answer, "ok: {a:1, z:97} {a:1, z:99} {a:1, z:101} {a:6, z:97} {a:6, z:99} {a:6, z:101}")

    def test_swizzled_points_are_sorted_by_value(self):
        (answer,) = batch(["eval; swizzle<1,0,1>(4:1 + [2:1]); 4; 2"])  # 2 and 3, moved to 3 and 2
        self.assertEqual(answer, "ok: {m:2} {m:3}")

    def test_huge_lists_answer_at_once(self):
        n = 2**60
        start = time.monotonic()
        answers = batch(
            [
                f"preimage; {n}:0; {n}; {{m:0}}",
                f"eval; 1:1 + [{n}:1]; 1; 0",
                f"equal; {n}:1; {n}:1 + [{n}:1]",
                f"equal; ({n // 2},2):(2,1); {n}:1",
                f"injective; {n}:0",
            ]
        )
        self.assertLess(time.monotonic() - start, 10)
        self.assertTrue(answers[0].endswith(f"(63) ... {n} coordinates"))
        self.assertTrue(answers[1].endswith(f"{{m:63}} ... {n} points"))
        self.assertTrue(answers[2].startswith("ok: no: at 0: {m:0} vs {m:0} {m:1} "))
        self.assertTrue(answers[2].endswith(f"{{m:63}} ... {n} points"))
        self.assertEqual(answers[3:], ["ok: yes", "ok: no: indices 0 and 1 share {m:0}"])

    def test_strides_that_overlap_without_end(self):
        """Each of these has more ways to be looked at than there is time for: all say so soon (a batch that does not
        end is stopped)."""
        strides = [1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117]
        replicas = [f"[{', '.join(f'1000000:{s}' for s in part)}]" for part in (strides[:6], strides[1:])]
        shape = "(1000,1000,1000,1000,1000,1000)"
        layout = f"{shape}:({','.join(map(str, strides[:6]))})"
        answers = batch(
            [
                f"eval; 1:1 + {replicas[0]}; 1; 0",
                f"preimage; 1:1 + {replicas[0]}; 1; {{m:3000123456}}",
                f"preimage; {layout}; {shape}; {{m:3000123456}}",
                f"injective; {layout}",
                f"bijective; {layout}",
                f"equal; 1:1 + {replicas[0]}; 1:1 + {replicas[1]}",
                f"show; {layout}; {shape}",
            ]
        )
        self.assertTrue(all(answer.startswith("undecided: ") for answer in answers[:-1]), answers)
        self.assertTrue(answers[-1].startswith(f"ok: {layout}; "))

    def test_extremes(self):
        most = 2**63 - 1
        self.assertEqual(
            batch(
                [
                    f"eval; 1:1 + {-most}@m; 1; 0",
                    f"eval; 1:1 + {-most - 1}@lane; 1; 0",
                    "eval; ():(); (); ()",
                    "eval; 1:1; 99999999999999999999; 0",
                    f"span; {most}:1",
                    "span; (8,1,2):(0,4@lane,3@P) + 5@warp",
                    "canonicalize; " + "(" + ",".join(["1"] * 17) + "):(" + ",".join(["1"] * 17) + ")",
                    f"shift; 8:1; {{abcdefghijklmno:{most}}}",
                    "shift; 8:1; {abcdefghijklmnop:1}",
                    "group; ():(); (1,1)",
                ]
            ),
            [
                f"ok: {{m:{-most}}}",
                "error: overflow: argument 1: the coordinates on the axis of offset 0 overflow",
                "ok: {}",
                "error: overflow: argument 2: the number at character 0 overflows",
                f"ok: {{m:{most}}}",
                "ok: {P:4}",
                "error: capacity: argument 1: a layout has at most 16 shard iters, this one has 17",
                f"ok: 8:1 + {most}@abcdefghijklmno",
                "error: bad_axis: argument 2: the axis at character 1 has a name of 16 characters; at most 15 fit",
                "ok: (|):(|)",
            ],
        )


if __name__ == "__main__":
    main()
