"""The members of fleets as their `fleet.json` lists them, and which of them measured a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.fleet_file import FLEET_FILE, read_fleet
from shflbench.store.run_files import RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shflbench.core.reporter import Reporter
    from shflbench.store.fleet_file import FleetInfo, FleetMember


@dataclass(frozen=True, slots=True)
class ListedMembers:
    """The members of all fleets below some folders."""

    fleets: frozenset[Path]  # their folders
    by_folder: Mapping[Path, tuple[FleetInfo, FleetMember]]
    by_uuid: Mapping[tuple[Path, str], Path]  # folder of the fleet and UUID → folder that is listed for the device

    @classmethod
    def below(cls, paths: Iterable[Path], reporter: Reporter) -> ListedMembers:
        """Read the fleet files below `paths`; ResultsError, which names the runs beside it, for a damaged one."""
        folders = sorted({file.parent.resolve() for path in paths for file in path.rglob(FLEET_FILE)})
        fleets = {folder: info for folder in folders if (info := _read(folder, reporter))}
        listed = [(folder, info, member) for folder, info in fleets.items() for member in info.members]
        return cls(
            frozenset(fleets),
            {folder / member.folder: (info, member) for folder, info, member in listed},
            {(folder, member.uuid): folder / member.folder for folder, _, member in listed if member.uuid},
        )

    def listed_folder(self, folder: Path, uuid: str) -> Path | None:
        """Return the folder that is listed for the device `uuid` whose run is in `folder`; None if it is not listed.

        Folders may be exchanged or copied: the UUID in `run.json` decides, and the folder only where one is unknown.
        """
        if folder in self.by_folder and (not uuid or self.by_folder[folder][1].uuid in {"", uuid}):
            return folder
        return self.by_uuid.get((folder.parent, uuid))


def _read(folder: Path, reporter: Reporter) -> FleetInfo | None:
    """Read a fleet file; None, after a warning, for another file of this name, which ties no runs beside it."""
    try:
        return read_fleet(folder)
    except ResultsError as error:
        runs = sorted(file.parent for file in folder.glob(f"*/{RUN_FILE}"))
        if not runs:
            reporter.warn(f"{error}; it is ignored, because no folder beside it has a run")
            return None
        advice = f"give the folders of the runs instead of {folder}, such as {runs[0]}; or {error.advice}"
        raise ResultsError(error.message, advice) from error
