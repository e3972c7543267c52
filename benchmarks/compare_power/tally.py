"""Draw comparisons from batches, count their results with the uncertainty of the counts, and state requirements."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import NamedTuple

from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.draws import (
    DEFAULT,
    FINE,
    MODES,
    OPEN,
    PAIR,
    QUICK,
    Drawn,
    Mode,
    between,
    compared,
    true_slowdowns,
    within,
)
from benchmarks.compare_power.recording import Process
from benchmarks.compare_power.suite import PERCENT_MORE, steady
from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.noise_learning import FEWEST, learn
from shflbench.core.thresholds import Threshold

SEED = 20261120
# Comparisons of all batches together; with one process per side all pairs of a batch, if they are not more.
UNCHANGED = {QUICK: 1000, PAIR: 600, DEFAULT: 2000, FINE: 800}
SLOWED = {QUICK: 100, PAIR: 100, DEFAULT: 300, FINE: 120}  # for each percentage
ACROSS = 900  # for each mode
LEARNED = (Mode("learned", 1, Threshold(0.01)), Mode("learned", 3, Threshold(0.01)))
LEARNED_DRAWS = 300  # for each learned mode
SLOWER_BY = 2  # % more iterations, with learned noise
SHORT_US, LONG_US = 10.0, 50.0
SHORT, MIDDLE, LONG, UNSTEADY = "< 10 µs", "10–50 µs", "≥ 50 µs", "waits for memory"
KINDS = (SHORT, MIDDLE, LONG, UNSTEADY)
SURE = 0.95
CLOSE = 0.01  # to 0 or 1: from here a share has two significant digits of the distance
# The requirements, as fractions.
ALARMED, OPEN_MIDDLE = 0.01, 0.06
TWO_MIDDLE, ONE_LONG = 0.98, 0.99
TWO_PERCENT = 2  # more iterations


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of all draws."""

    batches: Sequence[Batch]
    times_us: Mapping[str, float]
    unchanged: Mapping[Mode, list[Drawn]]
    slowed: Mapping[Mode, list[Detection]]
    across: Mapping[tuple[str, str], Mapping[Mode, list[Drawn]]]  # by the names of two batches, each in turn the base
    learned: Mapping[Mode, list[tuple[list[Drawn], list[Detection]]]]  # unchanged and slowed code, of each batch


def gather(batches: Sequence[Batch], scale: float = 1.0) -> Evidence:
    """Draw all comparisons, `scale` times the usual number; the same batches give the same draws."""
    times = {case: time for batch in reversed(batches) for case, time in batch.times_us.items()}
    each = scale / len(batches)
    learners = [batch for batch in batches if len(batch.processes(0)) >= FEWEST + 2 * DEFAULT.processes]
    return Evidence(
        batches,
        times,
        {mode: [one for batch in batches for one in unchanged(batch, mode, each)] for mode in MODES},
        {mode: [one for batch in batches for one in slowed(batch, mode, each)] for mode in MODES},
        {(base.name, new.name): across(base, new, scale / len(batches)) for base, new in combinations(batches, 2)},
        {mode: [learned(batch, mode, each) for batch in learners] for mode in LEARNED},
    )


def fixed(kind: int = 0) -> Random:
    """Return a random generator with a fixed seed, which differs for another `kind`."""
    return Random(SEED + kind)  # noqa: S311  (no secret is drawn)


def unchanged(batch: Batch, mode: Mode, scale: float) -> list[Drawn]:
    """Compare unchanged processes of a batch."""
    pool, count = batch.pool(), max(1, round(UNCHANGED[mode] * scale))
    return compared(pool, pool, mode, within(pool.processes, mode.processes, count, fixed()))


def slowed(batch: Batch, mode: Mode, scale: float) -> list[Detection]:
    """Compare unchanged processes with slowed ones of the same batch: all cases have more iterations at once."""
    pool, results = batch.pool(), []
    for percent in PERCENT_MORE:
        new = batch.pool(percent)
        if len(new.processes) >= mode.processes:
            sides = between(pool.processes, new.processes, mode.processes, round(SLOWED[mode] * scale), fixed(percent))
            draws = compared(pool, new, mode, sides)
            results += detections(draws, percent, batch.times_us, true_slowdowns(pool, new), batch.name)
    return results


def across(base: Batch, new: Batch, scale: float) -> dict[Mode, list[Drawn]]:
    """Compare unchanged processes of two batches, each in turn as the base."""
    count = max(1, round(ACROSS * scale / 2))
    draws: dict[Mode, list[Drawn]] = {mode: [] for mode in (QUICK, DEFAULT, FINE)}
    for mode in draws:
        for one, other in ((base.pool(), new.pool()), (new.pool(), base.pool())):
            sides = between(one.processes, other.processes, mode.processes, count, fixed())
            draws[mode] += compared(one, other, mode, sides)
    return draws


def learned(batch: Batch, mode: Mode, scale: float) -> tuple[list[Drawn], list[Detection]]:
    """Estimate the noise from the first half of the batch, at least 20 processes, and compare the others."""
    pool, new = batch.pool(), batch.pool(SLOWER_BY)
    half = max(FEWEST, len(pool.processes) // 2)
    noise = learn(pool.select(pool.processes[:half]))
    rest = pool.select(pool.processes[half:])
    size, count = mode.processes, round(LEARNED_DRAWS * scale)
    draws = compared(rest, rest, mode, within(rest.processes, size, count, fixed()), noise)
    sides = between(rest.processes, new.processes, size, round(SLOWED[DEFAULT] * scale), fixed())
    slower = compared(rest, new, mode, sides, noise)
    return draws, detections(slower, SLOWER_BY, batch.times_us, true_slowdowns(pool, new), batch.name)


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

    def reaches(self, least: float) -> bool:
        """Whether there are trials, and enough hits."""
        return self.of > 0 and self.value >= least

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
    kinds = {case: kind(case, time_us) for case, time_us in times_us.items()}
    verdicts = Counter((kinds[case], outcome in OPEN) for drawn in draws for case, outcome in drawn.outcomes.items())
    return {each: Share(verdicts[each, True], verdicts[each, True] + verdicts[each, False]) for each in KINDS}


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


class Slowdown(NamedTuple):
    """A range of true slowdowns, as fractions: the time grows by less than the iterations."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return it for a table."""
        return f"{100 * self.low:g}–{100 * self.high:g}% more time"


ONE, TWO, TEN = Slowdown(0.009, 0.011), Slowdown(0.019, 0.025), Slowdown(0.09, 0.11)
SLOWDOWNS = (ONE, TWO, Slowdown(0.028, 0.033), Slowdown(0.045, 0.055), TEN)


class Requirement(NamedTuple):
    """One requirement."""

    sentence: str
    met: bool
    measured: bool = True

    def __str__(self) -> str:
        """Return its line."""
        result = "met" if self.met else "**missed**" if self.measured else "not measured, too few processes"
        return f"- {result}: {self.sentence}"


def slowed_by(cases: Iterable[Detection], slowdown: Slowdown, *kinds: str) -> list[Detection]:
    """Return the cases of these kinds whose true slowdown is in the range."""
    return [case for case in cases if case.kind in kinds and slowdown.low <= case.truth < slowdown.high]


def requirements(evidence: Evidence) -> Iterator[Requirement]:
    """Yield every requirement."""
    draws, unchanged = evidence.unchanged[DEFAULT], f"{DEFAULT}, unchanged code"
    alarms, still, quick = alarmed(draws), undecided(draws, evidence.times_us), alarmed(evidence.unchanged[QUICK])
    yield Requirement(
        f"{unchanged}: {alarms.hits} of {alarms.of} suites raise an alarm, {alarms} ± {100 * jackknife(draws):.2g}% "
        f"(bound {100 * alarms.bound:.2g}% if independent); required: at most 1%",
        alarms.value <= ALARMED,
    )
    open_long = f"{unchanged}: {still[LONG]} of the cases of 50 µs or more are open; required: none"
    yield Requirement(open_long, not still[LONG].hits)
    open_middle = f"{unchanged}: {still[MIDDLE]} of the cases of 10 to 50 µs are open; required: at most 6%"
    yield Requirement(open_middle, still[MIDDLE].value <= OPEN_MIDDLE)
    raised = f"{QUICK}, unchanged code: {quick.hits} of {quick.of} suites raise an alarm; required: none"
    yield Requirement(raised, not quick.hits)
    yield from _slowed(evidence)


def _slowed(evidence: Evidence) -> Iterator[Requirement]:
    default, fine, quick = (evidence.slowed[mode] for mode in (DEFAULT, FINE, QUICK))
    two = [each for each in default if each.percent == TWO_PERCENT]
    nominal = [each for each in two if each.kind == MIDDLE]
    less = sum(each.truth < TWO.low for each in nominal)
    middle, long = (pooled(slowed_by(default, TWO, kind)) for kind in (MIDDLE, LONG))
    yield Requirement(
        f"{DEFAULT}, {TWO}: {middle} of the cases of 10 to 50 µs are found; required: 98% (with 2% more iterations "
        f"{pooled(nominal)}, because {less} of these {len(nominal)} cases take less than 1.9% more time)",
        middle.reaches(TWO_MIDDLE),
    )
    found = f"{DEFAULT}, {TWO}: {long} of the cases of 50 µs or more are found; required: all"
    yield Requirement(found, long.reaches(1.0))
    one = pooled(slowed_by(fine, ONE, LONG))
    found = f"{FINE}, {ONE}: {one} of the cases of 50 µs or more are found; required: 99%"
    yield Requirement(found, one.reaches(ONE_LONG), measured=one.of > 0)
    ten = pooled(slowed_by(quick, TEN, MIDDLE, LONG))
    found = f"{QUICK}, {TEN}: {ten} of the cases of 10 µs or more are found; required: all"
    yield Requirement(found, ten.reaches(1.0))
    long, faster = pooled(each for each in two if each.kind == LONG), Share(sum(e.faster for e in two), pooled(two).of)
    yield Requirement(
        f"{DEFAULT}, all cases with 2% more iterations at once: {long} of those of 50 µs or more are called slower, "
        f"{faster} of all cases faster; required: all and none",
        long.reaches(1.0) and not faster.hits,
    )
