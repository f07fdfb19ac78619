#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures, and prints a Markdown table: what, goal, measured, what others take.

    cmake --preset bench && cmake --build --preset bench
    python3 bench/report.py build/bench/bench/bench_algebra [--compile] [--repetitions 9] [--json FILE] [--write PAGE]

Run-time figures are medians of repetitions that are interleaved in random order; `--compile` adds the compiler's cost
(bench/compile/measure.py). `--from FILE` prints what `--json FILE` kept, without measuring. `--write docs/performance.md` puts the
tables into the page, between the lines that mark the place.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left in the tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "compile"))
import measure  # noqa: E402

# Figures of others: medians on another shared 2-core machine (AVX-512). TVM through Python, call overhead of 145 ns included; Triton
# through nanobind. To be read as orders of magnitude.
ROWS = [  # operation, goal in ns, what others take in ns
    ("canonicalize", 40, "TVM 1,300–3,200 · pycute 2,300"),
    ("equal", 50, "ISL 1,700–1,430,000 (exact) · TVM 2,400, Triton 90 (both structural only)"),
    ("group", 50, "TVM 3,300–5,500"),
    ("tile", 80, "TVM 12,700–19,000 · Triton 2,600 · pycute 30,000 (divide) · CuTe 1.3 (static)"),
    ("sum", 80, "TVM 10,600"),
    ("inverse", 80, "Triton 25,000–38,000 (with a composition) · ISL 41,000"),
    ("slice", 150, "TVM 10,000–23,000"),
    ("compose", 250, "CuTe 28 (not exact) · Triton 7,900 · pycute 12,900 · ISL 55,000"),
    ("untile", 150, "TVM 15,600"),
    ("untile_outer", 150, "TVM 32,000"),
    ("evaluate", 3.5, "CuTe 4.6 · Triton 950 · pycute 1,900 · TVM 2,800–4,400"),
    ("evaluate_static", None, "CuTe 1.8–2.8"),
    ("evaluate_throughput", None, ""),
    ("evaluate_point", None, ""),
]
RATIO_GOAL = 1.2
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")


def run(program, repetitions, min_time, pattern):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.json")
        command = [program, f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={min_time}",
                   "--benchmark_enable_random_interleaving=true", f"--benchmark_out={out}", "--benchmark_out_format=json"]
        if pattern:
            command.append(f"--benchmark_filter={pattern}")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.loads(out.read_text())
    samples = {}
    for entry in report["benchmarks"]:
        if entry.get("run_type") != "aggregate":
            samples.setdefault(entry["run_name"], []).append(entry["cpu_time"])
    return {name: statistics.median(values) for name, values in samples.items()}


def number(value):
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def verdict(values, goal):
    """Whether all of the layouts reach the goal, or the median of them, or neither."""
    if goal is None:
        return "–"
    over = sum(value > goal for value in values)
    if over == 0:
        return "yes"
    return f"at the median; {over} of {len(values)} over" if statistics.median(values) <= goal else "**no**"


def run_time_table(times):
    # `evaluate/static` is a benchmark of its own kind: its extents are constants.
    times = {n.replace("evaluate/static_", "evaluate_static/"): t for n, t in times.items()}
    small = {n: t for n, t in times.items() if not n.endswith("/large")}
    lines = ["| what | goal, ns | median, ns: each layout | median of these | reached | extents 2^50 times larger: goal ≤ × 1.2 | others, ns |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for operation, goal, others in ROWS:
        mine = {n.split("/", 1)[1]: t for n, t in small.items() if n.split("/")[0] == operation}
        if not mine:
            continue
        each = " · ".join(f"{layout} {number(t)}" + ("" if goal is None or t <= goal else " (over)") for layout, t in sorted(mine.items(), key=lambda i: i[1]))
        middle = statistics.median(mine.values())
        ratios = {layout: times[f"{operation}/{layout}/large"] / t for layout, t in mine.items() if f"{operation}/{layout}/large" in times}
        ratio = "–"
        if ratios:
            worst = max(ratios, key=ratios.get)
            ratio = f"× {statistics.median(ratios.values()):.2f}, at most {ratios[worst]:.2f} ({worst}){'' if ratios[worst] <= RATIO_GOAL else ': **no**'}"
        lines.append(f"| {operation} | {f'≤ {goal}' if goal else '–'} | {each} | {number(middle)} | {verdict(list(mine.values()), goal)} | {ratio} | {others or '–'} |")
    return lines


def static_table(times):
    lines = ["| loop nest of 4,096 elements | hand-written, ns | static_layout, ns | ratio |", "| --- | --- | --- | --- |"]
    for name in sorted(times):
        if name.startswith("static/"):
            case = name.split("/", 1)[1]
            hand = times[f"hand/{case}"]
            lines.append(f"| {case.replace('_', ' ')} | {number(hand)} | {number(times[name])} | {times[name] / hand:.2f} |")
    return lines


def compile_table(cost):
    cases, above = cost["cases"], cost["include_above_empty"]
    rows = [
        ("`#include <axe/axe.hpp>`, above an empty file", "≤ 0.15 s, ≤ 40 MB", f"{above['seconds']:.2f} s, {above['megabytes']:.0f} MB",
         above["seconds"] <= 0.15 and above["megabytes"] <= 40, "CuTe layout 1.08 s, 219 MB; tensor 2.18 s, 335 MB · mdspan 0.29 s, 82 MB"),
        ("and eight operations called", "≤ 0.8 s", f"{cases['operations']['cpu_seconds']:.2f} s, {cases['operations']['megabytes']:.0f} MB",
         cases["operations"]["cpu_seconds"] <= 0.8, "–"),
        ("the same eight at compile time", "–", f"{cases['constants']['cpu_seconds']:.2f} s, {cases['constants']['megabytes']:.0f} MB", None, "–"),
        ("each further static layout with five operations", "≤ 10 ms", f"{cost['further_static_layout_ms']:.1f} ms",
         cost["further_static_layout_ms"] <= 10, "CuTe 70 ms, 9 MB"),
    ]
    lines = [f"{cost['compiler']}, `{cost['flags']}`, medians of {cost['runs']} runs, processor seconds; an empty file takes {cases['empty']['cpu_seconds']:.2f} s, "
             f"{cases['empty']['megabytes']:.0f} MB.", "",
             "| what | goal | median | reached | others |", "| --- | --- | --- | --- | --- |"]
    for what, goal, value, reached, others in rows:
        lines.append(f"| {what} | {goal} | {value} | {'–' if reached is None else 'yes' if reached else '**no**'} | {others} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="bench_algebra")
    parser.add_argument("--compile", action="store_true", help="measure the compiler, too")
    parser.add_argument("--compile-runs", type=int, default=9)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--min-time", type=float, default=0.03, help="seconds a repetition")
    parser.add_argument("--filter", help="only these benchmarks, as a regular expression")
    parser.add_argument("--json", metavar="FILE", help="keep the numbers")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into a page")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="print the numbers that were kept")
    options = parser.parse_args()
    if bool(options.program) == bool(options.kept):
        parser.error("name either the program or --from FILE")

    if options.kept:
        numbers = json.loads(pathlib.Path(options.kept).read_text())
    else:
        numbers = {"times": run(options.program, options.repetitions, options.min_time, options.filter)}
        if options.compile:
            numbers["compile"] = measure.measure(runs=options.compile_runs)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(numbers, indent=2) + "\n")

    sections = [run_time_table(numbers["times"])]
    if any(n.startswith("static/") for n in numbers["times"]):
        sections.append(static_table(numbers["times"]))
    if "compile" in numbers:
        sections.append(compile_table(numbers["compile"]))
    tables = "\n\n".join("\n".join(lines) for lines in sections)
    print(tables)
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(f"{before}{MARKS[0]}\n{tables}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    main()
