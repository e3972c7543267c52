"""Read the runs of a fleet, one device at a time: the samples of all would not fit into memory."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.fleet import DeviceRecord, record_of
from shflbench.analysis.fleet.record import CaseTimes
from shflbench.core.grouping import group_by
from shflbench.core.model import is_sentinel
from shflbench.core.processes import map_in_processes
from shflbench.core.words import count_noun
from shflbench.errors import ResultsError
from shflbench.session.fleet.attempts import find_attempts
from shflbench.store import read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.core.reporter import Reporter
    from shflbench.session.fleet.attempts import Attempt
    from shflbench.store import Run

# Devices from which on several processes read: a run of 430 cases takes 0.3 s, and starting a process 0.2 s.
MANY = 8
UUID_START = len("GPU-00000000")  # what tells the GPUs of most fleets apart
READERS = 4  # processes, at most: each needs up to 0.2 GB, for a run of a million samples


def read_records(paths: Sequence[Path], reporter: Reporter) -> list[DeviceRecord]:
    """Return what a ranking needs of each device with runs below `paths`: of each suite, the newest run.

    A device whose results cannot be read, or whose run never started, is returned with that problem. ResultsError for
    a path without any run, or if no run used a GPU.
    """
    attempts = find_attempts(paths, reporter)
    newest = [
        attempt
        for of_suite in group_by(attempts, lambda attempt: (attempt.uuid, attempt.suite)).values()
        for attempt in _newest(of_suite)
    ]
    older = len(attempts) - len(newest)
    if older:
        reporter.say(
            f"note: {count_noun(older, 'older run')} not ranked: of each suite on each device, the newest run is"
        )
    devices = list(group_by(newest, lambda attempt: attempt.uuid).values())
    devices.sort(key=lambda device: device[0].folder)
    records: list[DeviceRecord] = []
    with reporter.progress() as progress:
        for device, record in zip(devices, _read(devices), strict=True):
            progress.show("reading runs", len(records), len(devices), device[0].label)
            records.append(record)
    return _with_distinct_labels(records)


def _newest(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Return the last of a device's runs of a suite, with the others of its fleet: shards that it took over."""
    last = attempts[-1]
    return [one for one in attempts if one is last or (one.fleet and one.fleet == last.fleet)]


def _with_distinct_labels(records: Sequence[DeviceRecord]) -> list[DeviceRecord]:
    """Add the start of the UUID to labels that several devices have: slices of one GPU, or hosts of the same name."""
    counts = Counter(record.label for record in records)
    starts = Counter(record.uuid[:UUID_START] for record in records)
    return [
        replace(record, label=f"{record.label} {_short(record.uuid, starts)}") if counts[record.label] > 1 else record
        for record in records
    ]


def _short(uuid: str, starts: Counter[str]) -> str:
    """Return the start of a UUID; all of it where another device's begins alike."""
    return uuid[:UUID_START] if starts[uuid[:UUID_START]] == 1 else uuid


def _read(devices: Sequence[Sequence[Attempt]]) -> Iterator[DeviceRecord]:
    """Yield the record of each device."""
    if len(devices) < MANY:
        return map(read_device, devices)
    return map_in_processes(read_device, devices, READERS)


def read_device(device: Sequence[Attempt]) -> DeviceRecord:
    """Read the runs of a device; a record without times, with the problem, if this is impossible."""
    problem = next((attempt.problem for attempt in device if attempt.problem), "")
    losses = tuple(loss for attempt in device for loss in attempt.losses)
    folders = [attempt.folder for attempt in device if attempt.has_run]
    if not folders:
        return _empty(device[0], problem, losses)
    runs: list[Run] = []
    try:
        runs.extend(map(read_run, folders))
        record = record_of(runs, problem, losses)
    except ResultsError as error:
        return _empty(device[0], "; ".join([str(error), *_lost_rows(runs)]), losses)
    return replace(record, label=device[0].label)


def _lost_rows(runs: Iterable[Run]) -> Iterator[str]:
    """Yield how many cases have a row, for each run with samples of more cases, as when `results.csv` was cut off."""
    for run in runs:
        with suppress(ResultsError):
            samples = run.kept_samples()
            timed = {name for name in samples.cases if not is_sentinel(name)} if samples else set()
            kept = timed.intersection(row.case_id for row in run.rows)
            if kept != timed:
                yield f"{len(kept)} of {count_noun(len(timed), 'timed case')} have a row"


def _empty(device: Attempt, problem: str, losses: tuple[str, ...]) -> DeviceRecord:
    return DeviceRecord(
        label=device.label,
        uuid=device.uuid,
        model=device.model,
        times=CaseTimes.of([]),
        problem=problem,
        losses=losses,
    )
