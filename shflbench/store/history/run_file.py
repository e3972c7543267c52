"""One run of a history as the content of a file: JSON, a list per column, so that a thousand are read in a second.

It is compressed in two parts, which any gzip reads as one. The second holds what rarely changes from run to run, such
as ids and kernels; a part with the bytes of an earlier one is not unpacked again.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, fields, replace
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
from shflbench.store.record_values import check_moments, check_suite, wrong_value

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Column = TypeVar("Column")

DIGITS = 12  # of the hash in a file's name: 48 bits, beside the second in which the run started
ENDING = ".json.gz"
MOST_BYTES = 32 << 20  # unpacked; a run of 430 cases has 0.1 MB
# GitHub refuses files of 100 MB, and a run of 100,000 cases would have 6 MB.
LEVEL = 6  # of zlib; 9 saves 1% and takes three times as long
SHARED_PARTS = 256  # kept in memory, 20 kB each; files are read in the order of their start, suite by suite
RESTORE = "restore the file from git or from a copy, or delete it: other runs do not depend on it"
_STATUSES = frozenset(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KernelTable:
    """The different kernels of a run."""

    code: tuple[str, ...]
    source: tuple[str, ...]
    recompiled: tuple[str, ...]
    recompiled_of: tuple[str, ...]
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

    case: tuple[str, ...]
    status: tuple[str, ...]
    processes: tuple[int, ...]
    kernel: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Times:
    """The times of the cases, in their order."""

    time_us: tuple[float | None, ...]
    error: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The first part of the file."""

    schema: int
    suite: str
    suite_sha256: str
    started: str
    commit: str
    is_dirty: bool
    machine: HistoryMachine
    times: _Times


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rest:
    """The second part."""

    kernels: _KernelTable
    cases: _CaseTable


@dataclass(frozen=True, slots=True)
class _Version:
    schema: int


_HEAD = msgspec.json.Decoder(_Head)
_REST = msgspec.json.Decoder(_Rest)
_VERSION = msgspec.json.Decoder(_Version)


class _DamageError(ValueError):
    """The content is not that of a run."""


def pack_run(run: HistoryRun) -> bytes:
    """Return the content of a run's file; equal runs give equal bytes."""
    columns = CaseColumns.of(run.cases)
    kernels = {kernel: place for place, kernel in enumerate(dict.fromkeys(columns.kernel))}
    head = {item.name: getattr(run, item.name) for item in fields(run) if item.name != "cases"}
    times = {item.name: getattr(columns, item.name) for item in fields(_Times)}
    cases = {item.name: getattr(columns, item.name) for item in fields(_CaseTable)}
    rest = {
        "kernels": {item.name: [getattr(kernel, item.name) for kernel in kernels] for item in fields(HistoryKernel)},
        "cases": {**cases, "kernel": [kernels[kernel] for kernel in columns.kernel]},
    }
    first = msgspec.json.encode({"schema": SCHEMA, **head, "times": times})
    # Both parts together are one object.
    return pack(first.removesuffix(b"}")) + pack(b"," + msgspec.json.encode(rest).removeprefix(b"{"))


def pack(content: bytes) -> bytes:
    """Compress the content of a file; the bytes do not depend on the time."""
    return compress(content, LEVEL, mtime=0)


def file_name(run: HistoryRun, packed: bytes) -> str:
    """Return the name of a run's file: when it started, and the hash of its content."""
    return f"{digits_of(run.started)}-{sha256(packed).hexdigest()[:DIGITS]}{ENDING}"


def require_valid(run: HistoryRun, path: Path) -> None:
    """Raise ResultsError for a run whose file could not be read again; `path` is where it comes from."""
    check_suite(run.suite, path, "suite")
    check_moments({"started": run.started}, path, "give the time at which the run started")
    columns = CaseColumns.of(run.cases)
    sentinels = tuple(time_us for _, time_us in run.machine.sentinels)
    for name, values in (("time_us", columns.time_us), ("error", columns.error), ("sentinels", sentinels)):
        for value in values:
            if value is not None and not 0 <= value < math.inf:
                raise wrong_value(path, name, value, "a number, 0 or above", "measure again")


def digits_of(started: str) -> str:
    """Return the digits of a time, by which files are sorted."""
    return "".join(filter(str.isdigit, started))


def decode(packed: bytes, path: Path) -> HistoryRun:
    """Return the run in the file at `path`, with this content.

    ResultsError, with the reason, where it is damaged, does not fit its name and folder, or is of a newer version.
    """
    try:
        run = _decoded(packed, path)
    except (ValueError, RecursionError, zlib.error) as error:  # `msgspec.DecodeError` is a ValueError
        raise ResultsError(f"{path} is damaged: {_clause(error, packed)}", RESTORE) from error
    if path.name != file_name(run, packed):
        raise ResultsError(f"{path} was renamed or changed: the run in it is {file_name(run, packed)}", RESTORE)
    if path.parent.name != run.suite:
        raise ResultsError(f"{path} lies in the wrong folder: the run in it is of suite {run.suite}", RESTORE)
    return run


def unpack(packed: bytes) -> bytes:
    """Return the content of a compressed file; `zlib.error` or ValueError where it is damaged, or far too large."""
    content, rest = _unpack_part(packed)
    if rest:
        raise _DamageError("something follows its end")
    return content


def _unpack_part(packed: bytes) -> tuple[bytes, bytes]:
    """Return the content of the first part, and the other parts."""
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    content = decompressor.decompress(packed, MOST_BYTES)
    if decompressor.unconsumed_tail:
        raise _DamageError(f"it holds more than {MOST_BYTES:,} bytes")
    if not decompressor.eof:
        raise _DamageError("its end is missing")
    return content, decompressor.unused_data


def _clause(error: Exception, packed: bytes) -> str:
    """Return what is wrong, within a sentence."""
    if packed.startswith(b"<<<<<<<"):
        return "it has the marks of a conflict in git"
    if isinstance(error, zlib.error):
        return "not gzip" if not packed.startswith(b"\x1f\x8b") else "its compressed data are invalid"
    return str(error)


def _decoded(packed: bytes, path: Path) -> HistoryRun:
    first, second = _unpack_part(packed)
    first += b"}"
    try:
        head = _HEAD.decode(first)
    except msgspec.DecodeError:
        refuse_newer(first, path)
        raise
    refuse_newer(first, path, head.schema)
    check_suite(head.suite, path, "suite")
    check_moments({"started": head.started}, path, RESTORE)
    known = _rest(second)
    times = head.times
    _require_equal_lengths({"case": known.case, "time_us": times.time_us, "error": times.error})
    _require_amounts("time_us", times.time_us)
    _require_amounts("error", times.error)
    return HistoryRun(
        suite=head.suite,
        suite_sha256=head.suite_sha256,
        started=head.started,
        commit=head.commit,
        is_dirty=head.is_dirty,
        machine=head.machine,
        cases=replace(known, time_us=times.time_us, error=times.error),
    )


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


def _require_equal_lengths(columns: dict[str, Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise _DamageError(f"its columns differ in length: {', '.join(f'{name} {n}' for name, n in lengths.items())}")


def _require_amounts(name: str, values: Iterable[float | None]) -> None:
    amounts = [value for value in values if value is not None]
    if amounts and not (min(amounts) >= 0 and max(amounts) < math.inf):
        raise _DamageError(f"`{name}` has a number that is below 0 or infinite")


@lru_cache(SHARED_PARTS)
def _rest(packed: bytes) -> CaseColumns:
    """Return the cases in the second part of a file, with no times."""
    if not packed:
        raise _DamageError("its end is missing")
    stored = _REST.decode(b"{" + unpack(packed).removeprefix(b","))
    cases = {item.name: getattr(stored.cases, item.name) for item in fields(stored.cases)}
    _require_equal_lengths(cases)
    if unknown := set(stored.cases.status) - _STATUSES:
        raise _DamageError(f"`status` is {min(unknown)!r}, not one of {', '.join(Status)}")
    kernels = _kernels(stored.kernels)
    if not all(0 <= place < len(kernels) for place in stored.cases.kernel):
        raise _DamageError("`kernel` has an index without a kernel")
    return CaseColumns(
        case=stored.cases.case,
        status=stored.cases.status,
        time_us=(),
        error=(),
        processes=stored.cases.processes,
        kernel=tuple(kernels[place] for place in stored.cases.kernel),
    )


def _kernels(stored: _KernelTable) -> list[HistoryKernel]:
    columns = {item.name: getattr(stored, item.name) for item in fields(stored)}
    _require_equal_lengths(columns)
    return [HistoryKernel(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
