"""Processes to learn from and to test with: generated ones, recorded ones, and ones that something was done to."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.compare_power.batch import load
from shflbench.analysis.compare.pool import Pool
from tests.fakes.processes import Simulated, spread
from tests.fakes.sides import side

RECORDED = Path(__file__).parents[1] / "data/compare/h200-1.npz"


@cache
def generated(processes: int, cases: int = 40, seed: int = 11) -> Pool:
    """Return processes of unchanged code with the noise of an H200."""
    return Pool.of(side(Simulated(processes=processes, cases=spread(cases), seed=seed)))


@cache
def recorded() -> Pool:
    """Return 34 processes of 54 cases on one H200."""
    (batch,) = load([RECORDED])
    return batch.pool()


@cache
def recorded_some() -> Pool:
    """Return 18 of the cases, with a ring in the L2 cache and one that a single process took longer for."""
    return replace(recorded(), cases=dict(list(recorded().cases.items())[8:26]))


def shifted(pool: Pool, case_id: str, by_us: Iterable[float]) -> Pool:
    """Return the pool with one case that takes so much longer, process by process."""
    own = pool.cases[case_id]
    return replace(pool, cases={**pool.cases, case_id: replace(own, values=own.values + np.fromiter(by_us, float))})


def noisier(pool: Pool, fraction: float, processes: slice) -> Pool:
    """Return the pool with times that differ more between these processes, by a standard deviation of `fraction`."""
    random = np.random.default_rng(1)
    for case_id, own in pool.cases.items():
        by_us = np.zeros(len(own))
        by_us[processes] = fraction * own.values[processes] * random.standard_normal(len(by_us[processes]))
        pool = shifted(pool, case_id, by_us)
    return pool
