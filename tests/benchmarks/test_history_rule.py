"""The program that counts the errors of the rule for steps and drifts, on few series; its page has thousands."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power.__main__ import RECORDED
from benchmarks.compare_power.batch import load
from benchmarks.history_rule import __main__ as history_rule
from benchmarks.history_rule.__main__ import page, requirements
from benchmarks.history_rule.noise import Kind, kinds
from benchmarks.history_rule.scoring import (
    RUNS,
    Score,
    Simulation,
    foreign_series,
    measured,
    score,
    score_foreign,
    simulate,
)

SERIES = 40


@pytest.fixture(scope="module")
def every_kind() -> list[Kind]:
    return kinds(load(sorted(RECORDED.glob("*.npz"))[-1:]))


def simulation_of(kind: Kind) -> Simulation:
    return simulate(kind, np.random.default_rng(1), SERIES)


def test_steps_and_ramps_are_found_in_steady_kinds(every_kind: list[Kind]) -> None:
    for kind in (every_kind[0], every_kind[3]):
        result = score(kind, simulation_of(kind))
        assert (result.steady, result.per_year) == (SERIES, 0)
        assert min(result.seen, result.later, result.place) > 0.9


def test_spread_of_each_kind_is_what_it_says(every_kind: list[Kind]) -> None:
    for kind in every_kind:
        if kind.name in {"louder", "noisy", "outliers"} or kind.name.startswith("recorded"):
            continue
        drawn = simulation_of(kind).unchanged
        sd = np.nanstd(np.log(drawn.times), axis=1)
        assert np.median(sd / drawn.sd) == pytest.approx(1.0, abs=0.15), kind.name


def test_recorded_kinds_have_the_times_and_errors_of_processes(every_kind: list[Kind]) -> None:
    drawn = simulation_of(every_kind[-1]).unchanged
    assert all(len(set(line)) <= 11 for line in drawn.times)  # processes of the batch
    assert np.isfinite(drawn.errors).all()


def test_third_run_of_a_step_is_counted_in_measured_runs(every_kind: list[Kind]) -> None:
    (gaps,) = (kind for kind in every_kind if kind.name == "gaps")
    simulation = simulation_of(gaps)
    steps = simulation.steps
    ends = foreign_series(simulation)["step-ends"][:, 0].tolist()
    assert any(end - day > RUNS for end, day in zip(ends, steps.days.tolist(), strict=True))
    for series, end in enumerate(ends):
        assert measured(steps.drawn, series, int(steps.days[series]), end) == RUNS


def test_other_programs_get_no_missing_values(every_kind: list[Kind]) -> None:
    (gaps,) = (kind for kind in every_kind if kind.name == "gaps")
    arrays = foreign_series(simulation_of(gaps).first(5))
    assert all(len(array) == 5 for array in arrays.values())
    assert all(np.isfinite(arrays[name]).all() for name in ("year", "step", "ramp"))


def test_alarms_of_other_programs_are_scored(every_kind: list[Kind]) -> None:
    simulation = simulation_of(every_kind[0]).first(2)
    first, second = simulation.steps.days.tolist()
    begun = int(simulation.ramps.days[0])
    result = score_foreign(
        simulation,
        year=[[[10, 21], [50, 56]], []],
        step=[[[first, first + 3]], [[second - 20, second + 3]]],
        ramp=[[[begun + 5, begun + 14]], []],
    )
    assert (result.per_year, result.seen, result.reported, result.steady) == (100.0, 0.5, 0.5, 2)


def test_page_names_missed_requirements(every_kind: list[Kind]) -> None:
    result = Score(
        kind=every_kind[0],
        series=1000,
        false_steps=2,
        false_drifts=1,
        alarmed=3,
        steady=1000,
        seen=0.94,
        later=1.0,
        place=1.0,
        named=0.96,
        median_day=30.0,
        slope=0.01,
        seen_all=0.94,
        named_all=0.96,
    )
    assert [met for _, met in requirements([result])] == [False, False, True]
    text = page([result], None, {"series": 1000, "seed": 1, "batches": 1, "foreign": 0})
    assert "- **missed**: *tails*: 0.30 false alarms per 100 cases and year; required: at most 0.2" in text
    assert "| tails | 0.30 | 2 | 1 | 3 |" in text


def test_recorded_page_is_of_the_seed_that_was_not_used_before() -> None:
    text = Path(history_rule.PAGE).read_text(encoding="utf-8")
    assert f"Seed {history_rule.SEED}." in text
    assert len(re.findall(r"^- (?:met|\*\*missed\*\*): ", text, re.MULTILINE)) >= 25
    assert f"Simulated: {history_rule.SERIES:,} series of each kind" in " ".join(text.split())
