import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

GRID_REDUCE = load(builtin()["grid-reduce"])
SIZES = GRID_REDUCE.declaration.options["blocks"]
GROUPS, BLOCK = 3, 64

# By the number of blocks with a value per thread: the launches of fewer blocks, and of a cluster of 2, 4 or 8 blocks.
LOADING = {
    "32": ((GROUPS * 4, BLOCK), (GROUPS * 2, 256)),
    "132": ((GROUPS * 11, BLOCK), (GROUPS * 4, 512)),
    "528": ((GROUPS * 44, BLOCK), (GROUPS * 8, 512)),
}


def workload(dtype: str, blocks: str) -> Workload:
    return cases.workload(GRID_REDUCE, dtype, options={"blocks": blocks}, launch=f"{GROUPS}x{BLOCK}")


SETTING = workload("i32", "32").setting


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
def test_all_blocks_of_all_groups_are_launched_or_fewer_that_load_vectors(blocks: str) -> None:
    setting = workload("i32", blocks).setting
    few, cluster = LOADING.get(blocks, ((), ()))
    shapes = {}
    for variant in GRID_REDUCE.declaration.variants:
        if not variant.has("i32", {"blocks": blocks}):
            continue
        dims = variant.launch_dims(setting)
        assert dims is not None
        shapes[variant.name] = (dims.blocks, dims.threads_per_block)
    assert shapes.pop("one-block") == (GROUPS, min(1024, int(blocks) * BLOCK // 4))
    assert shapes.pop("add-counted-few", ()) == few
    assert shapes.pop("last-block-words-few", ()) == few
    assert shapes.pop("one-cluster", ()) == cluster
    assert shapes.pop("zero-add") == (1, WARP)  # sets the sums to zero
    assert set(shapes.values()) == {(GROUPS * int(blocks), BLOCK)}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("variant", ["one-block", "one-cluster", "add-counted-few", "last-block-words-few"])
@pytest.mark.parametrize("blocks", ["32", "132"])
def test_blocks_that_load_vectors_add_those_of_their_group_only(variant: str, blocks: str) -> None:
    data = workload("i32", blocks)
    case = cases.case("grid-reduce", variant, "i32", f"{GROUPS}x{BLOCK}", options={"blocks": blocks})
    kernel = kernels.compiled(f"grid-reduce/{variant}/i32/blocks={blocks}")
    emulated = EmulatorBackend("sm_90").open(call_of(GRID_REDUCE, case, kernel, data.setting))
    assert not mismatch(emulated.run(data.inputs(0), 1), data.expected(0, 1), 0.0)


@pytest.mark.archs
def test_sums_are_zero_before_they_are_verified_only_for_the_variant_that_needs_it() -> None:
    before = {}
    for variant in GRID_REDUCE.declaration.variants:
        case = cases.case("grid-reduce", variant.name, "i32", "1x64", options={"blocks": "32"})
        call = call_of(GRID_REDUCE, case, kernels.compiled(f"grid-reduce/{variant.name}/i32/blocks=32"), SETTING)
        (sums,) = (buffer for buffer in call.outputs if buffer.name == "sums")
        before[variant.name] = sums.initial
    assert before.pop("add") == 0
    assert set(before.values()) == {-1}


def test_launches_whose_blocks_wait_for_others_are_cooperative() -> None:
    waiting = {"grid-barrier", "first-waits"}
    for variant in GRID_REDUCE.declaration.variants:
        case = cases.case("grid-reduce", variant.name, "i32", "1x64", options={"blocks": "32"})
        kernel = kernels.compiled(f"grid-reduce/{variant.name}/i32/blocks=32")
        first, *later = call_of(GRID_REDUCE, case, kernel, SETTING).launches
        assert first.cooperative == (variant.name in waiting)
        assert not any(launch.cooperative for launch in later)


@pytest.mark.archs
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
        ("add-counted-few", False),
        ("last-block-words-few", False),
        ("one-cluster", False),
        ("add", False),
        ("last-block-acq-rel", True),
        ("grid-barrier", True),
        ("first-waits", True),
    ],
)
def test_a_sum_in_a_word_with_its_count_or_flag_needs_no_fence(variant: str, *, fences: bool) -> None:
    kernel = kernels.compiled(f"grid-reduce/{variant}/i32/blocks=132")
    assert kernel.sass is not None
    assert any(instruction.opcode.startswith("MEMBAR") for instruction in kernel.sass) == fences
