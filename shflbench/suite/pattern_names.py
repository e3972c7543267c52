"""Suggest a pattern for a name that is not one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import did_you_mean
from shflbench.patterns.discover import builtin, builtin_declaration
from shflbench.suite.quotes import MAX_SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean_pattern(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` for the name of a pattern, also for another name that a pattern declares."""
    wanted = _letters(word)
    for name in builtin() if wanted and len(word) <= MAX_SHOWN else ():
        declaration = builtin_declaration(name)
        if declaration and wanted in map(_letters, declaration.also_called):
            return f"; did you mean `{name}`?"
    return did_you_mean(word, known)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
