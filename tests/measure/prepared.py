"""Kernels on a scripted device, ready to be verified and sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure.sampler import Subject
from shflbench.measure.workload import call_of
from shflbench.patterns.discover import builtin, load
from tests import cases

if TYPE_CHECKING:
    from shflbench.measure.workload import Workload
    from tests.fakes.backend import FakeBackend, FakeKernel

NEIGHBOR = load(builtin()["neighbor"])
BLOCKS = 2


def workload(dtype: str = "f32", seed: int = 1) -> Workload:
    return cases.workload(NEIGHBOR, dtype, seed=seed)


def opened(device: FakeBackend, variant: str = "shfl", dtype: str = "f32") -> FakeKernel:
    """Return a kernel of `neighbor` as if it had been compiled."""
    name = f"neighbor_{variant}".replace("-", "_")
    case = cases.case(variant=variant, dtype=dtype)
    symbol = f"_Z{len(name)}{name}IfEvPKT_PS0_i"
    return device.open(call_of(NEIGHBOR, case, cases.kernel(symbol), workload(dtype).setting))


def subject(device: FakeBackend, variant: str = "shfl", iterations: int = 4096) -> Subject:
    case = cases.case(variant=variant, iterations=iterations)
    return Subject.of(case, opened(device, variant), NEIGHBOR.declaration.unroll)
