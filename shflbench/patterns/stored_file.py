"""The files of a stored pattern and of challengers: JSON that is read by the types of its classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from shflbench.core.files import MOST_SOURCE, read_regular
from shflbench.patterns.stored import StoredPattern
from shflbench.patterns.stored_challengers import StoredChallengers

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.patterns.stored import BySize

Stored = TypeVar("Stored", StoredPattern, StoredChallengers)

MOST_ELEMENTS = 1 << 40  # of a buffer: no device has as many bytes


def stored_json(stored: StoredPattern | StoredChallengers) -> bytes:
    """Return a pattern or challengers as JSON."""
    return msgspec.json.encode(stored)


def read_stored(path: Path) -> StoredPattern:
    """Read a pattern that `stored_json` wrote; ValueError for a file that is none, or that cannot be read."""
    pattern = read_json(path, StoredPattern)
    _require_sizes(pattern)
    return pattern


def read_json(path: Path, kind: type[Stored]) -> Stored:
    """Read a pattern or challengers without a check of sizes; ValueError for a file without, or that cannot be read."""
    try:
        return msgspec.json.decode(read_regular(path, MOST_SOURCE), type=kind)
    except (OSError, msgspec.DecodeError, RecursionError) as error:  # thousands of brackets
        raise ValueError(str(error)) from error


def _require_sizes(pattern: StoredPattern) -> None:
    """Raise ValueError unless each buffer and each scalar has a value at every size, which a device can have."""
    sizes = {pattern.size_option: set(pattern.options.get(pattern.size_option, ())), "": {""}}
    values: list[tuple[str, BySize[object]]] = [(item.name, item.elements) for item in pattern.buffers]
    values += [(item.name, item.value) for item in pattern.scalars]
    for name, value in values:
        if value.option not in sizes or sizes[value.option] - set(value.values):
            raise ValueError(f"`{name}` has no value for each size")
    for buffer in pattern.buffers:
        for count in buffer.elements.values.values():
            if not 0 <= count <= MOST_ELEMENTS:
                raise ValueError(f"`{buffer.name}` has {count} elements")
