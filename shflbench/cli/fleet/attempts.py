"""Find the runs below folders, and the device and the suite of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import RunInfo
    from shflbench.store.fleet_file import FleetInfo, FleetMember

UNKNOWN = "unknown model"  # of runs whose `run.json` cannot be read


@dataclass(frozen=True, slots=True)
class Attempt:
    """One suite on one device: a run, or what a fleet file says about one that never started."""

    folder: Path
    uuid: str  # host and index where the driver gives none
    model: str
    label: str  # host and index
    suite: str
    started: str
    has_run: bool
    problem: str = ""  # why it is not complete, if this is known without reading it
    losses: tuple[str, ...] = ()

    @classmethod
    def of_run(cls, folder: Path, info: RunInfo, member: FleetMember | None) -> Attempt | None:
        """Describe a run; None if it used no GPU."""
        if info.device is None:
            return None
        # `run.json` has the index by CUDA, which depends on the environment of a worker; that of a member is NVML's.
        label = f"{member.host}:{member.index}" if member else f"{info.host.name}:{info.device.index}"
        problem, losses = (member.error or "", member.losses) if member else ("", ())
        identity = info.device.uuid or label, info.device.name, label, info.suite.name, info.started
        return cls(folder, *identity, has_run=True, problem=problem, losses=losses)

    @classmethod
    def of_member(cls, folder: Path, fleet: FleetInfo, member: FleetMember, problem: str) -> Attempt:
        """Describe a member of a fleet without a readable run."""
        label = f"{member.host}:{member.index}"
        identity = member.uuid or label, member.name, label, fleet.suite, fleet.started
        return cls(folder, *identity, has_run=False, problem=member.error or problem, losses=member.losses)


def find_attempts(paths: Sequence[Path], console: Console) -> list[Attempt]:
    """Return each run on a GPU below `paths`, and each member of a fleet that has none, the oldest first.

    A run whose `run.json` cannot be read is that of its fleet's member, or of an unknown device. ResultsError for a
    path without any run, if no run used a GPU, or if a fleet file is damaged.
    """
    from shflbench.store import find_runs
    from shflbench.store.read import read_info

    members = _members(paths)
    attempts: list[Attempt] = []
    errors: list[ResultsError] = []
    unused: list[Path] = []
    folders = dict.fromkeys(folder.resolve() for folder in find_runs(paths))
    for folder in folders:
        fleet, member = members.get(folder, (None, None))
        try:
            attempt = Attempt.of_run(folder, read_info(folder), member)
        except ResultsError as error:
            errors.append(error)
            attempt = (
                Attempt.of_member(folder, fleet, member, str(error))
                if fleet and member
                else Attempt(folder, str(folder), UNKNOWN, folder.name, "", "", has_run=False, problem=str(error))
            )
        if attempt:
            attempts.append(attempt)
        else:
            unused.append(folder)
    attempts += [
        Attempt.of_member(folder, fleet, member, f"{folder} has no run")
        for folder, (fleet, member) in members.items()
        if folder not in folders
    ]
    if unused:
        console.warn(f"{len(unused)} of {len(folders)} runs used no GPU and are not ranked, first {unused[0]}")
    if not any(attempt.has_run for attempt in attempts):
        if errors:
            raise errors[0]
        raise ResultsError("no run below these folders used a GPU", "measure on GPUs: shflbench run SUITE --gpu all")
    return sorted(attempts, key=lambda attempt: attempt.started)


def _members(paths: Iterable[Path]) -> Mapping[Path, tuple[FleetInfo, FleetMember]]:
    """Return the members of all fleets below `paths` by folder."""
    from shflbench.store.fleet_file import FLEET_FILE, read_fleet

    folders = sorted({file.parent.resolve() for path in paths for file in path.rglob(FLEET_FILE)})
    return {
        folder / member.folder: (fleet, member)
        for folder in folders
        for fleet in [read_fleet(folder)]
        for member in fleet.members
    }
