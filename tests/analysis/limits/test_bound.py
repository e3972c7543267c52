from typing import Any

import pytest

from shflbench.analysis.limits import ISSUE, LATENCY, ExecutionUnit, Residency, limit
from shflbench.core.arch import Architecture, Figure
from tests.analysis.limits.timed import code, item

FULL = Residency(warps_per_block=32, warps=64)
WAITING = code(item("SHFL.IDX", stall=2, writes=0), item("FADD", stall=4, waits=(0,)))


def architecture(**figures: Any) -> Architecture:
    """Return an architecture of which only these figures are known."""
    return Architecture(
        name="sm_0", **{name: Figure(value, "a test", verified=False) for name, value in figures.items()}
    )


SLOTS = {"issue": 1.0, "sub_partitions": 4}
INTEGER = {"int32_add": 0.25, "int32_logic": 0.25}


@pytest.mark.parametrize(
    ("opcode", "rates", "unit"),
    [
        ("SHFL.IDX", {"exchange": 0.25, "shared_memory": 9.0}, ExecutionUnit.EXCHANGE),
        ("LDS", {"shared_memory": 0.25}, ExecutionUnit.EXCHANGE),
        ("BAR.SYNC", {"barrier": 0.25}, ExecutionUnit.BARRIER),
        ("VOTE.ANY", {"vote": 0.25}, ExecutionUnit.VOTE),
        ("REDUX.SUM", {"redux": 0.25}, ExecutionUnit.REDUX),
        ("IMAD", {"fp32": 0.25}, ExecutionUnit.FP32),
        ("DADD", {"fp64": 0.25}, ExecutionUnit.FP64),
        ("HFMA2", {"half2": 0.25}, ExecutionUnit.HALF2),
        ("LOP3.LUT", INTEGER, ExecutionUnit.INTEGER),
        ("LOP3.LUT", {"int32_add": 0.25, "int32_logic": 0.125}, ExecutionUnit.INTEGER),  # the faster: a lower bound
        ("MUFU.RCP", {"special": 0.25}, ExecutionUnit.SPECIAL),
        ("F2I", {"conversion": 0.25}, ExecutionUnit.CONVERSION),
    ],
)
def test_the_limit_is_the_time_of_the_slowest_unit(opcode: str, rates: dict[str, float], unit: ExecutionUnit) -> None:
    found = limit(code(opcode, "MOV"), architecture(**SLOTS, **rates), FULL)
    assert found
    assert (found.cycles, found.by) == (64 / 0.25, unit)
    assert found.parts == {ISSUE: 64 * 2 / 4, unit: 256, LATENCY: 2}


def test_the_latency_of_a_barrier_is_named_if_it_is_unknown() -> None:
    found = limit(code("BAR.SYNC"), architecture(**SLOTS, barrier=0.25), FULL)
    assert found
    assert found.omitted == ("latency of BAR",)


def test_issue_slots_are_the_limit_of_instructions_that_no_unit_delays() -> None:
    found = limit(code("MOV", "@P0 FADD", "FADD", "BRA", unroll=2), architecture(**SLOTS, fp32=4.0), FULL)
    assert found
    assert (found.cycles, found.by) == (64 * 2 / 4, ISSUE)
    assert found.parts[ExecutionUnit.FP32] == 64 * 0.5 / 4


def test_latency_is_the_limit_of_few_warps() -> None:
    arch = architecture(**SLOTS, exchange=1.0, shfl_latency=24, fp32=4.0)
    found = limit(WAITING, arch, Residency(warps_per_block=1, warps=1))
    assert found
    assert (found.cycles, found.by) == (24 + 4, LATENCY)


@pytest.mark.parametrize(
    ("opcode", "figure"),
    [
        ("SHFL", "shfl_latency"),
        ("LDS", "lds_latency"),
        ("LDL", "ldl_latency"),
        ("LDG.E", "ldg_latency"),
        ("LDG.E.STRONG.GPU", "l2_latency"),
        ("BAR", "barrier_constant"),
    ],
)
def test_each_latency_is_that_of_its_opcode(opcode: str, figure: str) -> None:
    names = ("shfl_latency", "lds_latency", "ldl_latency", "ldg_latency", "l2_latency", "barrier_constant")
    figures = {**dict.fromkeys(names, 20), figure: 56}
    loop = code(item(opcode, stall=2, writes=0), item("FADD", stall=4, waits=(0,)), unroll=2)
    found = limit(loop, architecture(**figures), FULL)
    assert found
    assert found.parts[LATENCY] == (56 + 4) / 2


def test_a_load_that_bypasses_l1_takes_at_least_the_latency_of_l1() -> None:
    loop = code(item("LDG.E.STRONG.GPU", stall=2, writes=0), item("FADD", stall=4, waits=(0,)))
    found = limit(loop, architecture(ldg_latency=32), FULL)
    assert found
    assert found.parts[LATENCY] == 32 + 4


def test_without_latencies_the_stall_counts_remain_and_the_latency_is_named() -> None:
    found = limit(WAITING, architecture(), FULL)
    assert found
    assert (found.cycles, found.by) == (2 + 4, LATENCY)
    assert found.omitted[-1] == "latency of SHFL"


@pytest.mark.parametrize(("warps", "in_busiest"), [(1, 1), (4, 1), (5, 2), (64, 16)])
def test_warps_of_a_sub_partition_share_its_part_of_the_units(warps: int, in_busiest: int) -> None:
    found = limit(code("FADD", "MOV"), architecture(**SLOTS, fp32=2.0, vote=2.0), Residency(1, warps))
    assert found
    assert found.parts[ISSUE] == in_busiest * 2
    assert found.parts[ExecutionUnit.FP32] == in_busiest * 4 / 2.0


def test_units_of_the_whole_sm_are_shared_by_all_warps() -> None:
    found = limit(code("REDUX", "MOV"), architecture(**SLOTS, redux=0.5), Residency(1, 5))
    assert found
    assert found.parts[ExecutionUnit.REDUX] == 10


@pytest.mark.parametrize(
    ("opcode", "clocks"),
    [("SHFL.IDX PT, R1, R2, 0x1", 2), ("SHFL.IDX PT, R1, RZ, 0x1", 1), ("LDS R1, [R2]", 2), ("LDS R1, [UR4]", 1)],
)
def test_a_sub_partition_reads_the_operands_of_a_request_at_half_rate(opcode: str, clocks: int) -> None:
    arch = architecture(**SLOTS, exchange=1.0, exchange_per_sub_partition=0.5)
    one, many = (limit(code(opcode), arch, Residency(1, warps)) for warps in (1, 64))
    assert one
    assert many
    assert one.parts[ExecutionUnit.EXCHANGE] == clocks
    assert many.parts[ExecutionUnit.EXCHANGE] == 64


def test_a_wide_store_of_a_partial_warp_may_take_one_pass() -> None:
    arch = architecture(shared_memory=1.0)
    full, partial = (limit(code("STS.128"), arch, Residency.of(2, block, sms=1)) for block in (64, 40))
    assert full
    assert partial
    assert full.parts[ExecutionUnit.EXCHANGE] == 4 * 4
    assert partial.parts[ExecutionUnit.EXCHANGE] == 2 * 4 + 2 * 1


def test_what_has_no_rate_is_named_and_does_not_count() -> None:
    found = limit(code("REDUX", "SHFL", "MOV", "@P0 MUFU"), architecture(exchange=1.0), FULL)
    assert found
    assert (found.cycles, found.by) == (64, ExecutionUnit.EXCHANGE)
    assert found.omitted == (ISSUE, ExecutionUnit.REDUX)  # and no latency, because nothing waits for a result


def test_the_integer_unit_may_execute_opcodes_of_other_groups() -> None:
    arch = architecture(**SLOTS, **INTEGER, vote=2.0, integer_opcodes=("VOTE", "R2P", "LOP3"))
    found = limit(code("LOP3.LUT", "VOTE.ANY", "R2P", "@P0 R2P", "VOTEU.ANY"), arch, Residency(1, 4))
    assert found
    assert found.parts[ExecutionUnit.INTEGER] == 4 * 3 / 0.25
    assert found.parts[ExecutionUnit.VOTE] == 4 * 2 / 2.0
    votes = limit(code("VOTE.ANY"), arch, Residency(1, 4))
    assert votes
    assert votes.parts[ExecutionUnit.INTEGER] == 4 / 0.25


def test_one_rate_of_integers_is_not_enough() -> None:
    found = limit(code("LOP3.LUT"), architecture(**SLOTS, int32_add=0.25), FULL)
    assert found
    assert (found.by, found.omitted) == (ISSUE, (ExecutionUnit.INTEGER,))


def test_an_unknown_opcode_gives_no_limit() -> None:
    assert limit(code("SHFL", item("WGMMA", always=False)), architecture(**SLOTS, exchange=1.0), FULL) is None


def test_waves_multiply_the_time_of_one_warp_only() -> None:
    arch = architecture(**SLOTS, exchange=1.0, shfl_latency=24, fp32=4.0)
    once, thrice = (limit(WAITING, arch, Residency(1, 16, waves)) for waves in (1, 3))
    assert once
    assert thrice
    assert thrice.parts == {**once.parts, LATENCY: 3 * 28}
    assert (once.cycles, thrice.cycles) == (28, 84)


@pytest.mark.parametrize(
    ("grid", "block", "resident_blocks", "residency"),
    [
        (26, 1024, 2, Residency(warps_per_block=32, warps=32, waves=1)),  # fewer blocks than SMs
        (264, 1024, 2, Residency(warps_per_block=32, warps=64, waves=1)),
        (265, 1024, 2, Residency(warps_per_block=32, warps=96, waves=2)),  # one SM executes a third block
        (1320, 100, 4, Residency(warps_per_block=4, warps=40, waves=3, partial_warps=10)),
        (1320, 100, None, Residency(warps_per_block=4, warps=40, waves=1, partial_warps=10)),  # at least one wave
        (133, 16, 32, Residency(warps_per_block=1, warps=2, waves=1, partial_warps=2)),
        (1000, 64, 3, Residency(warps_per_block=2, warps=16, waves=3)),  # 8 blocks on the busiest SM: 3 + 3 + 2
    ],
)
def test_residency_is_that_of_the_busiest_sm(
    grid: int, block: int, resident_blocks: int | None, residency: Residency
) -> None:
    assert Residency.of(grid, block, 132, resident_blocks) == residency
