#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What others take for the cases of bench_interop, as JSON: {case: {"peer": name and version, "ns": median}}.

Run by report.py with the Python that has them: `triton` (its LinearLayout, through nanobind) and `pycute` (in the wheel of
nvidia-cutlass, plain Python). One that is not there is left out. Layouts are those of linear.cpp and cute.cpp; calls from Python cost
some tens of nanoseconds, which are in the figures.
"""
import importlib.metadata
import json
import statistics
import sys
import time


def median_ns(call, repetitions=5, seconds=0.02):
    count, samples = 1, []
    while True:
        start = time.thread_time()
        for _ in range(count):
            call()
        if time.thread_time() - start > seconds:
            break
        count *= 2
    for _ in range(repetitions):
        start = time.thread_time()
        for _ in range(count):
            call()
        samples.append((time.thread_time() - start) / count * 1e9)
    return statistics.median(samples)


def triton_cases():
    from triton._C.libtriton.linear_layout import LinearLayout

    def make(ins, shape):
        return LinearLayout.from_bases(ins, list(shape), [shape[d] for d in shape], True)

    square = {"dim0": 128, "dim1": 128}
    acc = make([("register", [[0, 1], [8, 0], [0, 16], [0, 32], [0, 64], [32, 0], [64, 0]]),
                ("lane", [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]), ("warp", [[0, 8], [16, 0]]), ("block", [])], square)
    rows = make([("register", [[0, 1], [0, 2], [0, 4], [0, 64], [16, 0], [32, 0], [64, 0]]),
                 ("lane", [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]), ("warp", [[4, 0], [8, 0]]), ("block", [])], square)
    memory = make([("offset", [[0, 1 << i] for i in range(7)] + [[1 << i, 8 * ((1 << i) % 8)] for i in range(7)]), ("block", [])], square)
    back = memory.invert()
    cases = {"compose/mma_shared": lambda: acc.compose(back), "compose/blocked_shared": lambda: rows.compose(back),
             "invert/mma": acc.invert, "invert/blocked": rows.invert, "invert/shared": memory.invert,
             "pseudo_invert": acc.pseudoinvert, "print_triton": lambda: str(acc)}
    names = {"mma": acc, "blocked": rows, "shared": memory}
    for a in names:
        for b in names:
            if a != b:
                cases[f"invert_and_compose/{a}_{b}"] = lambda x=names[a], y=names[b]: x.invert_and_compose(y)
    tile = make([("register", [[0, 1], [8, 0]]), ("lane", [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]), ("warp", []), ("block", [])],
                {"dim0": 16, "dim1": 8})
    repeats = LinearLayout.identity_1d(2, "warp", "dim0") * LinearLayout.identity_1d(2, "warp", "dim1")
    cases["product"] = lambda: tile * repeats
    version = f"Triton {importlib.metadata.version('triton')}"
    return {f"linear/{name}": (version, call) for name, call in cases.items()}


def pycute_cases():
    import pycute
    make = pycute.Layout
    fragment = make(((4, 8), (2, 2)), ((32, 1), (16, 8)))
    epilogue = make(((2, 4, 8), (2, 2), (4, 2, 2)), ((1, 32, 128), (2, 16), (4, 1024, 2048)))
    cases = {"coalesce/fragment": lambda: pycute.coalesce(fragment), "coalesce/epilogue": lambda: pycute.coalesce(epilogue),
             "right_inverse/fragment": lambda: pycute.right_inverse(fragment), "left_inverse/fragment": lambda: pycute.left_inverse(fragment)}
    outer, inner = make((10, 2), (16, 4)), make((5, 4), (1, 5))
    cases["composition/nested"] = lambda: pycute.composition(outer, inner)
    rows = make((16, 8), (8, 1))
    cases["composition/fragment"] = lambda: pycute.composition(rows, fragment)
    core = make((8, 4), (1, 64))
    cases["complement/core"] = lambda: pycute.complement(core, 8192)
    strided, by = make((4, 2, 3), (2, 1, 8)), make(4, 2)
    cases["logical_divide/strided"] = lambda: pycute.logical_divide(strided, by)
    block, times = make((2, 5), (5, 1)), make((3, 4), (1, 3))
    cases["logical_product/block"] = lambda: pycute.logical_product(block, times)
    version = f"pycute of CUTLASS {importlib.metadata.version('nvidia-cutlass')}"
    return {f"cute/{name}": (version, call) for name, call in cases.items()}


def main():
    found = {}
    for read in (triton_cases, pycute_cases):
        try:
            cases = read()
        except ImportError as e:
            print(e, file=sys.stderr)
            continue
        for case, (peer, call) in cases.items():
            found[case] = {"peer": peer, "ns": median_ns(call)}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
