"""The runs that advice rests on: those with times, by GPU."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.answers.group_answers import newest_answers
from shflbench.core.grouping import group_by
from shflbench.core.model import Status
from shflbench.errors import ResultsError, UsageError
from shflbench.printable import escape
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import read_limits
from shflbench.store.run_files import RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.answers.answer import Answer
    from shflbench.core.model import Device
    from shflbench.store import Run
    from shflbench.store.limits_file import CaseLimit

DEFAULT_RESULTS = Path("results")
MEASURE = "measure on this GPU: shflbench run quick; or name a GPU without results: --arch sm_90"


@dataclass(frozen=True, slots=True)
class GpuResults:
    """The runs on one GPU model, which advice rests on together."""

    gpu: str  # its name; empty where the runs do not say
    arch: str
    runs: tuple[Run, ...]
    limits: Mapping[Path, Mapping[str, CaseLimit]]  # by the run's folder

    @property
    def title(self) -> str:
        """The GPU in words: `NVIDIA H200 (sm_90)`."""
        return f"{escape(self.gpu)} ({escape(self.arch)})" if self.gpu else escape(self.arch)

    @property
    def device(self) -> Device | None:
        """The GPU; None where the runs do not say."""
        return next((run.info.device for run in self.runs if run.info.device), None)

    def answers(self, pattern: str) -> list[Answer]:
        """Return the answer of each setting of a pattern; of one that several runs measured, that of the newest run.

        ResultsError where the samples of a run are damaged.
        """
        return newest_answers(self.runs, self.limits, pattern)


def read_results(paths: Sequence[Path], gpu: str | None, arch: str | None) -> list[GpuResults]:
    """Return the timed runs at or below `paths`, by GPU model: those whose name contains `gpu`, and of `arch`.

    Without paths, those in `results` of the current folder. Empty where none is of `arch`. UsageError where no folder
    is named and there is none; ResultsError where no run has a time, or no GPU has the name.
    """
    if not paths:
        if not DEFAULT_RESULTS.is_dir():
            if arch:
                return []
            message = f"no results are named, and this folder has no {DEFAULT_RESULTS}/"
            raise UsageError(message, f"name the folder of a run, or {MEASURE}")
        paths = [DEFAULT_RESULTS]
    runs = _timed_runs(paths)
    if not runs and arch:
        return []
    if not runs:
        raise ResultsError(f"no case of {', '.join(map(str, paths))} was timed on a GPU", MEASURE)
    if not _of_gpu(runs, gpu):
        known = ", ".join(dict.fromkeys(escape(_name(run)) or "a GPU without a name" for run in runs))
        raise ResultsError(f"no run is of a GPU `{gpu}`", f"the results are of: {known}")
    return _by_gpu(_of_gpu(runs, gpu), arch)


def usual_results(gpu: str | None, arch: str | None) -> list[GpuResults]:
    """Return the timed runs in `results` of the current folder as `read_results` does, empty where there are none.

    ResultsError where a run is damaged.
    """
    has_runs = any(DEFAULT_RESULTS.rglob(RUN_FILE))
    return _by_gpu(_of_gpu(_timed_runs([DEFAULT_RESULTS]), gpu), arch) if has_runs else []


def _timed_runs(paths: Sequence[Path]) -> list[Run]:
    return [run for run in map(read_run, find_runs(paths)) if _is_timed(run)]


def _of_gpu(runs: Sequence[Run], gpu: str | None) -> list[Run]:
    return [run for run in runs if not gpu or gpu.lower() in _name(run).lower()]


def _by_gpu(runs: Sequence[Run], arch: str | None) -> list[GpuResults]:
    of_arch = [run for run in runs if not arch or run.info.arch.rstrip("af") == arch.rstrip("af")]
    groups = group_by(of_arch, lambda run: (_name(run), run.info.arch))
    return [
        GpuResults(name, of, tuple(part), {run.folder: read_limits(run.folder) for run in part})
        for (name, of), part in groups.items()
    ]


def _is_timed(run: Run) -> bool:
    return any(row.status is Status.TIMED and row.time_us for row in run.rows)


def _name(run: Run) -> str:
    return run.info.device.name if run.info.device else ""
