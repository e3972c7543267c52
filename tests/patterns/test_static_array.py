import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

STATIC = load(builtin()["static-array"])
DTYPES = STATIC.declaration.dtypes
LENGTHS = STATIC.declaration.options["length"]
THREADS = 128


def workload(dtype: str, length: str) -> Workload:
    return cases.workload(STATIC, dtype, options={"length": length})


def arrays(data: Workload, length: str) -> list[list[float]]:
    """Return each thread's array: in the block of its warp, elements i of all lanes lie side by side."""
    flat, block = data.inputs(0)[0].tolist(), 32 * int(length)
    return [flat[thread // 32 * block :][thread % 32 : block : 32] for thread in range(THREADS)]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("iterations", [0, 1, 15])
def test_reference_agrees_with_sums_in_a_loop_over_the_threads(dtype: str, iterations: int, length: str) -> None:
    data = workload(dtype, length)
    sums = [0.0] * THREADS
    for _ in range(iterations):
        for thread, own in enumerate(arrays(data, length)):
            for element in own:
                sums[thread] += element
    assert data.expected(0, iterations)[0].tolist() == sums


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_element_left_out_in_an_iteration_is_visible_at_the_end(dtype: str, length: str) -> None:
    data = workload(dtype, length)
    for iterations in data.verify_iterations:
        (right,) = data.expected(0, iterations)
        for element in set(arrays(data, length)[-1]):  # a sum does not know when its terms were added
            wrong = right.copy()
            wrong[-1] -= element
            assert mismatch([wrong], [right], 0.0).endswith(f"(1 of {THREADS} are wrong)")


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_exact_for_as_many_iterations_as_suites_run(dtype: str) -> None:
    data = workload(dtype, "64")
    assert data.expected(0, 4096)[0].tolist() == [4096 * sum(own) for own in arrays(data, "64")]
    assert data.inputs(0)[0].max() == 64  # so that the largest sum there can be is 64·64·4096 = 2^24
