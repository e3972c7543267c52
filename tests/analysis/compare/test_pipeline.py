"""The way from two sides to a comparison, and what it makes of values that a side does not have.

What the rule finds in noise is tried in test_simulated.py.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.analysis.compare import Metric, Outcome, Reason, Settings, Side, compare
from shflbench.analysis.compare.noise import NoiseModel, Spread
from shflbench.analysis.compare.sides import KernelTimes
from shflbench.core.model import Status
from shflbench.core.thresholds import Thresholds
from shflbench.errors import ResultsError, UsageError
from shflbench.store import RunSettings, SuiteText, read_run
from tests.fakes.four_cases import FEW, FIRST, FOURTH, SECOND, THIRD, made, outcomes, verdict, with_row
from tests.fakes.processes import Simulated, write
from tests.fakes.runs import H200, untimed
from tests.fakes.sides import side, without
from tests.fakes.simulated import SENTINEL_US

CHANGED = replace(Simulated(cases=FEW), factors={SECOND: 1.1, THIRD: 0.9})


def of_run(known: Side, **about: Any) -> Side:
    """Return the side had the information on its run been another."""
    (run,) = known.runs
    return replace(known, runs=(replace(run, info=replace(run.info, **about)),))


def test_unchanged_code_is_the_same_and_exits_0() -> None:
    result = compare(made(1), made(2))
    assert outcomes(result) == dict.fromkeys([FIRST, SECOND, THIRD, FOURTH], Outcome.SAME)
    assert (result.exit_code(), result.exit_code(strict=True)) == (0, 0)
    assert (result.notes, result.warnings, result.across) == ((), (), ())
    assert result.noise is not None
    assert result.noise.source == "fitted to the spread between the processes of a side"


def test_a_slower_case_is_found_and_exits_1_and_a_faster_one_does_not() -> None:
    result = compare(made(1), side(replace(CHANGED, seed=2)))
    assert outcomes(result) == {
        FIRST: Outcome.SAME, SECOND: Outcome.SLOWER, THIRD: Outcome.FASTER, FOURTH: Outcome.SAME,
    }  # fmt: skip
    assert (result.exit_code(), result.exit_code(strict=True)) == (1, 1)
    (slower,) = (each for each in result.verdicts if each.outcome is Outcome.SLOWER)
    assert slower.ratio is not None
    assert slower.ratio.value == pytest.approx(1.1, abs=0.002)
    faster = compare(made(1), side(replace(CHANGED, seed=2, factors={THIRD: 0.9})))
    assert faster.exit_code(strict=True) == 0


def test_both_sides_are_described_with_the_offset_between_them() -> None:
    result = compare(made(1), made(2, offset_us=0.64))
    assert (result.base.name, result.new.name, result.base.processes) == ("seed-1", "seed-2", 3)
    assert result.offset_us == pytest.approx(0.64, abs=0.15)


def test_cases_keep_the_order_of_the_base_and_new_ones_follow() -> None:
    base = with_row(made(1), None, SECOND)
    new = replace(made(2), rows=dict(reversed(list(made(2).rows.items()))))
    assert list(outcomes(compare(base, new))) == [FIRST, THIRD, FOURTH, SECOND]


def test_missing_and_failed_cases_fail_the_gate_unless_they_are_allowed() -> None:
    for row, outcome in ((None, Outcome.MISSING), (untimed(made(2).rows[FIRST], Status.FAILED, "x"), Outcome.FAILED)):
        new = with_row(made(2), row)
        assert verdict(made(1), new).outcome is outcome
        assert compare(made(1), new).exit_code() == 1
        assert compare(made(1), new, Settings(allowed=frozenset({outcome}))).exit_code(strict=True) == 0


def test_incomparable_cases_count_only_with_strict() -> None:
    base = with_row(made(1), untimed(made(1).rows[FIRST], Status.FAILED, "it crashed"))
    result = compare(base, made(2))
    assert verdict(base, made(2)).outcome is Outcome.NOT_COMPARABLE
    assert (result.exit_code(), result.exit_code(strict=True)) == (0, 6)


def test_a_case_that_failed_in_one_of_two_runs_failed(tmp_path: Path) -> None:
    runs = [read_run(write(tmp_path / str(seed), Simulated(cases=FEW, seed=seed))) for seed in (2, 3)]
    broken = replace(runs[1], rows=(untimed(runs[1].rows[0], Status.INCORRECT, "lane 3"), *runs[1].rows[1:]))
    new = Side.of([runs[0], broken])
    assert verdict(made(1), new).reason is Reason.INCORRECT_RESULT
    assert verdict(made(1), new, case_id=SECOND).outcome is Outcome.SAME
    assert verdict(new, made(1)).reason is Reason.BASE_NOT_TIMED


def test_a_case_may_have_more_processes_than_the_others() -> None:
    longer = made(2, processes=6)
    kernels = {
        name: kernel
        if name in {FIRST, *SENTINEL_US}
        else KernelTimes(
            {count: dict(list(taken.items())[:2]) for count, taken in kernel.counts.items()}, kernel.launches
        )
        for name, kernel in longer.kernels.items()
    }
    result = compare(made(1), replace(longer, kernels=kernels))
    assert set(outcomes(result).values()) == {Outcome.SAME}
    assert (result.new.processes, compare(made(1), longer).new.processes) == (2, 6)
    noise = NoiseModel(0.05, 3e-4, "the same for both")
    for case_id, wider in ((FIRST, False), (SECOND, True)):
        some, all_six = (
            verdict(made(1), new, Settings(noise=noise), case_id).ratio
            for new in (replace(longer, kernels=kernels), longer)
        )
        assert some is not None
        assert all_six is not None
        assert (some.high - some.low > 1.2 * (all_six.high - all_six.low)) is wider


@pytest.mark.parametrize(
    ("about", "clause"),
    [
        ({"suite": SuiteText("quick", "", "", "")}, r"the suites differ \(gtc2013, quick\)"),
        ({"device": replace(H200, name="NVIDIA B200")}, r"the GPUs differ \(NVIDIA H200, NVIDIA B200\)"),
        ({"backend": "emulator"}, "the backends differ .*; run has no times: its backend is emulator"),
    ],
)
def test_sides_that_cannot_be_compared_are_refused(about: dict[str, Any], clause: str) -> None:
    new = of_run(made(2), **about)
    new = replace(new, runs=tuple(replace(run, folder=run.folder.with_name("run")) for run in new.runs))
    with pytest.raises(ResultsError, match=rf"^seed-1 and seed-2 cannot be compared: {clause}") as caught:
        compare(made(1), new)
    assert caught.value.exit_code == 3
    report = compare(made(1), new, Settings(across=True))
    assert report.exit_code(strict=True) == 0
    assert set(outcomes(report).values()) == {Outcome.NOT_COMPARABLE}
    assert {each.reason for each in report.verdicts} == {Reason.ACROSS}
    assert all(each.ratio for each in report.verdicts)


def test_across_changes_nothing_for_comparable_sides() -> None:
    assert compare(made(1), made(2), Settings(across=True)) == compare(made(1), made(2))


def test_a_changed_machine_is_refused_unless_a_report_is_requested() -> None:
    slower = made(2, factor=1.01)
    with pytest.raises(ResultsError, match=r"the sentinels ran (0\.9|1\.0)\d% slower: the machine itself changed$"):
        compare(made(1), slower)
    assert "slower" in compare(made(1), slower, Settings(across=True)).across[0]


def test_the_same_run_and_a_mixture_of_runs_are_refused_even_for_a_report() -> None:
    settings = Settings(across=True)
    with pytest.raises(ResultsError, match="contain the same run"):
        compare(made(1), replace(made(1), name="copy"), settings)
    other = of_run(made(3), arch="sm_100")
    with pytest.raises(ResultsError, match="cannot form one side"):
        compare(made(1), replace(made(2), runs=(*made(2).runs, *other.runs)), settings)


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "of an older run"])
def test_options_override_the_suite_whose_newer_text_counts(*, recorded: bool) -> None:
    """A run that recorded its thresholds has them whatever its suite's text says; of an older one the text is read."""
    text = "schema: 1\nname: gtc2013\ncompare:\n  threshold: {}%\n"
    base, new = (
        of_run(
            made(seed),
            suite=SuiteText("gtc2013", "", "", text.format(9 if recorded else percent)),
            thresholds=Thresholds.parse([f"{percent}%"]) if recorded else None,
        )
        for seed, percent in ((1, 3), (2, 4))
    )
    assert verdict(base, new).threshold == 0.04
    requested = Settings(thresholds=Thresholds.parse(["5%", f"{SECOND}=6%"]))
    assert verdict(base, new, requested).threshold == 0.05
    assert verdict(base, new, requested, SECOND).threshold == 0.06


def test_a_threshold_in_us_depends_on_the_time() -> None:
    requested = Settings(thresholds=Thresholds.parse(["1us"]))
    assert verdict(made(1), made(2), requested, FIRST).threshold == pytest.approx(1 / 40, rel=0.01)
    assert verdict(made(1), made(2), requested, FOURTH).threshold == pytest.approx(1 / 2300, rel=0.01)
    with pytest.raises(UsageError, match="ns_per_iteration has no threshold in µs"):
        compare(made(1), made(2), replace(requested, metric=Metric.NS_PER_ITERATION))


def test_learned_noise_is_used_and_named() -> None:
    learned = NoiseModel(0.04, 3e-4, "learned from 24 processes on this GPU", {FIRST: Spread(400.0, 23)})
    result = compare(made(1), made(2), Settings(noise=learned))
    assert result.noise is not None
    assert result.noise.source == "learned from 24 processes on this GPU"
    assert outcomes(result)[FIRST] is Outcome.INCONCLUSIVE
    assert outcomes(result)[SECOND] is Outcome.SAME


def test_learned_noise_lets_one_process_take_the_usual_threshold() -> None:
    one, other = (made(seed, processes=1) for seed in (1, 2))
    assert verdict(one, other).threshold == 0.02
    assert verdict(one, other, Settings(noise=NoiseModel(0.04, 3e-4, "learned"))).threshold == 0.01


def test_notes_and_warnings_are_passed_on() -> None:
    (run,) = made(2).runs
    noted = replace(run, notes=("a note of the run",), info=replace(run.info, settings=RunSettings(precision=0.01)))
    result = compare(made(1), replace(made(2), runs=(noted,)))
    assert result.notes == ("`precision` was 0.005, now 0.01",)
    assert "a note of the run" in result.warnings


def test_no_case_to_judge_needs_no_noise() -> None:
    failed = made(2)
    for name in (FIRST, SECOND, THIRD, FOURTH):
        failed = with_row(failed, untimed(failed.rows[name], Status.FAILED, "it crashed"), name)
    result = compare(made(1), failed)
    assert set(outcomes(result).values()) == {Outcome.FAILED}
    assert result.noise is None


METRICS = [Metric.TIME, Metric.NS_PER_ITERATION, Metric.CYCLES_PER_ITERATION]


def with_times(known: Side, counts: dict[int, list[float]], launches: int = 1) -> Side:
    """Return the side had the first case taken so long, in each of four rounds of each process."""
    taken = {
        iterations: {(0, process): [np.array([time_us])] * 4 for process, time_us in enumerate(times)}
        for iterations, times in counts.items()
    }
    return replace(known, kernels={**known.kernels, FIRST: KernelTimes(taken, launches)})


@pytest.mark.parametrize(
    ("factor", "outcome", "reason"),
    [
        (1.0, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (1.04, Outcome.SUSPECTED, Reason.NO_SAMPLES),
        (1.1, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
    ],
)
def test_tables_without_samples_suspect_small_changes(
    tmp_path: Path, factor: float, outcome: Outcome, reason: Reason
) -> None:
    runs = [Simulated(cases=FEW, seed=1), Simulated(cases=FEW, seed=2, factors={FIRST: factor})]
    base, new = (
        Side.of([read_run(write(tmp_path / str(place), run, samples=False))]) for place, run in enumerate(runs)
    )
    for one, other in ((base, new), (base, side(runs[1])), (side(runs[0]), new)):
        if one is base and other is new:
            found = verdict(one, other)
            assert (found.outcome, found.reason) == (outcome, reason)
        assert any("no samples" in warning for warning in compare(one, other).warnings)


@pytest.mark.parametrize(("factor", "outcome"), [(1.04, Outcome.SUSPECTED), (1.07, Outcome.SLOWER)])
def test_without_sentinels_small_changes_are_only_suspected(factor: float, outcome: Outcome) -> None:
    base, new = (made(seed, sentinels=False, factor=by) for seed, by in ((1, 1.0), (2, factor)))
    found = verdict(base, new)
    assert found.outcome is outcome
    assert found.reason is (Reason.NO_SENTINELS if outcome is Outcome.SUSPECTED else Reason.BEYOND_THRESHOLD)
    assert compare(base, new).offset_us is None


def test_a_process_without_sentinels_is_left_out() -> None:
    two = compare(made(1), without(made(2), *SENTINEL_US, process=2))
    assert set(outcomes(two).values()) == {Outcome.SAME}
    for found, known in zip(two.verdicts, compare(made(1), made(2)).verdicts, strict=True):
        assert found.new != known.new


@pytest.mark.parametrize("metric", METRICS)
def test_a_value_that_is_unknown_is_distinguished_from_one_without_an_interval(metric: Metric) -> None:
    bare = replace(made(2), kernels={})
    row = replace(made(2).rows[FIRST], ns_per_iteration=1.0, cycles_per_iteration=2.0)
    unsure = verdict(made(1), with_row(bare, row), Settings(metric=metric))
    base = with_row(made(1), row)
    assert verdict(base, with_row(bare, row), Settings(metric=metric)).reason is Reason.NO_INTERVAL
    assert unsure.reason is (Reason.NO_INTERVAL if metric is Metric.TIME else Reason.NO_VALUE)
    nothing = replace(row, time_us=None, ns_per_iteration=None, cycles_per_iteration=None)
    unknown = verdict(base, with_row(bare, nothing), Settings(metric=metric))
    # The base side comes first: its table has no interval either.
    assert unknown.sentence == f"the base side has no interval of its {metric}"
    swapped = verdict(with_row(bare, nothing), base, Settings(metric=metric))
    assert (swapped.outcome, swapped.reason) == (Outcome.NOT_COMPARABLE, Reason.NO_VALUE)


@pytest.mark.parametrize("shorter", [[40.0, 40.0], [41.0, 41.0], [39.0, 41.0]], ids=["0", "below 0", "one below 0"])
def test_a_slope_that_is_not_above_0_is_not_compared(shorter: list[float]) -> None:
    flat = with_times(made(2), {4096: [40.0, 40.0], 1024: shorter})
    steep = with_times(made(1), {4096: [40.0, 40.0], 1024: [20.0, 20.0]})
    for base, new, name in ((steep, flat, "new"), (flat, steep, "base")):
        result = verdict(base, new, Settings(metric=Metric.NS_PER_ITERATION))
        assert (result.outcome, result.reason) == (Outcome.NOT_COMPARABLE, Reason.NO_VALUE)
        assert result.sentence == f"the ns_per_iteration of the {name} side is not above 0"
        assert compare(base, new, Settings(metric=Metric.NS_PER_ITERATION)).by_importance()


def test_a_time_that_is_shorter_than_the_offset_is_not_compared() -> None:
    base, new = (with_times(known, {4096: [0.032] * 3}) for known in (made(1, offset_us=2.0), made(2)))
    assert verdict(base, new).reason is Reason.NO_VALUE


def test_samples_of_one_launch_and_of_eight_are_not_compared() -> None:
    one, eight, both = (
        with_times(made(seed), {4096: [40.0] * 3}, launches) for seed, launches in ((1, 1), (2, 8), (3, 0))
    )
    for base, new in ((one, eight), (eight, one), (one, both), (both, replace(both, runs=one.runs))):
        found = verdict(base, new)
        assert (found.outcome, found.reason) == (Outcome.NOT_COMPARABLE, Reason.OTHER_LAUNCHES)


def test_learned_spreads_of_times_do_not_apply_to_slopes() -> None:
    base, new = (with_times(made(seed), {4096: [40.0] * 3, 1024: [12.0] * 3}) for seed in (1, 2))
    learned = NoiseModel(0.04, 3e-4, "learned", {FIRST: Spread(400.0, 23)})
    slope = Settings(metric=Metric.NS_PER_ITERATION, noise=learned)
    plain = replace(slope, noise=replace(learned, cases={}))
    assert verdict(base, new, slope) == verdict(base, new, plain)


@pytest.mark.parametrize("metric", [Metric.NS_PER_ITERATION, Metric.CYCLES_PER_ITERATION])
def test_a_slope_is_compared_on_disk(tmp_path: Path, metric: Metric) -> None:
    base, new = (
        Side.of([read_run(write(tmp_path / str(run.seed), run))])
        for run in (Simulated(cases=FEW), Simulated(cases=FEW, seed=2, factors={SECOND: 1.2}))
    )
    result = compare(base, new, Settings(metric=metric))
    found = verdict(base, new, Settings(metric=metric), SECOND)
    assert found.outcome is Outcome.SLOWER
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(1.2, abs=0.02)
    assert outcomes(result)[FOURTH] is Outcome.SAME
