"""Find which files of a kernel's source changed in more than comments and spaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.store.kernel_archive import StoredKernel

    Contents = Mapping[str, bytes]  # of `kernels.zip`: file → its text

# A comment, or a literal, which may contain what looks like one.
_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')', re.DOTALL)


def changed_files(base: StoredKernel, new: StoredKernel, before: Contents, after: Contents) -> Iterator[str]:
    """Yield the names of the files that changed, were added or are gone: the unit first, then its headers.

    `before` and `after` are the texts of both sides by file; a file whose text is unknown counts as changed if its name
    did, which contains the hash of its content.
    """
    old = {base.unit: base.source, **base.headers}
    files = {new.unit: new.source, **new.headers}
    if base.unit != new.unit:
        old[new.unit] = old.pop(base.unit)
    for name, file in files.items():
        if name not in old or (old[name] != file and _tokens(before.get(old[name])) != _tokens(after.get(file), b"?")):
            yield name
    yield from (name for name in old if name not in files)


def _tokens(text: bytes | None, unknown: bytes = b"") -> bytes:
    """Return a text without comments, and with one space for each sequence of blanks; `unknown` if there is no text."""
    return unknown if text is None else b" ".join(_COMMENT.sub(_blank_or_literal, text).split())


def _blank_or_literal(match: re.Match[bytes]) -> bytes:
    return match[1] or b" "
