"""The source lines of instructions, as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator import Location
from shflbench.kernel_facts.pattern_checks.source_files import SourceFiles

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cuda.compile.line_tables import LineStep
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject


class Places:
    """Finds source lines in the files of patterns, and reads the names of each pattern's files once."""

    def __init__(self, base: Path) -> None:
        """Show files relative to the folder `base`."""
        self._base = base
        self._files: dict[Path, SourceFiles] = {}

    def of(self, subject: KernelSubject, steps: Sequence[LineStep]) -> str:
        """Return `path:line` of the innermost step inside the pattern's own files; empty if there are no steps."""
        line = self._source_files(subject).of(_location(steps))
        return line.shown(self._base) if line else ""

    def short(self, subject: KernelSubject, steps: Sequence[LineStep]) -> str:
        """Return the same line as `folder/file:line`, for columns."""
        line = self._source_files(subject).of(_location(steps))
        return f"{line.file.parent.name}/{line.file.name}:{line.line}" if line else ""

    def named(self, subject: KernelSubject, name: str) -> str:
        """Return `path:line` for `file:line` as the compiler names it; unchanged if it is no file of the pattern."""
        file, _, number = name.rpartition(":")
        line = self._source_files(subject).line(file, int(number)) if number.isdecimal() else None
        return line.shown(self._base) if line else name

    def kernel(self, subject: KernelSubject) -> str:
        """Return where the kernel begins; empty if the file is gone, as that of a run may be."""
        line = self._source_files(subject).kernel(subject.variant)
        return line.shown(self._base) if line.file.exists() else ""

    def _source_files(self, subject: KernelSubject) -> SourceFiles:
        folder = subject.pattern.folder
        if folder not in self._files:
            self._files[folder] = SourceFiles(subject.pattern)
        return self._files[folder]


def _location(steps: Sequence[LineStep]) -> Location | None:
    location = None
    for step in reversed(steps):
        location = Location(step.file, step.line, location)
    return location
