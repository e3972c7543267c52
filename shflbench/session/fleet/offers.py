"""Offer the GPUs of the machine of a Dask worker. Called on workers, by its name."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.cuda.backends import gpus
from shflbench.cuda.backends.visible import visible_gpus
from shflbench.errors import DeviceError
from shflbench.measure import process
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet import device_process
from shflbench.session.fleet.messages import OfferedDevice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.cuda.backends.visible import VisibleGpu
    from shflbench.session.fleet.messages import WorkerReport


def describe_worker(timeout: float) -> WorkerReport:
    """Describe this worker with the GPUs that it can open, none if it has no driver; `timeout` is the suite's."""
    visible, problem = _visible()
    offers = tuple(
        OfferedDevice(WorkerDevice(process.GPU_OPENER, str(gpu.index), timeout=timeout), gpu.uuid) for gpu in visible
    )
    return replace(device_process.describe_worker(), offers=offers, problem=problem)


def describer(timeout: float) -> Callable[[], WorkerReport]:
    """Return `describe_worker` for a suite with this timeout."""
    return partial(describe_worker, timeout)


def _visible() -> tuple[Sequence[VisibleGpu], str]:
    """Return the GPUs that this process may use, or why there are none.

    A batch system may have chosen them by CUDA_VISIBLE_DEVICES.
    """
    try:
        visible = visible_gpus(gpus.find(), os.environ)
    except DeviceError as error:
        return [], error.message
    return visible.gpus, visible.remark
