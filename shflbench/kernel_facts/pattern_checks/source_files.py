"""Find the source file on this machine for a name in the compiler's line tables."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from shflbench.core.files import SHARED_HEADERS
from shflbench.cuda.compile.source import headers, kernel_name, source_name
from shflbench.cuda_sources import SourceLine
from shflbench.patterns.copies import FILE as COPIES

if TYPE_CHECKING:
    from shflbench.emulator import Location
    from shflbench.patterns.declare import Variant
    from shflbench.patterns.discover import LoadedPattern


class SourceFiles:
    """The source files of one pattern."""

    def __init__(self, pattern: LoadedPattern) -> None:
        """Read the names of the pattern's files."""
        self._pattern = pattern
        self._files: dict[str, Path] = {}  # as translation_unit names them
        for variant in pattern.declaration.variants if pattern.folder.is_dir() else ():  # a run may outlive its pattern
            self._files[source_name(pattern, variant)] = pattern.folder / variant.source
            self._files[f"{pattern.folder.name}/{COPIES}"] = pattern.folder / COPIES
            local = {name: path for name, path in headers(pattern, variant).items() if path.parent != SHARED_HEADERS}
            self._files |= {name.removeprefix("../"): path for name, path in local.items()}

    def of(self, location: Location | None) -> SourceLine | None:
        """Return the innermost line of the pattern's own files that leads to `location`, or else the outermost line."""
        inside = self._in_pattern(location)
        if inside is None:
            return None
        return SourceLine(self.file_of(inside.file) or Path(inside.file), inside.line)

    def compiled_line(self, location: Location | None) -> tuple[str, int]:
        """Return that line as the compiler names it, e.g. `neighbor/kernels.cu` and 12; "" and 0 if there is none."""
        inside = self._in_pattern(location)
        return (self._name(inside.file) or inside.file, inside.line) if inside else ("", 0)

    def _in_pattern(self, location: Location | None) -> Location | None:
        step = location
        while step is not None and self.file_of(step.file) is None:
            step = step.inlined_at
        return step or (location.outermost if location else None)

    def line(self, name: str, number: int) -> SourceLine | None:
        """Return a line of the pattern's file with this name in the compiler's messages; None for other files."""
        file = self.file_of(name)
        return SourceLine(file, number) if file is not None and number else None

    def kernel(self, variant: Variant) -> SourceLine:
        """Return where the kernel of `variant` begins; the file's first line if it is not found."""
        file = self._pattern.folder / variant.source
        name = re.escape(kernel_name(self._pattern.name, variant))
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
        numbers = (number for number, line in enumerate(lines, 1) if re.search(rf"\b{name}\s*\(", line))
        return SourceLine(file, next(numbers, 1))

    def file_of(self, name: str) -> Path | None:
        """Return the file of the pattern with this name in the compiler's line table; None for other files."""
        known = self._name(name)
        return None if known is None else self._files[known]

    def _name(self, name: str) -> str | None:
        """Return the name of one of the pattern's files without the folders that the compiler puts before it."""
        for known, file in self._files.items():
            if Path(name).absolute() == file.absolute():
                return known
        parts = PurePosixPath(name).parts
        for known in self._files:
            wanted = PurePosixPath(known).parts
            if parts[-len(wanted) :] == wanted:
                return known
        return None
