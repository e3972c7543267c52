"""Choose the cases of a comparison that get a line of its forest plot or share a strip, and the ends of the axis."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome
from shflbench.core.model import Interval
from shflbench.output.plot.forest_words import change_in_percent, signed_change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison

MOST_LINES = 100  # about 20 inches
_LEAST = 0.01  # the threshold assumed for a comparison that has none
_ROOM = 2.5  # the axis reaches to this multiple of the threshold, at least
_NEAR = 4.0  # a change within this multiple of the threshold is on the axis
_MANY = 0.75  # and so is a change up to this quantile of all changes
_JUMP = 3.0  # a change more than this multiple of the next smaller one is beyond the axis, which it would stretch
_BARS = 1.5  # intervals widen the axis to this multiple of what the marks need, at most
_EDGE = 1.06  # room for half a mark


@dataclass(frozen=True, slots=True)
class Rest:
    """The cases of one outcome that share a strip."""

    outcome: Outcome
    name: str  # the label of the strip: `389 same`, `12 more inconclusive`
    verdicts: tuple[ChangeVerdict, ...]

    @property
    def changes(self) -> list[float]:
        """The known changes, in percent."""
        return [change_in_percent(verdict.ratio.value) for verdict in self.verdicts if verdict.ratio]

    @property
    def figure(self) -> str:
        """The range of the changes: `+0.02 to +0.34%`; empty if none is known."""
        if not self.changes:
            return ""
        low, high = signed_change(min(self.changes)), signed_change(max(self.changes))
        return f"{low}%" if low == high else f"{low} to {high}%"


def fold(comparison: Comparison) -> tuple[list[ChangeVerdict], list[Rest]]:
    """Return the cases that get a line each, the most important first, and the strips of all others.

    If there is room, every case gets a line; else the cases with the outcome `same` share a strip.
    """
    order = comparison.by_importance()
    if len(order) <= MOST_LINES:
        return list(order), []
    listed = [verdict for verdict in order if verdict.outcome is not Outcome.SAME][:MOST_LINES]
    named, lines = {verdict.outcome for verdict in listed}, {verdict.case_id for verdict in listed}
    rests = []
    for outcome in Outcome:
        others = (verdict for verdict in comparison.verdicts if verdict.case_id not in lines)
        if verdicts := tuple(verdict for verdict in others if verdict.outcome is outcome):
            more = "more " if outcome in named else ""
            what = "cases" if comparison.across else outcome.replace("-", " ")
            rests += [Rest(outcome, f"{len(verdicts)} {more}{what}", verdicts)]
    return listed, rests


@dataclass(frozen=True, slots=True)
class Scale:
    """The ends of the axis, in percent: below 0, above 0."""

    low: float
    high: float

    def beyond(self, change: float) -> int:
        """Return -1 or 1 if the change lies beyond the lower or the upper end of the axis, else 0."""
        return (change > self.high) - (change < self.low)

    def inside(self, change: float) -> float:
        """Return the change, or the end of the axis that it lies beyond."""
        return min(max(change, self.low), self.high)


def scale_of(comparison: Comparison) -> Scale:
    """Return an axis that shows all cases except the few that lie much further out than all others."""
    ratios = [verdict.ratio for verdict in comparison.verdicts if verdict.ratio]
    known = [ratio if ratio.is_known else Interval(*3 * (ratio.value,)) for ratio in ratios]
    typical = 100 * median([verdict.threshold for verdict in comparison.verdicts if verdict.threshold] or [_LEAST])
    up = [(change_in_percent(ratio.value), change_in_percent(ratio.high)) for ratio in known if ratio.value >= 1]
    down = [(-change_in_percent(ratio.value), -change_in_percent(ratio.low)) for ratio in known if ratio.value < 1]
    marks = sorted(mark for mark, _ in (*up, *down))
    near = max(_NEAR * typical, marks[int(_MANY * (len(marks) - 1))] if marks else 0.0)
    return Scale(-_reach(down, near, _ROOM * typical), _reach(up, near, _ROOM * typical))


def _reach(changes: Sequence[tuple[float, float]], near: float, least: float) -> float:
    """Return the end of the axis on one side, from the distances of each case's mark and interval end from 0."""
    far = least
    for mark in sorted(mark for mark, _ in changes):
        if mark > _JUMP * near:
            break
        near, far = max(near, mark), max(far, mark)
    bars = max((bar for mark, bar in changes if mark <= far), default=0.0)
    return _EDGE * max(far, min(bars, _BARS * far))
