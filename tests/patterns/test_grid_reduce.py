import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload, call_of
from shflbench.model import WARP
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

GRID_REDUCE = load(builtin()["grid-reduce"])
SIZES = GRID_REDUCE.declaration.options["blocks"]
GROUPS, BLOCK = 3, 64


def workload(dtype: str, blocks: str) -> Workload:
    return cases.workload(GRID_REDUCE, dtype, options={"blocks": blocks}, launch=f"{GROUPS}x{BLOCK}")


@pytest.mark.parametrize("blocks", SIZES)
@pytest.mark.parametrize("dtype", GRID_REDUCE.declaration.dtypes)
def test_reference_is_the_exact_sum_of_each_group(dtype: str, blocks: str) -> None:
    data = workload(dtype, blocks)
    (values,) = data.inputs(0)
    sums, tickets, counted = data.expected(0, 1)
    groups = values.reshape(GROUPS, -1).tolist()
    assert [len(group) for group in groups] == [int(blocks) * BLOCK] * GROUPS
    assert sums.tolist() == [sum(group) for group in groups]
    assert not tickets.any()
    assert not counted.any()


def test_the_sum_of_a_block_that_is_missing_is_visible() -> None:
    data = workload("f32", "132")
    (values,) = data.inputs(0)
    wrong = values.reshape(GROUPS, 132, BLOCK).copy()
    wrong[1, 131] = 0
    got = wrong.reshape(GROUPS, -1).sum(axis=1, dtype=np.float32)
    assert mismatch([got], data.expected(0, 1)[:1], 0.0)


def test_sums_of_the_largest_setting_are_exact_in_f32() -> None:
    largest = max(map(int, SIZES)) * max(GRID_REDUCE.declaration.block_sizes) * 8
    assert largest < 2**24


@pytest.mark.parametrize("blocks", SIZES)
def test_all_blocks_of_all_groups_are_launched_or_a_large_one_per_group(blocks: str) -> None:
    setting = workload("i32", blocks).setting
    shapes = {}
    for variant in GRID_REDUCE.declaration.variants:
        dims = variant.launch_dims(setting)
        assert dims is not None
        shapes[variant.name] = (dims.blocks, dims.threads_per_block)
    assert shapes.pop("one-block") == (GROUPS, 1024)
    assert shapes.pop("zero-add") == (1, WARP)  # sets the sums to zero
    assert set(shapes.values()) == {(GROUPS * int(blocks), BLOCK)}


def test_launches_whose_blocks_wait_for_others_are_cooperative() -> None:
    waiting = {"grid-barrier", "first-waits"}
    for variant in GRID_REDUCE.declaration.variants:
        case = cases.case("grid-reduce", variant.name, "i32", "1x64", options={"blocks": "8"})
        kernel = kernels.compiled(f"grid-reduce/{variant.name}/i32/blocks=8")
        first, *later = call_of(GRID_REDUCE, case, kernel, workload("i32", "8").setting).launches
        assert first.cooperative == (variant.name in waiting)
        assert not any(launch.cooperative for launch in later)


def test_two_kernels_are_a_graph_where_the_name_says_so() -> None:
    graphs = [variant for variant in GRID_REDUCE.declaration.variants if variant.graph]
    assert [(variant.name, len(variant.later)) for variant in graphs] == [("two-launches-graph", 1)]
    case = cases.case("grid-reduce", "two-launches-graph", "i32", "1x64", options={"blocks": "8"})
    kernel = kernels.compiled("grid-reduce/two-launches-graph/i32/blocks=8")
    assert call_of(GRID_REDUCE, case, kernel, workload("i32", "8").setting).graph


@pytest.mark.parametrize(
    ("variant", "fences"),
    [
        ("add-counted", False),
        ("add", False),
        ("last-block-acq-rel", True),
        ("grid-barrier", True),
        ("first-waits", True),
    ],
)
def test_a_sum_in_the_word_that_counts_needs_no_fence(variant: str, *, fences: bool) -> None:
    kernel = kernels.compiled(f"grid-reduce/{variant}/i32/blocks=132")
    assert kernel.sass is not None
    assert any(instruction.opcode.startswith("MEMBAR") for instruction in kernel.sass) == fences
