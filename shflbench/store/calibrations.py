"""The calibrations that are known: those among the baselines, and those that come with shflbench."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.append import gpu_slug
from shflbench.store.calibration_file import FOLDER, SHIPPED, Calibration, read

if TYPE_CHECKING:
    from collections.abc import Iterable


def known_calibrations(baselines: Path) -> dict[str, Calibration]:
    """Return the known calibrations by their names, those of the baselines before the shipped ones.

    A name is that of the file, such as `nvidia-h200` or `nvidia-h200-6d2a1c00`. ResultsError where one is damaged.
    """
    folders = (baselines / FOLDER, SHIPPED)
    return {path.stem: read(path) for folder in folders for path in sorted(folder.glob("*.json"))}


def chosen_calibrations(gpus: Iterable[str], baselines: Path) -> dict[str, Calibration]:
    """Return the calibrations of `gpus` in their order, each a name, the name of a GPU, or a path to a file.

    The name of a GPU means all known calibrations of that model. ResultsError for others.
    """
    known = known_calibrations(baselines)
    chosen: dict[str, Calibration] = {}
    for gpu in gpus:
        if gpu.endswith(".json"):
            chosen[gpu] = read(Path(gpu))
            continue
        slug = gpu_slug(gpu)
        same = {name: one for name, one in known.items() if slug in {name, gpu_slug(one.device)}}
        if not same:
            names = ", ".join(known) or "none"
            raise ResultsError(
                f"no calibration of `{gpu}` is known; known: {names}", "Calibrate it: shflbench calibrate"
            )
        chosen |= same
    return chosen
