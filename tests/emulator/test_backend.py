from dataclasses import replace

import numpy as np
import pytest

from shflbench.core.model import Conditions, Kernel
from shflbench.cuda.backends.base import Backend, Buffer, KernelCall
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.errors import DeviceError, EmulatorError, LaunchError
from shflbench.measure.verify import verify
from shflbench.measure.workload import INPUT_SETS
from tests import kernels

GRID, BLOCK = 2, 128


SHFL = "neighbor/shfl/f32/mode=idx"


def changed(name: str, old: str, new: str) -> Kernel:
    """Return a kernel in whose PTX the first `old` has become `new`."""
    kernel = kernels.kernel(name)
    assert old in kernel.ptx
    return replace(kernel, ptx=kernel.ptx.replace(old, new, 1))


def call(kernel: Kernel, block: int = BLOCK, shared_bytes: int = 0, *more: Buffer) -> KernelCall:
    """Return a launch of SHFL; `more` buffers stand between its own."""
    values, result = Buffer("values", GRID * block, "f4", read=True), Buffer("result", GRID * block, "f4", written=True)
    buffers = (values, *more, result)
    arguments = (*(buffer.name for buffer in buffers), "iterations")
    return KernelCall(kernel, GRID, block, shared_bytes, buffers, arguments)


@pytest.mark.parametrize(
    "name",
    [
        "neighbor/smem/f32/mode=idx",
        "neighbor/shfl/i64/mode=idx",
        "reduce/cg/f64/width=32",
        "reduce/smem-unsafe/i32/width=32",
    ],
)
def test_kernels_are_verified_through_the_protocol_of_all_backends(name: str) -> None:
    opened, workload = kernels.opened(name, kernels.kernel(name))
    proof = verify(opened, workload, "2x128")
    opened.close()
    assert proof.inputs == INPUT_SETS
    # Each launch runs under the next schedule, and some show the race.
    assert proof.complete == kernels.variant_of(name).safe


def test_a_kernel_without_its_exchange_is_not_verified() -> None:
    opened, workload = kernels.opened(SHFL, changed(SHFL, "shfl.sync.idx", "shfl.sync.up"))
    assert verify(opened, workload, "").matched == 0


def test_nothing_is_timed() -> None:
    backend: Backend = EmulatorBackend("sm_90")
    assert not backend.timed
    with pytest.raises(LaunchError, match="cannot time 4 launches"):
        backend.open(call(kernels.kernel(SHFL))).burst(16, 4)
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


def test_a_launch_that_does_not_fit_the_device_is_refused() -> None:
    with pytest.raises(LaunchError, match="2x1024 with 300000 bytes of shared memory does not fit sm_90"):
        EmulatorBackend("sm_90").open(call(kernels.kernel(SHFL), 1024, 300_000))


def test_an_unknown_instruction_fails_at_load_with_its_source_line() -> None:
    odd = changed(SHFL, "shfl.sync.idx.b32", "shfl.sync.sideways.b32")
    with pytest.raises(EmulatorError, match=r"`shfl.sync.sideways.b32 .*` \(neighbor/copy.cu:\d+\)"):
        EmulatorBackend("sm_90").open(call(odd))


def test_another_number_of_buffers_is_one_sentence() -> None:
    more = Buffer("more", GRID * 32, "f4", read=True)
    opened = EmulatorBackend("sm_90").open(call(kernels.kernel(SHFL), 32, 0, more))
    with pytest.raises(EmulatorError, match=r"^neighbor_shfl takes 3 arguments, not 4"):
        opened.run([np.zeros(GRID * 32, np.float32)] * 2, 1)
