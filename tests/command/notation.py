# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notation read, and layouts enumerated by their definition: L(x) = { D(x) + r + O }. Independent of the library."""

import itertools
import math
import re

_STRIDE = re.compile(r"(-?\d+)(?:@([A-Za-z][\w.]*))?")


class Layout:
    """shard, replica: lists of (extent, stride, axis); offset: a dict; blocks: how many iters each block of a grouped text has."""

    def __init__(self, text):
        shard, *rest = text.strip().split(" + ")
        self.replica, self.offset, self.blocks = [], {}, None
        if shard.startswith("("):
            extents, strides = re.fullmatch(r"\((.*)\):\((.*)\)", shard).groups()
            if "|" in extents:
                self.blocks = [len([n for n in block.split(",") if n]) for block in extents.split("|")]
            extents = [int(n) for n in re.split(r"[,|]", extents) if n]
            strides = [self._stride(s) for s in re.split(r"[,|]", strides) if s]
            assert len(extents) == len(strides), text
            self.shard = [(n, *s) for n, s in zip(extents, strides)]
        else:
            self.shard = [self._iter(shard)]
        for term in rest:
            if term.startswith("["):
                self.replica = [self._iter(it) for it in term.strip("[]").split(",")]
            else:
                value, axis = re.fullmatch(r"(-?\d+)@(.*)", term).groups()
                self.offset[axis] = int(value)

    @staticmethod
    def _stride(text):
        value, axis = _STRIDE.fullmatch(text.strip()).groups()
        return int(value), axis or "m"

    @classmethod
    def _iter(cls, text):
        extent, stride = text.split(":")
        return (int(extent), *cls._stride(stride))

    def size(self):
        return math.prod(n for n, _, _ in self.shard)

    def span(self, axis):
        return 1 + sum((n - 1) * abs(s) for n, s, a in self.shard + self.replica if a == axis)

    def table(self):
        """The set of points of every index; a point is a frozenset of (axis, coordinate), without those that are 0."""
        origins = set()
        for digits in itertools.product(*(range(n) for n, _, _ in self.replica)):
            place = dict(self.offset)
            for digit, (_, stride, axis) in zip(digits, self.replica):
                place[axis] = place.get(axis, 0) + digit * stride
            origins.add(point(place))
        table = []
        for digits in itertools.product(*(range(n) for n, _, _ in self.shard)):
            place = {}
            for digit, (_, stride, axis) in zip(digits, self.shard):
                place[axis] = place.get(axis, 0) + digit * stride
            table.append(frozenset(add(origin, point(place)) for origin in origins))
        return table


def point(place):
    return frozenset((axis, value) for axis, value in place.items() if value != 0)


def add(a, b):
    sum_ = dict(a)
    for axis, value in b:
        sum_[axis] = sum_.get(axis, 0) + value
    return point(sum_)


def scale(a, factor):
    return point({axis: value * factor(axis) for axis, value in a})


def numbers(text):
    """A shape or a coordinate."""
    return [int(n) for n in text.strip("() ").split(",") if n.strip()]


def points(text):
    """All points in a text, in their order, as dicts."""
    return [{a: int(v) for a, v in re.findall(r"([A-Za-z][\w.]*)\s*:\s*(-?\d+)", p)} for p in re.findall(r"\{(.*?)\}", text)]


def interleaved(outer, outer_shape, inner, inner_shape, scaled):
    """The table of the tiling (scaled by the inner span) or of the direct sum of two layouts, by definition."""
    outer_table, inner_table = outer.table(), inner.table()
    factor = inner.span if scaled else (lambda axis: 1)
    table = []
    for c in itertools.product(*(range(n) for pair in zip(outer_shape, inner_shape) for n in pair)):
        z = y = 0
        for d, (n, k) in enumerate(zip(outer_shape, inner_shape)):
            z, y = z * n + c[2 * d], y * k + c[2 * d + 1]
        table.append(frozenset(add(scale(p, factor), q) for p in outer_table[z] for q in inner_table[y]))
    return table
