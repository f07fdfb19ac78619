# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe run`: every example is right on every machine; what is wrong with a request is said in one sentence, and nothing half is left."""

import glob
import json
import os
import pty
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

LARGE = ["--set", "M=2048", "--set", "N=2048", "--set", "K=2048"]  # gemm takes seconds of it

HAZARDS = {  # what an example shows to go wrong, and how it is found
    ("spyre_linear", "--set", "padding=nan"): ("wrong", "0·NaN is NaN"),
    ("spyre_linear", "--set", "padding=none"): ("fault", "element (0,150) of x"),
    ("sparse_mla", "--set", "version=by_position"): ("wrong", "keys that queries see"),
    ("sparse_mla", "--set", "version=by_group", "--set", "H=70"): ("fault", "race"),
    ("topk_selector", "--set", "version=upstream", "--set", "data=peak"): ("wrong", "ids that a row has twice: 3"),
}


def examples():
    return json.loads(run("--json", "run").stdout)["examples"]


def told(*arguments):
    """What a run that must be right came to."""
    done = run("--json", "run", *arguments)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    assert done.stderr == "", done.stderr
    return json.loads(done.stdout)


def npy(descr, shape, data):
    """The bytes of a .npy file."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def digits_data():
    """The folder with the data, where the command finds it."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(AXE))), "share", "axe", "digits")


class Examples(unittest.TestCase):
    def test_what_there_is(self):
        names = [example["name"] for example in examples()]
        self.assertEqual(names, ["copy", "transpose", "gemm", "gemm_sm90", "gemm_sm100", "fp8_gemm", "fp8_scaled", "mx_gemm", "grouped_gemm", "moe", "softmax", "flash_attention", "rmsnorm", "swiglu", "rope", "cross_entropy", "topk", "topk_selector", "fft", "histogram", "moe_align", "sparse_mla", "all_gather", "reduce_scatter", "gemm_reduce_scatter", "gemm_all_reduce", "all_gather_gemm", "cluster_gemm", "digits", "spyre_linear"])
        page = run("run").stdout
        for name in names:
            self.assertIn(f"\n  {name}: ", page)
        for arguments in (["run", "--help"], ["help", "run"]):
            self.assertEqual(run(*arguments).stdout, page)

    def test_every_example_on_every_machine(self):
        for example in examples():
            for machine in example["machines"]:
                for checks in ("full", "fast"):
                    with self.subTest(example=example["name"], machine=machine, checks=checks):
                        small = ["--set", "M=40", "--set", "N=35", "--set", "K=37"] if machine in ("cpu", "trn2") else []
                        small = small if example["name"] == "gemm" else []
                        result = told(example["name"], "--machine", machine, "--checks", checks, *small)
                        self.assertEqual((result["status"], result["faults"], result["checks"]), ("ok", 0, checks))
                        self.assertTrue(result["outputs"])
                        for output in result["outputs"]:
                            self.assertEqual((output["wrong"], output["elements"] > 0), (0, True))

    def test_every_number_of_devices(self):
        for example in examples():
            for devices in example["devices"][1:]:
                with self.subTest(example=example["name"], devices=devices):
                    rows = {"all_gather": 8, "reduce_scatter": 8, "gemm_reduce_scatter": 64, "gemm_all_reduce": 64}.get(example["name"])
                    rows = ["--set", f"M={rows * devices}"] if rows else []
                    self.assertEqual(told(example["name"], "--devices", str(devices), *rows)["devices"], devices)

    # What a word asks of other parameters.
    COMPANIONS = {"kind=mxf4": ("--set", "a=e2m1", "--set", "b=e2m1"), "kind=mxf4nvf4": ("--set", "a=e2m1", "--set", "b=e2m1"),
                  "form=network": ("--machine", "sm90"), "form=queue_network": ("--machine", "sm90"),
                  "form=registers": ("--set", "N=256")}

    def test_every_word(self):
        """The standard ones are those of `test_every_example_on_every_machine`."""
        for example in examples():
            for parameter in example["parameters"]:
                for word in set(parameter["words"]) - {parameter["standard"]}:
                    with self.subTest(example=example["name"], word=word):
                        arguments = (example["name"], "--set", f"{parameter['name']}={word}")
                        if arguments in HAZARDS:
                            continue
                        result = told(*arguments, *self.COMPANIONS.get(arguments[2], ()))
                        self.assertEqual(result["parameters"][parameter["name"]], word)

    def test_hazards(self):
        for arguments, (status, words) in HAZARDS.items():
            with self.subTest(arguments):
                done = run("--json", "run", *arguments)
                result = json.loads(done.stdout)
                self.assertEqual((done.returncode, result["status"]), (1, status))
                self.assertIn(words, str(result.get("fault", result["conclusion"])))
                if status == "fault":
                    fault = result["fault"]
                    self.assertRegex(fault["lines"][0], rf"^statement {fault['statement']}: .* \(example\.cpp:\d+\)$")
                    self.assertEqual(fault["hint"], "")  # no barrier repairs it
                    self.assertIn("\n  " + fault["lines"][0] + "\n", run("run", *arguments).stdout)
        # Nobody looks at the padding there, and the numbers are the same.
        fast = json.loads(run("--json", "run", "spyre_linear", "--set", "padding=nan", "--checks", "fast").stdout)
        self.assertEqual((fast["status"], fast["faults"]), ("wrong", 0))

    def test_odd_sizes(self):
        for name, sizes in (
            ("transpose", ("M=1 N=1", "M=33 N=95", "M=64 N=32")),
            ("spyre_linear", ("M=1 N=1 K=1", "M=64 N=64 K=64", "M=96 N=300 K=65", "M=7 N=129 K=1 cores=5")),
            ("gemm", ("M=1 N=1 K=1", "M=129 N=127 K=33", "M=128 N=256 K=64", "M=129 N=127 K=99 stages=2", "M=40 N=40 K=130 stages=4")),
            ("softmax", ("M=1 N=1", "M=9 N=127", "M=8 N=129", "M=16 N=256")),
        ):
            for size in sizes:
                with self.subTest(name, size=size):
                    told(name, *(word for pair in size.split() for word in ("--set", pair)))

    def test_a_transpose_without_conflicts(self):
        smem = {}
        for tile in ("plain", "swizzled"):
            counts = told("transpose", "--set", "M=64", "--set", "N=64", "--set", f"tile={tile}")["counters"]["memories"]["smem"]
            smem[tile] = counts["wavefronts"], counts["ideal_wavefronts"]
        # 64×64 in four tiles: a tile has 32 rows read by column; plain, all 32 elements of a column are in one bank.
        self.assertEqual(smem["swizzled"][0], smem["swizzled"][1])
        self.assertGreaterEqual(smem["plain"][0], 4 * 32 * 32)

    def test_schedules_are_forced(self):
        for schedule in ("one_shot", "ring", "in_network"):
            result = told("reduce_scatter", "--schedule", f"reduce={schedule}")
            self.assertEqual([choice["schedule"] for choice in result["schedules"]], [schedule])
        self.assertEqual(told("reduce_scatter", "--schedule", "0=ring")["schedules"][0]["schedule"], "ring")

    def test_what_is_compared(self):
        def lines(*arguments):
            done = run("run", "softmax", "--set", "M=9", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

        right, consistent = "y (9, 301) f32: right, 0 of 2709 elements wrong", "y (9, 301) f32: consistent, 0 of 2709 elements wrong"
        self.assertIn("verified: " + right, lines())
        self.assertNotIn("consistent", lines())
        self.assertIn("consistent: " + consistent, lines("--against", "operators"))
        self.assertNotIn("verified", lines("--against", "operators"))
        both = lines("--against", "both")
        self.assertIn("verified: " + right, both)
        self.assertIn("          " + consistent, both)
        some = lines("--rows", "2")
        self.assertIn("right, 0 of 602 elements wrong", some)
        self.assertIn("; 2 of 9 rows checked, a defect in a fraction p of the rows is missed with probability (1 - p)^2\n", some)

    def test_show(self):
        shown = run("run", "gemm", "--show").stdout
        self.assertIn("kernel gemm on sm80\n", shown)
        self.assertIn("gemm acc += a * b", shown)
        self.assertIn("mma.sync.m16n8k16.f32.f16.f16.f32", shown)


class Digits(unittest.TestCase):
    def test_what_it_prints(self):
        done = run("run", "digits")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in (
            "sm80 (A100), 4 devices",
            ": 0 faults\n",
            "verified: logits (2048, 10) f32: right, 0 of 20480 elements wrong; worst logits(",
            "digits read right: 356 of 360 (98.89 %) of those held out from training, 1793 of 1797 (99.78 %) of all\n",
            "the same answer as by plain loops for every row\n",
            " bytes between devices\n",
            " passes over the banks, ",
            "floating-point operations",
            "mma.sync.m16n8k16.f32.f16.f16.f32",
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
            "cp.async.cg.shared.global 16",
        ):
            self.assertIn(words, done.stdout)
        # An operator, its schedule, and what the schedule decided.
        for schedule in ("mma_sync", "cp_async", "one_shot", "vector", "lanes"):
            self.assertRegex(done.stdout, rf"(?m)^ *\d+  .*  {schedule} ")

    def test_memory(self):
        shown = run("run", "gemm", "--memory").stdout
        self.assertIn("smem: ", shown)
        self.assertIn(" live at once", shown)
        self.assertIn("a multiprocessor holds ", shown)
        self.assertNotIn("a multiprocessor holds ", run("run", "gemm").stdout)

    def test_a_negated_weight_shows(self):
        """w2[59,2]: README of the data says what it does to the network by other arithmetic."""
        with tempfile.TemporaryDirectory() as folder:
            data = bytearray(read(os.path.join(digits_data(), "w2.npy")))
            data[len(data) - 128 * 10 * 2 + (59 * 10 + 2) * 2 + 1] ^= 0x80
            path = write(folder, "w2.npy", bytes(data))
            alone = told("digits", "--input", path)
            for name in ("digits", "labels", "held_out", "w1", "b1", "b2"):
                shutil.copy(os.path.join(digits_data(), name + ".npy"), folder)
            self.assertEqual(told("digits", "--input", folder)["conclusion"], alone["conclusion"])
        self.assertEqual(
            alone["conclusion"][0],
            "digits read right: 349 of 360 (96.94 %) of those held out from training, 1741 of 1797 (96.88 %) of all",
        )

    def test_too_few_right_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, "w2.npy", npy("<f2", (128, 10), bytes(128 * 10 * 2)))
            done = run("run", "digits", "--input", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("too few: more than 96 % of those held out should be right\n", done.stdout)


class Outputs(unittest.TestCase):
    def outputs(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            told(*arguments, "--output", os.path.join(folder, "made", "here"))
            files = glob.glob(os.path.join(folder, "made", "here", "*"))
            return {os.path.basename(path): read(path) for path in files}

    def test_threads_and_checks_change_nothing(self):
        for arguments in (["digits"], ["gemm_reduce_scatter"], ["all_gather_gemm"], ["reduce_scatter", "--set", "schedule=ring"], ["softmax"]):
            with self.subTest(arguments):
                first = self.outputs(*arguments, "--threads", "1")
                self.assertEqual(len(first), 1)
                self.assertTrue(all(name.endswith(".npy") and len(data) > 1000 for name, data in first.items()))
                self.assertEqual(self.outputs(*arguments, "--threads", "2"), first)
                self.assertEqual(self.outputs(*arguments, "--checks", "fast", "--threads", "2"), first)

    def test_orders_change_nothing(self):
        first = self.outputs("gemm")
        for order in (["issue"], ["reversed"], ["random"], ["random", "--seed", "7"], ["early"], ["late"]):
            with self.subTest(order):
                self.assertEqual(self.outputs("gemm", "--order", *order), first)

    def test_inputs_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            numbers = struct.pack("<1024f", *(i * 0.5 for i in range(1024)))
            path = write(folder, "in.npy", npy("<f4", (32, 32), numbers))
            self.assertEqual(self.outputs("copy", "--input", path)["out.npy"][-4096:], numbers)
            self.assertEqual(self.outputs("copy", "--input", folder)["out.npy"][-4096:], numbers)


    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            page, drawing, trace, steps = (
                os.path.join(folder, name) for name in ("report.html", "moves.svg", "trace.json", "steps.html")
            )
            told("digits", "--report", page, "--picture", drawing, "--trace", trace, "--steps", steps)
            for words in (b"<!doctype html>", b"const run={devices:4", b"mma.sync"):
                self.assertIn(words, read(steps))
            self.assertTrue(read(page).startswith(b"<!doctype html>"))
            for words in (b"mma_sync", b"logits", b"<svg"):
                self.assertIn(words, read(page))
            self.assertTrue(read(drawing).startswith(b"<svg"))
            told("gemm_sm90", "--roles", drawing)
            for words in (b"<svg", b">consumers</text>", b"0 \xe2\x86\x92"):
                self.assertIn(words, read(drawing))
            events = json.loads(read(trace))["traceEvents"]
            self.assertGreater(sum("mma.sync" in event.get("name", "") for event in events), 1000)

    def test_drawings_in_the_docs(self):
        """They are what the command draws now."""
        folder = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "examples", "pictures")
        for example in examples():
            with self.subTest(example["name"]), tempfile.TemporaryDirectory() as made:
                path = os.path.join(made, "moves.svg")
                told(example["name"], "--picture", path)
                self.assertEqual(read(path), read(os.path.join(folder, example["name"] + ".svg")))


class Watch(unittest.TestCase):
    """`--watch`: every write and read of one element, with agent, statement and value."""

    def test_shared_memory_of_a_gemm(self):
        done = run("run", "gemm", "--set", "M=32", "--set", "N=32", "--set", "K=32", "--watch", "C[3,5]")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.split("accesses of C[3,5]: ")[1].split("\n\n")[0].splitlines()
        self.assertEqual(lines[0], str(len(lines) - 1))
        for line in lines[1:]:
            self.assertRegex(line, r"^ *\d+ .* (lane \d+ of )?agent \d+, block \(.*\), (writes|reads) [-0-9.e+]+ by ")

    def test_json(self):
        watch = told("copy", "--watch", "in[1,2]")["watch"]
        self.assertEqual(watch["element"], "in[1,2]")
        self.assertEqual(watch["accesses"], len(watch["first"]))
        self.assertEqual([a["access"] for a in watch["first"]], ["read"])
        written = told("copy", "--watch", "out[1,2]", "--checks", "fast")["watch"]["first"]
        self.assertEqual([a["access"] for a in written], ["write"])
        self.assertEqual(written[0]["value"], watch["first"][0]["value"])
        self.assertNotEqual(written[0]["text"], "")
        self.assertNotIn("watch", told("copy"))

    def test_the_run_is_the_same(self):
        for example in ("transpose", "softmax"):
            plain, watched = told(example), told(example, "--watch", {"transpose": "B[0,1]", "softmax": "y[0,0]"}[example])
            self.assertGreater(watched.pop("watch")["accesses"], 0)
            self.assertEqual(watched, plain)

    def test_long_lists_are_cut(self):
        sizes = ["--set", "M=512", "--set", "N=512", "--set", "K=1024"]
        watch = told("gemm", *sizes, "--watch", "b[0,0]")["watch"]
        self.assertEqual(len(watch["first"]), 1000)
        self.assertGreater(watch["accesses"], 1000)
        text = run("run", "gemm", *sizes, "--watch", "b[0,0]").stdout
        rest = watch["accesses"] - 1000
        self.assertIn(f"and {rest:,} more\n", text)


class Misuse(unittest.TestCase):
    def refused(self, words, *arguments, **options):
        done = run("run", *arguments, **options)
        self.assertEqual((done.stdout, done.returncode), ("", 2), done.stderr)
        self.assertRegex(done.stderr, r"\Aaxe: [^\n]*\n\Z")
        self.assertRegex(done.stderr, words)

    def test_words(self):
        for arguments, words in (
            (["gem"], "no example is called 'gem'; did you mean gemm?"),
            (["--machine", "sm80"], "takes the name of an example"),
            (["gemm", "copy"], "one example; there is 'copy' besides gemm"),
            (["gemm", "--machine", "sm70"], 'no machine is called "sm70"; gemm runs on sm80, sm90, sm100, trn1, trn2 or cpu'),
            (["copy", "--machine", "trn1"], "copy runs on sm80 or sm90, not on trn1"),
            (["gemm", "--devices", "2"], "gemm runs on 1 device, not on 2"),
            (["digits", "--devices", "3"], "digits runs on 4, 1, 2 or 8 devices, not on 3"),
            (["digits", "--devices", "x"], "--devices takes a number from 1 to 1024, not 'x'"),
            (["digits", "--order", "last"], "--order is issue, reversed, random, early or late, not 'last'"),
            (["digits", "--seed", "x"], "--seed takes a number from 1 to"),
            (["digits", "--threads", "0"], "--threads takes a number from 1 to"),
            (["digits", "--checks", "some"], "--checks is full or fast, not 'some'"),
            (["gemm", "--against", "all"], "--against is specification, operators or both, not 'all'"),
            (["gemm", "--rows", "0"], "--rows takes a number from 1 to"),
            (["copy", "--watch", "out"], "--watch takes TENSOR[i,j], an index for each dimension, not 'out'"),
            (["copy", "--watch", "out[1,x]"], "--watch takes TENSOR[i,j]"),
            (["copy", "--watch", "none[1,2]"], "no tensor none to watch"),
            (["copy", "--watch", "out[1,99999]"], "element (1,99999) to watch is not one of out"),
            (["gemm", "--set", "M=0"], 'M is a number from 1 to 16384, not "0"'),
            (["gemm", "--set", "M=1.5"], "M is a number"),
            (["gemm", "--set", "R=3"], "gemm has no parameter"),
            (["gemm", "--set", "M"], "--set takes NAME=VALUE, not 'M'"),
            (["gemm", "--set"], "--set takes NAME=VALUE after it"),
            (["transpose", "--set", "tile=odd"], 'tile is swizzled or plain, not "odd"'),
            (["gemm", "--machin", "sm80"], "no option '--machin'; did you mean --machine?"),
            (["gemm", "--show=yes"], "--show takes no value"),
            (["reduce_scatter", "--set", "M=30"], "M is 30; each of the 8 devices"),
            (["gemm_reduce_scatter", "--set", "K=100"], "K is 100"),
            (["all_gather_gemm", "--set", "M=100"], "M is 100"),
            (["gemm", "--schedule", "reduce=ring"], 'gemm has no operator "reduce"'),
            (["gemm", "--input", "/no/such"], "/no/such is not there"),
            (["gemm", "--input", AXE], "neither a folder nor a file"),
        ):
            with self.subTest(arguments):
                self.refused(re.escape(words), *arguments)

    def test_a_schedule_that_does_not_apply(self):
        done = run("run", "gemm", "--schedule", "gemm=nc_matmul")
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertIn("gemm has no schedule nc_matmul; its schedules are: mma_sync, fma", done.stderr)
        done = run("run", "gemm", "--schedule", "copy=stmatrix")
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertIn("stmatrix: sm80 does not have what it needs: stmatrix", done.stderr)
        self.assertIn("its schedules are: ", run("run", "gemm", "--schedule", "gemm=wgm").stderr)

    def test_fastest(self):
        self.assertEqual(run("run", "gemm", "--fastest").returncode, 0)
        self.assertNotIn("slower than", run("run", "gemm").stdout)

    def test_files(self):
        good = npy("<f4", (32, 32), bytes(4096))
        for data, words in (
            (good[:-1], "in.npy"),
            (good[:20], "in.npy"),
            (b"", "in.npy"),
            (b"PK\x03\x04 no array", "in.npy"),
            (npy("<f8", (32, 32), bytes(8192)), "holds f64, and in is of f32"),
            (npy("<i4", (32, 32), b"\1\0\0\0" * 1024)[:-4], "in.npy"),
            (npy("<f4", (16, 64), bytes(4096)), "is (16,64), and in is (32,32)"),
            (npy("<c8", (32, 32), bytes(8192)), "in.npy"),
        ):
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                path = write(folder, "in.npy", data)
                self.refused(re.escape(words), "copy", "--input", path, "--output", os.path.join(folder, "out"))
                self.assertEqual(glob.glob(os.path.join(folder, "out", "*")), [])
        with tempfile.TemporaryDirectory() as folder:
            self.refused(r"in\.npy cannot be opened", "copy", "--input", folder)
            self.refused("copy has no input other; it has in", "copy", "--input", write(folder, "other.npy", good))
            self.refused("digits takes digits, labels", "digits", "--input", write(folder, "w3.npy", good))
            self.refused(r"\.npy cannot be opened", "digits", "--input", folder)

    def test_outputs_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            file = write(folder, "file", b"")
            self.refused("is not a folder to write outputs into", "copy", "--output", file)
            self.refused("is not a folder to write outputs into", "copy", "--output", file + "/below")
            self.refused("is not a folder to write outputs into", "copy", "--output", "/dev/full")
            for option in ("--report", "--picture", "--trace", "--steps", "--roles"):
                self.refused("there is no folder", "copy", option, folder + "/no/file")
                self.refused("is a folder, not a file", "copy", option, folder)
                if os.path.exists("/dev/full"):
                    self.refused("/dev/full cannot be written: ", "copy", option, "/dev/full")
            if os.geteuid() != 0:  # who may write anywhere
                os.mkdir(folder + "/closed", 0o555)
                self.refused("cannot be written into", "copy", "--output", folder + "/closed")

    def test_a_full_disk(self):
        """A limit on the size of files stands for it: writing begins and does not end."""

        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        with tempfile.TemporaryDirectory() as folder:
            self.refused(r"out\.npy cannot be written: ", "copy", "--output", folder, preexec_fn=little_room, restore_signals=False)
            for option in ("--report", "--picture", "--trace", "--steps", "--roles"):
                self.refused(
                    r"file cannot be written: ", "copy", option, folder + "/file", preexec_fn=little_room, restore_signals=False
                )
            self.assertEqual(os.listdir(folder), [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_standard_output_is_full(self):
        for arguments in (["copy"], []):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([AXE, "run", *arguments], stdout=full, stderr=subprocess.PIPE, timeout=300)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"cannot write the answer", done.stderr)


class Interruption(unittest.TestCase):
    def test_ctrl_c(self):
        """Once with the bar on a terminal, which must go, and once without."""
        for on_a_terminal in (True, False):
            with self.subTest(on_a_terminal=on_a_terminal), tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "out")
                terminal, side = pty.openpty()
                stderr = side if on_a_terminal else subprocess.PIPE
                process = subprocess.Popen([AXE, "run", "gemm", *LARGE, "--output", out], stdout=subprocess.PIPE, stderr=stderr)
                os.close(side)
                said = b""
                if on_a_terminal:
                    while b"%" not in said:
                        said += os.read(terminal, 1000)
                else:
                    while not os.path.isdir(out):  # made before the run
                        time.sleep(0.01)
                    time.sleep(0.3)
                process.send_signal(signal.SIGINT)
                printed = process.stdout.read()
                status = process.wait(timeout=300)
                if on_a_terminal:
                    while b"written" not in said:
                        said += os.read(terminal, 1000)
                    self.assertRegex(said, rb"gemm \[[#.]{30}\] +\d+ %")
                else:
                    said = process.stderr.read()
                    process.stderr.close()
                    self.assertEqual(said, b"axe: gemm was interrupted; nothing is written\n")
                os.close(terminal)
                process.stdout.close()
                self.assertIn(b"axe: gemm was interrupted; nothing is written", said)
                self.assertEqual((printed, status, os.listdir(out)), (b"", 130, []))


    def test_ctrl_c_ends_any_part_of_a_run_quickly(self):
        """Wherever it is, in blocks, in the verification or between, it ends within 0.2 s on a computer that does nothing else."""
        for level in ("full", "fast"):
            for wait in (0.3, 1.0, 2.0):
                with self.subTest(level=level, wait=wait):
                    process = subprocess.Popen([AXE, "run", "gemm", *LARGE, "--checks", level], stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE)
                    time.sleep(wait)
                    if process.poll() is not None:
                        process.communicate()
                        continue
                    start = time.monotonic()
                    process.send_signal(signal.SIGINT)
                    printed, said = process.communicate(timeout=300)
                    self.assertLess(time.monotonic() - start, 2)  # ten times as much, for a computer that does
                    self.assertEqual((printed, process.returncode), (b"", 130))
                    self.assertIn(b"was interrupted; nothing is written", said)


class Tables(unittest.TestCase):
    def test_machines(self):
        listed = json.loads(run("--json", "machines").stdout)["machines"]
        self.assertEqual([machine["name"] for machine in listed], ["cpu", "sm80", "sm90", "sm100", "trn1", "trn2", "spyre"])
        for machine in listed:
            page = run("machines", machine["name"]).stdout
            for kind in ("scopes", "memories", "links", "limits"):
                for row in machine[kind]:
                    self.assertRegex(page, rf"(?m)^{re.escape(row['name'])} ")
                    self.assertIn(row.get("source", ""), page)
            for instruction in machine["instructions"]:
                self.assertIn(f"\n{instruction}\n", page)
        done = run("machines", "sm81")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: unknown_machine: no machine is called 'sm81'; there are cpu, sm80", done.stdout)

    def test_schedules(self):
        listed = json.loads(run("--json", "schedules").stdout)["schedules"]
        page = run("schedules").stdout
        self.assertTrue(page.startswith(f"ok: {len(listed)} schedules"))
        for row in listed:
            self.assertRegex(
                page,
                rf"(?m)^{row['operator']} +{row['name']} +{row['priority']} +{row['targets']} "
                rf"+{re.escape(row['asks'])} +{re.escape(row['what'])}$",
            )
        self.assertEqual(len(set((row["operator"], row["name"]) for row in listed)), len(listed))
        classes = {row["name"]: row["class"] for row in listed if row["operator"] == "gemm"}
        self.assertGreater(classes["mma_sync"], classes["fma"])
        for operator in set(row["operator"] for row in listed):
            mine = json.loads(run("--json", "schedules", operator).stdout)["schedules"]
            self.assertEqual(mine, [row for row in listed if row["operator"] == operator])
            self.assertEqual([row["priority"] for row in mine], sorted((row["priority"] for row in mine), reverse=True))
        self.assertIn("unknown_operator: no schedule is of an operator 'gem'", run("schedules", "gem").stdout)


if __name__ == "__main__":
    main()
