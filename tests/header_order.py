#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Can each header be the first that a source includes, where the library is headers only?

    python3 tests/header_order.py include/axe     fails where one cannot
    python3 tests/header_order.py --selftest      plants headers that cannot, and sees whether they are found

The compiler is asked of each header with AXE_COMPILED (the target axe_headers_alone), in one order: then what a header declares and includes is
enough for its text, a definition's in impl/ as well. Without AXE_COMPILED a header includes definitions at its end, and they more headers.
What may go wrong then is seen from the includes alone:

  order   a definition includes a header that is being read: of that header nothing is declared yet
  brings  what AXE_DECL marks is declared, and no header that comes with the declaration defines it
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r"^\s*#\s*include\s*<axe/([^>]+)>", re.M)
MARKED = re.compile(r"^\s*AXE_DECL\s[^;{(]*?(operator\W+?|[~\w]+)\(", re.M)


def functions(text):
    """What AXE_DECL marks: its name, and whether a body follows its parameters."""
    for match in MARKED.finditer(text):
        at, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield match.group(1), re.search(r"[;{]", text[at:]).group() == "{"


class Header:
    def __init__(self, text):
        text = re.sub(r"//[^\n]*", "", text)
        top, _, end = text.partition("#if !defined(AXE_COMPILED)")
        self.before = INCLUDE.findall(top)
        self.after = INCLUDE.findall(end)  # of its declarations
        marked = list(functions(text))
        self.declares = {name for name, has_body in marked if not has_body}
        self.defines = {name for name, has_body in marked if has_body}


def read_from(root, headers):
    """What is wrong where `root` is included first."""
    entered, declared, defined = set(), set(), set()

    def read(name):
        if name in entered:
            return
        entered.add(name)
        header = headers[name]
        for other in header.before:
            yield from read(other)
        for other in header.before:
            if other not in declared:
                yield f"{root}, included first: {name} is read before what {other} declares"
        declared.add(name)
        defined.update(header.defines)
        for other in header.after:
            yield from read(other)

    yield from read(root)
    for name in sorted(headers[root].declares - defined):
        yield f"{root}: {name} is declared, and no header that comes with it defines it"


def violations(root):
    headers = {str(path.relative_to(root)): Header(path.read_text()) for path in sorted(root.rglob("*.hpp"))}
    if not headers:
        raise SystemExit(f"no headers in {root}")
    for name in headers:
        if "/impl/" not in name:
            yield from read_from(name, headers)


def selftest():
    guard = "#if !defined(AXE_COMPILED)\n#  include <axe/{}>\n#endif\n"
    fine = {
        "a.hpp": "AXE_DECL int f(int x = {}, std::vector<int> y = {});\nAXE_DECL\nint g();\n" + guard.format("impl/a.hpp"),
        "impl/a.hpp": "#include <axe/a.hpp>\n#include <axe/b.hpp>\nAXE_DECL int f(int x, std::vector<int> y)\n{\n    return g();\n}\n"
                      "AXE_DECL int g() { return 1; }\n",
        "b.hpp": "struct B {};\n",
        "c.hpp": "#include <axe/a.hpp>\n#include <axe/b.hpp>\n",
    }
    planted = [
        ({}, None),
        ({"b.hpp": "#include <axe/a.hpp>\nstruct B {};\n"}, "b.hpp, included first: impl/a.hpp is read before what b.hpp declares"),
        ({"impl/a.hpp": fine["impl/a.hpp"].replace("AXE_DECL int g()", "int h()")}, "a.hpp: g is declared, and no header that comes with it defines it"),
        ({"a.hpp": fine["a.hpp"].replace("impl/a", "b")}, "a.hpp: f is declared, and no header that comes with it defines it"),
        ({"b.hpp": "struct B {\n    AXE_DECL int size() const;\n};\n"}, "b.hpp: size is declared"),
        ({"b.hpp": "struct B {\n    AXE_DECL B& operator=(const B& x);\n};\n"}, "b.hpp: operator= is declared"),
    ]
    for changes, expected in planted:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**fine, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            found = list(violations(pathlib.Path(folder)))
        if expected is None and found or expected is not None and not any(expected in text for text in found):
            raise SystemExit(f"expected {expected!r}, found {found}")
    print(f"{len(planted)} folders as expected")


if sys.argv[1] == "--selftest":
    selftest()
else:
    wrong = list(violations(pathlib.Path(sys.argv[1])))
    if wrong:
        raise SystemExit("\n".join(wrong))
    print("each header can be included first")
