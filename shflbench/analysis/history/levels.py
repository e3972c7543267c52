"""Levels of series of times, and where they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesTimes:
    """Series on the same runs: of one suite on one GPU."""

    times: Floats  # series × runs, in µs, without the offset that the sentinels show; NaN where it was not timed
    errors: Floats  # likewise, standard errors as fractions; NaN if unknown
    days: Floats  # of the runs, ascending, from any origin
    # Of each series: by which its times were multiplied because another GPU continues it. The noise that is assumed
    # of the first runs is that of the first GPU.
    factors: Floats | float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A slow change, which is no step."""

    per_month: float  # factor of the time in 30 days
    since: int  # run at which it is known to have begun
    named: int  # run that showed it


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChange:
    """A step of one series, or a drift; it is never withdrawn."""

    series: int
    first: int  # first run of the new level
    seen: int  # run that raised the alarm
    before: float  # level in µs
    after: float
    low: float  # 95% interval of after / before
    high: float
    drift: Drift | None = None  # what it is relabeled as


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChange:
    """A change that the last runs suggest, and too few of them."""

    series: int
    first: int
    runs: int  # beyond the threshold so far
    needed: int
    ratio: float
