# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every row of tests/data/algebra*.tsv through one run of `axe batch`; what comes out is enumerated and compared, not looked up."""

import os
import re
import unittest

from axe_command import batch, main
from notation import Layout, interleaved, numbers, point, points

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def rows(name):
    with open(os.path.join(DATA, name), encoding="ascii") as file:
        return [line.rstrip("\n").split("\t") for line in file if "\t" in line]


def put_back(op, fields, answer):
    """The layout of the question, from the answer to untile or unsum."""
    whole_shape, part, part_shape = numbers(fields[2]), Layout(fields[3]), numbers(fields[4])
    rest_shape = [n // k for n, k in zip(whole_shape, part_shape)]
    scaled = op.startswith("untile")
    if op in ("untile", "unsum-left"):
        return interleaved(answer, rest_shape, part, part_shape, scaled)
    return interleaved(part, part_shape, answer, rest_shape, scaled)


def blocks_fit(layout, shape):
    """Does the text of `group` cut its iters into groups that multiply to the shape?"""
    blocks = layout.blocks if layout.blocks is not None else [len(layout.shard)]
    extents = iter(n for n, _, _ in layout.shard)
    for dimension, count in zip(shape, blocks):
        product = 1
        for _ in range(count):
            product *= next(extents)
        if product != dimension:
            return False
    return len(blocks) == max(len(shape), 1)


def witness_is_least(fields, answer):
    """`no: at X: POINTS vs POINTS`, or `no: sizes N and M`."""
    left, right = Layout(fields[1]).table(), Layout(fields[2]).table()
    if len(left) != len(right):
        return answer == f"no: sizes {len(left)} and {len(right)}"
    least = next(x for x in range(len(left)) if left[x] != right[x])
    match = re.fullmatch(r"no: at (\d+): (.*) vs (.*)", answer)
    return (
        bool(match)
        and int(match[1]) == least
        and all({point(p) for p in points(text)} == side[least] for text, side in ((match[2], left), (match[3], right)))
    )


def right(request, expectation, answer):
    fields = [field.strip() for field in request.split(";")]
    op = fields[0]
    kind, _, want = expectation.partition(" ")
    status, _, got = answer.partition(": ")
    if kind in ("none", "error"):
        return status == kind and got != ""
    if status != "ok":
        return False
    if kind == "layout":
        layout = Layout(got)
        return layout.table() == Layout(want).table() and (op != "group" or blocks_fit(layout, numbers(fields[2])))
    if kind == "solves":
        return put_back(op, fields, Layout(got)) == Layout(fields[1]).table()
    if kind == "yes":
        return got == "yes"
    if kind == "no":
        return witness_is_least(fields, got) if op == "equal" else got.startswith("no")
    if kind == "coords":
        return got == want
    if kind == "set" and op == "span":
        spans = [{axis: n for axis, n in p.items() if n != 1} for p in points(got) + points(want)]
        return len(spans) == 2 and spans[0] == spans[1]
    if kind == "set":
        listed = points(got)
        ascending = all(tuple(a.values()) < tuple(b.values()) for a, b in zip(listed, listed[1:]))
        named = all(list(p) == sorted(p) for p in listed)
        return ascending and named and {point(p) for p in listed} == {point(p) for p in points(want)}
    return False


class Cases(unittest.TestCase):
    def check(self, name, least_rows):
        cases = rows(name)
        self.assertGreaterEqual(len(cases), least_rows)
        answers = batch([request for request, _ in cases])
        self.assertEqual(len(answers), len(cases))
        wrong = [
            f"{request}\n    wanted {want}\n    got    {answer}"
            for (request, want), answer in zip(cases, answers)
            if not right(request, want, answer)
        ]
        self.assertFalse(wrong, f"{len(wrong)} of {len(cases)} rows:\n" + "\n".join(wrong[:20]))

    def test_algebra(self):
        self.check("algebra.tsv", 6900)

    def test_algebra_more(self):
        self.check("algebra_more.tsv", 1000)


if __name__ == "__main__":
    main()
