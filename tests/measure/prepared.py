"""Kernels on a scripted device, ready to be verified and sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.backends.base import KernelCall
from shflbench.measure.sampler import Subject
from shflbench.measure.workload import Workload
from shflbench.model import Case, Kernel, Launch, Resources
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from tests.fakes.backend import FakeBackend, FakeKernel

NEIGHBOR = load(builtin()["neighbor"])
LAUNCH = Launch("2x64", 64, 2)
THREADS = 128


def case(variant: str = "shfl", dtype: str = "f32", iterations: int = 4096) -> Case:
    return Case("neighbor", variant, dtype, LAUNCH, iterations)


def workload(dtype: str = "f32", seed: int = 1) -> Workload:
    return Workload.of(NEIGHBOR, case(dtype=dtype), THREADS, seed)


def opened(device: FakeBackend, variant: str = "shfl", dtype: str = "f32") -> FakeKernel:
    """Return a kernel of `neighbor` as if it had been compiled."""
    name = f"neighbor_{variant}".replace("-", "_")
    kernel = Kernel(f"_Z{len(name)}{name}IfEvPKT_PS0_i", "sm_90", "", b"", Resources(16, 0, 0, 0), None, None, ())
    numpy = workload(dtype).dtype.numpy
    return device.open(KernelCall(kernel, 2, 64, 0, (THREADS,), (THREADS,), numpy))


def subject(device: FakeBackend, variant: str = "shfl", iterations: int = 4096) -> Subject:
    return Subject.of(case(variant, iterations=iterations), opened(device, variant), NEIGHBOR.declaration.unroll)
