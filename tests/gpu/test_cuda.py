"""The CUDA backend on a real GPU."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from shflbench.core.model import Kernel
from shflbench.cuda.backends.base import POISON, Buffer, KernelCall, OpenKernel
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.cuda_harness import TRIES, Delay
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import LaunchError
from shflbench.measure.placements import CONTEXT_BYTES
from shflbench.patterns.discover import builtin, load
from tests.cases import case

pytestmark = pytest.mark.gpu

VALUES = np.arange(64, dtype=np.float32).reshape(2, 32)


@pytest.fixture
def kernel(backend: CudaBackend, toolchain: Toolchain, kernel_cache: Path) -> Kernel:
    return Builder(toolchain, backend.device.arch, kernel_cache).build(
        load(builtin()["neighbor"]), case(options={"mode": "idx"})
    )


@pytest.fixture
def opened(backend: CudaBackend, kernel: Kernel) -> Callable[..., OpenKernel]:
    buffers = (Buffer("values", 64, "float32", read=True), Buffer("result", 64, "float32", written=True))
    arguments = ("values", "result", "iterations")
    return lambda block=64, place=0: backend.open(KernelCall(kernel, 1, block, 0, buffers, arguments), place)


@pytest.mark.parametrize("iterations", [0, 1, 17, 4097])
def test_kernel_computes_the_given_iterations(opened: Callable[..., OpenKernel], iterations: int) -> None:
    (result,) = opened().run([VALUES], iterations)
    assert result.tolist() == np.roll(VALUES, -iterations, axis=1).reshape(-1).tolist()


def test_output_that_no_thread_writes_keeps_the_poison(opened: Callable[..., OpenKernel]) -> None:
    kernel = opened(block=32)  # for buffers of 64
    for _ in range(2):
        (result,) = kernel.run([VALUES], 1)
        assert result[:32].tolist() == np.roll(VALUES[0], -1).tolist()
        assert set(result[32:].view(np.uint8).tolist()) == {POISON}


def test_launch_that_the_device_refuses_is_an_error_that_leaves_it_usable(opened: Callable[..., OpenKernel]) -> None:
    with pytest.raises(LaunchError, match="neighbor_shfl"):
        opened(block=2048).run([VALUES], 1)
    (result,) = opened().run([VALUES], 1)
    assert result[0] == 1.0


def test_kernels_in_several_contexts_run_in_turn(backend: CudaBackend, opened: Callable[..., OpenKernel]) -> None:
    before = backend.free_bytes()
    kernels = [opened(place=place) for place in range(3)]
    taken = (before - backend.free_bytes()) / 2
    assert taken <= CONTEXT_BYTES, f"a context takes {taken / 2**20:.0f} MiB"
    for kernel in (*kernels, *reversed(kernels)):
        (result,) = kernel.run([VALUES], 17)
        assert result.tolist() == np.roll(VALUES, -17, axis=1).reshape(-1).tolist()
        burst = kernel.burst(4096, 9, launches=2)
        assert not burst.host_bound
        assert burst.sm_clock_mhz
        assert max(burst.times_us) < 2 * min(burst.times_us)
    for kernel in kernels:
        kernel.close()
    assert backend.usable()


def test_longer_loops_take_longer(opened: Callable[..., OpenKernel]) -> None:
    kernel = opened()
    short, long = (np.median(kernel.burst(iterations, 9).times_us) for iterations in (1024, 16384))
    assert 4 < long / short < 20


def test_clock_on_the_device_agrees_with_nvml(backend: CudaBackend, opened: Callable[..., OpenKernel]) -> None:
    busy = backend.keep_busy(50)
    said = backend.conditions().sm_clock_mhz
    if said is None:
        pytest.skip("NVML does not tell the clock of this GPU")
    assert busy == pytest.approx(said, rel=0.02)
    during_a_burst = opened().burst(65536, 5).sm_clock_mhz
    assert during_a_burst == pytest.approx(said, rel=0.02)


def test_resident_blocks_are_the_driver_s(backend: CudaBackend, kernel: Kernel) -> None:
    assert 0 < backend.resident_blocks(kernel, 1024, 0) <= backend.device.threads_per_sm // 1024
    assert backend.resident_blocks(kernel, 64, backend.device.max_shared_bytes) == 1
    assert backend.resident_blocks(kernel, 64, backend.device.max_shared_bytes + 1) == 0


@pytest.fixture
def host_bound(backend: CudaBackend, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note of each try at a burst whether the GPU was faster than the host."""
    noted: list[bool] = []

    class Watched(Delay):
        def learn(self, *, host_bound: bool) -> None:
            noted.append(host_bound)
            super().learn(host_bound=host_bound)

    monkeypatch.setattr(backend.harness, "delay", Watched())
    return noted


def test_burst_that_the_gpu_overtakes_each_time_says_that_it_is_late(
    backend: CudaBackend, opened: Callable[..., OpenKernel], host_bound: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend.harness, "block_stream", lambda *_: None)
    burst = opened().burst(0, 10)
    assert host_bound == [True] * TRIES
    assert burst.host_bound
    assert len(burst.times_us) == 10


@pytest.mark.parametrize("launches", [1, 8])
def test_delay_lets_the_host_queue_a_whole_burst(
    opened: Callable[..., OpenKernel], host_bound: list[bool], launches: int
) -> None:
    kernel = opened()
    kernel.burst(0, 10)
    host_bound.clear()
    bursts = [kernel.burst(0, 10, launches) for _ in range(10)]
    assert not any(burst.host_bound for burst in bursts)
    assert all(min(burst.times_us) > 0 for burst in bursts)
    assert host_bound.count(True) <= 5  # a busy host may be late now and then
