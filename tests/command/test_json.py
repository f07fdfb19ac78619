# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON answers: valid whatever comes, of one form, and the same as the text."""

import json
import os
import random
import subprocess
import tempfile
import unittest

from axe_command import AXE, TILE, batch, main, run
from notation import Layout


def loads(line):
    """Strict: no duplicate members, no NaN."""

    def members(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), keys
        return dict(pairs)

    return json.loads(line, object_pairs_hook=members, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))


RECORDS = [
    (
        f"eval; {TILE}; (8,16); (2,9)",
        {"count": 2, "points": [{"lane": 8, "reg": 1, "warp": 6}, {"lane": 8, "reg": 1, "warp": 10}]},
    ),
    (f"preimage; {TILE}; (8,16); {{lane:8, reg:1, warp:6}}", {"count": 1, "coordinates": [[2, 9]]}),
    ("preimage; 8:2; 8; {m:1}", {"status": "none", "count": 0, "coordinates": []}),
    (
        "slice; (5,2):(1@P,5@P); 10; [3:7]",
        {
            "shard": [{"extent": 2, "stride": 1, "axis": "P"}, {"extent": 2, "stride": -4, "axis": "P"}],
            "replica": [],
            "offset": {"P": 6},
        },
    ),
    ("slice; swizzle<3,4,3>/2(64:1@x); 64; [0:32]", {"swizzle": {"bits": 3, "base": 4, "shift": 3, "axis": "m", "width": 2}}),
    ("group; 64:1; (8,8)", {"groups": [1, 1]}),
    ("group-many; 64:1; (8,8); (4,16)", {"groups": [[2, 1], [1, 2]]}),
    ("max-vector; 64:1; (8,8); 1; m", {"value": 8}),
    ("equal; 4:1; 4:1", {"decision": True}),
    ("equal; 4:1; 5:1", {"decision": False, "sizes": [4, 5]}),
    (
        "equal; 4:1; 4:2",
        {"decision": False, "index": 1, "left": {"count": 1, "points": [{"m": 1}]}, "right": {"count": 1, "points": [{"m": 2}]}},
    ),
    ("injective; (2,3):(2,1)", {"decision": False, "indices": [2, 3], "point": {"m": 2}}),
    ("surjective; 4:2", {"decision": False, "point": {"m": 1}}),
    ("span; (4,8):(8,1@lane)", {"spans": {"lane": 8, "m": 25}}),
    ("intersect; 8:4; 10:6", {"iter": {"extent": 3, "stride": 12, "axis": "m"}}),
    (
        "show; 8:1; (2,4)",
        {
            "pretty": "( 8 )\n( 1 )",
            "size": 8,
            "copies": 1,
            "spans": {"m": 8},
            "canonical": "8:1",
            "injective": True,
            "contiguous": True,
            "grouped": "(2|4):(4|1)",
        },
    ),
    ("slice; 4:1; 4; [0:9]", {"status": "error", "code": "out_of_domain", "position": 0}),
    ("slice; (2,2):(1,1@a); 4; [1:3]", {"status": "none", "code": "no_layout", "position": 0}),
    (
        "canonicalize; 8:1@lane+[2:1@]",
        {
            "status": "error",
            "code": "bad_syntax",
            "message": "expected the name of an axis at character 14",
            "position": 14,
            "argument": 1,
        },
    ),
    ("slcie; 8:1", {"status": "error", "code": "unknown_operation", "suggestion": "slice"}),
    ("linear shwo; 1", {"status": "error", "code": "unknown_operation", "suggestion": "show"}),
    ("linear; shwo; 1", {"status": "error", "code": "unknown_operation", "suggestion": "show"}),
    ("pseudo-invert; 1", {"status": "error", "code": "unknown_operation", "suggestion": "linear pseudo-invert"}),
    ("linear; invert; a=[1,3] -> x:4", {"answer": "x=[1,3] -> a:4", "images": [[1], [3]]}),
    ("linear invert; a=[1,3] -> x:4", {"answer": "x=[1,3] -> a:4", "in": [{"name": "x", "size": 4}]}),
    (" linear \t invert ; a=[1,3] -> x:4", {"answer": "x=[1,3] -> a:4", "out": [{"name": "a", "size": 4}]}),
    ("", {"status": "error", "code": "empty_request"}),
]


class Json(unittest.TestCase):
    def test_members(self):
        for (request, members), line in zip(RECORDS, batch([request for request, _ in RECORDS], "--json")):
            with self.subTest(request):
                record = loads(line)
                self.assertEqual({key: record.get(key) for key in members}, members)
                self.assertEqual(list(record)[:2], ["status", "answer"])
                self.assertEqual(record["status"], members.get("status", "ok"))

    def test_same_as_text(self):
        with open(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "algebra_more.tsv"), encoding="ascii"
        ) as file:
            requests = [line.split("\t")[0] for line in file if "\t" in line] + [request for request, _ in RECORDS]
        for request, text, line in zip(requests, batch(requests), batch(requests, "--json")):
            with self.subTest(request):
                record = loads(line)
                self.assertEqual(f"{record['status']}: {record['answer']}", text)
                if "shard" in record and "swizzle" not in record and not request.startswith(("show", "group-many")):
                    layout = Layout(record["answer"])
                    self.assertEqual([(it["extent"], it["stride"], it["axis"]) for it in record["shard"]], layout.shard)
                    self.assertEqual([(it["extent"], it["stride"], it["axis"]) for it in record["replica"]], layout.replica)
                    self.assertEqual(record["offset"], layout.offset)

    def test_valid_whatever_comes(self):
        rng = random.Random(7)
        lines = [bytes(rng.choice([b for b in range(256) if b != 10]) for _ in range(rng.randint(0, 60))) for _ in range(1000)]
        for request, _ in RECORDS:
            for _ in range(100):
                line = bytearray(request.encode() or b" ")
                line[rng.randrange(len(line))] = rng.choice([b for b in range(256) if b != 10])
                lines.append(bytes(line))
        answers = batch(b"".join(line + b"\n" for line in lines), "--json")
        self.assertEqual(len(answers), len(lines))
        for answer in answers:
            self.assertIn(loads(answer)["status"], ("ok", "none", "error", "undecided"))

    def test_one_answer(self):
        for arguments, status in (
            (["eval", TILE, "(8,16)", "(2,9)"], 0),
            (["preimage", "8:2", "8", "{m:1}"], 1),
            (["slice", "x"], 2),
            (["canonicalize", "8:"], 2),
            (["injective", "(1000,1000,1000,1000,1000,1000):(1000003,1000033,1000037,1000039,1000081,1000099)"], 3),
        ):
            done = run(*arguments, "--json")
            self.assertEqual((done.returncode, done.stderr), (status, ""))
            self.assertEqual(done.stdout.count("\n"), 1)
            self.assertEqual(["ok", "none", "error", "undecided"].index(loads(done.stdout)["status"]), status)

    def test_names_of_files_that_are_no_text(self):
        """The answer of `picture` is the path as it was given: what is no UTF-8 is replaced."""
        name = b'a\t\xc3\xa9\xff\xed\xa0\x80\xf4\x90\x80\x80\xe0\x80\x80\xf0\x9f\x99\x82"\\.svg'
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([AXE, "--json", "picture", "8:1", "8", name], cwd=folder, capture_output=True, timeout=60)
            self.assertEqual(os.listdir(os.fsencode(folder)), [name])
        record = loads(done.stdout.decode("utf-8", "strict"))
        self.assertEqual(record["path"], "a\t\u00e9" + "\ufffd" * 11 + '\U0001f642"\\.svg')


if __name__ == "__main__":
    main()
