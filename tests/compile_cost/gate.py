#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the compile cost of the library to a recorded baseline, by clang's counts, which repeat exactly, and not by seconds.

    python3 tests/compile_cost/gate.py            fails when a count is more than 5 % above the baseline
    python3 tests/compile_cost/gate.py --record   writes the counts of this tree as the new baseline of this clang

Counted for each source beside this file:
  instantiations   classes and functions made from templates (InstantiateClass, InstantiateFunction of -ftime-trace)
  evaluations      constant expressions evaluated (Evaluate… of -ftime-trace)
  steps            of the longest constant expression: the least -fconstexpr-steps that compiles it, within 2 %

The baseline is kept by clang's major version. Exits with 77 where there is no clang 16 or newer.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
INCLUDE = HERE.parents[1] / "include"
TOLERANCE = 0.05
OLDEST = 16
SKIPPED = 77

# name, source, further flags, whether its constant expressions are long enough to count their steps
CASES = [
    ("include", "include.cpp", [], False),
    ("operations", "operations.cpp", [], False),
    ("constants", "constants.cpp", [], True),
    ("static_layouts_1", "static_layouts.cpp", ["-DAXE_LAYOUTS=1"], False),
    ("static_layouts_21", "static_layouts.cpp", ["-DAXE_LAYOUTS=21"], True),
]


def major_version(command):
    try:
        text = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"clang version (\d+)", text)
    return int(found.group(1)) if found else None


def find_clang(recorded):
    """The command and its major version: $AXE_CLANG, else the newest clang that has a baseline, else the newest."""
    names = [os.environ["AXE_CLANG"]] if os.environ.get("AXE_CLANG") else ["clang++"] + [f"clang++-{v}" for v in range(40, OLDEST - 1, -1)]
    found = {}
    for name in names:
        command = shlex.split(name)
        if shutil.which(command[0]):
            version = major_version(command)
            if version is not None and version >= OLDEST:
                found.setdefault(version, command)
    if not found:
        return None
    version = max(found, key=lambda v: (str(v) in recorded, v))
    return found[version], version


def flags(more):
    return ["-std=c++20", "-O0", *more, f"-I{INCLUDE}"]


def trace_counts(clang, source, more, folder):
    trace = pathlib.Path(folder, "trace.json")
    trace.unlink(missing_ok=True)
    # An object is made, though none is needed: clang 19 writes no trace with -fsyntax-only.
    subprocess.run([*clang, *flags(more), "-ftime-trace=" + str(trace), "-ftime-trace-granularity=0", "-c", str(HERE / source), "-o",
                    os.path.join(folder, "out.o")], check=True)
    names = collections.Counter(e["name"] for e in json.loads(trace.read_text())["traceEvents"] if e.get("ph") == "X")
    return {
        "instantiations": names["InstantiateClass"] + names["InstantiateFunction"],
        "evaluations": sum(n for name, n in names.items() if name.startswith("Evaluate")),
    }


def steps(clang, source, more):
    def enough(limit):
        command = [*clang, *flags(more), "-fsyntax-only", "-w", f"-fconstexpr-steps={limit}", str(HERE / source)]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    too_few, enough_of = 0, 1 << 20
    if not enough(enough_of):
        return None
    while enough_of - too_few > max(1, enough_of // 50):
        middle = (too_few + enough_of) // 2
        if enough(middle):
            enough_of = middle
        else:
            too_few = middle
    return enough_of


def count_all(clang):
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source, more, long in CASES:
            counts[name] = trace_counts(clang, source, more, folder)
            if long:
                counts[name]["steps"] = steps(clang, source, more)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the counts of this tree as the new baseline")
    options = parser.parse_args()

    baselines = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    found = find_clang(baselines)
    if found is None:
        print(f"skipped: no clang {OLDEST} or newer on this machine")
        return SKIPPED
    clang, version = found
    counts = count_all(clang)

    if options.record:
        baselines[str(version)] = counts
        BASELINE.write_text(json.dumps(dict(sorted(baselines.items(), key=lambda item: int(item[0]))), indent=2) + "\n")
        print(f"recorded for clang {version}:")
    elif str(version) not in baselines:
        print(f"skipped: no baseline for clang {version}; `{sys.argv[0]} --record` writes one")
        return SKIPPED
    baseline = baselines[str(version)]

    worse, better = [], []
    print(f"{'clang ' + str(version):20} {'count':15} {'now':>9} {'baseline':>9}")
    for case, values in counts.items():
        for what, now in values.items():
            before = baseline.get(case, {}).get(what)
            note = ""
            if before is None or now is None:
                worse.append(f"{case}: {what}")
                note = "  not measured"
            elif now > before * (1 + TOLERANCE):
                worse.append(f"{case}: {what}")
                note = f"  {100 * (now / before - 1):+.0f} %: too many"
            elif now < before * (1 - TOLERANCE):
                better.append(f"{case}: {what}")
                note = f"  {100 * (now / before - 1):+.0f} %"
            print(f"{case:20} {what:15} {now if now is not None else '-':>9} {before if before is not None else '-':>9}{note}")
    if worse:
        print(f"compile cost is more than {100 * TOLERANCE:.0f} % above the baseline: {', '.join(worse)}")
        print("Find what grew; where the growth is wanted, record a new baseline with --record and say why in the commit.")
        return 1
    if better:
        print("Fewer than recorded: --record keeps it so.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
