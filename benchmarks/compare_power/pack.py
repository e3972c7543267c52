"""Pack recorded runs of `compare_power`'s suite for the repository, sample by sample.

    python -m benchmarks compare_power.pack results/compare-power/a results/compare-power/b --output FILE.npz

The runs of one machine, recorded without interruption, are a batch. Incomplete processes are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.pages import program
from benchmarks.compare_power.recording import STEP_NS, Recording, times_us
from benchmarks.compare_power.suite import origin
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.session.rows import end_row
from shflbench.store import Row, Run, RunInfo, read_run
from shflbench.store.samples import KeptSamples

# Samples have seven digits, so times above 10 ms are rounded; the recording has the timer's step.
ROUNDING = 5e-7


def packed(runs: Sequence[Run]) -> Recording:
    """Return the recording of `runs`.

    ResultsError if a run has no samples or no complete process, or if a time is not a multiple of the timer's step.
    """
    places: dict[str, int] = {}
    parts = [_columns(place, run, places) for place, run in enumerate(runs)]
    columns = np.concatenate(parts, axis=1)
    starts = np.flatnonzero(np.r_[True, (columns[:5, 1:] != columns[:5, :-1]).any(axis=0)])
    counts = np.diff(np.r_[starts, columns.shape[1]])
    facts = {row.case_id: row for run in reversed(runs) for row in _facts(run)}
    infos = tuple(map(_without_folders, runs))
    bursts = np.vstack([columns[:5, starts], counts])
    return Recording(infos, tuple(facts.values()), tuple(places), bursts, columns[5])


def _without_folders(run: Run) -> RunInfo:
    """Return the content of `run.json` without the folders of the machine of the recording."""
    return replace(run.info, argv=tuple(Path(word).name for word in run.info.argv))


def _facts(run: Run) -> Iterator[Row]:
    """Yield the rows of the cases without additional iterations, without their times."""
    for row in run.rows:
        if row.status is Status.TIMED and origin(row.case_id)[0] == 0:
            yield end_row(row, Status.VERIFIED, "")


def _columns(place: int, run: Run, places: dict[str, int]) -> NDArray[np.int64]:
    """Return run, process, kernel, round, launches and steps of each sample; new kernels are added to `places`."""
    kept = run.kept_samples()
    if kept is None:
        raise ResultsError(f"{run.folder} has no samples", "record it again")
    kernel = np.array([places.setdefault(name, len(places)) for name in kept.cases])[kept.case]
    most = np.zeros(len(kept.cases), np.int64)
    np.maximum.at(most, kept.case, kept.iterations)
    wanted = (kept.iterations == most[kept.case]) & np.isin(kept.process, _complete(run, kept))
    steps = np.rint(kept.time_us * kept.launches * 1000 / STEP_NS).astype(np.int64)
    columns = np.stack([np.full_like(kernel, place), kept.process, kernel, kept.round, kept.launches, steps])[:, wanted]
    if (np.abs(times_us(columns[5], columns[4]) / kept.time_us[wanted] - 1) > ROUNDING).any():
        raise ResultsError(f"{run.folder} has times that are not multiples of {STEP_NS} ns", "it cannot be packed")
    return columns[:, np.lexsort(columns[3::-1])]


def _complete(run: Run, kept: KeptSamples) -> list[int]:
    """Return the processes that measured all cases and sentinels of the run."""
    pairs = np.unique(np.stack([kept.process, kept.case]), axis=1)
    processes, counts = np.unique(pairs[0], return_counts=True)
    complete: list[int] = processes[counts == len(kept.cases)].tolist()
    if not complete:
        raise ResultsError(f"{run.folder} has no process that measured every case", "record it again")
    return complete


def main(words: Sequence[str] | None = None) -> None:
    """Pack the given runs."""
    parser = program(__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN_FOLDER")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    wanted = parser.parse_args(words)
    content = packed([read_run(folder) for folder in wanted.runs]).encode()
    wanted.output.write_bytes(content)
    print(f"{wanted.output}: {len(content) / 1e6:.2f} MB")
