#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a folder of the library use what another keeps in its namespace `detail`?

    python3 tests/detail_uses.py include/axe     fails on a use that is not listed below
    python3 tests/detail_uses.py --selftest      plants uses, and sees whether they are found
    python3 tests/detail_uses.py --list include/axe

Every folder may use the integers and lists of support/, and what layout/exact/ decides with. All other names of `detail` are their
folder's own: what another needs is to be public, or to stand in one of those two. Only qualified uses are seen, `detail::name`: code
within `namespace detail` can name the same without, and is not searched.
"""
import collections
import pathlib
import re
import sys
import tempfile

SHARED = ("support/", "layout/exact/")

# Uses that there are: folder that uses, folder that has it, names. To be made fewer, not more.
KNOWN = {
    ("interop", "layout"): "in_elements",
    ("interop", "machine"): "fuse_axes_into split_axis_into",
    ("interop", "text"): "read_item read_small",
    ("machine", "layout"): "in_elements",
    ("map", "layout"): "in_elements",
    ("picture", "program"): "count_words",
    ("picture", "tensor"): "worded write_file",
    ("program", "tensor"): "worded",
    ("schedule", "machine"): "same_text",
    ("schedule", "tensor"): "worded",
    ("sim", "layout"): "in_elements",
    ("sim", "map program"): "maximum minimum",
    ("sim", "program"): "count_words",
    ("sim", "tensor"): "SentenceArgument float_format highest_integer lowest_integer worded",
    ("sim", "text"): "character_length characters",
    ("target", "interop"): "Side side_of",
    ("target", "interop text"): "read_list",
    ("target", "machine"): "same_text",
    ("target", "relayout"): "CopyLoop simplify",
    ("target", "schedule"): "product_of",
    ("target", "tensor"): "worded",
    ("testing", "layout"): "Pack StaticLayout index_of",
    ("text", "layout"): "in_elements same",
}

DECLARATION = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:AXE_\w+\s+|inline\s+|constexpr\s+|static\s+|\[\[[\w:]+\]\]\s+)*"
    r"(?:(?:struct|class|enum class|enum|concept)\s+(\w+)|using\s+(\w+)\s*=|[\w:<>,\s*&.]+?[\s&*>](\w+)\s*(?:[({;=]|$))")
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\s+([\w:]+)\s*\{")


def plain(text):
    """Without comments and what strings say."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def declared(text):
    """The names declared in a namespace `detail`, and those of the namespaces in it."""
    open_blocks = []  # the name of a namespace, None for any other block
    names = set()
    for line in text.split("\n"):
        inside = all(block is not None for block in open_blocks) and "detail" in "::".join(open_blocks).split("::") if open_blocks else False
        if inside and line[:1] not in ("", " ", "\t", "#", "}"):
            match = DECLARATION.match(line)
            if match and not line.startswith(("namespace", "friend", "return")):
                names.add(next(name for name in match.groups() if name))
        opened = NAMESPACE.match(line)
        if opened and opened.group(1).startswith("detail::"):
            names.add(opened.group(1).split("::")[1])
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                open_blocks.append(opened.group(1) if opened else None)
                opened = None
            elif open_blocks:
                open_blocks.pop()
    return names


def uses(root):
    """(folder that uses, folders that declare, name) and the files."""
    texts = {path.relative_to(root).as_posix(): plain(path.read_text()) for path in sorted(root.rglob("*.hpp"))}
    owners = collections.defaultdict(set)
    for file, text in texts.items():
        for name in declared(text):
            owners[name].add("" if file.startswith(SHARED) else file.split("/")[0])
    found = collections.defaultdict(list)
    for file, text in texts.items():
        folder = file.split("/")[0]
        for name in re.findall(r"(?<!\w::)\b(?:axe::)?detail::(\w+)", text):
            if owners[name] and folder not in owners[name] and "" not in owners[name]:
                found[folder, " ".join(sorted(owners[name])), name].append(file)
    return found


def check(root, known):
    found = uses(root)
    listed = {(user, owner, name) for (user, owner), names in known.items() for name in names.split()}
    return [f"{found[use][0]}: {use[0]} uses detail::{use[2]}, which is {use[1]}'s own" for use in sorted(set(found) - listed)], listed - set(found)


def selftest():
    sources = {
        "support/a.hpp": "namespace axe {\nnamespace detail {\nconstexpr bool mul(int a) noexcept { return a; }\n}\n}\n",
        "layout/exact/b.hpp": "namespace axe {\nnamespace detail {\nstruct Window {\n    int own;\n};\n}\n}\n",
        "layout/c.hpp": "namespace axe {\nnamespace detail {\ntemplate <class T>\nint hidden(T t)\n{\n    return t;\n}\n}\nint shown();\n}\n",
        "map/fine.hpp": "int x = detail::mul(1); detail::Window w; int y = shown(); // detail::hidden\n",
        "layout/fine.hpp": "int x = detail::hidden(1);\n",
    }
    planted = {"map/bad.hpp": "int x = axe::detail::hidden(2);\n"}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text in sources.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        assert check(root, {}) == ([], set()), check(root, {})
        assert check(root, {("map", "layout"): "hidden"}) == ([], {("map", "layout", "hidden")})
        for file, text in planted.items():
            (root / file).write_text(text)
        assert check(root, {}) == (["map/bad.hpp: map uses detail::hidden, which is layout's own"], set()), check(root, {})
        assert check(root, {("map", "layout"): "hidden"}) == ([], set())
    print("planted uses are found")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    root = pathlib.Path(sys.argv[-1])
    if "--list" in sys.argv:
        rows = collections.defaultdict(list)
        for user, owner, name in sorted(uses(root)):
            rows[user, owner].append(name)
        for (user, owner), names in rows.items():
            print(f'    ("{user}", "{owner}"): "{" ".join(names)}",')
        return None
    problems, gone = check(root, KNOWN)
    for user, owner, name in sorted(gone):
        print(f"{user} no longer uses detail::{name} of {owner}: take it off the list")
    if problems:
        sys.exit("names of a folder's own, used by another:\n  " + "\n  ".join(problems))
    print(f"no further folder uses another's detail; {sum(len(n.split()) for n in KNOWN.values())} uses are listed")
    return None


if __name__ == "__main__":
    sys.exit(main())
