# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indexing maps in the command: as the issue words it, and what is answered against maps evaluated here, point by point."""

import itertools
import json
import math
import os
import random
import re
import unittest

from axe_command import batch, main, run
from notation import Layout

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


class Map:
    """A map by its definition. Python's // and % are the floor division and the remainder of maps."""

    def __init__(self, text):
        head, _, domain = text.partition(", domain: ")
        lists, _, results = head.partition(" -> ")
        self.names = re.findall(r"[a-z_][a-z_0-9]*", lists)
        in_python = lambda e: re.sub("floordiv|/+", "//", e).replace("mod", "%")
        code = lambda e: compile(in_python(e), text, "eval")
        self.results = code("(" + results[1:-1] + ("," if results != "()" else "") + ")")
        items = re.findall(r"(.*?) in \[(-?\d+), (-?\d+)\](?:, |$)", domain)
        self.bounds = {n: (int(lo), int(hi)) for n, lo, hi in items if n in self.names}
        self.constraints = [(code(e), int(lo), int(hi)) for e, lo, hi in items if e not in self.names]

    def size(self):
        return math.prod(max(hi - lo + 1, 0) for lo, hi in self.bounds.values())

    def box(self):
        return itertools.product(*(range(self.bounds[n][0], self.bounds[n][1] + 1) for n in self.names))

    def __contains__(self, point):
        values = dict(zip(self.names, point))
        return all(self.bounds[n][0] <= x <= self.bounds[n][1] for n, x in values.items()) and all(
            lo <= eval(e, {}, values) <= hi for e, lo, hi in self.constraints
        )

    def __call__(self, point):
        return eval(self.results, {}, dict(zip(self.names, point)))

    def table(self):
        return {p: self(p) for p in self.box() if p in self}


def divisions(text):
    return len(re.findall(r"floordiv|mod|/", text))


def facts(kind):
    with open(os.path.join(DATA, "xla_facts.jsonl"), encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row["kind"] == kind]


def random_expression(rng, names, depth=3):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(names)
    e = random_expression(rng, names, depth - 1)
    k = rng.choice([-7, -3, -2, 2, 3, 4, 5, 12])
    other = random_expression(rng, names, depth - 1)
    return rng.choice([f"({e}) floordiv {k}", f"({e}) mod {k}", f"({e}) * {k}", f"{e} + {k}", f"{e} + ({other})"])


def random_map(rng, results=2, constraints=1):
    names = ["d0", "d1", "s0"]
    lows = [rng.randint(-4, 2) for _ in names]
    items = [f"{n} in [{lo}, {lo + rng.randint(0, 6)}]" for n, lo in zip(names, lows)]
    for _ in range(rng.randint(0, constraints)):
        lo = rng.randint(-8, 4)
        items.append(f"{random_expression(rng, names, 2)} + 0 * d0 in [{lo}, {lo + rng.randint(0, 12)}]")
    body = ", ".join(random_expression(rng, names) for _ in range(results))
    return f"(d0, d1)[s0] -> ({body}), domain: {', '.join(items)}"


class AsTheIssueSays(unittest.TestCase):
    def test_simplify(self):
        line = "map; simplify; (d0) -> (d0 mod 8), domain: d0 in [0, 7]"
        self.assertEqual(batch([line, line.replace("; s", " s")]), ["ok: (d0) -> (d0), domain: d0 in [0, 7]"] * 2)
        done = run("map", "simplify", "(d0) -> (d0 mod 8), domain: d0 in [0, 7]")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("ok: (d0) -> (d0), domain: d0 in [0, 7]\n", "", 0))

    def test_json(self):
        domain = "domain: th_x in [0, 9], i in [0, 1], n in [2, 1], i + n in [0, 3]"
        (line,) = batch([f"map parse; (th_x)[i]{{n}} -> (th_x / 2, n), {domain}"], "--json")
        self.assertEqual(
            json.loads(line),
            {
                "status": "ok",
                "answer": f"(th_x)[i]{{n}} -> (th_x floordiv 2, n), {domain}",
                "dimensions": [{"name": "th_x", "low": 0, "high": 9}],
                "ranges": [{"name": "i", "low": 0, "high": 1}],
                "runtimes": [{"name": "n", "low": 2, "high": 1}],
                "results": ["th_x floordiv 2", "n"],
                "constraints": [{"expression": "i + n", "low": 0, "high": 3}],
            },
        )

    def test_spellings(self):
        text = "(th_x)[i] -> (th_x floordiv 2 + i), domain: th_x in [0, 9], i in [0, 1]"
        self.assertEqual(
            batch([f"map parse; {text}; {spelling}" for spelling in ("xla", "slash", "generic", "attribute")]),
            [
                "ok: " + text,
                "ok: " + text.replace("floordiv", "/"),
                "ok: (d0)[s0] -> (d0 floordiv 2 + s0), domain: d0 in [0, 9], s0 in [0, 1]",
                f'ok: #xla.indexing_map<"{text}">',
            ],
        )
        attribute = f'#map = #xla_gpu.indexing_map<"{text}">'
        self.assertEqual(batch([f"map parse; {attribute}"]), ["ok: " + text])
        done = run("map", "parse", "(d0) -> (d0)\ndomain:\nd0 in [0, 9]\nis_simplified: true\n")
        self.assertEqual(done.stdout, "ok: (d0) -> (d0), domain: d0 in [0, 9]\n")


class Misread(unittest.TestCase):
    # ^ stands before the character that is named
    TEXTS = [
        ("(d0) -> (^d1), domain: d0 in [0, 7]", "bad_argument", "the map has no variable of the name at character {}"),
        ("(d0) -> (d0 mod ^0), domain: d0 in [0, 7]", "bad_argument", "the divisor at character {} is 0"),
        ("(d0) -> (d0 mod ^d0), domain: d0 in [0, 7]", "bad_argument", "the divisor at character {} is no constant"),
        ("(d0, ^d0) -> (d0)", "bad_argument", "the variable at character {} is named before"),
        ("(d0) -> (d0), domain: d0 in [3^", "bad_syntax", "expected ',' after the least value at character {}"),
        ("(d0) -> (d0), d0 in [0, 1], ^d0 in [0, 1]", "bad_argument", "the variable at character {} has an interval before"),
        ("(d0)[^s0] -> (d0), domain: d0 in [0, 1]", "bad_argument", "the variable at character {} has no interval in the domain"),
        ("(d0) -> (^9223372036854775808)", "overflow", "the number at character {} leaves the integer"),
        ("(d0) -> (d0^", "bad_syntax", "expected an operator, ',' or ')' in the results at character {}"),
        ("#xla.indexing_map<\"(d0) -> (^d1)\">", "bad_argument", "the map has no variable of the name at character {}"),
        ("^", "bad_syntax", "expected '(' before the dimensions at character {}"),
    ]

    def test_each_has_a_caret(self):
        for marked, code, words in self.TEXTS:
            with self.subTest(marked):
                at = marked.index("^")
                text, sentence = marked.replace("^", ""), words.format(at)
                done = run("map", "simplify", text)
                self.assertTrue(done.stdout.startswith(f"error: {code}: argument 1: {sentence}"), done.stdout)
                self.assertEqual(done.returncode, 2)
                lines = done.stderr.split("\n")
                self.assertEqual(lines[:2], [text, " " * at + "^"])
                self.assertTrue(lines[2].startswith(sentence))
                self.assertTrue(lines[3].startswith("M is an indexing map: "))
                (answer,) = batch([f"map; simplify; {text}"], "--json")
                self.assertEqual([json.loads(answer)[k] for k in ("code", "position", "argument")], [code, at, 1])


class ByEvaluation(unittest.TestCase):
    """What is answered against the definition, over the whole domain."""

    def random_maps(self, seed, count=120, **kind):
        rng = random.Random(seed)
        return [random_map(rng, **kind) for _ in range(count)]

    def test_parse(self):
        maps = self.random_maps(1)
        for text, answer in zip(maps, batch([f"map parse; {m}" for m in maps])):
            with self.subTest(text):
                self.assertEqual(Map(answer.removeprefix("ok: ")).table(), Map(text).table())

    def test_simplify(self):
        maps = self.random_maps(2) + [row["input"] for row in facts("simplify") if Map(row["input"]).size() <= 10_000]
        answers = batch([f"map simplify; {m}" for m in maps])
        again = batch([f"map simplify; {answer.removeprefix('ok: ')}" for answer in answers])
        for text, answer, twice in zip(maps, answers, again):
            with self.subTest(text):
                self.assertTrue(answer.startswith("ok: "))
                simple = answer.removeprefix("ok: ")
                self.assertEqual(Map(simple).table(), Map(text).table())
                self.assertLessEqual(divisions(simple), divisions(text))
                self.assertEqual(twice, answer)

    def test_equal(self):
        rng = random.Random(3)
        pairs = []
        for m in self.random_maps(4):
            other = m if rng.random() < 0.5 else re.sub(r"\d+\]$", lambda n: str(int(n[0][:-1]) + 1) + "]", m)
            pairs.append((m, other))
        pairs += zip(self.random_maps(5, 60, results=1, constraints=0), self.random_maps(6, 60, results=1, constraints=0))
        for (a, b), answer in zip(pairs, batch([f"map equal; {a}; {b}" for a, b in pairs])):
            with self.subTest(a=a, b=b):
                left, right = Map(a).table(), Map(b).table()
                if answer == "ok: yes":
                    self.assertEqual(left, right)
                    continue
                where = re.fullmatch(r"ok: no: (?:result \d at )?\((-?\d+),(-?\d+),(-?\d+)\) is .*", answer)
                self.assertTrue(where, answer)
                point = tuple(map(int, where.groups()))
                self.assertNotEqual(left.get(point), right.get(point))
                self.assertEqual(point, min(p for p in left.keys() | right.keys() if left.get(p) != right.get(p)))

    def test_compose(self):
        rng = random.Random(7)
        pairs = list(zip(self.random_maps(8), self.random_maps(9)))
        for (a, b), answer in zip(pairs, batch([f"map compose; {a}; {b}" for a, b in pairs])):
            with self.subTest(a=a, b=b):
                first, second, both = Map(a), Map(b), Map(answer.removeprefix("ok: "))
                for _ in range(200):
                    d0, d1, s_first, s_second = (rng.randint(-5, 9) for _ in range(4))
                    via = first((d0, d1, s_first)) + (s_second,)
                    inside = (d0, d1, s_first) in first and via in second
                    self.assertEqual((d0, d1, s_second, s_first) in both, inside)
                    if inside:
                        self.assertEqual(both((d0, d1, s_second, s_first)), second(via))

    def test_empty_and_image(self):
        maps = self.random_maps(10, constraints=3)
        empty = batch([f"map empty; {m}" for m in maps])
        image = batch([f"map image; {m}" for m in maps])
        for text, is_empty, box in zip(maps, empty, image):
            with self.subTest(text):
                table = Map(text).table()
                if not table:
                    self.assertEqual((is_empty, box), ("ok: yes", "ok: [0, -1], [0, -1]"))
                    continue
                self.assertEqual(is_empty, "ok: no: ({},{},{}) is a point of it".format(*min(table)))
                columns = list(zip(*table.values()))
                self.assertEqual(box, "ok: " + ", ".join(f"[{min(c)}, {max(c)}]" for c in columns))

    def test_count(self):
        maps = self.random_maps(13, constraints=3)
        self.assertEqual(batch([f"map count; {m}" for m in maps]), [f"ok: {len(Map(m).table())}" for m in maps])

    def test_layouts(self):
        """A layout over a shape as a map is the layout, point by point, and the map is the layout again."""
        rng = random.Random(14)
        cases = []
        for _ in range(80):
            extents = [rng.choice([1, 2, 2, 3, 4, 5]) for _ in range(rng.randint(1, 4))]
            strides = ",".join(f"{rng.randint(-9, 20)}@{rng.choice('ab')}" for _ in extents)
            text = "({}):({})".format(",".join(map(str, extents)), strides)
            text += rng.choice(["", " + [2:7@a]", " + 5@a", " + [3:2@b] + -4@b"])
            size = math.prod(extents)
            factors = [f for f in range(1, size + 1) if size % f == 0]
            first = rng.choice(factors)
            cases.append((text, (first, size // first)))
        answers = batch([f"map from-layout; {layout}; ({m},{n}); a,b" for layout, (m, n) in cases])
        back = batch([f"map to-layout; {answer.removeprefix('ok: ')}; a,b" for answer in answers])
        same = batch([f"equal; {layout}; {answer.removeprefix('ok: ')}" for (layout, _), answer in zip(cases, back)])
        for (layout, (m, n)), answer, verdict in zip(cases, answers, same):
            with self.subTest(layout=layout, shape=(m, n)):
                table = Layout(layout).table()
                sets = [set() for _ in table]
                for (i, j, *_), value in Map(answer.removeprefix("ok: ")).table().items():
                    sets[i * n + j].add(value)
                coordinates = [{(p.get("a", 0), p.get("b", 0)) for p in map(dict, points)} for points in table]
                self.assertEqual(sets, coordinates)
                self.assertEqual(verdict, "ok: yes")

    def test_inverse(self):
        rng = random.Random(15)
        maps = []
        for _ in range(150):  # digits of one index, each with a stride of its own, some of them clashing
            extents = [rng.choice([2, 3, 4, 5]) for _ in range(rng.randint(1, 3))]
            digits, step = [], 1
            for n in extents:
                digits.append(f"(d0 floordiv {step}) mod {n}")
                step *= n
            strides, reach = [], 1
            for n in extents:
                strides.append(rng.choice([1, -1]) * (reach + rng.choice([0, 0, 0, 1, -1 if reach > 1 else 0])))
                reach = abs(strides[-1]) * (n - 1) + reach
            rng.shuffle(terms := [f"({d}) * {s}" for d, s in zip(digits, strides)])
            maps.append(f"(d0) -> ({' + '.join(terms)} + {rng.randint(-9, 9)}), domain: d0 in [0, {step - 1}]")
        found = 0
        for text, answer in zip(maps, batch([f"map inverse; {m}" for m in maps])):
            with self.subTest(text):
                table = Map(text).table()
                if len(set(table.values())) < len(table):
                    self.assertRegex(answer, "^error: not_single_valued: ")
                elif not answer.startswith("error: too_hard: "):
                    found += 1
                    self.assertEqual(Map(answer.removeprefix("ok: ")).table(), {value: point for point, value in table.items()})
        self.assertGreater(found, 80)

    def test_launch(self):
        """Every element of the tensor once, and in row-major order as blocks, threads and vectors run."""
        cases = [((4, 64), 32, 2), ((3, 5, 7), 16, 3), ((2, 3), 8, 1), ((7,), 2, 2), ((5, 6), 128, 4)]
        requests = [f"map launch; ({','.join(map(str, shape))}); {threads}; {vector}" for shape, threads, vector in cases]
        for (shape, threads, vector), answer in zip(cases, batch(requests)):
            with self.subTest(shape=shape, threads=threads, vector=vector):
                table = Map(answer.removeprefix("ok: ")).table()
                number = {p: (p[3] * threads + p[0]) * vector + p[6] for p in table}
                want = dict(enumerate(itertools.product(*map(range, shape))))
                self.assertEqual({number[p]: index for p, index in table.items()}, want)
                self.assertEqual(len(table), math.prod(shape))

    def test_coalescing(self):
        rng = random.Random(16)
        cases = []
        for _ in range(60):
            step, block, item = rng.choice([1, 2, 4, 8, 33]), rng.choice([32, 64, 100, 256]), rng.choice([1, 2, 4, 8])
            body = f"bl_x * {block} + th_x * {step} + vector_elem + {rng.choice([0, 0, 3, 4])}"
            limit = rng.choice(["", f", {body} in [0, {rng.randint(60, 500)}]"])
            bounds = f"th_x in [0, {rng.choice([31, 47, 63])}], bl_x in [0, 2], vector_elem in [0, {rng.choice([0, 1, 3])}]"
            cases.append((f"(th_x, bl_x)[vector_elem] -> ({body}), domain: {bounds}{limit}", item))
        answers = batch([f"map coalescing; {m}; {item}" for m, item in cases], "--json")
        for (text, item), answer in zip(cases, map(json.loads, answers)):
            with self.subTest(text, item=item):
                width = answer["width"]
                pieces = {}  # the bytes of each request
                table = Map(text).table()
                for (thread, block, i), (address,) in table.items():
                    request = pieces.setdefault((block, thread // 32, i // width), [])
                    request += range(address * item, (address + 1) * item)
                counted = {
                    "requests": len(pieces),
                    "elements": len(table),
                    "sectors": sum(len({b // 32 for b in bytes_}) for bytes_ in pieces.values()),
                    "lines": sum(len({b // 128 for b in bytes_}) for bytes_ in pieces.values()),
                    "ideal_sectors": sum(-(-len(set(bytes_)) // 32) for bytes_ in pieces.values()),
                }
                self.assertEqual({key: answer[key] for key in counted}, counted)
                self.assertEqual(answer["width"], answer["vector_width"])
                self.assertEqual(answer["vector_width"], max(w for w in (1, 2, 4, 8, 16) if self.is_legal(table, text, w, item)))

    def is_legal(self, table, text, width, item):
        """May `width` elements be moved at once: side by side, aligned, and each group of them whole?"""
        if width * item > 16 or (Map(text).bounds["vector_elem"][1] + 1) % width != 0:
            return False
        groups = {}
        for (thread, block, i), (address,) in table.items():
            groups.setdefault((thread, block, i // width), []).append(address)
        return all(g[0] % width == 0 and g == list(range(g[0], g[0] + width)) for g in groups.values())

    def test_preimage(self):
        maps = self.random_maps(11)
        for text, answer in zip(maps, batch([f"map preimage; {m}; [-3, 2] [0, 9]" for m in maps])):
            with self.subTest(text):
                points = [p for p, (x, y) in Map(text).table().items() if -3 <= x <= 2 and 0 <= y <= 9]
                columns = list(zip(*points)) or [(0,)] * 3
                want = ", ".join(f"[{min(c)}, {max(c)}]" for c in columns) if points else "[0, -1], [0, -1], [0, -1]"
                self.assertEqual(answer, "ok: " + want)

    def test_variables(self):
        maps = self.random_maps(12)
        for text, answer in zip(maps, batch([f"map to-dimensions; {m}" for m in maps])):
            with self.subTest(text):
                moved = Map(answer.removeprefix("ok: "))
                self.assertEqual((moved.names, moved.table()), (["d0", "d1", "d2"], Map(text).table()))


class WhatXlaLeaves(unittest.TestCase):
    def test_the_counts_of_the_page(self):
        """docs/how-to/unsimplified.md says how much simpler XLA's maps become; here they are counted."""
        with open(os.path.join(DATA, "xla_chains.jsonl"), encoding="utf-8") as file:
            maps = [m["map"] for row in map(json.loads, file) for m in row["maps_after"].values()]
        answers = [a.removeprefix("ok: ") for a in batch([f"map simplify; {m}" for m in maps])]
        self.assertEqual(set(batch([f"map equal; {m}; {a}" for m, a in zip(maps, answers)])), {"ok: yes"})
        before, after = [divisions(m) for m in maps], [divisions(a) for a in answers]
        self.assertTrue(all(b >= a for b, a in zip(before, after)))
        counts = [
            len(maps),
            sum(b > 0 for b in before),
            sum(before),
            sum(a < b for b, a in zip(before, after)),
            sum(b > 0 for b in before),
            sum(after),
            sum(a == 0 < b for b, a in zip(before, after)),
        ]
        with open(os.path.join(DATA, "..", "..", "docs", "how-to", "unsimplified.md"), encoding="utf-8") as file:
            page = " ".join(file.read().split())
        said = re.search(
            r"Of these (\d+) maps (\d+) have a division or a remainder, (\d+) in all\. "
            r"`axe map simplify` makes (\d+) of the (\d+) simpler and none less simple; (\d+) divisions and remainders "
            r"are left, and in (\d+) maps none\.",
            page,
        )
        self.assertTrue(said)
        self.assertEqual([int(n) for n in said.groups()], counts)


class Limits(unittest.TestCase):
    def test_long_answers_are_refused(self):
        double = "(d0) -> (d0" + " + d0" * 4000 + "), domain: d0 in [0, 9]"
        (answer,) = batch([f"map compose; {double}; {double}"])
        self.assertRegex(answer, "^error: (capacity|overflow): ")
        many = "(d0) -> (" + " + ".join(f"(d0 mod {i})" for i in range(2, 9000)) + ")"
        self.assertRegex(batch([f"map simplify; {many}"])[0], "^error: capacity: argument 1: the map has [0-9]+ nodes")

    def test_depth(self):
        deep = "(d0) -> (" + "(" * 3000 + "d0" + " floordiv 2) + 1" * 3000 + "), domain: d0 in [0, 9]"
        self.assertTrue(batch([f"map simplify; {deep}"])[0].startswith("ok: "))


if __name__ == "__main__":
    main()
