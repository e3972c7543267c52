"""Kernels in several contexts of one process, on a GPU that refuses what belongs to another context."""

import gc
import sys

import numpy as np
import pytest

from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.errors import LaunchError
from tests.cuda.backends.test_cuda_kernel import CALL, COLD, backend_on
from tests.fakes.cupy import ILLEGAL_ADDRESS, FakeGpu, OutOfMemoryError, fake_bindings

VALUES = np.arange(64, dtype=np.float32).reshape(2, 32)


def backend_with(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, version: str = "13.5.0") -> CudaBackend:
    monkeypatch.setitem(sys.modules, "cuda.bindings", fake_bindings(gpu, version))
    return backend_on(gpu)


@pytest.mark.parametrize("version", ["12.9.4", "13.5.0"])
def test_each_place_is_a_context_with_its_own_buffers_and_events(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu({"work": 3.0})
    backend = backend_with(gpu, monkeypatch, version)
    kernels = [backend.open(CALL, place) for place in range(3)]
    for kernel in (*kernels, *reversed(kernels)):
        kernel.run([VALUES], 5)
        assert kernel.burst(100, samples=2).times_us == pytest.approx((3.0, 3.0))
        assert gpu.contexts == [0]
    assert gpu.created == 3
    used = {arguments[0].context for arguments in gpu.arguments}
    assert used == {0, 2, 3}


def test_kernels_at_the_same_place_share_its_context(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    backend = backend_with(gpu, monkeypatch)
    for call in (CALL, COLD, CALL):
        backend.open(call, 1).burst(100, samples=2)
    assert gpu.created == 2


def test_code_is_unloaded_in_the_context_that_loaded_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    backend = backend_with(gpu, monkeypatch)
    kernel = backend.open(CALL, 1)
    kernel.close()
    kernel.close()  # has no effect
    gc.collect()
    assert gpu.unloaded == ["work"]


def test_context_that_the_driver_refuses_is_an_error_of_the_kernel_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpu = FakeGpu(most_contexts=2)
    backend = backend_with(gpu, monkeypatch)
    backend.open(CALL, 1)
    for _ in range(2):
        with pytest.raises(LaunchError, match="the driver refuses a further CUDA context"):
            backend.open(CALL, 2)
    assert gpu.refused == 1
    for problem in ("", "NVML stopped answering", ""):
        monkeypatch.setattr(backend.monitor, "problem", problem)
        backend.conditions()
        refusal = "the driver refuses a further CUDA context (CUDA_ERROR_OUT_OF_MEMORY), so kernels are measured in one"
        assert backend.problem == (problem or refusal)
    assert backend.usable()
    backend.open(CALL, 1).burst(100, samples=2)


def test_harness_that_does_not_fit_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    backend = backend_with(gpu, monkeypatch)

    def refuse(*_: object) -> None:
        raise OutOfMemoryError("Out of memory allocating 512 bytes (allocated so far: 0 bytes).")

    monkeypatch.setattr(gpu, "zeros", refuse)
    for _ in range(2):
        with pytest.raises(LaunchError, match="a further CUDA context: out of device memory"):
            backend.open(CALL, 1)
    assert gpu.created == 2
    assert gpu.contexts == [0]


def test_device_is_usable_until_one_of_its_contexts_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    backend = backend_with(gpu, monkeypatch)
    kernel = backend.open(CALL, 1)
    assert backend.usable()
    gpu.dead = ILLEGAL_ADDRESS
    assert not backend.usable()
    with pytest.raises(LaunchError):
        kernel.burst(100, samples=2)
