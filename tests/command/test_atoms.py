# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe atoms` against tests/data/atoms.jsonl: every row is listed, told in full and drawn; names that are not quite right."""

import json
import os
import re
import tempfile
import unittest
import xml.dom.minidom

from axe_command import batch, main, run
from notation import Layout

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "atoms.jsonl")
MMA = "mma.sync.m16n8k16.f32.f16.f16.f32"
MOST_CELLS = 65536


def rows():
    with open(DATA, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def shape_of(row):
    return "(" + ",".join(map(str, row["shape"])) + ")"


def words_of(row):
    return (row["name"], row["arch"], row["operand"], row["dtype"], shape_of(row))


def plain(text):
    """A layout's text without its swizzle."""
    match = re.fullmatch(r"swizzle<.*?>(?:@\w+)?(?:/\d+)?\((.*)\)", text)
    return match[1] if match else text


class List(unittest.TestCase):
    def check(self, listed, wanted):
        """Lists of name, arch, operand, element, shape and layout: each row once, with the layout of the data."""
        self.assertEqual(sorted(line[:5] for line in listed), sorted(words_of(row) for row in wanted))
        layouts = {line[:5]: Layout(plain(line[5])) for line in listed}
        for row in wanted:
            layout = layouts[words_of(row)]
            self.assertEqual([list(it) for it in layout.shard], row["D"], row["name"])
            self.assertEqual([list(it) for it in layout.replica], row["R"], row["name"])

    @staticmethod
    def fields(line):
        return tuple(re.split("  +", line))

    def test_all(self):
        wanted = rows()
        self.assertEqual(len(wanted), 372)
        head, columns, *lines = run("atoms").stdout.rstrip("\n").split("\n")
        self.assertEqual(
            head, "ok: 372 operands of 216 instructions and forms of memory; `axe atoms NAME` tells more of one"
        )
        self.assertEqual(columns.split(), ["name", "arch", "operand", "element", "shape", "layout"])
        self.check([self.fields(line) for line in lines], wanted)
        (line,) = batch(["atoms"])
        self.assertEqual(line.removeprefix("ok: ").split("; "), [" ".join(self.fields(line)) for line in lines])
        record = json.loads(run("atoms", "--json").stdout)
        self.check(
            [
                (a["name"], a["arch"], a["operand"], a["element"], "(" + ",".join(map(str, a["shape"])) + ")", a["layout"])
                for a in record["atoms"]
            ],
            wanted,
        )

    def test_part_of_a_name_or_architecture(self):
        for part in ("wgmma", "gfx942", "K_SW128", "tpu"):
            _, _, *lines = run("atoms", part).stdout.rstrip("\n").split("\n")
            wanted = [row for row in rows() if part in row["name"] or part in row["arch"]]
            self.assertGreater(len(wanted), 2)
            self.check([self.fields(line) for line in lines], wanted)


class One(unittest.TestCase):
    def test_source_evidence_and_note_of_each(self):
        by_name = {}
        for atom in json.loads(run("atoms", "--json").stdout)["atoms"]:
            by_name.setdefault(atom["name"], []).append(atom)
        evidence = {
            (row["name"], row["arch"], row["operand"]): {"executed": "executed", "formula": "documents"}[row["verified"]]
            for row in rows()
        }
        told = {"executed": "by running it, or the vendor's own code", "documents": "from the source alone"}
        for name, atoms in by_name.items():
            page = run("atoms", name).stdout
            with self.subTest(name):
                self.assertTrue(page.startswith(f"ok: {name}, per {atoms[0]['scope']}\narch "), page)
                for atom in atoms:
                    self.assertEqual(atom["evidence"], evidence[name, atom["arch"], atom["operand"]])
                    self.assertIn(f"\nsource  {atom['source']}\n", page)
                    self.assertIn(f"\nknown   {told[atom['evidence']]}", page)
                    self.assertRegex(page, rf"\n{re.escape(atom['arch'])} +{re.escape(atom['operand'])} .*{re.escape(atom['layout'])}\n")
                    if atom["note"]:
                        self.assertIn(f"\nnote    {atom['note']}\n", page)

    def test_misspelled(self):
        missing = "error: unknown_atom: no instruction, form of memory or architecture has "
        for typed, meant in (
            ("mma.sync.m16n8k61.f32.f16.f16.f32", MMA),
            ("mma.sync.m16n8k16.f32.f16.f16.f3", None),  # a part of a name
            ("v_mfma_f32_16x16x61_f16", "v_mfma_f32_16x16x16_f16"),
            ("V_MFMA_F32_16x16x16_f16", "v_mfma_f32_16x16x16_f16"),  # upper and lower case count as one
            ("gfx943", "gfx942"),
            ("wgmna", "wgmma"),
            ("xyzzy", ""),
            ("x" * 5000, ""),
        ):
            with self.subTest(typed):
                done = run("atoms", typed)
                record = json.loads(run("--json", "atoms", typed).stdout)
                if meant is None:
                    self.assertEqual((record["status"], done.returncode), ("ok", 0))
                    continue
                what = f"'{typed}'" if len(typed) <= 40 else f"a field of {len(typed)} characters"
                hint = f"; did you mean {meant}?" if meant else ""
                self.assertEqual((done.stdout, done.returncode), (f"{missing}{what} in its name{hint}\n", 2))
                self.assertEqual(record.get("suggestion", ""), meant)
                self.assertEqual(record["code"], "unknown_atom")


class Drawing(unittest.TestCase):
    def test_each(self):
        atoms = {}
        for row in rows():
            atoms.setdefault(row["name"], []).append(row)
        with tempfile.TemporaryDirectory() as folder:
            paths = {name: os.path.join(folder, f"{i}.svg") for i, name in enumerate(atoms)}
            answers = batch([f"atoms; {name}; --draw; {path}" for name, path in paths.items()])
            notes = {}
            for atom in json.loads(run("atoms", "--json").stdout)["atoms"]:
                notes.setdefault(atom["name"], set()).add(atom["note"])
            parts = 0
            for (name, path), answer in zip(paths.items(), answers):
                with self.subTest(name):
                    self.assertEqual(answer, f"ok: {path}")
                    with open(path, encoding="utf-8") as file:
                        text = file.read()
                    document = xml.dom.minidom.parseString(text)
                    self.assertEqual(document.documentElement.tagName, "svg")
                    shown = "".join(
                        child.data for node in document.getElementsByTagName("text") for child in node.childNodes if child.nodeType == 3
                    )
                    for row in atoms[name]:
                        title = f"{row['operand']} {row['dtype']} {shape_of(row)}"
                        self.assertIn(title, shown)
                        large = row["shape"][0] * row["shape"][1] > MOST_CELLS
                        self.assertEqual(f"{title}, of it [0:" in shown, large)
                        parts += large
                    words = " ".join(shown.split())
                    for note in notes[name] - {""}:  # lines are broken between words
                        self.assertIn(f": {note}".replace(" ", ""), words.replace(" ", ""))
            self.assertEqual(parts, 3)
            self.assertEqual(len(os.listdir(folder)), len(paths))

    def test_part_of_a_large_one(self):
        """What there is no room for is drawn from its first elements on."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "psum.svg")
            self.assertEqual(run("atoms", "psum.full", "--draw", path).stdout, f"ok: {path}\n")
            with open(path, encoding="utf-8") as file:
                self.assertIn("mem f32 (128,4096), of it [0:128, 0:512]  (128,8,512):(1@P,1@Bank,1@F)", file.read())

    def test_cells(self):
        """Small panels carry a tooltip for each element: those of B are its places in the data."""
        row = next(row for row in rows() if row["name"] == MMA and row["operand"] == "B")
        table = [dict(next(iter(points))) for points in Layout(plain(self.layout(row))).table()]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "b.svg")
            done = run("--json", "atoms", MMA, "--draw", path)
            record = json.loads(done.stdout)
            self.assertEqual((record["path"], record["bytes"]), (path, os.path.getsize(path)))
            with open(path, encoding="utf-8") as file:
                tips = re.findall(r"<title>\((\d+),(\d+)\): \{lane:(\d+), reg:(\d+)\}</title>", file.read())
        self.assertEqual(len(tips), 16 * 16 + 16 * 8 + 16 * 8)
        of_b = [tuple(map(int, tip)) for tip in tips[256:384]]
        self.assertEqual(
            sorted(of_b),
            sorted((x // 8, x % 8, place.get("lane", 0), place.get("reg", 0)) for x, place in enumerate(table)),
        )

    @staticmethod
    def layout(row):
        shard = row["D"]
        return f"({','.join(str(n) for n, _, _ in shard)}):({','.join(f'{s}@{a}' for _, s, a in shard)})"

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "kept.svg")
            with open(kept, "w", encoding="ascii") as file:
                file.write("before")
            for words, answer in (
                (["mma.sync", "--draw", "a.svg"], "unknown_atom: several have 'mma.sync' in their names; --draw takes one"),
                (["--draw", "a.svg"], "bad_argument: argument 1: expected the name of an instruction or a form of memory"),
                ([MMA, "--draw", "a.png"], "bad_argument: argument 3: expected the name of a file that ends in .svg"),
                ([MMA, "--draw", "a\n.svg"], "bad_argument: argument 3: expected the name of a file in one line"),
                ([MMA, "--draw"], "bad_argument: argument 2: expected --draw FILE.svg, and no more"),
                ([MMA, "--drw", "a.svg"], "bad_argument: argument 2: expected --draw FILE.svg, and no more"),
                ([MMA, "--draw", "a.svg", "b.svg"], "bad_argument: argument 2: expected --draw FILE.svg, and no more"),
                ([MMA, "--draw", "no/a.svg"], "cannot_write: no/a.svg cannot be written: No such file or directory"),
                (["mma.sync", "--draw", "kept.svg"], "unknown_atom: several have 'mma.sync' in their names; --draw takes one"),
            ):
                with self.subTest(words):
                    done = run("atoms", *words, cwd=folder)
                    self.assertEqual((done.stdout, done.returncode), (f"error: {answer}\n", 2))
            self.assertEqual(os.listdir(folder), ["kept.svg"])
            with open(kept, encoding="ascii") as file:
                self.assertEqual(file.read(), "before")


if __name__ == "__main__":
    main()
