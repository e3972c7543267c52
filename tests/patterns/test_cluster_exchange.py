import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

CLUSTER_EXCHANGE = load(builtin()["cluster-exchange"])
SIZES = CLUSTER_EXCHANGE.declaration.options["cluster"]
GROUPS, BLOCK = 2, 32


def workload(cluster: str, dtype: str = "i32") -> Workload:
    return cases.workload(CLUSTER_EXCHANGE, dtype, options={"cluster": cluster}, launch=f"{GROUPS}x{BLOCK}")


def next_values(values: list[int], cluster: int, bits: int = 32) -> list[int]:
    """Return the values of all threads after one iteration, in Python's whole numbers."""
    result = []
    for thread, own in enumerate(values):
        block, lane = divmod(thread, BLOCK)
        group, rank = divmod(block, cluster)
        other = (group * cluster + cluster - 1 - rank) * BLOCK + lane
        result.append((own + 2 * values[other]) % 2**bits)
    return result


@pytest.mark.parametrize(("dtype", "unsigned", "bits"), [("i32", "u4", 32), ("i64", "u8", 64)])
@pytest.mark.parametrize("cluster", SIZES)
def test_reference_is_the_recurrence_thread_by_thread(cluster: str, dtype: str, unsigned: str, bits: int) -> None:
    data = workload(cluster, dtype)
    (values,) = data.inputs(0)
    expected = values.view(unsigned).reshape(-1).tolist()
    for iterations in range(4):
        assert after(data, iterations, values).view(unsigned).reshape(-1).tolist() == expected
        expected = next_values(expected, int(cluster), bits)


@pytest.mark.parametrize("block", [0, 3])
def test_a_value_of_the_iteration_before_is_visible_at_the_end(block: int) -> None:
    """A thread that reads a slot before the other block has written it gets what was there two iterations before."""

    def stale(before: Array, values: Array) -> None:
        own = int(before.view("u4").reshape(-1, BLOCK)[block, 5])
        values.view("u4").reshape(-1, BLOCK)[block, 5] = own

    assert hidden(workload("4"), stale) == []


@pytest.mark.parametrize(
    ("variant", "opcode"),
    [("barrier", "UCGABAR_ARV"), ("mbarrier", "SYNCS.ARRIVE"), ("store-async", "STAS"), ("red-async", "REDAS")],
)
def test_the_mechanism_is_in_the_timed_loop(variant: str, opcode: str) -> None:
    kernel = kernels.compiled(f"cluster-exchange/{variant}/i32/cluster=2")
    assert kernel.sass is not None
    assert any(instruction.opcode.startswith(opcode) for instruction in kernel.sass)


def test_two_values_of_four_bytes_are_one_asynchronous_store() -> None:
    kernel = kernels.compiled("cluster-exchange/store-async/i64/cluster=2")
    assert kernel.loop is not None
    assert kernel.loop.counts["STAS"] == CLUSTER_EXCHANGE.declaration.unroll


@pytest.mark.parametrize(
    ("variant", "barriers", "fences"),
    [
        ("barrier", True, True),
        ("mbarrier", False, True),
        ("red-async", False, False),
        ("numbered", False, False),
        ("barrier-relaxed", True, False),
    ],
)
def test_a_relaxed_arrival_has_no_fence_of_the_whole_gpu(variant: str, *, barriers: bool, fences: bool) -> None:
    kernel = kernels.compiled(f"cluster-exchange/{variant}/i32/cluster=2")
    assert kernel.loop is not None
    assert ("UCGABAR_ARV" in kernel.loop.counts, "MEMBAR" in kernel.loop.counts) == (barriers, fences)
