"""Predictions by the prices of instructions."""

from dataclasses import replace

import pytest

from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.launch_sequence import SequenceKernel, predict_sequence
from shflbench.analysis.limits.memory_prediction import MemoryUse
from shflbench.analysis.limits.path_prediction import overhead_of, predict_launch, predict_loop
from shflbench.analysis.limits.path_prices import PathModel
from shflbench.analysis.limits.prediction import PredictedLaunch, PredictionKind
from shflbench.core.model import OnePassCode, ScheduledInstruction, TimedCode
from tests.analysis.limits.paths import maybe, placed
from tests.analysis.limits.timed import item

MODEL = PathModel.of(None, DEFAULTS)
LAUNCH = PredictedLaunch(grid=132, block=128, sms=132, resident_blocks=16, clock_mhz=2000, iterations=1000)
MEMORY = MemoryUse(distinct_bytes=0.0, buffer_bytes=1e6, l2_bytes=50_000_000, is_declared=False)
BARRIER = (item("MEMBAR.ALL.GPU", stall=6), item("UCGABAR_ARV", stall=6), item("UCGABAR_WAIT"), item("CCTL.IVALL"))


def loop(*items: ScheduledInstruction | str) -> TimedCode:
    return TimedCode(tuple(placed(*items, item("@P1 BRA 0x0", stall=5))), 1)


def kernel(*items: ScheduledInstruction | str) -> OnePassCode:
    return OnePassCode(TimedCode(tuple(placed(*items, "EXIT")), 1))


def reason(code: TimedCode, launch: PredictedLaunch = LAUNCH) -> str:
    return predict_loop(code, launch, None, MODEL).reason


def test_the_barrier_of_a_cluster_takes_its_price() -> None:
    prediction = predict_loop(loop(*BARRIER), LAUNCH, None, MODEL)
    prices = MODEL.prices
    expected = prices.fence + prices.cluster_barrier + prices.invalidate
    assert prediction.kind is PredictionKind.PRICES
    assert prediction.cycles == pytest.approx(expected, rel=0.08)


def test_fences_of_several_blocks_on_an_sm_wait_for_one_another() -> None:
    one, four = (
        predict_loop(loop(*BARRIER), replace(LAUNCH, grid=count * 132), None, MODEL).cycles or 0.0 for count in (1, 4)
    )
    assert four - one == pytest.approx(15 * MODEL.prices.fence_of_others, rel=0.1)
    assert "fences of so many blocks" in reason(loop(*BARRIER), replace(LAUNCH, grid=9 * 132))


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (("NOP", "LDS R1, [R2]", "YIELD", "@P0 BRA 0x10"), "waits in a loop"),
        (("@!P0 BRA.DIV UR4, 0x100",), "the masks of its warps"),
        (("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40",), "other warps of its blocks"),
        (("SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R8], R11",), "other warps of its blocks"),
        (("UBLKCP.S.G [UR4], [UR6]",), "bulk copy"),
        (("ATOMG.ADD R1, [R2], R3",), "atomics on global memory"),
        (("NOP", "IADD3 R1, R1, R2", "@P0 BRA 0x10"), "how often an inner loop iterates"),
    ],
)
def test_a_loop_whose_time_is_not_known_has_a_reason(items: tuple[str, ...], words: str) -> None:
    assert words in reason(loop(*items))


def test_branches_that_some_warps_skip_are_simulated() -> None:
    code = loop(item("SHFL.IDX PT, R5, R5, R2, 0x1f", writes=0), "@P0 BRA 0x30", maybe("FADD R5, R5, R6"), "FADD")
    assert predict_loop(code, LAUNCH, None, MODEL).kind is PredictionKind.BRANCHES


def test_a_launch_without_work_takes_its_overhead() -> None:
    prediction = predict_launch(kernel("NOP"), LAUNCH, MEMORY, None, MODEL)
    assert prediction.us == pytest.approx(overhead_of(LAUNCH, MODEL), abs=0.1)


def test_atomics_on_one_address_follow_one_another() -> None:
    code = kernel("RED.E.ADD [R2], R3")
    few, many = (
        predict_launch(code, LAUNCH, replace(MEMORY, atomics=count), None, MODEL).us or 0.0 for count in (0.0, 13800.0)
    )
    assert many - few == pytest.approx(13800 / DEFAULTS.atomics_per_clock / 2000, rel=0.01)


def test_a_second_kernel_begins_some_time_after_the_first() -> None:
    one = SequenceKernel(kernel("NOP"), LAUNCH)
    alone, after, early = (
        predict_sequence(kernels, MEMORY, MODEL).us or 0.0
        for kernels in ([one], [one, one], [one, replace(one, is_programmatic=True)])
    )
    assert after - alone == pytest.approx(MODEL.prices.next_launch_us, abs=0.1)
    assert early - alone == pytest.approx(MODEL.prices.dependent_launch_us, abs=0.1)


def test_dependent_kernels_in_several_waves_have_no_prediction() -> None:
    many = SequenceKernel(kernel("NOP"), replace(LAUNCH, grid=132 * 17))
    assert "take the place" in predict_sequence([many, replace(many, is_programmatic=True)], MEMORY, MODEL).reason
