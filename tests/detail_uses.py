#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a folder of the library use what another keeps in its namespace `detail`?

    python3 tests/detail_uses.py include/axe     fails on such a use
    python3 tests/detail_uses.py --selftest      plants uses, and sees whether they are found

Every folder may use the integers and lists of support/, what layout/exact/ decides with, and what text/common/ reads and words texts with.
All other names of `detail` are their folder's own: what another needs is to be public, or to stand in one of those three.

Seen are `detail::name` wherever it stands, and, within a namespace `detail`, plain `name` where a call, a template or a type's name is
written, if an owner is among the headers that the file includes. A file that declares the name itself (a variable, a member) may use it, and so
may one that includes a header in which it is public.
"""
import collections
import pathlib
import re
import sys
import tempfile

SHARED = ("support/", "layout/exact/", "text/common/")

DECLARATION = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:AXE_\w+\s+|inline\s+|constexpr\s+|static\s+|\[\[[\w:]+\]\]\s+)*"
    r"(?:(?:struct|class|enum class|enum|concept)\s+(\w+)|using\s+(\w+)\s*=|[\w:<>,\s*&.]+?[\s&*>](\w+)\s*(?:[({;=]|$))")
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\s+([\w:]+)\s*\{")


def plain(text):
    """Without comments, and what characters and strings say."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"'(?:[^'\\\n]|\\.)'", "' '", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


INCLUDE = re.compile(r"^\s*#\s*include\s*<axe/([^>]+)>", re.M)
USE = re.compile(r"(?<![\w.:>])(?:([a-z]\w*)(?=[(<]|::)|([A-Z]\w*))")
KEYWORDS = "return|else|case|throw|new|delete|not|and|or|do|goto|typename|template|operator|const|constexpr|inline|static|mutable|friend|public|private|co_return|co_yield|co_await"


def lines(text):
    """Each line: whether it stands within a namespace `detail`, whether in no block but namespaces, and the text."""
    open_blocks = []  # the name of a namespace, None for any other block
    for line in text.split("\n"):
        opened = NAMESPACE.match(line)
        spaces = "::".join(block for block in open_blocks if block).split("::")
        yield "detail" in spaces, None not in open_blocks, line
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                open_blocks.append(opened.group(1) if opened else None)
                opened = None
            elif open_blocks:
                open_blocks.pop()


def declared(text):
    """The names declared in a namespace `detail`, with those of the namespaces in it, and those declared in other namespaces."""
    hidden, shown = set(), set()
    for in_detail, is_top, line in lines(text):
        opened = NAMESPACE.match(line)
        if opened and opened.group(1).startswith("detail::"):
            hidden.add(opened.group(1).split("::")[1])
        if is_top and line[:1] not in ("", " ", "\t", "#", "}"):
            match = DECLARATION.match(line)
            if match and not line.startswith(("namespace", "friend", "return")):
                (hidden if in_detail else shown).add(next(name for name in match.groups() if name))
    return hidden, shown


def used(text):
    """The names that code within a namespace `detail` uses as they are."""
    inside = "\n".join(line for in_detail, _, line in lines(text) if in_detail and not line.startswith("#"))
    return {lower or upper for lower, upper in USE.findall(inside)}


def declares(text, name):
    """Does the file declare something of this name somewhere: a variable, a parameter, a member?"""
    before = rf"(?!\b(?:{KEYWORDS}) )(?:\b[A-Za-z_]\w*|>)[&*]* "
    return re.search(rf"{before}{name}\b|[,(] ?[&*]?{name}(?: =|{{)|\[(?:[^\]]*, )?{name}[\],]", text)


def reached(file, includes):
    """The headers that a file includes, and those that these include, and so on."""
    seen, left = set(), [file]
    while left:
        header = left.pop()
        if header not in seen:
            seen.add(header)
            left += includes.get(header, [])
    return seen


def uses(root):
    """The uses, as sentences."""
    raw = {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.hpp"))}
    texts = {file: plain(text) for file, text in raw.items()}
    includes = {file: INCLUDE.findall(text) for file, text in raw.items()}
    owners = collections.defaultdict(dict)  # of a name: the folder ("" for all folders) of each file that declares it
    shown = collections.defaultdict(set)  # of a name: the files that declare it for all
    for file, text in texts.items():
        hidden, public = declared(text)
        for name in hidden:
            owners[name][file] = "" if file.startswith(SHARED) else file.split("/")[0]
        for name in public:
            shown[name].add(file)
    found = []
    for file, text in texts.items():
        folder = file.split("/")[0]
        is_own = {name: folder in files.values() or "" in files.values() for name, files in owners.items()}
        for name in sorted(set(re.findall(r"(?<!\w::)\b(?:axe::)?detail::(\w+)", text))):
            if not is_own.get(name, True):
                found.append(f"{file}: {folder} uses detail::{name}, which is {' and '.join(sorted(set(owners[name].values())))}'s own")
        headers = reached(file, includes)
        for name in sorted(used(text)):
            if is_own.get(name, True) or headers.isdisjoint(owners[name]) or headers & shown[name] or declares(text, name):
                continue
            found.append(f"{file}: {folder} uses {name}, which is {' and '.join(sorted(set(owners[name].values())))}'s own")
    return found


def selftest():
    sources = {
        "support/a.hpp": "namespace axe {\nnamespace detail {\nconstexpr bool mul(int a) noexcept { return a; }\n}\n}\n",
        "layout/exact/b.hpp": "namespace axe {\nnamespace detail {\nstruct Window {\n    int own;\n};\n}\n}\n",
        "layout/c.hpp": "namespace axe {\nnamespace detail {\ntemplate <class T>\nint hidden(T t)\n{\n    return t;\n}\nstruct Own {\n};\n}\nint shown();\n}\n",
        "map/fine.hpp": "#include <axe/layout/c.hpp>\nint x = detail::mul(1); detail::Window w; int y = shown(); // detail::hidden\n",
        "map/local.hpp": "#include <axe/layout/c.hpp>\nnamespace detail {\nint f()\n{\n    const auto hidden = [](int i) { return i; };\n    return hidden(2);\n}\n}\n",
        "map/member.hpp": "#include <axe/layout/c.hpp>\nnamespace detail {\nint f(X x)\n{\n    return x.hidden(2);\n}\n}\n",
        "map/another.hpp": "namespace detail {\nint f()\n{\n    return hidden(2);\n}\n}\n",
        "map/outside.hpp": "#include <axe/layout/c.hpp>\nint f()\n{\n    return hidden(2);\n}\n",
        "layout/fine.hpp": "int x = detail::hidden(1);\n",
    }
    planted = {
        "map/bad.hpp": ("int x = axe::detail::hidden(2);\n", "detail::hidden"),
        "map/plain.hpp": ("#include <axe/map/fine.hpp>\nnamespace axe {\nnamespace detail {\nint f()\n{\n    return hidden(2);\n}\n}\n}\n", "hidden"),
        "map/type.hpp": ("#include <axe/layout/c.hpp>\nnamespace axe {\nnamespace map::detail {\nint f(const Own& own);\n}\n}\n", "Own"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def write(file, text):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)

        for file, text in sources.items():
            write(file, text)
        assert uses(root) == [], uses(root)
        for file, (text, words) in planted.items():
            write(file, text)
            assert uses(root) == [f"{file}: map uses {words}, which is layout's own"], uses(root)
            (root / file).unlink()
    print("planted uses are found")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = uses(pathlib.Path(sys.argv[-1]))
    if found:
        sys.exit("names of a folder's own, used by another:\n  " + "\n  ".join(found))
    print("no folder uses what another keeps in its detail")
    return None


if __name__ == "__main__":
    sys.exit(main())
