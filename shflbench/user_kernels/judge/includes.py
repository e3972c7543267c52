"""Refuse sources that include files from elsewhere than the folders that they may read.

A compiler shows lines of what it includes in its messages, and a header can hold an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.user_kernels.judge.comments import LINE, without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPLICE = re.compile(r"\\[ \t\f\v]*(?:\r\n?|\n)")
_GAP = r"[ \t\f\v]*+"
# Also in strings, where it is harmless: a search for those could be misled. The comments of a text where these are not
# certain are searched, too, and a directive that one of them interrupts names no file.
_DIRECTIVE = re.compile(
    rf"(?:(?:#|%:|\?\?=){_GAP}(?:(?:include_next|include|import|embed)\b|(?=/\*))"
    rf"|__has_(?:include_next|include|embed)\b{_GAP}\(?){_GAP}([^\r\n]*)"
)
_NAMED = re.compile(r'"(?P<quoted>[^"]+)"|<(?P<angled>[^>]+)>')
MOST_FILES = 500
MOST_BYTES = 4 * 2**20  # of a header


@dataclass(frozen=True, slots=True)
class RefusedInclude:
    """A directive that names a file elsewhere."""

    file: str
    line: int
    sentence: str


def refused_include(text: str, name: str, folder: Path | None, include: Sequence[Path]) -> RefusedInclude | None:
    """Return the first directive of a source, or of a header in its folders, that leads elsewhere; None if none does.

    `folder` is that of the file `name`; None: the source is a text.
    """
    allowed = [path.resolve() for path in (folder, *include) if path is not None]
    waiting, known = [(text, name, folder)], set[Path]()
    while waiting:
        content, shown, place = waiting.pop()
        if len(known) > MOST_FILES:
            return RefusedInclude(shown, 1, f"it includes more than {MOST_FILES} files")
        for line, target in _directives(content):
            reason = _reason(target, place, allowed)
            if reason:
                return RefusedInclude(shown, line, reason)
            for path in _found(target, place, allowed):
                if path not in known:
                    known.add(path)
                    waiting.append((_text_of(path), path.name, path.parent))
    return None


def _directives(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the rest of each directive that reads a file."""
    spliced = _SPLICE.sub("", text)
    joined = without_comments(spliced) or spliced
    for match in _DIRECTIVE.finditer(joined):
        yield sum(joined.count(end, 0, match.start()) for end in ("\n", LINE)) + 1, match[1]


def _reason(target: str, place: Path | None, allowed: Sequence[Path]) -> str:
    named = _NAMED.match(target)
    if named is None:
        return f"`{target[:80].strip()}` does not name a file as it stands"
    name = named["quoted"] or named["angled"]
    if Path(name).is_absolute() or ".." in Path(name).parts:
        folders = [place, *allowed] if named["quoted"] else allowed
        paths = [(folder / name).resolve() for folder in folders if folder is not None]
        if not any(_is_within(path, allowed) and path.is_file() for path in paths):
            return f"`{name}` is outside of the folders that it may read"
    if any(not _is_within(path, allowed) for path in _found(target, place, allowed)):
        return f"`{name}` leads outside of the folders that it may read"
    return ""


def _found(target: str, place: Path | None, allowed: Sequence[Path]) -> Iterator[Path]:
    """Yield the files that a directive may mean."""
    named = _NAMED.match(target)
    if named is None:
        return
    for folder in (place, *allowed):
        if folder is not None:
            path = (folder / (named["quoted"] or named["angled"])).resolve()
            if path.is_file():
                yield path


def _is_within(path: Path, allowed: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in allowed)


def _text_of(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode(errors="replace")
