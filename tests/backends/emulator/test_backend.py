from __future__ import annotations

import numpy as np
import pytest

from shflbench.backends.base import Backend, KernelCall
from shflbench.backends.emulator.backend import EmulatorBackend
from shflbench.errors import DeviceError, EmulatorError, LaunchError
from shflbench.measure.verify import verify
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.model import DTYPES, Conditions, Kernel, Resources
from tests.backends.emulator.compiled import Compiled, compiled_patterns, ptx

GRID, BLOCK = 2, 128


def kernel_of(item: Compiled, text: str = "") -> Kernel:
    text = text or ptx(item.name)
    symbol = text.split(".entry ", 1)[1].split("(", 1)[0]
    return Kernel(symbol, item.arch, text, b"", Resources(32, 0, 0, 0), None, None, ())


def call_of(item: Compiled, kernel: Kernel, block: int = BLOCK) -> KernelCall:
    dtype = DTYPES[item.dtype]
    shared = item.variant.shared(block, dtype)
    return KernelCall(kernel, GRID, block, shared, (GRID * block,), (GRID * block,), dtype.numpy)


def named(name: str) -> Compiled:
    return next(item for item in compiled_patterns() if item.name == f"sm_90/{name}")


@pytest.mark.parametrize("name", ["neighbor-smem-f32", "neighbor-shfl-i64", "reduce-cg-f64", "reduce-smem-unsafe-i32"])
def test_it_proves_kernels_through_the_protocol_of_all_backends(name: str) -> None:
    item = named(name)
    backend: Backend = EmulatorBackend("sm_90")
    opened = backend.open(call_of(item, kernel_of(item)))
    workload = Workload(item.pattern, DTYPES[item.dtype], GRID * BLOCK, (), seed=3)
    proof = verify(opened, workload, f"{GRID}x{BLOCK}")
    opened.close()
    assert proof.inputs == INPUT_SETS
    assert proof.complete == item.variant.safe  # each launch runs under the next schedule, and some show the race


def test_a_kernel_that_loses_its_exchange_is_not_proved() -> None:
    item = named("neighbor-shfl-f32")
    broken = ptx(item.name).replace("shfl.sync.idx", "shfl.sync.up", 1)
    opened = EmulatorBackend("sm_90").open(call_of(item, kernel_of(item, broken)))
    workload = Workload(item.pattern, DTYPES[item.dtype], GRID * BLOCK, (), seed=3)
    assert verify(opened, workload, "").matched == 0


def test_nothing_is_timed() -> None:
    item = named("neighbor-shfl-f32")
    backend = EmulatorBackend("sm_90")
    assert not backend.timed
    with pytest.raises(LaunchError, match="cannot time 4 launches"):
        backend.open(call_of(item, kernel_of(item))).burst(16, 4)
    assert backend.conditions() == Conditions()
    backend.keep_busy(1.0)


def test_the_device_is_named_as_emulated() -> None:
    device = EmulatorBackend("sm_90").device
    assert (device.name, device.arch, device.clock_mhz) == ("emulated sm_90", "sm_90", 0)
    assert device.max_shared_bytes == 227 * 1024


def test_an_unknown_architecture_lists_the_known_ones() -> None:
    with pytest.raises(DeviceError) as caught:
        EmulatorBackend("sm_42")
    assert "sm_90" in caught.value.advice


def test_what_does_not_fit_the_device_is_refused() -> None:
    item = named("neighbor-smem-f32")
    call = KernelCall(kernel_of(item), 1, 1024, 300_000, (1024,), (1024,), "float32")
    with pytest.raises(LaunchError, match="1x1024 with 300000 bytes of shared memory does not fit sm_90"):
        EmulatorBackend("sm_90").open(call)


def test_an_unknown_instruction_fails_at_load_with_its_source_line() -> None:
    item = named("neighbor-shfl-f32")
    odd = ptx(item.name).replace("shfl.sync.idx.b32", "shfl.sync.sideways.b32")
    with pytest.raises(EmulatorError, match=r"`shfl.sync.sideways.b32 .*` \(neighbor/kernels.cu:\d+\)"):
        EmulatorBackend("sm_90").open(call_of(item, kernel_of(item, odd)))


def test_another_number_of_buffers_is_one_sentence() -> None:
    item = named("neighbor-shfl-f32")
    call = KernelCall(kernel_of(item), 1, 32, 0, (32, 32), (32,), "float32")
    opened = EmulatorBackend("sm_90").open(call)
    with pytest.raises(EmulatorError, match="takes 3 arguments, not 4"):
        opened.run([np.zeros(32, np.float32)] * 2, 1)
