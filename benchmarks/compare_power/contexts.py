"""How the short sentinels of a run differ between processes, places and rounds, and how long a process takes."""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.analysis.compare.estimates import fastest_half
from shflbench.model import is_sentinel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.compare_power.batch import Batch
    from shflbench.analysis.compare.estimates import Floats

LONGEST_US = 60.0  # of the short sentinels
PLACES = 9  # that rounds use in turn; those of a run with one place are a control


class Differences(NamedTuple):
    """Standard deviations in ns, the median over the short sentinels, and the duration."""

    seconds: float  # of a process
    processes: float  # of the means over all rounds
    places: float  # of one process, without what the rounds at a place explain
    rounds: float  # at one place of one process


def differences(batch: Batch) -> Differences:
    """Return the differences of a run without slowed cases."""
    blocks = [batch.block(process, 0) for process in batch.processes(0)]
    found = []
    for name in filter(is_sentinel, blocks[0]):
        values = [{number: fastest_half(times) for number, times in block[name].items()} for block in blocks]
        means = [float(np.mean(list(rounds.values()))) for rounds in values]
        if np.mean(means) < LONGEST_US:
            within = [_within(rounds) for rounds in values]
            parts = (np.var(means, ddof=1), *(np.mean(column) for column in zip(*within, strict=True)))
            found.append([1000 * math.sqrt(max(0.0, part)) for part in parts])
    seconds = sum(
        (datetime.fromisoformat(run.finished) - datetime.fromisoformat(run.started)).total_seconds()
        for run in batch.recording.runs
        if run.finished
    )
    return Differences(seconds / len(blocks), *np.median(found, axis=0).tolist())


def _within(rounds: Mapping[int, float]) -> tuple[float, float]:
    """Return the variances between the places and between the rounds at a place of one process, in µs².

    Source: the one-way analysis of variance, Scheffé, The Analysis of Variance, 1959, section 3.1.
    """
    by_place: dict[int, list[float]] = defaultdict(list)
    for number, value in rounds.items():
        by_place[number % PLACES].append(value)
    places: list[Floats] = [np.array(values) for values in by_place.values() if len(values) > 1]
    each = float(np.mean([values.var(ddof=1) for values in places]))
    rounds_of_each = float(np.mean([len(values) for values in places]))
    return float(np.var([values.mean() for values in places], ddof=1)) - each / rounds_of_each, each
