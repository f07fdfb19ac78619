#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does every link of the pages lead to a file, and its fragment to a heading there? Nothing is looked up in a network.

usage: links.py ROOT | links.py --selftest
"""
import pathlib
import re
import sys
import tempfile

CODE = re.compile(r"^(```+).*?^\1[ \t]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(```+).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()\s]*\))?)\)")


def slug(heading):
    """The fragment that GitHub and MkDocs give a heading in plain words."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[ ]", "-", re.sub(r"[^\w\- ]", "", text.strip().lower()))


def fragments(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE)}


def wrong_links(root):
    """(page, line, link, why) of each that leads nowhere."""
    pages = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob(".github/**/*.md"), *root.glob("examples/**/*.md")])
    wrong = []
    for page in pages:
        # Code keeps its lines, so that those of links are right.
        text = CODE.sub(lambda code: re.sub(r"[^\n]", "", code[0]), page.read_text(encoding="utf-8"))
        for found in LINK.finditer(text):
            target, _, fragment = found[1].partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = (page.parent / target) if target else page
            why = ""
            if not path.exists():
                why = "there is no such file"
            elif root.resolve() not in path.resolve().parents and path.resolve() != root.resolve():
                why = "it leaves the repository"
            elif fragment and (path.suffix != ".md" or fragment not in fragments(path)):
                why = "there is no such heading"
            if why:
                wrong.append((page.relative_to(root).as_posix(), text.count("\n", 0, found.start()) + 1, found[1], why))
    return pages, wrong


def selftest():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        (root / "docs").mkdir(parents=True)
        (root / "README.md").write_text("# A page\n[good](docs/a.md#two-words-here) [bad](docs/b.md)\n", encoding="utf-8")
        (root / "docs/a.md").write_text(
            "# `Two` words, here\n```cpp\n# not a heading\n[x](y)\n```\n`f[i](j)`\n[up](../README.md#a-page)\n"
            "[in](#two-words-here) [out](#not-a-heading) [far](https://x.y/z) [away](../../away.md)\n![p](p.svg)\n",
            encoding="utf-8",
        )
        pathlib.Path(folder, "away.md").touch()
        pages, wrong = wrong_links(root)
        assert len(pages) == 2, pages
        assert wrong == [
            ("README.md", 2, "docs/b.md", "there is no such file"),
            ("docs/a.md", 8, "#not-a-heading", "there is no such heading"),
            ("docs/a.md", 8, "../../away.md", "it leaves the repository"),
            ("docs/a.md", 9, "p.svg", "there is no such file"),
        ], wrong


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    pages, wrong = wrong_links(pathlib.Path(sys.argv[1]))
    for page, line, link, why in wrong:
        print(f"{page}:{line}: {link}: {why}")
    print(f"{len(pages)} pages, {len(wrong)} links that lead nowhere")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
