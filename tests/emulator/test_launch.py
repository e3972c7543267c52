"""The arguments of a kernel: buffers, scalars and iterations in its own order, and the content of outputs before."""

from functools import cache

import numpy as np
import pytest

from shflbench.cuda.backends.base import POISON, Buffer, KernelCall
from shflbench.cuda.backends.emulator import EmulatedKernel, EmulatorBackend
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.emulator.explore import explore
from shflbench.emulator.races.hazards import HazardKind
from tests import cases, kernels

TEXT = """\
extern "C" __global__ void own(int iterations, double scale, float* sums, short step, int* count, long long last,
                               const float* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(count, int(step));
    if (i < last) sums[i] += float(scale) * values[i] * iterations;
}
extern "C" __global__ void reads(const float* values, float* result) { result[threadIdx.x] += values[threadIdx.x]; }
"""
ARGUMENTS = ("iterations", np.float64(0.5), "sums", np.int16(-3), "count", np.int64(40), "values")
VALUES = np.arange(64, dtype=np.float32)


@cache
def ptx() -> str:
    return compile_kernel(Source("own.cu", TEXT, {}, "own"), "sm_90", kernels.tools()).ptx


def opened(initial: int | None = 7) -> EmulatedKernel:
    buffers = (
        Buffer("values", 64, "float32", read=True),
        Buffer("count", 1, "int32", read=True, written=True),
        Buffer("sums", 64, "float32", written=True, initial=initial),
    )
    return EmulatorBackend("sm_90").open(KernelCall(cases.kernel("own", ptx()), 2, 32, 0, buffers, ARGUMENTS))


def test_kernel_gets_its_arguments_in_order_and_outputs_are_returned_as_declared() -> None:
    count, sums = opened().run([VALUES, np.array([1000], np.int32)], 4)
    assert count.tolist() == [1000 - 3 * 64]
    assert sums.tolist() == [7 + 2 * value if value < 40 else 7 for value in range(64)]
    assert [count.dtype.name, sums.dtype.name] == ["int32", "float32"]


def test_buffers_that_are_read_and_written_are_filled_before_each_launch() -> None:
    kernel, start = opened(), np.array([5], np.int32)
    for _ in range(2):
        count, _ = kernel.run([VALUES, start], 1)
        assert count.tolist() == [5 - 3 * 64]
    assert start.tolist() == [5]


def test_output_without_an_initial_value_holds_poison() -> None:
    _, sums = opened(initial=None).run([VALUES, np.zeros(1, np.int32)], 1)
    assert set(sums[40:].view(np.uint8).tolist()) == {POISON}


@pytest.mark.parametrize(("initial", "kinds"), [(None, {HazardKind.UNINITIALIZED}), (0, set())])
def test_reading_an_output_is_a_finding_unless_it_was_filled(initial: int | None, kinds: set[HazardKind]) -> None:
    buffers = (
        Buffer("values", 32, "float32", read=True),
        Buffer("result", 32, "float32", written=True, initial=initial),
    )
    call = KernelCall(cases.kernel("reads", ptx()), 1, 32, 0, buffers, ("values", "result"))
    launch = EmulatorBackend("sm_90").open(call).launch([VALUES[:32]], 1)
    assert {finding.kind for finding in explore(launch).hazards} == kinds
