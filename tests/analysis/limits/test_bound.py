from typing import Any

import pytest

from shflbench.analysis.limits import ISSUE, LATENCY, ExecutionUnit, Residency, limit
from shflbench.arch import Architecture, Figure
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
    assert (found.cycles, found.by, found.omitted) == (64 / 0.25, unit, ())
    assert found.parts == {ISSUE: 64 * 2 / 4, unit: 256, LATENCY: 2}


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
    ("opcode", "figure"), [("SHFL", "shfl_latency"), ("LDS", "lds_latency"), ("BAR", "barrier_constant")]
)
def test_each_latency_is_that_of_its_opcode(opcode: str, figure: str) -> None:
    figures = {"shfl_latency": 20, "lds_latency": 20, "barrier_constant": 20, figure: 56}
    loop = code(item(opcode, stall=2, writes=0), item("FADD", stall=4, waits=(0,)), unroll=2)
    found = limit(loop, architecture(**figures), FULL)
    assert found
    assert found.parts[LATENCY] == (56 + 4) / 2


def test_without_latencies_the_stall_counts_remain() -> None:
    found = limit(WAITING, architecture(), FULL)
    assert found
    assert (found.cycles, found.by) == (2 + 4, LATENCY)


def test_what_has_no_rate_is_named_and_does_not_count() -> None:
    found = limit(code("REDUX", "SHFL", "MOV", "@P0 MUFU"), architecture(exchange=1.0), FULL)
    assert found
    assert (found.cycles, found.by) == (64, ExecutionUnit.EXCHANGE)
    assert found.omitted == (ISSUE, ExecutionUnit.REDUX)


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
        (1320, 100, 4, Residency(warps_per_block=4, warps=40, waves=3)),
        (1320, 100, None, Residency(warps_per_block=4, warps=40, waves=1)),  # unknown: at least one wave
    ],
)
def test_residency_is_that_of_the_busiest_sm(
    grid: int, block: int, resident_blocks: int | None, residency: Residency
) -> None:
    assert Residency.of(grid, block, 132, resident_blocks) == residency
