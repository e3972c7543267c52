"""The names that the checked file uses, also through functions of headers: others of these are never called."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import BLANKS
from shflbench.cuda_sources.syntax_trees import function_name, nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.cuda_sources.includes import SourceUnit

_FUNCTION = frozenset({"function_definition"})


def reached_names(unit: SourceUnit) -> frozenset[bytes]:
    """Return the words of the main file, of macros, and of the functions of headers that these words name."""
    words: dict[bytes, set[bytes]] = defaultdict(set)  # of the bodies of all functions of a name
    waiting = set(unit.main.words).union(*(file.words for file in unit.sources))
    for file in unit.headers.values():
        waiting.update(*(_words(file.text[span.start : span.end]) for span in file.lexed.directives))
        for function in nodes_of(file.tree.root_node, _FUNCTION):
            name = function_name(function).rpartition("::")[2].encode()
            words[name].update(_words(function.text or b""))
    reached: set[bytes] = set()
    while waiting:
        reached |= waiting
        waiting = set().union(*(words[name] for name in waiting if name in words)) - reached
    return frozenset(reached)


def _words(text: bytes) -> Iterable[bytes]:
    return text.translate(BLANKS).split()
