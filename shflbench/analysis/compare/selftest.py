"""Apply the rule to unchanged code: its false-alarm rate, its power, and the recommended settings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.draws import count_disjoint_pairs, draw_pairs, judge_pairs
from shflbench.analysis.compare.evidence import USUAL_THRESHOLD
from shflbench.analysis.compare.noise_learning import observe_noise, subtract_offsets
from shflbench.analysis.compare.spread_kind import NoisyCase, describe_noisy
from shflbench.core.thresholds import LEAST, Threshold
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.draws import Outcomes
    from shflbench.analysis.compare.estimates import Estimates
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.analysis.compare.pool import Pool

FEWEST = 4  # processes: two comparisons with one per side that have none in common
PROCESSES_PER_SIDE = (1, 2, 3, 5)
THRESHOLDS = (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05)
DRAWS = 100  # for each number of processes: they share processes, so that more would add nothing
MOST_ALARMED = 0.01  # of the suites
MOST_UNDECIDED = 0.05  # of the cases; for a single case, of the draws
CEILING_ERROR = 0.05  # the probability that the true share of false alarms exceeds `GateSetting.ceiling`
STEPS = (1, 1.5, 2, 3, 5, 7, 10)  # usual thresholds: these, times powers of ten


@dataclass(frozen=True, slots=True)
class GateSetting:
    """The results of comparing unchanged code with one number of processes and one threshold."""

    processes: int  # per side
    threshold: float
    certain: float  # the change from which a case is slower or faster; a smaller one is at most suspected
    draws: int
    refused: int  # further draws, refused because the sentinels show that the machine changed
    alarmed: float  # share of the draws in which a case was slower or faster
    undecided: float  # share of the cases that were suspected or inconclusive
    disjoint: int  # the number of comparisons of which no two share a process

    @property
    def ceiling(self) -> float:
        """The largest share of false alarms that is compatible with none in the disjoint comparisons (95%)."""
        return float(1 - CEILING_ERROR ** (1 / self.disjoint))

    @property
    def good(self) -> bool:
        """Whether it raises few false alarms and leaves few cases open."""
        return self.alarmed <= MOST_ALARMED and self.undecided <= MOST_UNDECIDED

    @property
    def flags(self) -> str:
        """The options that select it."""
        return f"--processes {self.processes} and --threshold {Threshold(self.threshold)}"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What comparisons can detect in one case at one setting."""

    case_id: str
    time_us: float
    detectable: float | None  # the smallest slowdown that nearly all comparisons find, as a fraction; None for none
    settled: float | None  # the smallest threshold at which 95 of 100 comparisons of unchanged code say `same`
    own_threshold: Threshold | None  # that it needs if the setting's threshold leaves it open or raises false alarms


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """The results of comparing runs of unchanged code on one machine."""

    processes: int
    runs: int
    a_us: float  # the noise of a process's time: sd² = a² + (b·time)²
    b: float
    settings: tuple[GateSetting, ...]
    recommended: GateSetting | None  # None if every setting raises false alarms or leaves too many cases open
    cases: tuple[Sensitivity, ...]  # at the recommended setting, else at the usual threshold with the most processes
    noisy: tuple[NoisyCase, ...]


def self_test(pool: Pool, noise: NoiseModel | None = None, fewest: int = 1) -> SelfTest:
    """Compare processes of unchanged code in many combinations.

    Learned noise, if given, is used with at least `fewest` processes per side.
    ResultsError for less than four processes, or if the sentinels differ between all processes.
    """
    if len(pool.processes) < FEWEST:
        raise ResultsError(
            f"the runs have {len(pool.processes)} processes that timed every case; the test needs {FEWEST}",
            "run the suite with more processes: shflbench run SUITE --processes 20",
        )
    draws: dict[int, list[Outcomes]] = {}
    settings: list[GateSetting] = []
    for processes in PROCESSES_PER_SIDE:
        sides = draw_pairs(pool.processes, processes, DRAWS)
        if outcomes := judge_pairs(pool, sides, noise if processes >= fewest else None):
            draws[processes] = outcomes
            settings += _settings(pool, processes, outcomes, refused=len(sides) - len(outcomes))
    if not settings:
        raise ResultsError(
            "the sentinels differ between all processes: the machine itself changes",
            "check that no other program uses the GPU and that its clock is stable: shflbench doctor",
        )
    good = [setting for setting in settings if setting.good]
    recommended = min(good, key=lambda setting: (setting.certain, setting.processes), default=None)
    at = recommended or max(
        settings, key=lambda other: (other.processes, -abs(other.threshold - USUAL_THRESHOLD.amount))
    )
    model, cases = observe_noise(pool), subtract_offsets(pool)
    noises = (describe_noisy(name, times, _deviation(pool, model, name), len(cases)) for name, times in cases.items())
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
    """Return the standard deviation of the model, in µs."""
    return math.sqrt(model.variance(pool.weights(case_id, pool.cases[case_id])))


def _settings(pool: Pool, processes: int, outcomes: Sequence[Outcomes], *, refused: int) -> list[GateSetting]:
    """Try each threshold that comparisons with this number of processes per side accept."""
    return [
        GateSetting(
            processes=processes,
            threshold=threshold,
            certain=max(draw.certain(threshold) for draw in outcomes),
            draws=len(outcomes),
            refused=refused,
            alarmed=float(np.mean([draw.alarms(threshold).any() for draw in outcomes])),
            undecided=float(np.mean([draw.undecided(threshold) for draw in outcomes])),
            disjoint=count_disjoint_pairs(pool.processes, processes),
        )
        for threshold in THRESHOLDS
        if all(draw.smallest(threshold) <= threshold for draw in outcomes)
    ]


def _sensitivities(
    cases: Mapping[str, Estimates], outcomes: Sequence[Outcomes], threshold: float
) -> Iterator[Sensitivity]:
    """Yield the sensitivity of each case, from the draws with one number of processes."""
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
    """Return the smallest usual threshold that is at least `fraction`."""
    power = math.floor(math.log10(fraction))
    return next(float(f"{step}e{power}") for step in STEPS if float(f"{step}e{power}") >= fraction)
