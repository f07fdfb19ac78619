#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes headers of axe, and all that they include of axe, as one: for Compiler Explorer, and for a first try.

usage: single_header.py [--comments] [-o FILE] [HEADER...]       HEADER: axe/axe.hpp unless said

Comments are left out unless asked for. The same headers always give the same bytes. Include guards stay, so that a
single header and a header of the library may be included by one source, if they are of one version.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<(axe/[^>]+)>[^\n]*\n?")

# What may contain the characters of a comment, or of a literal, comes before them: raw strings, strings, numbers (1'000), characters.
TOKEN = re.compile(
    r"""(?P<keep>R"(?P<end>[^()\\ ]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|\b\d(?:'?[\w.])*|'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL,
)


def without_comments(text):
    """The text without comments, and without the lines that held nothing else."""
    lines = TOKEN.sub(lambda found: found["keep"] or "\0", text).split("\n")
    kept = [re.sub(r"[ \t]*\0", "", line) for line in lines if line.replace("\0", "").strip() or "\0" not in line]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept))


def version():
    text = (ROOT / "include/axe/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define AXE_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def expanded(name, seen, comments):
    """The header with those that it includes in their places, each where it comes first."""
    if name in seen:
        return ""
    seen.add(name)
    text = (ROOT / "include" / name).read_text(encoding="utf-8")
    if not comments:
        text = without_comments(text)
    return INCLUDE.sub(lambda found: expanded(found[1], seen, comments), text)


def single_header(names, comments=False):
    head = (
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        f"// axe {version()}: {', '.join(names)} as a single header, made by single_header.py from the headers of the library.\n"
        "#if defined(AXE_COMPILED)\n#  error a single header has no axe::kernels: compile without AXE_COMPILED\n#endif\n"
    )
    seen = set()
    body = "".join(expanded(name, seen, comments) for name in names)
    return re.sub(r"\n{3,}", "\n\n", head + "\n" + body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="*", default=["axe/axe.hpp"], metavar="HEADER")
    parser.add_argument("--comments", action="store_true")
    parser.add_argument("-o", metavar="FILE", dest="file")
    arguments = parser.parse_args()
    text = single_header(arguments.headers, arguments.comments)
    if arguments.file:
        pathlib.Path(arguments.file).write_text(text, encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
