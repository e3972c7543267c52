"""The folder of a history: files that are written once, so that runs are added at any time and merge in git.

| file in it | content |
|---|---|
| `runs/<suite>/<started>-<hash>.json.gz` | a run: `run_file.py` |
| `sources/<hash>.json.gz` | a translation unit with its headers: `source_file.py` |
| `.gitignore` | names the files that a kill leaves behind |

A name contains the hash of the content: two processes never write different content to one file.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError, UsageError
from shflbench.store import run_files
from shflbench.store.history import run_file
from shflbench.store.history.record import CaseColumns, HistoryRun
from shflbench.store.run_files import RUN_FILE, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

RUNS = "runs"
SOURCES = "sources"
GITIGNORE = "# Files that a killed `shflbench history add` left behind.\n.*.part\n"
ELSEWHERE = "give another folder with --to"
FIRST_START = "2006-01-01T00:00:00Z"  # CUDA was announced in November 2006
_NAME = re.compile(rf"\d{{14}}-[0-9a-f]{{{run_file.DIGITS}}}{re.escape(run_file.ENDING)}")


@dataclass(frozen=True, slots=True)
class History:
    """What could be read of a history."""

    runs: tuple[HistoryRun, ...]  # by suite and start
    problems: tuple[str, ...]  # files that were not read, a sentence each


@dataclass(frozen=True, slots=True)
class AddedRun:
    """The file of a run that was to be added."""

    path: Path
    is_new: bool  # False: the history had the run


def require_history(folder: Path) -> None:
    """Raise ResultsError unless the folder holds a history."""
    if not (folder / RUNS).is_dir():
        reason = f"no {RUNS}/ in it" if folder.is_dir() else "there is no such folder"
        raise ResultsError(f"{folder} holds no history: {reason}", "add a run: shflbench history add RUN --to FOLDER")


def read_history(folder: Path, now: datetime | None = None) -> History:
    """Read the runs of a history; a file that cannot be read costs that run alone. ResultsError if there is none.

    A run whose clock was wrong, compared with `now`, is not read either: its time would make the history span ages.
    """
    require_history(folder)
    runs: list[HistoryRun] = []
    problems: list[str] = []
    for path in _files(folder / RUNS, problems):
        try:
            run = read_file(path)
            require_possible_start(run, path, now)
            runs.append(run)
        except ResultsError as error:
            problems.append(error.message)
    return History(tuple(_different(runs)), tuple(problems))


def require_addable_run(run: HistoryRun, path: Path, now: datetime | None = None) -> None:
    """Raise ResultsError for a run from `path` that a history cannot have."""
    run_file.require_valid(run, path)
    require_possible_start(run, path, now)


def require_possible_start(run: HistoryRun, path: Path, now: datetime | None = None) -> None:
    """Raise ResultsError for a run that started before there was CUDA, or more than a day after `now`."""
    latest = (now or datetime.now(UTC)) + timedelta(days=1)
    if run.started < FIRST_START:
        reason = "before the first version of CUDA"
    elif run.started > latest.strftime("%Y-%m-%dT%H:%M:%SZ"):
        reason = "later than tomorrow"
    else:
        return
    raise ResultsError(
        f"the run in {path} started on {run.started}, {reason}: the clock of its machine was wrong",
        "set the clock, and measure again",
    )


def read_file(path: Path) -> HistoryRun:
    """Read the file of a run; ResultsError where it is damaged."""
    return run_file.decode(run_files.read(path), path)


def run_paths(folder: Path, suite: str) -> list[Path]:
    """Return the files of the runs of a suite, sorted by their start; none where the history has none."""
    return [path for path in _entries(folder / RUNS / suite, []) if _NAME.fullmatch(path.name)]


def add_run(folder: Path, run: HistoryRun, now: datetime | None = None) -> AddedRun:
    """Add a run to a history, which is created where there is none.

    A run that the history has is not added again, also if it was added with another revision, or after other runs.
    ResultsError where it cannot be written, its values are impossible or its clock was wrong, and UsageError for the
    folder of a run.
    """
    require_addable(folder)
    require_addable_run(run, folder, now)
    if path := path_of(folder, run):
        return AddedRun(path, is_new=False)
    packed = run_file.pack_run(run)
    path = folder / RUNS / run.suite / run_file.file_name(run, packed)
    _write_once(folder, path, packed)
    if not (folder / ".gitignore").exists():
        _write_once(folder, folder / ".gitignore", GITIGNORE.encode())
    return AddedRun(path, is_new=True)


def require_addable(folder: Path) -> None:
    """Raise UsageError where a history cannot be in this folder, because it is that of a run."""
    if (folder / RUN_FILE).exists():
        raise UsageError(f"{folder} is the folder of a run", "give the folder of the history with --to")


def path_of(folder: Path, run: HistoryRun) -> Path | None:
    """Return the file of a run in a history; None where it does not have the run."""
    started = run_file.digits_of(run.started)
    for path in run_paths(folder, run.suite):
        if path.name.startswith(started):
            with suppress(ResultsError):  # a damaged one is no obstacle
                if identity(read_file(path)) == identity(run):
                    return path
    return None


def identity(run: HistoryRun) -> tuple[object, ...]:
    """Return what tells runs apart: of one run, the revision and recompiled kernels may be recorded or not."""
    columns = CaseColumns.of(run.cases)
    machine = run.machine
    return run.suite, run.started, machine.gpu, machine.host, columns.case, columns.time_us


def add_sources(folder: Path, units: Mapping[str, bytes]) -> None:
    """Write the files of translation units that the history does not have, by name: what `run_file.pack` returned."""
    for name, packed in units.items():
        path = folder / SOURCES / name
        if not path.exists():
            _write_once(folder, path, packed)


def _different(runs: Iterable[HistoryRun]) -> list[HistoryRun]:
    """Return the runs without those that are there twice, as two branches of a repository may have added one."""
    kept: dict[tuple[str, str], list[HistoryRun]] = {}
    for run in runs:
        others = kept.setdefault((run.suite, run.started), [])
        if not any(identity(run) == identity(other) for other in others):
            others.append(run)
    return [run for others in kept.values() for run in others]


def _files(folder: Path, problems: list[str]) -> Iterator[Path]:
    """Yield the files of runs, sorted; name those that are something else among the problems."""
    for suite in _entries(folder, problems):
        if not suite.is_dir():
            problems.append(f"{suite} is no run of the history: runs lie in a folder of their suite")
            continue
        for path in _entries(suite, problems):
            if _NAME.fullmatch(path.name):
                yield path
            else:
                problems.append(f"{path} is no run of the history: its name is not that of a run")


def _entries(folder: Path, problems: list[str]) -> list[Path]:
    """Return what is in a folder but hidden files, sorted; a folder that cannot be read is among the problems."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}")
        return []


def _write_once(folder: Path, path: Path, content: bytes) -> None:
    """Write a file in one step. Should another process write it meanwhile, it has the same content."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with writing(folder, ELSEWHERE):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with aside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        finally:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
