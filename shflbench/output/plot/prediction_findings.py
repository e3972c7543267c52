"""Findings in the predictions of a run, in a sentence each: the title of their chart (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

from shflbench.core.words import MINUS, signed_percent_of_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

BAND = 0.1  # the error up to which a prediction counts as near
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class PredictedCase:
    """A case with its predicted and its measured time."""

    row: Row
    measured_us: float
    predicted_us: float
    limit_by: str | None  # what sets the case's limit

    @property
    def error(self) -> float:
        """The predicted time divided by the measured one, less 1."""
        return self.predicted_us / self.measured_us - 1

    @property
    def words(self) -> str:
        """Both times and the error, for a reader."""
        error = signed_percent_of_one(self.error, MINUS)
        return f"predicted {self.predicted_us:.4g} µs, measured {self.measured_us:.4g} µs, {error}"


def predictions(subject: ChartSubject) -> list[PredictedCase]:
    """Return the prediction of each timed case that has one, in the order of the suite."""
    limits = subject.limits
    return [
        PredictedCase(row, row.time_us, model_us, limit.limit_by)
        for row in subject.timed
        if row.time_us and (limit := limits.get(row.case_id)) and (model_us := limit.model_us)
    ]


def prediction_error(subject: ChartSubject) -> str:
    """Say how many predictions are near the measured times, the median error and the largest."""
    points = predictions(subject)
    near = sum(abs(point.error) <= BAND for point in points)
    worst = max(points, key=lambda point: abs(point.error))
    if len(points) == 1:
        error = signed_percent_of_one(worst.error, MINUS)
        return f"{subject.pattern}: the prediction is {error} from the measured time (1 case)"
    typical = median(abs(point.error) for point in points)
    return (
        f"{subject.pattern}: predicted times of {near} of {len(points)} cases are within {BAND:.0%} of measured ones; "
        f"median error {typical:.1%}, worst {signed_percent_of_one(worst.error, MINUS)}"
    )


def tenth(points: Sequence[PredictedCase]) -> str:
    """Return the error that nine of ten predictions do not exceed, as a percentage."""
    errors = [abs(point.error) for point in points]
    return f"{quantiles(errors, n=_TENTHS, method='inclusive')[-1] if len(errors) > 1 else errors[0]:.1%}"


def note_unpredicted(subject: ChartSubject) -> list[str]:
    """Return a note on the timed cases without a prediction."""
    rest = len(subject.timed) - len(predictions(subject))
    return [f"No prediction: {rest} of {len(subject.timed)} timed cases."] if rest else []
