"""Turn what another tool recorded into a run, so that it is compared and shown as shflbench's own runs are."""

from __future__ import annotations

import platform
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import Interval, Status
from shflbench.core.statistics import median_interval
from shflbench.core.thresholds import Thresholds
from shflbench.errors import ResultsError
from shflbench.store import Host, Row, Run, RunInfo, RunSettings, SuiteText, Versions
from shflbench.store.provenance import Conversion, ConvertedProcess
from shflbench.store.read import HeldSamples
from shflbench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from shflbench.store.readers.recording import RecordedCase, RecordedProcess, Recording

# Quantiles of Student's distribution for a two-sided 95% interval by degrees of freedom, from 1; the last for more.
STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
# Of normally distributed samples the standard deviation of the median is 1.2533 times that of the mean.
MEDIAN, NORMAL = 1.2533, 1.96
WORST_FIRST = (Status.FAILED, Status.SKIPPED, Status.TIMED)  # a failure in any process counts
NO_PATTERN = "cases"  # of names without a slash


def run_of(recording: Recording) -> Run:
    """Return the run, with its samples in memory; ResultsError if its processes ran on different models of GPU."""
    cases: dict[str, dict[int, RecordedCase]] = {}
    for number, process in enumerate(recording.processes):
        for name, case in process.cases.items():
            cases.setdefault(name, {})[number] = case
    sampled = {
        name: {number: case for number, case in processes.items() if case.rounds} for name, processes in cases.items()
    }
    info = _info(recording)
    return Run(
        folder=recording.place,
        info=info,
        rows=tuple(_row(name, processes, info) for name, processes in cases.items()),
        notes=tuple(note for process in recording.processes for note in process.notes),
        held=HeldSamples(
            {name: {number: case.rounds for number, case in some.items()} for name, some in sampled.items() if some},
            {
                name: {number: case.clock_mhz for number, case in some.items() if case.clock_mhz}
                for name, some in sampled.items()
            },
        ),
    )


def _info(recording: Recording) -> RunInfo:
    first, *others = recording.processes
    for process in others:
        if _model(process) != _model(first):
            raise ResultsError(
                f"{first.file} and {process.file} are of different GPUs ({_model(first)}, {_model(process)})",
                "give files of one model of GPU per side",
            )
    tool = recording.tool
    started = min((_utc(process.started) for process in recording.processes if process.started), default="")
    return RunInfo(
        suite=SuiteText(tool.value, f"Results of {tool.label}", "", ""),
        settings=RunSettings(processes=len(recording.processes)),
        argv=(),
        versions=_versions(),
        device=first.device,
        backend=tool.value,
        arch=first.device.arch if first.device else "",
        host=Host(first.host or "", "", "", 0),
        started=started,
        finished=started,  # the files do not say when the last process ended
        resumed=(),
        notes=(),
        thresholds=Thresholds(),
        converted=Conversion(tool.value, first.version, tuple(map(_converted, recording.processes))),
    )


def _model(process: RecordedProcess) -> str:
    return process.device.name if process.device else "unknown"


def _converted(process: RecordedProcess) -> ConvertedProcess:
    started = _utc(process.started) if process.started else None
    return ConvertedProcess(str(process.file), process.sha256, started, process.host)


def _utc(moment: datetime) -> str:
    """Return a moment as `run.json` gives it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _versions() -> Versions:
    """Return the versions of what converts; what measured is known to the tool alone."""
    return Versions(
        python=platform.python_version(),
        shflbench=__version__,
        numpy=np.__version__,
        cupy=None,
        nvrtc=None,
        nvdisasm=None,
        driver=None,
        cuda=None,
        git_commit=None,
        git_dirty=None,
    )


def _row(name: str, processes: Mapping[int, RecordedCase], info: RunInfo) -> Row:
    """Return the row of a case; what other tools do not say is empty."""
    worst = min(processes.values(), key=lambda case: WORST_FIRST.index(case.status))
    sampled = {number: case for number, case in processes.items() if case.rounds}
    rounds = [times for case in sampled.values() for times in case.rounds]
    clocks = [case.clock_mhz for case in processes.values() if case.clock_mhz]
    time = None
    if worst.status is Status.TIMED:
        time = _interval_of_rounds([case.rounds for case in sampled.values()]) if sampled else _interval(processes)
    pattern, slash, variant = name.partition("/")
    return Row(
        case_id=name,
        pattern=pattern if slash else NO_PATTERN,
        variant=variant if slash else name,
        mechanism="",
        safe=True,
        dtype="",
        launch="",
        grid=None,
        block=0,
        iterations=1,
        options=(),
        backend=info.backend,
        arch=info.arch,
        status=worst.status,
        reason=_reason(worst, processes),
        matched=None,
        inputs=None,
        reference=None,
        time_us=time.value if time else None,
        time_low_us=time.low if time and time.low < time.high else None,
        time_high_us=time.high if time and time.low < time.high else None,
        samples=sum(map(len, rounds)) if time and rounds else None,
        dropped=None,
        rounds=len(rounds) if time and rounds else None,
        launches=min(case.executions for case in sampled.values()) if time and rounds else None,
        processes=tuple(sorted(processes)),
        sm_clock_mhz=median(clocks) if clocks else None,
    )


def _reason(worst: RecordedCase, processes: Mapping[int, RecordedCase]) -> str | None:
    """Return why a case is not timed, and in how many processes if others timed it."""
    alike = sum(case.status is worst.status for case in processes.values())
    count = "" if alike == len(processes) else f"in {alike} of {len(processes)} processes"
    return ": ".join(filter(None, (count, worst.reason))) or None


def _interval_of_rounds(processes: Sequence[Sequence[np.ndarray[tuple[int], np.dtype[np.float64]]]]) -> Interval:
    """Return the median of the rounds' medians, with an interval that covers the median of each process.

    `run` gives the time of its own cases in this way: rounds are independent, and processes differ.
    """
    medians = [[float(np.median(times)) for times in rounds] for rounds in processes]
    pooled = median_interval([value for values in medians for value in values])
    centers = list(map(median, medians))
    return Interval(pooled.value, min(pooled.low, *centers), max(pooled.high, *centers))


def _interval(processes: Mapping[int, RecordedCase]) -> Interval | None:
    """Return the mean of the processes' times without samples; the interval is of no width if it is unknown.

    With one process it follows from the deviation of its samples, with several from the spread between them.
    """
    known = [case.summary for case in processes.values() if case.summary]
    if not known:
        return None
    times = [summary.time_us for summary in known]
    value, half_width = fmean(times), 0.0
    if len(times) > 1:
        half_width = STUDENT[min(len(times) - 1, len(STUDENT)) - 1] * stdev(times) / len(times) ** 0.5
    elif known[0].deviation_us and (samples := known[0].samples or 0) > 1:
        normal = STUDENT[samples - 2] if samples - 2 < len(STUDENT) else NORMAL
        half_width = MEDIAN * normal * known[0].deviation_us / samples**0.5
    return Interval(value, max(value - half_width, value / 1000), value + half_width)
