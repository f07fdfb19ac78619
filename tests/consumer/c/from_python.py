#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C interface by ctypes: python3 from_python.py PATH/libaxe_c.so PATH/axe/c.h"""
import ctypes
import pathlib
import re
import sys


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("position", ctypes.c_int32), ("message", ctypes.c_char * 256)]


axe = ctypes.CDLL(sys.argv[1])
axe.axe_print.restype = ctypes.c_size_t
axe.axe_print.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
axe.axe_code_name.restype = ctypes.c_char_p


def parse(text):
    layout, error = ctypes.c_void_p(), Error()
    if axe.axe_parse(text.encode(), ctypes.c_size_t(len(text.encode())), ctypes.byref(layout), ctypes.byref(error)):
        raise ValueError(f"{axe.axe_code_name(error.code).decode()}: {error.message.decode()}")
    return layout


def text(layout):
    buffer = ctypes.create_string_buffer(axe.axe_print(layout, None, 0) + 1)
    axe.axe_print(layout, buffer, len(buffer))
    return buffer.value.decode()


rows, columns = parse("(4,8):(8,1)"), parse("(4,8):(1,4)")
assert text(rows) == "(4,8):(8,1)"
equal, witness = ctypes.c_int32(-1), ctypes.c_int64(-1)
assert axe.axe_equal(rows, columns, ctypes.byref(equal), ctypes.byref(witness), None) == 0
assert (equal.value, witness.value) == (0, 1)
try:
    parse("(4,8):")
    raise AssertionError("a text that is no layout is read")
except ValueError as error:
    assert str(error).startswith("bad_syntax: expected"), error
axe.axe_free(rows)
axe.axe_free(columns)

# The numbers that callers keep, in the header and in the library: each code has its name, and there are no others.
codes = re.findall(r"^    AXE_([A-Z_]+) = ([0-9]+)", pathlib.Path(sys.argv[2]).read_text(), re.MULTILINE)
pinned = """ok not_grouped no_layout bad_extent bad_axis bad_argument rank_mismatch size_mismatch out_of_domain unknown_axis
    not_single_valued capacity overflow too_hard bad_syntax internal no_memory""".split()
assert [name.lower() for name, _ in codes] == pinned, codes
assert [int(number) for _, number in codes] == list(range(len(pinned))), codes
for number, name in enumerate(pinned):
    assert axe.axe_code_name(number).decode() == name, (number, name)
assert axe.axe_code_name(len(pinned)) == b"?"
