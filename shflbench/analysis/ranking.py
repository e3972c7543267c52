"""Decide the candidates of a group, the fastest, and ties: the one rule of every answer.

Tables, charts, advice, reports and the documentation ask it, so that they name the same variants. A candidate is a
timed, safe variant that is no library call, and whose uncertainty is known. Library calls are shown and compared, but
are not named as the fastest: a sentence names the fastest candidate and adds the library calls that are at least as
fast. Two variants tie unless the joint interval of their ratio shows that one is slower by more than `TIE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from shflbench.core.grouping import group_by
from shflbench.core.model import Interval, Mechanism, Status
from shflbench.core.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.store import Row

TIE = 0.01  # of the time: processes with the same code differ by up to as much, and no reader gains by less
NO_CHOICE = frozenset({"memory-ladder"})  # its variants read different memories: none can replace another
_THREE_DECIMALS_WITHIN = 0.005  # of 1, which two decimals would round it to
_TWO_DECIMALS_BELOW = 1.2  # there, one decimal hides the difference
_NO_DECIMAL_FROM = 100.0  # from here on, a decimal says nothing


class Certainty(StrEnum):
    """How sure it is which candidate is fastest."""

    CLEAR = "clear"  # every other candidate is slower, by more than what matters
    TIE = "tie"  # some candidates are as fast, within what matters
    UNDECIDED = "undecided"  # the intervals are too wide to tell which


class Uncertain(Protocol):
    """A measured value with what its interval is made of."""

    def interval(self, family: int, /) -> Interval:
        """Return the interval that holds jointly for `family` values."""


class JointTimes(Protocol):
    """The times of a run, or of several; see `analysis.claims.times`."""

    def measured(self, row: Row, quantity: str, /) -> Uncertain | None:
        """Return a quantity of a timed row, such as `time`; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The timed rows of one group with at least two candidates."""

    rows: tuple[Row, ...]  # fastest first; unsafe variants and library calls, too
    times_us: Mapping[str, Interval]  # by case
    leaders: tuple[Row, ...]  # the fastest candidate, then those that tie with it
    others: tuple[Row, ...]  # candidates that are clearly slower
    certainty: Certainty

    @property
    def fastest(self) -> Row:
        """The candidate with the shortest time; it wins only where it is the only leader."""
        return self.leaders[0]

    @property
    def candidates(self) -> tuple[Row, ...]:
        """All candidates, fastest first."""
        return self.leaders + self.others

    @property
    def next_mechanism(self) -> Row | None:
        """The fastest candidate of another mechanism than the fastest candidate's; None without one."""
        return next((row for row in self.candidates if row.mechanism != self.fastest.mechanism), None)

    @property
    def is_tie(self) -> bool:
        """Whether it is not shown that one candidate is the fastest."""
        return len(self.leaders) > 1

    @property
    def variants(self) -> tuple[str, ...]:
        """The leading variants; in alphabetical order, because the times of a tie give none."""
        return tuple(sorted(row.variant for row in self.leaders))

    @property
    def libraries(self) -> tuple[Row, ...]:
        """The library calls that are at least as fast as the fastest candidate, by their times, fastest first."""
        return tuple(row for row in self._even_calls if self.slowdown(row, self.fastest).value <= 1 + TIE)

    @property
    def undecided_libraries(self) -> tuple[Row, ...]:
        """The library calls with a longer time than the fastest candidate that are not shown to be slower."""
        return tuple(row for row in self._even_calls if row not in self.libraries)

    @property
    def faster_libraries(self) -> tuple[Row, ...]:
        """The library calls that beat the fastest candidate."""
        return tuple(row for row in self.libraries if self.is_slower(self.fastest, row))

    @property
    def _even_calls(self) -> tuple[Row, ...]:
        """The library calls that are not shown to be slower than the fastest candidate, fastest first."""
        calls = (row for row in self.rows if row.safe and row.mechanism == Mechanism.LIBRARY)
        return tuple(row for row in calls if not self.is_slower(row, self.fastest))

    @property
    def shown_best(self) -> tuple[Row, ...]:
        """The leaders, and the library calls that are at least as fast, fastest first."""
        best = {row.case_id for row in self.leaders + self.libraries}
        return tuple(row for row in self.rows if row.case_id in best)

    def slowdown(self, row: Row, other: Row) -> Interval:
        """Return the time of a row divided by that of another."""
        return ratio(self.times_us[row.case_id], self.times_us[other.case_id])

    def is_slower(self, row: Row, other: Row) -> bool:
        """Return whether a row is shown to be slower than another, by more than what matters."""
        return self.slowdown(row, other).low > 1 + TIE

    def tie(self, row: Row, other: Row) -> bool:
        """Return whether neither of two rows is shown to be slower."""
        return not (self.is_slower(row, other) or self.is_slower(other, row))


def rankings_of(rows: Iterable[Row], times: JointTimes | None = None) -> list[Ranking]:
    """Return the ranking of each group of a run's rows with at least two candidates, in file order."""
    groups = group_by(rows, lambda row: (row.pattern, row.dtype, row.launch, row.iterations, row.options)).values()
    return [ranking for group in groups if (ranking := ranking_of(group, times))]


def ranking_of(rows: Sequence[Row], times: JointTimes | None = None) -> Ranking | None:
    """Return the ranking between the rows of one group; None where fewer than two are candidates.

    With `times` of the run, the intervals of a group hold jointly, with an error of 1%, and include what processes
    differ; they need the samples. Otherwise they are those of the rows: 95% each.
    """
    ranked = tuple(sorted(filter(_is_timed, rows), key=time_us))
    candidates = tuple(filter(competes, ranked))
    if len(candidates) < 2 or candidates[0].pattern in NO_CHOICE:  # noqa: PLR2004  (a ranking takes two)
        return None
    times_us = {row.case_id: _interval(row, times, len(ranked)) for row in ranked}
    slowdowns = {row.case_id: ratio(times_us[row.case_id], times_us[candidates[0].case_id]) for row in candidates}
    first, *rest = candidates
    leaders = (first, *(row for row in rest if slowdowns[row.case_id].low <= 1 + TIE))
    others = tuple(row for row in rest if row not in leaders)
    certainty = Certainty.CLEAR
    if len(leaders) > 1:
        within = all(slowdowns[row.case_id].high <= 1 + TIE for row in leaders[1:])
        certainty = Certainty.TIE if within else Certainty.UNDECIDED
    return Ranking(ranked, times_us, leaders, others, certainty)


def competes(row: Row) -> bool:
    """Return whether the row is a candidate: timed with an interval, safe, and no library call.

    A row without a mechanism, of another tool, is a task of its own and no variant.
    """
    is_rival = row.mechanism not in {"", Mechanism.LIBRARY}
    return _is_timed(row) and row.safe and is_rival


def _is_timed(row: Row) -> bool:
    return row.status is Status.TIMED and bool(row.time_us) and row.time_interval is not None


def time_us(row: Row) -> float:
    """Return the row's time in µs; infinite where there is none, so that it sorts last."""
    return row.time_us if row.time_us is not None else float("inf")


def times(ratio: float) -> str:
    """Return a ratio of speeds for a reader: `271×`, `4.7×`, `1.04×`, `1.004×`."""
    return f"{ratio:.{_decimals(ratio)}f}×"


def times_within(over: Interval) -> str:
    """Return a ratio of speeds, with its interval where the digits show it: `5.3×`, `1.04× (1.02× to 1.06×)`."""
    digits = _decimals(over.value)
    if over.high - over.low < 2 * 10**-digits:  # two of the last digit: narrower ends show how numbers are rounded
        return f"{over.value:.{digits}f}×"
    return f"{over.value:.{digits}f}× ({over.low:.{digits}f}× to {over.high:.{digits}f}×)"


def times_range(ratios: Sequence[float]) -> str:
    """Return the least and the largest of some ratios: `1.8× to 4.7×`, or the one that they are."""
    low, high = times(min(ratios)), times(max(ratios))
    return low if low == high else f"{low} to {high}"


def _decimals(ratio: float) -> int:
    if abs(ratio - 1) < _THREE_DECIMALS_WITHIN:
        return 3
    return 2 if ratio < _TWO_DECIMALS_BELOW else 1 if ratio < _NO_DECIMAL_FROM else 0


def _interval(row: Row, times: JointTimes | None, family: int) -> Interval:
    """Return the time of a timed row in µs, one of `family` that are compared."""
    measured = times.measured(row, "time") if times else None
    if measured and (joint := measured.interval(family)).low > 0:
        return joint
    assert row.time_interval is not None  # noqa: S101  (`_is_timed`)
    return row.time_interval


def best_rows(groups: Iterable[Sequence[Row]], times: JointTimes | None) -> list[Row]:
    """Return for each group the fastest candidate, what ties with it, and library calls that tie with it or beat it.

    Groups keep the order of the results; of a group with fewer than two candidates, the candidate. None without a time.
    """
    return [row for group in groups for row in _best(group, times)]


def _best(group: Sequence[Row], times: JointTimes | None) -> Iterable[Row]:
    ranking = ranking_of(group, times)
    return ranking.shown_best if ranking else filter(competes, group)
