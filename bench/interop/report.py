#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the interoperability formats, and prints Markdown tables: what, goal, nanoseconds, against the goal and against peers.

    cmake --preset bench && cmake --build --preset bench
    python3 bench/interop/report.py build/bench/bench/bench_interop [--peers PYTHON] [--repetitions 3] [--json FILE] [--write PAGE]

The program runs as often as there are repetitions, and figures are medians. `--peers` names a Python that has `triton` or `pycute`
(python3 -m venv peers && peers/bin/pip install triton && peers/bin/pip install --no-deps nvidia-cutlass): they are measured in turn
with it, processor time like ours; without it the tables say that no peer was measured. `--from FILE` prints what `--json FILE` kept.
`--write docs/performance.md` puts the tables into the page, between the lines that mark the place.
"""
import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARKS = ("<!-- the interoperability formats, measured: begin -->", "<!-- the interoperability formats, measured: end -->")
GOALS = [  # cases, where they stand, nanoseconds
    ("linear/compose/", "linear layouts, 128 × 128", 1000), ("linear/invert/", "linear layouts, 128 × 128", 1000),
    ("linear/invert_and_compose/", "linear layouts, 128 × 128", 1000), ("linear/", "linear layouts, 128 × 128", None),
    ("convert/", "conversions", 300), ("cute/to_axe", "conversions", 300), ("cute/from_axe", "conversions", 300),
    ("cute/read/", "CuTe's operations", None), ("cute/print/", "CuTe's operations", None), ("cute/copy/", None, None),
    ("cute/check/", None, None), ("cute/evaluate/", None, None), ("cute/", "CuTe's operations", 100),
    ("sharding/", "conversions", None),
    ("spyre/make/", "tensors on Spyre", 300), ("spyre/dma/", "tensors on Spyre", 1000), ("spyre/", "tensors on Spyre", None),
]


def measure(program, min_time):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.json")
        subprocess.run([program, f"--benchmark_min_time={min_time}", f"--benchmark_out={out}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {b["name"]: b["cpu_time"] for b in json.loads(out.read_text())["benchmarks"]}


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
        return f"{name}, {sum(line.startswith('processor') for line in lines)} of its threads"
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def collect(program, peers, repetitions, min_time):
    ours, others, names = {}, {}, {}
    for _ in range(repetitions):
        for case, ns in measure(program, min_time).items():
            ours.setdefault(case, []).append(ns)
        if peers:
            for case, entry in json.loads(subprocess.run([peers, "-B", HERE / "peers.py"], check=True, stdout=subprocess.PIPE).stdout).items():
                others.setdefault(case, []).append(entry["ns"])
                names[case] = entry["peer"]
    return {"machine": processor(), "repetitions": repetitions, "ours": {c: statistics.median(v) for c, v in ours.items()},
            "others": {c: {"peer": names[c], "ns": statistics.median(v)} for c, v in others.items()}}


def number(ns):
    return f"{ns:,.0f}" if ns >= 10 else f"{ns:.1f}"


def tables(numbers):
    sections = {}
    for case, ns in numbers["ours"].items():
        section, goal = next((s, g) for prefix, s, g in GOALS if case.startswith(prefix))
        if section is None:
            continue
        parts = case.split("/")
        parts = parts[1:] if parts[0] in ("convert", "linear") or section != "conversions" else parts
        # What leads to a row: the format, or the operation; what follows is the case.
        row, what = parts[0], "/".join(parts[1:])
        if section == "conversions" and len(parts) > 2:
            row, what = "/".join(parts[:-1]), parts[-1]
        sections.setdefault(section, {}).setdefault((row, goal), []).append((what, ns, numbers["others"].get(case)))
    out = []
    for section in ("linear layouts, 128 × 128", "conversions", "CuTe's operations", "tensors on Spyre"):
        if section not in sections:
            continue
        out += [f"| {section} | goal, ns | median, ns | slowest against the goal | others, ns |", "| --- | --- | --- | --- | --- |"]
        for (row, goal), cases in sections[section].items():
            cells = " · ".join(f"{what + ' ' if what else ''}{number(ns)}" for what, ns, _ in cases)
            slowest = max(ns for _, ns, _ in cases)
            against = "–" if goal is None else f"× {slowest / goal:.2f}" + ("" if slowest <= goal else " (**missed**)")
            compared = [(other["peer"], other["ns"], other["ns"] / ns) for _, ns, other in cases if other]
            others = "–"
            if compared:
                times, ratios = [c[1] for c in compared], [c[2] for c in compared]
                span = number(times[0]) if len(times) == 1 else f"{number(min(times))}–{number(max(times))}"
                ratio = f"{ratios[0]:,.0f}" if len(ratios) == 1 else f"{min(ratios):,.0f}–{max(ratios):,.0f}"
                others = f"{compared[0][0]}: {span}, × {ratio}"
            out.append(f"| {row} | {'–' if goal is None else f'≤ {goal:,}'} | {cells} | {against} | {others} |")
        out.append("")
    peers = sorted({entry["peer"] for entry in numbers["others"].values()})
    said = f"Peers, through Python in the same run: {', '.join(peers)}." if peers else "No peer was measured in this run."
    return "\n".join(out + [f"{numbers['machine']}; medians of {numbers['repetitions']} runs. {said}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="bench_interop")
    parser.add_argument("--peers", metavar="PYTHON", help="a Python that has triton or pycute")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--min-time", type=float, default=0.05, help="seconds a case and repetition")
    parser.add_argument("--json", metavar="FILE", help="keep the numbers")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into a page")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="print the numbers that were kept")
    options = parser.parse_args()
    if bool(options.program) == bool(options.kept):
        parser.error("name either the program or --from FILE")
    if options.kept:
        numbers = json.loads(pathlib.Path(options.kept).read_text())
    else:
        numbers = collect(options.program, options.peers, options.repetitions, options.min_time)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(numbers, indent=2) + "\n")
    text = tables(numbers)
    print(text)
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    sys.exit(main())
