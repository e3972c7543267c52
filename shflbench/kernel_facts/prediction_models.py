"""The constants of predictions for a GPU: those of an H200, with what a calibration of the GPU has in their place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shflbench.analysis.limits.constants import DEFAULTS, PREDICTED_ARCH, calibrate_constants
from shflbench.analysis.limits.path_prices import PathModel
from shflbench.store.calibration_file import find_shipped, read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.core.model import Device
    from shflbench.store.calibration_file import Calibration

FITTED_DEVICE = "NVIDIA H200"  # whose reference runs the constants were fitted to
# Fitted constants that follow a measured figure: rates by its ratio to that of an H200, times by its difference.
RATIOS = {"l2_bytes_per_us": "l2_bytes_per_s"}
DIFFERENCES = {
    "launch_us": "launch_overhead_us",
    "one_pass_us": "launch_overhead_us",
    "repeated_us": "launch_interval_us",
}
PRICE_DIFFERENCES = {"single_us": "launch_overhead_us", "repeated_us": "launch_interval_us"}


def why_unknown(device: Device, calibration: Calibration | None) -> str:
    """Return why the constants of a GPU are not known; empty if they are."""
    if device.arch.rstrip("af") != PREDICTED_ARCH:
        return f"the constants of {device.arch} are not known"
    if calibration is None and not is_fitted_device(device.name):
        return f"the constants are those of an {FITTED_DEVICE}, and this GPU is not calibrated"
    return ""


def is_fitted_device(name: str) -> bool:
    """Whether a GPU is of the model that the constants were fitted to."""
    return name.startswith(FITTED_DEVICE)


def model_of(device: Device | None, calibration: Calibration | None) -> PathModel:
    """Return the constants for a GPU; of another model than the fitted one, all that its calibration measures."""
    constants = calibrate_constants(calibration)
    model = PathModel.of(calibration, constants)
    if calibration is None or device is None or is_fitted_device(device.name):
        return model
    return _moved(model, constants, calibration)


def _moved(model: PathModel, constants: PredictionConstants, calibration: Calibration) -> PathModel:
    """Return the model with fitted constants moved by as much as the GPU differs from the fitted one."""
    path = find_shipped(FITTED_DEVICE)
    if path is None:
        return model
    fitted = read(path)

    def pair(figure: str) -> tuple[float, float] | None:
        one, other = calibration.value(figure), fitted.value(figure)
        return (one, other) if one and other else None

    def moved(
        figures: Mapping[str, str], start: object, move: Callable[[float, float, float], float]
    ) -> dict[str, Any]:
        known = {name: pair(figure) for name, figure in figures.items()}
        return {name: move(getattr(start, name), *both) for name, both in known.items() if both}

    ratios = moved(RATIOS, DEFAULTS, lambda value, one, other: value * one / other)
    differences = moved(DIFFERENCES, DEFAULTS, lambda value, one, other: value + one - other)
    prices = moved(PRICE_DIFFERENCES, model.prices, lambda value, one, other: value + one - other)
    return PathModel(replace(model.prices, **prices), replace(constants, **ratios, **differences))
