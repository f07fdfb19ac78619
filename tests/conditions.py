#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`if (x)` means one thing in the whole library: there is a value, or yes.

    python3 tests/conditions.py include/axe     fails on a type that breaks that
    python3 tests/conditions.py --selftest      plants such types, and sees whether they are found

No function returns a `Result<bool>` or a `Result` of a decision: as a condition it would hide the no. No type converts to bool but `Result`
(there is a value) and `BasicDecision` (yes).
"""
import pathlib
import re
import sys
import tempfile

MAY_CONVERT = {"support/result.hpp"}
HIDES_A_NO = re.compile(r"\bResult<\s*(?:bool|(?:Map)?Decision|BasicDecision<[^<>]*>)\s*[,>]")
CONVERTS = re.compile(r"\boperator bool\s*\(")


def violations(folder):
    for path in sorted(folder.rglob("*.hpp")):
        name = path.relative_to(folder).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line)
            if HIDES_A_NO.search(code):
                yield f"{name}:{number}: as a condition this would hide a no: return a bool or a Decision"
            if CONVERTS.search(code) and name not in MAY_CONVERT:
                yield f"{name}:{number}: only a Result and a Decision are conditions: name what is asked"


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a.hpp").write_text(
            "Result<bool> f(); // Result<bool>\nResult<bool, Problem> g();\nResult<Decision> h();\n"
            "struct S { explicit operator bool() const; };\nResult<int> fine(); const char* words = \"operator bool()\";\n")
        found = [int(v.split(":")[1]) for v in violations(pathlib.Path(folder))]
        if found != [1, 2, 3, 4]:
            sys.exit(f"planted in lines 1 to 4, found in {found}")
    print("planted violations are found")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = list(violations(pathlib.Path(sys.argv[1])))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
