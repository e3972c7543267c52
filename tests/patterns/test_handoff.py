import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.cuda.compile import nvrtc
from shflbench.cuda.compile.loops import counted_loops
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

HANDOFF = load(builtin()["handoff"])
BLOCKS = HANDOFF.declaration.block_sizes
FACTOR = 0x9E3779B1


def workload(block: int, stages: str = "2") -> Workload:
    return cases.workload(HANDOFF, "i32", launch=f"2x{block}", options={"stages": stages})


def next_block(warps: list[list[int]]) -> list[list[int]]:
    """Return the values of the warps of a block after one iteration, in Python's whole numbers."""
    produced = [[(x * FACTOR + 1) % 2**32 for x in warp] for warp in warps[:-1]]
    consumer = warps[-1]
    for row in produced:
        consumer = [(x * FACTOR + got) % 2**32 for x, got in zip(consumer, row, strict=True)]
    return [*produced, consumer]


@pytest.mark.parametrize("block", BLOCKS)
def test_reference_is_the_recurrence_thread_by_thread(block: int) -> None:
    data = workload(block)
    (values,) = data.inputs(0)
    blocks = values.view("u4").reshape(-1, block // WARP, WARP).tolist()
    for iterations in range(4):
        assert after(data, iterations, values).view("u4").reshape(-1, block // WARP, WARP).tolist() == blocks
        blocks = [next_block(warps) for warps in blocks]


def test_stages_do_not_change_the_result() -> None:
    (values,) = workload(128).inputs(0)
    assert after(workload(128, "1"), 9, values).tolist() == after(workload(128, "2"), 9, values).tolist()


@pytest.mark.parametrize("producer", [0, 2])
def test_a_row_that_the_consumer_reads_too_early_is_visible_at_the_end(producer: int) -> None:
    """The consumer takes the value that a producer has before the iteration, instead of the next one."""

    def stale(before: Array, values: Array) -> None:
        warps = before.view("u4").reshape(-1, 4, WARP)[-1].tolist()
        rows = [list(row) for row in next_block(warps)[:-1]]
        rows[producer][5] = warps[producer][5]
        lane = warps[-1][5]
        for row in rows:
            lane = (lane * FACTOR + row[5]) % 2**32
        values.view("u4").reshape(-1, 4, WARP)[-1, -1, 5] = lane

    assert hidden(workload(128), stale) == []


def test_two_producers_that_are_confused_are_visible() -> None:
    def confuse(before: Array, values: Array) -> None:
        warps = before.view("u4").reshape(-1, 4, WARP)[-1].tolist()
        confused = next_block([warps[1], warps[0], *warps[2:]])
        values.view("u4").reshape(-1, 4, WARP)[-1, -1] = confused[-1]

    assert hidden(workload(128), confuse) == []


def test_expected_counts_follow_the_producers_and_the_stages() -> None:
    syncthreads = HANDOFF.declaration.variant("syncthreads")
    counts = [
        syncthreads.expected_counts(DTYPES["i32"], {"stages": stages, "block": block})
        for stages, block in (("2", "64"), ("1", "160"))
    ]
    assert counts == [{"STS": 1, "LDS": 1, "BAR": 1}, {"STS": 1, "LDS": 4, "BAR": 2}]


@pytest.mark.parametrize(
    ("variant", "opcode"),
    [
        ("named", "BAR.ARV"),
        ("mbarrier", "SYNCS.ARRIVE.TRANS64.A1T0"),
        ("mbarrier", "SYNCS.PHASECHK.TRANS64.TRYWAIT"),
        ("mbarrier-threads", "SYNCS.ARRIVE.TRANS64.A1T0"),
        ("mbarrier-once", "SYNCS.ARRIVE.TRANS64.A1T0"),
    ],
)
def test_the_mechanism_is_in_the_machine_code(variant: str, opcode: str) -> None:
    kernel = kernels.compiled(f"handoff/{variant}/i32/stages=2")
    assert kernel.sass is not None
    assert [instruction for instruction in kernel.sass if instruction.opcode.startswith(opcode)]


@pytest.mark.parametrize(
    ("variant", "is_predicated", "barriers"),
    [("mbarrier", True, 0), ("mbarrier-threads", False, 0), ("mbarrier-once", True, HANDOFF.declaration.unroll)],
)
def test_kernels_with_an_mbarrier_differ_in_who_arrives(variant: str, *, is_predicated: bool, barriers: int) -> None:
    """The arrival of one lane is predicated; producers that meet before it execute a BAR in each iteration."""
    kernel = kernels.compiled(f"handoff/{variant}/i32/stages=2")
    assert kernel.sass is not None
    assert kernel.loop is not None
    arrivals = [item for item in kernel.sass if item.opcode.startswith("SYNCS.ARRIVE")]
    assert {bool(item.predicate) for item in arrivals} == {is_predicated}
    assert kernel.loop.counts.get("BAR", 0) == barriers


@pytest.mark.parametrize("stages", HANDOFF.declaration.options["stages"])
def test_a_block_reserves_two_named_barriers_per_stage(stages: str) -> None:
    """For a number in a register, it would reserve all 16, and an SM of sm_90 has 64 barriers for all of its blocks."""
    source = kernels.source_of(f"handoff/named/i32/stages={stages}")
    log = nvrtc.compile_kernel(source, "sm_90", kernels.tools()).log
    assert f"used {2 * int(stages)} barriers" in log


@pytest.mark.parametrize(
    ("kernel", "of_producers", "of_consumer"),
    [
        ("syncthreads-ahead/i32/stages=2", {"STS": 1, "BAR": 1}, {"LDS": 3, "BAR": 1}),
        ("syncthreads-ahead/i32/stages=1", {"STS": 1, "BAR": 2}, {"LDS": 3, "BAR": 2}),
        ("syncthreads-two-ahead/i32/stages=1", {"STS": 1, "BAR": 2}, {"LDS": 3, "BAR": 2}),
        ("syncthreads-pairs/i32/stages=2", {"STS.64": 0.5, "BAR": 1}, {"LDS.64": 1.5, "BAR": 1}),
        ("syncthreads-pairs-ahead/i32/stages=2", {"STS.64": 0.5, "BAR": 1}, {"LDS.64": 1.5, "BAR": 1}),
    ],
)
def test_each_role_executes_the_barriers_of_the_block_in_a_loop_of_its_own(
    kernel: str,
    of_producers: dict[str, float],
    of_consumer: dict[str, float],
) -> None:
    sass = kernels.compiled(f"handoff/{kernel}").sass
    assert sass is not None
    unroll = HANDOFF.declaration.unroll
    loops = [loop for loop in counted_loops(sass) if loop.unroll == unroll]
    counts = [
        {
            opcode: sum(item.opcode.startswith(opcode) for item in sass if loop.start <= item.address <= loop.end)
            / unroll
            for opcode in expected
        }
        for loop, expected in zip(loops, (of_producers, of_consumer), strict=True)
    ]
    assert counts == [of_producers, of_consumer]
