#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library costs a compiler: seconds and peak memory, medians of N runs.

    python3 bench/compile/measure.py [--cxx g++] [--flags "-std=c++20 -O2"] [--runs 9] [--json FILE]

The sources are those of tests/compile_cost, which CI holds to counts; here they are timed. Prints a table; --json writes the numbers.
"""
import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "compile_cost"
FURTHER = 20  # static layouts in the longer of the two sources, less one

CASES = [  # name, source (None: empty), further flags
    ("empty", None, []),
    ("include", "include.cpp", []),
    ("operations", "operations.cpp", []),
    ("constants", "constants.cpp", []),
    ("static_1", "static_layouts.cpp", ["-DAXE_LAYOUTS=1"]),
    ("static_21", "static_layouts.cpp", [f"-DAXE_LAYOUTS={1 + FURTHER}"]),
]


def compile_once(command):
    """Wall seconds, processor seconds, and megabytes at the peak of the largest process."""
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(cxx="g++", flags="-std=c++20 -O2", runs=9):
    samples = {name: [] for name, _, _ in CASES}
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder, "empty.cpp")
        empty.write_text("")
        for run in range(runs + 1):  # in turn, so that a slow minute falls on all; the first round warms the file cache
            for name, source, more in CASES:
                path = SOURCES / source if source else empty
                command = [*shlex.split(cxx), *shlex.split(flags), *more, f"-I{ROOT / 'include'}", "-c", str(path), "-o",
                           os.path.join(folder, "out.o")]
                sample = compile_once(command)
                if run > 0:
                    samples[name].append(sample)
    cases = {}
    for name, values in samples.items():
        wall, cpu, peak = (statistics.median(column) for column in zip(*values))
        cases[name] = {"seconds": wall, "cpu_seconds": cpu, "megabytes": peak}
    empty = cases["empty"]
    # Differences are of processor time: they are small, and waiting for a processor is not the library's.
    slope = (cases["static_21"]["cpu_seconds"] - cases["static_1"]["cpu_seconds"]) / FURTHER
    version = subprocess.run([*shlex.split(cxx), "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {
        "compiler": version,
        "flags": flags,
        "runs": runs,
        "cases": cases,
        "include_above_empty": {
            "seconds": cases["include"]["cpu_seconds"] - empty["cpu_seconds"],
            "megabytes": cases["include"]["megabytes"] - empty["megabytes"],
        },
        "further_static_layout_ms": 1000 * slope,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--flags", default="-std=c++20 -O2")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    result = measure(options.cxx, options.flags, options.runs)
    print(f"{result['compiler']}, {result['flags']}, medians of {result['runs']} runs")
    print(f"{'':12} {'s':>7} {'cpu s':>7} {'MB':>6}")
    for name, case in result["cases"].items():
        print(f"{name:12} {case['seconds']:7.3f} {case['cpu_seconds']:7.3f} {case['megabytes']:6.0f}")
    above = result["include_above_empty"]
    print(f"include above empty: {above['seconds']:.3f} s, {above['megabytes']:.0f} MB")
    print(f"each further static layout with five operations: {result['further_static_layout_ms']:.1f} ms")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
