"""Replace a folder so that the old content or the new one is complete whenever the process is killed.

A folder cannot be renamed over a full one, so there are two steps; between them, readers use the old folder:

    `.<name>.part` is written; `<name>` becomes `.<name>.old`; `.<name>.part` becomes `<name>`; `.<name>.old` is deleted
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from shflbench.store import run_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def current_folder(place: Path) -> Path:
    """Return the folder with the content of `place`: the old one if a kill came between the two steps."""
    old = _aside(place, "old")
    return old if old.exists() and not place.exists() else place


def clear(place: Path) -> None:
    """Remove what a kill left beside `place`."""
    if current_folder(place) != place:
        current_folder(place).rename(place)
    for kind in ("old", "part"):
        shutil.rmtree(_aside(place, kind), ignore_errors=True)


def swap(place: Path, contents: Sequence[Mapping[str, bytes]]) -> None:
    """Replace `place` by a folder with folders 1, 2, … of these files; OSError if that fails: nothing changed."""
    part = _aside(place, "part")
    try:
        for number, named in enumerate(contents, start=1):
            (part / str(number)).mkdir(parents=True)
            for name, content in named.items():
                run_files.replace(part / str(number) / name, content)
        if place.exists():
            place.rename(_aside(place, "old"))
        part.rename(place)
    finally:
        clear(place)


def prune(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, in this order."""
    for folder in folders:
        with suppress(OSError):  # not empty, or already removed
            folder.rmdir()


def _aside(place: Path, kind: str) -> Path:
    return place.with_name(f".{place.name}.{kind}")
