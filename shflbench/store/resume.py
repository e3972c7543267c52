"""Resume a run that was stopped."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import samples
from shflbench.store.append import RunFolder
from shflbench.store.provenance import RunSettings
from shflbench.store.read import read_info, read_rows
from shflbench.store.run_files import SAMPLES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.core.model import Case, Sample
    from shflbench.store.columns import Row
    from shflbench.store.provenance import RunInfo

MEASURE_AGAIN = "measure again in a new folder"


@dataclass(frozen=True, slots=True)
class ResumedRun:
    """A stopped run that is ready to be continued."""

    folder: RunFolder
    rows: tuple[Row, ...]  # of groups that were measured, in one process at least
    samples: tuple[Sample, ...]  # that belong to them

    @property
    def next_process(self) -> int:
        """The number of the next worker process."""
        return 1 + max((sample.process for sample in self.samples), default=-1)


def resume(path: Path, current: RunInfo, cases: Iterable[Case]) -> ResumedRun:
    """Open the stopped run at `path` to continue it under the conditions of `current`.

    `cases` is the whole plan. Groups of which every case has a row are kept with their samples; all other rows and
    samples are removed from the files, and so is an incomplete last line. ResultsError where the run is finished, or
    where its suite, GPU, architecture, software or settings differ: all rows of a folder must be comparable.
    """
    recorded = read_info(path)
    if recorded.finished is not None:
        raise ResultsError(f"{path} is finished and cannot be resumed", f"read it with: shflbench show {path}")
    for difference in _differences(recorded, current):
        raise ResultsError(f"{path} cannot be resumed: {difference}", MEASURE_AGAIN)
    rows, _ = read_rows(path)
    plan = {case.id: case.group for case in cases}
    for row in rows:
        if row.case_id not in plan:
            raise ResultsError(f"{path} cannot be resumed: {row.case_id} is not a case of the suite", MEASURE_AGAIN)
    whole = frozenset(plan.values()) - {plan[case] for case in plan.keys() - {row.case_id for row in rows}}
    kept = tuple(row for row in rows if plan[row.case_id] in whole)
    taken = tuple(_belonging(samples.read(path / SAMPLES_FILE), kept))
    folder = RunFolder(path, dataclasses.replace(recorded, resumed=(*recorded.resumed, current.started)))
    folder.rewrite(kept, taken)
    return ResumedRun(folder, kept, taken)


def _belonging(taken: Sequence[Sample], kept: Sequence[Row]) -> Iterator[Sample]:
    """Yield the samples of these rows, and those of sentinels in the same rounds."""
    processes = {row.case_id: row.processes for row in kept}

    def belongs(sample: Sample) -> bool:
        if sample.case_id not in processes:
            return False
        numbers = processes[sample.case_id]  # none for a failed case, whose samples stay
        return not numbers or sample.process in numbers

    rounds = {(sample.process, sample.round) for sample in taken if belongs(sample)}
    for sample in taken:
        watched = sample.is_sentinel and (sample.process, sample.round) in rounds
        if watched or belongs(sample):
            yield sample


def _differences(recorded: RunInfo, current: RunInfo) -> Iterator[str]:
    """Yield a clause for each condition that has changed."""
    if recorded.suite.sha256 != current.suite.sha256:
        yield f"the suite {current.suite.path} differs from the one that the run was started with (see its run.json)"
    was, now = (info.device.uuid if info.device else "no GPU" for info in (recorded, current))
    conditions = [
        ("GPU", was, now),
        ("backend", recorded.backend, current.backend),
        ("architecture", recorded.arch, current.arch),
        ("version of shflbench", recorded.versions.shflbench, current.versions.shflbench),
        ("version of NVRTC", recorded.versions.nvrtc, current.versions.nvrtc),
        ("version of CCCL", recorded.versions.cccl, current.versions.cccl),
        ("version of the driver", recorded.versions.driver, current.versions.driver),
    ]
    for name in sorted(item.name for item in dataclasses.fields(RunSettings)):
        was, now = (json.dumps(dataclasses.asdict(info.settings)[name], sort_keys=True) for info in (recorded, current))
        conditions.append((f"setting `{name}`", was, now))
    for name, before, after in conditions:
        if before != after:
            yield f"its {name} was {before}, and is now {after}"
