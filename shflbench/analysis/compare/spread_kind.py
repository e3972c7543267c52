"""Describe how the processes of a case differ if they differ by more than the machine's noise (pure functions)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.quantiles import chi2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shflbench.analysis.compare.estimates import Estimates, Process

NOISY = 0.05  # share of suites that have such a case by chance
NOISIER = 2.0  # times the noise, at least: a model fits ordinary cases within a factor of 1.5
GAP = 3.0  # standard deviations of the noise between two levels: within one level of 26 values, the widest gap is 1.5
FEW = 0.1  # share of the processes up to which they are outliers, not a level
# Levels explain a spread if the spread within a level is that of ordinary cases, or at most a third of the whole.
ORDINARY, EXPLAINED = 1.5, 1 / 3
MOST_LEVELS = 4  # in a sentence


class SpreadKind(StrEnum):
    """The kind of spread between processes."""

    OUTLIERS = "outliers"  # a few processes differ from all others
    LEVELS = "levels"  # each process takes one of several times
    WIDE = "wide"


@dataclass(frozen=True, slots=True)
class NoisyCase:
    """A case that is noisier than the machine."""

    case_id: str
    times: float  # its standard deviation / that of the noise model
    kind: SpreadKind
    sentence: str


def describe_noisy(case_id: str, times: Estimates, deviation: float, family: int) -> NoisyCase | None:
    """Describe a case whose processes differ by more than a noise of `deviation`, in µs, makes likely; None for others.

    The offsets of the processes are already subtracted; `family` is the number of cases. Needs 2 processes.
    """
    freedom = len(times) - 1
    ratio = float(times.values.std(ddof=1)) / deviation
    if ratio <= max(NOISIER, math.sqrt(chi2(1 - NOISY / family, freedom) / freedom)):
        return None
    levels = _levels(times.values, GAP * deviation)
    within = math.sqrt(sum(float(times.values[level].var()) * len(level) for level in levels) / len(times))
    if len(levels) == 1 or within > max(ORDINARY * deviation, EXPLAINED * float(times.values.std())):
        low, middle, high = (f"{value:.4g}" for value in np.quantile(times.values, (0, 0.5, 1)))
        return NoisyCase(
            case_id, ratio, SpreadKind.WIDE, f"processes take {low} to {high} µs, the median is {middle} µs"
        )
    most = max(levels, key=len)
    outliers = [place for level in levels if level is not most for place in level]
    if len(outliers) <= max(1.0, FEW * len(times)):
        named = ", ".join(
            f"{times.values[place]:.4g} µs in {_process_name(times.processes, place)}" for place in outliers
        )
        usual = float(times.values[most].mean())
        sentence = f"{named}; {usual:.4g} µs in the other {len(most)}"
        return NoisyCase(case_id, ratio, SpreadKind.OUTLIERS, sentence)
    return NoisyCase(case_id, ratio, SpreadKind.LEVELS, _describe_levels([times.values[level] for level in levels]))


def _levels(values: NDArray[np.float64], gap: float) -> list[NDArray[np.intp]]:
    """Return the indices of the values of each level, the smallest level first."""
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order]) > gap) + 1)


def _describe_levels(levels: Sequence[NDArray[np.float64]]) -> str:
    first, *others = (f"{level.mean():.4g} µs in {len(level)}" for level in levels)
    if len(levels) > MOST_LEVELS:
        return f"{len(levels)} levels, from {first} processes to {others[-1]}"
    return ", ".join((f"{first} processes", *others))


def _process_name(processes: Sequence[Process], place: int) -> str:
    run, process = processes[place]
    return f"process {process}" + (f" of run {run + 1}" if any(other for other, _ in processes) else "")
