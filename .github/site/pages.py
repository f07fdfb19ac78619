# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pages of docs/ need to be a site: the order of the rooms, and what their Markdown has that MkDocs reads otherwise."""
import logging
import os
import re

log = logging.getLogger("mkdocs.hooks.pages")

ROOMS = [
    ("Home", "index.md"),
    ("Tutorial", "tutorial"),
    ("How to", "how-to"),
    ("Examples", "examples"),
    ("Reference", "reference"),
    ("Design", "design"),
]


def on_nav(nav, config, files):
    """Every section begins with its index, where it has one."""
    for section in nav:
        if section.is_section:
            section.children.sort(key=lambda item: not (item.is_page and item.file.name == "index"))
    return nav


def on_config(config):
    """The rooms in the order of docs/index.md; the pages beside them come last. A page is in the site when it is in docs/."""
    docs = config.docs_dir
    nav = []
    for title, name in ROOMS:
        path = os.path.join(docs, name)
        pages = sorted(f"{name}/{page}" for page in os.listdir(path) if page.endswith(".md")) if os.path.isdir(path) else name
        nav.append({title: pages})
    rest = sorted(page for page in os.listdir(docs) if page.endswith(".md") and page != "index.md")
    nav.append({"About": rest})
    config.nav = nav
    return config


FENCE = re.compile(r"(^```[^\n]*\n.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\[\]]*)\]\(((?:\.\./)+[^()# ]*)(#[^() ]*)?\)")


def on_page_markdown(markdown, page, config, files):
    folder = os.path.dirname(page.file.abs_src_path)

    def link(found):
        """What is outside docs/ is in the repository; without its address (repo_url) it is named, not linked."""
        path = os.path.relpath(os.path.join(folder, found[2]), os.path.dirname(config.docs_dir))
        if path.startswith("docs" + os.sep) or not os.path.exists(os.path.join(config.docs_dir, "..", path)):
            return found[0]
        return f"[{found[1]}]({config.repo_url.rstrip('/')}/blob/main/{path})" if config.repo_url else found[1]

    parts = FENCE.split(markdown)
    for i, part in enumerate(parts):
        if i % 2 == 1:
            parts[i] = re.sub(r"^```cpp [a-z]+$", "```cpp", part, count=1, flags=re.MULTILINE)  # excerpt, continued
        else:
            part = LINK.sub(link, part)
            parts[i] = re.sub(r"^((?!- |\s|#|\|)\S[^\n]*\n)(?=- )", r"\1\n", part, flags=re.MULTILINE)  # a list after a paragraph
    return "".join(parts)


def on_page_content(html, page, config, files):
    """Markdown that stays in the page as text was not understood."""
    text = re.sub(r"<(pre|code)\b.*?</\1>", "", html, flags=re.DOTALL)
    for left in re.findall(r"<p>[^<]*(?:<(?!/p)[^>]*>[^<]*)*?\n- [^\n]*|[^\n]*```[^\n]*|[^\n]*\]\([^\n]*", text):
        log.warning("Doc file '%s': not read as Markdown: %s", page.file.src_uri, left.split("\n")[-1])
    return html
