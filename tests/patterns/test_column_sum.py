import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.column_sum.pattern import MODULUS
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

SUM = load(builtin()["column-sum"])
DTYPES = SUM.declaration.dtypes
BITS = {"i32": 32, "i64": 64}
PLACES = [0, 31, 32, -1]  # of a block: its first thread, both sides of a border between warps, its last thread


def workload(dtype: str, columns: str, launch: str = "2x256") -> Workload:
    return cases.workload(SUM, dtype, launch, options={"columns": columns})


def wrapped(number: int, dtype: str) -> int:
    """Return a number as its type holds it, or modulo the range of floating-point values, around 0."""
    modulus = 2 ** BITS[dtype] if dtype in BITS else int(MODULUS[{"f32": "float32", "f64": "float64"}[dtype]])
    return (number + modulus // 2) % modulus - modulus // 2


@pytest.mark.parametrize("columns", ["32", "16"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_reference_adds_up_columns_thread_by_thread(dtype: str, columns: str) -> None:
    data = workload(dtype, columns)
    (values,) = data.inputs(0)
    count = int(columns)
    threads = [int(x) for x in values.ravel()]
    for _ in range(3):
        sums = [[sum(threads[first + c : first + 256 : count]) for c in range(count)] for first in (0, 256)]
        threads = [wrapped(x + sums[t // 256][t % count], dtype) for t, x in enumerate(threads)]
    # Half of the modulus itself may be rounded either way; no value of these inputs is that number.
    assert [int(x) for x in after(data, 3, values).ravel()] == threads


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("columns", ["32", "16"])
@pytest.mark.parametrize("dtype", ["f32", "i64"])
def test_thread_with_a_wrong_sum_in_any_iteration_is_visible_at_the_end(dtype: str, columns: str, place: int) -> None:
    def change(_: Array, values: Array) -> None:
        values.reshape(-1)[place] += 1

    assert hidden(workload(dtype, columns), change) == []


def test_the_largest_sum_of_a_column_is_exact() -> None:
    """64 rows and the thread's own value, each of at most half the modulus."""
    for name, bits in (("float32", 24), ("float64", 53)):
        assert 65 * MODULUS[name] / 2 < 2**bits


def test_rows_of_a_column_lie_in_different_banks() -> None:
    """The padded tile of `shfl`, for 32-bit values: a warp writes 32 slots, and reads the rows of its columns."""
    for block in SUM.declaration.block_sizes:
        for columns in (32, 16):
            lanes = min(block // columns, 32)
            slots = [t + t // 32 * (32 // lanes) for t in range(block)]
            for first in range(0, columns * lanes, 32):
                threads = range(first, first + 32)
                stored = {slots[t] % 32 for t in threads}
                read = {slots[t % lanes * columns + t // lanes] % 32 for t in threads}
                assert len(stored) == len(read) == 32
