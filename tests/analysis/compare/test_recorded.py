"""The rule on what an H200 measured: fewer draws than `benchmarks/compare_power` takes, and the same claims."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.draws import DEFAULT, FINE, QUICK, Drawn, Mode, between, compared, true_slowdowns, within
from benchmarks.compare_power.suite import steady
from benchmarks.compare_power.tally import (
    LONG,
    MIDDLE,
    ONE,
    TEN,
    TWO,
    Detection,
    alarmed,
    detections,
    fixed,
    pooled,
    slowed_by,
    undecided,
)
from shflbench.analysis.compare import rule

RECORDED = Path(__file__).parents[2] / "data" / "compare"
# Comparisons of all batches together.
UNCHANGED = {QUICK: 60, DEFAULT: 100}
MANY = {QUICK: 120, DEFAULT: 200}  # by `make test-archs`
SLOWED = 40


@pytest.fixture(scope="module")
def batches() -> list[Batch]:
    """Return a batch with six slowed processes; `benchmarks/compare_power` draws from all of them."""
    return load([RECORDED / "h200-5.npz"])


def unchanged(batches: Sequence[Batch], mode: Mode, count: int) -> list[Drawn]:
    """Compare unchanged processes of each batch."""
    return [
        drawn
        for pool in (batch.pool() for batch in batches)
        for drawn in compared(pool, pool, mode, within(pool.processes, mode.processes, count // len(batches), fixed()))
    ]


def slowed(batches: Sequence[Batch], mode: Mode, percent: int) -> list[Detection]:
    """Compare unchanged processes of each batch with slowed ones of the same."""
    cases = []
    for batch in batches:
        base, new = batch.pool(), batch.pool(percent)
        sides = between(base.processes, new.processes, mode.processes, SLOWED // len(batches), fixed())
        draws = compared(base, new, mode, sides)
        assert not any(drawn.refused for drawn in draws)
        cases += detections(draws, percent, batch.times_us, true_slowdowns(base, new), batch.name)
    return cases


@pytest.fixture(scope="module")
def default(batches: list[Batch]) -> list[Drawn]:
    return unchanged(batches, DEFAULT, UNCHANGED[DEFAULT])


@pytest.fixture(scope="module")
def two_percent(batches: list[Batch]) -> list[Detection]:
    return slowed(batches, DEFAULT, 2)


@pytest.mark.archs
def test_unchanged_suites_hardly_ever_raise_an_alarm(default: list[Drawn]) -> None:
    assert alarmed(default).value <= 0.02  # 1% of many more draws
    assert not any(drawn.refused for drawn in default)


@pytest.mark.archs
def test_more_unchanged_suites_hardly_ever_raise_an_alarm_either(batches: list[Batch]) -> None:
    assert alarmed(unchanged(batches, DEFAULT, MANY[DEFAULT])).value <= 0.02
    assert alarmed(unchanged(batches, QUICK, MANY[QUICK])).hits == 0


@pytest.mark.archs
def test_half_as_wide_intervals_would_alarm(batches: list[Batch], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "TAILS", rule.TAILS / 2)
    monkeypatch.setattr(rule, "FEW", rule.FEW / 2)
    narrow = alarmed(unchanged(batches, DEFAULT, 100), steady)
    assert narrow.value > 0.05


@pytest.mark.archs
def test_unchanged_cases_from_10_us_on_are_decided(batches: list[Batch], default: list[Drawn]) -> None:
    still = undecided(default, batches[0].times_us)
    assert still[LONG].hits == 0
    assert still[MIDDLE].value <= 0.06


@pytest.mark.archs
def test_one_process_per_side_never_raises_an_alarm_on_unchanged_code(batches: list[Batch]) -> None:
    assert alarmed(unchanged(batches, QUICK, UNCHANGED[QUICK])).hits == 0


def test_slowdowns_of_2_percent_are_found(two_percent: list[Detection]) -> None:
    assert pooled(slowed_by(two_percent, TWO, MIDDLE)).value >= 0.95  # likewise 98%
    assert pooled(slowed_by(two_percent, TWO, LONG)).value == 1


def test_nothing_is_called_faster_where_everything_became_slower(
    batches: list[Batch], two_percent: list[Detection]
) -> None:
    long = [case for case in two_percent if case.kind == LONG]
    assert len(long) > 15 * len(batches)
    assert pooled(long).value == 1
    assert sum(case.faster for case in two_percent) == 0


def test_fine_mode_finds_1_percent(batches: list[Batch]) -> None:
    cases = slowed_by(slowed(batches, FINE, 1), ONE, LONG)
    assert len(cases) > 10 * len(batches)
    assert pooled(cases).value >= 0.99


def test_one_process_per_side_finds_10_percent(batches: list[Batch]) -> None:
    cases = slowed(batches, QUICK, 10)
    assert pooled(slowed_by(cases, TEN, MIDDLE, LONG)).value == 1
    assert not any(case.faster for case in cases)
