from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.backends.emulator.machine.launch import execute
from shflbench.measure.verify import difference
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.trial import Tried


@pytest.mark.parametrize("built_in", kernels.run_by_tests())
def test_every_kernel_is_right_in_lock_step(built_in: str, tried: Mapping[str, Tried]) -> None:
    assert tried[built_in].wrong == ""


@pytest.mark.parametrize(
    "name", ["neighbor/smem/f32/mode=idx", "neighbor/shfl/f64/mode=idx", "reduce/cub/f64/width=32"]
)
@pytest.mark.parametrize("block", [32, 96, 1024])
def test_the_shape_of_the_launch_does_not_matter(name: str, block: int) -> None:
    launch, workload = kernels.launch(name, kernels.kernel(name), 5, f"3x{block}")
    assert difference(workload, execute(launch), 0, 5) == ""


def test_no_iterations_leave_the_values_as_they_are() -> None:
    name = "neighbor/shfl/f32/mode=idx"
    launch, workload = kernels.launch(name, kernels.kernel(name), 0)
    assert execute(launch)[0].tobytes() == workload.inputs(0)[0].tobytes()
