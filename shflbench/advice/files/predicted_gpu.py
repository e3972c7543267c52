"""The GPU that limits of a file's kernels are predicted for: that of stored results, or one that shflbench knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.calibrated import apply_calibration
from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.core.arch import load
from shflbench.core.arch.devices import product
from shflbench.core.model import Device, DeviceState
from shflbench.store.calibration_file import SHIPPED, find_shipped, read

if TYPE_CHECKING:
    from shflbench.core.arch import Architecture
    from shflbench.store.calibration_file import Calibration

OVERHEAD = "launch_overhead_us"  # figure of a calibration


@dataclass(frozen=True, slots=True)
class PredictedGpu:
    """A GPU with the rates of its units: those that `calibrate` measured, else documented ones."""

    device: Device
    figures: Architecture
    calibration: Calibration | None
    is_of_results: bool  # whether stored results are of this GPU

    @property
    def title(self) -> str:
        """The GPU in words: `NVIDIA H200 (sm_90)`."""
        return f"{self.device.name} ({self.device.arch})"

    @property
    def overhead_us(self) -> float:
        """The time of a launch that does nothing, about; of another GPU where this one was not calibrated."""
        known = self.calibration.value(OVERHEAD) if self.calibration else None
        return known or DEFAULTS.one_pass_us


def gpu_of(device: Device) -> PredictedGpu | None:
    """Return the GPU of stored results; None if nothing is known of its architecture."""
    figures = load(device.arch)
    path = find_shipped(device.name)
    calibration = read(path) if path else None
    return _gpu(device, figures, calibration, is_of_results=True) if figures else None


def known_gpu(arch: str, name: str | None) -> PredictedGpu | None:
    """Return a GPU of an architecture whose figures come with shflbench, and whose name contains a text."""
    for path in sorted(SHIPPED.glob("*.json")):
        calibration = read(path)
        figures, listed = load(arch), product(calibration.device)
        is_meant = (name or "").lower() in calibration.device.lower()
        if figures is None or listed is None or listed.l2_bytes is None or not is_meant:
            continue
        if calibration.arch.rstrip("af") == arch.rstrip("af"):
            return _gpu(_device(calibration, listed.l2_bytes.value), figures, calibration, is_of_results=False)
    return None


def _gpu(
    device: Device, figures: Architecture, calibration: Calibration | None, *, is_of_results: bool
) -> PredictedGpu:
    rates = apply_calibration(figures, calibration) if calibration else figures
    return PredictedGpu(device, rates, calibration, is_of_results)


def _device(calibration: Calibration, l2_bytes: int) -> Device:
    """Return a GPU as far as its calibration describes it."""
    return Device(
        name=calibration.device,
        uuid=calibration.uuid,
        arch=calibration.arch,
        sms=calibration.sms,
        max_shared_bytes=0,
        memory_bytes=0,
        clock_mhz=round(calibration.clock_mhz or 0),
        driver=calibration.driver,
        cuda=calibration.cuda,
        state=DeviceState(l2_bytes=l2_bytes),
    )
