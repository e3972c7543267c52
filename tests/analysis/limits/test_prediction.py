from dataclasses import replace

import pytest

from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.prediction import PredictedLaunch, overhead_us, predict
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests, TimedCode
from tests.analysis.limits.timed import code, item

SHUFFLES = code(
    item("SHFL.IDX PT, R5, R5, R2, 0x1f", stall=2, writes=0),
    item("FADD R6, R5, R6", stall=5, waits=(0,)),
    item("BRA 0x0", stall=5),
    unroll=1,
)
LAUNCH = PredictedLaunch(grid=132, block=32, sms=132, resident_blocks=32, clock_mhz=2000, iterations=1000)


def cycles(loop: TimedCode, launch: PredictedLaunch, requests: KernelRequests | None = None) -> float:
    prediction = predict(loop, launch, requests)
    assert prediction.cycles is not None, prediction.reason
    return prediction.cycles


def test_one_warp_takes_the_latency_of_its_chain() -> None:
    assert cycles(SHUFFLES, LAUNCH) == DEFAULTS.shfl_latency + 5 + 5 + DEFAULTS.taken_branch


def test_a_full_sm_takes_one_clock_per_shuffle() -> None:
    assert cycles(SHUFFLES, replace(LAUNCH, grid=264, block=1024, resident_blocks=2)) == pytest.approx(64, rel=0.02)


def test_waves_follow_one_another() -> None:
    one = replace(LAUNCH, grid=132, block=1024, resident_blocks=1)
    assert cycles(SHUFFLES, replace(one, grid=3 * 132)) == pytest.approx(3 * cycles(SHUFFLES, one), rel=0.02)
    assert overhead_us(replace(one, grid=3 * 132), DEFAULTS) > overhead_us(one, DEFAULTS)


def test_the_last_wave_may_have_fewer_blocks() -> None:
    partial = replace(LAUNCH, grid=3 * 132, resident_blocks=2)
    two, one = (cycles(SHUFFLES, replace(partial, grid=count * 132)) for count in (2, 1))
    assert cycles(SHUFFLES, partial) == two + one


def test_the_time_is_that_of_the_iterations_and_the_overhead_of_a_launch() -> None:
    prediction = predict(SHUFFLES, LAUNCH)
    assert prediction.us == pytest.approx(cycles(SHUFFLES, LAUNCH) * 1000 / 2000 + overhead_us(LAUNCH, DEFAULTS))


def test_launches_one_after_another_have_less_overhead() -> None:
    repeated = replace(LAUNCH, is_repeated=True)
    saved = DEFAULTS.one_pass_us - DEFAULTS.repeated_us
    assert overhead_us(LAUNCH, DEFAULTS) - overhead_us(repeated, DEFAULTS) == pytest.approx(saved)


def requests(passes: float) -> KernelRequests:
    load = AccessRequests("a.cu", 1, AccessSpace.SHARED, AccessKind.LOAD, 32, 4, 1, 32, passes, passes, 1)
    return KernelRequests((load,), (), 4, per_iteration=True)


def test_bank_conflicts_that_the_emulator_counted_occupy_the_path() -> None:
    loop = code(item("LDS R5, [R2]", stall=2, writes=0), item("FADD R6, R5, R6", waits=(0,)), item("BRA 0x0"))
    full = replace(LAUNCH, grid=264, block=1024, resident_blocks=2)
    assert cycles(loop, full, requests(8)) == pytest.approx(8 * cycles(loop, full, requests(1)), rel=0.1)


UNKNOWN_TIME = "the time of barriers of a cluster or in memory, asynchronous copies and matrix units is not known"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("XYZ R1, R2", "no unit is known for some of its instructions"),
        ("UCGABAR_WAIT", UNKNOWN_TIME),
        ("HMMA.16816.F32 R4, R4, R8, RZ", UNKNOWN_TIME),
        ("BRA.DIV UR6, 0x6f0", "its warps may diverge"),
        ("MATCH.ANY R8, R9", "the time of MATCH depends on the values"),
        ("LDG.E.STRONG.GPU R1, [R2]", "the time of its loads from L2 or DRAM is not known"),
        ("STG.E [R2], R1", "it uses atomics or stores to global memory in the loop"),
        ("LDL R1, [R2]", "the lines of local memory that it accesses are not known"),
    ],
)
def test_what_would_be_a_guess_is_refused(text: str, reason: str) -> None:
    prediction = predict(code(item(text), item("BRA 0x0")), LAUNCH)
    assert (prediction.us, prediction.reason) == (None, reason)


def test_a_loop_with_paths_that_some_passes_skip_is_refused() -> None:
    prediction = predict(code(item("FADD R1, R2, R3", always=False), item("BRA 0x0")), LAUNCH)
    assert (prediction.us, prediction.reason) == (None, "not every pass executes all instructions")


def test_local_memory_that_does_not_fit_in_l1_is_refused() -> None:
    loop = code(item("LDL R5, [R2]", stall=2, writes=0), item("BRA 0x0", waits=(0,)))
    load = AccessRequests(
        "a.cu", 1, AccessSpace.LOCAL, AccessKind.LOAD, 32, 4, 1, 32, sectors=4, least_sectors=4, lines=1
    )
    coalesced = KernelRequests((load,), (), 4, per_iteration=True)
    small = replace(LAUNCH, grid=264, block=1024, resident_blocks=2, local_bytes=32)
    assert predict(loop, small, coalesced).us is not None
    assert predict(loop, replace(small, local_bytes=64), coalesced).reason == "L1 does not hold its local memory"


def test_a_register_as_limit_takes_a_shuffle_twice_as_long() -> None:
    full = replace(LAUNCH, grid=264, block=1024, resident_blocks=2)
    limits = code(item("SHFL.IDX PT, R5, R5, R2, R3", stall=2, writes=0), item("BRA 0x0", stall=5, waits=(0,)))
    assert cycles(limits, full) == pytest.approx(2 * 64, rel=0.02)


def loads(requests_per_block: float, bits: int) -> KernelRequests:
    load = AccessRequests("a.cu", 1, AccessSpace.SHARED, AccessKind.LOAD, bits, requests_per_block, 1, 32, 8, 8, 1)
    return KernelRequests((load,), (), 32, per_iteration=True)


@pytest.mark.parametrize(("opcode", "joined"), [("LDS", 1), ("LDS.128", 4)])
def test_predicated_loads_take_long_only_in_the_warps_that_send_them(opcode: str, joined: int) -> None:
    loop = code(item(f"@!P1 {opcode} R4, [R2]", stall=2, writes=0), item("BRA 0x0", stall=5, waits=(0,)))
    launch = replace(LAUNCH, block=1024, resident_blocks=1)
    all_warps, few = (cycles(loop, launch, loads(joined * sent, 32)) for sent in (32, 8))
    assert few < 0.8 * all_warps


def test_loads_from_l1_take_longer_with_lanes_in_any_order() -> None:
    loop = code(item("LDG.E R7, desc[UR4][R6.64]", stall=2, writes=0), item("BRA 0x0", stall=5, waits=(0,)))
    full = replace(LAUNCH, grid=264, block=1024, resident_blocks=2)
    in_order, scattered = (
        cycles(
            loop,
            full,
            KernelRequests(
                (
                    AccessRequests(
                        *("a.cu", 1, AccessSpace.GLOBAL, AccessKind.LOAD, 32, 4, 1, 32),
                        sectors=4,
                        least_sectors=least,
                        lines=1,
                    ),
                ),
                (),
                4,
                per_iteration=True,
            ),
        )
        for least in (4, 2)
    )
    assert in_order == pytest.approx(64 * DEFAULTS.global_request, rel=0.02)
    assert scattered == pytest.approx(64 * 2 * DEFAULTS.scattered_line, rel=0.02)
