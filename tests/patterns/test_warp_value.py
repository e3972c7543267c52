import numpy as np
import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

VALUE = load(builtin()["warp-value"])
WORKS = VALUE.declaration.options["work"]
MASK = 2**32 - 1


def workload(work: str = "8") -> Workload:
    return cases.workload(VALUE, "i32", options={"work": work})


def result(data: Workload, iterations: int, values: Array, numbers: Array) -> Array:
    (array,) = data.pattern.reference((values, numbers), data.setting, iterations)
    return array.copy()


@pytest.mark.parametrize("work", WORKS)
def test_reference_is_the_recurrence_lane_by_lane(work: str) -> None:
    data = workload(work)
    values, numbers = data.inputs(0)
    expected = [[int(x) for x in lanes] for lanes in values]
    for iteration in range(35):
        for lanes, number in zip(expected, numbers.tolist(), strict=True):
            value = number + iteration & MASK
            for _ in range(int(work)):
                value = (value ^ value >> 15) * 0x2C1B3C6D & MASK
            lanes[:] = [5 * x + value & MASK for x in lanes]
    assert (result(data, 35, values, numbers).view(np.uint32)).tolist() == expected


def test_verification_reaches_values_that_lanes_calculate_after_the_first_32() -> None:
    """`shfl-ahead` and `smem-ahead` calculate 32 values at once, and write the slots of shared memory again."""
    assert max(workload().verify_iterations) > 32


@pytest.mark.parametrize("work", WORKS)
def test_warps_and_iterations_have_different_values(work: str) -> None:
    """So a lane that gets the value of another iteration or warp has another result."""
    data = workload(work)
    values, numbers = data.inputs(0)
    zeros = np.zeros_like(values)
    later = [numbers.astype(np.int64) + i for i in range(64)]
    drawn = [int(x) for some in later for x in result(data, 1, zeros, some.astype(np.int32))[:, 0]]
    assert len(set(drawn)) == 64 * numbers.size


@pytest.mark.parametrize("iterations", [1, 20, 51])
def test_lane_with_a_different_value_never_agrees_with_the_result_again(iterations: int) -> None:
    data = workload()
    values, numbers = data.inputs(0)
    wrong = values.copy()
    wrong[-1, 5] ^= -(1 << 31)  # the highest bit, which the factor 5 moves out of reach of all others
    differs = result(data, iterations, values, numbers) != result(data, iterations, wrong, numbers)
    assert np.argwhere(differs).tolist() == [[values.shape[0] - 1, 5]]
