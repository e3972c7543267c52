"""The interval of a predicted time: nine of ten measured times lie in such intervals.

`python -m benchmarks intervals` prints the table below: the least and the greatest of measured times divided by
predicted ones, of `benchmarks/drawn_cases/drawn-1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.prediction import PredictionKind

if TYPE_CHECKING:
    from shflbench.analysis.limits.prediction import Prediction

NEAR, MIDDLE = 0.9, 0.6  # of a predicted time: limits that are so close to it say how reliable a prediction is
SHARP = "exchange", "latency"  # what sets the limit of loops that the simulation knows best
# How the limit of a simulated loop lies to the predicted time, and what sets it.
CLOSENESS = "near", "middle", "far"

# Class of predictions → the factors of the predicted time between which the measured times of `drawn-1` lie.
FACTORS: dict[tuple[str, ...], tuple[float, float]] = {
    ("branches",): (0.793, 1.184),
    ("launch",): (0.79, 1.258),
    ("loop", "far", "other"): (0.916, 1.116),
    ("loop", "middle", "exchange"): (0.85, 1.181),
    ("loop", "middle", "latency"): (0.893, 1.114),
    ("loop", "middle", "other"): (0.818, 1.178),
    ("loop", "near", "exchange"): (0.943, 1.102),
    ("loop", "near", "latency"): (0.981, 1.03),
    ("loop", "near", "other"): (0.969, 1.077),
    ("memory",): (0.898, 1.509),
    ("prices",): (0.954, 1.22),
    ("sequence",): (0.915, 1.132),
}
SIMULATED = {PredictionKind.LOOP}


@dataclass(frozen=True, slots=True)
class PredictedInterval:
    """Where a measured time is expected, in µs."""

    low_us: float
    high_us: float


def class_of(kind: str, us: float, limit_us: float | None, limit_by: str | None) -> tuple[str, ...]:
    """Return the class of a prediction: how it was made, and of a simulated loop, how close its limit is."""
    if kind not in SIMULATED:
        return (kind,)
    share = (limit_us or 0.0) / us
    closeness = CLOSENESS[0] if share >= NEAR else CLOSENESS[1] if share >= MIDDLE else CLOSENESS[2]
    sharp = limit_by if limit_by in SHARP and closeness != CLOSENESS[2] else "other"
    return kind, closeness, str(sharp)


def interval_of(prediction: Prediction, limit_us: float | None, limit_by: str | None) -> PredictedInterval | None:
    """Return the interval of a prediction, no lower than the limit of its case; None without a prediction."""
    if prediction.us is None:
        return None
    low, high = FACTORS[class_of(prediction.kind, prediction.us, limit_us, limit_by)]
    return PredictedInterval(min(prediction.us, max(low * prediction.us, limit_us or 0.0)), high * prediction.us)
