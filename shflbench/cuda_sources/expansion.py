"""Refuse files whose macros expand to more, or whose code is nested deeper, than a compiler can take."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from shflbench.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.macros import Macros

MAXIMUM_WORDS = 4_000_000  # of all uses of one macro; nvcc takes minutes and gigabytes for this many
MOST_LEVELS = 500  # of braces or conditions; C++ recommends that a compiler takes 256, and shflbench climbs them often
_WORD = re.compile(rb"[A-Za-z_]\w*")
_DEFINE = re.compile(rb"\s*#\s*define\b")


def require_shallow(files: Iterable[UserFile]) -> None:
    """Raise CompileError if braces, or conditions of the preprocessor, are nested in more than MOST_LEVELS."""
    for file in files:
        if file.lexed.levels > MOST_LEVELS:
            raise CompileError(
                f"{file.path} nests braces or conditions more than {MOST_LEVELS} levels deep",
                "Simplify the file, or pass its PTX.",
            )


def require_expandable(files: Sequence[UserFile], macros: Macros) -> None:
    """Raise CompileError if the uses of one macro expand to more than MAXIMUM_WORDS words and numbers."""
    sizes = _sizes(macros)
    most = {name: MAXIMUM_WORDS // size for name, size in sizes.items() if size > 1}
    known = {name.encode(): name for name in most}
    for file in files:
        # No macro is used more often than its name fits into the text: few are worth the count of their uses.
        used = {known[word] for word in known.keys() & file.words}
        large = {name for name in used if len(file.text) // len(name) > most[name]}
        large = {name for name in large if file.text.count(name.encode()) > most[name]}
        for name, count in (_used(file) if large else {}).items():
            if name in large and count > most[name]:
                raise CompileError(
                    f"its macro {name} expands to more than {MAXIMUM_WORDS // 10**6} million words",
                    "Simplify the macro, or pass PTX.",
                    file.path,
                )


def _used(file: UserFile) -> Counter[str]:
    """Return how often the words of a file occur outside definitions of macros."""
    counts: Counter[str] = Counter()
    start = 0
    for span in file.lexed.directives:
        if _DEFINE.match(file.text, span.start, span.end):
            counts.update(_words(file.text[start : span.start]))
            start = span.end
    counts.update(_words(file.text[start:]))
    return counts


def _words(text: bytes) -> Iterable[str]:
    return (word.decode(errors="replace") for word in _WORD.findall(text))


def _sizes(macros: Macros) -> dict[str, int]:
    """Return the words that each macro expands to, at most one above the limit; a macro in itself stays as it is."""
    sizes: dict[str, int] = {}
    for first in macros.names:
        stack = [first]
        open_: set[str] = set()
        while stack:
            name = stack[-1]
            if name in sizes:
                stack.pop()
                continue
            inside = macros.body_words(name)
            waiting = [] if name in open_ else [word for word in inside if macros.definitions(word)]
            waiting = [word for word in waiting if word not in sizes and word not in open_]
            open_.add(name)
            if waiting:
                stack += waiting
                continue
            total = sum(sizes.get(word, 1) * count for word, count in inside.items())
            sizes[name] = min(max(total, 1), MAXIMUM_WORDS + 1)
            stack.pop()
    return sizes
