#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs gemm_sm90 or gemm_sm100 at the shapes of language models, without checks, and prints a Markdown table of seconds.

    python3 bench/examples/shapes.py build/demo/examples/axe/axe gemm_sm90 --keep FILE [--shapes 8192x4096x12288,...] [--threads 2]

Each shape is a run of the command, `axe run EXAMPLE --checks fast --set M=... --rows 2`, whose D is verified in two rows. `--keep FILE`
holds what was measured before, by shape, so that shapes can be measured one after the other; `--table` prints it without measuring, and
`--write PAGE` puts it into the page, between the lines that mark the place. What was not measured says so, and what the machine has no memory for.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

BATCH = 8192
MODELS = [  # hidden size and intermediate size, as their configurations give them
    ("Qwen3-8B", 4096, 12288), ("LLaMA-3.1-8B", 4096, 14336), ("Gemma-2-9B", 3584, 14336), ("Gemma-2-27B", 4608, 36864),
    ("Qwen3-32B", 5120, 25600), ("LLaMA-3.1-70B", 8192, 28672), ("LLaMA-3.1-405B", 16384, 53248), ("GPT-3 175B", 12288, 49152)]
TILES = {"gemm_sm90": {"tile_m": 128, "tile_n": 256, "walk": 1}, "gemm_sm100": {"tile_n": 256, "walk": 1}}
MARKS = ("<!-- shapes of models, measured: begin -->", "<!-- shapes of models, measured: end -->")


def shapes():
    """Model, M, N, K: the second product of a feed-forward layer, then the first, of gate and up together."""
    for model, h, i in MODELS:
        yield model, BATCH, h, i
        yield model, BATCH, 2 * i, h


def measure(axe, example, m, n, k, threads):
    values = {"M": m, "N": n, "K": k, **TILES[example]}
    command = [axe, "run", example, "--checks", "fast", "--threads", str(threads), "--rows", "2"]
    for name, value in values.items():
        command += ["--set", f"{name}={value}"]
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)  # of this process alone
        child.returncode = os.waitstatus_to_exitcode(status)
        all_seconds = time.monotonic() - start
        out.seek(0)
        text = out.read()
    if child.returncode == -signal.SIGKILL:  # what ends a process for which there is no memory
        return {"more_than_gigabytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9}
    run = re.search(r"run in ([\d.]+) s", text)
    if child.returncode != 0 or run is None or "f16: right" not in text:
        raise SystemExit(f"{' '.join(command)}\n{text}")
    return {"seconds": float(run[1]), "all_seconds": all_seconds, "threads": threads,
            "processor_seconds": used.ru_utime + used.ru_stime, "gigabytes": used.ru_maxrss * 1024 / 1e9, "load": os.getloadavg()[0]}


def table(kept):
    lines = ["| model | M × N × K | multiply-adds | seconds of the run | a second | processor seconds, with inputs and verification | memory |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for model, m, n, k in shapes():
        found, adds = kept.get(f"{m}x{n}x{k}"), m * n * k
        cells = ["not measured", "–", "–", "–"]
        if found and "more_than_gigabytes" in found:
            cells = ["not measured", "–", "–", f"> {found['more_than_gigabytes']:.0f} GB"]
        elif found:
            cells = [f"{found['seconds']:.1f}", f"{adds / found['seconds'] / 1e9:.1f} G", f"{found['processor_seconds']:.0f}",
                     f"{found['gigabytes']:.1f} GB"]
        lines.append(f"| {model} | {m} × {n} × {k} | {adds / 1e9:,.0f} G | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axe", help="the command")
    parser.add_argument("example", choices=TILES)
    parser.add_argument("--shapes", help="MxNxK, several with commas between; all, if not given")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", metavar="FILE", help="the numbers, by shape")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    parser.add_argument("--write", metavar="PAGE", help="put the table into a page")
    options = parser.parse_args()
    keep = pathlib.Path(options.keep) if options.keep else None
    kept = json.loads(keep.read_text()) if keep and keep.exists() else {}
    wanted = options.shapes.split(",") if options.shapes else [f"{m}x{n}x{k}" for _, m, n, k in shapes()]
    for shape in [] if options.table else wanted:
        kept[shape] = measure(options.axe, options.example, *map(int, shape.split("x")), options.threads)
        print(shape, kept[shape], flush=True)
        if keep:
            keep.write_text(json.dumps(kept, indent=2) + "\n")
    print(table(kept))
    if options.write:
        page = pathlib.Path(options.write)
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(f"{before}{MARKS[0]}\n{table(kept)}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    main()
