# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`axe batch` on streams as they come: long lines, rubbish, peers that wait or go away, full disks, Ctrl-C, terminals."""

import os
import pty
import random
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from axe_command import AXE, TILE, batch, main, run

REQUEST = f"eval; {TILE}; (8,16); (2,9)"
ANSWER = "ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}"
LONGEST = 2**20


def start(*arguments, **streams):
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([AXE, *arguments, "batch"], **streams)


def end(process):
    """Waits for the end; the exit status and standard error."""
    told = process.stderr.read().decode() if process.stderr else ""
    status = process.wait(timeout=60)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            try:
                stream.close()
            except BrokenPipeError:
                pass
    return status, told


class Lines(unittest.TestCase):
    def test_ends_of_lines(self):
        for text, count in (
            ("", 0),
            (REQUEST, 1),
            (REQUEST + "\n", 1),
            (REQUEST + "\r\n", 1),
            (REQUEST + "\r", 1),
            (REQUEST + "\r\n" + REQUEST, 2),
            ("  " + REQUEST.replace("; ", " ;\t ") + " \t\r\n", 1),
        ):
            with self.subTest(text):
                self.assertEqual(batch(text.encode()), [ANSWER] * count)

    def test_every_line_is_answered(self):
        answers = batch(["", "   ", ";", ";;;", REQUEST, "nonsense; 1", "eval", REQUEST + ";", "help", "batch", REQUEST])
        self.assertEqual(
            [a[:28] for a in answers],
            ["error: empty_request: expect"] * 2
            + ["error: unknown_operation: no"] * 2
            + [ANSWER[:28], "error: unknown_operation: no"]
            + ["error: wrong_arguments: eval"] * 2
            + ["error: unknown_operation: he", "error: unknown_operation: ba", ANSWER[:28]],
        )

    def test_the_longest_request(self):
        for length, answer in (
            (LONGEST, ANSWER),
            (LONGEST + 1, f"error: too_long: a request has at most {LONGEST} characters"),
            (10_000_000, f"error: too_long: a request has at most {LONGEST} characters"),
        ):
            for newline in ("\n", "\r\n", ""):
                with self.subTest(length=length, newline=newline):
                    text = REQUEST + " " * (length - len(REQUEST)) + newline
                    self.assertEqual(batch((REQUEST + "\n" + text).encode()), [ANSWER, answer])
                    if newline:
                        self.assertEqual(batch((text + REQUEST + "\n").encode()), [answer, ANSWER])

    def test_a_long_line_takes_no_memory(self):
        script = f'ulimit -v 60000; head -c 300000000 /dev/zero | tr "\\0" x | "{AXE}" batch'
        if (
            run("--version").returncode != 0
            or subprocess.run(["sh", "-c", f'ulimit -v 60000; "{AXE}" --version'], capture_output=True).returncode
        ):
            self.skipTest("the program does not start in 60 MB of addresses (sanitizers)")
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.stdout, done.stderr), (f"error: too_long: a request has at most {LONGEST} characters\n", ""))

    def test_rubbish(self):
        rng = random.Random(5)
        lines = [bytes(rng.choice([b for b in range(256) if b != 10]) for _ in range(rng.randint(1, 80))) for _ in range(3000)]
        for word in (REQUEST, "show; 8:1", "slice; 8:1; 8; [0:4]", "rename; 8:1@lane; lane=x", "picture; 8:1; 8"):
            for _ in range(600):  # requests with a few bytes changed
                line = bytearray(word.encode())
                for _ in range(rng.randint(1, 3)):
                    line[rng.randrange(len(line))] = rng.choice([b for b in range(256) if b != 10])
                lines.append(bytes(line))
        lines += [b"\0", b"\0" * 1000, b"\xff\xfe", REQUEST.encode() + b"\0", b"\x1b[2J"]
        answers = batch(b"".join(line + b"\n" for line in lines))
        self.assertEqual(len(answers), len(lines))
        for line, answer in zip(lines, answers):
            with self.subTest(line):
                self.assertRegex(answer, r"^(ok|none|error): [ -~]+$")  # no raw bytes
        self.assertGreater(sum("is not text" in a for a in answers), 100)

    def test_cut_anywhere(self):
        text = (REQUEST + "\n" + "equal; 4:1; 4:2\n").encode()
        rng = random.Random(6)
        process = start()
        for _ in range(200):
            rest = text
            while rest:
                cut = rng.randint(1, len(rest))
                process.stdin.write(rest[:cut])
                process.stdin.flush()
                rest = rest[cut:]
        process.stdin.close()
        self.assertEqual(process.stdout.read().decode(), (ANSWER + "\nok: no: at 1: {m:1} vs {m:2}\n") * 200)
        self.assertEqual(end(process), (0, ""))


class Peers(unittest.TestCase):
    def test_each_answer_at_once(self):
        process = start()
        for _ in range(100):
            process.stdin.write((REQUEST + "\n").encode())
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], 20)[0], "the answer is held back")
            self.assertEqual(process.stdout.readline().decode(), ANSWER + "\n")
        # a complete line is answered while the next one is under way
        process.stdin.write((REQUEST + "\n" + REQUEST[:10]).encode())
        process.stdin.flush()
        self.assertTrue(select.select([process.stdout], [], [], 20)[0], "the answer is held back")
        self.assertEqual(process.stdout.readline().decode(), ANSWER + "\n")
        process.stdin.write(REQUEST[10:].encode())
        process.stdin.close()
        self.assertEqual(process.stdout.readline().decode(), ANSWER + "\n")
        self.assertEqual(end(process), (0, ""))

    def test_slow_requests_hold_nothing_up(self):
        """Of requests that come at once, the first answers do not wait for all."""
        extents, strides = "1000," * 5 + "1000", "1000003,1000033,1000037,1000039,1000081,1000099"
        process = start()
        begin = time.monotonic()
        process.stdin.write((f"injective; ({extents}):({strides})\n" * 8).encode())
        process.stdin.close()
        self.assertIn(b"undecided", process.stdout.readline())
        first = time.monotonic()
        self.assertEqual(process.stdout.read().count(b"undecided"), 7)
        last = time.monotonic()
        self.assertGreater(last - first, (last - begin) / 3)
        self.assertEqual(end(process), (0, ""))

    def test_a_reader_that_goes_away(self):
        requests = ((REQUEST + "\n") * 50000).encode()
        for arguments in ([], ["--json"]):
            process = start(*arguments)
            feeder = threading.Thread(target=self.feed, args=(process, requests))
            feeder.start()
            self.assertIn(b"lane", process.stdout.readline())
            process.stdout.close()
            status, told = end(process)
            feeder.join()
            self.assertEqual((status, told), (2, "axe: cannot write the answers: Broken pipe\n"))

    @staticmethod
    def feed(process, requests):
        try:
            process.stdin.write(requests)
            process.stdin.close()
        except BrokenPipeError:
            pass

    def test_a_reader_that_went_away_before(self):
        for arguments in (["show", "8:1"], ["help"], ["slice"], ["completion", "bash"], ["--version"]):
            with self.subTest(arguments):
                reading, writing = os.pipe()
                os.close(reading)
                done = subprocess.run([AXE, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
                os.close(writing)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith("axe: cannot write the answer: Broken pipe\n"), done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            for arguments, text in ((["batch"], "answers"), (["show", "8:1"], "answer"), (["help"], "answer")):
                with self.subTest(arguments):
                    done = subprocess.run(
                        [AXE, *arguments], input=REQUEST + "\n", stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
                    )
                    self.assertEqual(
                        (done.returncode, done.stderr), (2, f"axe: cannot write the {text}: No space left on device\n")
                    )
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/dev/full", os.path.join(folder, "tile.svg"))
            for layout, shape in ((TILE, "(8,16)"), ("1:1", "1")):  # the second is so small that only closing the file tells
                done = run("picture", layout, shape, "tile.svg", cwd=folder)
                self.assertEqual(
                    (done.stdout, done.returncode), ("error: cannot_write: tile.svg cannot be written: No space left on device\n", 2)
                )

    def test_input_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            handle = os.open(folder, os.O_RDONLY)
            status, told = end(start(stdin=handle))
            os.close(handle)
            self.assertEqual((status, told), (2, "axe: cannot read the requests: Is a directory\n"))

    def test_streams_that_do_not_block(self):
        """Ends of pipes that say "try again" are waited for."""
        inner, outer = os.pipe()
        answers, writing = os.pipe()
        os.set_blocking(inner, False)
        os.set_blocking(writing, False)
        process = start(stdin=inner, stdout=writing)
        os.close(inner)
        os.close(writing)
        count = 20000  # far more than a pipe holds
        feeder = threading.Thread(target=self.slowly, args=(outer, count))
        feeder.start()
        time.sleep(0.3)
        with open(answers, encoding="ascii") as stream:
            self.assertEqual(stream.read(), (ANSWER + "\n") * count)
        feeder.join()
        self.assertEqual(end(process), (0, ""))

    @staticmethod
    def slowly(outer, count):
        with open(outer, "wb") as stream:
            for _ in range(count):
                stream.write((REQUEST + "\n").encode())


class Interrupts(unittest.TestCase):
    def test_while_it_waits(self):
        process = start()
        process.stdin.write((REQUEST + "\n").encode() * 3)
        process.stdin.flush()
        got = [process.stdout.readline().decode() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        self.assertEqual(end(process), (130, "axe: interrupted after 3 answers\n"))
        self.assertEqual(got, [ANSWER + "\n"] * 3)

    def test_while_it_works(self):
        for pause in (0.0, 0.02, 0.1):
            with tempfile.TemporaryFile() as requests, tempfile.TemporaryFile() as answers:
                requests.write((REQUEST + "\n").encode() * 3_000_000)
                requests.seek(0)
                process = start(stdin=requests, stdout=answers)
                while os.fstat(answers.fileno()).st_size == 0:  # until the first answers are there
                    time.sleep(0.001)
                time.sleep(pause)
                process.send_signal(signal.SIGINT)
                status, told = end(process)
                self.assertEqual(status, 130)
                count = int(re.fullmatch(r"axe: interrupted after (\d+) answers\n", told)[1])
                answers.seek(0)
                text = answers.read().decode()
                self.assertLess(count, 3_000_000)
                self.assertTrue(text == (ANSWER + "\n") * count, "what was answered is not all there")

    def test_other_signals_do_not_matter(self):
        process = start()
        for _ in range(5):
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)
            process.stdin.write((REQUEST + "\n").encode())
            process.stdin.flush()
            self.assertEqual(process.stdout.readline().decode(), ANSWER + "\n")
        process.stdin.close()
        self.assertEqual(end(process), (0, ""))


class Terminals(unittest.TestCase):
    """Standard error is a pseudo-terminal."""

    def watch(self, seconds, **streams):
        """What appears on the terminal while requests come for some time."""
        ours, theirs = pty.openpty()
        streams = {key: theirs if value == "terminal" else value for key, value in streams.items()}
        process = start(stderr=theirs, **streams)
        os.close(theirs)
        if process.stdin:
            end_at = time.monotonic() + seconds
            while time.monotonic() < end_at:
                process.stdin.write((REQUEST + "\n").encode())
                process.stdin.flush()
                time.sleep(0.02)
            process.stdin.close()
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0)
        return shown.decode()

    def test_progress_of_a_stream(self):
        shown = self.watch(2, stdout=subprocess.DEVNULL)
        self.assertRegex(shown, r"\r\x1b\[K\d+ answers, \d+ a second(?!, )")
        self.assertNotIn("left", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), "the line stays")

    def test_progress_of_a_file(self):
        """How long the rest takes is told while it is read; a file that no machine is through with sooner."""
        ours, theirs = pty.openpty()
        with tempfile.TemporaryFile() as requests:
            requests.write((REQUEST + "\n").encode() * 4_000_000)
            requests.seek(0)
            process = start(stdin=requests, stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            shown = b""
            while b" left" not in shown:
                self.assertTrue(select.select([ours], [], [], 60)[0], "nothing is told")
                shown += os.read(ours, 65536)
            process.kill()
            process.wait(timeout=60)
        os.close(ours)
        self.assertRegex(shown.decode(), r"\r\x1b\[K\d+ answers, \d+ a second, \d+ s left")

    def test_short_runs_say_nothing(self):
        self.assertEqual(self.watch(0.3, stdout=subprocess.DEVNULL), "")

    def test_a_person_is_told_what_to_type(self):
        ours, theirs = pty.openpty()
        process = start(stdin=theirs, stderr=theirs)
        os.close(theirs)
        os.write(ours, b"equal; 4:1; 4:1\n\x04")
        self.assertEqual(process.stdout.read(), b"ok: yes\n")
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()
        self.assertIn(b"axe: one request a line, such as `eval; 64:1; (8,8); (1,2)`; Ctrl-D ends\r\n", os.read(ours, 65536))
        os.close(ours)

    def test_answers_on_the_same_terminal(self):
        shown = self.watch(1.5, stdout="terminal")
        self.assertEqual(set(shown.split("\r\n")), {ANSWER, ""})


if __name__ == "__main__":
    main()
