"""The runs of a baseline: which runs can become one, what to warn of, and a summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from shflbench.core.model import Status, is_sentinel
from shflbench.errors import ResultsError
from shflbench.store import run_files
from shflbench.store.counts_file import COUNTS_FILE, read_counts
from shflbench.store.limits_file import LIMITS_FILE, read_limits
from shflbench.store.read import read_run
from shflbench.store.run_files import KERNELS_FILE, RESTORE, ROWS_FILE, RUN_FILE, SAMPLES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.store.read import Run

# run.json last: a folder without it is no run
FILES = (KERNELS_FILE, LIMITS_FILE, COUNTS_FILE, ROWS_FILE, SAMPLES_FILE, RUN_FILE)
OPTIONAL = {KERNELS_FILE, LIMITS_FILE, COUNTS_FILE}
COMMIT_DIGITS = 7  # as git shortens it
UNTIMED = {"emulator": "emulated", "none": "compiled"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run that can become part of a baseline, with the content of its files."""

    run: Run
    contents: Mapping[str, bytes]
    has_sentinels: bool  # whether it has samples of sentinels

    @classmethod
    def read(cls, folder: Path, *, allow_failed: bool = False) -> Candidate:
        """Read the run in `folder`.

        ResultsError where it is damaged, unfinished or not timed on a GPU, or where a case failed or is incorrect,
        unless `allow_failed`.
        """
        run = read_run(folder)
        _refuse_unmeasured(run)
        if run.notes:  # on a finished run: the last line is incomplete
            raise ResultsError(run.notes[0], RESTORE)
        if not allow_failed:
            _refuse_failed(run)
        run.kernels()  # finds damage now, and not when the baseline is needed
        read_limits(folder)
        read_counts(folder)
        names = (name for name in FILES if name not in OPTIONAL or (folder / name).exists())
        contents = {name: run_files.read(folder / name) for name in names}
        kept = run.kept_samples()
        sampled = frozenset(kept.cases if kept else ())
        for row in run.rows:
            if row.time_us is not None and row.case_id not in sampled:
                advice = "convert files with samples" if run.info.converted else RESTORE
                raise ResultsError(f"{folder / SAMPLES_FILE} holds no samples of {row.case_id}", advice)
        return cls(run, contents, any(map(is_sentinel, sampled)))


def _refuse_unmeasured(run: Run) -> None:
    info, folder = run.info, run.folder
    measure = "a baseline needs times: run the suite on a GPU"
    if info.finished is None:
        raise ResultsError(f"{folder} contains an unfinished run", info.advice_if_unfinished(folder))
    if info.converted and info.device is None:
        message = f"{folder} was converted from {info.converted.tool}, whose files do not name the GPU"
        raise ResultsError(message, "compare the files or the run folder itself")
    if info.backend in UNTIMED or info.device is None:
        raise ResultsError(f"{folder} was {UNTIMED.get(info.backend, 'compiled')}, not timed on a GPU", measure)
    if all(row.time_us is None for row in run.rows):
        raise ResultsError(f"no case was timed in {folder}", measure)


def _refuse_failed(run: Run) -> None:
    failed = [row for row in run.rows if row.status in {Status.FAILED, Status.INCORRECT}]
    if failed:
        first = f"{failed[0].case_id} {'failed' if failed[0].status is Status.FAILED else 'is incorrect'}"
        others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise ResultsError(
            f"{run.folder} has cases without a correct result: {first}{others}",
            "fix them and measure again, or save the others by --allow-failed",
        )


def refuse_mismatched(candidates: Sequence[Candidate]) -> None:
    """Raise ResultsError unless all are of one suite on one model of GPU, and no two are copies of one run."""
    for one, other in combinations(candidates, 2):
        first, second = one.run.info, other.run.info
        apart = f"{one.run.folder} and {other.run.folder}"
        devices = [info.device.name if info.device else "no GPU" for info in (first, second)]
        if first.suite.name != second.suite.name:
            wrong = f"are of different suites, {first.suite.name} and {second.suite.name}"
        elif first.suite.sha256 != second.suite.sha256:
            wrong = f"are of different revisions of the suite {first.suite.name}"
        elif devices[0] != devices[1]:
            wrong = f"are of different GPUs, {devices[0]} and {devices[1]}"
        elif one.contents[SAMPLES_FILE] == other.contents[SAMPLES_FILE]:
            advice = "give each run once; for several processes, measure again"
            raise ResultsError(f"{apart} are the same run", advice)
        else:
            continue
        raise ResultsError(f"{apart} {wrong}", "save them by separate commands, under the same name if you like")


def baseline_warnings(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield a sentence for each reason why a baseline of these runs is less reliable."""
    runs = [candidate.run for candidate in candidates]
    if processes(runs) == 1:
        yield (
            "the baseline has one process per case, and times differ from process to process; "
            "give several runs, or measure with --processes 3"
        )
    for candidate in candidates:
        folder, noise = candidate.run.folder, candidate.run.info.noise
        if noise and not noise.quiet:
            yield f"{folder}: {noise.verdict}: {noise.sentence}; {noise.advice}"
        if not candidate.has_sentinels:
            yield f"{folder} has no sentinels, which separate a change of the machine from one of a case; measure again"
    for name, values in _conditions(runs).items():
        if len(values) > 1:
            yield f"the runs differ in their {name}: {', '.join(sorted(values))}; measure them under equal conditions"


def _conditions(runs: Iterable[Run]) -> dict[str, set[str]]:
    """Return each condition that should be equal in all runs of a baseline, with its values."""
    conditions: dict[str, set[str]] = {}
    for run in runs:
        versions, device = run.info.versions, run.info.device
        values = {
            "GPU": device.uuid if device else "none",
            "driver": versions.driver,
            "compiler": versions.nvrtc,
            "shflbench": commit_of(run),
            "number of cases": str(len(run.rows)),
        }
        for name, value in values.items():
            conditions.setdefault(name, set()).add(value or "unknown")
    return conditions


@dataclass(frozen=True, slots=True)
class BaselineSummary:
    """A summary of a baseline; where its runs differ, all values joined by commas."""

    device: str  # model of the GPU
    processes: int  # the fewest per timed case
    cases: int
    dates: str  # UTC
    commits: str  # of the checkout that shflbench ran from, or its version
    drivers: str

    @classmethod
    def of(cls, runs: Sequence[Run]) -> BaselineSummary:
        """Summarize these runs."""
        infos = [run.info for run in runs]
        return cls(
            device=_joined(info.device.name for info in infos if info.device),
            processes=processes(runs),
            cases=len({row.case_id for run in runs for row in run.rows}),
            dates=_joined(info.started[:10] for info in infos),
            commits=_joined(map(commit_of, runs)),
            drivers=_joined(info.versions.driver for info in infos if info.versions.driver),
        )


def processes(runs: Iterable[Run]) -> int:
    """Return the number of processes per timed case, the smallest of all cases."""
    timed = [row for run in runs for row in run.rows if row.time_us is not None]
    counts: Counter[str] = Counter()
    for row in timed:
        counts[row.case_id] += len(row.processes) or 1
    return min(counts.values(), default=0)


def commit_of(run: Run) -> str:
    """Return the commit of the shflbench that measured, with `-dirty` if files were changed; else its version."""
    versions = run.info.versions
    if versions.git_commit is None:
        return f"v{versions.shflbench}"
    return versions.git_commit[:COMMIT_DIGITS] + ("-dirty" if versions.git_dirty else "")


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts)))
