"""The traffic that a launch asks of memory, as the declaration of its pattern says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.launch import launch_dims
from shflbench.core.model import DTYPES
from shflbench.errors import PatternError
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.patterns.declare import Pattern
    from shflbench.store import Row


class DeclaredTraffic:
    """The bytes that launches of some patterns move, and their atomic operations."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """Take the folders of the patterns by name; a pattern is loaded when it is needed."""
        self._folders = folders
        self._declarations: dict[str, Pattern | None] = {}

    def distinct_bytes(self, row: Row) -> float | None:
        """Return the bytes that a launch reads and writes, at most those of its buffers; None if not declared.

        A pattern may declare bytes that several threads read; each byte of its buffers counts once here.
        """
        declaration, setting = self._declaration(row.pattern), _setting(row)
        if declaration is None or declaration.bytes_moved is None or setting is None:
            return None
        sizes = (buffer.count(setting) * DTYPES[buffer.dtype or row.dtype].size for buffer in declaration.buffers)
        return float(min(declaration.bytes_moved(setting), sum(sizes)))

    def atomics(self, row: Row) -> float | None:
        """Return the atomic operations of a launch on one address of global memory, at least; None if not declared."""
        declaration, setting = self._declaration(row.pattern), _setting(row)
        variants = declaration.variants if declaration else ()
        count = next((variant.atomics for variant in variants if variant.name == row.variant), None)
        return float(count(setting)) if count and setting else None

    def is_declared(self, pattern: str) -> bool:
        """Whether the declaration of a pattern is known."""
        return self._declaration(pattern) is not None

    def _declaration(self, pattern: str) -> Pattern | None:
        """Return the declaration of a pattern; None where it has no folder, or one that does not load."""
        if pattern not in self._declarations:
            try:
                folder = self._folders.get(pattern)
                self._declarations[pattern] = load(folder).declaration if folder else None
            except PatternError:
                self._declarations[pattern] = None
        return self._declarations[pattern]


def _setting(row: Row) -> Setting | None:
    """Return the setting of a row's launch; None if its grid is not known."""
    if row.grid is None:
        return None
    return Setting(DTYPES[row.dtype], dict(row.options), row.grid, row.block, launch_dims(row.launch))
