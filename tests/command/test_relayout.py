# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe relayout`: files in another layout, against plain Python; what is wrong is said in one sentence, and nothing half is left."""

import array
import itertools
import json
import math
import os
import pty
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from axe_command import AXE, main, run
from notation import Layout


def npy(descr, shape, data, fortran=False, start=None):
    """The bytes of a .npy file; `descr` is a string or the list of a record. `start`: where the data begins, any number."""
    header = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
    header += b" " * (start - len(header) - 11 if start else -(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def parse(data):
    """Header and data of a .npy file of version 1."""
    (length,) = struct.unpack("<H", data[8:10])
    return eval(data[10 : 10 + length]), data[10 + length :]  # pylint: disable=eval-used


def places(text, shape, padded=None, pitches=None):
    """Where a layout without swizzle has the elements of a shape, row-major: for each a list, of one address or of all copies'."""
    layout = Layout(text)
    table = layout.table()
    strides = [math.prod((padded or shape)[d + 1 :]) for d in range(len(shape))]
    out = []
    for c in itertools.product(*map(range, shape)):
        points = table[sum(i * s for i, s in zip(c, strides))]
        out.append(sorted(sum(v * (pitches or {}).get(a, 1) for a, v in point) for point in points))
    return out


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.source, self.target = self.path("in.npy"), self.path("out.npy")

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, data, name="in.npy"):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def get(self, name="out.npy"):
        with open(self.path(name), "rb") as file:
            return file.read()

    def copied(self, *options):
        """Header and data of the output."""
        done = run("relayout", self.source, self.target, *options)
        self.assertEqual((done.stderr, done.returncode), ("", 0), options)
        self.assertTrue(done.stdout.startswith(f"ok: {self.target}: ("), done.stdout)
        self.assertEqual(sorted(set(os.listdir(self.folder)) - {"in.npy", "out.npy"}), [])
        return parse(self.get())


class Uses(Case):
    """The three of the how-to, each computed here by its definition."""

    def test_nchw_to_nchw16c(self):
        n, c, h, w = 2, 20, 3, 5  # 12 channels of padding
        self.put(npy("<f4", (n, c, h, w), array.array("f", range(n * c * h * w)).tobytes()))
        header, data = self.copied(
            *("--to", "(2,2,16,3,5):(480,240,1,80,16)", "--to-shape", "(2,32,3,5)", "--padding", "-1", "--out-shape", "(2,2,3,5,16)")
        )
        expected = [-1.0] * (n * 32 * h * w)
        for i, (a, b, y, x) in enumerate(itertools.product(range(n), range(c), range(h), range(w))):
            expected[(((a * 2 + b // 16) * h + y) * w + x) * 16 + b % 16] = float(i)
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (2, 2, 3, 5, 16)})
        self.assertEqual(list(array.array("f", data)), expected)
        # And back.
        shutil.copy(self.target, self.path("blocked.npy"))
        done = run(
            "relayout",
            self.path("blocked.npy"),
            self.path("back.npy"),
            *("--shape", "(2,20,3,5)", "--from", "(2,2,16,3,5):(480,240,1,80,16)", "--from-shape", "(2,32,3,5)"),
        )
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertEqual(parse(self.get("back.npy")), parse(self.get("in.npy")))

    def test_sticks(self):
        rows, columns = 6, 192
        for descr, width in (("<f2", 2), ("<f4", 4)):
            stick = 128 // width
            data = bytes(random.Random(1).randbytes(rows * columns * width))
            self.put(npy(descr, (rows, columns), data))
            header, out = self.copied("--to", f"({rows},{columns // stick},{stick}):({stick},{rows * stick},1)")
            expected = b"".join(
                data[(r * columns + s * stick) * width :][:128] for s in range(columns // stick) for r in range(rows)
            )
            self.assertEqual((header["descr"], header["shape"], out), (descr, (rows * columns,), expected))

    def test_vnni_pairs(self):
        k, n = 6, 8
        values = [i / 3 for i in range(k * n)]
        self.put(npy("<f4", (k, n), array.array("f", values).tobytes()))
        header, data = self.copied("--to", "(3,2,8):(16,1,2)", "--as", "bf16", "--out-shape", "(3,8,2)")
        expected = [0] * (k * n)
        for i, (row, column) in enumerate(itertools.product(range(k), range(n))):
            (bits,) = struct.unpack("<I", struct.pack("<f", values[i]))
            expected[row // 2 * 2 * n + 2 * column + row % 2] = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        self.assertEqual(header, {"descr": "<V2", "fortran_order": False, "shape": (3, 8, 2)})
        self.assertEqual(list(array.array("H", data)), expected)


class Layouts(Case):
    def moved(self, data, width, sources, targets, size, padding=None):
        """The copy by its definition; `sources` and `targets` as `places` makes them."""
        out = bytearray(size * width)
        if padding:
            for addresses in padding[1]:
                for a in addresses:
                    out[a * width : (a + 1) * width] = padding[0]
        for source, target in zip(sources, targets):
            for a in target:
                out[a * width : (a + 1) * width] = data[source[0] * width : (source[0] + 1) * width]
        return bytes(out)

    def test_every_width(self):
        """Types that axe does not compute with are bits; records, and widths that no instruction moves, too."""
        shape = (3, 5, 4)
        record = [("a", "<f4"), ("b", "|u1", (2, 3)), (("title", "c"), [("x", "<i2"), ("", "|V1")])]
        for descr, width in (
            *(("|u1", 1), ("|b1", 1), ("<f2", 2), ("<i2", 2), (">u2", 2), ("<f4", 4), ("<u4", 4), (">f4", 4), ("<f8", 8)),
            *(("<i8", 8), ("<u8", 8), ("<c8", 8), ("<c16", 16), ("<M8[ns]", 8), ("|V12", 12), ("<U5", 20), ("|S7", 7), ("|V3", 3)),
            *((record, 13), ([("re", ">f4"), ("im", ">f4")], 8), ([("a", "<f8"), ("b", "<f8"), ("c", "<f8")], 24)),
        ):
            for start in (None, 129, 134, 136):  # old writers align the data to 16 bytes, others not at all
                if start and len(repr(descr)) > 60:
                    start += 64
                with self.subTest(descr=descr, start=start):
                    data = random.Random(2).randbytes(60 * width)
                    self.put(npy(descr, shape, data, start=start))
                    header, out = self.copied("--to", "(3,5,4):(1,3,15) + [2:100] + 2@m")
                    self.assertEqual(header, {"descr": descr, "fortran_order": False, "shape": (162,)})
                    self.assertEqual(out, self.moved(data, width, [[i] for i in range(60)], places("(3,5,4):(1,3,15) + [2:100] + 2@m", shape), 162))

    def test_orders(self):
        """A file in Fortran order is read as what it means; with --from, as what it is."""
        shape = (3, 5, 4)
        data = random.Random(3).randbytes(240)
        fortran = places("(3,5,4):(1,3,15)", shape)
        rows = [[i] for i in range(60)]
        self.put(npy("<f4", shape, data, fortran=True))
        header, out = self.copied()
        self.assertEqual((header["shape"], header["fortran_order"]), (shape, False))
        self.assertEqual(out, self.moved(data, 4, fortran, rows, 60))
        header, out = self.copied("--shape", "(15,4)")  # as NumPy's reshape
        self.assertEqual((header["shape"], out), ((15, 4), self.moved(data, 4, fortran, rows, 60)))
        self.assertEqual(self.copied("--from", "60:1"), ({"descr": "<f4", "fortran_order": False, "shape": shape}, data))

    def test_random_layouts(self):
        r = random.Random(4)
        for _ in range(60):
            shape = tuple(r.randint(1, 6) for _ in range(r.randint(1, 4)))
            padded = tuple(n + r.choice((0, 0, 1, 3)) for n in shape)
            width = r.choice((1, 2, 4, 8, 16))

            def layout(of):
                order, strides, at = r.sample(range(len(of)), len(of)), [0] * len(of), r.randint(1, 2)
                for d in order:
                    strides[d], at = at, at * of[d] + r.randint(0, 2)
                numbers = lambda x: "(" + ",".join(map(str, x)) + ")"
                return f"{numbers(of)}:{numbers(strides)} + {r.randint(0, 3)}@m"

            source, target = layout(shape), layout(padded)
            sources, targets = places(source, shape), places(target, shape, padded)
            everywhere = places(target, padded)
            held, size = max(max(s) for s in sources) + 1, max(max(t) for t in everywhere) + 1
            data, fill = r.randbytes(held * width), r.choice((0, 1, 7))
            self.put(npy(f"|V{width}", (held,), data))
            options = ["--shape", str(shape).replace(",)", ")"), "--to-shape", str(padded).replace(",)", ")"), "--padding", hex(fill)]
            with self.subTest(source=source, target=target, shape=shape, width=width):
                header, out = self.copied("--from", source, "--to", target, *options, "--threads", str(r.randint(1, 3)))
                expected = self.moved(data, width, sources, targets, size, (fill.to_bytes(width, "little"), everywhere))
                self.assertEqual((math.prod(header["shape"]), out), (size, expected))

    def test_grouped_swizzled_pitched(self):
        data = array.array("H", range(512)).tobytes()
        self.put(npy("<u2", (8, 64), data))
        swizzled = [[(2 * i ^ (2 * i >> 7 & 7) << 4) // 2] for i in range(512)]  # swizzle<3,4,3> of bytes
        _, out = self.copied("--to", "swizzle<3,4,3>/2((8,64):(64,1))")
        self.assertEqual(out, self.moved(data, 2, [[i] for i in range(512)], swizzled, 512))
        self.put(npy("<u2", (8, 64), out))
        self.assertEqual(self.copied("--from", "swizzle<3,4,3>/2(512:1)")[1], data)
        self.put(npy("<u2", (8, 64), data, start=129))  # in bytes, swizzled as before
        self.assertEqual(self.copied("--to", "swizzle<3,4,3>/2((8,64):(64,1))")[1], out)
        self.put(npy("<u2", (8, 64), data))
        self.assertEqual(self.copied("--to", "(8|4,16):(1|128,8)")[1], self.copied("--to", "(8,4,16):(1,128,8)")[1])
        _, out = self.copied("--to", "(8,64):(1@P,1@F)", "--pitch", "P=70", "--pitch", "F=1")
        self.assertEqual(out, self.moved(data, 2, [[i] for i in range(512)], places("(8,64):(1@P,1@F)", (8, 64), None, {"P": 70}), 554))
        self.put(npy("|V6", (8, 64), data * 3))  # a width in parts: pitches and swizzles are still of elements
        _, out = self.copied("--to", "(8,64):(1@P,1@F)", "--pitch", "P=70", "--pitch=F=1")
        self.assertEqual(out, self.moved(data * 3, 6, [[i] for i in range(512)], places("(8,64):(1@P,1@F)", (8, 64), None, {"P": 70}), 554))

    def test_parts_and_threads(self):
        """Large enough for many parts; the same bytes for any number of threads."""
        rows, columns = 1500, 2003
        data = array.array("I", (i * 2654435761 % 2**32 for i in range(rows * columns)))
        self.put(npy("<u4", (rows, columns), data.tobytes()))
        expected = b"".join(data[c::columns].tobytes() for c in range(columns))
        for threads in ("1", "2", "5"):
            header, out = self.copied("--to", f"({rows},{columns}):(1,{rows})", "--threads", threads)
            self.assertEqual(header["shape"], (rows * columns,))
            self.assertTrue(out == expected, f"{threads} threads")

    def test_the_shape_of_the_output(self):
        self.put(npy("<f4", (4, 6), bytes(96)))
        for options, shape in (
            ([], (4, 6)),
            (["--to", "24:1"], (4, 6)),
            (["--to", "(4,6):(6,1)"], (4, 6)),
            (["--shape", "24"], (24,)),
            (["--to", "(4,6):(1,4)"], (24,)),
            (["--to", "(4,6):(8,1)"], (30,)),
            (["--to-shape", "(4,8)"], (4, 8)),
            (["--to", "(4,6):(8,1)", "--out-shape", "(4,8)"], (4, 8)),
            (["--to", "24:1", "--out-shape", "(2,12)"], (2, 12)),
            (["--to", "24:1 + 3@m"], (27,)),
        ):
            with self.subTest(options):
                header, out = self.copied(*options)
                self.assertEqual((header["shape"], len(out)), (shape, 4 * math.prod(shape)))
        self.put(npy("<f4", (), struct.pack("<f", 2.5)))
        self.assertEqual(self.copied(), ({"descr": "<f4", "fortran_order": False, "shape": ()}, struct.pack("<f", 2.5)))


class Values(Case):
    def test_conversion(self):
        values = [0.0, -1.5, 2.75, 65504.0, 1e-7, 3.14159]
        self.put(npy("<f8", (2, 3), struct.pack("<6d", *values)))
        header, data = self.copied("--as", "f16", "--to", "(2,3):(1,2)")
        self.assertEqual((header["descr"], data), ("<f2", struct.pack("<6e", *(values[i] for i in (0, 3, 1, 4, 2, 5)))))
        header, data = self.copied("--as", "i8", "--scale", "2")
        self.assertEqual((header["descr"], list(array.array("b", data))), ("|i1", [0, -3, 6, 127, 0, 6]))
        header, data = self.copied("--scale=-0.5")
        self.assertEqual((header["descr"], data), ("<f8", struct.pack("<6d", *(-0.5 * v for v in values))))
        self.put(npy("|V2", (3,), struct.pack("<3H", 0x3F80, 0xC020, 0x4049)))
        header, data = self.copied("--of", "bf16", "--as", "f32")
        self.assertEqual((header["descr"], data), ("<f4", struct.pack("<3f", 1.0, -2.5, 3.140625)))

    def test_padding(self):
        for descr, code, options, value in (
            ("<f4", "f", ["--padding", "-inf"], -math.inf),
            ("<f4", "f", ["--padding", "0x3f800000"], 1.0),
            ("<f4", "f", [], 0.0),
            ("<i2", "h", ["--padding", "-2"], -2),
            ("<u8", "Q", ["--padding", str(2**64 - 1)], 2**64 - 1),
            ("<i8", "q", ["--padding", "-3"], -3),
            ("|i1", "b", ["--padding", "-128"], -128),
        ):
            with self.subTest(descr, options=options):
                width = struct.calcsize(code)
                self.put(npy(descr, (2, 2), struct.pack(f"<4{code}", 1, 2, 3, 4)))
                header, data = self.copied("--to-shape", "(2,3)", *options)
                self.assertEqual(header["shape"], (2, 3))
                self.assertEqual(data, struct.pack(f"<6{code}", 1, 2, value, 3, 4, value), width)
        self.put(npy(">f4", (2, 2), struct.pack(">4f", 1, 2, 3, 4)))
        self.assertEqual(self.copied("--to-shape", "(2,3)", "--padding", "0.5")[1], struct.pack(">6f", 1, 2, 0.5, 3, 4, 0.5))
        self.put(npy("<f4", (2, 2), struct.pack("<4f", 1, 2, 3, 4)))
        header, data = self.copied("--to-shape", "(2,3)", "--padding", "9", "--as", "i32")
        self.assertEqual((header["descr"], data), ("<i4", struct.pack("<6i", 1, 2, 9, 3, 4, 9)))

    def test_accumulate(self):
        self.put(npy("<f4", (2, 3), struct.pack("<6f", *range(6))))
        self.put(npy("<f4", (7,), struct.pack("<7f", *[10] * 7)), "out.npy")
        os.chmod(self.target, 0o640)
        header, data = self.copied("--accumulate", "--scale", "2", "--to", "(2,3):(1,2) + 1@m")
        self.assertEqual((header["shape"], data), ((7,), struct.pack("<7f", 10, 10, 16, 12, 18, 14, 20)))
        self.assertEqual(os.stat(self.target).st_mode & 0o777, 0o640)
        self.put(npy("<f2", (2, 3), struct.pack("<6e", *[1] * 6)), "out.npy")  # in the output's type
        header, data = self.copied("--accumulate")
        self.assertEqual((header["descr"], data), ("<f2", struct.pack("<6e", *range(1, 7))))
        self.put(npy("|V2", (6,), struct.pack("<6H", *[0x3F80] * 6)), "out.npy")
        header, data = self.copied("--accumulate", "--as", "bf16")
        self.assertEqual(data, struct.pack("<6H", 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0))


class Answers(Case):
    def test_answers(self):
        self.put(npy("<f4", (4, 6), bytes(96)))
        done = run("relayout", "in.npy", "out.npy", "--to", "(4,6):(1,4)", cwd=self.folder)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("ok: out.npy: (24) of <f4, 96 bytes\n", "", 0))
        done = run("relayout", "in.npy", "out.npy", "--quiet", cwd=self.folder)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))
        told = json.loads(run("--json", "relayout", "in.npy", "out.npy", "--as", "f16", cwd=self.folder).stdout)
        self.assertEqual(
            (told["status"], told["path"], told["shape"], told["descr"], told["bytes"], told["elements"]),
            ("ok", "out.npy", [4, 6], "<f2", 48, 24),
        )

    def test_plan(self):
        self.put(npy("<f4", (64, 64), bytes(4 * 4096)))
        for files in ([self.source], [self.source, self.target]):
            done = run("relayout", *files, "--to", "(64,64):(1,64)", "--plan")
            self.assertEqual((done.stderr, done.returncode), ("", 0))
            self.assertRegex(
                done.stdout, r"\Aok: 4096 elements, 16384 bytes of <f4 to 16384 of <f4\n64 × 64 transposed in .*\n\w+ instructions.*\n\Z"
            )
        self.assertIn("transposed", json.loads(run("--json", "relayout", self.source, "--to", "(64,64):(1,64)", "--plan").stdout)["plan"])
        self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def test_help(self):
        page = run("help", "relayout").stdout
        self.assertEqual(run("relayout", "--help").stdout, page)
        for option in "from to shape from-shape to-shape padding pitch out-shape as of scale accumulate threads plan quiet".split():
            self.assertRegex(page, rf"\n  --{option} ")
        self.assertIn("\n  relayout IN OUT ...", run("help").stdout)
        for shell in ("bash", "zsh"):
            self.assertIn("--to-shape", run("completion", shell).stdout)

    def test_a_link_is_followed(self):
        self.put(npy("<f4", (4,), bytes(16)))
        self.put(b"old", "real.npy")
        os.symlink("real.npy", self.target)
        done = run("relayout", self.source, self.target)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertTrue(os.path.islink(self.target))
        self.assertEqual(parse(self.get("real.npy")), parse(self.get("in.npy")))


class Misuse(Case):
    def setUp(self):
        super().setUp()
        self.put(npy("<f4", (4, 6), bytes(96)))
        self.put(b"kept", "out.npy")

    def refused(self, words, *arguments, lines=1, **options):
        """One sentence (or a few lines), status 2, and the folder as it was."""
        before = {name: self.get(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        done = run("relayout", *arguments, **options)
        self.assertEqual((done.stdout, done.returncode), ("", 2), done.stderr)
        self.assertRegex(done.stderr, rf"\Aaxe: ([^\n]*\n){{{lines}}}\Z")
        self.assertIn(words, done.stderr)
        after = {name: self.get(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        self.assertEqual(after, before)

    def test_words(self):
        files = [self.source, self.target]
        for arguments, words, lines in (
            ([], "relayout takes two .npy files, IN and OUT; here are none", 3),
            ([self.source], "relayout takes two .npy files, IN and OUT; here is one", 3),
            (["--plan"], "here are none", 3),
            ([*files, "x"], "relayout takes two files, IN and OUT; there is 'x' besides", 1),
            ([*files, "--form", "24:1"], "relayout has no option '--form'; did you mean --from?", 1),
            ([*files, "--thread=1"], "no option '--thread'; did you mean --threads?", 1),
            ([*files, "--to"], "--to takes LAYOUT after it", 1),
            ([*files, "--quiet=1"], "--quiet takes no value", 1),
            ([*files, "--threads", "0"], "--threads takes a number from 1 to 1024, not '0'", 1),
            ([*files, "--scale", "two"], "--scale takes a number, not 'two'", 1),
            ([*files, "--scale", "nan"], "--scale takes a number, not 'nan'", 1),
            ([*files, "--as", "float16"], "did you mean f16?", 1),
            ([*files, "--pitch", "P"], "--pitch takes AXIS=N", 1),
            ([*files, "--pitch", "P=1", "--pitch", "P=2"], "--pitch gives the axis 'P' twice", 1),
            ([*files, "--to", "(4,6):(6,1"], "--to cannot be read\n(4,6):(6,1\n          ^\nexpected ',' or ')'", 4),
            ([*files, "--from", "(4|6):(6,1)"], "--from cannot be read\n(4|6):(6,1)\n       ^\n2 groups of extents", 4),
            ([*files, "--shape", "(4;6)"], "--shape cannot be read\n(4;6)\n  ^\n", 4),
            ([*files, "--to", "(4,5):(5,1)"], "--to: the layout has 20 elements, its shape 24", 1),
            ([*files, "--shape", "(4,5)"], "in.npy has 24 elements, --shape 20; say --from which of them are meant", 1),
            ([*files, "--from-shape", "(4,5)"], "in.npy has 24 elements, --from-shape 20", 1),
            ([*files, "--shape", "(5,6)", "--from", "(5,6):(6,1)"], "--from reaches byte 119, ", 1),
            ([*files, "--shape", "(5,6)", "--from", "(5,6):(6,1)"], "in.npy has 96 bytes of data", 1),
            ([*files, "--from", "24:-1"], "--from reaches byte -92, before the data of ", 1),
            ([*files, "--to", "24:1 + -1@m"], "--to reaches byte -4, before the output", 1),
            ([*files, "--to", "(4,6):(1,1)"], "axe: --to: the output's element 1 is written twice, by the tensor's elements 1 and 6\n", 1),
            (
                [*files, "--to", "(4,8):(7,1)", "--to-shape", "(4,8)"],
                "--to: the output's element 7 is written twice, by the padding at (0,7) and the tensor's element 6",
                1,
            ),
            (
                [*files, "--to", "(8,7):(7,0)", "--to-shape", "(8,7)"],
                "--to: the output's element 0 is written twice, by the tensor's elements 0 and 1",
                1,
            ),
            ([*files, "--pitch", "Q=3"], "--pitch: neither --from nor --to has the axis Q", 1),
            ([*files, "--padding", "1"], "--padding is what --to-shape has beyond the tensor's shape, and it is not given", 1),
            ([*files, "--to-shape", "(4,5)"], "--to: dimension 1 of its shape is 5, that of the tensor 6: it does not fit", 1),
            ([*files, "--to-shape", "(4,6,1)"], "--to: its shape has 3 dimensions, the tensor 2", 1),
            ([*files, "--from", "(8,6):(6,1)"], "--from: the layout has 48 elements, its shape 24", 1),
            ([*files, "--as", "bf16", "--to", "swizzle<3,4,3>/4(24:1)"], "elements of 4 bytes, those here have 2: write swizzle<...>/2(...)", 1),
            ([*files, "--from", "swizzle<3,4,3>/2(24:1)"], "--from: the swizzle counts elements of 2 bytes, those here have 4", 1),
            ([*files, "--to", "(4,6):(1@P,1@F)"], "--to: the layout has the axes ", 1),
            ([*files, "--to", "(4,6):(1@P,1@F)", "--pitch", "P=6"], "axis F has no pitch", 1),
            ([*files, "--to", "swizzle<1,2,3>(24:1)"], "--to: the swizzle counts elements of 1 byte, those here have 4: write swizzle<...>/4(...)", 1),
            ([*files, "--out-shape", "(4,5)"], "--out-shape has 20 elements, --to reaches 24", 1),
            ([*files, "--padding", "x"], "--padding: 'x' is not a value of f32", 1),
            ([*files, "--of", "bf16"], "--of bf16 has elements of 2 bytes, ", 1),
            ([*files, "--accumulate"], "out.npy is not a .npy file", 1),
            ([self.source, self.path("no.npy"), "--accumulate"], "no.npy cannot be opened: No such file or directory", 1),
        ):
            with self.subTest(arguments[2:]):
                self.refused(words, *arguments, lines=lines)

    def test_files(self):
        self.put(b"hello, world", "text.npy")
        self.put(b"", "empty.npy")
        self.put(npy("<f4", (4, 6), bytes(95)), "short.npy")
        self.put(npy("<f4", (4, 6), bytes(97)), "long.npy")
        self.put(npy("|O", (2,), bytes(16)), "objects.npy")
        self.put(npy("<i8", (4, 6), bytes(192)), "i8.npy")
        self.put(npy(">f4", (4, 6), bytes(96)), "big.npy")
        self.put(npy("<f4", (0, 6), b""), "none.npy")
        self.put(npy([("a", "|O")], (2,), bytes(16)), "record.npy")
        self.put(npy("|V3", (2,), bytes(6)), "three.npy")
        self.put(npy([("a", "<f4"), ("b", "<i2")], (4,), bytes(24)), "fields.npy")
        self.put(npy("<f4", (4, 6), bytes(96), start=129), "askew.npy")
        os.symlink("in.npy", self.path("link.npy"))
        os.mkfifo(self.path("pipe"))
        os.mkdir(self.path("folder"))
        for source, target, options, words in (
            ("no.npy", "out.npy", [], "no.npy cannot be opened: No such file or directory"),
            ("text.npy", "out.npy", [], "text.npy is not a .npy file: it starts with 68 65 6c"),
            ("empty.npy", "out.npy", [], "empty.npy is empty"),
            ("short.npy", "out.npy", [], "24 elements of 4 bytes take 96 bytes after the 128 of the header, not 95"),
            ("long.npy", "out.npy", [], "not 97"),
            ("none.npy", "out.npy", [], "dimension 0 of the shape is 0"),
            ("objects.npy", "out.npy", [], "objects.npy has Python objects"),
            ("fields.npy", "out.npy", ["--as", "f32"], "fields.npy has records of 6 bytes, with which nothing is computed; --as takes"),
            ("fields.npy", "out.npy", ["--to", "(2,2):(1,1)"], "--to: the output's element 1 is written twice, by the tensor's elements 1 and 2"),
            ("fields.npy", "out.npy", ["--to", "(2,2):(1,0)", "--to-shape", "4"], "element 0 is written twice, by the tensor's elements 0 and 1"),
            ("fields.npy", "out.npy", ["--to", "5:1"], "--to: the layout has 5 elements, its shape 4"),
            ("askew.npy", "out.npy", ["--to", "(4,6):(6,0)"], "the output's element 0 is written twice, by the tensor's elements 0 and 1"),
            ("i8.npy", "out.npy", ["--to-shape", "(4,7)", "--padding", "1.5"], "--padding: '1.5' is not a value of <i8"),
            ("three.npy", "out.npy", ["--to-shape", "3", "--padding", "x"], "--padding: 'x' is not a value of |V3"),
            ("record.npy", "out.npy", [], "the fields of its records are not understood"),
            ("i8.npy", "out.npy", ["--as", "f32"], "elements of the type <i8, with which nothing is computed; --as takes f8, "),
            ("big.npy", "out.npy", ["--scale", "2"], "elements of the type >f4, in the other byte order"),
            ("askew.npy", "out.npy", ["--as", "f16"], "begins at byte 129, within an element of 4 bytes"),
            ("three.npy", "out.npy", ["--to-shape", "3", "--padding", "1"], "are padded with 0 only"),
            ("folder", "out.npy", [], "folder is a folder, not a file"),
            ("pipe", "out.npy", [], "pipe is not a plain file"),
            ("in.npy", "in.npy", [], "is the same file as "),
            ("in.npy", "link.npy", [], "is the same file as "),
            ("in.npy", "folder", [], "folder is a folder, not a file"),
            ("in.npy", "pipe", [], "pipe is not a plain file"),
            ("in.npy", "/dev/full", [], "/dev/full is not a plain file"),
            ("in.npy", "nowhere/out.npy", [], "out.npy cannot be written: there is no folder "),
            ("in.npy", "i8.npy", ["--accumulate"], "elements of the type <i8, to which no f32 can be added"),
        ):
            with self.subTest(source=source, target=target, options=options):
                self.refused(words, self.path(source), os.path.join(self.folder, target), *options)

    def test_a_limit_of_size(self):
        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.refused(
            "out.npy cannot be written: File too large; it takes 7352 bytes", self.source, self.target, "--to", "(4,6):(600,1)", preexec_fn=little_room
        )

    def test_a_full_disk(self):
        """A file system of 64 KiB, where one can be mounted: by root, in a name space of its own."""
        self.put(npy("<f4", (256, 256), bytes(2**18)))
        script = f'mount -t tmpfs -o size=64k none "{self.path("disk")}" || exit 77\n' + (
            f'"{AXE}" relayout "{self.source}" "{self.path("disk/out.npy")}"; echo "status $?"; ls -A "{self.path("disk")}"'
        )
        os.mkdir(self.path("disk"))
        if not shutil.which("unshare"):
            self.skipTest("there is no unshare")
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60)
        if "status" not in done.stdout:
            self.skipTest("nothing can be mounted here")
        self.assertEqual(done.stdout, "status 2\n")
        self.assertRegex(done.stderr, r"\Aaxe: .*/disk/out\.npy cannot be written: No space left on device; it takes 262272 bytes\n\Z")

    def test_a_folder_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.refused("out.npy cannot be written: Permission denied", self.source, self.target)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_standard_output_is_full(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([AXE, "relayout", self.source, self.target], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write the answer", done.stderr)


def write_large(path, megabytes):
    """A matrix of f4, 4096 in a row, each element its own number (modulo 2^32)."""
    rows = megabytes * 2**20 // (4 * 4096)
    with open(path, "wb") as file:
        file.write(npy("<u4", (rows, 4096), b""))
        for row in range(0, rows, 64):
            file.write(array.array("I", range(row * 4096, (row + min(64, rows - row)) * 4096)).tobytes())
    return rows


def is_transposed(path, rows, some):
    """Are some of the columns, now rows, what they should be?"""
    with open(path, "rb") as file:
        head = file.read(128)
        assert head[:6] == b"\x93NUMPY"
        for column in some:
            file.seek(128 + 4 * column * rows)
            got = array.array("I", file.read(4 * rows))
            if got != array.array("I", range(column, rows * 4096, 4096)):
                return False
    return True


class Large(Case):
    MEGABYTES = 256
    LIMITED = 64  # megabytes of the files that meet a limit of all memory, which is slow

    def start(self, *options, **others):
        self.rows = write_large(self.source, self.MEGABYTES)
        return subprocess.Popen(
            [AXE, "relayout", self.source, self.target, "--to", f"({self.rows},4096):(1,{self.rows})", *options], **others
        )

    def test_larger_than_memory(self):
        """Memory that no file backs is less than a quarter of the file: the kernel allows no more of it (RLIMIT_DATA; pages of mapped
        files do not count, those the kernel takes back when it likes), and RssAnon, looked at every few milliseconds, never was."""
        quarter = self.MEGABYTES * 2**20 // 4

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (quarter, quarter))

        if run("--version", preexec_fn=limit).returncode != 0:
            self.skipTest("the program does not start with so little memory (sanitizers)")
        process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        most = 0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                    found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
            except OSError:
                break
            most = max(most, int(found[1]) * 1024 if found else 0)
            time.sleep(0.005)
        out, error = process.communicate(timeout=300)
        self.assertEqual((process.returncode, error), (0, b""), out)
        self.assertTrue(is_transposed(self.target, self.rows, (0, 1, 63, 64, 2048, 4095)))
        self.assertGreater(most, 0)
        self.assertLess(most, quarter)

    def limited_group(self, limit):
        """A control group whose members may have so many bytes in memory, pages of files too; and what tells of it: the file of those
        that are in, and a function: how often was the limit met? Of version 2, or of version 1."""
        name = f"axe-relayout-{os.getpid()}"
        for root, maximum, met in (
            ("/sys/fs/cgroup", "memory.max", lambda group: re.search(r"(?m)^max (\d+)", self.told(group, "memory.events"))[1]),
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", lambda group: self.told(group, "memory.failcnt")),
        ):
            group = os.path.join(root, name)
            try:
                os.mkdir(group)
            except OSError:
                continue
            if os.path.exists(os.path.join(group, maximum)):
                self.addCleanup(os.rmdir, group)
                with open(os.path.join(group, maximum), "w", encoding="ascii") as file:
                    file.write(str(limit))
                return os.path.join(group, "cgroup.procs"), lambda group=group, met=met: int(met(group))
            try:
                os.rmdir(group)
            except OSError:
                pass
        return self.skipTest("no control group with a limit of memory can be made here")

    @staticmethod
    def told(*path):
        with open(os.path.join(*path), encoding="ascii") as file:
            return file.read()

    @staticmethod
    def at_rest():
        """What the program has in memory before it does anything, in bytes."""
        with subprocess.Popen([AXE, "--version"], stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_maxrss * 1024

    def run_limited(self, *options):
        """In a group that may have a quarter of the large file in memory, and what the sanitizers take where they are; the kernel must
        have met that limit. Nothing of the input is in memory before, where it would count as this test's."""
        quarter = self.LIMITED * 2**20 // 4
        rest = self.at_rest()
        members, times_met = self.limited_group(quarter if rest < quarter // 2 else quarter + rest)
        with open(self.source, "rb+") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

        def enter():
            with open(members, "w", encoding="ascii") as file:
                file.write(str(os.getpid()))

        done = run("relayout", self.source, self.target, *options, preexec_fn=enter)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertGreater(times_met(), 0)

    def test_under_a_limit_of_all_memory(self):
        """The same where its pages of files count, too: the input four times as large as the memory, and the output. Into sticks of 128
        bytes, each column of which is a run in the output."""
        rows = write_large(self.source, self.LIMITED)
        self.run_limited("--to", f"({rows},128,32):(32,{32 * rows},1)")
        data = array.array("I", self.get())[32:]
        for stick in range(128):
            expected = itertools.chain(*(range(row * 4096 + stick * 32, row * 4096 + stick * 32 + 32) for row in range(rows)))
            self.assertTrue(data[stick * 32 * rows :][: 32 * rows] == array.array("I", expected), f"stick {stick}")

    def test_an_output_larger_than_memory(self):
        """An input of 1 MiB, written as often as makes the output four times as large as the memory."""
        data = random.Random(5).randbytes(2**20)
        self.put(npy("<u4", (64, 4096), data))
        self.run_limited("--to", f"(64,4096):(4096,1) + [{self.LIMITED}:{64 * 4096}]", "--threads", "2")
        self.assertEqual(os.path.getsize(self.target), 128 + self.LIMITED * 2**20)
        with open(self.target, "rb") as file:
            self.assertEqual(file.read(128)[:6], b"\x93NUMPY")
            for copy in range(self.LIMITED):
                self.assertTrue(file.read(2**20) == data, f"copy {copy}")

    def test_ctrl_c_and_the_bar(self):
        """Once with the bar on a terminal, which must go, and once without; what was there stays."""
        self.put(b"kept", "out.npy")
        for on_a_terminal in (True, False):
            with self.subTest(on_a_terminal=on_a_terminal):
                terminal, side = pty.openpty()
                # One element after the other, each address computed: slow enough to be met.
                options = ["--to", "swizzle<3,4,3>/4((%d,4096):(1,%d))" % ((self.MEGABYTES * 64,) * 2)]
                process = self.start(*options, stdout=subprocess.PIPE, stderr=side if on_a_terminal else subprocess.PIPE)
                os.close(side)
                said = b""
                while on_a_terminal and b"%" not in said:
                    said += os.read(terminal, 1000)
                while not on_a_terminal and not os.path.exists(self.target + ".part0"):
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                printed = process.stdout.read()
                status = process.wait(timeout=300)
                process.stdout.close()
                if on_a_terminal:
                    while b"written" not in said:
                        said += os.read(terminal, 1000)
                    self.assertRegex(said, rb"relayout \[[#.]{30}\] +\d+ %")
                else:
                    said = process.stderr.read()
                    process.stderr.close()
                    self.assertEqual(said, b"axe: relayout was interrupted; nothing is written\n")
                os.close(terminal)
                self.assertIn(b"axe: relayout was interrupted; nothing is written", said)
                self.assertEqual((printed, status), (b"", 130))
                self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "out.npy"])
                self.assertEqual(self.get("out.npy"), b"kept")

    def test_other_ends(self):
        """A signal to end takes the part file with it; so does an input that is cut short while it is read."""
        options = ["--to", "swizzle<3,4,3>/4((%d,4096):(1,%d))" % ((self.MEGABYTES * 64,) * 2)]
        for cut in (False, True):
            process = self.start(*options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not os.path.exists(self.target + ".part0"):
                time.sleep(0.001)
            if cut:
                os.truncate(self.source, 5000)
            else:
                process.send_signal(signal.SIGTERM)
            out, error = process.communicate(timeout=300)
            expected = (2, b"axe: a file was cut short, or its disk failed, while it was copied; nothing is written\n")
            self.assertEqual((process.returncode, error), expected if cut else (-signal.SIGTERM, b""))
            self.assertEqual((out, os.listdir(self.folder)), (b"", ["in.npy"]))


if __name__ == "__main__":
    main()
