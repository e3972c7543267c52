"""The source lines of PTX instructions, from `.file` and `.loc` (PTX ISA 9.0, 11.5)."""

import re
from collections.abc import Mapping

from shflbench.emulator.ptx.syntax import Location

# With the line end before it, by which the search passes over the other lines of 20 MB.
_FILE = re.compile(r'\n[ \t]*\.file\s+(\d+)\s+"((?:[^"\\\n]|\\.)*)"')
LOC = re.compile(r"\.loc\s+(\d+)\s+(\d{1,9})\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d{1,9})\s+(\d+))?.*")
_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


def files_of(ptx: str) -> dict[int, str]:
    """Return the file names of the line table by number."""
    return {int(number): _readable(name) for number, name in _FILE.findall(f"\n{ptx}")}


def _readable(name: str) -> str:
    """Return a name with its own letters, where nvcc and NVRTC write the bytes of `é` as octal numbers."""
    if "\\" not in name:
        return name
    encoded = _OCTAL.sub(lambda match: chr(int(match[1], 8)), name.encode(errors="surrogateescape").decode("latin-1"))
    return encoded.encode("latin-1").decode(errors="surrogateescape")


def rename_files(ptx: str, names: Mapping[str, str]) -> str:
    """Return `ptx` with other names in its line table."""

    def renamed(match: re.Match[str]) -> str:
        known = names.get(_readable(match[2]))
        return match[0].replace(f'"{match[2]}"', f'"{known}"') if known is not None else match[0]

    return _FILE.sub(renamed, f"\n{ptx}")[1:]


class LineTable:
    """The source line of the next instruction, from `.file` and `.loc`."""

    def __init__(self, files: Mapping[int, str]) -> None:
        """Use the names of `files_of` the text: NVRTC writes them last."""
        self.current: Location | None = None
        self._files = files
        self._seen: dict[tuple[str, str, str], Location] = {}  # by file number, line and column as written

    def forget(self) -> None:
        """Start a function, to which earlier lines do not apply."""
        self.current = None
        self._seen = {}

    def read(self, directive: str) -> None:
        """Read one `.loc`; other directives change nothing."""
        match = LOC.fullmatch(directive)
        if not match or match[2] == "0":  # line 0: the compiler names none
            return
        caller = self._seen.get((match[4], match[5], match[6])) if match[4] else None
        if match[4] and caller is None:
            caller = Location(self._name(match[4]), int(match[5]))
        self.current = Location(self._name(match[1]), int(match[2]), caller)
        self._seen[match[1], match[2], match[3]] = self.current

    def _name(self, number: str) -> str:
        return self._files.get(int(number), f"file {number}")
