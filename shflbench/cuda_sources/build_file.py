"""Folders and macros that a file of a build adds to the compiler's command."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MACRO = re.compile(r"[A-Za-z_]\w*(?:\([\w, .]*\))?(?:=[^\r\n]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BuildFile:
    """What a CMakeLists.txt, a Makefile or a setup.py says of the compiler's command."""

    include: tuple[Path, ...]  # existing folders, in their order
    define: tuple[str, ...]  # NAME or NAME=VALUE


def is_macro(text: str) -> bool:
    """Return whether a text is NAME or NAME=VALUE, of one line."""
    return _MACRO.fullmatch(text) is not None
