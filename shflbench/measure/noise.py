"""Judge how quiet the machine was during a run: pure functions of what the run saw."""

from __future__ import annotations

from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Literal

from shflbench.measure.rounds import rounds_of
from shflbench.model import Noise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.model import Sample

Verdict = Literal["quiet", "busy GPU", "drifting clock"]

# Kernels shorter than this show the offset of their process (up to 0.08 µs) and the timer's step, not the machine.
LONG_US = 100.0
# One H200 left to itself is 0.25–0.39 % slower for 17 % of the time, 0.1 s at most in a row, and half an hour later
# its long kernels take the same to 0.07 %. So:
SLOW = 0.0015  # excess of a round in the slow state: halfway there
SLOW_SHARE = 1 / 3  # of the rounds: twice as many as usual
FAR = 0.01  # excess of a round that no slow state explains: another program ran in between
FAR_SHARE = 0.05  # of the rounds: as rare ones as that are left out by every median
MOVED = 0.004  # from one part of a run to another: more than all of it in the slow state
PARTS = 10  # of a run, at most
FEWEST_ROUNDS = 9  # a part: more than half of them are slow by chance in 1 of 100
CLOCK = 0.01  # from the 5th to the 95th of 100 bursts: a clock that holds moves by less than 0.1 %
DROPPED = 0.01  # of the samples

_STOP_OTHERS = "stop what else runs on the GPU (`nvidia-smi` lists it) and run again"
_RUN_AGAIN = "run again, or choose another GPU with --gpu"
_LOCK_CLOCK = "let the GPU cool down, lock its clock (`nvidia-smi --lock-gpu-clocks`) and run again"


def verdict(
    sentinels: Sequence[Sample] = (),
    *,
    others: tuple[int | None, int | None] = (None, None),
    dropped: float = 0.0,
    clocks_mhz: Sequence[float] = (),
) -> Noise:
    """Return how quiet the machine was; the first evidence against it decides, in the order of the arguments below.

    Args: how many other processes computed on the GPU at the run's start and at its end, None if unknown; the share of
    all samples that was taken under throttling; the SM clock of each burst; the samples of all sentinels.
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
    """Hold the parts of the run against one another, each by the median of its rounds."""
    moves = []
    for sentinel in excesses:
        parts = min(PARTS, len(sentinel) // FEWEST_ROUNDS)
        bounds = [len(sentinel) * part // parts for part in range(parts + 1)] if parts else [0]
        levels = [median(sentinel[begin:end]) for begin, end in pairwise(bounds)]
        moves.append(max(levels, default=0.0) - min(levels, default=0.0))
    # All of them, or it was the kernel and not the clock.
    if min(moves, default=0.0) > MOVED:
        sentence = f"the sentinels' times moved by {100 * min(moves):.1f} % in the course of the run"
        yield Noise("drifting clock", sentence, _LOCK_CLOCK)


def _by_scatter(excesses: Sequence[Sequence[float]], *, alone: bool) -> Iterator[Noise]:
    """Judge slow rounds; where NVML listed no other process (`alone`), none is claimed."""
    rounds = [excess for sentinel in excesses for excess in sentinel]
    for limit, most in ((FAR, FAR_SHARE), (SLOW, SLOW_SHARE)):
        share = sum(excess > limit for excess in rounds) / len(rounds) if rounds else 0.0
        if share > most:
            sentence = (
                f"the sentinels were more than {100 * limit:.2g} % slower than usual in {share:.0%} of their rounds"
            )
            if alone:
                sentence += "; NVML listed no other process"
            yield Noise("busy GPU", sentence, _RUN_AGAIN if alone else _STOP_OTHERS)


def _excesses(sentinels: Sequence[Sample]) -> list[list[float]]:
    """Return by what fraction each round of each long sentinel took longer than usual, in the run's order."""

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
    """Return what nine tenths of the values lie between."""
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
        known.append(f"nine tenths of the sentinels' rounds within {100 * (high - low):.2f} %")
    if clocks_mhz:
        known.append(f"the SM clock within {100 * _clock_range(clocks_mhz):.2f} %")
    return ", ".join(known) if known else "neither sentinels nor a clock were measured that could tell otherwise"
