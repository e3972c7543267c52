"""The noise of a real GPU over several processes: times of launches, as arrays.

It is that of 40 processes of unchanged code on one H200. Every process adds an offset of its own to all its times; the
GPU is in a slow state for a sixth of the time, in episodes that hit whatever runs then; single samples are late; and
the timer has a step.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shflbench.core.model import Case, Launch, Mechanism
from shflbench.measure.schedule import iteration_counts, launches_per_sample, samples_per_burst
from shflbench.measure.sentinels import SENTINELS
from tests.fakes.runs import TICK_US

Numbers = NDArray[np.float64]

OFFSET_US = 0.055  # standard deviation, from process to process, of what a process adds to all its times
# Likewise of what it adds to the times of one case: so much, and so much of the time. The slow state and the samples do
# the rest: the mean of the fastest half differs between processes by √(0.035² + (2.5e-4·t)²) µs, as it does on an H200.
OWN_US, OWN = 0.033, 1e-4
SAMPLE_US, SAMPLE = 0.03, 1e-3  # likewise, from sample to sample
LATE_SHARE, LATE_US = 0.01, 10.0  # of the samples, which are late by as much at most
SLOW = (0.0025, 0.0039)  # by what fraction the slow state is slower
SLOW_S, QUIET_S = 0.06, 0.293  # mean length of an episode, of which none exceeds 0.1 s, and of what lies between two
ROUND_S = 0.11  # from one round to the next: twelve take more than a second
DOUBLED_SHARE = 0.1  # of the samples of a case that `doubled` names
SLOW_ROUND = 6  # every sixth round is slower, by the fraction `slow_round`
OVERHEAD_US = 3.8  # of a launch without iterations

SENTINEL_US = {
    sentinel.case_id: time_us
    for sentinel, time_us in zip(SENTINELS, (12.7, 16.9, 20.8, 22.1, 30.2, 34.1, 414.0, 397.0), strict=True)
}

VARIANTS = {  # from the fastest to the slowest, which is the baseline
    "shfl": Mechanism.SHFL,
    "smem-syncwarp": Mechanism.SMEM,
    "smem-double": Mechanism.SMEM,
    "smem": Mechanism.SMEM,
}
_UNROLL = 16


def spread(count: int = 40, shortest_us: float = 4.5, longest_us: float = 2300.0) -> dict[Case, float]:
    """Return some cases and the time of each in µs, evenly spaced on a logarithmic scale."""
    cases = []
    for index in range(count):
        group, place = divmod(index, len(VARIANTS))
        blocks = 26 * (group // 2 + 1)
        launch = Launch(f"{blocks}x1024", 1024, blocks)
        cases.append(Case(("neighbor", "reduce")[group % 2], list(VARIANTS)[place], "f32", launch, 4096))
    return dict(zip(cases, np.geomspace(shortest_us, longest_us, count).tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """A run of several processes: what they time, and what is different about it."""

    processes: int = 3
    seed: int = 1
    rounds: int = 12
    cases: Mapping[Case, float] = field(default_factory=spread)  # the undisturbed time of each, in µs
    factors: Mapping[str, float] = field(default_factory=dict)  # by which cases take longer, by id
    factor: float = 1.0  # by which everything takes longer, sentinels too
    offset_us: float = 0.0  # that is added to everything, sentinels too
    doubled: Collection[str] = ()  # ids of cases of which one sample in ten takes twice as long
    slow_round: float = 0.0  # fraction by which one round of every six takes longer
    sentinels: bool = True
    suite: str = "gtc2013"

    def every(self, factor: float) -> dict[str, float]:
        """Return `factors` by which all cases, and no sentinel, take longer."""
        return dict.fromkeys((case.id for case in self.cases), factor)


@dataclass(frozen=True)
class Point:
    """What is launched in every round: a case or a sentinel at one iteration count."""

    name: str
    subject: int  # number of the case or sentinel
    iterations: int
    true_us: float
    launches: int  # that a sample brackets

    @property
    def size(self) -> int:
        """Samples per round."""
        return samples_per_burst(self.true_us * self.launches)


def own_points(run: Simulated) -> list[Point]:
    """Return all cases at their own iterations, then the sentinels; cases of a group bracket as many launches."""
    fastest: dict[str, float] = {}
    for case, time_us in run.cases.items():
        fastest[case.group] = min(time_us, fastest.get(case.group, time_us))
    cases = [
        (case.id, case.iterations, time_us * run.factors.get(case.id, 1.0), launches_per_sample(fastest[case.group]))
        for case, time_us in run.cases.items()
    ]
    sentinels = [
        (sentinel.case_id, sentinel.iterations, SENTINEL_US[sentinel.case_id], 1)
        for sentinel in SENTINELS
        if run.sentinels
    ]
    return [
        Point(name, subject, iterations, time_us * run.factor, launches)
        for subject, (name, iterations, time_us, launches) in enumerate([*cases, *sentinels])
    ]


def further_points(run: Simulated, own: Sequence[Point]) -> list[Point]:
    """Return the cases at about a half and a quarter of their iterations."""
    found = []
    for case, point in zip(run.cases, own, strict=False):
        overhead = min(OVERHEAD_US, 0.8 * point.true_us)
        for count in iteration_counts(case.iterations, _UNROLL)[1:]:
            time_us = overhead + (point.true_us - overhead) * count / case.iterations
            found.append(Point(case.id, point.subject, count, time_us, point.launches))
    return found


class Process:
    """One process: what it adds to its times, and when the GPU is in its slow state."""

    def __init__(self, run: Simulated, number: int, subjects: int) -> None:
        self._run = run
        self._random = random = np.random.default_rng((run.seed, number))
        self._offset_us = OFFSET_US * random.standard_normal() + run.offset_us
        self._own_us, self._own = OWN_US * random.standard_normal(subjects), OWN * random.standard_normal(subjects)
        episodes = 10 + int(4 * run.rounds * ROUND_S / (SLOW_S + QUIET_S))  # more than ever take place
        lengths = np.empty(2 * episodes)
        lengths[0::2] = random.exponential(QUIET_S, episodes)
        lengths[1::2] = random.uniform(2 * SLOW_S - 0.1, 0.1, episodes)
        self._edges = np.cumsum(lengths) - 1.0  # a second before the first round the GPU was no different
        self._slow = np.zeros(2 * episodes + 1)  # between two edges
        self._slow[1::2] = random.uniform(*SLOW, episodes)

    def times_us(self, points: Sequence[Point]) -> tuple[Numbers, Numbers]:
        """Return the times (point, round, sample) and when the bursts began (point, round), in s.

        A point of fewer samples than the others leaves the last ones unused.
        """
        run, random = self._run, self._random
        true, launches, own_us, own = (
            np.array(values)[:, None, None]
            for values in (
                [point.true_us for point in points],
                [float(point.launches) for point in points],
                self._own_us[[point.subject for point in points]],
                self._own[[point.subject for point in points]],
            )
        )
        size = max(point.size for point in points)
        begins = ROUND_S * (np.arange(run.rounds) + random.random((len(points), run.rounds)))
        moments = begins[:, :, None] + np.arange(size) * true * launches / 1e6
        slow = self._slow[np.searchsorted(self._edges, moments)]
        slow += run.slow_round * (np.arange(run.rounds) % SLOW_ROUND == SLOW_ROUND // 2)[:, None]
        chance = random.random(moments.shape)
        scatter = np.hypot(SAMPLE_US, SAMPLE * true) * random.standard_normal(moments.shape)
        scatter += np.where(chance < LATE_SHARE, LATE_US * chance / LATE_SHARE, 0.0)
        times = true * (1 + slow + own) + self._offset_us + own_us + scatter / np.sqrt(launches)
        doubled = np.array([point.name in run.doubled for point in points])[:, None, None]
        times *= 1 + doubled * (chance > 1 - DOUBLED_SHARE)
        step = TICK_US / launches
        return np.round(np.round(times / step) * step, 6), np.round(begins, 6)
