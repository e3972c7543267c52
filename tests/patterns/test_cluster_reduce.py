import numpy as np
import pytest

from shflbench.core.model import WARP, Mechanism
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

CLUSTER_REDUCE = load(builtin()["cluster-reduce"])
SIZES = CLUSTER_REDUCE.declaration.options["cluster"]
GROUPS, BLOCK = 3, 64


def workload(dtype: str, cluster: str) -> Workload:
    return cases.workload(CLUSTER_REDUCE, dtype, options={"cluster": cluster}, launch=f"{GROUPS}x{BLOCK}")


@pytest.mark.parametrize("cluster", SIZES)
@pytest.mark.parametrize("dtype", CLUSTER_REDUCE.declaration.dtypes)
def test_reference_is_the_exact_sum_of_each_group(dtype: str, cluster: str) -> None:
    data = workload(dtype, cluster)
    (values,) = data.inputs(0)
    sums, tickets = data.expected(0, 1)
    groups = values.reshape(GROUPS, -1).tolist()
    assert [len(group) for group in groups] == [int(cluster) * BLOCK] * GROUPS
    assert sums.tolist() == [sum(group) for group in groups]
    assert not tickets.any()


def test_the_sum_of_a_block_that_is_missing_is_visible() -> None:
    data = workload("f32", "4")
    (values,) = data.inputs(0)
    wrong = values.reshape(GROUPS, 4, BLOCK).copy()
    wrong[1, 2] = 0
    got = wrong.reshape(GROUPS, -1).sum(axis=1, dtype=np.float32)
    assert mismatch([got], data.expected(0, 1)[:1], 0.0)


def test_launches_of_a_setting_have_equal_threads_or_fewer_with_several_values_each() -> None:
    setting = workload("i32", "8").setting
    threads = {}
    for variant in CLUSTER_REDUCE.declaration.variants:
        dims = variant.launch_dims(setting)
        assert dims is not None
        threads[variant.name] = dims.blocks * dims.threads_per_block
    assert threads.pop("warp-per-group") == (GROUPS + 1) * WARP  # blocks of two groups
    assert threads.pop("lanes-per-group") == BLOCK  # more than a thread per 32 values
    assert set(threads.values()) == {GROUPS * 8 * BLOCK}


@pytest.mark.parametrize(
    ("variant", "cluster", "loads"),
    [
        *(("first-warp", "2", 1), ("first-warp", "8", 4), ("warp-per-group", "2", 1), ("warp-per-group", "8", 4)),
        *(("lanes-per-group", "2", 8), ("lanes-per-group", "8", 8)),
    ],
)
def test_one_warp_loads_a_group_by_vectors_and_needs_no_barrier(variant: str, cluster: str, loads: int) -> None:
    kernel = kernels.compiled(f"cluster-reduce/{variant}/f32/cluster={cluster}")
    assert kernel.sass is not None
    opcodes = [instruction.opcode for instruction in kernel.sass]
    assert not any(opcode.startswith(("BAR", "STS", "LDS")) for opcode in opcodes)
    of_loads = [opcode for opcode in opcodes if opcode.startswith("LDG")]
    assert len(of_loads) == loads
    assert all(".128" in opcode for opcode in of_loads)


@pytest.mark.parametrize("variant", ["barrier", "barrier-one-release", "store-async", "store-async-release"])
def test_threads_of_a_cluster_meet_at_its_barrier(variant: str) -> None:
    kernel = kernels.compiled(f"cluster-reduce/{variant}/f32/cluster=4")
    assert CLUSTER_REDUCE.declaration.variant(variant).mechanism is Mechanism.CLUSTER
    assert kernel.sass is not None
    opcodes = [instruction.opcode for instruction in kernel.sass]
    assert any(opcode.startswith("UCGABAR_ARV") for opcode in opcodes)
    # The arrival of `store-async` is relaxed: no fence of the whole GPU comes before it.
    assert any(opcode.startswith("MEMBAR.ALL.GPU") for opcode in opcodes) == (variant != "store-async")
