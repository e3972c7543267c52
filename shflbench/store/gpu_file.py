"""A file about one GPU among the baselines: <folder>/<kind>/<gpu>-<first 8 of its UUID>.json."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.store import run_files
from shflbench.store.append import gpu_slug

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, device: str, uuid: str, content: str) -> Path:
    """Write the file of a GPU to the `folder` of its kind, in place of the old one; return its path.

    ResultsError where it cannot be written; then the old file is unchanged.
    """
    path = folder / f"{gpu_slug(device)}{_ending(uuid)}"
    with run_files.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        run_files.replace(path, content.encode())
    return path


def find(folder: Path, uuid: str) -> Path | None:
    """Return the file of the GPU with this UUID in the `folder` of a kind; None where there is none."""
    ending = _ending(uuid)
    return next((path for path in sorted(folder.glob("*.json")) if path.name.endswith(ending)), None)


def _ending(uuid: str) -> str:
    """Return how the name of a GPU's file ends."""
    digits = re.sub("[^0-9a-z]", "", uuid.lower().removeprefix("gpu-").removeprefix("mig-"))
    return f"-{digits[:8]}.json"
