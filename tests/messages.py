#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lists of all messages, for a reviewer to read in one place: of the library, and of the command and the examples.

    python3 tests/messages.py include/axe              fails where tests/data/messages.tsv is not the list of the library's messages, or one
                                                       of them stands twice
    python3 tests/messages.py examples                 the same for the command and the examples, tests/data/messages_examples.tsv
    python3 tests/messages.py FOLDER --record          writes the list
    python3 tests/messages.py --selftest               plants messages, and sees whether they are listed

A message is a string literal (adjacent ones are one) with a space in it, in a statement that names a code (`errc::…`) or calls what makes
messages (`Error`, `Problem`, `worded`, `fail`, `declined`, …). A line of the list holds the code, where it stands beside the message, the
template, separated by a tab; a hint is on the line of its message, after `\\nhint: `. What goes on with a comma, a semicolon or a new line is
part of a message or of a report and not listed, and so is what begins with a space and names no code. Each message of the library stands in
one place: what several have to say, one function says for all. Where one stands twice, also with another code, the test fails and names the
files.

What the library adds is not in a template: `not decided: ` of errc::too_hard and `internal error: ` of errc::internal (`opening`), and
`\\nhint: ` (`Error::with_hint`, `hinted`).
"""
import collections
import pathlib
import re
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data"
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
MAKERS = re.compile(r"errc::|\b(?:Error|Problem|worded|fail\w*|declined|refus\w*|wrong|expect|no_\w+|problem|report|words|message|plan_problem|check_that)\b")
CODE = re.compile(r"errc::(\w+)")
HINTS = re.compile(r"with_hint\(\s*$|hinted\(\s*\x01\d+\x02(?:\s*\x01\d+\x02)*,\s*$")
OPENINGS = ("not decided: ", "internal error: ")
ADDED = re.compile(r"(?:too_hard\tnot decided|internal\tinternal error)\b|.*\bhint: ")


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
        code = codes[-1] if codes else ""
        if words in OPENINGS or re.match(r"[,;:)]|\\n", words) or (words[0] == " " and not code):
            continue
        yield code, words.replace("\t", "\\t"), bool(HINTS.search(before))


def sources(folder):
    for path in sorted(folder.rglob("*.[hc]pp")):
        # Of the examples, those that answer a user: the command, and what the examples share.
        if "embedded" not in path.parts and (folder.name != "examples" or path.relative_to(folder).parts[0] in ("axe", "common")):
            yield path


def listed(folder):
    """The lines of the list, in order; of each message that stands in several places, the message and the files; and the messages with words
    that the library adds."""
    places = collections.defaultdict(list)
    lines, doubled = set(), []
    for path in sources(folder):
        name = path.relative_to(folder).as_posix()
        last = ""
        for code, words, is_hint in messages(path.read_text()):
            if ADDED.match(f"{code}\t{words}"):
                doubled.append(f"{words}: {name}")
            if is_hint and last:
                lines.discard(last)
                last += "\\nhint: " + words
            else:
                last = f"{code}\t{words}"
                places[words].append(name)
            lines.add(last)
    several = [f"{words}: {', '.join(where)}" for words, where in sorted(places.items()) if len(where) > 1]
    return sorted(lines), several if folder.name != "examples" else [], doubled


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "a.hpp").write_text(
            'Error f() { return Error(errc::no_layout, -1, "the map has {0} " // half\n  "values"); }\n'
            'int n = 3; // "not a message"\n'
            "void g() { out.put('\"'); out.put(\" beside it\"); }\n"
            'Error h(bool b) { if (b) return {errc::overflow, worded("dimension {0} overflows", {1})};\n'
            '  return {errc::overflow, worded("dimension {0} overflows", {2})}; }\n'
            'Error i() { return Error(errc::too_hard, -1, "not decided within {0} steps"); }\n'
            'Error j() { return Error(errc::capacity, -1, "{0} rows", 3).with_hint("drop one"); }\n'
            'Problem k() { return Problem(errc::capacity, worded(hinted("{0} columns", "drop {0} " "columns"), {1})); }\n'
            'Problem l() { return Problem(errc::capacity, "three columns; hint: drop one"); }\n'
            'void m(std::string& report) { report += "; async"; report += " B read"; report += "\\nbytes in"; }\n')
        pathlib.Path(folder, "b.cpp").write_text('Status n() { return {errc::bad_syntax, -1, " is not a number"}; }\n')
        expected = (["bad_syntax\t is not a number", "capacity\tthree columns; hint: drop one",
                     "capacity\t{0} columns\\nhint: drop {0} columns", "capacity\t{0} rows\\nhint: drop one",
                     "no_layout\tthe map has {0} values", "overflow\tdimension {0} overflows", "too_hard\tnot decided within {0} steps"],
                    ["dimension {0} overflows: a.hpp, a.hpp"],
                    ["not decided within {0} steps: a.hpp", "three columns; hint: drop one: a.hpp"])
        got = listed(pathlib.Path(folder))
        if got != expected:
            sys.exit(f"expected {expected}, got {got}")
    print("planted messages are listed")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    folder = pathlib.Path(sys.argv[1]).resolve()
    golden = DATA / ("messages_examples.tsv" if folder.name == "examples" else "messages.tsv")
    lines, several, doubled = listed(folder)
    if several:
        sys.exit("messages in several places; one function is to give each:\n  " + "\n  ".join(several))
    if doubled:
        sys.exit("messages with words that the library adds, `not decided: `, `internal error: ` or `hint: `:\n  " + "\n  ".join(doubled))
    if sys.argv[2:] == ["--record"]:
        golden.write_text("\n".join(lines) + "\n")
        return print(f"{len(lines)} messages")
    recorded = golden.read_text().splitlines() if golden.exists() else []
    for line in recorded:
        if line not in lines:
            print("no longer in the sources: " + line)
    for line in lines:
        if line not in recorded:
            print("not in the list: " + line)
    if lines != recorded:
        sys.exit(f"read the changed messages, then record them: python3 tests/messages.py {sys.argv[1]} --record")
    print(f"{len(lines)} messages, as listed")


if __name__ == "__main__":
    main()
