#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is every public function of layouts asked by the respelling law (tests/laws/respelling*.cpp)?

    python3 tests/respelling.py ROOT         fails on a function of a public header of include/axe/layout that the law does not call, of
                                             layouts and of swizzled layouts each
    python3 tests/respelling.py --selftest   plants functions, and sees whether they are found
"""
import pathlib
import re
import sys
import tempfile

# What takes no layout, or is no question about its map.
OTHERS = {
    "as_layout": "of a static layout, the same layout as a value",
    "before": "of points",
    "coordinate": "of shapes",
    "in_elements": "of the swizzle alone",
    "intersect": "of iters",
    "linear_index": "of shapes",
    "make_layout": "of the parts of a layout: keeps how it is written",
    "swizzle_point": "of a point",
    "volume": "of shapes",
}
FUNCTION = re.compile(r"^(?:(?:AXE_\w+|\[\[nodiscard\]\]|inline|static|friend) )*constexpr (?!(?:bool|auto) operator)[^\n;={}()]*?\b(\w+)\(([^{;]*)", re.M)


def public_part(text):
    """A header without comments and without what is in namespaces `detail`."""
    text = re.sub(r"//[^\n]*", "", text)
    out, at = "", 0
    for found in re.finditer(r"namespace detail \{", text):
        if found.start() < at:
            continue
        out += text[at : found.start()]
        at, depth = found.end(), 1
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return out + text[at:]


def missing(root):
    law = "".join(path.read_text() for path in sorted((root / "tests/laws").glob("respelling*.cpp")))
    for path in sorted((root / "include/axe/layout").glob("*.hpp")):
        for found in FUNCTION.finditer(public_part(path.read_text())):
            name, parameters = found.groups()
            if name in OTHERS or name == "AXE_HOST_DEVICE":
                continue
            swizzled = re.match(r"const Swizzled<", parameters)
            call = rf"\baxe::{name}\((?:\w+\()?" + ("(?:swizzled|plain|\\*tiled|tiled|other)\\b" if swizzled else "")
            if not re.search(call, law):
                yield f"{path.name}: {name}" + (", swizzled" if swizzled else "")


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tests/laws").mkdir(parents=True)
        (root / "include/axe/layout").mkdir(parents=True)
        (root / "tests/laws/respelling.cpp").write_text("axe::asked(x); axe::both(x); axe::both(swizzled(x));")
        (root / "include/axe/layout/a.hpp").write_text(
            "constexpr Result<L> asked(const L& l) noexcept\n{\n}\nconstexpr Result<L> asked(const Swizzled<L>& s) noexcept\n{\n}\n"
            "constexpr bool is_new(const L& l) noexcept;\nnamespace detail {\nconstexpr int hidden(const L& l) { return 1; }\n}\n"
            "constexpr Decision both(const L& l);\nconstexpr Decision both(const Swizzled<L>& l);\n"
            "constexpr int coordinate(const Shape& s);\n// constexpr int words(int);\n")
        found = list(missing(root))
        if found != ["a.hpp: asked, swizzled", "a.hpp: is_new"]:
            sys.exit(f"found {found}")
    print("planted functions are found")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = sorted(set(missing(pathlib.Path(sys.argv[1]))))
    if found:
        sys.exit("not in tests/laws/respelling.cpp; ask them of two spellings of a layout there:\n  " + "\n  ".join(found))


if __name__ == "__main__":
    main()
