# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The groups of operations on other libraries' layouts: as the issue words them, with too little and too much, and CuTe's by their
equations, evaluated here."""

import itertools
import json
import math
import random
import re
import shlex
import unittest

from axe_command import batch, main, run
from notation import Layout, numbers

GROUPS = re.findall(r"^  ([a-z]+) OPERATION ", run("help").stdout, re.M)


def operations():
    """Group, word, and the fields of the example, of every operation of every group."""
    for group in GROUPS:
        page = run("help", group).stdout
        for word in re.findall(r"^  ([a-z0-9-]+) ", page[page.index("\nOperations") :], re.M):
            example = re.search(r"\nExample\n  (.*?)\n", run("help", group, word).stdout)[1]
            yield group, word, shlex.split(example)[3:]


def tree(text):
    """A nested tuple of numbers, `((2,4),8)`."""
    return json.loads(re.sub(r"_(?=\d)", "", text).replace("(", "[").replace(")", "]"))


def leaves(node):
    return [leaf for item in node for leaf in leaves(item)] if isinstance(node, list) else [node]


class Cute:
    """A layout of CuTe by its definition: the leftmost leaf runs fastest."""

    def __init__(self, text):
        self.shape, self.stride = (tree(part) for part in text.split(":"))
        self.modes = list(zip(leaves(self.shape), leaves(self.stride)))
        self.size = math.prod(n for n, _ in self.modes)

    def __call__(self, index):
        """The last leaf runs on."""
        value = 0
        for i, (n, s) in enumerate(self.modes):
            last = i + 1 == len(self.modes)
            value += (index if last else index % n) * s
            index //= n
        return value

    def values(self):
        return [self(x) for x in range(self.size)]


def random_cute(rng, modes=3):
    extents = [rng.choice([1, 2, 2, 3, 4, 4, 6, 8]) for _ in range(rng.randint(1, modes))]
    strides, step = [], 1
    for n in extents:  # a chain of multiples more often than not, in any order below
        strides.append(rng.choice([step, step, step, 0, rng.randint(0, 12)]))
        step *= n * rng.choice([1, 1, 2])
    order = rng.sample(range(len(extents)), len(extents))
    return "({}):({})".format(*(",".join(str(list_[i]) for i in order) for list_ in (extents, strides)))


class AsTheIssueSays(unittest.TestCase):
    def test_composition(self):
        self.assertEqual(
            batch(["cute; composition; (4,8):(8,1); (2,2):(1,4)", "cute; composition; (4,8):(8,1); (2,2):(1,3)"]),
            ["ok: (2,2):(8,1)", "none: the composed map is not a layout"],
        )
        done = run("cute", "composition", "(4,8):(8,1)", "(2,2):(1,4)")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("ok: (2,2):(8,1)\n", "", 0))
        done = run("cute", "composition", "(4,8):(8,1)", "(2,2):(1,3)", "--json")
        self.assertEqual((json.loads(done.stdout)["status"], done.returncode), ("none", 1))

    def test_operations_of_cute(self):
        words = {word for group, word, _ in operations() if group == "cute"}
        self.assertLessEqual(
            set(
                """composition coalesce complement left-inverse right-inverse logical-divide logical-product filter to-axe from-axe
                zipped-divide tiled-divide flat-divide blocked-product raked-product tile-to-shape max-common-vector
                max-common-layout recast upcast downcast nullspace domain-distribute""".split()
            ),
            words,
        )
        self.assertEqual(GROUPS, ["map", "cute", "linear", "strides", "sharding", "spyre"])


class Requests(unittest.TestCase):
    def test_too_few_and_too_many(self):
        for group, word, fields in operations():
            any_number = "..." in run("help", group, word).stdout.split("\n")[0]
            for given in [[]] if any_number else ([], fields + ["1"] * 4):
                with self.subTest(group=group, word=word, given=given):
                    done = run(group, word, *given)
                    self.assertRegex(done.stdout, f"^error: wrong_arguments: {group} {word} takes .*; here are {len(given)}\n$")
                    self.assertEqual(done.returncode, 2)
                    self.assertTrue(done.stderr.startswith(f"usage: axe {group} {word} "), done.stderr)

    def test_misspelled(self):
        for group, word, fields in operations():
            wrong = word[:-1] + "q"
            with self.subTest(group=group, word=word):
                done = run(group, wrong, *fields)
                self.assertRegex(
                    done.stdout, f"^error: unknown_operation: no operation of {group} is called '{wrong}'; did you mean [a-z0-9-]+\\?\n$"
                )
                self.assertEqual((done.returncode, done.stderr), (2, f"`axe help {group}` tells what they do\n"))

    def test_empty_and_no_text(self):
        """Each argument in turn is empty, or no UTF-8, or very long: an error that names it, and no other."""
        for bad in ("", "\x80\xff", "(" * 5000, "9" * 5000, "\u2192"):
            for group, word, fields in operations():
                for i in range(len(fields)):
                    with self.subTest(group=group, word=word, argument=i + 1, bad=bad[:9]):
                        broken = fields[:i] + [bad] + fields[i + 1 :]
                        line = "; ".join([group, word, *broken]).encode("utf-8", "replace")
                        (answer,) = batch(line + b"\n")
                        # to Alpa nothing is a spec, of an array without dimensions
                        place = "" if (word, bad) == ("alpa", "") and i == 0 else f"argument {i + 1}: "
                        self.assertRegex(answer, f"^error: [a-z_]+: {place}")

    def test_json_is_the_text(self):
        requests = ["; ".join([group, word, *fields]) for group, word, fields in operations()]
        self.assertGreater(len(requests), 55)
        for request, text, line in zip(requests, batch(requests), batch(requests, "--json")):
            with self.subTest(request):
                record = json.loads(line)
                self.assertEqual(f"{record['status']}: {record['answer']}", text)
                self.assertGreater(len(record), 2)


class CuteByItsEquations(unittest.TestCase):
    """Of random layouts; what is answered must obey the equation that the help shows, and most are answered."""

    def ask(self, request, count=400, least=100):
        rng = random.Random(6)
        cases = [request(rng) for _ in range(count)]
        answers = batch(["; ".join(["cute", *case]) for case in cases])
        answered = 0
        for case, answer in zip(cases, answers):
            with self.subTest(case=case, answer=answer):
                self.assertRegex(answer, "^(ok|none|undecided): ")
                if answer.startswith("ok: "):
                    answered += 1
                    yield *(Cute(text) if "(" in text else text for text in case[1:]), answer[4:]
        self.assertGreater(answered, least)

    def test_composition(self):
        for a, b, answer in self.ask(lambda rng: ["composition", random_cute(rng), random_cute(rng, 2)]):
            self.assertEqual(Cute(answer).values(), [a(y) for y in b.values()])

    def test_coalesce(self):
        for a, answer in self.ask(lambda rng: ["coalesce", random_cute(rng)]):
            self.assertEqual(Cute(answer).values(), a.values())
            self.assertLessEqual(len(Cute(answer).modes), len(a.modes))

    def test_filter(self):
        for a, answer in self.ask(lambda rng: ["filter", random_cute(rng)]):
            self.assertEqual(set(Cute(answer).values()), set(a.values()))

    def test_complement(self):
        for a, n, answer in self.ask(lambda rng: ["complement", random_cute(rng), str(rng.randint(1, 64))]):
            rest = Cute(answer).values()
            sums = [x + y for x in set(a.values()) for y in rest]
            self.assertEqual(len(sums), len(set(sums)))
            if len(sums) == max(sums) + 1:  # without holes
                self.assertGreaterEqual(len(sums), int(n))

    def test_inverses(self):
        for a, answer in self.ask(lambda rng: ["left-inverse", random_cute(rng)], least=50):
            moved = [n if s != 0 else 1 for n, s in a.modes]  # digits of stride 0 are left at 0
            for x in range(a.size):
                rest, back, weight = x, 0, 1
                for (n, _), m in zip(a.modes, moved):
                    back, weight, rest = back + weight * (rest % n if m > 1 else 0), weight * n, rest // n
                self.assertEqual(Cute(answer)(a(x)), back)
        for a, answer in self.ask(lambda rng: ["right-inverse", random_cute(rng)]):
            self.assertEqual([a(x) for x in Cute(answer).values()], list(range(Cute(answer).size)))

    def test_divides(self):
        """Each element of L is in one tile, and each tile is T of it."""
        for op in ("logical-divide", "zipped-divide", "tiled-divide", "flat-divide"):

            def case(rng, op=op):
                return [op, random_cute(rng), rng.choice(["(2):(1)", "(4):(2)", "(2,2):(1,4)", "(3):(1)"])]

            for a, t, answer in self.ask(case, least=50):
                got = Cute(answer)
                self.assertEqual(got.values()[: t.size], [a(y) for y in t.values()])
                self.assertLessEqual(set(a.values()), set(got.values()))

    def test_products(self):
        """The first copy is the block, and copies do not touch."""
        for op in ("logical-product", "zipped-product", "tiled-product", "flat-product"):
            for a, _, answer in self.ask(lambda rng: [op, random_cute(rng, 2), random_cute(rng, 2)], least=50):
                self.assertEqual(Cute(answer).values()[: a.size], a.values())
        for op in ("blocked-product", "raked-product"):
            for a, b, answer in self.ask(lambda rng: [op, random_cute(rng, 2), random_cute(rng, 2)], least=50):
                self.assertEqual(Cute(answer).size, a.size * b.size)

    def test_common(self):
        def two(op):
            return lambda rng: [op, random_cute(rng), random_cute(rng)]

        sizes = []
        for a, b, answer in self.ask(two("max-common-layout")):
            run_ = Cute(answer)
            sizes.append(run_.size)
            self.assertEqual([a(x) for x in run_.values()], list(range(run_.size)))
            self.assertEqual([b(x) for x in run_.values()], list(range(run_.size)))
        self.assertEqual(sizes, [int(answer) for _, _, answer in self.ask(two("max-common-vector"))])

    def test_to_axe(self):
        for a, _, answer in self.ask(lambda rng: ["to-axe", random_cute(rng), "linear"]):
            self.assertEqual([self.only(cell) for cell in Layout(answer).table()], a.values())
        for a, _, answer in self.ask(lambda rng: ["to-axe", random_cute(rng), "coordinate"]):
            layout, shape = answer.split(" on ")
            table = [self.only(cell) for cell in Layout(layout).table()]
            at = itertools.product(*(range(n) for n in numbers(shape)))  # row-major
            found = {c: value for c, value in zip(at, table)}
            column_major = sorted(found, key=lambda c: c[::-1])
            self.assertEqual([found[c] for c in column_major], a.values())

    @staticmethod
    def only(cell):
        (place,) = cell
        return dict(place).get("m", 0)


if __name__ == "__main__":
    main()
