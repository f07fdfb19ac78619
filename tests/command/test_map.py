# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indexing maps in the command: as the issue words it, and what is answered against maps evaluated here, point by point."""

import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import tempfile
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


WINDOW = "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 99], s0 in [0, 2], d0 + s0 in [1, 100]"  # of three, in 100
ROWS = "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]"  # 12 elements in rows of 4


class CountedByHand(unittest.TestCase):
    """Answers that follow from what the words mean."""

    def test_parts(self):
        """At either end of the array one of the three neighbors is missing."""
        parts = [
            "(d0)[s0] -> (s0 - 1), domain: d0 in [0, 0], s0 in [1, 2]",
            "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [1, 98], s0 in [0, 2]",
            "(d0)[s0] -> (s0 + 98), domain: d0 in [99, 99], s0 in [0, 1]",
        ]
        for variable in ("d0", "0", " d0 "):
            self.assertEqual(batch([f"map peel; {WINDOW}; {variable}"]), ["ok: " + "; ".join(parts)])
            self.assertEqual(run("map", "peel", WINDOW, variable).stdout, "ok: " + "\n".join(parts) + "\n")
        (line,) = batch([f"map peel; {WINDOW}; d0"], "--json")
        maps = json.loads(line)["maps"]
        self.assertEqual([m["text"] for m in maps], parts)
        self.assertEqual(maps[0]["dimensions"], [{"name": "d0", "low": 0, "high": 0}])
        self.assertEqual((maps[1]["results"], maps[1]["constraints"]), (["d0 + s0 - 1"], []))
        nothing = "map peel; (d0) -> (d0), domain: d0 in [1, 0]; d0"
        self.assertEqual(batch([nothing]), ["ok: no part: the domain is empty"])
        self.assertEqual(json.loads(batch([nothing], "--json")[0])["maps"], [])

    def test_different_maps(self):
        same = ["(d0) -> (d0 mod 8), domain: d0 in [0, 7]", "(d0) -> (d0 * 3 - d0 * 2), domain: d0 in [0, 7]"]
        other = "(d0) -> (d0), domain: d0 in [0, 8]"
        simple = "(d0) -> (d0), domain: d0 in [0, 7]"
        self.assertEqual(batch(["map deduplicate; " + "; ".join([same[0], other, same[1], other])]), [f"ok: {simple}; {other}"])
        self.assertEqual(run("map", "deduplicate", *same, other).stdout, f"ok: {simple}\n{other}\n")
        (line,) = batch(["map deduplicate; " + same[1]], "--json")
        self.assertEqual([m["text"] for m in json.loads(line)["maps"]], [simple])

    def test_counts(self):
        requests = [
            "map count-image; (d0, d1) -> (d0 + d1), domain: d0 in [0, 999999], d1 in [0, 999999]",
            "map count-image; (d0) -> (d0 mod 12, d0 mod 18), domain: d0 in [0, 1000000]",  # repeats after 36
            "map count-image; (d0) -> (d0), domain: d0 in [1, 0]",
            # 4 of 2 bytes are 8; 8 of them are not a vector, since vector_elem has 4 values
            "map vector-width; (th_x)[vector_elem] -> (th_x * 4 + vector_elem), domain: th_x in [0, 31], vector_elem in [0, 3]; 2",
            "map vector-width; (th_x)[vector_elem] -> (th_x * 2 + vector_elem), domain: th_x in [0, 31], vector_elem in [0, 3]; 2",
            "map vector-width; (th_x) -> (th_x), domain: th_x in [0, 31]; 4",
        ]
        self.assertEqual(batch(requests), ["ok: 1999999", "ok: 36", "ok: 0", "ok: 4", "ok: 2", "ok: 1"])
        self.assertEqual([json.loads(a)["value"] for a in batch(requests, "--json")], [1999999, 36, 0, 4, 2, 1])

    def test_tiles(self):
        """Of 12 elements in rows of 4: three within a row, two whole rows, a column, and six that are not a box."""
        tiles = {"(5,3,1)": "1, 1 + [0, 3)", "(4,8,1)": "1 + [0, 2), [0, 4)", "(2,3,4)": "[0, 3), 2"}
        self.assertEqual(batch([f"map tile-at; {ROWS}; {t}" for t in tiles]), ["ok: " + rows for rows in tiles.values()])
        (line,) = batch([f"map tile-at; {ROWS}; (4,8,1)"], "--json")
        bare = [{k: row[k] for k in ("offset", "size", "stride")} for row in json.loads(line)["rows"]]
        self.assertEqual(bare, [{"offset": 1, "size": 2, "stride": 1}, {"offset": 0, "size": 4, "stride": 1}])
        self.assertRegex(batch([f"map tile-at; {ROWS}; (3,6,1)"])[0], "^error: out_of_domain: no case of the tile holds")
        # The tile begins before the domain, and ends in it.
        late = "(d0) -> (d0 * 2), domain: d0 in [3, 9]"
        self.assertEqual(batch([f"map tile-at; {late}; (0,6,1); 20"]), ["ok: [0, 6) * 2 in [6, 18]"])
        self.assertEqual(json.loads(batch([f"map tile-at; {late}; (0,6,1); 20"], "--json")[0])["rows"][0]["low"], 6)
        done = run("map", "tile", ROWS)
        lines = done.stdout.rstrip("\n").split("\n")
        self.assertEqual(batch([f"map tile; {ROWS}"]), ["; ".join(lines)])
        self.assertEqual(len(lines), len(json.loads(batch([f"map tile; {ROWS}"], "--json")[0])["cases"]))

    def test_tiles_of_grids(self):
        """Pieces of a row of 4, or whole rows; any size of an array that is copied."""
        rows = ["(o0 floordiv 4, o0 mod 4 + [0, z0)) if z0 divides 4"]
        rows.append("(o0 floordiv 4 + [0, z0 floordiv 4) in [0, 2], [0, 4)) if z0 mod 4 = 0")
        self.assertEqual(run("map", "tile-grid", ROWS).stdout, "ok: " + "\n".join(rows) + "\n")
        copy = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 9]"
        self.assertEqual(
            batch([f"map tile-grid; {ROWS}", f"map tile-grid; {copy}"]),
            ["ok: " + "; ".join(rows), "ok: (o0 + [0, z0) in [0, 3], o1 + [0, z1) in [0, 9])"],
        )
        cases = json.loads(batch([f"map tile-grid; {ROWS}"], "--json")[0])["cases"]
        self.assertEqual([(c["divides"], c["conditions"]) for c in cases], [([4], []), ([0], cases[1]["conditions"])])
        self.assertEqual([(q["expression"], q["low"], q["high"]) for q in cases[1]["conditions"]], [("z0 mod 4", 0, 0)])
        self.assertRegex(batch(["map tile-grid; (d0) -> (d0), domain: d0 in [0, 3]; (3,4)"])[0], "^error: rank_mismatch: ")

    def test_tiles_of_many_variables(self):
        """What is beyond the steps of a search is said to be."""
        names = [f"d{i}" for i in range(10)]
        many = f"({', '.join(names)}) -> ({' + '.join(f'{d} * {i}' for i, d in enumerate(names))}), domain: "
        many += ", ".join(f"{d} in [0, {i}]" for i, d in enumerate(names))
        for op in ("tile", "tile-grid"):
            self.assertTrue(batch([f"map {op}; {many}"])[0].endswith("; and perhaps more: not all ways were looked at"))
            self.assertTrue(json.loads(batch([f"map {op}; {many}"], "--json")[0])["cut_short"])

    def test_tiles_that_are_refused(self):
        for tile, words in (
            ("(5,3)", "rank_mismatch: a tile of this map has 3 numbers, (o0,z0,t0); here are 2"),
            ("(5,13,1)", "out_of_domain: z0 is 13, and may be in [1, 12]"),
            ("(12,1,1)", "out_of_domain: o0 is 12, and may be in [0, 11]"),
            ("(0,1,0)", "out_of_domain: t0 is 0, and may be in [1, 12]"),
        ):
            self.assertEqual(batch([f"map tile-at; {ROWS}; {tile}"]), ["error: " + words])
        self.assertRegex(batch([f"map tile; {ROWS}; (3,4)"])[0], "^error: rank_mismatch: the map has 1 dimension to tile")

    def test_code(self):
        map_ = "(d0, d1) -> (d0 * 16 + d1 mod 8, d1 floordiv 8), domain: d0 in [0, 9], d1 in [-4, 63]"
        body = ["r[0] = d0 * 16 + (d1 & 7);", "r[1] = (d1 >> 3);"]  # both round down for negative numbers
        checks = ["if (d0 < 0 || d0 > 9) return false;", "if (d1 < -4 || d1 > 63) return false;"]
        plain = ["static inline void f(int d0, int d1, int* r)", "{", *body, "}"]
        checked = ["static inline bool map(int d0, int d1, int* r)", "{", *checks, *body, "return true;", "}"]
        for lines, settings in ((checked, []), (plain, ["name=f", "checks=no"]), (plain, ["checks = no", " name = f "])):
            self.assertEqual(batch(["; ".join(["map emit-c", map_, *settings])]), ["ok: " + " ".join(lines)])
            answer = run("map", "emit-c", map_, *settings).stdout
            self.assertEqual([line.strip() for line in answer.removeprefix("ok: ").split("\n")[:-1]], lines)
            (line,) = batch(["; ".join(["map emit-c", map_, *settings])], "--json")
            self.assertEqual(json.loads(line)["text"], answer.removeprefix("ok: "))

    def test_loops(self):
        request = f"map emit-loops; 100; {WINDOW}; 100; name=most; type=int; initial=-1; combine=acc < x0 ? x0 : acc; peel=no"
        lines = [
            "static inline void most(const int* a0, int* r)",
            "{",
            "for (long long i = 0; i < 100; ++i) r[i] = -1;",
            "{",
            "for (int d0 = 0; d0 <= 99; ++d0) {",
            "int acc = -1;",
            "for (int s0 = 0; s0 <= 2; ++s0) {",
            "const int t0 = d0 + s0;",
            "if (t0 < 1 || t0 > 100) continue;",
            "const int x0 = a0[t0 - 1];",
            "acc = acc < x0 ? x0 : acc;",
            "}",
            "r[d0] = acc;",
            "}",
            "}",
            "}",
        ]
        self.assertEqual(batch([request]), ["ok: " + " ".join(lines)])
        product = "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 3], s0 in [0, 2]"
        other = "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 1], d1 in [0, 3], s0 in [0, 2]"
        (code,) = batch([f"map emit-loops; (2,4); {product}; (2,3); {other}; (3,4)"])
        self.assertIn("void kernel(const float* a0, const float* a1, float* r)", code)
        self.assertIn("acc = acc + x0 * x1;", code)


class Misread(unittest.TestCase):
    # ^ stands before the character that is named
    TEXTS = [
        ("(d0) -> (^d1), domain: d0 in [0, 7]", "bad_argument", "the map has no variable of the name at character {}"),
        ("(d0) -> (d0 mod ^0), domain: d0 in [0, 7]", "bad_argument", "the divisor at character {} is 0"),
        ("(d0) -> (min(d0, ^)), domain: d0 in [0, 7]", "bad_syntax", "expected a number, a variable, '-' or '(' at character {}"),
        ("(d0, ^d0) -> (d0)", "bad_argument", "the variable at character {} is already named"),
        ("(d0) -> (d0), domain: d0 in [3^", "bad_syntax", "expected ',' after the least value at character {}"),
        ("(d0) -> (d0), d0 in [0, 1], ^d0 in [0, 1]", "bad_argument", "the variable at character {} already has an interval"),
        ("(d0)[^s0] -> (d0), domain: d0 in [0, 1]", "bad_argument", "the variable at character {} has no interval in the domain"),
        ("(d0) -> (^9223372036854775808)", "overflow", "the number at character {} overflows"),
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


    def test_arguments_of_operations(self):
        """What is read by an operation itself has its place and its caret, too."""
        whole = [WINDOW, "100"]
        for words, argument, text, at, code, sentence in (
            (["peel", WINDOW, "d1"], 2, "d1", 0, "bad_argument", "the map has no variable of the name at character 0"),
            (["peel", WINDOW, "2"], 2, "2", None, "bad_argument", "there is no variable 2: the map has 2, counted from 0"),
            (["peel", WINDOW, "-1"], 2, "-1", None, "bad_argument", "there is no variable -1: the map has 2, counted from 0"),
            (["peel", WINDOW, "9223372036854775808"], 2, "9223372036854775808", 0, "overflow", "the number at character 0 overflows"),
            (["peel", WINDOW, "1e3"], 2, "1e3", 1, "bad_syntax", "expected the end of the text at character 1"),
            (["peel", WINDOW, ""], 2, "", 0, "bad_argument", "the map has no variable of the name at character 0"),
            (["peel", "(d0", "0"], 1, "(d0", 3, "bad_syntax", "expected ',' or ')' after the dimension at character 3"),
            (["tile-at", ROWS, "(1,"], 2, "(1,", 3, "bad_syntax", "expected a number at character 3"),
            (["emit-c", WINDOW, "name=9"], 2, "9", 0, "bad_syntax", "expected the name of a function at character 0"),
            (["emit-c", WINDOW, "name=f", "checks=1"], 3, "1", 0, "bad_syntax", "expected yes or no at character 0"),
            (["emit-loops", "100", *whole, "type="], 4, "", 0, "bad_syntax", "expected C++ at character 0"),
            (["emit-loops", "x", *whole], 1, "x", 0, "bad_syntax", "expected an extent at character 0"),
            (["emit-loops", "100", "(d0", "100"], 2, "(d0", 3, "bad_syntax", "expected ',' or ')' after the dimension"),
            (["emit-loops", "100", *whole, WINDOW, "(10"], 5, "(10", 3, "bad_syntax", "expected ',' or ')' at character 3"),
            (["emit-loops", "100", *whole, "peel=no", "(d0"], 5, "(d0", 3, "bad_syntax", "expected ',' or ')' after the dimension"),
        ):
            with self.subTest(words):
                done = run("map", *words)
                self.assertTrue(done.stdout.startswith(f"error: {code}: argument {argument}: {sentence}"), done.stdout)
                self.assertEqual(done.returncode, 2)
                caret = [] if at is None else [" " * at + "^"]
                self.assertEqual(done.stderr.split("\n")[: 1 + len(caret)], [text, *caret])
                (answer,) = batch(["; ".join(["map", *words])], "--json")
                self.assertEqual([json.loads(answer)[k] for k in ("code", "argument")], [code, argument])

    def test_settings(self):
        for words, said in (
            (["emit-c", WINDOW, "nam=f"], "bad_argument: argument 2: there is no setting 'nam'; did you mean name?"),
            (["emit-c", WINDOW, "peel=no"], "bad_argument: argument 2: there is no setting 'peel'"),
            (["emit-loops", "100", WINDOW, "100", "pel=no"], "bad_argument: argument 4: there is no setting 'pel'; did you mean peel?"),
            (["emit-loops", "100", WINDOW, "100", WINDOW], "wrong_arguments: the map of operand 1 has no shape after it"),
            (["emit-loops", "100", WINDOW], "wrong_arguments: map emit-loops takes 3 or more arguments"),
            (["peel", WINDOW], "wrong_arguments: map peel takes 2 arguments, M VARIABLE; here is 1"),
            (["deduplicate"], "wrong_arguments: map deduplicate takes 1 or more arguments"),
            (["emit-c", "(d0) -> (d0 * 9223372036854775807), domain: d0 in [0, 9]"], "overflow: a value of the map may overflow 64 bits"),
        ):
            with self.subTest(words):
                done = run("map", *words)
                self.assertTrue(done.stdout.startswith("error: " + said), done.stdout)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(batch(["; ".join(["map", *words])])[0].startswith("error: " + said))

    def test_undecided(self):
        words = ["tile", "(d0, d1) -> (d0 * d1), domain: d0 in [0, 9], d1 in [0, 9]"]
        done = run("map", *words)
        self.assertTrue(done.stdout.startswith("undecided: "), done.stdout)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        (answer,) = batch(["; ".join(["map", *words])], "--json")
        self.assertEqual([json.loads(answer)[k] for k in ("status", "code")], ["undecided", "too_hard"])


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
                elif not answer.startswith("undecided: "):
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

    def test_count_image(self):
        maps = self.random_maps(17, constraints=2)
        counts = [f"ok: {len(set(Map(m).table().values()))}" for m in maps]
        self.assertEqual(batch([f"map count-image; {m}" for m in maps]), counts)

    def test_peel(self):
        """The parts are disjoint, together they are the domain, and each is the map there."""
        rng = random.Random(18)
        maps = self.random_maps(19, 60, constraints=3)
        for _ in range(60):
            a, b, c = (rng.choice([-3, -2, -1, 1, 2, 3]) for _ in range(3))
            low = rng.randint(-5, 5)
            bounds = f"d0 in [-3, 9], d1 in [0, 5], s0 in [-1, 2], d0 * {a} + d1 * {b} + s0 * {c} in [{low}, {low + rng.randint(10, 40)}]"
            maps.append(f"(d0, d1)[s0] -> (d0 floordiv 2, d1 - s0), domain: {bounds}")
        answers = batch([f"map peel; {m}; {v}" for m in maps for v in ("d0", "d1", "s0")], "--json")
        split = 0
        for i, answer in enumerate(map(json.loads, answers)):
            with self.subTest(maps[i // 3], variable=i % 3):
                parts = [Map(part["text"]).table() for part in answer["maps"]]
                whole = Map(maps[i // 3]).table()
                self.assertEqual(sum(map(len, parts)), len(whole))
                self.assertEqual({point: value for part in parts for point, value in part.items()}, whole)
                split += len(parts) > 1
        self.assertGreater(split, 20)

    def test_tiles(self):
        """Where the conditions of a case hold, its rows are the elements that the tile needs."""
        maps = [
            "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]",
            "(d0) -> (d0 * -2 + 30), domain: d0 in [2, 13]",
            "(d0) -> ((d0 - 1) floordiv 3), domain: d0 in [1, 13], (d0 - 1) mod 3 in [0, 0]",
            "(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 6], s0 in [0, 2], d0 * 2 + s0 in [1, 13]",
            "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]",
            "(d0, d1) -> (d1, d0 floordiv 2), domain: d0 in [0, 5], d1 in [0, 3]",
            "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 3]",
        ]
        rng = random.Random(20)
        symbolic = [json.loads(a) for a in batch([f"map tile; {m}" for m in maps], "--json")]
        requests, wanted = [], []
        for text, tile in zip(maps, symbolic):
            names = [p["name"] for p in tile["parameters"]]
            of = Map(text)
            dims = sum(n.startswith("o") for n in names)
            for _ in range(150):
                at = {p["name"]: rng.randint(p["low"], p["high"]) for p in tile["parameters"]}
                fixed = [
                    {at[f"o{d}"] + at[f"t{d}"] * k for k in range(at[f"z{d}"])} if d < dims else {at[n]} if n in at else None
                    for d, n in enumerate(of.names)
                ]
                needed = {r for p, r in of.table().items() if all(f is None or x in f for x, f in zip(p, fixed))}
                value = lambda e: eval(re.sub("floordiv", "//", e).replace("mod", "%"), {}, at)
                holds = [c for c in tile["cases"] if all(q["low"] <= value(q["expression"]) <= q["high"] for q in c["conditions"])]
                for case in holds:
                    with self.subTest(text, at=at, case=case):
                        self.assertEqual(self.box([{k: value(e) for k, e in row.items()} for row in case["rows"]]), needed)
                requests.append(f"map tile-at; {text}; ({','.join(str(at[n]) for n in names)})")
                wanted.append(needed if holds else None)
        found = 0
        for request, needed, answer in zip(requests, wanted, map(json.loads, batch(requests, "--json"))):
            with self.subTest(request):
                if needed is None:
                    self.assertEqual(answer["code"], "out_of_domain")
                    continue
                found += 1
                self.assertEqual(self.box(answer["rows"]), needed)
        self.assertGreater(found, len(requests) // 2)

    @staticmethod
    def box(rows):
        """The product of the rows, each without what its clip leaves out."""
        spans = [[r["offset"] + r["stride"] * k for k in range(r["size"])] for r in rows]
        clips = [(r.get("low", -math.inf), r.get("high", math.inf)) for r in rows]
        return set(itertools.product(*([x for x in s if lo <= x <= hi] for s, (lo, hi) in zip(spans, clips))))

    def test_deduplicate(self):
        maps = self.random_maps(21, 40)
        (answer,) = batch(["map deduplicate; " + "; ".join(maps + maps[::-1])], "--json")
        simple = batch([f"map simplify; {m}" for m in maps])
        kept = [m["text"] for m in json.loads(answer)["maps"]]
        self.assertEqual(["ok: " + text for text in kept], list(dict.fromkeys(simple)))

    def test_code(self):
        """Compiled and run: functions at all points of a larger box, and loops, as they stand in one line and as they are read."""
        compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++", "clang++-19"))), None)
        if compiler is None:
            self.skipTest("there is no compiler of C++")
        maps = self.random_maps(22, 40)
        lines = [a.removeprefix("ok: ") for a in batch([f"map emit-c; {m}; name=f{i}" for i, m in enumerate(maps)])]
        windows = [(w, s, n) for w in (2, 3) for s in (1, 2) for n in (7, 12)]
        maps_of = lambda w, s, n: f"(d0)[s0] -> (d0 * {s} + s0 - 1), domain: d0 in [0, 4], s0 in [0, {w - 1}], d0 * {s} + s0 in [1, {n}]"
        requests = [f"map emit-loops; 5; {maps_of(*c)}; {c[2]}; name=g{i}; type=int" for i, c in enumerate(windows)]
        loops = [json.loads(a)["text"] for a in batch(requests, "--json")]
        program = ["#include <cstdio>", *lines, *loops, "int main() {", "long long wide[2]; int r[5], a[12];"]
        for i, line in enumerate(lines):
            kind = "int" if "int* r" in line and "long long* r" not in line else "long long"
            program.append(f"for (int x = -6; x < 12; ++x) for (int y = -6; y < 12; ++y) for (int z = -6; z < 12; ++z) {{ {kind} v[2];")
            program.append(f'if (f{i}(x, y, z, v)) std::printf("%d %d %d %lld %lld;", x, y, z, (long long)v[0], (long long)v[1]); }}')
            program.append("std::puts(\"\");")
        program.append("(void)wide; for (int i = 0; i < 12; ++i) a[i] = 1 << i;")
        for i in range(len(windows)):
            program.append(f'g{i}(a, r); for (int x : r) std::printf("%d ", x); std::puts("");')
        program.append("}")
        with tempfile.TemporaryDirectory() as folder:
            source, binary = os.path.join(folder, "code.cpp"), os.path.join(folder, "code")
            with open(source, "w", encoding="ascii") as file:
                file.write("\n".join(program))
            subprocess.run([compiler, "-std=c++20", "-Wall", "-Werror", source, "-o", binary], check=True, timeout=120)
            printed = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=60).stdout.split("\n")
        for text, line in zip(maps, printed):
            with self.subTest(text):
                numbers = [tuple(map(int, entry.split())) for entry in line.split(";")[:-1]]
                self.assertEqual({n[:3]: n[3:] for n in numbers}, Map(text).table())
        for (w, s, n), line in zip(windows, printed[len(maps) :]):
            with self.subTest(window=w, step=s, elements=n):
                sums = [sum(1 << (d * s + k - 1) for k in range(w) if 0 <= d * s + k - 1 < n) for d in range(5)]
                self.assertEqual(list(map(int, line.split())), sums)

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
            r"`axe map simplify` simplifies (\d+) of the (\d+) and makes none more complex; (\d+) divisions and remainders "
            r"remain, and (\d+) maps have none\.",
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

        few = "(d0) -> (" + ", ".join(f"d0 mod {i}" for i in range(2, 2000)) + "), domain: d0 in [0, 9999999]"
        for request in (f"map emit-c; {few}; name=" + "f" * 600_000, f"map emit-loops; 9; (d0) -> (d0); 9; combine={'x0 + ' * 199_999}acc"):
            self.assertRegex(batch([request])[0][:80], "^error: capacity: the code has [0-9]+ characters")

    def test_code_in_one_line(self):
        """Spaces of any kind in what is typed do not leave the line."""
        done = run("map", "emit-loops", "9", "(d0) -> (d0), domain: d0 in [0, 8]", "9", "combine=acc +\n\t x0", "--json")
        self.assertIn("acc = acc + x0; r[d0] = acc; }", json.loads(done.stdout)["answer"])
        self.assertIn("acc = acc + x0;\n", json.loads(done.stdout)["text"])

    def test_depth(self):
        deep = "(d0) -> (" + "(" * 3000 + "d0" + " floordiv 2) + 1" * 3000 + "), domain: d0 in [0, 9]"
        requests = [f"map {op}; {deep}" for op in ("simplify", "count-image", "deduplicate", "tile", "emit-c")]
        requests += [f"map peel; {deep}; d0", f"map emit-loops; 10; {deep}; 3001"]
        self.assertTrue(all(answer.startswith("ok: ") for answer in batch(requests)))
        unclosed = batch([request.replace(")" , "", 1) for request in requests])
        self.assertTrue(all(re.match("error: bad_syntax: argument [12]: expected", answer) for answer in unclosed))


if __name__ == "__main__":
    main()
