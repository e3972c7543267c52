"""The source of kernels in a history, each once, so that a later compiler can compile it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping  # noqa: TC003  (msgspec takes the types from the annotations)
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from shflbench.errors import ResultsError
from shflbench.store import run_files
from shflbench.store.history.folder import SOURCES
from shflbench.store.history.record import SCHEMA
from shflbench.store.history.run_file import ENDING, RESTORE, unpack

if TYPE_CHECKING:
    from pathlib import Path

DIGITS = 20  # of hashes in a history: 80 bits; a million of them share one with a probability of 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySource:
    """A translation unit, as the compiler got it."""

    unit: str  # name in messages and line tables
    text: str
    headers: Mapping[str, str]  # name in #include → text
    options: tuple[str, ...] = ()  # of the compiler, beside those of the run

    def encode(self) -> bytes:
        """Return the content of its file, not yet compressed."""
        return msgspec.json.encode({"schema": SCHEMA, **msgspec.to_builtins(self)}, order="deterministic")


def digest(content: bytes) -> str:
    """Return the hash by which a history names a source or machine code."""
    return sha256(content).hexdigest()[:DIGITS]


def read_source(folder: Path, name: str) -> HistorySource:
    """Return a unit by the hash of its content; ResultsError where it is missing or damaged."""
    path = folder / SOURCES / f"{name}{ENDING}"
    try:
        content = unpack(run_files.read(path))
        if digest(content) != name:
            raise ResultsError(f"{path} was renamed or changed", RESTORE)
        return msgspec.json.decode(content, type=HistorySource)
    except (ValueError, RecursionError, zlib.error) as error:
        raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
