"""The runs of a baseline: which may become one, what to doubt about them, and what they are in short."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Status, is_sentinel
from shflbench.store import files
from shflbench.store.files import KERNELS_FILE, RESTORE, ROWS_FILE, RUN_FILE, SAMPLES_FILE
from shflbench.store.read import read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.store.read import Run

FILES = (KERNELS_FILE, ROWS_FILE, SAMPLES_FILE, RUN_FILE)  # run.json last: a folder without it is no run
COMMIT_DIGITS = 7  # as git shortens it
UNTIMED = {"emulator": "emulated", "none": "compiled"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run that may become part of a baseline, with its files as they lie on the disk."""

    run: Run
    contents: Mapping[str, bytes]
    has_sentinels: bool  # whether there are samples of sentinels

    @classmethod
    def read(cls, folder: Path, *, allow_failed: bool = False) -> Candidate:
        """Read the run in `folder`.

        ResultsError where it is damaged, unfinished or not timed on a GPU, or where a case failed or is incorrect,
        unless `allow_failed`.
        """
        run = read_run(folder)
        _refuse_unmeasured(run)
        if run.notes:  # of a finished run: that a line was cut off
            raise ResultsError(run.notes[0], RESTORE)
        if not allow_failed:
            _refuse_failed(run)
        run.kernels()  # or a damaged file would be found when it is needed
        names = (name for name in FILES if name != KERNELS_FILE or (folder / name).exists())
        contents = {name: files.read(folder / name) for name in names}
        kept = run.kept_samples()
        sampled = frozenset(kept.cases if kept else ())
        for row in run.rows:
            if row.time_us is not None and row.case_id not in sampled:
                raise ResultsError(f"{folder / SAMPLES_FILE} holds no samples of {row.case_id}", RESTORE)
        return cls(run, contents, any(map(is_sentinel, sampled)))


def _refuse_unmeasured(run: Run) -> None:
    info, folder = run.info, run.folder
    measure = "a baseline needs times: run the suite on a machine with a GPU"
    if info.finished is None:
        raise ResultsError(f"{folder} holds an unfinished run", f"go on with it: shflbench run --resume {folder}")
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
            f"{run.folder} has cases without a right result: {first}{others}",
            "mend them and measure again, or save the others by --allow-failed",
        )


def refuse_mismatched(candidates: Sequence[Candidate]) -> None:
    """Raise ResultsError unless all are of one suite on one model of GPU, and each is a measurement of its own."""
    for one, other in combinations(candidates, 2):
        first, second = one.run.info, other.run.info
        apart = f"{one.run.folder} and {other.run.folder}"
        devices = [info.device.name if info.device else "no GPU" for info in (first, second)]
        if first.suite.name != second.suite.name:
            wrong = f"are of different suites, {first.suite.name} and {second.suite.name}"
        elif first.suite.sha256 != second.suite.sha256:
            wrong = f"are of different editions of the suite {first.suite.name}"
        elif devices[0] != devices[1]:
            wrong = f"are of different GPUs, {devices[0]} and {devices[1]}"
        elif one.contents[SAMPLES_FILE] == other.contents[SAMPLES_FILE]:
            advice = "give each run once; a baseline of several processes needs several measurements"
            raise ResultsError(f"{apart} are the same run", advice)
        else:
            continue
        raise ResultsError(f"{apart} {wrong}", "save each kind with a command of its own: one name can hold all")


def doubts(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield a sentence for each reason to trust a baseline of these runs less."""
    runs = [candidate.run for candidate in candidates]
    if processes(runs) == 1:
        yield (
            "it is of one process, and a process differs from the next by chance; "
            "give several runs, or measure with --processes 3"
        )
    for candidate in candidates:
        folder, noise = candidate.run.folder, candidate.run.info.noise
        if noise and not noise.quiet:
            yield f"{folder}: {noise.verdict}: {noise.sentence}; {noise.advice}"
        if not candidate.has_sentinels:
            yield f"{folder} has no sentinels, which tell a change of the machine from one of a case; measure again"
    for name, values in _conditions(runs).items():
        if len(values) > 1:
            yield f"the runs differ in their {name}: {', '.join(sorted(values))}; measure all of them alike"


def _conditions(runs: Iterable[Run]) -> dict[str, set[str]]:
    """Return what should be the same in all runs of a baseline, each with the values that there are."""
    conditions: dict[str, set[str]] = {}
    for run in runs:
        versions, device = run.info.versions, run.info.device
        values = {
            "GPU": device.uuid if device else "none",
            "driver": versions.driver,
            "compiler": versions.nvrtc,
            "shflbench": edition(run),
            "number of cases": str(len(run.rows)),
        }
        for name, value in values.items():
            conditions.setdefault(name, set()).add(value or "unknown")
    return conditions


@dataclass(frozen=True, slots=True)
class Facts:
    """A baseline in short; where its runs differ, all that there is, joined by commas."""

    device: str  # model of the GPU
    processes: int  # the fewest that any timed case was measured in
    cases: int
    dates: str  # UTC
    commits: str  # of the checkout that shflbench ran from, or its version
    drivers: str

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Facts:
        """Look them up."""
        infos = [run.info for run in runs]
        return cls(
            device=_joined(info.device.name for info in infos if info.device),
            processes=processes(runs),
            cases=len({row.case_id for run in runs for row in run.rows}),
            dates=_joined(info.started[:10] for info in infos),
            commits=_joined(map(edition, runs)),
            drivers=_joined(info.versions.driver for info in infos if info.versions.driver),
        )


def processes(runs: Iterable[Run]) -> int:
    """Return in how many processes each timed case was measured, the fewest of all cases."""
    timed = [row for run in runs for row in run.rows if row.time_us is not None]
    counts: Counter[str] = Counter()
    for row in timed:
        counts[row.case_id] += len(row.processes) or 1
    return min(counts.values(), default=0)


def edition(run: Run) -> str:
    """Return the commit of the shflbench that measured, `-dirty` where its files were changed; else its version."""
    versions = run.info.versions
    if versions.git_commit is None:
        return f"v{versions.shflbench}"
    return versions.git_commit[:COMMIT_DIGITS] + ("-dirty" if versions.git_dirty else "")


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts)))
