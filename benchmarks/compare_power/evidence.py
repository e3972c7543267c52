"""All draws of `compare_power` from its batches: unchanged code, slowed code, across batches, learned noise."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from benchmarks.compare_power.draws import (
    DEFAULT,
    FINE,
    MODES,
    PAIR,
    QUICK,
    Mode,
    between,
    compared,
    true_slowdowns,
    within,
)
from benchmarks.compare_power.suite import PERCENT_MORE
from benchmarks.compare_power.tally import detections
from shflbench.analysis.compare.noise_learning import FEWEST, learn
from shflbench.core.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.compare_power.batch import Batch
    from benchmarks.compare_power.draws import Drawn
    from benchmarks.compare_power.tally import Detection

SEED = 20261120
# Comparisons of all batches together; with one process per side all pairs of a batch, if they are not more.
UNCHANGED = {QUICK: 1000, PAIR: 600, DEFAULT: 2000, FINE: 800}
SLOWED = {QUICK: 100, PAIR: 100, DEFAULT: 300, FINE: 120}  # for each percentage
ACROSS = 900  # for each mode
LEARNED = (Mode("learned", 1, Threshold(0.01)), Mode("learned", 3, Threshold(0.01)))
LEARNED_DRAWS = 300  # for each learned mode
SLOWER_BY = 2  # % more iterations, with learned noise


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of all draws."""

    batches: Sequence[Batch]
    times_us: Mapping[str, float]
    unchanged: Mapping[Mode, list[Drawn]]
    slowed: Mapping[Mode, list[Detection]]
    across: Mapping[tuple[str, str], Mapping[Mode, list[Drawn]]]  # by the names of two batches, each in turn the base
    learned: Mapping[Mode, list[tuple[list[Drawn], list[Detection]]]]  # unchanged and slowed code, of each batch


def gather(batches: Sequence[Batch], scale: float = 1.0) -> Evidence:
    """Draw all comparisons, `scale` times the usual number; the same batches give the same draws."""
    times = {case: time for batch in reversed(batches) for case, time in batch.times_us.items()}
    each = scale / len(batches)
    learners = [batch for batch in batches if len(batch.processes(0)) >= FEWEST + 2 * DEFAULT.processes]
    return Evidence(
        batches,
        times,
        {mode: [one for batch in batches for one in unchanged(batch, mode, each)] for mode in MODES},
        {mode: [one for batch in batches for one in slowed(batch, mode, each)] for mode in MODES},
        {(base.name, new.name): across(base, new, scale / len(batches)) for base, new in combinations(batches, 2)},
        {mode: [learned(batch, mode, each) for batch in learners] for mode in LEARNED},
    )


def fixed(kind: int = 0) -> Random:
    """Return a random generator with a fixed seed, which differs for another `kind`."""
    return Random(SEED + kind)  # noqa: S311  (no secret is drawn)


def unchanged(batch: Batch, mode: Mode, scale: float) -> list[Drawn]:
    """Compare unchanged processes of a batch."""
    pool = batch.pool()
    count = max(1, round(UNCHANGED[mode] * scale))
    return compared(pool, pool, mode, within(pool.processes, mode.processes, count, fixed()))


def slowed(batch: Batch, mode: Mode, scale: float) -> list[Detection]:
    """Compare unchanged processes with slowed ones of the same batch: all cases have more iterations at once."""
    pool, results = batch.pool(), []
    for percent in PERCENT_MORE:
        new = batch.pool(percent)
        if len(new.processes) < mode.processes:
            continue
        sides = between(pool.processes, new.processes, mode.processes, round(SLOWED[mode] * scale), fixed(percent))
        draws = compared(pool, new, mode, sides)
        results += detections(draws, percent, batch.times_us, true_slowdowns(pool, new), batch.name)
    return results


def across(base: Batch, new: Batch, scale: float) -> dict[Mode, list[Drawn]]:
    """Compare unchanged processes of two batches, each in turn as the base."""
    ways = [(base.pool(), new.pool()), (new.pool(), base.pool())]
    count = max(1, round(ACROSS * scale / 2))
    return {
        mode: [
            drawn
            for first, second in ways
            for drawn in compared(
                first, second, mode, between(first.processes, second.processes, mode.processes, count, fixed())
            )
        ]
        for mode in (QUICK, DEFAULT, FINE)
    }


def learned(batch: Batch, mode: Mode, scale: float) -> tuple[list[Drawn], list[Detection]]:
    """Estimate the noise from the first half of the batch, at least 20 processes, and compare the others."""
    pool, new = batch.pool(), batch.pool(SLOWER_BY)
    half = max(FEWEST, len(pool.processes) // 2)
    noise = learn(pool.select(pool.processes[:half]))
    rest = pool.select(pool.processes[half:])
    size, count = mode.processes, round(LEARNED_DRAWS * scale)
    draws = compared(rest, rest, mode, within(rest.processes, size, count, fixed()), noise)
    sides = between(rest.processes, new.processes, size, round(SLOWED[DEFAULT] * scale), fixed())
    slower = compared(rest, new, mode, sides, noise)
    return draws, detections(slower, SLOWER_BY, batch.times_us, true_slowdowns(pool, new), batch.name)
