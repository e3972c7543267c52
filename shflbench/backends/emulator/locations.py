"""Follow `.file` and `.loc`: which line of the CUDA source an instruction came from."""

from __future__ import annotations

import re

from shflbench.backends.emulator.ptx import Location

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', re.MULTILINE)
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d+)\s+(\d+))?.*")

_Place = tuple[str, str, str]  # file number, line and column as written


class LineTable:
    """Knows the source line of the instruction that is read next."""

    def __init__(self) -> None:
        """Start without any file."""
        self.current: Location | None = None
        self._files: dict[str, str] = {}
        self._seen: dict[_Place, Location] = {}

    def read_files(self, text: str) -> None:
        """Learn the names of all files; NVRTC writes them last."""
        self._files = dict(_FILE.findall(text))

    def forget(self) -> None:
        """Start a function: what came before says nothing about it."""
        self.current = None
        self._seen = {}

    def read(self, directive: str) -> None:
        """Follow one `.loc`; other directives change nothing."""
        match = _LOC.fullmatch(directive)
        if not match or match[2] == "0":  # line 0: the compiler names none
            return
        caller = self._seen.get((match[4], match[5], match[6])) if match[4] else None
        if match[4] and caller is None:
            caller = Location(self._name(match[4]), int(match[5]))
        self.current = Location(self._name(match[1]), int(match[2]), caller)
        self._seen[match[1], match[2], match[3]] = self.current

    def _name(self, number: str) -> str:
        return self._files.get(number, f"file {number}")
