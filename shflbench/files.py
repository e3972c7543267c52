"""Tell files from what only looks like one: reading a FIFO or a device may block, or never end."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def irregular_kind(path: Path) -> str:
    """Return what `path` is if it is not a file, such as `a FIFO`, and nothing if it is one; nothing is opened.

    OSError if nothing is there, or if it cannot be looked at.
    """
    return _KINDS.get(stat.S_IFMT(path.stat().st_mode), "")
