#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures copies between layouts on every machine that this one can pretend to be, and prints a Markdown table: the worst share of memcpy.

    cmake --preset bench && cmake --build --preset bench --target bench_relayout_memory
    python3 bench/relayout/memory.py build/bench/bench/bench_relayout_memory [--repetitions 3] [--rounds 15] [--write PAGE]

The program runs as often as there are repetitions, and figures are medians of those; a cell is the worst of the plans that the reported
caches lead to. `--constants` prints what the constants of the rule bring instead. `--write docs/performance.md` puts the table into the
page, between the lines that mark the place of this processor's, or after the last table where it has none. Exit status 1 when a goal is missed.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left in the tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402

SETS = {"avx2": "AVX2", "avx512": "AVX-512"}


def rows_of(program, arguments, repetitions):
    """The program's figures by everything else that it says of them, each the median of the runs."""
    samples = {}
    for _ in range(repetitions):
        text = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
        for row in map(json.loads, text.splitlines()):
            figures = {key: row.pop(key) for key in ("share", "never", "always", "in_huge_pages") if key in row}
            samples.setdefault(json.dumps(row), []).append(figures)
    return [(json.loads(row), {key: statistics.median(f[key] for f in found) for key in found[0]}) for row, found in samples.items()]


def grid(rows):
    """The table, and the goals that are missed."""
    columns = list(dict.fromkeys((row["pages"], row["instructions"]) for row, _ in rows))
    cells, goals = {}, {}
    for row, figures in rows:
        case = (row["case"], row["type"])
        goals[case] = row["goal"]
        key = (case, (row["pages"], row["instructions"]))
        cells[key] = min(cells.get(key, figures["share"]), figures["share"])
    lines = ["| case | type | goal | " + "".join(f"{pages}, {SETS[name]} | " for pages, name in columns) + "worst | reached |", "| --- " * (5 + len(columns)) + "|"]
    missed = []
    for case, goal in goals.items():
        shares = [cells[case, column] for column in columns]
        worst = min(shares)
        if round(worst, 2) < goal:
            missed.append(case)
        lines.append(f"| {case[0]} | {case[1]} | ≥ {goal:.2f} | " + "".join(f"{s:.2f} | " for s in shares) + f"{worst:.2f} | {'**missed**' if case in missed else 'yes'} |")
    return lines, missed


def constants(rows):
    """A table for each constant: cases by values."""
    lines = []
    for constant in ("tile_columns", "followed", "ahead", "burst"):
        found = [(row, figures) for row, figures in rows if row["constant"] == constant]
        values = list(dict.fromkeys(row["value"] for row, _ in found))
        lines += [f"| {constant} | pages | " + "".join(f"{v} | " for v in values), "| --- " * (2 + len(values)) + "|"]
        for case, kind, pages in dict.fromkeys((row["case"], row["type"], row["pages"]) for row, _ in found):
            shares = {row["value"]: figures["share"] for row, figures in found if (row["case"], row["type"], row["pages"]) == (case, kind, pages)}
            lines.append(f"| {case}, {kind} | {pages} | " + "".join(f"{shares[v]:.2f} | " for v in values))
        lines.append("")
    found = [(row["mib"], figures) for row, figures in rows if row["constant"] == "streaming"]
    lines += ["| rows to sticks of 128 bytes, MiB | " + "".join(f"{size} | " for size, _ in found), "| --- " * (1 + len(found)) + "|"]
    for how, words in (("never", "through the caches"), ("always", "past the caches")):
        lines.append(f"| {words} | " + "".join(f"{figures[how]:.2f} | " for _, figures in found))
    return lines


def notes(rows, options):
    huge = min((figures["in_huge_pages"] for row, figures in rows if row["pages"] == "2 MB"), default=0)
    return (f"Measured on {report.processor()}, one thread, {f'medians of {options.repetitions} runs' if options.repetitions > 1 else 'one run'} of the program, each figure the median of {options.rounds} runs between two of memcpy "
            f"in the same pages, in the thread's own time; load average {os.getloadavg()[0]:.1f} at the end. At least {100 * huge:.0f} % of the buffers of the columns 2 MB were in such pages. "
            "Each cell is the worst over reported second caches of 256 KiB to 2 MiB and last ones of 8 to 512 MiB.")


def write(page, tables):
    """Between this processor's marks, which are added after those of the others where it has none."""
    mark = "<!-- copies on {}, measured: {} -->".format
    begin, end = mark(report.processor(), "begin"), mark(report.processor(), "end")
    text = page.read_text()
    if begin not in text:
        last = [*re.finditer(r"<!-- copies on .*, measured: end -->\n", text)][-1].end()
        text = f"{text[:last]}\n{begin}\n{end}\n{text[last:]}"
    before, rest = text.split(begin)
    page.write_text(f"{before}{begin}\n{tables}\n{end}{rest.split(end)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="path of bench_relayout_memory")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of the program")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each plan within one")
    parser.add_argument("--constants", action="store_true", help="what the constants of the rule bring, instead")
    parser.add_argument("--write", metavar="PAGE", help="put the table into a page")
    options = parser.parse_args()
    rows = rows_of(options.program, [f"--rounds={options.rounds}"] + ["--constants"] * options.constants, options.repetitions)
    if options.constants:
        print("\n".join(constants(rows)))
        return 0
    lines, missed = grid(rows)
    tables = "\n".join(lines) + "\n\n" + notes(rows, options)
    print(tables)
    if options.write:
        write(pathlib.Path(options.write), tables)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
