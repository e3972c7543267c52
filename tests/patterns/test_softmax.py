import numpy as np
import pytest
from numpy.typing import NDArray

from shflbench.cuda.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

SOFTMAX = load(builtin()["softmax"])
DTYPES = SOFTMAX.declaration.dtypes
LENGTHS = [64, 16384]


def workload(dtype: str, length: int) -> Workload:
    return cases.workload(SOFTMAX, dtype, "1x128", options={"length": str(length)})


def rows_of(data: Workload, index: int = 0) -> NDArray[np.float32]:
    return data.inputs(index)[0].reshape(-1, data.setting.whole("length")).astype(np.float32)


def softmax(
    data: Workload, counts: NDArray[np.float32] | None = None, largest: NDArray[np.float32] | None = None
) -> Array:
    """Return the softmax in f32: each element counts so often in the sum, and `largest` is subtracted."""
    x = rows_of(data)
    subtracted = x.max(axis=1, keepdims=True) if largest is None else largest
    weights = np.ones_like(x) if counts is None else counts
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        powers = np.exp(x - subtracted)
        powers /= (powers * weights).sum(axis=1, keepdims=True, dtype="f8").astype("f4")
    result: Array = powers.astype(data.inputs(0)[0].dtype).ravel()
    return result


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_reference_is_the_softmax_of_each_row(dtype: str, length: int) -> None:
    data = workload(dtype, length)
    assert difference(data, [softmax(data)], 0, 1) == ""
    sums = data.expected(0, 1)[0].astype("f8").reshape(-1, length).sum(axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-6 if dtype == "f32" else 4e-3)


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("length", LENGTHS)
def test_element_that_the_sum_misses_or_counts_twice_is_visible_at_any_place(length: int, count: int) -> None:
    data = workload("f32", length)
    for row in (0, 2):
        for place in (0, 1, 31, length // 2, length - 1, int(rows_of(data)[row].argmin())):
            counts = np.ones((len(rows_of(data)), length), "f4")
            counts[row, place] = count
            assert difference(data, [softmax(data, counts)], 0, 1) != "", (row, place)


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("length", LENGTHS)
def test_in_bf16_elements_that_count_are_visible_among_them_the_first_and_the_last(length: int, count: int) -> None:
    data = workload("bf16", length)
    x = rows_of(data)
    (counted,) = np.nonzero(x[0] > x[0].max() - 2)
    assert {0, length - 1} <= set(counted.tolist())
    assert len(counted) >= 23
    for place in counted:
        counts = np.ones(x.shape, "f4")
        counts[0, place] = count
        assert difference(data, [softmax(data, counts)], 0, 1) != "", place


def test_in_bf16_each_place_counts_in_some_row_of_a_launch() -> None:
    data = cases.workload(SOFTMAX, "bf16", "8x128", options={"length": "512"})
    counted = np.zeros(512, bool)
    for index in range(INPUT_SETS):
        rows = rows_of(data, index)[::2]
        counted |= (rows > rows.max(axis=1, keepdims=True) - 2).any(axis=0)
    assert counted.all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_without_the_largest_element_a_result_is_no_number(dtype: str, length: int) -> None:
    data = workload(dtype, length)
    x = rows_of(data)
    assert int(x[1].argmax()) == 0
    assert int(x[3].argmax()) == length - 1
    largest = x.max(axis=1, keepdims=True)
    largest[3] = x[3, :-1].max()  # a lane missed the last element
    assert not np.isfinite(softmax(data, largest=largest).astype("f4").reshape(x.shape)[3]).all()
    assert difference(data, [softmax(data, largest=largest)], 0, 1) != ""
    assert difference(data, [softmax(data, largest=np.zeros_like(largest))], 0, 1) != ""


@pytest.mark.parametrize("length", LENGTHS)
def test_rounding_stays_within_the_tolerance(length: int) -> None:
    """The worst errors of the exponentials, and sums of f32 in chains as long as those of one lane."""
    data = workload("f32", length)
    x = rows_of(data)
    product = (x - x.max(axis=1, keepdims=True)) * np.float32(1.44269504)
    for towards in (1, -1):
        powers = np.exp2(product.astype("f8"))
        powers *= 1 + towards * 2.0**-22 * np.where(powers > np.median(powers), 1, -1)  # the largest against the others
        narrow = powers.astype("f4")
        chains = narrow.reshape(len(x), -1, min(128, length)).cumsum(axis=1, dtype="f4")[:, -1]
        total = chains.cumsum(axis=1, dtype="f4")[:, -1:]
        assert difference(data, [(narrow * (np.float32(1) / total)).ravel()], 0, 1) == ""


def test_bytes_moved_are_those_of_the_rows() -> None:
    assert cases.bytes_moved(workload("bf16", 64)) == 2 * 2 * 64 * 64
