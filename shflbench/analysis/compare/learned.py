"""Find the noise that was learned on the GPU of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.noise_learning import applies, model_of
from shflbench.store import noise_file

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.sides import Side


def learned_noise(base: Side, new: Side, file: Path | None, baselines: Path) -> tuple[NoiseModel | None, str]:
    """Return the noise in `file`, or else what is kept for the new side's GPU in `baselines`.

    Where the noise does not apply, returns None and a sentence why. ResultsError where the file cannot be read.
    """
    device = new.runs[0].info.device
    path = file or (noise_file.find(baselines, device.uuid) if device else None)
    if path is None:
        return None, ""
    learned = noise_file.read(path)
    reason = applies(learned, base, new)
    return (None, f"the noise in {path} is not used: {reason}") if reason else (model_of(learned), "")
