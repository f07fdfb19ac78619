#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the simulator, and prints a Markdown table: what, goal, rates of three builds, against a peer of the same run.

    cmake --preset bench && cmake --build --preset bench
    python3 bench/sim/report.py build/bench/bench [--repetitions 5] [--json FILE] [--write PAGE]

The three programs run in turn, as often as there are repetitions; figures are medians. `--from FILE` prints what `--json FILE` kept,
without measuring. `--write docs/performance.md` puts the table into the page, between the lines that mark the place.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

PROGRAMS = {"bench_sim": "-O3", "bench_sim_o2": "-O2", "bench_sim_sse2": "-O3, no AVX2"}
GIGA, MEGA = (1e9, "G"), (1e6, "M")
ROWS = [  # case, in words, unit, goal, goal without AVX2, peer
    ("gemm/fast", "GEMM 1024³, fast", GIGA, 30, 8, "gemm/opencl"),
    ("gemm_eight_warps/fast", "the same by eight warps", GIGA, None, None, "gemm/opencl"),
    ("gemm_tails/fast", "1000 × 1003 × 1021", GIGA, None, None, "gemm/opencl"),
    ("gemm_cp_async/fast", "1024³, tiles by cp.async, two stages", GIGA, None, None, "gemm/opencl"),
    ("gemm/checked", "GEMM 1024³, all checks and counters", GIGA, 12, None, "gemm/opencl"),
    ("gemm_eight_warps/checked", "the same by eight warps", GIGA, None, None, "gemm/opencl"),
    ("gemm_tails/checked", "1000 × 1003 × 1021", GIGA, 5, None, "gemm/opencl"),
    ("gemm_cp_async/checked", "1024³, tiles by cp.async, two stages", GIGA, None, None, "gemm/opencl"),
    ("copy/fast", "copy of 16 Mi f16, fast", GIGA, 2, None, "copy/memcpy"),
    ("copy_tails/fast", "8 elements fewer", GIGA, None, None, "copy/memcpy"),
    ("copy_cp_async/fast", "by cp.async", GIGA, None, None, "copy/memcpy"),
    ("copy/checked", "copy of 16 Mi f16, all checks and counters", MEGA, 300, None, "copy/memcpy"),
    ("copy_tails/checked", "8 elements fewer", MEGA, None, None, "copy/memcpy"),
    ("copy_cp_async/checked", "by cp.async", MEGA, None, None, "copy/memcpy"),
]
MARKS = ("<!-- the simulator, measured: begin -->", "<!-- the simulator, measured: end -->")


def run(program, min_time):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.json")
        subprocess.run([program, f"--benchmark_min_time={min_time}", f"--benchmark_out={out}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = json.loads(out.read_text())["benchmarks"]
    return {b["name"].removesuffix("/real_time"): {k: b[k] for k in ("items_per_second", "of_tensors", "bytes_per_element") if k in b}
            for b in found if not b.get("error_occurred")}


def measure(folder, repetitions, min_time):
    samples = {}
    for _ in range(repetitions):
        for program in PROGRAMS:
            for case, values in run(folder / program, min_time).items():
                for key, value in values.items():
                    samples.setdefault(program, {}).setdefault(case, {}).setdefault(key, []).append(value)
    return {program: {case: {key: statistics.median(v) for key, v in keys.items()} for case, keys in cases.items()}
            for program, cases in samples.items()}


def rates(numbers):
    lines = [f"| what | goal | {' | '.join(PROGRAMS.values())} | of the peer |", "| --- " * (3 + len(PROGRAMS)) + "|"]
    main = numbers["bench_sim"]
    for case, words, (unit, letter), goal, narrow_goal, peer in ROWS:
        cells = []
        for program in PROGRAMS:
            rate = numbers[program][case]["items_per_second"] / unit
            aim = narrow_goal if program == "bench_sim_sse2" else goal
            cells.append((f"{rate:.1f}" if unit == 1e9 else f"{rate:.0f}") + ("" if aim is None or rate >= aim else " (**missed**)"))
        aims = "–" if goal is None else f"≥ {goal} {letter}/s" + (f", {narrow_goal} without AVX2" if narrow_goal else "")
        of_peer = f"× {main[case]['items_per_second'] / main[peer]['items_per_second']:.2g}" if peer in main else "–"
        lines.append(f"| {words} | {aims} | {' | '.join(cells)} | {of_peer} |")
    peers = [f"{name}: {main[case]['items_per_second'] / 1e9:.1f} G/s" for case, name in
             (("gemm/opencl", "a tiled SGEMM in OpenCL C on PoCL, one thread"), ("copy/memcpy", "memcpy through an 8 KiB buffer")) if case in main]
    return lines + ["", f"Peers: {'; '.join(peers)}."]


def threads(numbers):
    goal = 1.8
    lines = ["| two host threads against one | goal | fast | all checks |", "| --- | --- | --- | --- |"]
    main = numbers["bench_sim"]
    rows = [("one device: GEMM 1024³", "gemm", "gemm/2_threads"), ("one device: 1000 × 1003 × 1021", "gemm_tails", "gemm_tails/2_threads"),
            ("one device: copy of 16 Mi f16", "copy", "copy/2_threads"),
            *((f"four devices, a {n}³ product each", f"devices_{n}/1", f"devices_{n}/2") for n in (1024, 512))]
    for words, one, two in rows:
        cells = []
        for level in ("fast", "checked"):
            ratio = main[f"{two}/{level}"]["items_per_second"] / main[f"{one}/{level}"]["items_per_second"]
            cells.append(f"{ratio:.2f}" + ("" if ratio >= goal else " (**missed**)"))
        lines.append(f"| {words} | ≥ {goal} | {' | '.join(cells)} |")
    return lines


def memory(numbers):
    lines = ["| memory | goal | fast | goal | all checks |", "| --- | --- | --- | --- | --- |"]
    main = numbers["bench_sim"]
    for case, words in (("copy", "copy of 16 Mi f16: 64 MiB of tensors"), ("gemm", "GEMM 1024³: 8 MiB of tensors"), ("gemm_tails", "1000 × 1003 × 1021")):
        fast, checked = main[f"{case}/fast"], main[f"{case}/checked"]
        if "of_tensors" not in fast:
            return []
        lines.append(f"| {words} | ≤ 1.2 × tensors | {fast['of_tensors']:.2f}{'' if fast['of_tensors'] <= 1.2 else ' (**missed**)'} | ≤ 10 bytes an element above them "
                     f"| {checked['bytes_per_element']:.1f}{'' if checked['bytes_per_element'] <= 10 else ' (**missed**)'} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="where bench_sim, bench_sim_o2 and bench_sim_sse2 are")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.2, help="seconds a case and repetition")
    parser.add_argument("--json", metavar="FILE", help="keep the numbers")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into a page")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="print the numbers that were kept")
    options = parser.parse_args()
    if bool(options.folder) == bool(options.kept):
        parser.error("name either the folder or --from FILE")
    if options.kept:
        numbers = json.loads(pathlib.Path(options.kept).read_text())
    else:
        numbers = measure(pathlib.Path(options.folder), options.repetitions, options.min_time)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(numbers, indent=2) + "\n")
    tables = "\n\n".join("\n".join(lines) for lines in (rates(numbers), threads(numbers), memory(numbers)) if lines)
    print(tables)
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(f"{before}{MARKS[0]}\n{tables}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    main()
