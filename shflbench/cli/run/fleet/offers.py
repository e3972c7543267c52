"""What a Dask worker offers: the GPUs of its machine. Called on workers, by its name."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.cli import gpus
from shflbench.cli.run import request as run_request
from shflbench.errors import DeviceError
from shflbench.fleet import device_process
from shflbench.fleet.messages import OfferedDevice
from shflbench.measure.supervisor import WorkerDevice

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.fleet.messages import WorkerReport

VISIBLE = "CUDA_VISIBLE_DEVICES"


def describe_worker(timeout: float) -> WorkerReport:
    """Describe this worker with the GPUs that it can open, none if it has no driver; `timeout` is the suite's."""
    offers = tuple(
        OfferedDevice(WorkerDevice(run_request.OPENER, str(index), timeout=timeout), uuid) for index, uuid in _visible()
    )
    return replace(device_process.describe_worker(), offers=offers)


def describer(timeout: float) -> Callable[[], WorkerReport]:
    """Return `describe_worker` for a suite with this timeout."""
    return partial(describe_worker, timeout)


def _visible() -> list[tuple[int, str]]:
    """Return the CUDA indexes of the GPUs that this process may use, with the UUID where it is known.

    Where a batch system chose GPUs by CUDA_VISIBLE_DEVICES, CUDA numbers those from 0.
    """
    visible = os.environ.get(VISIBLE)
    if visible is not None:
        names = [name.strip() for name in visible.split(",")]
        if "-1" in names:  # CUDA ignores what follows an index that is not valid
            names = names[: names.index("-1")]
        return [(index, "") for index, name in enumerate(filter(None, names))]
    try:
        return [(gpu.index, gpu.uuid) for gpu in gpus.find()]
    except DeviceError:
        return []
