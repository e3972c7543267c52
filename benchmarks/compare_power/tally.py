"""Count the results of many comparisons, with the uncertainty of the counts."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compare_power.draws import OPEN
from benchmarks.compare_power.suite import steady
from shflbench.analysis.compare.comparison import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.compare_power.draws import Drawn
    from shflbench.analysis.compare.estimates import Process

SHORT_US, LONG_US = 10.0, 50.0
SHORT, MIDDLE, LONG, UNSTEADY = "< 10 µs", "10–50 µs", "≥ 50 µs", "waits for memory"
KINDS = (SHORT, MIDDLE, LONG, UNSTEADY)
SURE = 0.95
CLOSE = 0.01  # to 0 or 1: from here a share has two significant digits of the distance


def kind(case_id: str, time_us: float) -> str:
    """Return the kind of a case."""
    if not steady(case_id):
        return UNSTEADY
    return SHORT if time_us < SHORT_US else MIDDLE if time_us < LONG_US else LONG


@dataclass(frozen=True, slots=True)
class Share:
    """A number of hits out of a number of trials."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The fraction, 0 without trials."""
        return self.hits / self.of if self.of else 0.0

    @property
    def bound(self) -> float:
        """The upper limit of the fraction at 95% confidence for independent trials (Clopper-Pearson)."""
        low, high = self.value, 1.0
        if self.hits >= self.of:
            return 1.0
        for _ in range(40):  # halvings: to 1e-12
            middle = (low + high) / 2
            low, high = (middle, high) if _at_most(self.hits, self.of, middle) > 1 - SURE else (low, middle)
        return high

    def __str__(self) -> str:
        """Return it in percent; 0 and 100 only if exact."""
        if not self.of:
            return "–"
        if self.hits in {0, self.of}:
            return "100%" if self.hits else "0%"
        rest = min(self.hits, self.of - self.hits) / self.of
        percent = round(100 * rest, 1) if rest >= CLOSE else float(f"{100 * rest:.2g}")
        return f"{100 - percent if self.hits > self.of / 2 else percent:.10g}%"


def _at_most(hits: int, of: int, chance: float) -> float:
    """Return the probability of at most `hits`, by the binomial distribution; `chance` is between 0 and 1."""
    terms = (
        math.lgamma(of + 1)
        - math.lgamma(k + 1)
        - math.lgamma(of - k + 1)
        + k * math.log(chance)
        + (of - k) * math.log1p(-chance)
        for k in range(hits + 1)
    )
    return math.fsum(map(math.exp, terms))


def alarmed(draws: Sequence[Drawn], counts: Callable[[str], bool] = lambda _: True) -> Share:
    """Return the share of comparisons with a case called slower or faster, among the cases that `counts` selects."""
    return Share(sum(any(map(counts, drawn.alarms)) for drawn in draws), len(draws))


def suspected(draws: Sequence[Drawn]) -> Share:
    """Return the share of comparisons with a suspected case and none called slower or faster."""
    hits = sum(Outcome.SUSPECTED in drawn.outcomes.values() and not drawn.alarms for drawn in draws)
    return Share(hits, len(draws))


def jackknife(draws: Sequence[Drawn]) -> float:
    """Return the standard error of the share of alarms, from its values without each process in turn.

    A process is in many draws, and one outlier process raises many alarms: processes are independent, draws are not.
    The randomness of the draws adds to the result, so that it is conservative.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 11.5.
    """
    return process_jackknife([(drawn.processes, Share(bool(drawn.alarms), 1)) for drawn in draws])


def process_jackknife(parts: Sequence[tuple[frozenset[Process], Share]]) -> float:
    """Return the standard error of a share that is added up from draws, each with its processes, as `jackknife` does.

    NaN if no share is defined without some process, or only one.
    """
    processes = frozenset().union(*(drawn for drawn, _ in parts))
    remaining = [added(share for drawn, share in parts if process not in drawn) for process in processes]
    without = [share.value for share in remaining if share.of]
    if len(without) <= 1:
        return math.nan
    mean = math.fsum(without) / len(without)
    return math.sqrt((len(without) - 1) / len(without) * math.fsum((each - mean) ** 2 for each in without))


def added(shares: Iterable[Share]) -> Share:
    """Return the share of all trials together."""
    several = list(shares)
    return Share(sum(each.hits for each in several), sum(each.of for each in several))


def alarm_counts(draws: Iterable[Drawn]) -> list[tuple[str, int]]:
    """Return the cases that raised alarms with the number of alarms, the most frequent first."""
    return Counter(case for drawn in draws for case in drawn.alarms).most_common()


def undecided(draws: Iterable[Drawn], times_us: Mapping[str, float]) -> dict[str, Share]:
    """Return the share of open verdicts by kind of case; refused comparisons have no verdicts."""
    counts = {each: [0, 0] for each in KINDS}
    for drawn in draws:
        for case, outcome in drawn.outcomes.items():
            count = counts[kind(case, times_us[case])]
            count[0] += outcome in OPEN
            count[1] += 1
    return {each: Share(*count) for each, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Detection:
    """How often the slowdown of one case was found."""

    case_id: str
    time_us: float
    percent: int  # more iterations
    truth: float  # more time, as a fraction
    slower: Share
    faster: int
    batch: str

    @property
    def kind(self) -> str:
        """The kind of its case."""
        return kind(self.case_id, self.time_us)


def detections(
    draws: Sequence[Drawn], percent: int, times_us: Mapping[str, float], truths: Mapping[str, float], batch: str
) -> list[Detection]:
    """Return how often each case was found in comparisons whose new side has `percent` more iterations."""
    counts = {case: Counter(drawn.outcomes.get(case) for drawn in draws) for case in truths}
    return [
        Detection(
            case_id=case,
            time_us=times_us[case],
            percent=percent,
            truth=truths[case],
            slower=Share(outcomes[Outcome.SLOWER], len(draws)),
            faster=outcomes[Outcome.FASTER],
            batch=batch,
        )
        for case, outcomes in counts.items()
    ]


def pooled(cases: Iterable[Detection]) -> Share:
    """Return the share of all comparisons of these cases that found the slowdown."""
    return added(each.slower for each in cases)
