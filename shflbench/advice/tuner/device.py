"""The GPU that a tuning run measures on, or none."""

from __future__ import annotations

from contextlib import closing

from shflbench.core.model import Device, MeasureRules
from shflbench.cuda.backends import gpus
from shflbench.errors import DeviceError, UsageError
from shflbench.measure import executor, process

RANKED_ONLY = "Candidates are ranked by the limit model; nothing is measured."


def device_of(kind: str, gpu: int | None, *, arch: str | None, sms: int | None) -> tuple[Device | None, str]:
    """Return the GPU to measure on, with a sentence; None if nothing is measured, with the reason.

    `gpu` is the index that the user named, None for the first one. DeviceError where a GPU is there or asked for, and
    cannot be used. UsageError for options that exclude one another.
    """
    without = "--arch" if arch else "--sms" if sms else "--device none" if kind == "none" else ""
    needs = "--gpu" if gpu is not None else "--device cuda" if kind == "cuda" else ""
    if without:
        if needs:
            raise UsageError(f"{needs} asks for a GPU, and {without} for none", "leave one of them out")
        return None, RANKED_ONLY
    try:
        _require_gpu(needs)
    except DeviceError as error:
        if needs:
            raise
        return None, f"No GPU ({error.message}). {RANKED_ONLY}"
    with closing(executor.GpuExecutor(process.GPU_OPENER, gpu or 0, MeasureRules().timeout)) as opened:
        device = opened.device
    return device, f"{device.name}, driver {device.driver}, CUDA {device.cuda}."


def _require_gpu(needs: str) -> None:
    if not gpus.find():
        raise DeviceError("the driver lists no GPU", f"leave out {needs} to rank by the limit model")
