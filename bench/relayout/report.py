#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures copies between layouts, and prints Markdown tables: case, goal, axe, the peers of the same run, who was best elsewhere.

    cmake --preset bench && cmake --build --preset bench --target bench_relayout
    python3 bench/relayout/report.py build/bench/bench/bench_relayout [--repetitions 3] [--json FILE] [--write PAGE] [--svg FILE]

The program runs as often as there are repetitions, and figures are medians of those. `--write docs/performance.md` puts the tables
into the page, between the lines that mark the place (at its end where there are none), and draws the chart into pictures/ beside it; `--svg`
draws it elsewhere. `--from FILE` prints what `--json FILE` kept, without measuring. Exit status 1 when a result of axe was wrong or
refused.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left in the tree
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chart  # noqa: E402

PEERS = [("openblas", "OpenBLAS omatcopy"), ("onednn", "oneDNN reorder"), ("eigen", "Eigen shuffle"), ("naive", "naive loop")]
MARKS = ("<!-- copies, measured: begin -->", "<!-- copies, measured: end -->")
PLAN_GOAL = 5e-6


def run(program, pairs, pattern):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.json")
        command = [program, f"--pairs={pairs}", f"--benchmark_out={out}", "--benchmark_out_format=json"]
        subprocess.run(command + ([f"--benchmark_filter={pattern}"] if pattern else []), check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def processor():
    """The processor in words; never the machine's name."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "processor not known"
    fields = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    name = fields.get("model name") or fields.get("CPU part", "processor not known")
    flags = (fields.get("flags") or fields.get("Features", "")).split()
    widest = next((words for flag, words in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sse2", "SSE2"), ("asimd", "NEON")) if flag in flags), None)
    return ", ".join(filter(None, (name, f"family {fields['cpu family']} model {fields['model']}" if "model" in fields else None, widest,
                                   "virtual machine" if "hypervisor" in flags else None)))


def streaming_threshold():
    """From how many bytes on glibc's memcpy uses streaming stores; None where glibc does not say."""
    for loader in pathlib.Path("/lib64").glob("ld-linux*.so*"):
        text = subprocess.run([loader, "--list-tunables"], capture_output=True, text=True).stdout
        for line in text.splitlines():
            if line.startswith("glibc.cpu.x86_non_temporal_threshold:"):
                return int(line.split()[1], 16)
    return None


def measure(program, repetitions, pairs, pattern):
    cases = json.loads(subprocess.run([program, "--cases"], check=True, capture_output=True, text=True).stdout)
    samples, errors, labels = {}, {}, {}
    for _ in range(repetitions):
        found = run(program, pairs, pattern)
        for b in found["benchmarks"]:
            name = b["name"].removesuffix("/manual_time")
            if b.get("error_occurred"):
                errors[name] = b["error_message"]
                continue
            labels[name] = b.get("label", "")
            seconds = b["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[b["time_unit"]]
            counters = {k: b[k] for k in ("share_of_memcpy", "memcpy_bytes_per_second", "plan_seconds") if k in b}
            for key, value in {"seconds": seconds, **counters}.items():
                samples.setdefault(name, {}).setdefault(key, []).append(value)
    numbers = {name: {key: statistics.median(v) for key, v in keys.items()} for name, keys in samples.items() if name not in errors}
    spread = {name: [min(keys["share_of_memcpy"]), max(keys["share_of_memcpy"])] for name, keys in samples.items() if name not in errors}
    context = {k: found["context"].get(k, "") for k in ("caches", "num_cpus", "peers", "peers_missing", "compiler", "transparent_hugepages")}
    context.update(processor=processor(), repetitions=repetitions, pairs=pairs, load=round(os.getloadavg()[0], 1), memcpy_streams_from=streaming_threshold())
    return {"cases": cases, "context": context, "numbers": numbers, "spread": spread, "errors": errors, "plans": labels}


def value_of(kept, name, key="share_of_memcpy"):
    """The number; the word that stands for it where the run failed; None where there is none."""
    if name in kept["errors"]:
        return kept["errors"][name].split(":")[0]
    return kept["numbers"].get(name, {}).get(key)


def is_number(value):
    return isinstance(value, (int, float))


def cell(value, form="{:.2f}"):
    return "–" if value is None else form.format(value) if is_number(value) else f"**{value}**"


def own_cell(kept, name, value):
    """With the range over the runs, where they differ."""
    low, high = kept["spread"].get(name, (value, value))
    return cell(value) + (f" ({low:.2f}–{high:.2f})" if is_number(value) and high - low >= 0.01 else "")


def shown_peers(kept):
    return [(key, words) for key, words in PEERS if any(n.endswith(f"/peer:{key}") for n in (*kept["numbers"], *kept["errors"]))]


def verdict(axe, goal, best, others):
    """`yes`, or what is missing: all that the row asks for."""
    if axe is None:
        return "not measured"
    if not is_number(axe):
        return f"**{axe}**"
    short = [f"goal {goal:g}"] if goal and round(axe, 2) < goal else []
    short += [f"best elsewhere {best:g}"] if best and round(axe, 2) < best else []
    short += [words for words, value in others if is_number(value) and value >= axe]
    return "**missed**: below " + ", ".join(short) if short else "yes"


def shares_table(kept):
    peers = shown_peers(kept)
    bounds = [("stream", "memcpy's work by streaming stores")] if any(n.endswith("/peer:stream") for n in kept["numbers"]) else []
    lines = [f"| case | type | threads | goal | axe | {''.join(words + ' | ' for _, words in peers + bounds)}best elsewhere | reached |", "| --- " * (7 + len(peers + bounds)) + "|"]
    for case in kept["cases"]:
        for threads in (1, 2):
            name, goal, best = f"{case['name']}/{case['type']}/{threads}", case["goal"][threads - 1], case["best"][threads - 1]
            axe = value_of(kept, name)
            values = [(words, value_of(kept, f"{name}/peer:{key}")) for key, words in peers]
            if case["goal_ns"] or axe is None and all(v is None for _, v in values):
                continue
            shown = [v for _, v in values] + [value_of(kept, f"{name}/peer:{key}") for key, _ in bounds]
            lines.append(f"| {case['words']} | {case['type']} | {threads} | {f'≥ {goal:.2f}' if goal else '–'} | {own_cell(kept, name, axe)} | {''.join(cell(v) + ' | ' for v in shown)}"
                         f"{f'''{best:.2f} {case['best_name']}''' if best else '–'} | {verdict(axe, goal, best, values)} |")
    return lines if len(lines) > 2 else []


def small_table(kept):
    peers = shown_peers(kept) + [("memcpy", "memcpy")]
    lines = [f"| a tensor of 1,000 elements, one thread, ns | type | goal | axe | {''.join(words + ' | ' for _, words in peers)}reached |", "| --- " * (5 + len(peers)) + "|"]
    for case in kept["cases"]:
        name, goal = f"{case['name']}/{case['type']}/1", case["goal_ns"]
        times = {key: value_of(kept, name + after, "seconds") for key, after in (("axe", ""), *((k, f"/peer:{k}") for k, _ in peers))}
        if not goal or all(v is None for v in times.values()):
            continue
        nanoseconds = {key: v * 1e9 if is_number(v) else v for key, v in times.items()}
        axe = nanoseconds["axe"]
        if is_number(axe):
            short = ([f"goal {goal:g}"] if round(axe) > goal else []) + \
                [words for key, words in peers if key != "memcpy" and is_number(nanoseconds[key]) and nanoseconds[key] <= axe]
            reached = "**missed**: above " + ", ".join(short) if short else "yes"
        else:
            reached = verdict(axe, None, None, [])
        lines.append(f"| {case['words']} | {case['type']} | ≤ {goal:g} | {cell(axe, '{:.0f}')} | {''.join(cell(nanoseconds[k], '{:.0f}') + ' | ' for k, _ in peers)}{reached} |")
    return lines if len(lines) > 2 else []


def bandwidths(kept):
    parts = []
    for threads, words in ((1, "one thread"), (2, "two threads")):
        large = [n["memcpy_bytes_per_second"] / 1e9 for name, n in kept["numbers"].items()
                 if name.endswith(f"/{threads}/peer:memcpy") and not name.startswith("small")]
        if large:
            parts.append(f"{min(large):.1f}–{max(large):.1f} GB/s by {words}")
    return parts


def noise(kept):
    """How far memcpy is from itself, the worst case: what differs by less is not told apart."""
    return max((abs(n["share_of_memcpy"] - 1) for name, n in kept["numbers"].items() if name.endswith("/peer:memcpy")), default=None)


def notes(kept):
    context = kept["context"]
    caches = " · ".join(f"L{c['level']} {c['size'] // 1024:,} KiB" for c in context["caches"] if c["type"] != "Instruction")
    runs = context["repetitions"]
    lines = [f"Measured on {context['processor']}, {context['num_cpus']} cores ({caches}), compiler {context['compiler']}, {f'medians of {runs} runs' if runs > 1 else 'one run'} of the program, "
             f"each figure the median of up to {context['pairs']} pairs with memcpy; load average {context['load']:.1f} at the end. Buffers are 64-byte aligned and touched; "
             f"transparent huge pages are left as the system has them (`{context['transparent_hugepages']}`)."]
    bandwidth, threshold = bandwidths(kept), context["memcpy_streams_from"]
    if bandwidth:
        lines.append(f"memcpy, read and written: {', '.join(bandwidth)}, depending on the case's size; against itself it is off by up to {noise(kept):.2f}."
                     + (f" glibc's uses streaming stores from {threshold / 2**20:.0f} MiB on here." if threshold else ""))
    missing = context["peers_missing"]
    lines.append(f"Peers: {context['peers']}" + ("." if missing == "none" else f"; **not found, so not run**: {', '.join(missing.split())}."))
    wrong = sorted(n for n, e in kept["errors"].items() if e.startswith("wrong"))
    if wrong:
        lines.append(f"Wrong results, not timed: {', '.join(f'`{n}`' for n in wrong)}.")
    plans = [n["plan_seconds"] for n in kept["numbers"].values() if "plan_seconds" in n]
    if plans:
        lines.append(f"Plans are made in {min(plans) * 1e6:.1f}–{max(plans) * 1e6:.1f} µs (goal ≤ {PLAN_GOAL * 1e6:.0f}{'' if max(plans) <= PLAN_GOAL else ', **missed**'}).")
    return lines


def picture(kept):
    peers = shown_peers(kept)
    has_axe = any("/peer:" not in n for n in (*kept["numbers"], *kept["errors"]))
    names = ([("axe", "axe")] if has_axe else []) + peers
    rows = []
    for case in kept["cases"]:
        panels = []
        for threads in (1, 2):
            name = f"{case['name']}/{case['type']}/{threads}"
            bars = [(key, value_of(kept, name if key == "axe" else f"{name}/peer:{key}")) for key, _ in names]
            panels.append({"goal": case["goal"][threads - 1], "best": case["best"][threads - 1], "bars": [b for b in bars if b[1] is not None]})
        if not case["goal_ns"] and any(p["bars"] for p in panels):
            rows.append((f"{case['words']}, {case['type']}", panels))
    return chart.draw(rows, names, [f"{kept['context']['processor']}. Bytes read and written a second, divided by memcpy's of the same size with as many threads.",
                                    "Each run stands between two of memcpy; medians. The figures from elsewhere are of another 2-core machine."])


def write(page, tables, svg):
    body = page.read_text()
    if MARKS[0] not in body:
        body += f"\n{MARKS[0]}\n{MARKS[1]}\n"
    before, rest = body.split(MARKS[0])
    image = f"![Copies between layouts, as a share of memcpy's bandwidth]({os.path.relpath(svg, page.parent)})"
    page.write_text(f"{before}{MARKS[0]}\n{tables}\n\n{image}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="path of bench_relayout")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of the program")
    parser.add_argument("--pairs", type=int, default=11, help="runs of each contender within one")
    parser.add_argument("--filter", metavar="REGEX", help="measure these benchmarks only")
    parser.add_argument("--json", metavar="FILE", help="keep the numbers")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="print the numbers that were kept")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into a page, and the chart beside it")
    parser.add_argument("--svg", metavar="FILE", help="where the chart goes")
    options = parser.parse_args()
    if bool(options.program) == bool(options.kept):
        parser.error("name either the program or --from FILE")
    if options.kept:
        kept = json.loads(pathlib.Path(options.kept).read_text())
    else:
        kept = measure(options.program, options.repetitions, options.pairs, options.filter)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
    blocks = [shares_table(kept), small_table(kept)] + [[line] for line in notes(kept)]
    tables = "\n\n".join("\n".join(lines) for lines in blocks if lines)
    print(tables)
    svg = pathlib.Path(options.svg) if options.svg else pathlib.Path(options.write).parent / "pictures" / "relayout.svg" if options.write else None
    if svg:
        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(picture(kept))
    if options.write:
        write(pathlib.Path(options.write), tables, svg)
    return 1 if any("/peer:" not in name for name in kept["errors"]) else 0


if __name__ == "__main__":
    sys.exit(main())
