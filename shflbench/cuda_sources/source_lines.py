"""A line of a source file, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.files import relative

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source file."""

    file: Path
    line: int

    def shown(self, base: Path) -> str:
        """Return `file:line`, relative to the folder `base` if the file lies below it."""
        return f"{relative(self.file, base)}:{self.line}"
