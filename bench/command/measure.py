#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many requests a second does `axe batch` answer on one core?  measure.py AXE [--requests N] [--runs N]

Whole processes, from reading the first request to writing the last answer, with files at both ends; medians of the processor time.
Prints a Markdown table.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

GOAL = 200_000
TILE = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"
MIXES = {
    "eval": [f"eval; {TILE}; (8,16); (2,9)"],
    "preimage": [f"preimage; {TILE}; (8,16); {{lane:8, reg:1, warp:6}}"],
    "canonicalize": ["canonicalize; (4,2,8):(16,8,1) + [2:-4@warp]"],
    "equal": [f"equal; {TILE}; (8,2,4,1,2):(4@lane,1@warp,1@lane,7@m,1@reg) + [2:-4@warp] + 9@warp"],
    "slice": ["slice; (2,16,2,8):(2@gpuid,8@m,1@gpuid,1@m); (32,16); [16:32, 8:16]"],
    "tile": ["tile; (2,3):(3@cta,1@cta); (2,3); (8,16):(16,1); (8,16)"],
}


def cases():
    """Every row of the case files whose question is well-formed."""
    data = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"
    return [line.split("\t")[0] for name in ("algebra.tsv", "algebra_more.tsv") for line in (data / name).read_text().splitlines()
            if "\t" in line and not line.endswith("\terror")]


def seconds(axe, path, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path, "rb") as requests, open(os.devnull, "wb") as answers:
        subprocess.run([axe, *options, "batch"], stdin=requests, stdout=answers, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("axe")
    arguments.add_argument("--requests", type=int, default=400_000)
    arguments.add_argument("--runs", type=int, default=5)
    given = arguments.parse_args()
    print("| requests | goal, a second | plain, a second | --json, a second | reached |\n| --- | --- | --- | --- | --- |")
    for name, requests in {**MIXES, "the case files, all of them": cases()}.items():
        rates = []
        for options in ([], ["--json"]):
            with tempfile.NamedTemporaryFile("w") as file:
                count = 0
                while count < given.requests:
                    file.write("\n".join(requests) + "\n")
                    count += len(requests)
                file.flush()
                rates.append(count / statistics.median(seconds(given.axe, file.name, options) for _ in range(given.runs)))
        print(f"| {name} | ≥ {GOAL:,} | {rates[0]:,.0f} | {rates[1]:,.0f} | {'yes' if rates[0] >= GOAL else '**no**'} |", flush=True)


if __name__ == "__main__":
    main()
