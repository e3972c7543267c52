"""Pages of the site that show files of the repository to which the documentation links: code, Markdown and folders."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from tools.docs.site_links import ROOT, FileLink, file_link, file_links, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

FOLDER = "files"  # of the site, below which these pages are


def page_name(link: FileLink) -> str:
    """Return the name of the page that shows a file."""
    return f"{FOLDER}/{link.path}"


def all_files(pages: Iterable[Path]) -> list[FileLink]:
    """Return the files to which pages link, directly or by way of other Markdown files."""
    waiting, known = list(pages), set[FileLink]()
    while waiting:
        for link in {FileLink(link.path) for link in file_links(waiting.pop())} - known:
            known.add(link)
            if link.path.endswith(".md"):
                waiting.append(ROOT / link.path)
    return sorted(known, key=str)


def body(link: FileLink, uri: Callable[[str], str]) -> str:
    """Return the HTML of a page; `uri` returns the relative address of a page of the site, given its name."""
    path = ROOT / link.path
    if path.suffix == ".md":
        return _markdown(path, uri)
    title = f"<h1>{escape(link.path)}</h1>"
    return title + (_folder(path) if path.is_dir() else _code(path))


def _markdown(path: Path, uri: Callable[[str], str]) -> str:
    def address(target: str) -> str:
        if link := file_link(path, target):
            return uri(page_name(link)) + (f"#{link.place}" if link.place else "")
        name, _, place = target.partition("#")
        page = (path.parent / name).resolve()
        if not name or ":" in name or not page.is_relative_to(ROOT / "docs"):
            return target
        return uri(page.relative_to(ROOT / "docs").with_suffix("").as_posix()) + (f"#{place}" if place else "")

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(rewrite(path.read_text(encoding="utf-8"), address))
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(content.content))
    html: str = reader.renderer.render(tokens, reader.options, {})
    # As the theme does with its own tables: a wide one scrolls instead of widening the page.
    return html.replace("<table>", '<div class="table-wrapper docutils container"><table class="docutils">').replace(
        "</table>", "</table></div>"
    )


def _anchor(heading: str) -> str:
    """Return the id of a heading, as GitHub and the pages of the documentation have it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _code(path: Path) -> str:
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    # Each line has an id, so that a link to a line works: L-21.
    html: str = highlight(path.read_text(encoding="utf-8"), lexer, HtmlFormatter(linespans="L", wrapcode=True))
    return html


def _folder(path: Path) -> str:
    files = sorted(file for file in path.iterdir() if file.is_file())
    rows = "".join(
        f"<tr><td><code>{escape(file.name)}</code></td><td>{file.stat().st_size:,} bytes</td></tr>" for file in files
    )
    return (
        '<div class="table-wrapper docutils container"><table class="docutils"><thead><tr><th>file</th><th>size</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )
