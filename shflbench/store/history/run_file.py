"""One run of a history as the content of a file: JSON, a list per column, so that a thousand are read in a second.

Columns that rarely change from run to run, such as the ids and the kernels, are decoded once for all runs that share
them.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, fields
from functools import lru_cache
from gzip import compress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.history.record import (
    SCHEMA,
    CaseColumns,
    HistoryKernel,
    HistoryMachine,
    HistoryRun,
)
from shflbench.store.record_values import check_moments, check_suite

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Column = TypeVar("Column")

DIGITS = 12  # of the hash in a file's name: 48 bits, beside the second in which the run started
ENDING = ".json.gz"
MOST_BYTES = 32 << 20  # unpacked; a run of 430 cases has 0.1 MB
# GitHub refuses files of 100 MB, and a run of 100,000 cases would have 6 MB.
LEVEL = 6  # of zlib; 9 saves 1% and takes three times as long
SHARED_COLUMNS = 4096  # kept in memory: some for each suite and each change of its kernels
RESTORE = "restore the file from git or from a copy, or delete it: other runs do not depend on it"
_STATUSES = frozenset(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KernelTable:
    """The different kernels of a run."""

    code: tuple[str, ...]
    source: tuple[str, ...]
    recompiled: tuple[str, ...]
    unit: tuple[str, ...]
    expressions: tuple[tuple[str, ...], ...]
    registers: tuple[int | None, ...]
    shared_bytes: tuple[int | None, ...]
    local_bytes: tuple[int | None, ...]
    spill_bytes: tuple[int | None, ...]
    launch: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaseTable:
    """The cases of a run; `kernel` is an index in its kernels."""

    case: msgspec.Raw
    status: msgspec.Raw
    time_us: tuple[float | None, ...]
    error: tuple[float | None, ...]
    processes: msgspec.Raw
    kernel: msgspec.Raw


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredRun:
    """The file of a run."""

    schema: int
    suite: str
    suite_sha256: str
    started: str
    commit: str
    is_dirty: bool
    machine: HistoryMachine
    kernels: msgspec.Raw
    cases: _CaseTable


@dataclass(frozen=True, slots=True)
class _Version:
    schema: int


_RUN = msgspec.json.Decoder(_StoredRun)
_VERSION = msgspec.json.Decoder(_Version)
_KERNELS = msgspec.json.Decoder(_KernelTable)
_TEXTS = msgspec.json.Decoder(tuple[str, ...])
_NUMBERS = msgspec.json.Decoder(tuple[int, ...])


class _DamageError(ValueError):
    """The content is not that of a run."""


def encode(run: HistoryRun) -> bytes:
    """Return the content of a run's file, not yet compressed: equal runs give equal bytes."""
    columns = CaseColumns.of(run.cases)
    kernels = {kernel: place for place, kernel in enumerate(dict.fromkeys(columns.kernel))}
    cases = {item.name: getattr(columns, item.name) for item in fields(columns)}
    head = {item.name: getattr(run, item.name) for item in fields(run) if item.name != "cases"}
    content = {
        "schema": SCHEMA,
        **head,
        "kernels": {item.name: [getattr(kernel, item.name) for kernel in kernels] for item in fields(HistoryKernel)},
        "cases": {**cases, "kernel": [kernels[kernel] for kernel in columns.kernel]},
    }
    return msgspec.json.encode(content)


def pack(content: bytes) -> bytes:
    """Compress the content of a file; the bytes do not depend on the time."""
    return compress(content, LEVEL, mtime=0)


def file_name(run: HistoryRun, content: bytes) -> str:
    """Return the name of a run's file: when it started, and the hash of what `encode` returned."""
    return f"{digits_of(run.started)}-{sha256(content).hexdigest()[:DIGITS]}{ENDING}"


def digits_of(started: str) -> str:
    """Return the digits of a time, by which files are sorted."""
    return "".join(filter(str.isdigit, started))


def decode(packed: bytes, path: Path) -> HistoryRun:
    """Return the run in the file at `path`, with this content.

    ResultsError, with the reason, where it is damaged, does not fit its name and folder, or is of a newer version.
    """
    try:
        content = unpack(packed)
        run = _decoded(content, path)
    except (ValueError, RecursionError, zlib.error) as error:  # `msgspec.DecodeError` is a ValueError
        raise ResultsError(f"{path} is damaged: {_clause(error, packed)}", RESTORE) from error
    if path.name != file_name(run, content):
        raise ResultsError(f"{path} was renamed or changed: the run in it is {file_name(run, content)}", RESTORE)
    if path.parent.name != run.suite:
        raise ResultsError(f"{path} lies in the wrong folder: the run in it is of suite {run.suite}", RESTORE)
    return run


def unpack(packed: bytes) -> bytes:
    """Return the content of a compressed file; `zlib.error` or ValueError where it is damaged, or far too large."""
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    content = decompressor.decompress(packed, MOST_BYTES)
    if decompressor.unconsumed_tail:
        raise _DamageError(f"it holds more than {MOST_BYTES:,} bytes")
    if not decompressor.eof:
        raise _DamageError("its end is missing")
    if decompressor.unused_data:
        raise _DamageError("something follows its end")
    return content


def _clause(error: Exception, packed: bytes) -> str:
    """Return what is wrong, within a sentence."""
    if packed.startswith(b"<<<<<<<"):
        return "it has the marks of a conflict in git"
    if isinstance(error, zlib.error):
        return "not gzip" if not packed.startswith(b"\x1f\x8b") else "its compressed data are invalid"
    return str(error)


def _decoded(content: bytes, path: Path) -> HistoryRun:
    try:
        stored = _RUN.decode(content)
    except msgspec.DecodeError:
        refuse_newer(content, path)
        raise
    refuse_newer(content, path, stored.schema)
    check_suite(stored.suite, path, "suite")
    check_moments({"started": stored.started}, path, RESTORE)
    head = {item.name: getattr(stored, item.name) for item in fields(HistoryRun) if item.name != "cases"}
    return HistoryRun(**head, cases=_columns(stored))


def refuse_newer(content: bytes, path: Path, schema: int | None = None) -> None:
    """Raise ResultsError where a later shflbench wrote this content; a `_DamageError` for an impossible schema."""
    number = _VERSION.decode(content).schema if schema is None else schema
    if number > SCHEMA:
        raise ResultsError(
            f"{path} has schema {number}, and this shflbench reads schemas up to {SCHEMA}",
            "read it with a newer version of shflbench",
        )
    if number < 1:
        raise _DamageError(f"`schema` is {number}, not 1 or above")


def _columns(stored: _StoredRun) -> CaseColumns:
    cases = stored.cases
    columns = CaseColumns(
        case=_texts(bytes(cases.case)),
        status=_statuses(bytes(cases.status)),
        time_us=cases.time_us,
        error=cases.error,
        processes=_numbers(bytes(cases.processes)),
        kernel=_kernels_by_case(bytes(stored.kernels), bytes(cases.kernel)),
    )
    _require_equal_lengths({item.name: getattr(columns, item.name) for item in fields(columns)})
    _require_amounts("time_us", cases.time_us)
    _require_amounts("error", cases.error)
    return columns


def _require_equal_lengths(columns: dict[str, Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise _DamageError(f"its columns differ in length: {', '.join(f'{name} {n}' for name, n in lengths.items())}")


def _require_amounts(name: str, values: Iterable[float | None]) -> None:
    amounts = [value for value in values if value is not None]
    if amounts and not (min(amounts) >= 0 and max(amounts) < math.inf):
        raise _DamageError(f"`{name}` has a number that is below 0 or infinite")


@lru_cache(SHARED_COLUMNS)
def _texts(raw: bytes) -> tuple[str, ...]:
    return _TEXTS.decode(raw)


@lru_cache(SHARED_COLUMNS)
def _statuses(raw: bytes) -> tuple[str, ...]:
    statuses = _TEXTS.decode(raw)
    if strange := set(statuses) - _STATUSES:
        raise _DamageError(f"`status` is {min(strange)!r}, not one of {', '.join(Status)}")
    return statuses


@lru_cache(SHARED_COLUMNS)
def _numbers(raw: bytes) -> tuple[int, ...]:
    return _NUMBERS.decode(raw)


@lru_cache(SHARED_COLUMNS)
def _kernels(raw: bytes) -> tuple[HistoryKernel, ...]:
    stored = _KERNELS.decode(raw)
    columns = {item.name: getattr(stored, item.name) for item in fields(stored)}
    _require_equal_lengths(columns)
    return tuple(
        HistoryKernel(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)
    )


@lru_cache(SHARED_COLUMNS)
def _kernels_by_case(kernels: bytes, places: bytes) -> tuple[HistoryKernel, ...]:
    known, indices = _kernels(kernels), _numbers(places)
    if indices and not (min(indices) >= 0 and max(indices) < len(known)):
        raise _DamageError("`kernel` has an index without a kernel")
    return tuple(known[index] for index in indices)
