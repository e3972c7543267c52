"""Cache the reports on files on disk, by a hash of everything that determines them.

A report depends on the PTX, on what the host code says of launches, on the texts that it names lines of, on the options
and on the code of the checker, and not on the machine. One that a time limit shortened is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker.files import CheckStep, check_kernels
from shflbench.checker.races.hazards import HazardKind
from shflbench.checker.report import FileReport, Finding, KernelReport, LaunchRecord
from shflbench.checker.source_lines import SourceLine
from shflbench.checker.sources.kernel_file import SourceNote
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.compile.cache import entry_path, remove_oldest, rules, write_entry
from shflbench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.checker.files import FileOptions
    from shflbench.checker.sources.kernel_file import KernelFile

REPORT = "check-report"  # ending of the files
MAXIMUM_ENTRIES = 16  # in each of the 256 folders; an entry has about 1 KiB
NOT_DECISIVE = {"nvcc", "toolchain", "cache", "time_limit_s", "clock"}  # options, where the PTX is known
RECORDS = (FileReport, KernelReport, Finding, LaunchRecord, SourceLine, SourceNote)
ENUMS = (KernelVerdict, Level, HazardKind)
CLASSES: dict[str, type] = {kind.__name__: kind for kind in (*RECORDS, *ENUMS)}


def cached_report(file: KernelFile, options: FileOptions, watch: Callable[[CheckStep], None]) -> FileReport:
    """Return what `check_kernels` returns, with the same steps, from the cache of the options if it has the report."""
    path = _path(file, options)
    report = _read(path) if path is not None else None
    if report is not None:
        for number, kernel in enumerate(report.kernels, 1):
            watch(CheckStep(number, len(report.kernels), kernel.name, kernel))
        return report
    deadline = options.deadline
    report = check_kernels(file, options, deadline, watch)
    if path is not None and not deadline.was_over and all(kernel.symbol for kernel in report.kernels):
        with contextlib.suppress(OSError, TypeError):  # a cache that cannot be written costs time only
            write_entry(path, json.dumps(_encoded(report)).encode())
            remove_oldest(path.parent, REPORT, MAXIMUM_ENTRIES)
    return report


def _path(file: KernelFile, options: FileOptions) -> Path | None:
    """Return the entry of a report; None if there is no cache, or if not all that determines the report is known."""
    if options.cache is None:
        return None
    digest = hashlib.sha256()
    decisive = {item.name: getattr(options, item.name) for item in fields(options) if item.name not in NOT_DECISIVE}
    try:
        for part in _parts(((__version__, rules(), _checker_rules(), Path.cwd()), decisive, file)):
            digest.update(b"%d:" % len(part) + part)
        for path in sorted({file.path, *file.files.values()}):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    except (OSError, TypeError):
        return None
    return entry_path(options.cache, digest.hexdigest(), REPORT)


@cache
def _checker_rules() -> str:
    """Return a hash of the checker, whose code determines the reports."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _parts(value: object) -> Iterator[bytes]:
    """Yield all that a value consists of, with types and sizes; TypeError for an object that is not data."""
    yield type(value).__name__.encode()
    if isinstance(value, np.ndarray):
        yield from (value.dtype.str.encode(), repr(value.shape).encode(), value.tobytes())
    elif is_dataclass(value):
        for item in fields(value):
            yield from _parts(getattr(value, item.name))
    elif isinstance(value, tuple | list | dict):
        yield b"%d" % len(value)
        for part in value.items() if isinstance(value, dict) else value:
            yield from _parts(part)
    elif isinstance(value, bytes):
        yield value
    elif value is None or isinstance(value, str | int | float | Path | Enum):
        yield repr(value).encode(errors="surrogateescape")
    else:
        raise TypeError(value)


def _encoded(value: object) -> Any:  # noqa: ANN401  (what JSON has)
    """Return a value of a report for JSON; TypeError for what reports of files do not have."""
    if isinstance(value, RECORDS):
        return {
            "is": type(value).__name__,
            **{item.name: _encoded(getattr(value, item.name)) for item in fields(value)},
        }
    if isinstance(value, ENUMS):
        return {"is": type(value).__name__, "value": value.value}
    if isinstance(value, Path):
        return {"is": "Path", "value": str(value)}
    if isinstance(value, tuple):
        return [_encoded(part) for part in value]
    if value == {} or value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(value)


def _read(path: Path) -> FileReport | None:
    """Return an entry; None if there is none, or if its file is damaged."""
    try:
        stored = _decoded(json.loads(zlib.decompress(path.read_bytes())))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
        return None
    return stored if isinstance(stored, FileReport) else None


def _decoded(value: Any) -> Any:  # noqa: ANN401  (what JSON has)
    if isinstance(value, list):
        return tuple(map(_decoded, value))
    if not isinstance(value, dict) or not value:
        return value
    name = value.pop("is")
    parts = {key: _decoded(part) for key, part in value.items()}
    if name == "Path":
        return Path(parts["value"])
    return CLASSES[name](**parts)
