# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The help: it has every operation, its examples give the answers that it shows, and its first commands do what it says."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest

from axe_command import AXE, TILE, batch, main, run

OPERATIONS = """
show eval preimage canonicalize same-canonical equal group tile sum untile untile-outer unsum-left unsum-right slice
compose inverse left-inverse right-inverse complement group-many permute reshape broadcast project local rename split
fuse convert-axes shift pack unpack injective surjective bijective contiguous max-vector intersect span picture atoms tma mesh shard reshard machines schedules
""".split()
GROUPS = {
    "map": """parse eval simplify compose inverse equal empty count image preimage remove-unused rescale to-dimensions
        launch coalescing vector-width count-image deduplicate peel tile tile-grid tile-at emit-c emit-loops from-layout
        to-layout""",
    "cute": """show eval composition coalesce filter complement left-inverse right-inverse logical-divide zipped-divide tiled-divide
        flat-divide logical-product zipped-product tiled-product flat-product blocked-product raked-product tile-to-shape
        max-common-layout max-common-vector upcast downcast recast nullspace domain-distribute flatten group
        sort slice idx2crd crd2idx compatible congruent to-tile from-tile to-axe from-axe""",
    "linear": """show eval compose invert pseudo-invert invert-and-compose product divide-left divide-right transpose-ins
        transpose-outs sublayout from-axe to-axe""",
    "strides": "numpy to-numpy onednn to-onednn xla to-xla xla-merge blas",
    "spyre": """layout storage place eval equal arrange parse from-axe coordinates dma dci restickify view divide kernel""",
    "sharding": "sdy to-sdy hlo to-hlo jax to-jax dtensor to-dtensor sbp to-sbp alpa to-alpa boxes collective",
}


def shell(command, folder):
    """Runs a line as it is printed, with this `axe` on the path."""
    os.symlink(AXE, os.path.join(folder, "axe"))
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
    )


def listed_operations():
    """The names in the help, below its heading, and those in the help of each group."""
    page = run("help").stdout
    page, _, groups = page[page.index("\nOperations") :].partition("\nGroups of operations")
    names = re.findall(r"^  ([a-z-]+) ", page, re.M)
    for group in re.findall(r"^  ([a-z]+) OPERATION ", groups, re.M):
        own = run("help", group).stdout
        names += [f"{group} {word}" for word in re.findall(r"^  ([a-z0-9-]+) ", own[own.index("\nOperations") :], re.M)]
    return names


def example_of(operation):
    """The command and the answer that `axe help OPERATION` shows."""
    text = run("help", *operation.split()).stdout
    command, answer = re.search(r"\nExample\n  (.*?)\n((?:  .*\n)+)\n", text).groups()
    return command, re.sub(r"^  ", "", answer, flags=re.M)


class Help(unittest.TestCase):
    def test_every_operation_is_listed(self):
        grouped = [f"{group} {word}" for group, words in GROUPS.items() for word in words.split()]
        self.assertEqual(sorted(listed_operations()), sorted(OPERATIONS + grouped))

    def test_examples(self):
        for operation in listed_operations():
            with self.subTest(operation), tempfile.TemporaryDirectory() as folder:
                command, answer = example_of(operation)
                self.assertTrue(command.startswith(f"axe {operation}"), command)
                self.assertTrue(all(word == word.strip() for word in shlex.split(command)), command)
                done = shell(command, folder)
                is_no = re.match(r"ok: no\b", answer) is not None
                self.assertEqual((done.stdout, done.stderr, done.returncode), (answer, "", 1 if is_no else 0))

    def test_examples_in_a_batch(self):
        operations = [name for name in listed_operations() if name != "picture"]
        examples = [example_of(name) for name in operations]
        answers = batch(["; ".join(shlex.split(command)[1:]) for command, _ in examples])
        for name, (_, shown), answer in zip(operations, examples, answers):
            with self.subTest(name):
                in_a_line = {  # instead of several
                    "show": "size 128",
                    "atoms": "(16,16) (16,4,4):(1@lane,16@lane,1@reg)",
                    "tma": "swizzle 128B; 1 copy, 16384 bytes in all; shared memory aligned to 1024; (64,128) at byte 0",
                    "machines": "cpu: device 1 > core > thread 32; ram, scratch, reg",
                    "schedules": "iota vector 20",
                    "map deduplicate": "domain: d0 in [0, 7]; (d0) -> (d0 * 2)",
                    "map peel": "s0 in [1, 2]; (d0)[s0] -> (d0 + s0 - 1)",
                    "map tile": "; (o0 floordiv 4 + ",
                    "map tile-grid": "; (o0 floordiv 4 + ",
                    "map emit-c": "int* r) { r[0] = d0 * 4 + (d1 >> 3); }",
                    "map emit-loops": "float* r) { for (long long i = 0; i < 4; ++i) r[i] = 0; {",
                    "linear show": "rank 2; not injective; surjective; free bits lane=4",
                }
                if name.startswith("spyre "):  # layouts and JSON stand alone in a batch
                    self.assertIn(answer, (shown.split("\n")[0], shown.rstrip("\n").replace("\n", "; ")))
                elif name in in_a_line:
                    self.assertTrue(answer.startswith("ok: "))
                    self.assertIn(in_a_line[name], answer)
                else:
                    self.assertEqual(answer, shown.rstrip("\n"))

    def test_questions_say_how_they_exit(self):
        """An operation whose one line ends in a question mark is one, and no other."""
        for operation in listed_operations():
            page = run("help", *operation.split()).stdout
            with self.subTest(operation):
                meaning = page.split("\n")[2]
                self.assertEqual("0 on yes, 1 on no, 2 on an error, 3 where it is undecided" in page, meaning.endswith("?"))
                self.assertNotRegex(page, r"error: [^\n]*too_hard")

    def test_topics(self):
        page = run("help").stdout
        listed = re.findall(r"^  ([a-z]+) ", page[page.index("\nTopics") :], re.M)
        self.assertEqual(listed, ["notation", "swizzle", "status", "json", "batch", "completion"])
        for topic in listed:
            with self.subTest(topic):
                page = run("help", topic).stdout
                self.assertTrue(page.startswith(f"axe help {topic}: "), page)
                self.assertLessEqual(max(len(line) for line in page.split("\n") if not line.startswith("  {")), 132)
                examples = re.findall(r"^  \$ (.*)\n((?:  .*\n)+)", page, re.M)
                self.assertGreater(len(examples), 0)
                for command, answer in examples:
                    with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                        done = shell(command, folder)
                        self.assertEqual(done.stdout, re.sub(r"^  ", "", answer, flags=re.M))

    def test_what_a_new_user_reads(self):
        page = run("help").stdout
        show, eval_, picture = (
            next(line for line in page.split("\n") if line.startswith(f"  axe {op} ")).strip()
            for op in ("show", "eval", "picture")
        )
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn(
                "( 8       2       4       2     ) [ 2      ]\n( 4@lane  1@warp  1@lane  1@reg ) [ 4@warp ] + 5@warp\n",
                shell(show, folder).stdout,
            )
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(shell(eval_, folder).stdout, "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}\n")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(shell(picture, folder).stdout, "ok: tile.svg\n")
            with open(os.path.join(folder, "tile.svg"), encoding="utf-8") as file:
                self.assertIn("<svg", file.read(200))

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, start in (("tile.svg", "<svg"), ("tile.html", "<!")):
                path = os.path.join(folder, name)
                for settings in ([], ["view=hardware"], ["color=warp"], ["color=warp"], ['title=a <b> & "c"'], ["view=hardware", "rows=lane", "columns=reg"]):
                    with self.subTest(name=name, settings=settings):
                        done = run("picture", TILE, "(8,16)", path, *settings)
                        self.assertEqual((done.stdout, done.returncode), (f"ok: {path}\n", 0))
                        with open(path, encoding="utf-8") as file:
                            self.assertEqual(file.read(len(start)).lower(), start)
                        os.remove(path)
            for wrong, code in (
                (["8:1", "8", "tile.png"], "bad_argument"),
                (["8:1", "8", folder + "/no/tile.svg"], "cannot_write"),
                (["8:1", "9", "tile.svg"], "size_mismatch"),
                (["8:1", "8", "tile.svg", "colur=m"], "bad_argument"),
                (["8:1", "8", "tile.svg", "color=@"], "bad_syntax"),
                (["8:1", "8", "tile.svg", "color=@"], "bad_syntax"),
            ):
                with self.subTest(wrong):
                    done = run("picture", *wrong, cwd=folder)
                    self.assertEqual((done.stdout.split(": ")[:2], done.returncode), (["error", code], 2))
            self.assertEqual(os.listdir(folder), [])

    def test_usage(self):
        self.assertEqual((run().returncode, run().stdout), (2, ""))
        self.assertIn("usage: axe OPERATION", run().stderr)
        for words in (["--help"], ["-h"]):
            self.assertEqual(run(*words).stdout, run("help").stdout)
        self.assertEqual(run("slice", "--help").stdout, run("help", "slice").stdout)
        self.assertRegex(run("--version").stdout, r"^axe \d+\.\d+\.\d+\n$")
        for group in GROUPS:
            page = run("help", group).stdout
            self.assertTrue(page.startswith(f"usage: axe {group} OPERATION ARGUMENTS...\n"), page)
            self.assertEqual(run(group, "--help").stdout, page)
            for word in GROUPS[group].split():
                page = run("help", group, word).stdout
                self.assertTrue(page.startswith(f"usage: axe {group} {word}"), page)
                self.assertEqual(run(group, word, "--help").stdout, page)
        done = run("help", "slcie")
        self.assertEqual(
            (done.stdout, done.returncode), ("error: unknown_operation: no operation is called 'slcie'; did you mean slice?\n", 2)
        )


if __name__ == "__main__":
    main()
