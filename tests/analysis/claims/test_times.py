from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.claims_devices import ManyProcesses
from shflbench.analysis.claims import times
from shflbench.analysis.claims.times import RunTimes, UncertainValue, quantile
from shflbench.analysis.compare.noise import ASSUMED
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.core.model import Interval
from shflbench.measure.sentinels import version
from shflbench.store import Run, SentinelSet
from tests.analysis.claims.conftest import recorded, subject
from tests.fakes.pools import generated
from tests.fakes.processes import Simulated, spread, verified
from tests.fakes.runs import info
from tests.fakes.sides import side

PROCESSES, DRAWS = 40, 40


@cache
def device() -> ManyProcesses:
    """Return 40 processes of 40 cases with the noise of an H200."""
    about = replace(info(), sentinels=SentinelSet(version()))
    return ManyProcesses(generated(PROCESSES), map(verified, spread()), about)


def missed(processes: int) -> float:
    """Return the share of the intervals that do not contain both times of a case, its median and its fastest half."""
    truths = {
        case_id: (known.values.mean(), known.medians.mean())
        for case_id, known in subtract_offsets(generated(40)).items()
    }
    random = np.random.default_rng(3)
    results = []
    for _ in range(DRAWS):
        chosen = random.choice(PROCESSES, processes, replace=False)
        drawn = device().subject([device().processes[place] for place in chosen.tolist()])
        for row in drawn.source.run.rows:
            value = drawn.times.measured(row, "time")
            assert value
            # What all launches share is not part of the interval: an expression is evaluated at both of its ends.
            shared = drawn.times.offset_us(1)
            low, high = value.interval(1, shared).low, value.interval(1, -shared).high
            results.append(not low <= min(truths[row.case_id]) <= max(truths[row.case_id]) <= high)
    return float(np.mean(results))


@pytest.mark.parametrize("processes", [1, 3])
def test_an_interval_misses_the_true_times_in_at_most_1_percent_of_the_runs(processes: int) -> None:
    assert missed(processes) <= 0.01


def test_intervals_that_are_half_as_wide_would_miss_more(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = times.quantile
    monkeypatch.setattr(times, "quantile", lambda *arguments: whole(*arguments) / 2)
    assert missed(3) > 0.01  # the noise that is assumed of one process is 1.5 times as large as that of an H200


def test_more_values_need_a_larger_quantile_and_fewer_processes_too() -> None:
    assert quantile(1) < quantile(10) < quantile(1000)
    assert quantile(10) < quantile(10, 4) < quantile(10, 2)


def test_the_interval_contains_both_estimates_and_moves_with_the_offset_of_the_run() -> None:
    value = UncertainValue(value=10.0, low=9.8, high=10.0, variance=0.01, shifts=True)
    interval = value.interval(1)
    assert interval.low < 9.8 - 0.2
    assert interval.high > 10.2
    moved = value.interval(1, 0.5)
    assert (moved.value, moved.low, moved.high) == pytest.approx((9.5, interval.low - 0.5, interval.high - 0.5))
    assert replace(value, shifts=False).interval(1, 0.5) == interval


def test_the_interval_of_a_time_does_not_reach_below_zero() -> None:
    value = UncertainValue(value=10.0, low=9.8, high=10.0, variance=100.0)
    assert value.interval(1).low == 0.0
    assert value.interval(1).high > 20.0


def test_processes_that_differ_by_more_than_the_noise_widen_the_interval_of_their_case() -> None:
    run = side(Simulated(processes=3, seed=4))
    case_id, calm = list(run.rows)[30], list(run.rows)[31]
    noisy = {
        count: {key: [times * (1 + 0.02 * key[1]) for times in rounds] for key, rounds in taken.items()}
        for count, taken in run.kernels[case_id].counts.items()
    }
    changed = replace(run, kernels={**run.kernels, case_id: replace(run.kernels[case_id], counts=noisy)})
    before, after = (RunTimes(known.runs[0], known).measured(known.rows[case_id], "time") for known in (run, changed))
    assert before
    assert after
    assert before.excess == 0 < after.excess
    assert after.interval(1).half_width > 10 * before.interval(1).half_width
    other = RunTimes(run.runs[0], changed).measured(run.rows[calm], "time")
    assert other
    assert other.interval(1).half_width < 0.01


def test_one_process_has_the_assumed_noise_and_several_have_their_own() -> None:
    one, three = (side(Simulated(processes=processes)) for processes in (1, 3))
    assert RunTimes(one.runs[0], one).noise == ASSUMED
    assert RunTimes(three.runs[0], three).noise.source == "fitted to the processes of the run"


def test_without_sentinels_the_offset_of_a_process_is_part_of_the_noise() -> None:
    known = side(Simulated(processes=1, sentinels=False))
    run_times = RunTimes(known.runs[0], known)
    assert run_times.noise == ASSUMED.with_offsets()
    assert run_times.offset_us(1) == 0
    assert not run_times.measured(next(iter(known.rows.values())), "time").shifts  # type: ignore[union-attr]


def test_a_run_without_samples_has_the_intervals_of_its_rows_widened() -> None:
    source = recorded("quick").run
    rows_only = RunTimes(Run(source.folder.parent, source.info, source.rows))  # a folder without samples
    assert not rows_only.has_samples
    with_samples = subject("quick").times
    for row in source.rows[:9]:
        assert row.time_low_us
        assert row.time_high_us
        value = rows_only.measured(row, "time")
        assert value
        interval = value.interval(1)
        assert interval.low < row.time_low_us < row.time_high_us < interval.high
        assert interval.half_width > with_samples.measured(row, "time").interval(1).half_width  # type: ignore[union-attr]
        assert rows_only.measured(row, "p90") is None


def test_times_per_iteration_and_90th_percentiles_contain_what_the_run_says() -> None:
    source = recorded("quick").run
    run_times = subject("quick").times
    row = next(row for row in source.rows if row.pattern == "neighbor" and row.variant == "shfl")
    for quantity in ("ns_per_iteration", "cycles_per_iteration"):
        value = run_times.measured(row, quantity)
        assert value
        assert value.value == getattr(row, quantity)
        assert value.interval(50).low < value.value < value.interval(50).high
        assert not value.shifts  # a slope does not contain the offset
    p90, time = run_times.measured(row, "p90"), run_times.measured(row, "time")
    assert p90
    assert time
    assert p90.value > time.value
    assert p90.interval(1).low < p90.value


def test_a_time_that_nothing_takes_is_no_time() -> None:
    source = recorded("quick").run
    row = replace(source.rows[0], time_us=1e300)
    assert RunTimes(replace(source, rows=(row,))).measured(row, "time") is None


def test_a_case_with_too_few_rounds_has_no_time() -> None:
    known = side(Simulated(processes=1, rounds=2))
    assert RunTimes(known.runs[0], known).measured(next(iter(known.rows.values())), "time") is None


def test_samples_are_read_when_a_time_is_needed() -> None:
    run_times = RunTimes(recorded("quick").run)
    assert not run_times.is_read
    assert isinstance(run_times.measured(recorded("quick").run.rows[0], "time").interval(1), Interval)  # type: ignore[union-attr]
    assert run_times.is_read
