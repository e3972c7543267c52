"""Learn the noise of one GPU from many processes of unchanged code, and try what was learned on processes held back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.draws import drawn, pairs
from shflbench.analysis.compare.evidence import USUAL_THRESHOLD
from shflbench.analysis.compare.metrics import weights_of_time
from shflbench.analysis.compare.noise import NoiseModel, Spread, fitted
from shflbench.analysis.compare.offset import offsets
from shflbench.errors import ResultsError
from shflbench.store.noise_file import HeldOut

if TYPE_CHECKING:
    from shflbench.analysis.compare.estimates import Estimates, Process
    from shflbench.analysis.compare.pool import Pool

FEWEST = 20  # processes: a spread is then known to a sixth, and each half still has three processes for either side
SIDES = (1, 2, 3)  # processes a side that are tried
DRAWS = 100  # of each, from either half
# The smallest threshold of use: who alarms at it alarms at any other. What is left open is told at the usual one.
STRICT = 0.0025


def level(pool: Pool) -> dict[str, Estimates]:
    """Return the cases of a pool with the offsets of its processes taken off; ResultsError for too few sentinels."""
    own = offsets(pool.sentinels, pool.sentinels)
    if own is None:
        raise ResultsError(
            "the runs have too few sentinels to tell the offset of a process", "measure with this version of shflbench"
        )
    return {case_id: estimates.minus(own.base) for case_id, estimates in pool.cases.items()}


def shown(*pools: Pool) -> NoiseModel:
    """Return the noise that the processes of each pool show. ResultsError for less than two processes.

    A process that is wild in one case counts fully in that case's spread: a median would hide it, and one such process
    of 26 stands on one of the sides in every fourth comparison of three a side. For a and b it does not count: they are
    fitted to the medians of all cases, and one that is noisy by a reason of its own says nothing of the others.
    """
    values = [(pool, *item) for pool in pools for item in level(pool).items()]
    fewest = min(len(pool.processes) for pool in pools)
    if fewest < 2:  # noqa: PLR2004  (that can differ)
        raise ResultsError("one process does not show what processes differ by", "run the suite with --processes 20")
    spreads = [Spread(float(own.values.var(ddof=1)), len(own) - 1) for _, _, own in values]
    weights = [weights_of_time(float(own.values.mean()), passes=name in pool.passes) for pool, name, own in values]
    cases: dict[str, Spread] = {}
    for (_, case_id, _), spread in zip(values, spreads, strict=True):
        cases[case_id] = max(spread, cases.get(case_id, spread))  # in two suites: rather too much noise than too little
    return replace(fitted(weights, spreads, f"learned from {fewest} processes on this GPU"), cases=cases)


def learn(*pools: Pool) -> NoiseModel:
    """Learn the noise from pools of one GPU, each of one suite; ResultsError unless each has 20 processes."""
    for pool in pools:
        if len(pool.processes) < FEWEST:
            raise ResultsError(
                f"the noise of a GPU is learned from {FEWEST} processes of unchanged code, and there are "
                f"{len(pool.processes)} that timed every case",
                f"run the suite again and again, or once with more: shflbench run SUITE --processes {FEWEST}",
            )
    return shown(*pools)


def held_out(*pools: Pool) -> dict[int, HeldOut]:
    """Learn from the earlier half of the processes and compare those of the later half, and the other way round.

    The halves are in time, so that noise that was there for a while only is found out: where it was learned in a quiet
    hour, the other half alarms.
    """
    halves = [[pool.picked(half) for half in _halves(pool)] for pool in pools]
    found: dict[int, list[tuple[bool, float]]] = {processes: [] for processes in SIDES}
    for learned_from in (0, 1):
        model = shown(*(both[learned_from] for both in halves))
        for both in halves:
            pool = both[1 - learned_from]
            for processes, results in found.items():
                sides = pairs(pool.processes, processes, DRAWS)
                for each in drawn(pool, sides, model, believed=True):
                    undecided = float(each.undecided(USUAL_THRESHOLD.amount).mean())
                    results.append((bool(each.alarmed(STRICT).any()), undecided))
    return {
        processes: HeldOut(len(results), *np.mean(results, axis=0).tolist())
        for processes, results in found.items()
        if results
    }


def _halves(pool: Pool) -> tuple[tuple[Process, ...], tuple[Process, ...]]:
    middle = len(pool.processes) // 2
    return pool.processes[:middle], pool.processes[middle:]
