"""Judge how quiet the machine was during a run: pure functions of the run's observations."""

from __future__ import annotations

from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Literal

from shflbench.core.model import Noise
from shflbench.measure.rounds import rounds_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import Sample

NoiseVerdict = Literal["quiet", "busy GPU", "drifting clock", "unsteady GPU"]
UNSTEADY: NoiseVerdict = "unsteady GPU"

# Times of shorter kernels vary with the offset of the process (up to 0.08 µs) and the timer's step more than with the
# state of the machine.
LONG_US = 100.0
# An idle H200 is 0.25–0.39% slower for 17% of the time, at most 0.1 s in a row, and the times of long kernels repeat to
# 0.07% after half an hour. Therefore:
SLOW = 0.0015  # excess of a round in the slow state: half of the slowdown
SLOW_SHARE = 1 / 3  # of the rounds: twice the usual share
FAR = 0.01  # excess of a round that the slow state does not explain
FAR_SHARE = 0.05  # of the rounds: a median ignores a smaller share
MOVED = 0.004  # from one part of a run to another: more than if one part is entirely in the slow state
PARTS = 10  # of a run, at most
FEWEST_ROUNDS = 9  # per part: more than half of nine rounds are slow by chance in 1 of 100 parts
CLOCK = 0.01  # from the 5th to the 95th percentile of the bursts: a steady clock moves by less than 0.1%
DROPPED = 0.01  # of the samples

_STOP_OTHERS = "stop other programs on the GPU (`nvidia-smi` lists them) and run again"
_RUN_AGAIN = "run again, or choose another GPU with --gpu"
_LOCK_CLOCK = "let the GPU cool down, lock its clock (`nvidia-smi --lock-gpu-clocks`) and run again"


def verdict(
    sentinels: Sequence[Sample] = (),
    *,
    others: tuple[int | None, int | None] = (None, None),
    dropped: float = 0.0,
    clocks_mhz: Sequence[float] = (),
) -> Noise:
    """Return how quiet the machine was; the first evidence of a disturbance decides, in the order of the arguments.

    Args: the number of other processes on the GPU at the start and at the end of the run, None if unknown; the share of
    all samples that were taken while the GPU was throttled; the SM clock of each burst; the samples of all sentinels.
    """
    excesses = _excesses(sentinels)
    against = (
        *_by_others(others),
        *_by_dropped(dropped),
        *_by_clock(clocks_mhz),
        *_by_drift(excesses),
        *_by_scatter(excesses, alone=others == (0, 0)),
    )
    return against[0] if against else Noise("quiet", _quiet(excesses, clocks_mhz), "")


def _by_others(others: tuple[int | None, int | None]) -> Iterator[Noise]:
    for count, when in zip(others, ("start", "end"), strict=True):
        if count:
            who = "another process" if count == 1 else f"{count} other processes"
            yield Noise("busy GPU", f"{who} computed on the GPU at the {when} of the run", _STOP_OTHERS)


def _by_dropped(share: float) -> Iterator[Noise]:
    if share > DROPPED:
        yield Noise("drifting clock", f"{share:.0%} of the samples were taken while the GPU was throttled", _LOCK_CLOCK)


def _by_clock(clocks_mhz: Sequence[float]) -> Iterator[Noise]:
    if clocks_mhz and _clock_range(clocks_mhz) > CLOCK:
        low, high = _middle(clocks_mhz)
        yield Noise("drifting clock", f"the SM clock moved between {low:.0f} and {high:.0f} MHz", _LOCK_CLOCK)


def _by_drift(excesses: Sequence[Sequence[float]]) -> Iterator[Noise]:
    """Compare the medians of the parts of the run."""
    moves = []
    for sentinel in excesses:
        parts = min(PARTS, len(sentinel) // FEWEST_ROUNDS)
        bounds = [len(sentinel) * part // parts for part in range(parts + 1)] if parts else [0]
        levels = [median(sentinel[begin:end]) for begin, end in pairwise(bounds)]
        moves.append(max(levels, default=0.0) - min(levels, default=0.0))
    # All sentinels, because a moving clock affects each of them.
    if min(moves, default=0.0) > MOVED:
        sentence = f"the times of all long sentinels moved by at least {100 * min(moves):.1f}%"
        yield Noise("drifting clock", sentence, _LOCK_CLOCK)


def _by_scatter(excesses: Sequence[Sequence[float]], *, alone: bool) -> Iterator[Noise]:
    """Compare the share of slow rounds with the usual one; they do not prove that another program ran (`alone`)."""
    rounds = [excess for sentinel in excesses for excess in sentinel]
    for limit, most in ((FAR, FAR_SHARE), (SLOW, SLOW_SHARE)):
        share = sum(excess > limit for excess in rounds) / len(rounds) if rounds else 0.0
        if share > most:
            sentence = f"the sentinels were over {100 * limit:.2g}% slower than usual in {share:.0%} of their rounds"
            if alone:
                sentence += "; NVML listed no other process"
            yield Noise(UNSTEADY, sentence, _RUN_AGAIN if alone else _STOP_OTHERS)


def _excesses(sentinels: Sequence[Sample]) -> list[list[float]]:
    """Return, for each long sentinel, the excess of each round over the usual time as a fraction, in order."""

    def kind(sample: Sample) -> tuple[str, int]:
        return sample.case_id, sample.iterations

    excesses = []
    for (_, iterations), samples in groupby(sorted(sentinels, key=kind), kind):
        medians = [round_.median_us(iterations) for round_ in rounds_of(list(samples))]
        usual = median(medians) if medians else 0.0
        if usual >= LONG_US:
            excesses.append([value / usual - 1 for value in medians])
    return excesses


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """Return the 5th and the 95th percentile of the values."""
    ordered = sorted(values)
    left_out = len(ordered) // 20
    return ordered[left_out], ordered[-1 - left_out]


def _clock_range(clocks_mhz: Sequence[float]) -> float:
    low, high = _middle(clocks_mhz)
    return (high - low) / median(clocks_mhz)


def _quiet(excesses: Sequence[Sequence[float]], clocks_mhz: Sequence[float]) -> str:
    known = []
    if excesses:
        low, high = _middle([excess for sentinel in excesses for excess in sentinel])
        known.append(f"90% of the sentinels' rounds within {100 * (high - low):.2f}%")
    if clocks_mhz:
        known.append(f"the SM clock within {100 * _clock_range(clocks_mhz):.2f}%")
    return ", ".join(known) if known else "no disturbance was seen, without sentinels and without a clock"
