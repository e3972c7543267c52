from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.history.series import ANCHOR, series_of
from shflbench.store.history.record import HistoryRun
from tests.fakes.histories import GPU, history_run, machine, started_on

CASES = {"a": 10.0, "b": 200.0}


def test_runs_are_ordered_by_their_start_whatever_the_order_of_the_files() -> None:
    (series,) = series_of([history_run(day, {"a": 10.0 + day}) for day in (3, 0, 1)])
    assert [run.started for run in series.runs] == [started_on(day) for day in (0, 1, 3)]
    assert series.times.times.tolist() == [[10.0, 11.0, 13.0]]
    assert np.diff(series.times.days).tolist() == [1.0, 2.0]
    assert series.times.errors.tolist() == [[0.001] * 3]


def test_each_suite_and_gpu_has_its_own_series() -> None:
    other = machine(gpu="GPU-2")
    runs = [history_run(0, CASES), history_run(1, CASES, other), history_run(2, CASES, suite="blocks")]
    assert [(series.suite, series.gpu) for series in series_of(runs)] == [
        ("blocks", GPU),
        ("quick", GPU),
        ("quick", "GPU-2"),
    ]


def test_runs_of_unknown_gpus_are_grouped_by_the_model_or_the_host() -> None:
    (series,) = series_of([history_run(day, CASES, machine(gpu="")) for day in range(2)])
    assert series.gpu == "NVIDIA H200"
    hosts = [machine(gpu="", gpu_name="", host=host) for host in ("node-1", "node-2", "node-1")]
    both = series_of([history_run(day, CASES, host) for day, host in enumerate(hosts)])
    assert [(series.gpu, len(series.runs)) for series in both] == [("node-1", 2), ("node-2", 1)]


def test_a_case_that_was_not_timed_has_no_time() -> None:
    (series,) = series_of([history_run(0, {"a": 10.0, "b": None}), history_run(1, {"b": 7.0, "c": 1.0})])
    assert series.cases == ("b", "c", "a")
    assert np.array_equal(series.times.times, [[np.nan, 7.0], [np.nan, 1.0], [10.0, np.nan]], equal_nan=True)
    kernel = series.kernel(0, 1)
    assert kernel is not None
    assert kernel.code == "code of b"
    assert series.kernel(1, 0) is None


def test_an_offset_that_all_launches_share_is_removed() -> None:
    runs = [history_run(day, CASES) for day in range(3)]
    slower = history_run(3, {case: time_us + 0.5 for case, time_us in CASES.items()}, machine(offset_us=0.5))
    (series,) = series_of([*runs, slower])
    assert series.offsets_us.tolist() == pytest.approx([0, 0, 0, 0.5])
    assert series.times.times[:, 3].tolist() == pytest.approx([10.0, 200.0])


def test_a_slower_clock_is_no_offset() -> None:
    slower = history_run(1, {case: 1.02 * time_us for case, time_us in CASES.items()}, machine(scale=1.02))
    (series,) = series_of([history_run(0, CASES), slower])
    assert series.scales.tolist() == pytest.approx([1.0, 1.02])
    assert series.offsets_us[1] == pytest.approx(0.0)
    assert series.times.times[:, 1].tolist() == pytest.approx([10.2, 204.0])


@pytest.mark.parametrize("scale", [1.0, 1.02])
def test_a_large_offset_is_no_slower_clock(scale: float) -> None:
    changed = {case: scale * time_us + 2 for case, time_us in CASES.items()}
    (series,) = series_of([history_run(0, CASES), history_run(1, changed, machine(offset_us=2.0, scale=scale))])
    assert series.offsets_us[1] == pytest.approx(2.0)
    assert series.scales[1] == pytest.approx(scale)
    assert series.times.times[:, 1] == pytest.approx([10 * scale, 200 * scale])


def test_a_lasting_offset_stays_removed() -> None:
    runs = [history_run(day, CASES) for day in range(ANCHOR)]
    later = {case: time_us + 0.5 for case, time_us in CASES.items()}
    runs += [history_run(ANCHOR + day, later, machine(offset_us=0.5)) for day in range(3 * ANCHOR)]
    (series,) = series_of(runs)
    assert np.allclose(series.times.times[0], 10.0)


def test_later_runs_do_not_change_earlier_times() -> None:
    rng = np.random.default_rng(1)
    runs = [history_run(day, CASES, machine(offset_us=rng.normal(0, 0.1))) for day in range(40)]
    (whole,) = series_of(runs)
    for count in range(1, len(runs)):
        (part,) = series_of(runs[:count])
        assert np.array_equal(part.times.times, whole.times.times[:, :count])


def test_new_sentinels_are_not_compared_with_the_old_ones() -> None:
    (series,) = series_of(
        [
            history_run(0, CASES),
            history_run(1, CASES, machine(offset_us=3.0, sentinel_version="2")),
        ]
    )
    assert series.offsets_us.tolist() == [0.0, 0.0]


def offset_runs(*parts: tuple[int, float, str]) -> list[HistoryRun]:
    """Return runs with so many at an offset, by this version of the sentinels; the second version is twice as long."""
    runs: list[HistoryRun] = []
    for count, offset_us, version in parts:
        around = machine(offset_us=offset_us, sentinel_version=version)
        if version != "1":
            longer = tuple((name, 2 * time_us - offset_us) for name, time_us in around.sentinels)
            around = replace(around, sentinels=longer)
        times = {case: time_us + offset_us for case, time_us in CASES.items()}
        runs += [history_run(len(runs) + place, times, around) for place in range(count)]
    return runs


def test_new_sentinels_begin_at_the_offset_before() -> None:
    (series,) = series_of(offset_runs((20, 0.0, "1"), (30, 0.7, "1"), (20, 0.7, "2"), (5, 0.5, "2"), (2, 0.7, "1")))
    assert series.offsets_us == pytest.approx(np.repeat([0.0, 0.7, 0.5, 0.7], [20, 50, 5, 2]))
    assert np.allclose(series.times.times[0], 10.0)


def test_new_sentinels_begin_at_the_scale_before() -> None:
    slower = machine(scale=1.02)
    new = replace(slower, sentinel_version="2")
    runs = [history_run(day, CASES) for day in range(20)]
    runs += [history_run(day, CASES, slower if day < 30 else new) for day in range(20, 40)]
    (series,) = series_of(runs)
    assert series.scales.tolist() == pytest.approx([1.0] * 20 + [1.02] * 20)
    assert series.offsets_us.tolist() == pytest.approx([0.0] * 40)


@pytest.mark.parametrize(
    ("parts", "change_us"),
    [
        ([(20, 0.0, "1"), (5, 0.7, "1")], 0.7),
        ([(20, 0.7, "1"), (5, 0.0, "1")], -0.7),
        ([(20, 0.0, "1"), (20, 0.7, "1"), (20, 0.7, "2")], 0.7),
        ([(20, 0.0, "1"), (5, 0.2, "1")], 0.0),
        ([(20, 0.0, "1"), (2, 0.7, "1")], 0.0),
        ([(4, 0.0, "1"), (5, 0.7, "1")], 0.0),
    ],
)
def test_a_lasting_change_of_the_offset_is_known(parts: list[tuple[int, float, str]], change_us: float) -> None:
    (series,) = series_of(offset_runs(*parts))
    assert series.offset_change_us == pytest.approx(change_us)


def test_without_sentinels_nothing_is_removed() -> None:
    (series,) = series_of([history_run(day, CASES, machine(sentinels=())) for day in range(2)])
    assert np.isnan(series.offsets_us).all()
    assert np.isnan(series.scales).all()
    assert series.offset_change_us == 0
    assert series.times.times.tolist() == [[10.0, 10.0], [200.0, 200.0]]
