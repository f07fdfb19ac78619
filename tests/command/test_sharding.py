# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings: what devices hold where dimensions do not divide, and the collective between two shardings, counted here by devices."""

import itertools
import json
import math
import random
import unittest

from axe_command import batch, main, run


def chunk(elements, parts):
    """torch.chunk, filled up with empty lists."""
    size = -(-len(elements) // parts)
    return [elements[i * size : (i + 1) * size] for i in range(parts)]


def held(placements, mesh, size, dim, place):
    """What the device at a place of the mesh holds of a dimension. A placement is (dim, factor), or None where nothing is split."""
    out = list(range(size))
    for placement, places, index in zip(placements, mesh, place):
        if placement and placement[0] == dim:
            out = [x for outer in chunk(out, placement[1]) for x in chunk(outer, places)[index]]
    return out


def text(placements):
    words = ["Replicate()" if p is None else f"_StridedShard({p[0]}, split_factor={p[1]})" for p in placements]
    return "[" + ", ".join(words) + "]"


def random_case(rng, rank=2):
    mesh = [rng.choice([1, 2, 2, 3, 4]) for _ in range(rng.randint(1, 2))]
    shape = [rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 12, 24]) for _ in range(rank)]
    return mesh, shape


def random_placements(rng, mesh, rank=2, factors=(1, 1, 2, 3)):
    return [rng.choice([None, (rng.randrange(rank), rng.choice(factors))]) for _ in mesh]


def tuple_text(numbers):
    return "(" + ",".join(map(str, numbers)) + ")"


class Boxes(unittest.TestCase):
    def test_every_device(self):
        rng = random.Random(168134)
        cases = []
        for _ in range(300):
            mesh, shape = random_case(rng)
            cases.append((random_placements(rng, mesh), mesh, shape))
        requests = [f"sharding; boxes; {text(p)}; {tuple_text(m)}; {tuple_text(s)}" for p, m, s in cases]
        for (placements, mesh, shape), answer in zip(cases, batch(requests, "--json")):
            answer = json.loads(answer)
            self.assertEqual(answer["status"], "ok")
            places = list(itertools.product(*map(range, mesh)))
            self.assertEqual(len(answer["devices"]), len(places))
            for place, device in zip(places, answer["devices"]):
                got = []
                for box in device["boxes"]:
                    got += itertools.product(*(range(lo, hi) for lo, hi in box))
                self.assertEqual(len(device["boxes"]), device["count"])
                want = itertools.product(*(held(placements, mesh, n, d, place) for d, n in enumerate(shape)))
                self.assertEqual(sorted(got), list(want), (placements, mesh, shape, place))

    def test_one_device_and_many(self):
        self.assertEqual(
            batch(
                [
                    "sharding; boxes; [_StridedShard(0, split_factor=2)]; (2); (5); 1",
                    "sharding; boxes; [Shard(0)]; (4); (2)",
                    "sharding; boxes; [Shard(0)]; (2); (5); 2",
                    "sharding; boxes; [Shard(0)]; <[\"x\"=2], device_ids=[1, 0]>; (5)",
                ]
            ),
            [
                "ok: [2:3] [4:5]",
                "ok: 0 [0:1]; 1 [1:2]; 2 nothing; 3 nothing",
                "error: out_of_domain: device 2 is outside the mesh, which has devices [0, 2)",
                "ok: 0 [3:5]; 1 [0:3]",
            ],
        )
        many = run("sharding", "boxes", "[Shard(0)]", "(1000000)", "(2)").stdout
        self.assertTrue(many.endswith("; 63 nothing; ... 1000000 devices\n"))
        done = run("sharding", "boxes", "[_StridedShard(0, split_factor=1152921504606846976)]", "(2)", "(9223372036854775807)", "0")
        self.assertEqual((done.stdout, done.returncode), ("undecided: dimension 0 is split into more than 1048576 intervals on a device\n", 3))

    def test_layout_of_what_does_not_divide(self):
        self.assertEqual(
            batch(["sharding; dtensor; [Shard(0)]; (4); (6,2)", "sharding; dtensor; [Shard(0)]; (4); (7)"]),
            [
                "ok: (3,2,2):(1@gpuid,2,1)",
                "none: dimension 0 is not a layout: 7 elements leave a remainder over 4 parts; hint: `axe sharding boxes` lists the boxes",
            ],
        )


class Collectives(unittest.TestCase):
    def test_notations(self):
        """One question in all notations that can ask it."""
        for source, target in itertools.product(
            ['<@mesh, [{"_axis_0"}, {}]>', "P('_axis_0')", "{devices=[4,1]<=[4]}", "[Shard(0)]", "(S(0),)", "S(0)"],
            ['<@mesh, [{}, {"_axis_0"}]>', "P(None, '_axis_0')", "{devices=[1,4]<=[4]}", "[Shard(1)]", "(S(1),)"],
        ):
            done = run("sharding", "collective", source, target, "(4)", "(8,8)")
            self.assertEqual(
                done.stdout, "ok: all_to_all in 1 group of 4 devices: a device receives 12 elements; all together 48 elements\n"
            )

    def test_kinds(self):
        asked = [
            ("[Shard(0)]", "[Shard(0)]", "none"),
            ("[Replicate()]", "[Shard(0)]", "slice"),
            ("[Shard(0)]", "[Replicate()]", "all_gather in 1 group of 4 devices: a device receives 48 elements; all together 192 elements"),
            ("[Partial(sum)]", "[Shard(0)]", "reduce_scatter by sum in 1 group of 4 devices: a device receives 16 elements; all together 64 elements"),
            ("[Partial(max)]", "[Replicate()]", "all_reduce by max in 1 group of 4 devices: a device receives 64 elements; all together 256 elements"),
            ("[Partial(sum)]", "[Partial(sum)]", "none"),
            ("(B)", "(S(0))", "slice"),
            ("[_StridedShard(0, split_factor=2)]", "[Shard(0)]", "reshard: a device receives 16 elements; all together 48 elements"),
        ]
        answers = batch([f"sharding; collective; {a}; {b}; (4); (8,8)" for a, b, _ in asked])
        self.assertEqual(answers, ["ok: " + answer for _, _, answer in asked])

    def test_bytes_and_refusals(self):
        answer = json.loads(run("sharding", "collective", "[Shard(0)]", "[Replicate()]", "(2)", "(2,3)", "4", "--json").stdout)
        self.assertEqual(
            (answer["collective"], answer["groups"], answer["most"], answer["total"], answer["bytes"], answer["total_bytes"]),
            ("all_gather", [[0, 1]], 3, 6, 2, 3),
        )
        for arguments, status, begin in [
            (["[Replicate()]", "[Partial(sum)]", "(2)", "(4)"], 2, "error: bad_argument: the target has 2 terms 1 device apart"),
            (["[Partial(sum), Partial(max)]", "[R, R]", "(2,2)", "(4)"], 2, "error: bad_argument: the terms have two reductions, max and sum"),
            (["[Shard(0)]", "[Shard(1)]", "(2)", "(4,3)"], 1, "none: dimension 1 is not a layout: 3 elements leave a remainder over 2"),
            (["[Shard(0)", "[Shard(1)]", "(2)", "(4,3)"], 2, "error: bad_syntax: argument 1: expected ',' or ']'"),
            (["[Shard(0)]", "<@m, {}>", "(2)", "(4,3)"], 2, "error: bad_syntax: argument 2: expected '['"),
            (["[Shard(0)]", "[Shard(0)]", "(2)", "(4)", "0"], 2, "error: bad_argument: an element has at least 1 bit, got 0"),
        ]:
            done = run("sharding", "collective", *arguments)
            self.assertEqual((done.stdout[: len(begin)], done.returncode), (begin, status))

    def test_traffic(self):
        """Elements that a device has after and not before, counted."""
        rng = random.Random(2026)
        cases = []
        while len(cases) < 300:
            mesh, shape = random_case(rng)
            cases.append((random_placements(rng, mesh, factors=(1, 2)), random_placements(rng, mesh, factors=(1, 2)), mesh, shape))
        requests = [f"sharding; collective; {text(a)}; {text(b)}; {tuple_text(m)}; {tuple_text(s)}" for a, b, m, s in cases]
        seen = set()
        for (a, b, mesh, shape), answer in zip(cases, batch(requests, "--json")):
            answer = json.loads(answer)
            if answer["status"] == "none":
                continue
            missing = []
            for place in itertools.product(*map(range, mesh)):
                before, after = (
                    set(itertools.product(*(held(p, mesh, n, d, place) for d, n in enumerate(shape)))) for p in (a, b)
                )
                missing.append(len(after - before))
            self.assertEqual((answer["most"], answer["total"]), (max(missing), sum(missing)), (a, b, mesh, shape))
            self.assertEqual(answer["collective"] in ("none", "slice"), sum(missing) == 0)
            for group in answer["groups"]:
                self.assertLessEqual(set(group), set(range(math.prod(mesh))))
            seen.add(answer["collective"])
        self.assertLessEqual({"none", "slice", "all_gather", "all_to_all", "reshard"}, seen)


class Uneven(unittest.TestCase):
    def test_the_hint_is_a_command(self):
        for words in (["dtensor", "[Shard(0)]", "(4)", "(7)"], ["collective", "[Shard(0)]", "[Replicate()]", "(4)", "(7)"]):
            with self.subTest(words):
                done = run("sharding", *words)
                message = "dimension 0 is not a layout: 7 elements leave a remainder over 4 parts\nhint: `axe sharding boxes` lists the boxes"
                self.assertEqual((done.stdout, done.returncode), (f"none: {message}\n", 1))
                answer = json.loads(run("--json", "sharding", *words).stdout)
                self.assertEqual((answer["message"], answer["answer"]), (message, message.replace("\n", "; ")))
        self.assertEqual(run("sharding", "boxes", "[Shard(0)]", "(4)", "(7)").stdout, "ok: 0 [0:2]; 1 [2:4]; 2 [4:6]; 3 [6:7]\n")

    def test_the_help_says_what_is_a_layout(self):
        self.assertEqual(run("sharding", "dtensor", "[Shard(0)]", "(4)", "(6)").stdout, "ok: (3,2):(1@gpuid,1)\n")
        self.assertIn("6 elements over 4 devices are", run("help", "sharding", "dtensor").stdout)
        self.assertNotIn("does not divide into its parts, or", run("help", "sharding", "dtensor").stdout)
        for word in ("dtensor", "collective"):
            self.assertIn("`axe sharding boxes` lists", run("help", "sharding", word).stdout)
        self.assertIn("TEXT is of DTensor", run("help", "sharding", "boxes").stdout)


if __name__ == "__main__":
    main()
