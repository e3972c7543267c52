"""Send the folders of patterns to workers, whose file systems may differ."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import shflbench
from shflbench.errors import SuiteError
from shflbench.session.fleet.messages import PatternFiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.measure.job import Job

PACKAGE = Path(shflbench.__file__).parent
MOST_PATTERN_BYTES = 16 << 20  # of one pattern of the user


def pack_patterns(folders: Mapping[str, Path]) -> dict[str, PatternFiles]:
    """Return what a worker needs of each pattern; SuiteError where a folder holds more than 16 MiB."""
    return {name: _packed(folder.resolve()) for name, folder in folders.items()}


def unpack_patterns(job: Job, patterns: Mapping[str, PatternFiles]) -> Job:
    """Return the job with the folders of its patterns on this machine."""
    return replace(job, folders={name: _unpacked(files) for name, files in patterns.items()})


def _packed(folder: Path) -> PatternFiles:
    if folder.is_relative_to(PACKAGE):
        return PatternFiles(shipped=str(folder.relative_to(PACKAGE)))
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    if sum(path.stat().st_size for path in paths) > MOST_PATTERN_BYTES:
        raise SuiteError(f"{folder} holds more than 16 MiB, too much to send to workers", "keep only the pattern in it")
    return PatternFiles(files={str(path.relative_to(folder)): path.read_bytes() for path in paths}, name=folder.name)


def _unpacked(sent: PatternFiles) -> Path:
    if sent.files is None:
        return PACKAGE / sent.shipped
    return _written(sent.name, tuple(sorted(sent.files.items())))


@cache
def _written(name: str, files: tuple[tuple[str, bytes], ...]) -> Path:
    """Write the files into a folder of this name, which stays as long as this process."""
    digest = hashlib.sha256(repr((name, files)).encode()).hexdigest()[:16]
    folder = Path(_root().name) / digest / name
    for file, content in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@cache
def _root() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shflbench-")
