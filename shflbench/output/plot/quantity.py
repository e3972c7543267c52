"""The quantity of a chart: time, or bandwidth where the pattern says how many bytes it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import time_us
from shflbench.analysis.settings import one_pass

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a timed row, with its interval."""

    name: str  # in file names
    words: str
    unit: str
    more_is_better: bool
    value: Callable[[Row], float]
    interval: Callable[[Row], tuple[float, float] | None]

    @property
    def label(self) -> str:
        """The label of an axis."""
        return f"{self.words}, {self.unit}"


def gb_per_s(row: Row) -> float:
    """Return the useful bytes that the row moves per second, in 10^9; 0 if unknown."""
    return row.gb_per_s or 0.0


def bytes_moved(row: Row) -> float:
    """Return the useful bytes that one launch reads and writes; 0 if unknown."""
    return gb_per_s(row) * (row.time_us or 0.0) * 1000


def _time_interval(row: Row) -> tuple[float, float] | None:
    if row.time_low_us is None or row.time_high_us is None:
        return None
    return row.time_low_us, row.time_high_us


def _gb_interval(row: Row) -> tuple[float, float] | None:
    if not row.time_low_us or not row.time_high_us:
        return None
    return bytes_moved(row) / row.time_high_us / 1000, bytes_moved(row) / row.time_low_us / 1000


TIME = Quantity("time", "time of one launch", "µs", more_is_better=False, value=time_us, interval=_time_interval)
BANDWIDTH = Quantity(
    "bandwidth", "useful bytes moved", "GB/s", more_is_better=True, value=gb_per_s, interval=_gb_interval
)


def quantity_of(subject: ChartSubject) -> Quantity:
    """Return the bandwidth if it is known of every timed case, else the time."""
    known = all(one_pass(row) and row.gb_per_s for row in subject.timed)
    return BANDWIDTH if known else TIME
