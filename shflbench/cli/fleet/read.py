"""Read the runs of a fleet, one device at a time: the samples of all would not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.analysis.fleet import DeviceRecord
    from shflbench.cli.console import Console
    from shflbench.store.fleet_file import FleetMember

# Devices from which on all cores read: a run of 430 cases takes 0.7 s, and starting a process 0.2 s.
MANY = 8


@dataclass(frozen=True, slots=True)
class Attempt:
    """One suite on one device: a run, or what a fleet file says about one that never started."""

    folder: Path
    uuid: str
    model: str
    label: str  # host and index
    suite: str
    started: str
    has_run: bool
    member: FleetMember | None

    @property
    def problem(self) -> str:
        """Why it is not complete; empty if nothing is known."""
        return (self.member and self.member.error) or ("" if self.has_run else f"{self.folder} has no run")


def read_records(paths: Sequence[Path], console: Console) -> list[DeviceRecord]:
    """Return what a ranking needs of each device with runs below `paths`: of each suite, the newest run.

    A device whose results cannot be read, or whose run never started, is returned with that problem. ResultsError for
    a path without any run, or if no run used a GPU.
    """
    from shflbench.export.words import count_noun
    from shflbench.grouping import group_by

    attempts = sorted(_attempts(paths, console), key=lambda attempt: attempt.started)
    if not any(attempt.has_run for attempt in attempts):
        raise ResultsError("no run below these folders used a GPU", "measure on GPUs: shflbench run SUITE --gpu all")
    newest = {(attempt.uuid, attempt.suite): attempt for attempt in attempts}
    older = len(attempts) - len(newest)
    if older:
        console.say(
            f"note: {count_noun(older, 'older run')} not ranked: of each suite on each device, the newest run is"
        )
    devices = list(group_by(newest.values(), lambda attempt: attempt.uuid).values())
    devices.sort(key=lambda device: device[0].folder)
    records = []
    for device, result in zip(devices, _read(devices), strict=True):
        if isinstance(result, str):
            console.warn(f"{result}; the device is reported as incomplete")
            records.append(_empty(device[0], result))
        else:
            records.append(result)
    return records


def _attempts(paths: Sequence[Path], console: Console) -> list[Attempt]:
    """Return each run on a GPU below `paths`, and each member of a fleet that has none."""
    from shflbench.store import find_runs
    from shflbench.store.fleet_file import FLEET_FILE, read_fleet
    from shflbench.store.read import read_info

    fleets = {file.parent.resolve() for path in paths for file in path.rglob(FLEET_FILE)}
    members = {
        folder / member.folder: (member, info)
        for folder in sorted(fleets)
        for info in [read_fleet(folder)]
        for member in info.members
    }
    infos = {folder.resolve(): read_info(folder) for folder in find_runs(paths)}
    skipped = [folder for folder, info in infos.items() if info.device is None]
    if skipped:
        console.warn(f"{len(skipped)} of {len(infos)} runs used no GPU and are not ranked, first {skipped[0]}")
    attempts = []
    for folder, info in infos.items():
        member, _ = members.get(folder, (None, None))
        if device := info.device:
            identity = device.uuid, device.name, f"{info.host.name}:{device.index}"
            attempts.append(Attempt(folder, *identity, info.suite.name, info.started, has_run=True, member=member))
    for folder, (member, fleet) in members.items():
        if folder not in infos:
            identity = member.uuid, member.name, f"{member.host}:{member.index}"
            attempts.append(Attempt(folder, *identity, fleet.suite, fleet.started, has_run=False, member=member))
    return attempts


def _read(devices: Sequence[Sequence[Attempt]]) -> Iterator[DeviceRecord | str]:
    """Yield the record of each device, or why it cannot be read."""
    if len(devices) < MANY:
        return map(read_device, devices)
    from shflbench.processes import map_in_processes

    return map_in_processes(read_device, devices)


def read_device(device: Sequence[Attempt]) -> DeviceRecord | str:
    """Read the runs of a device; return why this is impossible, if it is."""
    from shflbench.analysis.fleet import record_of
    from shflbench.store import read_run

    problem = next((attempt.problem for attempt in device if attempt.problem), "")
    losses = tuple(loss for attempt in device if attempt.member for loss in attempt.member.losses)
    folders = [attempt.folder for attempt in device if attempt.has_run]
    if not folders:
        return _empty(device[0], problem)
    try:
        return record_of([read_run(folder) for folder in folders], problem, losses)
    except ResultsError as error:
        return str(error)


def _empty(device: Attempt, problem: str) -> DeviceRecord:
    from shflbench.analysis.fleet import DeviceRecord
    from shflbench.analysis.fleet.record import CaseTimes

    return DeviceRecord(
        label=device.label, uuid=device.uuid, model=device.model, times=CaseTimes.of([]), problem=problem
    )
