# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the networks of the examples are trained by: Adam on minibatches, in float64 on one thread.

Import it before numpy, which reads how many threads it may use when it loads. Generators are seeded and of the frozen legacy stream
(numpy's RandomState), so that a second run writes the same bytes.
"""
import os

for library in ("OPENBLAS", "OMP", "MKL"):  # one thread, one order of sums
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import pathlib

import numpy as np

ADAM = (0.9, 0.999, 1e-8)  # memory of the mean, memory of the square, the least divisor


def train(parameters, gradients, x, wanted, draw, epochs, batch, rate):
    """The parameters after some epochs, at a rate that falls to 0 linearly; the rows left over by the last whole batch sit an epoch out.

    `gradients` gives the slopes of the loss for parameters, rows and what is wanted of these; `draw` orders the rows of an epoch.
    """
    mean = [np.zeros_like(p) for p in parameters]
    square = [np.zeros_like(p) for p in parameters]
    keep_mean, keep_square, least = ADAM
    batches = len(x) // batch
    steps = epochs * batches
    for step in range(steps):
        at = step % batches
        if at == 0:
            order = draw.permutation(len(x))
        rows = order[at * batch : (at + 1) * batch]
        now = rate * (1 - step / steps)
        for k, slope in enumerate(gradients(parameters, x[rows], wanted[rows])):
            mean[k] = keep_mean * mean[k] + (1 - keep_mean) * slope
            square[k] = keep_square * square[k] + (1 - keep_square) * slope**2
            unbiased_mean = mean[k] / (1 - keep_mean ** (step + 1))
            unbiased_square = square[k] / (1 - keep_square ** (step + 1))
            parameters[k] = parameters[k] - now * unbiased_mean / (np.sqrt(unbiased_square) + least)
    return parameters


def counts(logits, labels, held_out):
    """How many rows are read right, of each part of them: "train 1436/1437 = 99.93%, held out …"."""
    right = logits.argmax(axis=1) == labels
    parts = {"train": np.delete(right, held_out), "held out": right[held_out], "all": right}
    return ", ".join(f"{part} {np.sum(r)}/{len(r)} = {np.mean(r):.2%}" for part, r in parts.items())


def folder(description, here):
    """Where the files go: data/ beside the program, or what --out says."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--out", type=pathlib.Path, default=here / "data", help="where the files go (default: data/ beside this)")
    return options.parse_args().out


def save(to, files):
    to.mkdir(parents=True, exist_ok=True)
    for name, array in files.items():
        np.save(to / f"{name}.npy", np.ascontiguousarray(array))
