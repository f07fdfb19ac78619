# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe tma`: the copies of its answer, done element by element by the definition of a copy, put each element where the shared layout says; what
the settings change; and what is said where no copy does it."""

import itertools
import json
import random
import unittest

from axe_command import batch, main, run

TILE = ["tma", "f16", "(8192,4096):(4096,1)", "(8192,4096)", "[128:256, 64:128]", "swizzle<3,4,3>/2((128,64):(64,1))"]
WIDTHS = {"u8": 1, "f16": 2, "f32": 4, "f64": 8, "u16": 2, "u32": 4, "u64": 8}
SWIZZLES = {"none": (0, 0, 0), "32B": (1, 4, 3), "64B": (2, 4, 3), "128B": (3, 4, 3)}


def swizzled(bits, base, shift, byte):
    return byte ^ ((byte >> (base + shift) & ((1 << bits) - 1)) << base)


def at(extents_and_strides, index):
    place = 0
    for extent, stride in reversed(extents_and_strides):
        place += index % extent * stride
        index //= extent
    return place


def done(record, width):
    """Shared byte of each element: its global byte."""
    a_map, moves = record["map"], {}
    wide = WIDTHS[a_map["type"]]
    strides = [wide] + a_map["strides"]
    for copy in record["copies"]:
        for dense, i in enumerate(itertools.product(*[range(n) for n in reversed(a_map["box"])])):
            place = a_map["offset"] + sum((c + k) * s for c, k, s in zip(copy["coords"], reversed(i), strides))
            for byte in range(0, wide, width):
                shared = swizzled(*SWIZZLES[a_map["swizzle"]], copy["shared"] + dense * wide + byte)
                assert shared not in moves
                moves[shared] = place + byte
    return moves


class Tma(unittest.TestCase):
    def test_copies_do_what_the_layouts_say(self):
        rand = random.Random(21)
        requests, wanted = [], []
        for _ in range(300):
            kind = rand.choice(["u8", "f16", "f32", "f64"])
            width = WIDTHS[kind]
            rows, cols = rand.choice([1, 2, 4, 6]), rand.choice([1, 2, 4, 8]) * 16 // width
            pitch = cols * rand.choice([1, 2, 3]) + rand.choice([0, 0, 16 // width])
            row, col = rand.randrange(3), rand.randrange(pitch - cols + 1)
            cut = rand.choice([n for n in range(1, cols + 1) if cols % n == 0])
            inner = [(cols // cut, rows * cut), (rows, cut), (cut, 1)] if rand.random() < 0.5 else [(cols // cut, cut), (rows, cols), (cut, 1)]
            shared = [inner[1], inner[0], inner[2]]
            swizzle = rand.choice(list(SWIZZLES.values()))
            layout = f"({','.join(str(n) for n, _ in shared)}):({','.join(str(s) for _, s in shared)})"
            requests.append(
                f"tma; {kind}; ({rows + 3},{pitch}):({pitch},1); ({rows + 3},{pitch}); [{row}:{row + rows}, {col}:{col + cols}]; "
                f"swizzle<{','.join(map(str, swizzle))}>/{width}({layout})"
            )
            wanted.append(
                {
                    swizzled(*swizzle, at(shared, r * cols + c) * width): ((row + r) * pitch + col + c) * width
                    for r in range(rows)
                    for c in range(cols)
                }
            )
        planned = 0
        for request, want, line in zip(requests, wanted, batch(requests, "--json")):
            record = json.loads(line)
            with self.subTest(request):
                self.assertIn(record["status"], ("ok", "none", "error"))
                if record["status"] == "ok":
                    planned += 1
                    self.assertEqual(done(record, WIDTHS[request.split("; ")[1]]), want)
                    self.assertEqual(record["bytes"], len(want) * WIDTHS[request.split("; ")[1]])
        self.assertGreater(planned, 50)

    def test_settings(self):
        self.assertIn(" promotion 256B fill nan\n", run(*TILE, "l2=256B", "fill=nan").stdout)
        outside = TILE[:4] + ["[-1:127, 64:128]"] + TILE[5:]
        self.assertIn("(64,-1) at byte 0", run(*outside).stdout)
        store = run(*outside, "use=store")
        self.assertEqual(
            (store.stdout, store.returncode),
            ("error: out_of_domain: coordinate 1 of a TMA store is -1; those of stores are at least 0\n", 2),
        )
        atoms = TILE[:5] + ["swizzle<2,5,2>/2((128,64):(64,1))"]
        self.assertIn("swizzle 128B_atom_32B", run(*atoms, "arch=sm100").stdout)
        self.assertEqual(
            run(*atoms).stdout, "error: bad_argument: this swizzle of 128 bytes is of sm100 and later, got sm90\n"
        )
        line = ["tma", "f64", "(3,6):(9,1)", "(3,6)", "[0:1, 2:6]", "(1,4):(4,1)"]
        self.assertEqual(run(*line).returncode, 0)
        self.assertEqual(
            run(*line, "strict").stdout,
            "error: bad_argument: the stride of dimension 1 of a tensor map is 72 bytes; it must be a multiple of 16\n",
        )

    def test_many_copies(self):
        rows = TILE[:5] + ["(128,64):(128,1)"]
        page = run(*rows).stdout
        self.assertIn("\n128 copies, 16384 bytes in all; shared memory aligned to 128\n", page)
        self.assertIn("\nand 112 more\n", page)
        self.assertEqual(len(json.loads(run("--json", *rows).stdout)["copies"]), 128)

    def test_errors(self):
        for words, answer in [
            (
                TILE[:5] + ["(128,64):(1,128)"],
                "none: elements that are adjacent in shared memory are 4096 apart in global memory; they must be adjacent",
            ),
            (
                ["tma", "b1", *TILE[2:]],
                "error: bad_argument: argument 1: a tensor map has no type for elements of 1 bit; pack them as bytes",
            ),
            (
                [*TILE, "use=move"],
                "error: bad_argument: argument 6: expected use=load|store|reduce, arch=NUMBER, fill=zero|nan, l2=none|64B|128B|256B or strict",
            ),
        ]:
            with self.subTest(answer):
                self.assertEqual(run(*words).stdout, answer + "\n")


if __name__ == "__main__":
    main()
