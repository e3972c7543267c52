"""Measure rung after rung, each a run of its own folder, and say what becomes of each candidate."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.advice.tuner.record import RECORD_FILE, TriedCandidate
from shflbench.advice.tuner.rules import BEST_OF_MECHANISM, RUNGS, best_of_kinds, drop, is_decided, rank_time
from shflbench.advice.tuner.rung_suite import suite_text
from shflbench.core.environment import cache_folder
from shflbench.core.model import Interval, Overrides, Status
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.errors import ResultsError
from shflbench.session import Compiling, Note, Plan, Working, run
from shflbench.session.plan import run_info
from shflbench.session.run_request import RunRequest, open_executor
from shflbench.store import RunFolder, read_info, read_run, resume, run_files
from shflbench.store.lock import sole_creator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.advice.tuner.candidates import RankedSetting
    from shflbench.advice.tuner.record import TuneRecord
    from shflbench.core.model import Device
    from shflbench.core.reporter import ProgressLine, Reporter
    from shflbench.store import Row, Run, RunInfo

NEW_FOLDER = "tune in a new folder"
_SHARE = {Compiling: 0.1, Working: 0.9}  # of the progress of a rung


@dataclass(slots=True)
class Tournament:
    """What the rungs measured, and what follows from it: which candidates are next, and why others are left out.

    A candidate that fails in a later rung was perhaps the one with which others were compared, and dropped. Therefore
    what a rung measures follows at any time from all times of the rung before it without those of failed candidates,
    and a rung that lacks a candidate is measured again.
    """

    settings: tuple[RankedSetting, ...]
    times: dict[tuple[str, int], dict[str, Interval]] = field(default_factory=dict)  # by launch and rung: its last run
    failures: dict[tuple[str, str], str] = field(default_factory=dict)  # by launch and candidate: why it has no time
    last: dict[tuple[str, str], tuple[int, Row]] = field(default_factory=dict)  # the last rung that measured it
    measured: set[tuple[str, int, str]] = field(default_factory=set)  # launch, rung and candidate

    def next_rung(self) -> tuple[int, dict[str, list[str]]] | None:
        """Return the number of the next rung, from 1, and its candidates by launch; None at the end."""
        for number in range(1, len(RUNGS) + 1):
            chosen = {setting.launch: self._chosen(setting, number) for setting in self.settings}
            if unmeasured := {launch: names for launch, names in chosen.items() if self._lacks(launch, number, names)}:
                return number, unmeasured
        return None

    def apply(self, number: int, chosen: Mapping[str, Sequence[str]], rows: Sequence[Row]) -> None:
        """Keep the times of the candidates that a rung measured, counted from 1, and why others have none.

        Times of later rungs are discarded: they were chosen by others.
        """
        known = {(row.launch, row.variant): row for row in rows}
        self.times = {key: times for key, times in self.times.items() if key[0] not in chosen or key[1] < number}
        self.measured = {key for key in self.measured if key[0] not in chosen or key[1] <= number}
        for launch, names in chosen.items():
            times = self.times[launch, number] = {}
            for name in names:
                self.measured.add((launch, number, name))
                row = known[launch, name]
                self.last[launch, name] = number, row
                if row.status is not Status.TIMED or row.time_us is None:
                    self.failures[launch, name] = f"{row.status.value} in rung {number}: {row.reason}"
                else:
                    times[name] = row.time_interval or Interval.unknown(row.time_us)

    def winners(self, launch: str) -> list[str]:
        """Return the best of each mechanism at a launch, by the last rung that measured them, fastest first."""
        timed = {
            name: (rank_time(row.time_us, number), row.mechanism)
            for (place, name), (number, row) in self.last.items()
            if place == launch and row.time_us and (launch, name) not in self.failures
        }
        order = sorted(timed, key=timed.__getitem__)
        best = best_of_kinds(order, {name: mechanism for name, (_, mechanism) in timed.items()}, BEST_OF_MECHANISM)
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
                    time_us=row.time_us if row else None,
                    time_low_us=interval.low if interval else None,
                    time_high_us=interval.high if interval else None,
                    left_out=one.left_out or self._reason(setting, one.variant),
                    has_failed=one.has_failed or (row is not None and row.status in {Status.FAILED, Status.INCORRECT}),
                )

    def _chosen(self, setting: RankedSetting, number: int) -> list[str]:
        """Return the candidates of a rung in the order of the ranking; none where the rungs before decided."""
        ranked = [one.variant for one in setting.measured]
        if number == 1:
            return ranked
        times = self._times(setting.launch, number - 1)
        reasons = self._dropped(setting, number - 1)
        stays = {name: times[name] for name in ranked if name in times and not reasons[name]}
        return [] if not stays or (number == len(RUNGS) and is_decided(stays)) else list(stays)

    def _lacks(self, launch: str, number: int, names: Sequence[str]) -> bool:
        return any((launch, number, name) not in self.measured for name in names)

    def _times(self, launch: str, number: int) -> dict[str, Interval]:
        """Return the times of a rung without those of candidates that failed in any."""
        times = self.times.get((launch, number), {})
        return {name: time for name, time in times.items() if (launch, name) not in self.failures}

    def _dropped(self, setting: RankedSetting, number: int) -> Mapping[str, str]:
        """Return by timed candidate of a rung why the one after it does not measure it."""
        times = self._times(setting.launch, number)
        members = {one.variant for one in setting.candidates if one.is_member}
        return drop(times, members, RUNGS[number]) if times and number < len(RUNGS) else dict.fromkeys(times, "")

    def _reason(self, setting: RankedSetting, name: str) -> str:
        """Return why a candidate is out, empty while it stays."""
        if failure := self.failures.get((setting.launch, name)):
            return failure
        for number in reversed(range(1, len(RUNGS) + 1)):
            reasons = self._dropped(setting, number)
            if name in reasons:
                return reasons[name] and f"{reasons[name]} in rung {number}"
        return ""


@dataclass(slots=True)
class RungRuns:
    """The runs of the rungs on a GPU, each in the folder `rung-<number>` beside its suite `rung-<number>.yaml`.

    The further runs of a rung are `rung-<number>-again-1`, and so on.
    """

    folder: Path
    record: TuneRecord
    gpu: int
    reporter: Reporter
    _counts: Counter[int] = field(default_factory=Counter)  # of the runs, by rung

    def measure(self, number: int, chosen: Mapping[str, Sequence[str]]) -> Run:
        """Measure the candidates of one rung by launch, or read its finished run; a stopped run is resumed."""
        name = f"rung-{number}" + (f"-again-{self._counts[number]}" if self._counts[number] else "")
        self._counts[number] += 1
        path, place = self.folder / f"{name}.yaml", self.folder / name
        text = suite_text(self.record, name, RUNGS[number - 1], chosen)
        with run_files.writing(self.folder):
            run_files.replace(path, text.encode())
        if (place / run_files.RUN_FILE).exists():
            known = read_info(place)
            self._require_same(known, text, place)
            if known.finished:
                return _whole(read_run(place), chosen)
        request = RunRequest(str(path), Overrides(), device="cuda", gpu=self.gpu, seed=self.record.request.seed)
        with closing(_plan(request)) as plan, sole_creator(place):
            if plan.executor:
                self._require_gpu(plan.executor.device)
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
        return _whole(read_run(place), chosen)

    def _require_same(self, known: RunInfo, text: str, place: Path) -> None:
        """Raise ResultsError unless a run in a rung's folder is of its suite, seed and GPU."""
        if known.suite.text != text:
            raise ResultsError(f"{place} is a run of another suite than {place}.yaml", NEW_FOLDER)
        if known.settings.seed != self.record.request.seed:
            seeds = f"the seed {known.settings.seed}, and {RECORD_FILE} has {self.record.request.seed}"
            raise ResultsError(f"{place} was measured with {seeds}", NEW_FOLDER)
        if known.device:
            self._require_gpu(known.device)

    def _require_gpu(self, device: Device) -> None:
        if device.uuid != self.record.uuid:
            begun = f"{self.folder} was begun on {self.record.device} {self.record.uuid}"
            message = f"{begun}, and this is {device.name} {device.uuid}"
            raise ResultsError(message, "choose that GPU by --gpu, or tune again in a new folder")


def _whole(run: Run, chosen: Mapping[str, Sequence[str]]) -> Run:
    """Return a finished run; ResultsError unless it has a row of each candidate."""
    known = {(row.launch, row.variant) for row in run.rows}
    for launch, names in chosen.items():
        if missing := [name for name in names if (launch, name) not in known]:
            raise ResultsError(f"{run.folder} has no row of {missing[0]} at {launch}", run_files.RESTORE)
    return run


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
