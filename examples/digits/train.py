#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files of examples/digits/data: the digits, which of them are held out, and a network trained on the others.

    python3 examples/digits/train.py [--out FOLDER]

Needs numpy, and scikit-learn for the digits. Prints the counts of data/README.md. The network is

    logits = relu(x W1 + b1) W2 + b2,    x = pixels / 16,    64 -> 128 -> 10.

Training is in float64 on one thread with seeded generators of the frozen legacy stream (numpy's RandomState), so a second run
writes the same bytes. The weights are stored as float16 and judged as the kernels use them: see `logits_of`.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import training  # before numpy

import numpy as np
from sklearn.datasets import load_digits

CLASSES = 10
HIDDEN = 128  # 32 columns of W1 and 32 rows of W2 for each of four devices
HELD_OUT = 36  # rows of each digit: 360 in all, 20 %, and 90 for each of four devices
SPLIT_SEED = 80
TRAIN_SEED = 1
# Settings: by cross-validation inside the training rows, and so that one weight shows there; the held-out rows had no part in it.
EPOCHS = 200
BATCH = 32
RATE = 1e-2  # falls to 0 linearly over the run
DECAY = 1e-3  # pulls the weights, not the biases, towards 0: few large weights carry much, and negating one shows


def split(labels):
    """Ascending rows of the held-out set: HELD_OUT of each digit, drawn without replacement."""
    draw = np.random.RandomState(SPLIT_SEED)
    rows = [draw.permutation(np.flatnonzero(labels == digit))[:HELD_OUT] for digit in range(CLASSES)]
    return np.sort(np.concatenate(rows)).astype("<i4")


def gradients(parameters, x, wanted):
    """Of the mean cross-entropy of softmax(logits) against one-hot rows, plus DECAY/2 times the squared weights."""
    w1, b1, w2, b2 = parameters
    before = x @ w1 + b1
    hidden = np.maximum(before, 0)
    logits = hidden @ w2 + b2
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    at_logits = (chance - wanted) / len(x)
    at_hidden = (at_logits @ w2.T) * (before > 0)
    return (x.T @ at_hidden + DECAY * w1, at_hidden.sum(axis=0), hidden.T @ at_logits + DECAY * w2, at_logits.sum(axis=0))


def train(x, labels):
    """Adam on minibatches, from He's initial weights; the rows left over by the last whole batch sit the epoch out."""
    draw = np.random.RandomState(TRAIN_SEED)
    inputs = x.shape[1]
    parameters = [
        draw.standard_normal((inputs, HIDDEN)) * np.sqrt(2 / inputs),
        np.zeros(HIDDEN),
        draw.standard_normal((HIDDEN, CLASSES)) * np.sqrt(1 / HIDDEN),
        np.zeros(CLASSES),
    ]
    parameters = training.train(parameters, gradients, x, np.eye(CLASSES)[labels], draw, EPOCHS, BATCH, RATE)
    return [p.astype(kind) for p, kind in zip(parameters, ("<f2", "<f4", "<f2", "<f4"))]


def hidden_of(w1, b1, pixels):
    """The hidden layer as the kernel stores it: float16 operands, float32 sums and bias, ReLU, rounded to float16."""
    x = (pixels / 16).astype(np.float16)  # exact: sixteenths up to 1
    return np.maximum(x.astype(np.float32) @ w1.astype(np.float32) + b1, 0).astype(np.float16)


def logits_of(hidden, w2, b2):
    """float16 operands; float32 sums, bias and result."""
    return hidden.astype(np.float32) @ w2.astype(np.float32) + b2


def telling_weight(hidden, w2, b2, labels):
    """The entry of W2 whose negation costs most right answers on all rows; the first such in row-major order."""
    right = np.empty(w2.shape, int)
    for at in np.ndindex(w2.shape):
        negated = w2.copy()
        negated[at] = -negated[at]
        right[at] = np.count_nonzero(logits_of(hidden, negated, b2).argmax(axis=1) == labels)
    return tuple(int(i) for i in np.unravel_index(right.argmin(), right.shape))


def report(name, logits, labels, held_out):
    print(f"{name}: " + training.counts(logits, labels, held_out))
    best = np.sort(logits, axis=1)
    print(f"    max |logit| {np.abs(logits).max():.3f}, least gap of the best two {np.min(best[:, -1] - best[:, -2]):.5f}")


def main():
    folder = training.folder(__doc__.splitlines()[0], HERE)

    pixels, labels = load_digits(return_X_y=True)
    pixels, labels = pixels.astype("u1"), labels.astype("u1")
    held_out = split(labels)
    w1, b1, w2, b2 = train(np.delete(pixels, held_out, axis=0) / 16, np.delete(labels, held_out))

    training.save(folder, {"digits": pixels, "labels": labels, "held_out": held_out, "w1": w1, "b1": b1, "w2": w2, "b2": b2})

    hidden = hidden_of(w1, b1, pixels)
    report("as trained", logits_of(hidden, w2, b2), labels, held_out)
    at = telling_weight(hidden, w2, b2, labels)
    w2[at] = -w2[at]
    report(f"w2[{at[0]}, {at[1]}] = {-w2[at]} negated", logits_of(hidden, w2, b2), labels, held_out)


if __name__ == "__main__":
    main()
