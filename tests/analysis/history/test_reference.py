"""The level, spread and margin of a series at its last runs."""

import numpy as np
import pytest

from shflbench.analysis.history.reference import MADS, MEMORY, References, assumed_spread

ROW = np.array([0])


def reference(values: np.ndarray[tuple[int], np.dtype[np.float64]], assumed: float = 1e-3) -> References:
    references = References.of(1, 1000)
    for value in values:
        references.absorb(ROW, np.array([value]), np.ones(1))
        references.refresh(np.array([assumed]))
    references.correlate()
    return references


def test_level_and_spread_are_those_of_the_last_runs() -> None:
    random = np.random.default_rng(1)
    known = reference(np.concatenate([1.0 + 0.1 * random.standard_normal(100), random.normal(0.0, 0.001, 500)]))
    assert known.level[0] == pytest.approx(0.0, abs=5e-4)
    assert 1.4826 * known.spread[0] == pytest.approx(0.001, rel=0.3)


def test_outlier_hardly_moves_the_level() -> None:
    values = np.random.default_rng(2).normal(0.0, 0.001, MEMORY)
    clean = reference(values).level[0]
    values[30] = 0.5
    assert reference(values).level[0] == pytest.approx(clean, abs=1e-4)


def test_young_series_has_the_assumed_spread() -> None:
    assert reference(np.zeros(1), assumed=0.004).spread[0] == 0.004


def test_short_kernels_are_assumed_noisier() -> None:
    short, long = assumed_spread(np.array([5.0, 500.0]))
    assert short > 5 * long


def test_tails_widen_the_margin() -> None:
    random = np.random.default_rng(3)
    normal, tails = random.standard_normal(300), random.standard_t(2, 300)
    shares = [known.margin[0] / known.spread[0] for known in map(reference, (0.01 * normal, 0.01 * tails))]
    assert shares[0] == pytest.approx(MADS, rel=0.2)
    assert shares[1] > 1.3 * shares[0]


def test_level_of_few_runs_widens_the_margin() -> None:
    known = reference(np.random.default_rng(4).normal(0.0, 0.001, 200))
    whole = known.margins()[0]
    known.restart(0, np.zeros(3), np.ones(3))
    assert known.margins()[0] == pytest.approx(whole * np.sqrt((1 + 2 / 3) / (1 + 2 / MEMORY)))


def test_correlation_of_neighbors_is_estimated() -> None:
    steps = np.random.default_rng(5).standard_normal(400)
    for run in range(1, 400):
        steps[run] += 0.7 * steps[run - 1]
    assert reference(0.001 * steps).correlation[0] > 0.4
    assert abs(reference(np.random.default_rng(6).normal(0.0, 0.001, 400)).correlation[0]) < 0.3


def test_run_of_low_weight_hardly_moves_the_level() -> None:
    levels = []
    for weight in (1.0, 0.01):
        known = reference(np.random.default_rng(7).normal(0.0, 0.001, 5))
        known.absorb(ROW, np.array([0.003]), np.array([weight]))
        known.refresh(np.array([0.001]))
        levels.append(known.level[0])
    assert levels[0] > levels[1] + 1e-4


def test_corrected_differences_are_no_noise() -> None:
    known = reference(np.concatenate([np.zeros(70), np.linspace(0, 0.02, 40)]))
    known.correct(0, np.zeros(40))
    known.refresh(np.array([1e-3]))
    assert np.abs(known.past[0, 69:109]).max() == 0
    assert np.nanmax(np.abs(known.differences)) == 0
