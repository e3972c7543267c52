"""The log of one device of a fleet: what its workers did and what went wrong, with details for an administrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.store.run_files import writing
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from pathlib import Path

LOGS = "logs"  # folder below that of the fleet
INDENT = "    "  # of the lines that follow the first of a message


class DeviceLog:
    """A text file with a line per message, which starts with its time in UTC."""

    def __init__(self, fleet: Path, member: str) -> None:
        """Write to `logs/<member>.log` below the folder of the fleet; nothing is written yet."""
        self._fleet = fleet
        self.name = f"{LOGS}/{member}.log"

    @property
    def path(self) -> Path:
        """The file."""
        return self._fleet / self.name

    def write(self, *messages: str) -> None:
        """Append messages; ResultsError where that fails. Threads may write at the same time.

        The file is not kept open: a fleet may have more devices than a process may have open files.
        """
        if not messages:
            return
        now = utc_now()
        text = "\n".join(_lines(message, now) for message in messages)
        with writing(self._fleet):
            self.path.parent.mkdir(exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{text}\n")


def _lines(message: str, now: str) -> str:
    first, *more = message.splitlines() or [""]
    return "\n".join([f"{now} {first}", *(f"{INDENT}{line}" for line in more)])
