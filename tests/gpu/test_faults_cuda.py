"""Faults and caches that only a real GPU has."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from shflbench.cuda.backends.base import Buffer
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.errors import LaunchError
from tests.gpu.faults import call_of

pytestmark = pytest.mark.gpu

REPOSITORY = Path(__file__).parents[2]
WORDS = {
    "illegal": "illegal: illegal memory access",
    "misaligned": "misaligned: misaligned memory access",
    "trap": "trap: the kernel ",  # "executed an illegal instruction or a trap" or "crashed": drivers differ
}
# One word every 4 KiB and a bit, so that no two steps are in one cache line; 2 MiB together fit every L2 cache.
STEPS, STRIDE = 512, 1056


def crash(name: str, how: str) -> dict[str, Any]:
    """Let a kernel crash in a process of its own, and return what that says."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.faults", name, how],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("how", ["run", "burst"])
@pytest.mark.parametrize("name", list(WORDS))
def test_crash_is_said_in_plain_words_and_makes_the_device_unusable(name: str, how: str) -> None:
    answer = crash(name, how)
    assert answer["before"] is True
    assert answer["crash"].startswith(WORDS[name])
    assert "(CUDA_ERROR_" in answer["crash"] or "(cudaError" in answer["crash"]
    assert answer["after"] is False
    assert answer["reopened"]  # no more than a LaunchError


def still_works(backend: CudaBackend) -> bool:
    """Whether the device is said to be usable, and is."""
    values = np.arange(32, dtype=np.uint32)
    (result,) = backend.open(call_of(backend, "chase")).run([values], 0)
    return backend.usable() and not result.any()


def test_block_that_is_too_large_is_refused_and_the_device_stays_usable(backend: CudaBackend) -> None:
    kernel = backend.open(call_of(backend, "nothing", block=2048))
    for attempt in (lambda: kernel.run([np.zeros(32, np.uint32)], 1), lambda: kernel.burst(1, 3)):
        with pytest.raises(LaunchError, match="nothing: the device refuses this grid, block or amount of shared"):
            attempt()
    assert still_works(backend)


def test_shared_memory_that_there_is_not_is_refused_and_the_device_stays_usable(backend: CudaBackend) -> None:
    with pytest.raises(LaunchError, match="nothing: the device refuses this grid, block or amount of shared"):
        backend.open(call_of(backend, "nothing", shared_bytes=backend.device.max_shared_bytes + 1024))
    assert still_works(backend)


def test_buffers_that_no_gpu_holds_are_refused_by_their_size(backend: CudaBackend) -> None:
    terabyte = Buffer("values", 1 << 38, "uint32", read=True)
    call = call_of(backend, "nothing")
    with pytest.raises(
        LaunchError, match=r"nothing: out of device memory: its buffers take 1024.00 GiB, and [0-9.]+ GiB"
    ):
        backend.open(replace(call, buffers=(terabyte, *call.buffers[1:])))
    assert still_works(backend)


def test_memory_that_is_gone_when_it_is_allocated_is_an_error_of_the_kernel(
    backend: CudaBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = backend.free_bytes()
    whole = Buffer("values", backend.device.memory_bytes // 4, "uint32", read=True)
    call = call_of(backend, "nothing")
    with monkeypatch.context() as patched:
        patched.setattr(backend, "free_bytes", lambda: 1 << 60)
        with pytest.raises(LaunchError, match="nothing: out of device memory"):
            backend.open(replace(call, buffers=(whole, *call.buffers[1:])))
    assert still_works(backend)
    assert backend.free_bytes() == pytest.approx(free, rel=0.01)


def time_us(backend: CudaBackend, name: str, values: np.ndarray[Any, Any], iterations: int, grid: int) -> list[float]:
    """Return the median times of a kernel, warm and cold."""
    times = []
    for cold in (False, True):
        call = replace(call_of(backend, name, values.size, grid, 1024 if grid > 1 else 32), cold=cold)
        kernel = backend.open(call)
        kernel.run([values], iterations)
        bursts = [kernel.burst(iterations, 9) for _ in range(5)]
        times.append(median(time for burst in bursts for time in burst.times_us))
        kernel.close()
    return times


def test_data_that_fit_the_l2_cache_are_read_from_memory_by_a_cold_launch(backend: CudaBackend) -> None:
    places = np.arange(STEPS * STRIDE, dtype=np.uint32)
    warm, cold = time_us(backend, "chase", (places + STRIDE) % places.size, STEPS, grid=1)
    assert cold > 1.4 * warm, (warm, cold)


def test_data_that_do_not_fit_the_l2_cache_are_no_slower_in_a_cold_launch(backend: CudaBackend) -> None:
    values = np.ones(16 * (backend.device.state.l2_bytes or 0) // 4, np.uint32)
    warm, cold = time_us(backend, "stream", values, 1, grid=2 * backend.device.sms)
    assert cold == pytest.approx(warm, rel=0.1)


def test_emptying_the_cache_is_not_timed(backend: CudaBackend) -> None:
    warm, cold = time_us(backend, "nothing", np.zeros(32, np.uint32), 1, grid=1)
    assert abs(cold - warm) < 5, (warm, cold)


def test_launches_back_to_back_take_less_time_each_than_one_by_itself(backend: CudaBackend) -> None:
    kernel = backend.open(call_of(backend, "nothing"))
    one, eight = (median(kernel.burst(1, 9, launches).times_us) for launches in (1, 8))
    assert 0 < eight < 0.8 * one
