"""Find disturbances in the samples of a case: pure functions.

Each check has two conditions. The effect is statistically significant, by a test that is valid for independent noise of
any distribution; and it is large enough to matter. The first alone flags negligible effects, the second plain noise.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.model import Disturbance, Trouble
from shflbench.core.statistics import median_interval, trend, two_levels, widen
from shflbench.core.words import percent_of_one
from shflbench.measure.rounds import slow_rounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.statistics import Trend
    from shflbench.measure.rounds import Round, SampledCase

    ByProcess = Mapping[int, Sequence[Round]]

# The share of undisturbed cases that one check may flag; for all checks together it must stay below 5%.
SIGNIFICANCE = 0.01
# Slow rounds get the largest share: with 0.1% of noise, two rounds of three launches that are 0.3% slower are detected
# in 95% of the cases at 0.03, and in 92% at 0.01.
SLOW_SIGNIFICANCE = 0.03
FEWEST_ROUNDS = 8  # that can be significant: seven rounds have the same sign by chance in 1.6% of all cases

# The smallest effects that matter, as fractions of the time.
DRIFT = 0.003  # over all rounds: two runs of the same code should not differ by more either
LEVELS = 0.003  # between the levels: the difference between the usual and the slow state of a GPU
NONLINEAR = 0.005  # of the middle from the line through the ends: the default precision
PROCESSES = 0.005  # between processes: the default precision
# The best cut through 27 samples of a normal distribution is this wide in less than 1 of 1,000 cases.
LEVELS_APART = 5.0  # standard deviations within a level
STEPS_APART = 3.0  # of the timer: times on adjacent steps are not two levels
# The smallest share of the samples on a level; fewer are outliers or slow episodes. The search for the cut also covers
# slightly smaller shares: the best cut through a long tail lies there, for example of bursts with slow first launches.
MINORITY = 0.25
SMALLEST_CUT = 0.2


def troubles(case: SampledCase, places: int = 1) -> tuple[Trouble, ...]:
    """Return the disturbances in all samples of a case, whose rounds use at most so many `places` in turn.

    Rounds at different places differ, which is no disturbance: each is compared with those at its own place.
    """
    iterations, step = case.iterations, case.step_us
    rounds = group_by(case.rounds, lambda round_: round_.process)
    enough = {process: series for process, series in rounds.items() if len(series) >= FEWEST_ROUNDS}
    moved = _trend(enough, iterations, places)
    candidates = (
        _drift(enough, moved),
        _slow_episodes(enough, moved, iterations, places),
        _two_levels(enough, step, iterations, places),
        _throttled(case.dropped),
        _nonlinear([round_ for series in enough.values() for round_ in series], step, iterations),
        _processes(enough, step, iterations),
    )
    return tuple(trouble for trouble in candidates if trouble is not None)


def _relative(rounds: Sequence[Round], iterations: int, places: int) -> list[list[float]]:
    """Return, by round, how far each sample of a process is above the typical time at its place, as a fraction."""
    by_place = group_by(rounds, lambda round_: round_.number % places)
    typical = {place: median(round_.median_us(iterations) for round_ in alike) for place, alike in by_place.items()}
    return [[time / typical[round_.number % places] - 1 for time in round_.times_us[iterations]] for round_ in rounds]


def _moments(rounds: Sequence[Round]) -> list[float]:
    """Return when each round began: in seconds if all rounds have them, else as round numbers."""
    return [float(round_.number) if round_.seconds is None else round_.seconds for round_ in rounds]


def _trend(rounds: ByProcess, iterations: int, places: int) -> Trend | None:
    """Return the trend of the rounds' medians that all processes share; None if it is not significant."""
    strata = [
        list(zip(_moments(series), map(median, _relative(series, iterations, places)), strict=True))
        for series in rounds.values()
    ]
    moved = trend(strata)
    return moved if moved.p <= SIGNIFICANCE else None


def _span(rounds: ByProcess) -> float:
    return max((max(times) - min(times) for times in map(_moments, rounds.values())), default=0.0)


def _drift(rounds: ByProcess, moved: Trend | None) -> Trouble | None:
    if moved is None or abs(moved.slope) * _span(rounds) < DRIFT:
        return None
    span = _span(rounds)
    size = abs(moved.slope) * span
    timed = all(round_.seconds is not None for series in rounds.values() for round_ in series)
    over = f"{span:.1f} s" if timed else f"{span:.0f} rounds"
    return Trouble(
        Disturbance.DRIFT,
        size,
        f"its time {'rose' if moved.slope > 0 else 'fell'} by {percent_of_one(size)} over {over}",
        "run again while the GPU is warm, or lock its clock (`nvidia-smi --lock-gpu-clocks`)",
    )


def _slow_episodes(rounds: ByProcess, moved: Trend | None, iterations: int, places: int) -> Trouble | None:
    """Check the times after subtracting the trend; otherwise the last rounds of every rise would count as slow."""
    slope = moved.slope if moved else 0.0
    detrended = [
        [time - slope * moment for time in times]
        for series in rounds.values()
        for moment, times in zip(_moments(series), _relative(series, iterations, places), strict=True)
    ]
    slow = slow_rounds(detrended, SLOW_SIGNIFICANCE)
    if slow is None:
        return None
    return Trouble(
        Disturbance.SLOW_EPISODES,
        slow.excess,
        f"{slow.rounds} of {len(detrended)} rounds were {percent_of_one(slow.excess)} slower than the others",
        "stop other programs on the GPU; a larger `min_seconds` spreads the rounds over more slow episodes",
    )


def _two_levels(rounds: ByProcess, step: float, iterations: int, places: int) -> Trouble | None:
    times = [time for series in rounds.values() for values in _relative(series, iterations, places) for time in values]
    if not times:
        return None
    typical = median(round_.median_us(iterations) for series in rounds.values() for round_ in series)
    levels = two_levels(times, SMALLEST_CUT, step / typical)
    if levels is None or levels.distance < LEVELS_APART or not MINORITY <= levels.share <= 1 - MINORITY:
        return None
    size = levels.high - levels.low
    if size < max(LEVELS, STEPS_APART * step / typical):
        return None
    return Trouble(
        Disturbance.TWO_LEVELS,
        size,
        f"{levels.share:.0%} of its samples take {percent_of_one(size)} longer than the rest, with few in between",
        f"its median jumps when the shares change; {'more' if len(rounds) > 1 else 'several'} processes show how far",
    )


def _throttled(dropped: Sequence[bool]) -> Trouble | None:
    if not any(dropped):
        return None
    count = sum(dropped)
    return Trouble(
        Disturbance.THROTTLED,
        count / len(dropped),
        f"{count} of {len(dropped)} samples were dropped: the GPU was throttled, or the host launched too late",
        "let the GPU cool down or lock a lower clock (`nvidia-smi --lock-gpu-clocks`); keep a core free for the host",
    )


def _nonlinear(rounds: Sequence[Round], step: float, iterations: int) -> Trouble | None:
    """Compare the time at the middle iteration count with the line through the ends, round by round."""
    counts = sorted({count for round_ in rounds for count in round_.times_us if count <= iterations})
    whole = [round_ for round_ in rounds if all(count in round_.times_us for count in counts)]
    if len(counts) != 3 or len(whole) < FEWEST_ROUNDS:  # noqa: PLR2004
        return None
    first, middle, last = counts
    part = (middle - first) / (last - first)
    straight = [(1 - part) * round_.median_us(first) + part * round_.median_us(last) for round_ in whole]
    bends = [round_.median_us(middle) - line for round_, line in zip(whole, straight, strict=True)]
    bend = widen(median_interval(bends, 1 - SIGNIFICANCE), step)  # half of it, and half of the line's
    size = abs(bend.value) / median(straight)
    if size < NONLINEAR or bend.low <= 0 <= bend.high:
        return None
    return Trouble(
        Disturbance.NONLINEAR,
        size,
        f"at {middle} iterations it takes {percent_of_one(size)} {'more' if bend.value > 0 else 'less'} "
        f"than the line through {first} and {last} says",
        "do not rely on the time of an iteration or of a launch without any; time more iterations",
    )


def _processes(rounds: ByProcess, step: float, iterations: int) -> Trouble | None:
    """Compare the slowest process with the fastest: they disagree if the intervals of their rounds do not overlap."""
    intervals = {
        process: widen(median_interval([round_.median_us(iterations) for round_ in series], 1 - SIGNIFICANCE), step / 2)
        for process, series in rounds.items()
    }
    if len(intervals) <= 1:
        return None
    fast = min(intervals, key=lambda process: intervals[process].value)
    slow = max(intervals, key=lambda process: intervals[process].value)
    size = intervals[slow].value / intervals[fast].value - 1
    if size < PROCESSES or intervals[fast].high >= intervals[slow].low:
        return None
    return Trouble(
        Disturbance.PROCESSES,
        size,
        f"it takes {percent_of_one(size)} longer in process {slow} than in process {fast}; "
        "their intervals do not overlap",
        "measure in more processes"
        if iterations == 1
        else "time more iterations, because the offset of a process is nearly constant, or measure in more processes",
    )
