"""The calibrations that are known: those among the baselines, and those that come with shflbench."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.append import gpu_slug
from shflbench.store.calibration_file import FOLDER, SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable

ENDING = re.compile(r"-[0-9a-f]{8}")  # of the name of a GPU's file: the start of its UUID
MAKER = "nvidia-"


def chosen_files(gpus: Iterable[str], baselines: Path) -> dict[str, Path]:
    """Return the files of the calibrations of `gpus` in their order by name; without `gpus`, all that are known.

    Each of `gpus` is the name of a file among the baselines, a model, which means all of its calibrations, or a path to
    a file, by which it is called then. ResultsError for others.
    """
    known = _known_files(baselines)
    names = [name for gpu in gpus for name in _named(gpu, known)] or list(known)
    return {name: known.get(name) or Path(name) for name in dict.fromkeys(names)}


def calibration_files(baselines: Path) -> tuple[Path, ...]:
    """Return the files of the calibrations among the baselines."""
    return tuple(sorted(path for path in (baselines / FOLDER).glob("*.json") if path.is_file()))


def _known_files(baselines: Path) -> dict[str, Path]:
    """Return the files by name; one among the baselines that is called like a shipped one has its path as name."""
    shipped = {path.stem: path for path in sorted(SHIPPED.glob("*.json"))}
    brought = {str(path) if path.stem in shipped else path.stem: path for path in calibration_files(baselines)}
    return brought | shipped


def _named(gpu: str, known: dict[str, Path]) -> list[str]:
    """Return the names that a word of the user means."""
    if gpu in known:
        return [gpu]
    if gpu.endswith(".json"):
        if not Path(gpu).is_file():
            raise ResultsError(f"{gpu}: there is no such file", "Give a file that `shflbench calibrate` wrote.")
        return [gpu]
    model = gpu_slug(gpu).removeprefix(MAKER)
    same = [name for name, path in known.items() if _model(path) == model]
    if not same:
        names = ", ".join(known) or "none"
        raise ResultsError(f"no calibration of `{gpu}` is known; known: {names}", "Calibrate it: shflbench calibrate")
    return same


def _model(path: Path) -> str:
    """Return the model in the name of a GPU's file: `h200`."""
    return ENDING.sub("", path.stem).removeprefix(MAKER)
