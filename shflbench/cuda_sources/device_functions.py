"""The other sources of a program that define device functions which a file calls, as `nvcc -dc` links them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.neighbors import definers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.includes import SourceUnit

MAXIMUM_ROUNDS = 3  # of functions that call functions of further sources; each takes the time of a compilation
_UNDEFINED = re.compile(r"^\.extern\s+\.func\s*(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)


def with_definitions(unit: SourceUnit, ptx: str, include: Sequence[Path]) -> SourceUnit | None:
    """Return a unit with the sources that define functions which its PTX only declares; None if there is none."""
    names = frozenset(name.encode() for name in _undefined(ptx))
    added = definers(unit, names, include) if names else []
    if not added:
        return None
    headers = {name: file for source in added for name, file in source.headers.items()}
    compiled = {file.path.resolve() for source in added for file in source.files}
    return replace(
        unit,
        sources=[*unit.sources, *(source.main for source in added)],
        headers=headers | unit.headers,
        stubs={name: text for source in added for name, text in source.stubs.items()} | unit.stubs,
        neighbors=[file for file in unit.neighbors if file.path.resolve() not in compiled],
    )


def _undefined(ptx: str) -> Iterator[str]:
    """Yield the last parts of the names of functions that a PTX declares and does not define."""
    for symbol in _UNDEFINED.findall(ptx):
        known = demangle(symbol)
        yield (known.name if known is not None else symbol).rpartition("::")[2]
