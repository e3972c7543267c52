"""Facts from the driver about a real GPU and its users."""

import os
import re

import pytest

from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.nvml import Monitor

pytestmark = pytest.mark.gpu


@pytest.fixture
def monitor(backend: CudaBackend) -> Monitor:
    monitor = Monitor(backend.device.uuid)
    assert monitor.problem == ""
    return monitor


def test_state_has_what_every_driver_says(backend: CudaBackend, monitor: Monitor) -> None:
    state = monitor.state()
    assert re.fullmatch(r"[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.0", state.pci_bus or "")
    assert state.compute_mode in {"default", "exclusive-process"}
    assert state.persistence is not None
    assert 0 < (state.memory_used_bytes or 0) <= backend.device.memory_bytes * 1.1


def test_this_process_is_distinguished_from_others(monitor: Monitor) -> None:
    all_of_them, others = monitor.other_processes(), monitor.other_processes({os.getpid()})
    if all_of_them is None or others is None:
        pytest.skip("this container is not shown who uses the GPU")
    assert all_of_them == others + 1
