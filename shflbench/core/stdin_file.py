"""The temporary file that holds the kernel which a command read from stdin, and the name by which people know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

STDIN_FOLDER = "shflbench-stdin-"  # how the name of its folder begins, which holds nothing else
STDIN_NAMES = ("stdin.cu", "stdin.ptx")


def is_stdin(file: Path) -> bool:
    """Whether a file is the one that holds what a command read from stdin."""
    return file.name in STDIN_NAMES and file.parent.name.startswith(STDIN_FOLDER)
