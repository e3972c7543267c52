"""`fleet.json`: what ties the runs of one suite on several devices, each in a folder below it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import files, json_record
from shflbench.store.append import claim_folder
from shflbench.store.files import writing

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter

FLEET_FILE = "fleet.json"
SCHEMA = 1
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


@dataclass(slots=True)
class FleetFolder:
    """The folder of a fleet run that is being written."""

    path: Path
    info: FleetInfo

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
            if any(path.iterdir()):
                raise ResultsError(f"{path} exists and is not empty", "give another folder")
        folder = cls(path, info)
        folder.write(info)
        return folder

    def write(self, info: FleetInfo) -> None:
        """Replace `fleet.json`; ResultsError if that fails."""
        self.info = info
        with writing(self.path):
            files.replace(self.path / FLEET_FILE, json_record.encode(info, SCHEMA).encode())

    def put(self, member: FleetMember) -> None:
        """Add a member, or replace the one of the same folder, and write the file; ResultsError if that fails."""
        members = {one.folder: one for one in self.info.members} | {member.folder: member}
        self.write(replace(self.info, members=tuple(members.values())))

    def finish(self, finished: str | None, notes: tuple[str, ...] = ()) -> None:
        """Mark the fleet run as finished, unless `finished` is None, and add notes."""
        self.write(replace(self.info, finished=finished, notes=(*self.info.notes, *notes)))


def is_fleet(path: Path) -> bool:
    """Whether `path` is the folder of a fleet run."""
    return (path / FLEET_FILE).is_file()


def read_fleet(path: Path) -> FleetInfo:
    """Read `fleet.json` in a folder; ResultsError if there is none or if it is damaged."""
    file = path / FLEET_FILE
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path} is not the folder of a fleet run: no readable {FLEET_FILE}") from error
    return json_record.decode(_adapter, text, file, SCHEMA)


@cache
def _adapter() -> TypeAdapter[FleetInfo]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import)

    return TypeAdapter(FleetInfo)
