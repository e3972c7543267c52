from __future__ import annotations

import pytest

from shflbench.backends.emulator.launch import execute
from shflbench.measure.verify import mismatch
from shflbench.model import DTYPES
from tests.backends.emulator.compiled import Compiled, compiled_patterns

EVERY = [item for arch in ("sm_75", "sm_90") for item in compiled_patterns(arch)]
TRIPS = (1, 3, 7, 33)


@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("trips", TRIPS)
def test_every_kernel_is_right_in_lock_step(kernel: Compiled, trips: int) -> None:
    launch, workload = kernel.launch(trips)
    tolerance = kernel.pattern.tolerance(DTYPES[kernel.dtype], trips)
    assert mismatch(execute(launch).outputs, workload.expected(0, trips), tolerance) == ""


@pytest.mark.parametrize("name", ["sm_90/neighbor-smem-f32", "sm_90/neighbor-shfl-f64", "sm_90/reduce-cub-f64"])
@pytest.mark.parametrize("block", [32, 96, 1024])
def test_the_shape_of_the_launch_does_not_matter(name: str, block: int) -> None:
    kernel = next(item for item in EVERY if item.name == name)
    launch, workload = kernel.launch(5, grid=3, block=block)
    assert mismatch(execute(launch).outputs, workload.expected(0, 5), 0.0) == ""


def test_no_iterations_leave_the_values_as_they_are() -> None:
    launch, workload = EVERY[0].launch(0)
    assert mismatch(execute(launch).outputs, workload.inputs(0), 0.0) == ""
