"""Cut the times of a case into its levels: one up to each change, and one after the last."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.findings import CONFIDENCE, SD_OF_MAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.history.findings import HistoryChange, SuiteHistory
    from shflbench.analysis.history.levels import Floats

MOST_PIECES, FEWEST_RUNS = 6, 5  # of a drift: medians that its line connects, each of at least so many runs


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSegment:
    """Runs of a case on one level, or in one drift."""

    first: int  # timed run
    last: int
    time_us: float  # median
    error: float | None  # half its 95% interval as a fraction; None for a single run
    line: tuple[tuple[int, float], ...]  # run and µs: the level, or the course of a drift


def segments_of(history: SuiteHistory, case: int, changes: Iterable[HistoryChange]) -> list[LevelSegment]:
    """Return the levels of a case (its index in `history.series`) between its changes; none of one never timed."""
    times = history.series.times.times[case]
    begins = {
        change.blame.old if change.is_drift else _run(history, change.first.started): change.is_drift
        for change in changes
    }
    starts = sorted({0: False} | begins)
    return [
        _segment(times, timed, is_drift=begins.get(start, False))
        for start, end in zip(starts, [*starts[1:], len(times)], strict=True)
        if (timed := start + np.flatnonzero(np.isfinite(times[start:end]))).size
    ]


def _run(history: SuiteHistory, started: str) -> int:
    """Return the first run that started then."""
    return bisect_left(history.series.runs, started, key=lambda run: run.started)


def _segment(times: Floats, timed: np.typing.NDArray[np.intp], *, is_drift: bool) -> LevelSegment:
    values = times[timed]
    middle = float(np.median(values))
    spread = SD_OF_MAD * float(np.median(np.abs(values - middle))) / middle
    first, last = int(timed[0]), int(timed[-1])
    return LevelSegment(
        first=first,
        last=last,
        time_us=middle,
        error=CONFIDENCE * spread / len(values) ** 0.5 if len(values) > 1 else None,
        line=tuple(_course(times, timed)) if is_drift else ((first, middle), (last, middle)),
    )


def _course(times: Floats, timed: np.typing.NDArray[np.intp]) -> Iterator[tuple[int, float]]:
    """Yield the medians of pieces of a drift."""
    for piece in np.array_split(timed, max(1, min(MOST_PIECES, len(timed) // FEWEST_RUNS))):
        yield int(piece[len(piece) // 2]), float(np.median(times[piece]))
