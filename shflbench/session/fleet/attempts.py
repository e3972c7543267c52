"""Find the runs below folders, and the device and the suite of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.session.fleet.listed_members import ListedMembers
from shflbench.store import find_runs, read_info

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.core.reporter import Reporter
    from shflbench.store import RunInfo
    from shflbench.store.fleet_file import FleetInfo, FleetMember

UNKNOWN = "unknown model"  # of runs whose `run.json` cannot be read


@dataclass(frozen=True, slots=True)
class Attempt:
    """One suite on one device: a run, or what a fleet file says about one that never started."""

    folder: Path
    uuid: str  # host and index where the driver gives none
    model: str
    label: str  # host and index; host and UUID of a device that its fleet file does not list
    suite: str
    started: str
    has_run: bool
    problem: str = ""  # why it is not complete, if this is known without reading it
    losses: tuple[str, ...] = ()
    fleet: Path | None = None  # folder of the fleet whose file lists the folder

    @classmethod
    def of_run(cls, folder: Path, info: RunInfo, member: FleetMember | None, *, in_fleet: bool) -> Attempt | None:
        """Describe a run, `in_fleet` if there is a fleet file beside it; None if it used no GPU."""
        if info.device is None:
            return None
        # `run.json` has the index by CUDA, which depends on the environment of a worker; that of a member is NVML's.
        if member:
            label = f"{member.host}:{member.index}"
        elif in_fleet:
            label = f"{info.host.name} {info.device.uuid or folder.name}"  # its index may be that of a member
        else:
            label = f"{info.host.name}:{info.device.index}"
        problem, losses = (member.error or "", member.losses) if member else ("", ())
        identity = info.device.uuid or label, info.device.name, label, info.suite.name, info.started
        fleet = folder.parent if member and member.folder == folder.name else None
        return cls(folder, *identity, has_run=True, problem=problem, losses=losses, fleet=fleet)

    @classmethod
    def of_member(cls, folder: Path, fleet: FleetInfo, member: FleetMember, problem: str) -> Attempt:
        """Describe a member of a fleet without a readable run."""
        label = f"{member.host}:{member.index}"
        identity = member.uuid or label, member.name, label, fleet.suite, fleet.started
        return cls(
            folder, *identity, has_run=False, fleet=folder.parent, problem=member.error or problem, losses=member.losses
        )


def find_attempts(paths: Sequence[Path], reporter: Reporter) -> list[Attempt]:
    """Return each run on a GPU below `paths`, and each member of a fleet that has none, the oldest first.

    A run whose `run.json` cannot be read is that of its folder's member, or of an unknown device. ResultsError for a
    path without any run, if no run used a GPU, or if a fleet file is damaged.
    """
    members = ListedMembers.below(paths, reporter)
    attempts: list[Attempt] = []
    errors: list[ResultsError] = []
    unused: list[Path] = []
    misplaced: list[Attempt] = []
    places: dict[Path, Path | None] = {}  # folder of a run → folder that is listed for its device
    for folder in dict.fromkeys(folder.resolve() for folder in find_runs(paths, report_missing=False)):
        places[folder] = folder
        try:
            info = read_info(folder)
        except ResultsError as error:
            errors.append(error)
            attempts.append(_unreadable(folder, members, str(error)))
            continue
        listed = places[folder] = members.listed_folder(folder, info.device.uuid if info.device else "")
        member = members.by_folder[listed][1] if listed else None
        attempt = Attempt.of_run(folder, info, member, in_fleet=folder.parent in members.fleets)
        if attempt is None:
            unused.append(folder)
            continue
        attempts.append(attempt)
        if listed != folder and folder.parent in members.fleets:
            misplaced.append(attempt)
    with_run = set(places.values())
    attempts += [
        Attempt.of_member(
            folder, fleet, member, f"{folder} has {'the run of another device' if folder in places else 'no run'}"
        )
        for folder, (fleet, member) in members.by_folder.items()
        if folder not in with_run
    ]
    if misplaced:
        others = f", and {len(misplaced) - 1} more" if len(misplaced) > 1 else ""
        reporter.warn(
            f"{misplaced[0].folder} has the run of {misplaced[0].label}, which its fleet.json does not list there"
            f"{others}; devices are named by the UUIDs in run.json"
        )
    if unused:
        reporter.warn(f"{len(unused)} of {len(places)} runs used no GPU and are not ranked, first {unused[0]}")
    if not any(attempt.has_run for attempt in attempts):
        if errors:
            raise errors[0]
        raise ResultsError("no run below these folders used a GPU", "measure on GPUs: shflbench run SUITE --gpu all")
    return sorted(attempts, key=lambda attempt: (attempt.started, attempt.has_run))


def _unreadable(folder: Path, members: ListedMembers, problem: str) -> Attempt:
    """Describe a run whose `run.json` cannot be read."""
    if folder in members.by_folder:
        return Attempt.of_member(folder, *members.by_folder[folder], problem)
    return Attempt(folder, str(folder), UNKNOWN, folder.name, "", "", has_run=False, problem=problem)
