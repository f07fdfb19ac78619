#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of all messages of the library, for a reviewer to read in one place.

    python3 tests/messages.py include/axe              fails where tests/data/messages.tsv is not the list of the headers' messages, or one of
                                                       them stands twice
    python3 tests/messages.py include/axe --record     writes the list
    python3 tests/messages.py --selftest               plants messages, and sees whether they are listed

A message is a string literal (adjacent ones are one) with a space in it, in a statement that names a code (`errc::…`) or calls what makes
messages (`Error`, `Problem`, `worded`, `fail`, `declined`, …). A line of the list holds the code, where it stands beside the message, the
template, separated by a tab. Each stands in one place: what several have to say, one function says for all. Where a message stands twice,
also with another code, the test fails and names the headers.
"""
import collections
import pathlib
import re
import sys
import tempfile

LIST = pathlib.Path(__file__).resolve().parent / "data" / "messages.tsv"
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
MAKERS = re.compile(r"errc::|\b(?:Error|Problem|worded|fail\w*|declined|refus\w*|wrong|expect|no_\w+|problem|report|words|message|plan_problem|check_that)\b")
CODE = re.compile(r"errc::(\w+)")


def messages(text):
    """(code, template) of each message of a source, in order."""
    # Literals are replaced by marks, so that statements can be told apart by ; { and }.
    literals = []

    def mark(found):
        token = found.group(0)
        if token.startswith("/"):
            return " "
        if token.startswith("'"):
            return "' '"
        literals.append(token[1:-1] if token.startswith('"') else "")
        return "\x01%d\x02" % (len(literals) - 1)

    marked = TOKEN.sub(mark, text)
    for found in re.finditer(r"\x01\d+\x02(?:\s*\x01\d+\x02)*", marked):
        words = "".join(literals[int(number)] for number in re.findall(r"\x01(\d+)\x02", found.group(0)))
        if " " not in words.strip() or not re.search(r"[a-z]{2}", words):
            continue
        begin = max(marked.rfind(";", 0, found.start()), marked.rfind("\n}", 0, found.start()), marked.rfind("{\n", 0, found.start())) + 1
        before = marked[begin : found.start()]
        if not MAKERS.search(before) or re.search(r"static_assert|#\s*(?:error|include|if|define)[^\n]*$", before):
            continue
        codes = CODE.findall(before)
        yield codes[-1] if codes else "", words.replace("\t", "\\t")


def listed(folder):
    """The lines of the list, in order; and of each message that stands in several places, the message and the headers."""
    places = collections.defaultdict(list)
    lines = set()
    for path in sorted(folder.rglob("*.hpp")):
        if "embedded" not in path.parts:
            for code, words in messages(path.read_text()):
                places[words].append(path.relative_to(folder).as_posix())
                lines.add(f"{code}\t{words}")
    return sorted(lines), [f"{words}: {', '.join(where)}" for words, where in sorted(places.items()) if len(where) > 1]


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a.hpp").write_text(
            'Error f() { return Error(errc::no_layout, -1, "the map has {0} " // half\n  "values"); }\n'
            'int n = 3; // "not a message"\n'
            "void g() { out.put('\"'); out.put(\" beside it\"); }\n"
            'Error h(bool b) { if (b) return {errc::overflow, worded("dimension {0} overflows", {1})};\n'
            '  return {errc::overflow, worded("dimension {0} overflows", {2})}; }\n')
        expected = (["no_layout\tthe map has {0} values", "overflow\tdimension {0} overflows"], ["dimension {0} overflows: a.hpp, a.hpp"])
        got = listed(pathlib.Path(folder))
        if got != expected:
            sys.exit(f"expected {expected}, got {got}")
    print("planted messages are listed")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    lines, several = listed(pathlib.Path(sys.argv[1]))
    if several:
        sys.exit("messages in several places; one function is to give each:\n  " + "\n  ".join(several))
    if sys.argv[2:] == ["--record"]:
        LIST.write_text("\n".join(lines) + "\n")
        return print(f"{len(lines)} messages")
    recorded = LIST.read_text().splitlines()
    for line in recorded:
        if line not in lines:
            print("no longer in the headers: " + line)
    for line in lines:
        if line not in recorded:
            print("not in the list: " + line)
    if lines != recorded:
        sys.exit(f"read the changed messages, then record them: python3 tests/messages.py {sys.argv[1]} --record")
    print(f"{len(lines)} messages, as listed")


if __name__ == "__main__":
    main()
