#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`if (x)` means one thing in the whole library: there is a value, or yes.

    python3 tests/conditions.py include/axe     fails on a type that breaks that
    python3 tests/conditions.py --selftest      plants such types, and sees whether they are found

No function returns a `Result<bool>` or a `Result` of a decision: as a condition it would hide the no. No type converts to bool but `Result`
(there is a value) and `BasicDecision` (yes).

A function named like a question (`is_…`, `has_…`, `are_…`, `can_…`, `admits`) returns bool or a decision, whose yes is what its name asks: never a
`Status`, a `Result` or an error, which would say "not" for success.
"""
import pathlib
import re
import sys
import tempfile

MAY_CONVERT = {"support/result.hpp"}
HIDES_A_NO = re.compile(r"\bResult<\s*(?:bool|(?:Map)?Decision|BasicDecision<[^<>]*>)\s*[,>]")
ASKS = re.compile(
    r"^\s*(?:template <[^>]*>\s*)?(?:(?:AXE_DECL|AXE_\w+|inline|constexpr|consteval|static|friend|virtual|\[\[nodiscard\]\])\s+)*"
    r"(?P<type>(?:const\s+)?[A-Za-z_][\w:]*(?:<.*>)?)[\s&*]+(?:\w+::)*(?P<name>(?:(?:is|has|are|can)_\w+|admits))\(")
ANSWERS = re.compile(r"^(?:const\s+)?(?:axe::|detail::)*(?:bool|(?:Map)?Decision|BasicDecision<.*>|Finding<.*>|(?:true|false)_type)$")
NO_TYPES = {"return", "else", "new", "co_return", "using", "case", "throw"}
CONVERTS = re.compile(r"\boperator bool\s*\(")


def violations(folder):
    for path in sorted(p for p in folder.rglob("*.hpp") if "embedded" not in p.parts):
        name = path.relative_to(folder).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line)
            if HIDES_A_NO.search(code):
                yield f"{name}:{number}: as a condition this would hide a no: return a bool or a Decision"
            asks = ASKS.match(code)
            # A list of answers is a variable: `std::vector<bool> is_bound(n);`.
            if asks and asks["type"] not in NO_TYPES | {"std::vector<bool>", "std::vector<char>"} and not ANSWERS.match(asks["type"]):
                yield f"{name}:{number}: {asks['name']} is named like a question and returns {asks['type']}: a bool or a decision, or another name"
            if CONVERTS.search(code) and name not in MAY_CONVERT:
                yield f"{name}:{number}: only a Result and a Decision are conditions: name what is asked"


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a.hpp").write_text(
            "Result<bool> f(); // Result<bool>\nResult<bool, Problem> g();\nResult<Decision> h();\n"
            "struct S { explicit operator bool() const; };\nResult<int> fine(); const char* words = \"operator bool()\";\n"
            "inline Result<void, Problem> is_butterfly(int n)\nconstexpr Error has_replicas() noexcept\n"
            "[[nodiscard]] constexpr Status admits(const L& l, const S& s) noexcept;\n"
            "constexpr Decision is_injective(const L& l);\nbool is_plain() const;\n[[nodiscard]] BasicDecision<int> has_row(int n);\n"
            "    return is_plain() || has_row(1);\n    std::vector<bool> is_bound(n);\nProblem are_equal(int a);\n")
        found = [int(v.split(":")[1]) for v in violations(pathlib.Path(folder))]
        if found != [1, 2, 3, 4, 6, 7, 8, 14]:
            sys.exit(f"planted in lines 1 to 4, 6 to 8 and 14, found in {found}")
    print("planted violations are found")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = list(violations(pathlib.Path(sys.argv[1])))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
