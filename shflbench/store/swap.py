"""Replace a folder so that its old content or the new one is there whole, whenever the process is killed.

No system renames a folder over a full one, so there are two steps, between which readers look aside:

    `.<name>.part` is written; `<name>` becomes `.<name>.old`; `.<name>.part` becomes `<name>`; `.<name>.old` is deleted
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from shflbench.store import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def standing(place: Path) -> Path:
    """Return where the content of `place` lies: aside if a kill came between the two steps."""
    old = _aside(place, "old")
    return old if old.exists() and not place.exists() else place


def settle(place: Path) -> None:
    """Clear away what a kill left beside `place`."""
    if standing(place) != place:
        standing(place).rename(place)
    for kind in ("old", "part"):
        shutil.rmtree(_aside(place, kind), ignore_errors=True)


def swap(place: Path, contents: Sequence[Mapping[str, bytes]]) -> None:
    """Make `place` hold folders 1, 2, … with these files; OSError where that fails, and the old content stays."""
    part = _aside(place, "part")
    try:
        for number, named in enumerate(contents, start=1):
            (part / str(number)).mkdir(parents=True)
            for name, content in named.items():
                files.replace(part / str(number) / name, content)
        if place.exists():
            place.rename(_aside(place, "old"))
        part.rename(place)
    finally:
        settle(place)


def prune(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, in this order."""
    for folder in folders:
        with suppress(OSError):  # it is not, or it is gone
            folder.rmdir()


def _aside(place: Path, kind: str) -> Path:
    return place.with_name(f".{place.name}.{kind}")
