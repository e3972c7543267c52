"""Write a run folder from what another tool recorded."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from shflbench.core.model import Sample
from shflbench.errors import ResultsError
from shflbench.store import RunFolder
from shflbench.store.readers.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.store import Run
    from shflbench.store.readers.recording import RecordedCase, Recording

# The samples of a run must stay below 1 GiB of text and 64 MiB of gzip, which takes 8 bytes per sample.
MOST_SAMPLES = 8_000_000


def write_run(recording: Recording, path: Path, argv: Sequence[str]) -> Run:
    """Write the recording as a run into the empty or new folder `path`, and return the run as it is in memory.

    ResultsError if the folder cannot be written, or if a run folder cannot hold as many samples.
    """
    run = run_of(recording)
    count = sum(row.samples or 0 for row in run.rows)
    if count > MOST_SAMPLES:
        raise ResultsError(
            f"{recording.place} has {count:,} samples, and a run folder holds {MOST_SAMPLES:,}",
            "convert fewer files, or give the files to `shflbench compare` as they are",
        )
    folder = RunFolder.create_at(replace(run.info, argv=tuple(argv), finished=None), path)
    for row in run.rows:
        folder.append([row], _samples(recording, row.case_id) if row.samples else ())
    folder.finish(run.info.started)
    return run


def _samples(recording: Recording, name: str) -> Iterator[Sample]:
    """Yield the samples of a case in the order of measuring."""
    for number, process in enumerate(recording.processes):
        if (case := process.cases.get(name)) and case.rounds:
            yield from _of_process(case, name, number)


def _of_process(case: RecordedCase, name: str, process: int) -> Iterator[Sample]:
    clocks = chain(case.clocks_mhz.tolist()) if case.clocks_mhz is not None else None
    for round_, times in enumerate(case.rounds):
        for sample, time_us in enumerate(times.tolist()):
            clock = next(clocks) if clocks else None
            yield Sample(name, process, round_, sample, 1, 1, time_us, clock, dropped=False)
