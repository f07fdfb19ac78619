# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes, shardings and reshards from the shell: the facts of TLE, parts of members counted here, and mistakes."""

import itertools
import json
import math
import os
import random
import unittest

from axe_command import batch, main, run

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "tle_mesh.jsonl")


def rows(*kinds):
    with open(DATA, encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row["kind"] in kinds]


def mesh_text(row):
    """A launch shape, a list of levels, or an object of names and sizes."""
    if "launch_shape" in row:
        return ",".join(f"a{i}={n}" for i, n in enumerate(row["launch_shape"]))
    if "topology" in row:
        level = lambda axes: axes if isinstance(axes, int) else "(" + ",".join(f"{name}={n}" for name, n in axes) + ")"
        return ",".join(f"{scope}={axes}" if isinstance(axes, int) else scope + level(axes) for scope, axes in row["topology"])
    return ",".join(f"{name}={n}" for name, n in row["mesh"].items())


def sharding_text(state):
    split = "[" + ",".join("[" + ",".join(axes) + "]" for axes in state["split"]) + "]"
    return split + (f" P({','.join(state['partial'])})" if state["partial"] else "")


class Meshes(unittest.TestCase):
    def test_slices(self):
        asked = rows("mesh_slice")
        for row, answer in zip(asked, batch([f"mesh; {mesh_text(row)}; {row['key']}" for row in asked], "--json")):
            answer = json.loads(answer)
            for member in ("shape", "names", "ids"):
                self.assertEqual(answer[member], row[member], row)
            if "launch_shape" in row:
                self.assertEqual(answer["launch_shape"], row["launch_shape"])
        self.assertEqual(len(asked), 35)

    def test_parts_one_after_another(self):
        self.assertEqual(
            batch(
                [
                    "mesh; x=2,y=4; [:,1:3]; flat; [::-1]",
                    "mesh; x=2,y=4; (4,2)",
                    "mesh; x=2,y=4; (4,2,1)",
                    "mesh; x=2,y=4; [:,1:3]; flat; [1:3]",
                    "mesh; x=2,y=4; [2]",
                    "mesh; x=2,y=4; (3,3)",
                    "mesh; x=0",
                    "mesh; x=2,x=2",
                    "mesh; block=2,node=2",
                ]
            ),
            [
                "ok: (flat=4) -> (2,2):(-4@id,-1@id) + 6@id: ids 6 5 2 1",
                "ok: (x=4,y=2) -> 8:1@id: ids 0 1 2 3 4 5 6 7",
                "ok: (dim0=4,dim1=2,dim2=1) -> 8:1@id: ids 0 1 2 3 4 5 6 7",
                "ok: (flat=2) -> 2:3@id + 2@id: ids 2 5",
                "error: out_of_domain: index 2 of dimension 0 of the mesh is outside its size 2",
                "error: size_mismatch: the mesh has 8 members, the shape 9",
                "error: bad_extent: argument 1: axis 0 of the mesh has size 0; it must be at least 1",
                "error: bad_axis: argument 1: axes 0 and 1 of the mesh have the same name",
                "error: bad_argument: argument 1: axis 1 of the mesh is of a scope outside that of axis 0; scopes go from node to block",
            ],
        )

    def test_hardware_and_barriers(self):
        answer = json.loads(run("mesh", "device(dx=2,dy=2),cluster(x=2,y=2),block=4", "[:,:,:,1]", "--json").stdout)
        self.assertEqual(answer["hardware"], "(4,2,4):(1@gpuid,8@cta,1@cta) + 4@cta")
        self.assertEqual(answer["barrier"], {"shape": [2], "axes": [0], "ranks": [1, 3]})
        self.assertEqual(answer["count"], 32)
        many = json.loads(run("mesh", "x=1000", "--json").stdout)
        self.assertEqual((many["count"], len(many["ids"])), (1000, 64))
        self.assertNotIn("barrier", many)
        self.assertTrue(run("mesh", "x=1000").stdout.endswith(" 63 ... 1000 ids\n"))


class Shards(unittest.TestCase):
    def test_ranges_of_all_members(self):
        rng = random.Random(20261126)
        for _ in range(40):
            sizes = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(1, 3))]
            names = [f"a{i}" for i in range(len(sizes))]
            lists = [[], []]
            for axis in rng.sample(range(len(sizes)), len(sizes)):
                rng.choice(lists + [[]]).append(axis)
            local = [rng.randint(1, 3), rng.randint(1, 3)]
            shape = [n * math.prod(sizes[a] for a in axes) for n, axes in zip(local, lists)]
            mesh = ",".join(f"{name}={n}" for name, n in zip(names, sizes))
            split = "[" + ",".join("[" + ",".join(names[a] for a in axes) + "]" for axes in lists) + "]"
            places = list(itertools.product(*map(range, sizes)))
            answers = batch([f"shard; {mesh}; {split}; ({shape[0]},{shape[1]}); {i}" for i in range(len(places))])
            for place, answer in zip(places, answers):
                ranges = []
                for n, axes in zip(local, lists):
                    part = 0
                    for a in axes:
                        part = part * sizes[a] + place[a]
                    ranges.append(f"{part * n}:{part * n + n}")
                self.assertEqual(answer, f"ok: [{ranges[0]}, {ranges[1]}]")

    def test_mistakes(self):
        self.assertEqual(
            batch(
                [
                    "shard; device=4; [device] P(device); (8,8)",
                    "shard; device=4; [x]; (8,8)",
                    "shard; device=4; [device]; (6,8)",
                    "shard; device=4; [[],[],device]; (8,8)",
                    "shard; device=4; [] U(device); (8,8); 1",
                    "shard; device=4; [] U(device); (8,8); 4",
                ]
            ),
            [
                "error: bad_axis: mesh axis 0 is in both split and partial",
                "error: unknown_axis: an axis that splits dimension 0 is not an axis of the mesh",
                "none: dimension 0 of 6 elements does not divide over 4 members of the mesh",
                "error: rank_mismatch: the sharding splits 3 dimensions, the tensor has 2",
                "none: the member at coordinate 1 of mesh axis 0 holds nothing: the tensor is undistributed",
                "error: out_of_domain: id 4 is outside the launch mesh, which has 4 ids",
            ],
        )


class Reshards(unittest.TestCase):
    def test_facts(self):
        asked = rows("reshard", "reshard_error")
        requests = [f"reshard; {mesh_text(row)}; {sharding_text(row['src'])}; {sharding_text(row['dst'])}; (8,8)" for row in asked]
        for row, answer in zip(asked, batch(requests, "--json")):
            answer = json.loads(answer)
            if row["kind"] == "reshard_error":
                self.assertEqual((answer["status"], answer["code"]), ("error", "bad_argument"))
                continue
            self.assertEqual(answer["status"], "ok")
            self.assertEqual(answer["answer"] == "none", row["src"] == row["dst"], row)
            if answer["steps"]:
                self.assertEqual(answer["steps"][-1]["after"], sharding_text(row["dst"]))
            # The one collective of a change along one axis.
            changes = [(a, b) for _, a, b in row["per_axis"] if a != b]
            kinds = [step["collective"] for step in answer["steps"]]
            self.assertEqual(answer["total"] == 0, set(kinds) <= {"slice"})
            if len(changes) == 1 and len(kinds) == 1:
                one = changes[0][0][0] + changes[0][1][0]
                table = {"BS": "slice", "SB": "all_gather", "PB": "all_reduce", "PS": "reduce_scatter", "SS": "all_to_all"}
                self.assertEqual(kinds[0], table[one], row)
        self.assertEqual(len(asked), 127 + 49)

    def test_bytes(self):
        answer = json.loads(run("reshard", "x=2,y=2", "[x] P(y)", "[]", "(8,8)", "4", "--json").stdout)
        self.assertEqual([step["collective"] for step in answer["steps"]], ["all_reduce", "all_gather"])
        self.assertEqual([step["groups"] for step in answer["steps"]], [[[0, 1], [2, 3]], [[0, 2], [1, 3]]])
        self.assertEqual((answer["most"], answer["total"], answer["bytes"], answer["total_bytes"]), (64, 256, 32, 128))
        self.assertEqual(
            batch(["reshard; x=2; [x]; []; (8,8); 0", "reshard; x=2; [x]; [x]; (7,8)", "reshard; x=2; [x; []; (8,8)"]),
            [
                "error: bad_argument: an element has at least 1 bit, got 0",
                "none: dimension 0 of 7 elements does not divide over 2 members of the mesh",
                "error: bad_syntax: argument 2: expected ',' or ']' in the sharding at character 2; did you mean ']'?",
            ],
        )


if __name__ == "__main__":
    main()
