import operator
from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

REDUCE_OPS = load(builtin()["reduce-ops"])
OPS = REDUCE_OPS.declaration.options["op"]
IN_PYTHON: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "min": min,
    "max": max,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


def workload(op: str) -> Workload:
    return cases.workload(REDUCE_OPS, "i32", options={"op": op})


def signed(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def contribution(x: int, op: str) -> int:
    bit = 1 << (x % 2**32 >> 27)
    return {"and": signed(~bit), "or": signed(bit)}.get(op, x)


def result(warp: list[int], op: str) -> int:
    return reduce(IN_PYTHON[op], [contribution(x, op) for x in warp])


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_is_the_recurrence_lane_by_lane(op: str, iterations: int) -> None:
    data = workload(op)
    (values,) = data.inputs(0)
    warps = values.tolist()
    for _ in range(iterations):
        warps = [[signed(result(warp, op) + x * 0x9E3779B1) for x in warp] for warp in warps]
    assert after(data, iterations, values).tolist() == warps


@pytest.mark.parametrize("op", OPS)
def test_result_changes_in_every_iteration_and_depends_on_many_lanes(op: str) -> None:
    """For 32 arbitrary numbers `and` would give 0 and `or` all bits, even if any lane is left out."""
    data = workload(op)
    (x,) = data.inputs(0)
    results, deciding = [], set()
    for _ in range(100):
        warp = x[0].tolist()
        results.append(result(warp, op))
        deciding |= {lane for lane in range(WARP) if result(warp[:lane] + warp[lane + 1 :], op) != results[-1]}
        x = after(data, 1, x)
    assert len(set(results)) == len(results)
    assert len(deciding) > WARP * 3 // 4


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("bit", [0, 31])
def test_lane_with_a_wrong_result_in_any_iteration_is_visible_at_the_end(op: str, bit: int) -> None:
    def flip(_: Array, values: Array) -> None:
        values.view(np.uint32)[-1, 5] ^= np.uint32(2**bit)

    assert hidden(workload(op), flip) == []


@pytest.mark.parametrize("op", OPS)
def test_most_lanes_cannot_be_left_out_in_the_first_iteration_unnoticed(op: str) -> None:
    """A minimum depends on one lane of 32, an `or` on every third; but there are many warps and input sets."""
    warps = [warp for index in range(INPUT_SETS) for warp in workload(op).inputs(index)[0].tolist()]
    noticed = {
        missed
        for missed in range(WARP)
        if any(result(warp[:missed] + warp[missed + 1 :], op) != result(warp, op) for warp in warps)
    }
    assert len(noticed) > WARP // 2


@pytest.mark.parametrize("op", OPS)
def test_lanes_stay_different_over_many_iterations(op: str) -> None:
    data = workload(op)
    assert all(len(set(warp)) == WARP for warp in after(data, 4096, *data.inputs(0)).tolist())


def test_only_redux_itself_needs_a_newer_gpu() -> None:
    needing = {variant.name: variant.needs for variant in REDUCE_OPS.declaration.variants if variant.needs}
    assert needing == {"redux": "sm_80"}


def test_each_operation_is_a_single_redux() -> None:
    redux = REDUCE_OPS.declaration.variant("redux")
    assert [redux.expected_counts(DTYPES["i32"], {"op": op}) for op in OPS] == [{"REDUX": 1}] * len(OPS)
