"""The parent's side of a worker process: the environment that it starts the worker in."""

import resource

import numpy as np
import pytest

from shflbench.cuda.backends.base import Backend
from shflbench.errors import DeviceError
from shflbench.measure.events import OpenFailed
from shflbench.measure.process import Worker

BYTES = 64 << 20


def open_and_count_faults(_: str) -> Backend:
    """Fail with the number of page faults of a large array, for which the memory of a freed one is there."""
    np.ones(BYTES, np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(BYTES, np.uint8)
    raise DeviceError(f"{resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before}")


def test_worker_keeps_the_memory_of_freed_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")  # as in a worker of Dask
    worker = Worker(f"{__name__}:{open_and_count_faults.__name__}", "0")
    try:
        event = worker.receive(60)
    finally:
        worker.close()
    assert isinstance(event, OpenFailed)
    assert int(event.message) < BYTES >> 22  # with huge pages of 2 MB, new memory takes twice as many
