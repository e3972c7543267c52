"""The limits of a run, from those that its `limits.csv` has and those that are calculated now.

A calculation can know less than the file: memory requests take minutes to count, and the GPU may have been calibrated
on another machine. Limits are lower bounds, so the larger of two is the closer one.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from shflbench.core.model import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from shflbench.store import Row, Run
    from shflbench.store.calibration_file import Calibration
    from shflbench.store.limits_file import CaseLimit

TOLERANCE = 1.01  # the largest ratio of a lower bound to its measurement: clock and time have errors of tenths of 1%
PREDICTED = "model_us", "model_low_us", "model_high_us", "model_by"  # of one prediction
ROUNDING = 1e-5  # of values that are equal: files have seven digits, and a fraction is a quotient of two such values


def is_exceeded(limit: CaseLimit) -> bool:
    """Whether a case is more than 1% faster than its limit, so that the limit is wrong; a sample is no proof."""
    return not limit.is_sampled and limit.limit_fraction is not None and limit.limit_fraction > TOLERANCE


def current_limits(run: Run, recorded: Mapping[str, CaseLimit]) -> dict[str, CaseLimit]:
    """Return those of the `recorded` limits that are known and were calculated for the times that the run has."""
    return {row.case_id: limit for row in run.rows if (limit := recorded.get(row.case_id)) and _is_of(limit, row)}


def with_gaps(
    run: Run, current: Mapping[str, CaseLimit], calibration: Calibration | None, *, predicts: bool = True
) -> Run:
    """Return the run with only the timed cases of which `current` limits lack a value that may be calculated.

    A ceiling needs a `calibration`; a prediction is a value if the calculation `predicts`.
    """

    def has_gap(row: Row) -> bool:
        limit = current.get(row.case_id)
        if limit is None:
            return True
        return bool((calibration and limit.ceiling_us is None) or (predicts and limit.model_us is None))

    timed = (row for row in run.rows if row.status is Status.TIMED and row.time_us)
    return replace(run, rows=tuple(filter(has_gap, timed)))


def merge_limits(
    run: Run, current: Mapping[str, CaseLimit], calculated: Iterable[CaseLimit], counted: Collection[str] | None = None
) -> list[CaseLimit]:
    """Return the limits of a run in the order of its rows, from the `current` and the `calculated` ones.

    `counted` are the cases whose memory requests were counted; None where none were to be counted. Then a calculated
    value only stands where the file has none. Otherwise it replaces that of the file, unless the file's limit is the
    closer one and the requests of the case could not be counted. No value is removed: where a calculation has none,
    that of the file stays.
    """
    new = {limit.case_id: limit for limit in calculated}
    pairs = ((current.get(row.case_id), new.get(row.case_id), row.case_id) for row in run.rows)
    return [limit for old, fresh, case_id in pairs if (limit := _merged(old, fresh, case_id, counted))]


def _merged(
    old: CaseLimit | None, new: CaseLimit | None, case_id: str, counted: Collection[str] | None
) -> CaseLimit | None:
    if old is None or new is None:
        return old or new
    if counted is not None and (case_id in counted or is_exceeded(old)):
        return _filled(new, old)
    if _is_closer(old, new):
        return old  # whole: a ceiling that was calculated without memory requests could lie below this limit
    return _filled(new, old) if counted is not None or _is_closer(new, old) else _filled(old, new)


def _is_closer(limit: CaseLimit, other: CaseLimit) -> bool:
    """Whether a limit is closer to the time than the other by more than its digits can say; any is closer than none."""
    return (limit.limit_us or 0.0) > (other.limit_us or 0.0) * (1 + ROUNDING)


def _filled(limit: CaseLimit, other: CaseLimit) -> CaseLimit:
    """Return a limit with the ceiling, the prediction and the efficiency of loads of the other where it has none."""
    if limit.ceiling_us is None:
        limit = replace(limit, ceiling_us=other.ceiling_us, ceiling_by=other.ceiling_by)
    if limit.model_us is None:
        limit = replace(limit, **{name: getattr(other, name) for name in PREDICTED})
    if limit.load_efficiency is None:
        limit = replace(limit, load_efficiency=other.load_efficiency)
    return limit


def _is_of(limit: CaseLimit, row: Row) -> bool:
    if not limit.limit_us or not limit.limit_fraction or not row.time_us:
        known = (limit.ceiling_us, limit.model_us, limit.load_efficiency)
        return any(value is not None for value in known)  # nothing says that the times are others
    return math.isclose(limit.limit_us, limit.limit_fraction * row.time_us, rel_tol=ROUNDING)


def count_changed(limits: Iterable[CaseLimit], recorded: Mapping[str, CaseLimit]) -> int:
    """Return how many limits the file lacks or has with another value; numbers of equal digits are equal."""
    return sum(not _is_same(limit, recorded.get(limit.case_id)) for limit in limits)


def _is_same(limit: CaseLimit, other: CaseLimit | None) -> bool:
    if other is None:
        return False
    pairs = ((getattr(limit, item.name), getattr(other, item.name)) for item in fields(limit))
    return all(
        math.isclose(one, two, rel_tol=ROUNDING) if isinstance(one, float) and isinstance(two, float) else one == two
        for one, two in pairs
    )
