"""Links of Markdown pages: which lead to pages of the site, and which to other files of the repository."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SCHEME = "repository:"  # of a rewritten link to a file that is not a page
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)(?P<begin>\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^()\s]+)(?P<end>\))")
_ENTRIES = (  # links to other index pages, links with which the items of a list begin, or the rows of a table
    re.compile(r"\]\((?P<target>[^()\s#]+/index\.md)\)"),
    re.compile(r"^- \[[^\]]+\]\((?P<target>[^()\s#]+\.md)\)", re.MULTILINE),
    re.compile(r"^\| \[[^\]]+\]\((?P<target>[^()\s#]+\.md)\)", re.MULTILINE),
)
_LINE = re.compile(r"L(\d+)")  # GitHub's name of a line


@dataclass(frozen=True, slots=True)
class FileLink:
    """A link to a file or a folder of the repository: its path from the root, and the id of a place in it."""

    path: str
    place: str = ""

    def __str__(self) -> str:
        """Return the link as it stands in a page until Sphinx knows where the page is."""
        return f"{SCHEME}{self.path}" + (f"#{self.place}" if self.place else "")


def parse(uri: str) -> FileLink:
    """Return the link that `str` made `uri` of."""
    path, _, place = uri.removeprefix(SCHEME).partition("#")
    return FileLink(path, place)


def file_link(page: Path, target: str) -> FileLink | None:
    """Return what a link on `page` leads to, None if that is a page of the site, another host or does not exist."""
    name, _, place = target.partition("#")
    path = (page.parent / name).resolve()
    is_page = path.is_relative_to(DOCS) and path.suffix == ".md"
    if not name or ":" in name or is_page or not path.exists() or not path.is_relative_to(ROOT):
        return None
    return FileLink(path.relative_to(ROOT).as_posix(), _LINE.sub(r"L-\1", place))


def rewrite(text: str, change: Callable[[str], str]) -> str:
    """Return Markdown with the target of each link changed, except in code blocks."""
    kept = list(_FENCED.finditer(text))
    ends = [0, *(block.end() for block in kept)]
    starts = [*(block.start() for block in kept), len(text)]
    parts = []
    for place, (end, start) in enumerate(zip(ends, starts, strict=True)):
        parts.append(_LINK.sub(lambda link: link["begin"] + change(link["target"]) + link["end"], text[end:start]))
        parts.extend(block.group() for block in kept[place : place + 1])
    return "".join(parts)


def file_links(page: Path) -> Iterator[FileLink]:
    """Yield the links of a Markdown file to files that are not pages of the site."""
    targets: list[str] = []

    def keep(target: str) -> str:
        targets.append(target)
        return target

    rewrite(page.read_text(encoding="utf-8"), keep)
    yield from (link for target in targets if (link := file_link(page, target)))


def entries(text: str) -> list[str]:
    """Return the pages that an index page lists."""
    listed = [[match["target"] for match in entry.finditer(text)] for entry in _ENTRIES]
    return list(dict.fromkeys(next(filter(None, listed), [])))
