"""`fleet.json`: what ties the runs of one suite on several devices, each in a folder below it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import json_record, run_files
from shflbench.store.append import claim_folder
from shflbench.store.record_values import check_moments, check_suite, wrong_value
from shflbench.store.run_files import RUN_FILE, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic import TypeAdapter

FLEET_FILE = "fleet.json"
SCHEMA = 1
WRITE_SECONDS = 1.0  # between two writes that nothing waits for
MOST_WRITING = 0.002  # share of the time that such writes may take: with 1,000 members, each takes 22 ms of a core
LISTED = 4  # missing runs in a sentence
LOCAL = "local"  # the scheduler of a run on several GPUs of one machine


@dataclass(frozen=True, slots=True)
class FleetMember:
    """The run of one device."""

    folder: str  # below that of the fleet
    uuid: str
    name: str  # of the model
    host: str
    index: int  # on its host
    error: str | None = None  # why its run ended early
    losses: tuple[str, ...] = ()  # a sentence on each loss of its worker
    groups: tuple[str, ...] | None = None  # of cases that it measures, in a run of shards; None: the whole suite


@dataclass(frozen=True, slots=True)
class FleetInfo:
    """One execution of a suite on several devices."""

    suite: str
    argv: tuple[str, ...]
    scheduler: str  # its address, or `local`
    started: str  # UTC, ISO 8601
    members: tuple[FleetMember, ...]
    finished: str | None = None
    notes: tuple[str, ...] = ()
    sharded: bool = False  # whether devices of one model divide the suite


class FleetFolder:
    """The folder of a fleet run that is being written.

    A change of a member is on disk after `write`, or after `write_due` once `WRITE_SECONDS` have passed since the last
    write, more if that took long: replacing the file for each of 1,000 devices that start took 6.7 s on an AMD EPYC.
    """

    def __init__(self, path: Path, info: FleetInfo) -> None:
        """Continue the fleet run that `info` describes, in the folder `path`."""
        self.path = path
        self._info = replace(info, members=())
        self._members = {member.folder: member for member in info.members}
        self._due = 0.0  # time of the next write that nothing waits for, by the monotonic clock
        self._is_changed = False

    @classmethod
    def create(cls, info: FleetInfo, root: Path) -> FleetFolder:
        """Start a fleet run in the first free folder `<suite>/fleet-<YYYYMMDD>-<n>` under `root`."""
        suite = root / info.suite
        with writing(suite):
            suite.mkdir(parents=True, exist_ok=True)
            path = claim_folder(suite, f"fleet-{info.started[:10].replace('-', '')}")
        return cls.create_at(info, path)

    @classmethod
    def create_at(cls, info: FleetInfo, path: Path) -> FleetFolder:
        """Start a fleet run in exactly `path`, which must be empty or not exist, else ResultsError."""
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            if any(file.name != f".{FLEET_FILE}.part" for file in path.iterdir()):  # which a kill may have left
                raise ResultsError(f"{path} exists and is not empty", "give another folder")
        folder = cls(path, info)
        folder.write()
        return folder

    @property
    def info(self) -> FleetInfo:
        """The record, with all changes."""
        return replace(self._info, members=tuple(self._members.values()))

    @property
    def members(self) -> Mapping[str, FleetMember]:
        """The members by folder, with all changes."""
        return self._members

    @property
    def is_sharded(self) -> bool:
        """Whether devices of one model divide the suite."""
        return self._info.sharded

    def put(self, member: FleetMember) -> None:
        """Add a member, or replace the one of the same folder; on disk after the next write."""
        self._members[member.folder] = member
        self._is_changed = True

    def write(self) -> None:
        """Replace `fleet.json`; ResultsError if that fails."""
        began = monotonic()
        with writing(self.path):
            run_files.replace(self.path / FLEET_FILE, json_record.encode(self.info, SCHEMA).encode())
        ended = monotonic()
        self._due, self._is_changed = ended + max(WRITE_SECONDS, (ended - began) / MOST_WRITING), False

    def write_due(self) -> None:
        """Replace `fleet.json` if there are changes and the last write is long enough ago."""
        if self._is_changed and monotonic() >= self._due:
            self.write()

    def finish(self, finished: str | None, notes: tuple[str, ...] = ()) -> None:
        """Mark the fleet run as finished, unless `finished` is None, add notes, and replace `fleet.json`."""
        self._info = replace(self._info, finished=finished, notes=(*self._info.notes, *notes))
        self.write()


def is_fleet(path: Path) -> bool:
    """Whether `path` is the folder of a fleet run."""
    return (path / FLEET_FILE).is_file()


def read_fleet(path: Path) -> FleetInfo:
    """Read `fleet.json` in a folder; ResultsError if there is none or if it is damaged."""
    file = path / FLEET_FILE
    info = json_record.decode(_adapter, run_files.text(run_files.read(file), file), file, SCHEMA)
    _check(info, file)
    return info


def _check(info: FleetInfo, path: Path) -> None:
    """Raise ResultsError, with the field, for a value that no fleet run writes."""
    check_suite(info.suite, path, "suite")
    check_moments({"started": info.started, "finished": info.finished or info.started}, path)
    for place, member in enumerate(info.members):
        field, name = f"members.{place}.folder", member.folder
        if "/" in name or name in {"", ".", ".."}:
            raise wrong_value(path, field, name, "the name of a folder")
        if any(name == other.folder for other in info.members[:place]):
            raise wrong_value(path, field, name, "a name that no other member has")


def missing_runs(paths: Iterable[Path]) -> Iterator[str]:
    """Yield a sentence on the runs that each fleet file below `paths` lists and that are not there."""
    for folder in sorted({file.parent for path in paths for file in path.rglob(FLEET_FILE)}):
        try:
            members = read_fleet(folder).members
        except ResultsError as error:
            yield f"{error}; runs of this fleet that are missing are not reported"
            continue
        missing = [member.folder for member in members if not (folder / member.folder / RUN_FILE).is_file()]
        if missing:
            first = f"{len(missing)} of {len(members)} runs that {folder / FLEET_FILE} lists are missing"
            yield f"{first}: {', '.join(missing[:LISTED])}{', …' if len(missing) > LISTED else ''}"


@cache
def _adapter() -> TypeAdapter[FleetInfo]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import)

    return TypeAdapter(FleetInfo)
