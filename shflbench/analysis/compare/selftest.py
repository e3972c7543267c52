"""Try the rule on unchanged code: how often it raises a false alarm, what it can find, and how best to use it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.draws import apart, judge_pairs, pairs
from shflbench.analysis.compare.evidence import USUAL_THRESHOLD
from shflbench.analysis.compare.metrics import weights_of_time
from shflbench.analysis.compare.noise_learning import level, observe_noise
from shflbench.analysis.compare.spread_kind import NoisyCase, noisy
from shflbench.errors import ResultsError
from shflbench.thresholds import LEAST, Threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.draws import Outcomes
    from shflbench.analysis.compare.estimates import Estimates
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.pool import Pool

FEWEST = 4  # processes: two comparisons of one a side that have none in common
SIDES = (1, 2, 3, 5)  # processes a side
THRESHOLDS = (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05)
DRAWS = 100  # of each number of processes: they share processes anyway, so that more would not say more
MOST_ALARMED = 0.01  # of the suites
MOST_UNDECIDED = 0.05  # of the cases; for a single case, of the draws
DOUBT = 0.05  # what `GateSetting.ceiling` leaves to chance
STEPS = (1, 1.5, 2, 3, 5, 7, 10)  # thresholds that people use: these, times powers of ten


@dataclass(frozen=True, slots=True)
class GateSetting:
    """What became of comparisons of unchanged code at one number of processes and one threshold."""

    processes: int  # a side
    threshold: float
    certain: float  # the change from which on a case is called slower; a smaller one is suspected at most
    draws: int
    moved: int  # further draws that were refused, because the sentinels say that the machine changed
    alarmed: float  # share of the draws in which a case was called slower or faster
    undecided: float  # share of the cases that were suspected or inconclusive
    apart: int  # comparisons that the processes are enough for if none takes part in two

    @property
    def ceiling(self) -> float:
        """The share of false alarms that draws without any leave possible: as many would be found, 95 times of 100."""
        return float(1 - DOUBT ** (1 / self.apart))

    @property
    def good(self) -> bool:
        """Whether it raises few alarms and leaves few cases open."""
        return self.alarmed <= MOST_ALARMED and self.undecided <= MOST_UNDECIDED

    @property
    def flags(self) -> str:
        """How to ask for it."""
        return f"--processes {self.processes} and --threshold {Threshold(self.threshold)}"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What can be said of one case at one setting."""

    case_id: str
    time_us: float
    detectable: float | None  # the smallest slowdown that nearly all comparisons find, as a fraction; None for none
    settled: float | None  # the threshold from which on 95 of 100 comparisons of unchanged code call it the same
    own_threshold: Threshold | None  # that it needs, where that of the setting leaves it open or alarms


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """What runs of unchanged code show of a machine and its suite."""

    processes: int
    runs: int
    a_us: float  # the noise of a process's time: sd² = a² + (b·time)²
    b: float
    settings: tuple[GateSetting, ...]
    recommended: GateSetting | None  # None where every setting raises alarms or leaves too many cases open
    cases: tuple[Sensitivity, ...]  # at the recommended setting, else at the usual threshold with the most processes
    noisy: tuple[NoisyCase, ...]


def self_test(pool: Pool, noise: NoiseModel | None = None, fewest: int = 1) -> SelfTest:
    """Hold processes of unchanged code against each other in many ways.

    The noise that was learned, if it is given, is used from `fewest` processes a side on.
    ResultsError for less than four processes, or where the sentinels say that the machine never stays the same.
    """
    if len(pool.processes) < FEWEST:
        raise ResultsError(
            f"the self-test needs {FEWEST} processes of unchanged code, and there are {len(pool.processes)} that timed "
            "every case",
            "run the suite again, or once with more: shflbench run SUITE --processes 20",
        )
    draws: dict[int, list[Outcomes]] = {}
    settings: list[GateSetting] = []
    for processes in SIDES:
        sides = pairs(pool.processes, processes, DRAWS)
        if outcomes := judge_pairs(pool, sides, noise if processes >= fewest else None):
            draws[processes] = outcomes
            settings += _settings(pool, processes, outcomes, moved=len(sides) - len(outcomes))
    if not settings:
        raise ResultsError(
            "the machine is never the same in two processes, as its sentinels show",
            "see that nothing else uses the GPU and that its clock holds: shflbench doctor",
        )
    good = [setting for setting in settings if setting.good]
    recommended = min(good, key=lambda setting: (setting.certain, setting.processes), default=None)
    at = recommended or max(
        settings, key=lambda other: (other.processes, -abs(other.threshold - USUAL_THRESHOLD.amount))
    )
    model, cases = observe_noise(pool), level(pool)
    noises = (noisy(name, times, _deviation(pool, model, name), len(cases)) for name, times in cases.items())
    return SelfTest(
        processes=len(pool.processes),
        runs=len({run for run, _ in pool.processes}),
        a_us=model.a_us,
        b=model.b,
        settings=tuple(settings),
        recommended=recommended,
        cases=tuple(_sensitivities(cases, draws[at.processes], at.threshold)),
        noisy=tuple(filter(None, noises)),
    )


def _deviation(pool: Pool, model: NoiseModel, case_id: str) -> float:
    """Return the standard deviation that the model says, in µs."""
    weights = weights_of_time(float(pool.cases[case_id].values.mean()), passes=case_id in pool.passes)
    return math.sqrt(model.variance(weights))


def _settings(pool: Pool, processes: int, outcomes: Sequence[Outcomes], *, moved: int) -> list[GateSetting]:
    """Try every threshold that comparisons of so many processes a side take."""
    return [
        GateSetting(
            processes=processes,
            threshold=threshold,
            certain=max(draw.certain(threshold) for draw in outcomes),
            draws=len(outcomes),
            moved=moved,
            alarmed=float(np.mean([draw.alarms(threshold).any() for draw in outcomes])),
            undecided=float(np.mean([draw.undecided(threshold) for draw in outcomes])),
            apart=apart(pool.processes, processes),
        )
        for threshold in THRESHOLDS
        if all(draw.smallest(threshold) <= threshold for draw in outcomes)
    ]


def _sensitivities(
    cases: Mapping[str, Estimates], outcomes: Sequence[Outcomes], threshold: float
) -> Iterator[Sensitivity]:
    """Yield what draws of one number of processes say of each case."""
    settled = np.array([np.maximum(draw.same_thresholds(), draw.smallest(LEAST / 100)) for draw in outcomes])
    detectable = np.median([draw.detectable(threshold) for draw in outcomes], axis=0)
    undecided = np.mean([draw.undecided(threshold) for draw in outcomes], axis=0)
    alarmed = np.mean([draw.alarms(threshold) for draw in outcomes], axis=0)
    mostly, nearly_always = (
        np.quantile(settled, 1 - share, axis=0, method="higher") for share in (MOST_UNDECIDED, MOST_ALARMED)
    )
    for place, (case_id, estimates) in enumerate(cases.items()):
        needed = nearly_always[place] if alarmed[place] > MOST_ALARMED else mostly[place]
        strict = alarmed[place] > MOST_ALARMED or undecided[place] > MOST_UNDECIDED
        yield Sensitivity(
            case_id,
            float(estimates.values.mean()),
            detectable=_finite(detectable[place]),
            settled=_finite(mostly[place]),
            own_threshold=Threshold(_rounded_up(needed)) if strict and needed <= 1 else None,
        )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _rounded_up(fraction: float) -> float:
    """Return the smallest threshold that people use and that is no less."""
    power = math.floor(math.log10(fraction))
    return next(float(f"{step}e{power}") for step in STEPS if float(f"{step}e{power}") >= fraction)
