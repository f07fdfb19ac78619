# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the data of tests/unit/tensor again: `python make.py FOLDER`, FOLDER being tests/data. Needs numpy and ml_dtypes."""
import pathlib
import sys

import ml_dtypes
import numpy as np

out = pathlib.Path(sys.argv[1])
FLOATS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e8m0": ml_dtypes.float8_e8m0fnu,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}


def word(dtype):
    return np.dtype(f"u{np.dtype(dtype).itemsize}")


# The value of each code, in the order of the codes.
for name, dtype in FLOATS.items():
    unsigned = word(dtype)
    codes = np.arange(2 ** ml_dtypes.finfo(dtype).bits, dtype=unsigned)
    np.save(out / f"dtypes/decode_{name}.npy", codes.view(dtype).astype(np.float32))

# Floats of all magnitudes, and the codes that they become.
random = np.random.default_rng(20260101)
bits = random.integers(0, 2**32, 2000, dtype=np.uint32)
near_one = (random.standard_normal(1500) * 2.0 ** random.integers(-20, 20, 1500)).astype(np.float32)
powers = np.ldexp(np.float32(1), np.arange(-149, 128)).astype(np.float32)
special = np.array([0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 448, 464, 465, 480, 57344, 61440, 65504, 65520, 3.4e38], np.float32)
values = np.concatenate([bits.view(np.float32), near_one, powers, -powers, special])
np.save(out / "dtypes/encode_values.npy", values)
with np.errstate(all="ignore"):
    for name, dtype in FLOATS.items():
        np.save(out / f"dtypes/encode_{name}.npy", values.astype(dtype).view(word(dtype)))

# Files of .npy as NumPy writes them.
grid = np.arange(24).reshape(2, 3, 4)
FILES = {
    "f8": grid / 8,
    "f4": (grid / 8).astype("<f4"),
    "f2": (grid / 8).astype("<f2"),
    "i4": (grid - 12).astype("<i4"),
    "i2": (grid - 12).astype("<i2"),
    "i1": (grid - 12).astype("i1"),
    "u1": (grid * 10).astype("u1"),
    "b1": grid % 3 == 0,
    "f8_big": (grid / 8).astype(">f8"),
    "f4_big_fortran": np.asfortranarray((grid / 8).astype(">f4")),
    "f2_big": (grid / 8).astype(">f2"),
    "i4_big": (grid - 12).astype(">i4"),
    "i2_fortran": np.asfortranarray((grid - 12).astype("<i2")),
    "f4_fortran": np.asfortranarray((grid / 8).astype("<f4")),
    "i8": np.array([3, -1, 2**31 - 1, -(2**31)], "<i8"),
    "i8_large": np.array([0, 1, 2**31], "<i8"),
    "u8": np.array([0, 7, 2**31 - 1], "<u8"),
    "u8_large": np.array([0, 2**64 - 1], "<u8"),
    "u4": np.array([0, 70000], "<u4"),
    "u2": np.array([0, 65535, 0x3F80], "<u2"),
    "scalar": np.array(2.5, "<f4"),
    "vector": np.arange(3, dtype="<f4"),
    "bf16": np.array([1, -2, 0.5], ml_dtypes.bfloat16),
    "e4m3": np.array([1, -2, 448], ml_dtypes.float8_e4m3fn),
    "e5m2": np.array([1, -2, 57344], ml_dtypes.float8_e5m2),
    "e8m0": np.array([1, 2, 0.25], ml_dtypes.float8_e8m0fnu),
    "int4": np.array([-8, -1, 0, 7], ml_dtypes.int4),
    "empty": np.zeros((2, 0), "<f4"),
    "records": np.zeros(2, [("x", "<f4"), ("y", "<i4")]),
    "text": np.array(["a", "bc"]),
    "complex": np.array([1j]),
}
for name, array in FILES.items():
    np.save(out / f"npy/{name}.npy", array)
np.save(out / "npy/objects.npy", np.array([None]), allow_pickle=True)
np.savez(out / "npy/archive.npz", np.arange(2))
for version in [(2, 0), (3, 0)]:
    with open(out / f"npy/version{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, (grid / 8).astype("<f4"), version=version)
