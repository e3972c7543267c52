"""The extension of Sphinx with which docs/ becomes the site: links to files of the repository, and tables of contents.

The pages are plain Markdown, so that they also read well on GitHub: a link to a source file is a relative path, and an
index page is a list of links.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from tools.docs.site_files import all_files, body, page_name
from tools.docs.site_links import SCHEME, entries, file_link, parse, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

INDEXES = ("index", "README")  # names of pages whose lists are tables of contents


def mark_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Mark each link to a file that is not a page of the site, and give index pages their table of contents."""
    page = Path(app.env.doc2path(name))
    text = rewrite(source[0], lambda target: str(file_link(page, target) or target))
    listed = entries(source[0]) if page.stem in INDEXES else []
    # The first page is all tables: without the list of its headings beside it, they have more room.
    source[0] = ("---\nhide-toc: true\n---\n" if name == app.config.root_doc else "") + text + _contents(listed)


def _contents(pages: list[str]) -> str:
    return "\n".join(("", "", "```{toctree}", ":hidden:", "", *pages, "```", "")) if pages else ""


def resolve_links(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Point each marked link to the page that shows the file."""
    for node in tree.findall(nodes.reference):
        if node.get("refuri", "").startswith(SCHEME):
            link = parse(node["refuri"])
            address = app.builder.get_relative_uri(name, page_name(link))
            node["refuri"] = address + (f"#{link.place}" if link.place else "")


def pages_of_files(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file to which the documentation links."""
    pages = [Path(app.env.doc2path(name)) for name in sorted(app.env.found_docs)]
    for link in all_files(page for page in pages if page.suffix == ".md"):
        name = page_name(link)
        content = body(link, partial(app.builder.get_relative_uri, name))
        yield name, {"title": link.path, "body": content}, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the functions above."""
    app.connect("source-read", mark_links)
    app.connect("doctree-resolved", resolve_links)
    app.connect("html-collect-pages", pages_of_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
