"""Comparisons as `shflbench compare` finds them on an H200, made by hand: times, noise and sentences are plausible.

Times are those of the H200 (gtc2013, and two short launches); noise is that of three processes per side.
"""

from dataclasses import replace
from math import hypot, sqrt

from shflbench.analysis.compare.cause import Cause, CauseKind
from shflbench.analysis.compare.comparison import (
    ChangeVerdict,
    Comparison,
    Correction,
    Metric,
    NoiseUsed,
    Outcome,
    Reason,
    SideInfo,
)
from shflbench.analysis.compare.verdicts import change_percent
from shflbench.core.model import Interval

THRESHOLD = 0.01
PROCESSES = 3
NOISE = NoiseUsed("fitted to the spread between the processes of a side", a_us=0.035, b=2.3e-4)
FALSE_ALARMS = 0.01
OFFSET_US = 0.062  # how much longer the sentinels ran on the new side
FASTEST_HALF_US = 0.1  # how much faster the fastest half is than the median, on both sides
WIDTH = 5  # standard errors to each side of an estimate
POWER, POWER_95 = 2.33, 1.64  # standard errors more, and 99 of 100 are found; 95

BASE = SideInfo(
    name="baseline main",
    suite="gtc2013",
    device="NVIDIA H200",
    gpus=("GPU-11111111-2222-3333-4444-555555555555",),
    driver="580.159.04",
    nvrtc="13.0",
    started="2026-11-20T08:00:00Z",
    commit="0123456789abcdef0123456789abcdef01234567",
    runs=3,
    processes=PROCESSES,
)
NEW = replace(
    BASE,
    name="results/gtc2013/nvidia-h200-20261121-1",
    started="2026-11-21T09:30:00Z",
    commit="89abcdef0123456789abcdef0123456789abcdef",
    runs=1,
)

A100 = "NVIDIA A100-SXM4-80GB"
SM_CLOCKS = 1980 / 1410 - 1  # how much longer its cycle is

# Case, µs, and the change on the new side as a fraction: within the noise.
SAME = (
    ("neighbor/smem/f32/26x1024/4096", 328.0, 0.0002),
    ("neighbor/smem-double/f32/26x1024/4096", 213.2, -0.0003),
    ("neighbor/smem-syncwarp/f32/26x1024/4096", 136.1, 0.0004),
    ("neighbor/smem-unsafe/f32/26x1024/4096", 136.9, 0.0001),
    ("neighbor/smem/f64/26x1024/4096", 329.4, 0.0),
    ("neighbor/smem-unsafe/f64/26x1024/4096", 269.1, -0.0001),
    ("neighbor/shfl/f64/26x1024/4096", 136.5, -0.0005),
    ("neighbor/smem/f32/264x1024/4096", 567.3, 0.0003),
    ("neighbor/smem-syncwarp/f32/264x1024/4096", 269.0, 0.0002),
    ("neighbor/shfl/f32/264x1024/4096", 136.4, -0.0002),
    ("reduce/smem/f32/264x1024/4096", 2893.0, 0.0004),
    ("reduce/smem-unsafe/f32/264x1024/4096", 1329.0, -0.0004),
    ("reduce/cub/f32/264x1024/4096", 669.2, 0.0001),
    ("reduce/cg/f32/264x1024/4096", 667.1, 0.0002),
    ("reduce/redux/i32/264x1024/4096", 270.2, 0.0003),
    ("scan/smem/f32/264x1024/4096", 2210.0, -0.0002),
    ("scan/shfl/f32/264x1024/4096", 671.2, 0.0),
    ("broadcast/smem/f32/26x1024/1024", 41.3, 0.0007),
    ("broadcast/shfl/f32/26x1024/1024", 18.9, -0.0011),
    ("transpose/smem/f32/104x256/4096/tile=32", 905.6, 0.0003),
)


def rich() -> Comparison:
    """Every outcome, most reasons, and everything else that a comparison can say."""
    unlike = tuple(timed(case, time_us, change) for case, time_us, change in SAME)
    return Comparison(
        base=BASE,
        new=replace(NEW, driver="580.181.01", nvrtc="13.1"),
        metric=Metric.TIME,
        verdicts=(*unlike[:10], *_changed(), *unlike[10:], *_undecided(), *_one_sided()),
        noise=NOISE,
        false_alarms=FALSE_ALARMS,
        offset_us=OFFSET_US,
        notes=("the driver was 580.159.04, now 580.181.01", "NVRTC was 13.0, now 13.1"),
        warnings=("the learned noise is not used: the processes of a side differ by 1.6× as much",),
        allowed=frozenset({Outcome.MISSING}),
    )


def quiet() -> Comparison:
    """Twenty cases, none of which changed."""
    offset_us = -0.031
    verdicts = tuple(timed(case, time_us, change, offset_us=offset_us) for case, time_us, change in SAME)
    return Comparison(
        base=BASE,
        new=NEW,
        metric=Metric.TIME,
        verdicts=verdicts,
        noise=NOISE,
        false_alarms=FALSE_ALARMS,
        offset_us=offset_us,
    )


def across() -> Comparison:
    """Two models of GPU side by side: a report without verdict."""
    reported = tuple(_reported(case, time_us, change) for case, time_us, change in SAME)
    lost = _bare("reduce/shfl/f32/264x1024/4096", Outcome.MISSING, Reason.NOT_IN_NEW, "not on the new side")
    return Comparison(
        base=BASE,
        new=replace(NEW, device=A100, gpus=("GPU-99999999-8888-7777-6666-555555555555",)),
        metric=Metric.TIME,
        verdicts=(*reported, lost),
        noise=None,
        across=(f"the GPUs differ ({BASE.device}, {A100})", "the architectures differ (sm_90, sm_80)"),
    )


def many(cases: int, *, slower: int) -> Comparison:
    """A suite of this many cases, of which the first became slower."""
    verdicts = tuple(
        timed(f"neighbor/shfl/f32/{number}x1024/4096/mode=xor", 70.0, 0.02 if number <= slower else 0.0001)
        for number in range(1, cases + 1)
    )
    return replace(quiet(), verdicts=verdicts)


def timed(
    case: str, base_us: float, change: float, tail: str = "", *, offset_us: float = OFFSET_US, **other: object
) -> ChangeVerdict:
    """Return the verdict of a case that three processes per side timed at `base_us`, changed by that fraction."""
    error = hypot(NOISE.a_us, NOISE.b * base_us) * sqrt(2 / PROCESSES) / base_us
    ratio = Interval(1 + change, 1 + change - WIDTH * error, 1 + change + WIDTH * error)
    outcome, reason = _outcome(ratio)
    measured = base_us + FASTEST_HALF_US, base_us * ratio.value + FASTEST_HALF_US + offset_us
    facts: dict[str, object] = {
        "outcome": outcome,
        "reason": reason,
        "sentence": f"{measured[0]:.4g} µs, now {measured[1]:.4g} µs, corrected by {-offset_us:+.3f} µs: "
        f"{change_percent(ratio.value)}% ({change_percent(ratio.low)} to {change_percent(ratio.high)}%){tail}",
        "measured_base": measured[0],
        "measured_new": measured[1],
        "correction": Correction(-offset_us, -offset_us, 0.0),
        "base": base_us,
        "new": base_us * ratio.value,
        "ratio": ratio,
        "threshold": THRESHOLD,
        "detectable": max(THRESHOLD, WIDTH * error) + POWER * error,
        "detectable_95": max(THRESHOLD, WIDTH * error) + POWER_95 * error,
        "median_ratio": ratio.value + 0.0002,
        "p90_ratio": ratio.value + 0.0005,
    }
    return ChangeVerdict(case_id=case, **{**facts, **other})  # type: ignore[arg-type]  # by name, as the caller wrote them


def _outcome(ratio: Interval) -> tuple[Outcome, Reason]:
    if ratio.value >= 1 + THRESHOLD:
        return Outcome.SLOWER, Reason.BEYOND_THRESHOLD
    if ratio.value <= 1 - THRESHOLD:
        return Outcome.FASTER, Reason.BEYOND_THRESHOLD
    return Outcome.SAME, Reason.WITHIN_THRESHOLD


def _changed() -> tuple[ChangeVerdict, ...]:
    return (
        timed(
            "neighbor/shfl/f32/26x1024/4096",
            70.0,
            0.271,
            why=("registers 32 → 72", "local bytes 24 → 0", "occupancy 100% → 50%", "LDS per iteration 0 → 1"),
            causes=(
                Cause(
                    CauseKind.OCCUPANCY,
                    "occupancy 100% → 50% (registers 32 → 72)",
                    ("occupancy 100% → 50%", "registers 32 → 72"),
                ),
                Cause(
                    CauseKind.INSTRUCTIONS,
                    "2.19 instead of 1.19 instructions per iteration (+1 LDS)",
                    ("LDS per iteration 0 → 1",),
                ),
                Cause(CauseKind.COMPILER, "NVRTC 13.0 → 13.1"),
            ),
        ),
        timed(
            "reduce/shfl/f32/264x1024/4096",
            666.5,
            0.0208,
            why=("registers 32 → 40", "spill bytes 0 → 16"),
            remarks=("the distribution changed: -1.6% at the 90th percentile, +2.1% in the fastest half",),
            p90_ratio=0.984,
        ),
        timed(
            "scan/shfl-predicate/f32/264x1024/4096",
            667.2,
            -0.0334,
            why=("registers 34 → 30",),
            causes=(Cause(CauseKind.SOURCE, "its source changed: scan/kernels.cu"),),
        ),
        timed(
            "bitonic-sort/shfl/i32/26x1024/512",
            212.4,
            0.0052,
            ", below the threshold of 1%",
            reason=Reason.BELOW_THRESHOLD,
            remarks=("the distribution changed: +4.0% at the 90th percentile, +0.52% in the fastest half",),
            p90_ratio=1.031,
        ),
    )


def _undecided() -> tuple[ChangeVerdict, ...]:
    return (
        timed(
            "neighbor/shfl/f32/26x1024/64",
            5.92,
            0.0085,
            advice="14 processes per side would settle it",
            outcome=Outcome.INCONCLUSIVE,
            reason=Reason.INTERVAL_TOO_WIDE,
            needs_processes=14,
        ),
        timed(
            "reduce/shfl/f32/26x1024/64",
            11.4,
            0.0105,
            advice="fewer than three rounds per process: measure longer",
            outcome=Outcome.INCONCLUSIVE,
            reason=Reason.TOO_FEW_ROUNDS,
        ),
        timed(
            "scan/smem/f32/26x1024/64",
            14.7,
            0.0312,
            advice="1 or 2 processes per side may differ by as much: measure 3 or more",
            outcome=Outcome.SUSPECTED,
            reason=Reason.FEW_PROCESSES,
            causes=(
                Cause(CauseKind.SAME_CODE, "the machine code is the same; the driver was 580.159.04, now 580.181.01"),
            ),
        ),
        _bare(
            "transpose/shfl/f32/104x256/16/tile=32",
            Outcome.NOT_COMPARABLE,
            Reason.OTHER_LAUNCHES,
            "the sides differ in launches per sample (8, 1)",
        ),
        _bare(
            "neighbor/shfl/f16/26x1024/4096",
            Outcome.NOT_COMPARABLE,
            Reason.BASE_NOT_TIMED,
            "timed now; skipped (needs sm_90) on the base side",
        ),
    )


def _one_sided() -> tuple[ChangeVerdict, ...]:
    failed = 'incorrect (3 of 8 inputs matched: lane 7 <= lane 6 & "sorted" | first at 0x1f) on the new side'
    stopped = "failed (the worker stopped:\nCUDA_ERROR_ILLEGAL_ADDRESS\x1b[0m) on the new side"
    return (
        _bare("reduce/redux/i32/26x1024/4096", Outcome.MISSING, Reason.NOT_IN_NEW, "not on the new side"),
        _bare("bitonic-sort/smem/i32/26x1024/512", Outcome.FAILED, Reason.INCORRECT_RESULT, failed),
        _bare("filter/collective/i32/8*sms x 64/1", Outcome.FAILED, Reason.CASE_FAILED, stopped),
        _bare("neighbor/shfl/bf16/26x1024/4096", Outcome.NEW, Reason.NOT_IN_BASE, "not on the base side"),
    )


def _bare(case: str, outcome: Outcome, reason: Reason, sentence: str) -> ChangeVerdict:
    return ChangeVerdict(case_id=case, outcome=outcome, reason=reason, sentence=sentence)


def _reported(case: str, base_us: float, change: float) -> ChangeVerdict:
    """Return a case that takes as many cycles on the other GPU, and a little more or fewer."""
    slower = SM_CLOCKS + 40 * change
    facts = timed(case, base_us, slower, outcome=Outcome.NOT_COMPARABLE, reason=Reason.ACROSS, detectable=None)
    measured = replace(facts, threshold=None, detectable_95=None, correction=None)
    return replace(measured, measured_base=facts.base, measured_new=facts.new)
