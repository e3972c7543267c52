"""Decide when a case has been sampled enough: pure functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.statistics import median_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.model import MeasureRules

# With nine rounds the 95 % interval of the median leaves the fastest and the slowest round out, so that
# one disturbed round does not decide about it.
FEWEST_ROUNDS = 9
MOST_ROUNDS = 250

PRECISION = "precision"
MAX_SECONDS = "max_seconds"


def why_stop(round_medians: Sequence[float], seconds: float, rules: MeasureRules) -> str:
    """Return what ends the sampling of one case, empty to go on.

    Args: the median time of each kept round, the seconds that the case has been sampled for.
    """
    if len(round_medians) >= FEWEST_ROUNDS and median_interval(round_medians).half_width <= rules.precision:
        return PRECISION
    if seconds >= rules.max_seconds or len(round_medians) >= MOST_ROUNDS:
        return MAX_SECONDS
    return ""
