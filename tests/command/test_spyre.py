# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on Spyre in the command: as the issue and upstream's document word them, the rows of data/spyre.jsonl, and answers against
each other, element by element."""

import itertools
import json
import math
import os
import random
import unittest

from axe_command import batch, main, run
from notation import Layout

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "spyre.jsonl")
with open(DATA, encoding="utf-8") as file:
    ROWS = [json.loads(line) for line in file]


def rows(*kinds):
    return [row for row in ROWS if row["kind"] in kinds]


def text(numbers):
    return "(" + ",".join(map(str, numbers)) + ")"


def layout_text(row):
    sizes, strides = (",".join(map(str, row[key])) for key in ("device_size", "stride_map"))
    return f"device_size=[{sizes}] stride_map=[{strides}]"


def tensor(row):
    """SIZE; DTYPE; ORDER; STRIDES of a constructor's row."""
    order = row.get("dim_order")
    return f"{text(row['host_size'])}; {row['dtype']}; {'-' if order is None else text(order)}; {text(row['host_stride'])}"


def place_of(sizes, strides, order, per_stick, c):
    """Where the document has an element: device dimensions o_1 ... o_(r-1), o_0, then the place in the stick."""
    counts = [math.ceil(sizes[d] / per_stick) if d == order[-1] else sizes[d] for d in order[1:] + order[:1]]
    at = [c[d] // per_stick if d == order[-1] else c[d] for d in order[1:] + order[:1]]
    place = 0
    for n, x in zip(counts, at):
        place = place * n + x
    return place * per_stick + c[order[-1]] % per_stick


def point_of(layout, index):
    """The point of an index under the shard of a layout: axis and coordinate."""
    point = {}
    for extent, stride, axis in reversed(layout.shard):
        point[axis] = point.get(axis, 0) + index % extent * stride
        index //= extent
    return point


class AsTheIssueSays(unittest.TestCase):
    def test_layout(self):
        line = "spyre; layout; (5,100,150); float16; (1,0,2); -"
        exact = "ok: device_size=[5,3,100,64] stride_map=[15000,64,150,1]"
        self.assertEqual(batch([line, line.replace("; l", " l")]), [exact] * 2)
        done = run("spyre", "layout", "(5,100,150)", "float16", "(1,0,2)", "-")
        self.assertEqual(done.stdout.split("\n")[0], exact)
        self.assertTrue(done.stdout.split("\n")[1].startswith("axe: "))
        self.assertIn("on (5,100,192); of which [0:5, 0:100, 0:150]", done.stdout)
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_json(self):
        done = json.loads(run("--json", "spyre", "layout", "(5,100,150)", "torch.float16", "(1,0,2)").stdout)
        self.assertEqual(done["answer"], "device_size=[5,3,100,64] stride_map=[15000,64,150,1]")
        self.assertEqual((done["device_size"], done["stride_map"]), ([5, 3, 100, 64], [15000, 64, 150, 1]))
        self.assertEqual((done["format"], done["arrangement"]), ("SEN169_FP16", "STANDARD"))
        axe = done["axe"]
        self.assertEqual((axe["shape"], axe["valid"], axe["elements"]), ([5, 100, 192], [5, 100, 150], 5 * 3 * 100 * 64))
        self.assertEqual(math.prod(it["extent"] for it in axe["shard"]), 5 * 100 * 192)

    def test_names(self):
        page = run("help", "spyre").stdout
        for word in "layout dma storage restickify divide place coordinates equal arrange".split():
            self.assertRegex(page, rf"\n  {word} ")


class TheDocument(unittest.TestCase):
    """Its examples, its numbers."""

    def test_default_and_other_order(self):
        requests = ["spyre layout; (5,100,150); float16", "spyre layout; (5,100,150); float16; -; -"]
        self.assertEqual(batch(requests), ["ok: device_size=[100,3,5,64] stride_map=[150,64,15000,1]"] * 2)
        printed = "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)"
        (answer,) = batch([f"spyre parse; {printed}"])
        self.assertTrue(answer.startswith(f"ok: device_size=[100,3,5,64] stride_map=[150,64,15000,1]; {printed}; axe: "), answer)

    def test_logical_view(self):
        self.assertEqual(
            batch(["spyre layout; (50,10,200); float16", "spyre layout; (128,256,512); float16"]),
            [
                "ok: device_size=[10,4,50,64] stride_map=[200,64,2000,1]",
                "ok: device_size=[256,8,128,64] stride_map=[512,64,131072,1]",
            ],
        )

    def test_padded_on_a_larger_device(self):
        strides = "(131072,512,1)"  # as [128,256,512] has them: [100,200,500] is its corner
        given = "device_size=[256,8,128,64] stride_map=[512,64,131072,1]"
        (answer, storage) = batch(
            [f"spyre {op}; (100,200,500); float16; {given}; {strides}" for op in ("layout", "storage")],
        )
        self.assertEqual(answer, "ok: " + given)
        held = 100 * 200 * 500
        self.assertTrue(
            storage.startswith(f"ok: {256 * 8 * 128 * 128} bytes; {256 * 8 * 128} sticks of 64; {held} hold elements; "
                               f"{256 * 8 * 128 * 64 - held} are padding")
        )

    def test_size_1(self):
        """[512,1] and [512] are not one layout upstream, whatever the document says of canonical forms."""
        self.assertEqual(
            batch(["spyre layout; (512); float16", "spyre layout; (512,1); float16", "spyre layout; (512,1); float16; (1,0)"]),
            [
                "ok: device_size=[8,64] stride_map=[64,1]",
                "ok: device_size=[1,512,64] stride_map=[-1,1,-1]",
                "ok: device_size=[8,1,64] stride_map=[64,-1,1]",
            ],
        )

    def test_dma_has_host_strides_second(self):
        (answer,) = batch(["spyre dma; (1024,256); float16"])
        self.assertTrue(answer.startswith("ok: ((4,1024,64), (64,256,1), (65536,64,1)); axe: "), answer)
        done = json.loads(run("--json", "spyre", "dma", "(1024,256)", "float16").stdout)
        self.assertEqual((done["host_strides"], done["device_strides"]), ([64, 256, 1], [65536, 64, 1]))
        self.assertEqual(done["nests"], [{"ranges": [4, 1024, 64], "host_offset": 0, "device_offset": 0}])

    def test_division(self):
        done = json.loads(run("--json", "spyre", "divide", "m k, k n -> m n", "float16", "(8192,32768)", "(32768,4096)").stdout)
        self.assertEqual((done["splits"], done["cores"]), ({"m": 16, "n": 1, "k": 2}, 32))
        layout = Layout(done["answer"].split("axe: ")[1].split(" on ")[0])
        for m, k in itertools.product(range(16), range(2)):
            index = (m * 512 * 4096 + 7) * 32768 + k * 16384 + 5
            self.assertEqual(point_of(layout, index)["core"], 2 * m + k)


class Facts(unittest.TestCase):
    def test_constructors(self):
        known = rows("constructor", "constructor+dma")
        for row, answer in zip(known, batch([f"spyre layout; {tensor(row)}" for row in known]), strict=True):
            self.assertEqual(answer, "ok: " + layout_text(row), row)

    def test_clamped_is_the_same_placement(self):
        known = [row for row in rows("constructor+dma") if row["stride_map_clamped"]]
        self.assertGreater(len(known), 200)
        requests = [
            f"spyre equal; {text(row['host_size'])}; {row['dtype']}; {text(row['dim_order'])}; "
            + layout_text({**row, "stride_map": row["stride_map_clamped"]}) + f"; {text(row['host_stride'])}"
            for row in known
        ]
        self.assertEqual(set(batch(requests)), {"ok: yes"})

    def test_samples(self):
        known = [(row, sample) for row in rows("constructor+dma") for sample in row["sample"]]
        requests = []
        for row, (c, _, _) in known:
            size, dtype, order, strides = tensor(row).split("; ")
            requests.append(f"spyre eval; {size}; {dtype}; {text(c)}; {order}; {strides}")
        for (row, (_, _, place)), answer in zip(known, batch(requests), strict=True):
            self.assertIn(f"; address {place}; axe: ", answer, row)

    def test_storage(self):
        known = rows("constructor+dma")
        for row, answer in zip(known, batch([f"spyre storage; {tensor(row)}" for row in known], "--json"), strict=True):
            done = json.loads(answer)
            self.assertEqual((done["bytes"], done["padding"]), (row["device_bytes"], row["padding_elems"]), row)
            self.assertEqual(done["bytes"], 128 * done["sticks"])

    def test_nests(self):
        known = rows("constructor+dma")
        for row, answer in zip(known, batch([f"spyre dma; {tensor(row)}" for row in known], "--json"), strict=True):
            done = json.loads(answer)
            expected = [(n["ranges"], n["host_strides"], n["device_strides"], n["host_offset"], n["device_offset"]) for n in row["dma"]]
            found = [
                (n["ranges"], done["host_strides"], done["device_strides"], n["host_offset"], n["device_offset"]) for n in done["nests"]
            ]
            self.assertEqual(found, expected, row)

    def test_restickify(self):
        known = rows("restickify")
        requests = [
            f"spyre restickify; {text(row['host_size'])}; {row['dtype']}; {row['new_stick']}; {text(row['dim_order'])}" for row in known
        ]
        for row, answer in zip(known, batch(requests), strict=True):
            size, strides = row["dst"]
            self.assertTrue(answer.startswith("ok: " + layout_text({"device_size": size, "stride_map": strides}) + "; order "), answer)
            self.assertIn("order " + text(row["same_as_dim_order"]), answer)

    def test_explicit(self):
        known = rows("explicit_roundtrip")
        requests = [
            f"spyre storage; {text(row['host_size'])}; {row['dtype']}; {layout_text(row)}; {text(row['host_stride'])}" for row in known
        ]
        for row, answer in zip(known, batch(requests, "--json"), strict=True):
            self.assertGreaterEqual(json.loads(answer)["held"], row["hosts_elems_covered"])

    def test_arrangements(self):
        known = rows("qfp8wt_offset")
        requests = [f"spyre arrange; ({row['K']},{row['N']}); float8_e4m3fn; QFP8WT" for row in known]
        for row, answer in zip(known, batch(requests), strict=True):
            layout = Layout(answer.split("axe: ")[1].split(" on ")[0])
            self.assertEqual(point_of(layout, row["k"] * row["N"] + row["n"])["m"], row["device_offset"])

    def test_divisions(self):
        known = rows("work_division_pass3")
        requests = [
            f"spyre divide; m k, k n -> m n; float16; ({r['M']},{r['K']}); ({r['K']},{r['N']}); cores={r['cores']}; span={2**62}"
            for r in known
        ]
        for row, answer in zip(known, batch(requests, "--json"), strict=True):
            self.assertEqual({k.upper(): n for k, n in json.loads(answer)["splits"].items()}, row["splits"], row)


class Elements(unittest.TestCase):
    """Answers against the document's equations, by enumeration."""

    def test_the_layout_of_axe(self):
        rng = random.Random(5)
        for _ in range(40):
            sizes = [rng.choice([1, 2, 3, 5, 32, 64, 65, 70]) for _ in range(rng.randint(1, 3))]
            order = rng.sample(range(len(sizes)), len(sizes))
            (answer,) = batch([f"spyre layout; {text(sizes)}; float16; {text(order)}"], "--json")
            axe = json.loads(answer)["axe"]
            iters = [(it["extent"], it["stride"]) for it in axe["shard"]]
            steps = [math.prod(axe["shape"][d + 1 :]) for d in range(len(sizes))]
            for c in itertools.islice(itertools.product(*map(range, sizes)), 0, None, 97):
                rest, place = sum(x * s for x, s in zip(c, steps)), 0
                for n, s in reversed(iters):
                    place += rest % n * s
                    rest //= n
                self.assertEqual(place, place_of(sizes, None, order, 64, c), (sizes, order, c))

    def test_coordinates_stay_in_range(self):
        """Upstream adds 200 to the last coordinate and leaves it there."""
        (answer,) = batch(
            ["spyre coordinates; (10,20,300); float16; (p0) -> (p0 + 1855), domain: p0 in [0, 99]; -; -"],
        )
        self.assertTrue(answer.startswith("ok: "), answer)
        body = answer[len("ok: (p0) -> (") : answer.index("), domain")].replace("floordiv", "//").replace("mod", "%")
        for p0 in range(100):
            d = eval("(" + body + ")", {}, {"p0": p0})
            row, column = divmod(1855 + p0, 300)
            self.assertEqual(d, (row % 20, column // 64, row // 20, column % 64))

    def test_equal(self):
        (same, other) = batch(
            ["spyre equal; (4,64,128); float16; (0,1,2); (0,1,2)", "spyre equal; (64,128); float16; -; device_size=[1,128,64] stride_map=[8192,1,128]"]
        )
        self.assertEqual(same, "ok: yes")
        self.assertEqual(other, "ok: no: element (0,1) is at address 1 and 64")

    def test_views(self):
        aligned, shifted, transposed = batch(
            [
                "spyre view; (4,100); float16; (3,100); (100,1) + 100",  # x[1:,:], which upstream refuses: 100 is not a multiple of 64
                "spyre view; (4,128); float16; (4,64); (128,1) + 32",
                "spyre view; (4,128); float16; (128,4); (1,128)",
            ]
        )
        self.assertTrue(aligned.startswith("ok: dimension 1 is in sticks"), aligned)
        self.assertEqual(shifted, "none: dimension 1 starts at position 32 of a stick of 64, not at 0")
        self.assertTrue(transposed.startswith("ok: dimension 0 is in sticks"), transposed)

    def test_from_axe_is_the_way_back(self):
        for sizes, order in (([5, 100, 150], [1, 0, 2]), ([64, 128], [1, 0]), ([3, 70], [0, 1])):
            request = f"{text(sizes)}; float16; {text(order)}"
            (answer,) = batch([f"spyre storage; {request}"])
            layout, padded = answer.split("axe: ")[1].split("; of which")[0].split(" on ")
            (layout_of,) = batch([f"spyre layout; {request}"])
            (back,) = batch([f"spyre from-axe; {layout}; {padded}; float16; {text(sizes)}"])
            self.assertEqual(batch([f"spyre equal; {text(sizes)}; float16; {layout_of[4:]}; {back[4:]}"]), ["ok: yes"])


class Descriptions(unittest.TestCase):
    def test_dci(self):
        to, back = (json.loads(a[4:]) for a in batch([f"spyre dci; (40,120); float16; {way}" for way in ("to-device", "to-host")]))
        self.assertEqual((to["isHostToSen_"], back["isHostToSen_"]), (True, False))
        self.assertEqual((to["dataformat_src_"], to["dataformat_dst_"]), ("IEEE_FP16", "SEN169_FP16"))
        self.assertEqual([n["size_"] for n in to["dcsi_"]], [[64, 40, 1], [56, 40, 1]])
        self.assertEqual([n["offset_dst_"] for n in to["dcsi_"]], [0, 2560])
        self.assertEqual([n["stride_src_"] for n in back["dcsi_"]], [n["stride_dst_"] for n in to["dcsi_"]])

    def test_kernel(self):
        (answer,) = batch(["spyre kernel; m k, k n -> m n; float16; (128,100); (100,200); name=matmul"])
        kernel = json.loads(answer[4:])
        self.assertEqual(kernel["op"], "matmul")
        self.assertEqual([(l["name"], l["size"], l["is_reduction"]) for l in kernel["loops"]], [("m", 128, False), ("n", 200, False), ("k", 100, True)])
        self.assertEqual(kernel["tensors"][0]["device_size"], [2, 128, 64])
        self.assertEqual([t["is_output"] for t in kernel["tensors"]], [False, False, True])


class Refusals(unittest.TestCase):
    def test_sentences(self):
        expected = {
            "spyre layout; (4,8); float17": "error: bad_syntax: argument 2: the device has no format for a type of this name",
            "spyre layout; (4,8); float16; (0,0)": "error: bad_argument: the order names dimension 0 twice, as entries 0 and 1",
            "spyre layout; (4,8); float16; (0,1,2)": "error: rank_mismatch: the order names 3 dimensions, the tensor has 2",
            "spyre layout; (4,8); float16; (0,99)": "error: bad_argument: argument 3: 99 is not a dimension: they count from 0 to at most 15, "
            "and -1 as the last is for sparse tensors",
            "spyre layout; (4,8); float16; -; (8)": "error: rank_mismatch: the tensor has 2 dimensions, but there is 1 stride",
            "spyre layout; (4,-8); float16": "error: bad_extent: dimension 1 has size -8; it must be at least 0",
            "spyre layout; (4,8); SENINT24": "error: bad_argument: the stick size of this format is not known: its elements have no place on the device",
            "spyre layout; (4,8); float16; device_size=[4,64] stride_map=[8,1,1]":
                "error: rank_mismatch: argument 3: the device has 2 dimensions, the stride map 3 entries",
            "spyre layout; (4,60); float16; device_size=[1,2,64] stride_map=[64,60,1]":
                "none: device dimension 1 of size 2 is too short for 4 steps",
            "spyre restickify; (4,8); float16; 5": "error: bad_argument: the order does not name dimension 5",
            "spyre restickify; (4,8); float16; 0; (0,1,-1)":
                "error: bad_argument: the order has no stick dimension to exchange",
            "spyre eval; (4,4); float16; (4,0)": "error: out_of_domain: index 4 of dimension 0 is outside [0, 4)",
            "spyre divide; m k, k n -> m n; float16; (4,8); (9,4)":
                "error: size_mismatch: a dimension of tensor 1 has 9 elements, its loop runs 8 times",
            "spyre divide; m k, k n -> m n; float16; (4,8)": "error: wrong_arguments: the formula has 2 operands; here is the size of 1",
            "spyre divide; m -> m; float16; 4; cores=0": "error: bad_argument: the work is for 0 cores; it needs at least 1",
            "spyre divide; m -> m; float16; 4; core=4": "error: bad_argument: argument 4: there is no setting 'core'; did you mean cores?",
            "spyre divide; m m; float16; 4": "error: bad_syntax: argument 1: expected the name of a loop, ',' or -> at character 3",
        }
        for request, answer in zip(expected, batch(list(expected)), strict=True):
            self.assertEqual(answer, expected[request], request)

    def test_carets(self):
        for arguments, pointed in (
            (["layout", "(5,x)", "float16"], "(5,x)\n   ^\n"),
            (["layout", "(5,5)", "float16", "(0,1)", "(5,1) * 7"], "(5,1) * 7\n      ^\n"),
            (["layout", "(5,5)", "float16", "device_size=[1,5 64] stride_map=[64,5,1]"], "device_size=[1,5 64] stride_map=[64,5,1]\n"
             + " " * 17 + "^\n"),
            (["divide", "m k > m", "float16", "(4,4)"], "m k > m\n    ^\n"),
        ):
            done = run("spyre", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(pointed), done.stderr)

    def test_too_large(self):
        huge = [f"spyre {op}; ({2**40},{2**30}); float16" for op in ("layout", "storage", "dma", "place")]
        for answer in batch(huge):
            self.assertTrue(answer.startswith("error: overflow: "), answer)


if __name__ == "__main__":
    main()
