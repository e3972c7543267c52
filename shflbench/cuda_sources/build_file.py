"""Folders and macros that a file of a build adds to the compiler's command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BuildFile:
    """What a CMakeLists.txt, a Makefile or a setup.py says of the compiler's command."""

    include: tuple[Path, ...]  # existing folders, in their order
    define: tuple[str, ...]  # NAME or NAME=VALUE
