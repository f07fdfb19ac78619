#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files of examples/moe/data: a layer of experts that reads the digits of examples/digits/data.

    python3 examples/moe/train.py [--out FOLDER]

Needs numpy. Prints the counts of data/README.md. The layer is

    p = softmax(x Wg^T),  w = the two largest of p by their sum,  logits = sum over these two experts of
    w ((g / (1 + exp(-g))) u) W2^T,  (g, u) the two halves of x W1^T,      x = pixels / 16, 8 experts, 64 -> 32 -> 10.

Training is in float64 on one thread with a seeded generator of the frozen legacy stream (numpy's RandomState); the rows of held_out.npy have no
part in it. The weights are stored as float16 and judged as the kernels use them: see `logits_of`.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import training  # before numpy

import numpy as np

DIGITS = HERE.parent / "digits" / "data"
EXPERTS, TOP, INNER, CLASSES = 8, 2, 32, 10
SEED = 22
EPOCHS = 60
BATCH = 32
RATE = 1e-2  # falls to 0 linearly over the run
DECAY = 1e-3  # pulls the weights towards 0
BALANCE = 0.02  # of the experts' shares: how much the loss has of EXPERTS * sum(share * mean p)


def softmax(logits):
    out = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return out / out.sum(axis=-1, keepdims=True)


def chosen_of(p):
    """The TOP largest of each row, of equal ones the first: columns, and their shares."""
    ids = np.argsort(-p, axis=1, kind="stable")[:, :TOP]
    kept = np.take_along_axis(p, ids, axis=1)
    return ids, kept / kept.sum(axis=1, keepdims=True)


def gradients(parameters, x, wanted):
    """Of the mean cross-entropy, the balance of the experts, and DECAY/2 times the squared weights. The choice itself has no slope."""
    wg, w1, w2 = parameters
    n = len(x)
    p = softmax(x @ wg.T)
    ids, share = chosen_of(p)
    weight = np.zeros_like(p)
    np.put_along_axis(weight, ids, share, axis=1)
    parts = np.einsum("nc,euc->neu", x, w1)
    g, u = parts[:, :, :INNER], parts[:, :, INNER:]
    sigma = 1 / (1 + np.exp(-g))
    h = g * sigma * u
    y = np.einsum("neu,eju->nej", h, w2)
    logits = np.einsum("ne,nej->nj", weight, y)
    at_logits = (softmax(logits) - wanted) / n

    at_weight = np.einsum("nj,nej->ne", at_logits, y)
    at_y = weight[:, :, None] * at_logits[:, None, :]
    at_w2 = np.einsum("nej,neu->eju", at_y, h)
    at_h = np.einsum("nej,eju->neu", at_y, w2)
    at_parts = np.concatenate([at_h * u * sigma * (1 + g * (1 - sigma)), at_h * g * sigma], axis=2)
    at_w1 = np.einsum("neu,nc->euc", at_parts, x)

    # share = p / sum of the kept p, as a function of p; then the softmax. The other experts' p have no slope here.
    kept = np.take_along_axis(p, ids, axis=1).sum(axis=1, keepdims=True)
    mask = weight > 0
    at_p = np.where(mask, (at_weight - (at_weight * weight).sum(axis=1, keepdims=True)) / kept, 0)
    at_p += BALANCE * EXPERTS * mask.mean(axis=0) / TOP / n
    at_router = p * (at_p - (at_p * p).sum(axis=1, keepdims=True))
    return at_router.T @ x + DECAY * wg, at_w1 + DECAY * w1, at_w2 + DECAY * w2


def train(x, labels):
    """Adam on minibatches; the rows left over by the last whole batch sit the epoch out."""
    draw = np.random.RandomState(SEED)
    inputs = x.shape[1]
    parameters = [
        draw.standard_normal((EXPERTS, inputs)) * np.sqrt(1 / inputs),
        draw.standard_normal((EXPERTS, 2 * INNER, inputs)) * np.sqrt(2 / inputs),
        draw.standard_normal((EXPERTS, CLASSES, INNER)) * np.sqrt(1 / INNER),
    ]
    parameters = training.train(parameters, gradients, x, np.eye(CLASSES)[labels], draw, EPOCHS, BATCH, RATE)
    # Logits of multiples of 1/16 and 1/128 are exact in float32, whatever the order of a sum: equal ones are equal in each kernel.
    parameters[0] = np.round(parameters[0] * 128) / 128
    return [p.astype("<f2") for p in parameters]


def logits_of(wg, w1, w2, pixels):
    """As the kernels compute: float16 operands, float32 sums; g, u, h, each expert's part and the sum rounded to float16."""
    half, wide = (lambda a: a.astype(np.float16).astype(np.float32)), np.float32
    x = (pixels / 16).astype(wide)  # exact in float16: sixteenths up to 1
    ids, share = chosen_of(softmax(x @ wg.astype(wide).T))
    out = np.zeros((len(x), CLASSES), wide)
    for slot in range(TOP):
        e = ids[:, slot]
        parts = half(np.einsum("nc,nuc->nu", x, w1[e].astype(wide)))
        g, u = parts[:, :INNER], parts[:, INNER:]
        h = half(g / (1 + np.exp(-g)) * u)
        out += half(share[:, slot, None] * np.einsum("nu,nju->nj", h, w2[e].astype(wide)))
    return half(out), ids


def main():
    folder = training.folder(__doc__.splitlines()[0], HERE)

    pixels, labels, held_out = (np.load(DIGITS / f"{name}.npy") for name in ("digits", "labels", "held_out"))
    wg, w1, w2 = train(np.delete(pixels, held_out, axis=0) / 16, np.delete(labels, held_out))
    training.save(folder, {"wg": wg, "w1": w1, "w2": w2})

    logits, ids = logits_of(wg, w1, w2, pixels)
    print(training.counts(logits, labels, held_out))
    router = np.sort(pixels / 16 @ wg.astype(np.float64).T, axis=1)[:, ::-1]
    print("rows whose last chosen expert has the logit of one that is not chosen:", np.sum(router[:, TOP - 1] == router[:, TOP]))
    print("tokens of each expert:", *np.bincount(ids.ravel(), minlength=EXPERTS))


if __name__ == "__main__":
    main()
