"""The requirements for `compare` on recorded runs, and whether they are met."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.compare_power.draws import DEFAULT, FINE, QUICK
from benchmarks.compare_power.tally import (
    LONG,
    MIDDLE,
    Share,
    alarmed,
    jackknife,
    pooled,
    undecided,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.compare_power.evidence import Evidence
    from benchmarks.compare_power.tally import Detection

# The requirements, as fractions.
ALARMED, OPEN_MIDDLE = 0.01, 0.06
TWO_MIDDLE, ONE_LONG = 0.98, 0.99
TWO_PERCENT = 2  # more iterations


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
    yield from _unchanged(evidence)
    yield from _slowed(evidence)
    yield from _all_at_once(evidence)


def _unchanged(evidence: Evidence) -> Iterator[Requirement]:
    draws = evidence.unchanged[DEFAULT]
    alarms, error, still = alarmed(draws), jackknife(draws), undecided(draws, evidence.times_us)
    yield Requirement(
        f"{DEFAULT}, unchanged code: {alarms.hits} of {alarms.of} suites raise an alarm, {alarms} ± {100 * error:.2g}% "
        f"(bound {100 * alarms.bound:.2g}% if independent); required: at most 1%",
        alarms.value <= ALARMED,
    )
    yield Requirement(
        f"{DEFAULT}, unchanged code: {still[LONG]} of the cases of 50 µs or more are open; required: none",
        not still[LONG].hits,
    )
    yield Requirement(
        f"{DEFAULT}, unchanged code: {still[MIDDLE]} of the cases of 10 to 50 µs are open; required: at most 6%",
        still[MIDDLE].value <= OPEN_MIDDLE,
    )
    quick = alarmed(evidence.unchanged[QUICK])
    yield Requirement(
        f"{QUICK}, unchanged code: {quick.hits} of {quick.of} suites raise an alarm; required: none", not quick.hits
    )


def _slowed(evidence: Evidence) -> Iterator[Requirement]:
    default, fine, quick = (evidence.slowed[mode] for mode in (DEFAULT, FINE, QUICK))
    middle, long = (pooled(slowed_by(default, TWO, kind)) for kind in (MIDDLE, LONG))
    nominal = [each for each in default if each.percent == TWO_PERCENT and each.kind == MIDDLE]
    less = sum(each.truth < TWO.low for each in nominal)
    yield Requirement(
        f"{DEFAULT}, {TWO}: {middle} of the cases of 10 to 50 µs are found; required: 98% (with 2% more iterations "
        f"{pooled(nominal)}, because {less} of these {len(nominal)} cases take less than 1.9% more time)",
        _at(middle, TWO_MIDDLE),
    )
    yield Requirement(
        f"{DEFAULT}, {TWO}: {long} of the cases of 50 µs or more are found; required: all", _at(long, 1.0)
    )
    one = pooled(slowed_by(fine, ONE, LONG))
    yield Requirement(
        f"{FINE}, {ONE}: {one} of the cases of 50 µs or more are found; required: 99%",
        _at(one, ONE_LONG),
        measured=one.of > 0,
    )
    ten = pooled(slowed_by(quick, TEN, MIDDLE, LONG))
    yield Requirement(f"{QUICK}, {TEN}: {ten} of the cases of 10 µs or more are found; required: all", _at(ten, 1.0))


def _at(share: Share, least: float) -> bool:
    return share.of > 0 and share.value >= least


def _all_at_once(evidence: Evidence) -> Iterator[Requirement]:
    cases = [each for each in evidence.slowed[DEFAULT] if each.percent == TWO_PERCENT]
    long = pooled(each for each in cases if each.kind == LONG)
    faster = Share(sum(each.faster for each in cases), pooled(cases).of)
    yield Requirement(
        f"{DEFAULT}, all cases with 2% more iterations at once: {long} of those of 50 µs or more are called slower, "
        f"{faster} of all cases faster; required: all and none",
        _at(long, 1.0) and not faster.hits,
    )
