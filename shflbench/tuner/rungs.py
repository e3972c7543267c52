"""Measure rung after rung, each a run of its own folder, and say what becomes of each candidate."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.compile.toolchain import find as find_toolchain
from shflbench.environment import cache_folder
from shflbench.errors import ResultsError
from shflbench.grouping import group_by
from shflbench.model import Overrides, Status
from shflbench.session import Compiling, Note, Plan, Working, run
from shflbench.session.plan import run_info
from shflbench.session.run_request import RunRequest, open_executor
from shflbench.store import RunFolder, read_run, resume, run_files
from shflbench.store.lock import sole_creator
from shflbench.tuner.record import TriedCandidate
from shflbench.tuner.rules import BEST_OF_KIND, RUNGS, best_of_kinds, drop
from shflbench.tuner.rung_suite import suite_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.model import Interval
    from shflbench.reporter import ProgressLine, Reporter
    from shflbench.store import Row, Run
    from shflbench.tuner.candidates import RankedSetting
    from shflbench.tuner.record import TuneRecord

_SHARE = {Compiling: 0.1, Working: 0.9}  # of the progress of a rung


@dataclass(slots=True)
class Tournament:
    """The candidates that are left at each launch, and why the others are not."""

    settings: tuple[RankedSetting, ...]
    left_out: dict[str, dict[str, str]]  # launch → candidate → reason, empty while it stays
    last: dict[tuple[str, str], tuple[int, Row]]  # by launch and candidate: the last rung that measured it

    @classmethod
    def of(cls, settings: tuple[RankedSetting, ...]) -> Tournament:
        """Start with what the model leaves."""
        reasons = {one.launch: {it.variant: it.left_out for it in one.candidates} for one in settings}
        return cls(settings, reasons, {})

    def remaining(self) -> dict[str, list[str]]:
        """Return by launch the candidates that are left, in the order of the ranking."""
        return {
            launch: [name for name, reason in reasons.items() if not reason]
            for launch, reasons in self.left_out.items()
        }

    def apply(self, number: int, rows: Sequence[Row]) -> None:
        """Drop what failed in a rung, counted from 1, and what the rung after it does not measure."""
        kinds = {one.variant: one.kind for setting in self.settings for one in setting.candidates}
        for launch, of_launch in group_by(rows, lambda row: row.launch).items():
            reasons = self.left_out[launch]
            for row in of_launch:
                self.last[launch, row.variant] = number, row
                if row.status is not Status.TIMED:
                    reasons[row.variant] = f"{row.status.value} in rung {number}: {row.reason}"
                elif row.time_interval is None:
                    reasons[row.variant] = f"too few samples in the time of rung {number}"
            times = _times(row for row in of_launch if not reasons[row.variant])
            for following in RUNGS[number : number + 1]:
                slow = drop(times, kinds, following)
                reasons |= {name: why and f"{why} in rung {number}" for name, why in slow.items()}

    def winners(self, launch: str) -> list[str]:
        """Return the best of each mechanism at a launch, by the last rung that measured them, fastest first."""
        timed = {
            name: (-number, row.time_us, row)
            for (place, name), (number, row) in self.last.items()
            if place == launch and row.status is Status.TIMED and row.time_us
        }
        order = sorted(timed, key=lambda name: timed[name][:2])
        best = best_of_kinds(order, {name: row.mechanism for name, (_, _, row) in timed.items()}, BEST_OF_KIND)
        return [name for name in order if name in best]

    def tried(self) -> Iterator[TriedCandidate]:
        """Yield what became of each candidate."""
        for setting in self.settings:
            for one in setting.candidates:
                number, row = self.last.get((setting.launch, one.variant), (None, None))
                interval = row.time_interval if row else None
                yield TriedCandidate(
                    launch=setting.launch,
                    variant=one.variant,
                    mechanism=one.mechanism.value,
                    is_member=one.is_member,
                    limit_cycles=one.limit_cycles,
                    predicted_cycles=one.predicted_cycles,
                    rung=number,
                    time_us=interval.value if interval else None,
                    time_low_us=interval.low if interval else None,
                    time_high_us=interval.high if interval else None,
                    left_out=self.left_out[setting.launch][one.variant],
                    has_failed=one.has_failed or (row is not None and row.status is not Status.TIMED),
                )


def _times(rows: Iterator[Row]) -> dict[str, Interval]:
    return {row.variant: row.time_interval for row in rows if row.time_interval}


@dataclass(frozen=True, slots=True)
class RungRuns:
    """The runs of the rungs on a GPU, each in the folder `rung-<number>` beside its suite `rung-<number>.yaml`."""

    folder: Path
    record: TuneRecord
    gpu: int
    reporter: Reporter

    def measure(self, number: int, remaining: Mapping[str, Sequence[str]]) -> Run:
        """Measure the candidates that are left in one rung, or read its finished run; a stopped run is resumed."""
        path, place = self.folder / f"rung-{number}.yaml", self.folder / f"rung-{number}"
        text = suite_text(self.record, f"rung-{number}", RUNGS[number - 1], remaining)
        with run_files.writing(self.folder):
            run_files.replace(path, text.encode())
        if (place / run_files.RUN_FILE).exists() and (known := read_run(place)).info.finished:
            if known.info.suite.text != text:
                raise ResultsError(f"{place} is a run of another suite than {path}", "tune in a new folder")
            return known
        request = RunRequest(str(path), Overrides(), device="cuda", gpu=self.gpu, seed=self.record.request.seed)
        with closing(_plan(request)) as plan, sole_creator(place):
            device = plan.executor.device if plan.executor else None
            if device and device.uuid != self.record.uuid:
                begun = f"{self.folder} was begun on {self.record.device} {self.record.uuid}"
                message = f"{begun}, and this is {device.name} {device.uuid}"
                raise ResultsError(message, "choose that GPU by --gpu, or tune again in a new folder")
            info = run_info(plan, Overrides(), ("shflbench", "run", str(path), "-o", str(place)))
            is_begun = (place / run_files.RUN_FILE).exists()
            stopped = resume(place, info, plan.suite.cases) if is_begun else None
            into = stopped.folder if stopped else RunFolder.create_at(info, place)
            with self.reporter.progress() as progress:
                for event in run(plan, into, stopped):
                    if isinstance(event, Note):
                        self.reporter.warn(event.sentence)
                    elif isinstance(event, (Compiling, Working)):
                        _show(progress, number, event)
        return read_run(place)


def _plan(request: RunRequest) -> Plan:
    suite, toolchain = request.load_suite(), find_toolchain()
    executor, _ = open_executor(request, suite)
    assert executor is not None  # noqa: S101  (a GPU was asked for)
    device = executor.device
    toolchain.require(device.arch)
    return Plan(suite, toolchain, device.arch, executor, cache_folder(), device.sms, request.seed)


def _show(progress: ProgressLine, number: int, event: Compiling | Working) -> None:
    text = f"compiling, {event.done} of {event.total} kernels" if isinstance(event, Compiling) else event.text
    share = event.done / event.total if event.total else 1.0
    before = 0.0 if isinstance(event, Compiling) else _SHARE[Compiling]
    done = number - 1 + before + share * _SHARE[type(event)]
    progress.show(f"rung {number} of {len(RUNGS)}: {text}", done, len(RUNGS))
