"""A run folder that is being written."""

from __future__ import annotations

import dataclasses
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import run_files, samples
from shflbench.store.counts_file import write_counts
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.rows import ROWS
from shflbench.store.run_files import KERNELS_FILE, ROWS_FILE, RUN_FILE, SAMPLES_FILE, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.core.model import Noise, Sample
    from shflbench.store.columns import Row
    from shflbench.store.counts_file import CaseCounts
    from shflbench.store.provenance import RunInfo, SentinelSet

UNFINISHED = frozenset(f".{name}.part" for name in (ROWS_FILE, SAMPLES_FILE, RUN_FILE))  # as `files.replace` names them


@dataclass(slots=True)
class _Held:
    """Rows and lines of samples that are not on disk yet."""

    rows: list[Row] = field(default_factory=list)
    samples: bytearray = field(default_factory=bytearray)


@dataclass(slots=True)
class RunFolder:
    """A run that is being written: `path` holds `run.json`, `results.csv` and `samples.csv.gz`."""

    path: Path
    info: RunInfo
    _rows: dict[str, Row] = field(default_factory=dict)  # on disk, by case
    _held: _Held | None = None  # in a block of `together`

    @classmethod
    def create(cls, info: RunInfo, root: Path) -> RunFolder:
        """Start a run in the first free folder `<suite>/<gpu>-<YYYYMMDD>-<n>` under `root`.

        ResultsError where it cannot be written.
        """
        suite = root / info.suite.name
        with writing(suite):
            suite.mkdir(parents=True, exist_ok=True)
            name = gpu_slug(info.device.name if info.device else f"no-gpu-{info.arch}")
            return cls._start(claim_folder(suite, f"{name}-{_date(info)}"), info)

    @classmethod
    def create_at(cls, info: RunInfo, path: Path, advice: str = "") -> RunFolder:
        """Start a run in exactly `path`, which must be empty or not exist, else ResultsError.

        `advice` is what to do about a run in it, by default to resume it.

        Files without a row, which a start leaves that is killed before `run.json` is written, are replaced.
        """
        require_unused(path, advice or f"resume it by --resume {path}, or give another folder")
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            return cls._start(path, info)

    @classmethod
    def _start(cls, path: Path, info: RunInfo) -> RunFolder:
        """Start a run in an empty folder; if that fails, remove the folder, or it would be in the way."""
        folder = cls(path, info)
        try:
            folder.rewrite((), ())
        except BaseException:  # also Ctrl-C, which may come when the run has just started
            with suppress(OSError):
                if not (path / RUN_FILE).exists():
                    for name in (ROWS_FILE, SAMPLES_FILE):
                        (path / name).unlink(missing_ok=True)
                    path.rmdir()
            raise
        return folder

    def append(self, finished: Iterable[Row], taken: Iterable[Sample] = (), packed: bytes = b"") -> None:
        """Put finished rows and the samples that they were taken from on the disk before returning.

        Give the rows of a group together with its samples; a row of the same case is replaced. The samples are written
        first, so that a row on disk always has its samples; those that are `packed` as in the file come before `taken`.
        ResultsError where the folder cannot be written.
        """
        taken = tuple(taken)
        lines = packed + (samples.encode(taken) if taken else b"")
        if self._held is None:
            self._write(tuple(finished), lines)
        else:
            self._held.rows.extend(finished)
            self._held.samples += lines

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep what `append` gets in the block, and put it on the disk when the block is left, with one sync per file.

        For groups that end at the same time: no row may be reported as finished before the block is left.
        """
        self._held = held = _Held()
        try:
            yield
        finally:
            self._held = None
            self._write(tuple(held.rows), bytes(held.samples))

    def _write(self, finished: Sequence[Row], lines: bytes) -> None:
        known = self._rows.keys() & {row.case_id for row in finished}
        self._rows |= {row.case_id: row for row in finished}
        with writing(self.path):
            if lines:
                run_files.append(self.path / SAMPLES_FILE, lines)
            if known:
                run_files.replace(self.path / ROWS_FILE, self._row_lines())
            elif finished:
                run_files.append(self.path / ROWS_FILE, ROWS.encode(finished).encode())

    def add_kernels(self, archive: KernelArchive) -> None:
        """Put the kernels of the run on disk, beside those that are there since before the run was stopped.

        ResultsError where the machine code of one is no longer what it was: one case must not be timed as two kernels.
        """
        path = self.path / KERNELS_FILE
        if path.exists():
            known = KernelArchive.read(path)
            for name in known.differing(archive):
                message = f"{self.path} cannot be resumed: the machine code of {name} is no longer that of the run"
                raise ResultsError(message, "restore the kernel's source, or measure again in a new folder")
            archive = known.with_further(archive)
            if archive == known:
                return
        with writing(self.path):
            run_files.replace(path, archive.encode())

    def add_counts(self, counts: Iterable[CaseCounts]) -> None:
        """Put on disk what the launches of the run do."""
        write_counts(self.path, counts)

    def sort(self, order: Iterable[str]) -> None:
        """Sort the rows on disk by these cases, because groups end in any order."""
        places = {case_id: place for place, case_id in enumerate(order)}
        self._rows = dict(sorted(self._rows.items(), key=lambda item: places.get(item[0], len(places))))
        file = self.path / ROWS_FILE
        with writing(self.path):
            lines = file.read_bytes().splitlines(keepends=True)[1:]
            known = {line.partition(b",")[0]: line for line in lines}
            names = [case_id.encode() for case_id in self._rows]
            if len(known) == len(lines) and known.keys() == set(names):  # which takes a tenth of the time
                run_files.replace(file, b"".join((ROWS.header().encode(), *(known[name] for name in names))))
            else:
                run_files.replace(file, self._row_lines())

    def _row_lines(self) -> bytes:
        return (ROWS.header() + ROWS.encode(self._rows.values())).encode()

    def finish(
        self,
        finished: str,
        notes: Iterable[str] = (),
        *,
        others_after: int | None = None,
        noise: Noise | None = None,
        sentinels: SentinelSet | None = None,
    ) -> None:
        """Mark the run as finished at `finished` (UTC, ISO 8601), and add notes.

        `others_after` are the other processes on the GPU at the end.
        """
        self.info = dataclasses.replace(
            self.info,
            finished=finished,
            notes=(*self.info.notes, *notes),
            others_after=others_after,
            noise=noise,
            sentinels=sentinels,
        )
        self._write_info()

    def reopen(self) -> None:
        """Mark a finished run as unfinished: if it is killed before it is finished again, it can be resumed."""
        self.info = dataclasses.replace(self.info, finished=None)
        self._write_info()

    def _write_info(self) -> None:
        with writing(self.path):
            run_files.replace(self.path / RUN_FILE, self.info.to_json().encode())

    def rewrite(self, kept: Iterable[Row], taken: Iterable[Sample]) -> None:
        """Replace rows, samples and `run.json`, which comes last, so that a folder that has it has the others."""
        self._rows = {row.case_id: row for row in kept}
        with writing(self.path):
            run_files.replace(self.path / ROWS_FILE, self._row_lines())
            run_files.replace(self.path / SAMPLES_FILE, samples.header() + samples.encode(taken))
            run_files.replace(self.path / RUN_FILE, self.info.to_json().encode())


def claim_folder(parent: Path, stem: str) -> Path:
    """Create and return `<stem>-<n>` with the lowest free n, even if other processes do the same."""
    for number in count(1):
        path = parent / f"{stem}-{number}"
        try:
            path.mkdir()  # succeeds in one process only
        except FileExistsError:
            continue
        break
    return path


def require_unused(path: Path, advice: str) -> None:
    """Raise ResultsError if no run can start in a folder; `advice` is what to do about a run in it."""
    with writing(path):
        if path.exists() and not path.is_dir():
            raise ResultsError(f"{path} is a file, not a folder", "give another folder")
        if (path / RUN_FILE).exists():
            raise ResultsError(f"{path} already contains a run", advice)
        if path.exists() and not _is_unused(path):
            raise ResultsError(f"{path} exists and is not empty", "give another folder")


def require_writable(path: Path) -> None:
    """Raise ResultsError if files cannot be written in a folder, which need not exist yet and is left as it was."""
    with writing(path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        try:
            path.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=path):
                pass
        finally:
            for folder in missing:
                if folder.is_dir():
                    folder.rmdir()


def _is_unused(path: Path) -> bool:
    """Whether a folder is empty, or has only what a start that was killed left: files without a row."""
    names = {file.name for file in path.iterdir()}
    if not names & {ROWS_FILE, SAMPLES_FILE}:
        return names <= UNFINISHED
    is_known = names <= UNFINISHED | {ROWS_FILE, SAMPLES_FILE} and ROWS_FILE in names
    return is_known and run_files.read(path / ROWS_FILE) == ROWS.header().encode()


def gpu_slug(name: str) -> str:
    """Return a GPU's name as in names of folders, `nvidia-h200`; such a name is returned unchanged."""
    return re.sub("[^a-z0-9_]+", "-", name.lower()).strip("-") or "gpu"  # a folder needs a name


def _date(info: RunInfo) -> str:
    """Return the day of the run's start as YYYYMMDD."""
    return info.started[:10].replace("-", "")
