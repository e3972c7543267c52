"""Read run folders; rows need the standard library alone."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import rows, run_files, samples
from shflbench.store.counts_file import read_counts
from shflbench.store.csv_table import complete_length
from shflbench.store.fleet_file import missing_runs
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.provenance import RunInfo
from shflbench.store.run_files import KERNELS_FILE, ROWS_FILE, RUN_FILE, SAMPLES_FILE, WHICH_FOLDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from shflbench.store.columns import Row
    from shflbench.store.counts_file import CaseCounts
    from shflbench.store.samples import KeptSamples

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HeldSamples:
    """The samples of a run in memory, by case and process."""

    rounds: Mapping[str, Mapping[int, Sequence[NDArray[np.float64]]]]  # the times of each round, µs
    clocks_mhz: Mapping[str, Mapping[int, float]]  # median SM clock during the samples, where it is known


@dataclass(frozen=True, slots=True)
class Run:
    """One run: on disk, or read from files of another tool."""

    folder: Path  # that of the run, or the path of the other tool's files
    info: RunInfo
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()  # remarks on the files, a sentence each
    held: HeldSamples | None = field(default=None, repr=False)  # None for a run on disk

    @property
    def is_finished(self) -> bool:
        """Whether the run reached its end."""
        return self.info.finished is not None

    def samples(self, only: Collection[str] | None = None) -> pd.DataFrame:
        """Read the raw samples: a column for each of `SAMPLE_COLUMNS`, or for `only` some; imports pandas.

        ResultsError where the file is missing or damaged, or where that of a finished run lacks its end.
        """
        return samples.load(self.folder / SAMPLES_FILE, whole=self.is_finished, only=only)

    def kept_samples(self) -> KeptSamples | None:
        """Read the kept samples as arrays, which is faster; None where the folder has no samples.

        ResultsError where the file is damaged, or where that of a finished run lacks its end.
        """
        path = self.folder / SAMPLES_FILE
        return samples.read_kept(path, whole=self.is_finished) if path.exists() else None

    def clocks_mhz(self) -> Mapping[str, Mapping[int, float]]:
        """Return the median SM clock of each case in each process, without those that are unknown.

        ResultsError where the samples of a run on disk are missing or damaged.
        """
        if self.held is not None:
            return self.held.clocks_mhz
        return samples.read_clocks(self.folder / SAMPLES_FILE, whole=self.is_finished)

    def kernels(self) -> KernelArchive | None:
        """Read the sources and the machine code of its kernels; None in runs of earlier versions, which kept none.

        ResultsError where the file is damaged.
        """
        path = self.folder / KERNELS_FILE
        return KernelArchive.read(path) if path.exists() else None

    def counts(self) -> dict[str, CaseCounts]:
        """Read what its launches do, by case; empty where that was not counted. ResultsError if it is damaged."""
        return read_counts(self.folder)


def read_run(folder: Path) -> Run:
    """Read the run in `folder`.

    An incomplete last line, as a kill leaves it, is skipped and noted. ResultsError where a file is missing, damaged or
    of a newer schema.
    """
    info = read_info(folder)
    whole, cut = read_rows(folder)
    notes = []
    if cut:
        notes.append(f"{folder / ROWS_FILE}: the last line is incomplete and was skipped")
    if info.finished is None:
        notes.append(f"{folder} contains an unfinished run; {info.advice_if_unfinished(folder)}")
    return Run(folder, info, whole, tuple(notes))


def read_info(folder: Path) -> RunInfo:
    """Read `run.json` in `folder`; ResultsError where there is none or it cannot be used."""
    path = folder / RUN_FILE
    if folder.is_dir() and not path.exists():
        raise ResultsError(f"{folder} is not a run folder: it has no {RUN_FILE}", WHICH_FOLDER)
    return RunInfo.from_json(run_files.text(run_files.read(path), path), path)


def read_rows(folder: Path) -> tuple[tuple[Row, ...], bool]:
    """Return the rows of `results.csv`, and whether an incomplete one at its end was skipped."""
    path = folder / ROWS_FILE
    content = run_files.read(path)
    whole = complete_length(content)
    return tuple(rows.decode(run_files.text(content[:whole], path), path)), whole < len(content)


def find_runs(paths: Iterable[Path], *, report_missing: bool = True) -> list[Path]:
    """Return every run folder at or below `paths`, sorted, each once; ResultsError for a path without any.

    Unless `report_missing` is False, log a warning for each fleet below `paths` that lists runs which are not there.
    """
    paths = list(paths)
    folders: set[Path] = set()
    for path in paths:
        runs = {file.parent for file in path.rglob(RUN_FILE)}
        if not runs:
            reason = f"no {RUN_FILE} in it or below it" if path.exists() else "there is no such folder"
            raise ResultsError(f"{path} holds no run: {reason}", f"{WHICH_FOLDER}, or one above it")
        folders |= runs
    if report_missing:
        for sentence in missing_runs(paths):
            _LOGGER.warning(sentence)
    return sorted(folders)
