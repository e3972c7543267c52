"""The GPU that a tuning run measures on, or none."""

from __future__ import annotations

from contextlib import closing

from shflbench.backends import gpus
from shflbench.errors import DeviceError, UsageError
from shflbench.measure import executor
from shflbench.model import Device, MeasureRules
from shflbench.session.run_request import OPENER

RANKED_ONLY = "Candidates are ranked by the limit model; nothing is measured."


def device_of(kind: str, gpu: int, *, arch: str | None, sms: int | None) -> tuple[Device | None, str]:
    """Return the GPU to measure on, with a sentence; None if nothing is measured, with the reason.

    DeviceError where a GPU is there or asked for, and cannot be used. UsageError for options that exclude one another.
    """
    without = "--arch" if arch else "--sms" if sms else "--device none" if kind == "none" else ""
    if without:
        if kind == "cuda":
            raise UsageError(f"--device cuda asks for a GPU, and {without} for none", "leave one of them out")
        return None, RANKED_ONLY
    try:
        _require_gpu()
    except DeviceError as error:
        if kind == "cuda":
            raise
        return None, f"No GPU ({error.message}). {RANKED_ONLY}"
    with closing(executor.GpuExecutor(OPENER, gpu, MeasureRules().timeout)) as opened:
        device = opened.device
    return device, f"{device.name}, driver {device.driver}, CUDA {device.cuda}."


def _require_gpu() -> None:
    if not gpus.find():
        raise DeviceError("the driver lists no GPU", "leave out --device cuda to rank by the limit model")
