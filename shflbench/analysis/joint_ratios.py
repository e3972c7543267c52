"""Ratios of the times of a group with the intervals that decide which of them are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, TypedDict

from shflbench.analysis.ranking import rankings_of
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shflbench.analysis.ranking import JointTimes, Ranking
    from shflbench.store import Row

SAME = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class JointRatios:
    """Ratios of the time of a case, with intervals that hold jointly for its group with an error of 1%."""

    speedup: Interval | None  # time of the baseline divided by that of the case; None without a time of the baseline
    slowdown: Interval  # time of the case divided by that of the fastest candidate
    fastest: str  # the variant with the shortest time; it is shown to be faster only if `certainty` is clear
    certainty: str  # of the group: clear, tie or undecided


class JointColumns(TypedDict):
    """The ratios of a case; null where they are not known. Intervals of a group hold jointly, with an error of 1%."""

    joint_speedup_low: Annotated[
        float | None,
        "lower end of the interval of the speed-up that decides which kernel is fastest: those of a group hold "
        "jointly, with an error of 1%, and include what processes differ by",
    ]
    joint_speedup_high: Annotated[float | None, "upper end of the joint interval of the speed-up"]
    slowdown: Annotated[float | None, "time of the kernel divided by that of the fastest one"]
    joint_slowdown_low: Annotated[float | None, "lower end of the joint interval of the slowdown"]
    joint_slowdown_high: Annotated[float | None, "upper end of the joint interval of the slowdown"]


def joint_columns(ratios: JointRatios | None) -> JointColumns:
    """Return the ratios of a case for tables and records, by name; None for what is not known."""
    speedup, slowdown = (ratios.speedup, ratios.slowdown) if ratios else (None, None)
    return {
        "joint_speedup_low": speedup.low if speedup else None,
        "joint_speedup_high": speedup.high if speedup else None,
        "slowdown": slowdown.value if slowdown else None,
        "joint_slowdown_low": slowdown.low if slowdown else None,
        "joint_slowdown_high": slowdown.high if slowdown else None,
    }


def joint_ratios(rows: Iterable[Row], times: JointTimes | None) -> dict[str, JointRatios]:
    """Return the ratios of the timed cases of each group with at least two candidates, by case.

    They are those of the sentences on the group. Without `times`, which need samples, nothing holds jointly.
    """
    if times is None:
        return {}
    return {case_id: ratios for ranking in rankings_of(rows, times) for case_id, ratios in _of_group(ranking)}


def with_joint_speedups(rows: Iterable[Row], ratios: Mapping[str, JointRatios]) -> list[Row]:
    """Return rows with the ends of the joint intervals of their speed-ups, as `results.csv` has them."""
    return [
        replace(row, joint_speedup_low=known.low, joint_speedup_high=known.high)
        if row.case_id in ratios and (known := ratios[row.case_id].speedup)
        else row
        for row in rows
    ]


def _of_group(ranking: Ranking) -> Iterator[tuple[str, JointRatios]]:
    by_variant = {row.variant: row for row in ranking.rows}
    for row in ranking.rows:
        baseline = by_variant.get(row.baseline or "")
        speedup = None if baseline is None else SAME if row is baseline else ranking.slowdown(baseline, row)
        slowdown = SAME if row is ranking.fastest else ranking.slowdown(row, ranking.fastest)
        yield row.case_id, JointRatios(speedup, slowdown, ranking.fastest.variant, ranking.certainty.value)
