"""The whole comparison on generated runs with the noise of a real GPU: what it must find, and what it must not."""

from dataclasses import astuple, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.analysis.compare import Comparison, Outcome, Reason, Settings, Side, compare
from shflbench.analysis.compare.noise import USUAL, NoiseModel
from shflbench.analysis.compare.offset import offsets
from shflbench.core.thresholds import Threshold, Thresholds
from shflbench.errors import ResultsError
from shflbench.store import read_run
from tests.fakes.processes import SENTINEL_US, Simulated, spread, write
from tests.fakes.runs import TICK_US
from tests.fakes.sides import Pool, shuffled, side

TIMES_US = {case.id: time_us for case, time_us in spread().items()}
LONG = {name for name, time_us in TIMES_US.items() if time_us >= 50}
CHANGES = {Outcome.SLOWER, Outcome.FASTER}
FEW = spread(12)  # cases, where the number does not matter


_estimated: dict[str, Side] = {}


@cache
def pool(processes: int) -> Pool:
    return Pool(Simulated(processes=processes, seed=11))


def estimated(run: Simulated) -> Side:
    """Return a side of the run; samples are generated and estimated once for all tests that compare the same run."""
    key = repr(run)
    if key not in _estimated:
        _estimated[key] = Pool(run).side(range(run.processes))
    return _estimated[key]


def generated(seed: int, *, processes: int = 3, settings: Settings | None = None, **effects: Any) -> Comparison:
    """Compare a run with one of the same code, but for the `effects`; the seed chooses the noise of both."""
    base, new = (Simulated(seed=each, processes=processes) for each in (seed, seed + 50))
    return compare(estimated(base), estimated(replace(new, **effects)), settings)


def outcomes(comparison: Comparison) -> dict[str, Outcome]:
    return {verdict.case_id: verdict.outcome for verdict in comparison.verdicts}


def found(comparison: Comparison) -> set[str]:
    """Return the cases that are said to have changed."""
    return {name for name, outcome in outcomes(comparison).items() if outcome in CHANGES}


def alarms(known: Pool, processes: int, suites: int) -> int:
    """Count the comparisons of so many processes per side, all of unchanged code, that say that anything changed."""
    random = np.random.default_rng(processes)
    alarmed = 0
    for _ in range(suites):
        drawn = random.permutation(known.run.processes)[: 2 * processes].tolist()
        alarmed += bool(found(compare(known.side(drawn[:processes]), known.side(drawn[processes:]))))
    return alarmed


def test_the_generated_noise_is_that_of_an_h200() -> None:
    known = pool(60).estimates
    sentinels = {name: known[name] for name in SENTINEL_US}
    own = offsets(sentinels, sentinels)
    assert own is not None
    assert 0.045 < np.std(list(own.base.values())) < 0.07
    for name, estimates in known.items():
        deviation = float(estimates.minus(own.base).values.std(ddof=1))
        assert 0.7 < deviation / USUAL.deviation(float(estimates.values.mean())) < 1.4, name


def test_a_run_is_the_same_in_memory_and_on_disk(tmp_path: Path) -> None:
    runs = [Simulated(seed=seed, processes=2, cases=FEW) for seed in (1, 2)]
    base, new = (Side.of([read_run(write(tmp_path / str(run.seed), run))]) for run in runs)
    on_disk, in_memory = compare(base, new), compare(side(runs[0]), side(runs[1]))
    assert outcomes(on_disk) == outcomes(in_memory)
    for one, other in zip(on_disk.verdicts, in_memory.verdicts, strict=True):
        assert one.ratio == other.ratio


# Sixty suites for two numbers of processes here, two thousand for one by `make test-archs`, for each by
# `make test-complete`.
@pytest.mark.parametrize(
    ("drawn_from", "suites", "processes"),
    [
        *(pytest.param(40, 60, processes, id=f"quick-{processes}") for processes in (1, 3)),
        *(
            pytest.param(1000, 2000, number, id=f"whole-{number}", marks=[pytest.mark.archs, *others])
            for number, others in ((1, ()), *((number, (pytest.mark.complete,)) for number in (2, 3, 5)))
        ),
    ],
)
def test_at_most_one_unchanged_suite_in_a_hundred_raises_an_alarm(drawn_from: int, suites: int, processes: int) -> None:
    assert alarms(pool(drawn_from), processes, suites) <= suites / 100


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_unchanged_long_cases_are_called_the_same(processes: int) -> None:
    result = outcomes(generated(1, processes=processes))
    assert {result[name] for name in LONG} == {Outcome.SAME}


@pytest.mark.parametrize("processes", [3, 5])
def test_every_case_two_percent_slower_is_found_from_50_us_on_and_none_is_called_faster(processes: int) -> None:
    for seed in (1, 2, 3):
        result = outcomes(generated(seed, processes=processes, factors=Simulated().every(1.02)))
        assert {result[name] for name in LONG} == {Outcome.SLOWER}
        assert Outcome.FASTER not in result.values()


def test_two_processes_per_side_suspect_two_percent_and_find_four() -> None:
    suspected, sure = (generated(1, processes=2, factors=Simulated().every(factor)) for factor in (1.018, 1.045))
    assert {verdict.reason for verdict in suspected.verdicts if verdict.case_id in LONG} == {Reason.FEW_PROCESSES}
    assert found(sure) >= LONG


def test_one_process_per_side_suspects_four_percent_and_finds_eight() -> None:
    suspected, sure = (generated(1, processes=1, factors=Simulated().every(factor)) for factor in (1.04, 1.08))
    assert {(verdict.outcome, verdict.reason) for verdict in suspected.verdicts if verdict.case_id in LONG} == {
        (Outcome.SUSPECTED, Reason.FEW_PROCESSES)
    }
    assert found(sure) >= LONG


# Whole steps of the timer, so that rounding to its steps changes nothing either.
@pytest.mark.parametrize("offset_us", [5 * TICK_US, -5 * TICK_US])
def test_an_offset_of_one_side_changes_no_verdict(offset_us: float) -> None:
    for seed in (1, 2, 3):
        plain, shifted = (generated(seed, offset_us=offset) for offset in (0.0, offset_us))
        assert outcomes(shifted) == outcomes(plain)
        assert shifted.offset_us == pytest.approx((plain.offset_us or 0.0) + offset_us, abs=0.001)


@pytest.mark.parametrize(("factor", "way"), [(1.003, "slower"), (0.997, "faster")])
def test_a_machine_that_changed_as_its_sentinels_did_is_refused(factor: float, way: str) -> None:
    with pytest.raises(ResultsError, match=rf"the sentinels ran 0\.[23]\d*% {way}"):
        generated(1, factor=factor)


def test_one_doubled_sample_in_ten_adds_a_remark_and_changes_no_verdict() -> None:
    plain, doubled = (generated(1, doubled=names) for names in ((), LONG))
    assert {outcomes(doubled)[name] for name in LONG} == {Outcome.SAME}
    assert not any(verdict.remarks for verdict in plain.verdicts)
    remarked = {
        verdict.case_id for verdict in doubled.verdicts if "the distribution changed" in " ".join(verdict.remarks)
    }
    assert remarked <= LONG
    assert len(remarked) > len(LONG) / 2  # by chance it is a little less than a tenth of the samples in some processes


def test_one_slow_round_of_six_changes_no_verdict() -> None:
    for seed in (1, 2, 3):
        result = generated(seed, slow_round=0.004)
        assert not found(result)
        assert {outcomes(result)[name] for name in LONG} == {Outcome.SAME}


@pytest.mark.parametrize("processes", [1, 3])
def test_swapping_the_sides_swaps_slower_and_faster(processes: int) -> None:
    factors = dict(zip(TIMES_US, np.tile([1.0, 1.005, 1.02, 1.1, 0.98, 0.9], 7), strict=False))
    base, new = (Simulated(seed=1, processes=processes), Simulated(seed=2, processes=processes, factors=factors))
    there, back = compare(side(base), side(new)), compare(side(new), side(base))
    opposite = {Outcome.SLOWER: Outcome.FASTER, Outcome.FASTER: Outcome.SLOWER}
    assert outcomes(back) == {name: opposite.get(outcome, outcome) for name, outcome in outcomes(there).items()}
    assert set(outcomes(there).values()) >= {Outcome.SLOWER, Outcome.FASTER, Outcome.SAME}


def test_the_order_of_cases_processes_and_rounds_is_irrelevant() -> None:
    base, new = side(Simulated(seed=1)), side(Simulated(seed=2, factors=Simulated().every(1.012)))
    ordered, mixed = compare(base, new), compare(shuffled(base), shuffled(new))
    assert list(outcomes(mixed)) != list(outcomes(ordered))
    assert outcomes(mixed) == outcomes(ordered)
    changes = {verdict.case_id: verdict.ratio for verdict in mixed.verdicts}
    for verdict in ordered.verdicts:
        change = changes[verdict.case_id]
        assert change is not None
        assert verdict.ratio is not None
        assert astuple(change) == pytest.approx(astuple(verdict.ratio), rel=1e-9)


@pytest.mark.parametrize("processes", [1, 3])
def test_a_larger_threshold_never_finds_more(processes: int) -> None:
    factors = dict(zip(TIMES_US, np.linspace(0.9, 1.1, len(TIMES_US)), strict=True))
    before: set[str] = set(TIMES_US)
    for percent in (0.2, 0.5, 1, 2, 5, 20):
        settings = Settings(thresholds=Thresholds(Threshold(percent / 100)))
        now = found(generated(1, processes=processes, factors=factors, settings=settings))
        assert now <= before
        before = now
    assert not before


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(("factor", "outcome"), [(1.5, Outcome.SUSPECTED), (1.0, Outcome.INCONCLUSIVE)])
def test_fewer_than_three_rounds_are_undecided(rounds: int, factor: float, outcome: Outcome) -> None:
    result = generated(1, rounds=rounds, factors=Simulated().every(factor))
    assert {(verdict.outcome, verdict.reason) for verdict in result.verdicts} == {(outcome, Reason.TOO_FEW_ROUNDS)}


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_a_learned_noise_of_half_the_true_size_is_noticed_and_not_used(processes: int) -> None:
    half = NoiseModel(USUAL.a_us / 2, USUAL.b / 2, "learned")
    for seed in (1, 2, 3):
        result = generated(seed, processes=processes, settings=Settings(noise=half))
        assert any("estimate the noise again" in warning for warning in result.warnings)
        assert result.noise is not None
        assert result.noise.source != half.source
        assert not found(result)
