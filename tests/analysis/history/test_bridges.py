"""GPUs that replace one another: joined by a commit that both measured, or split."""

from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.history.bridges import join
from shflbench.analysis.history.findings import SuiteHistory, history_of
from shflbench.analysis.history.series import series_of
from shflbench.store.history.record import HistoryKernel, HistoryRun
from tests.fakes.histories import history_run, machine, started_on

OLD, NEW = "GPU-1", "GPU-2"


def run_on(gpu: str, day: float, commit: str, **times: float) -> HistoryRun:
    return replace(history_run(day, times, machine(gpu=gpu)), commit=commit)


def replaced(bridge: str = "c4", first: float = 4.5) -> list[HistoryRun]:
    """Return five runs on one GPU and five on another one, that is 10% faster for `a` and 20% slower for `b`."""
    before = [run_on(OLD, day, f"c{day}", a=10.0, b=20.0) for day in range(5)]
    after = [run_on(NEW, first + day, f"c{day + 5}" if day else bridge, a=9.0, b=24.0) for day in range(5)]
    return before + after


def test_a_commit_that_both_measured_joins_two_gpus() -> None:
    (joined,) = join(series_of(replaced()))
    (bridge,) = joined.bridges
    assert (bridge.old, bridge.new, bridge.run, bridge.commit) == (OLD, NEW, 5, "c4")
    assert bridge.ratios == pytest.approx((0.9, 1.2))
    assert bridge.commits == 1
    assert joined.series.times.times == pytest.approx(np.tile([[9.0], [24.0]], 10))
    assert joined.series.gpu == NEW
    assert [run.machine.gpu for run in joined.series.runs] == [OLD] * 5 + [NEW] * 5


def test_without_such_a_commit_each_gpu_has_its_series() -> None:
    old, new = join(series_of(replaced(bridge="other")))
    assert not old.bridges
    assert [(bridge.old, bridge.new, bridge.ratios) for bridge in new.bridges] == [(OLD, NEW, ())]


def test_changed_files_are_no_commit() -> None:
    every = replaced()
    every[5] = replace(every[5], is_dirty=True)
    assert len(join(series_of(every))) == 2


def test_a_case_with_other_machine_code_stays_with_its_gpu() -> None:
    every = replaced()
    cases = every[5].cases
    every[5] = replace(every[5], cases=(cases[0], replace(cases[1], kernel=HistoryKernel(code="other"))))
    joined, old, new = join(series_of(every))
    assert [item.series.cases for item in (joined, old, new)] == [("a",), ("b",), ("b",)]
    assert [len(item.series.runs) for item in (joined, old, new)] == [10, 5, 5]


def test_gpus_that_go_on_side_by_side_are_not_joined() -> None:
    assert len(join(series_of(replaced(first=0.5)))) == 2


def test_a_first_run_of_the_new_gpu_may_come_before_the_last_one_of_the_old_gpu() -> None:
    every = replaced(bridge="c3", first=3.5)
    assert len(join(series_of(every))) == 1


def test_runs_of_both_gpus_are_in_the_order_of_their_start() -> None:
    every = [run_on(OLD, day, f"c{day}", a=10.0 + day / 100) for day in range(60)]
    every += [run_on(NEW, day + 0.5, f"c{day}", a=9.0, b=5.0) for day in (1, 20, 40, *range(60, 90))]
    (joined, _) = join(series_of(every))
    series = joined.series
    starts = [run.started for run in series.runs]
    assert starts == sorted(starts)
    assert np.all(np.diff(series.times.days) > 0)
    assert [series.runs[place].machine.gpu for place in (2, 22, 43)] == [NEW] * 3
    assert joined.bridges[0].run == 2
    for values in (series.times.times[0], series.times.errors[0], series.offsets_us, series.scales):
        assert len(values) == len(series.places) == len(starts)
    assert [series.case(0, run) for run in range(4)] == [
        next(case for case in run.cases if case.case == "a") for run in series.runs[:4]
    ]
    assert history_of(every)


def test_a_third_gpu_is_joined_with_the_second() -> None:
    every = [*replaced(), *(run_on("GPU-3", 10 + day, f"c{day + 9}", a=18.0, b=48.0) for day in range(3))]
    (joined,) = join(series_of(every))
    assert [bridge.new for bridge in joined.bridges] == [NEW, "GPU-3"]
    assert joined.series.times.times == pytest.approx(np.tile([[18.0], [48.0]], 13))
    assert joined.series.gpu == "GPU-3"


def on_three_gpus(bridge: str) -> list[HistoryRun]:
    """Return runs on three GPUs one after another; no commit joins the first two."""
    every = [run_on(OLD, day, f"c{day}", a=10.0) for day in range(5)]
    every += [run_on(NEW, day, f"c{day}", a=9.0) for day in range(5, 10)]
    return every + [run_on("GPU-3", day, f"c{day}" if day > 10 else bridge, a=18.0) for day in range(10, 15)]


def test_a_third_gpu_goes_on_with_the_second_where_no_commit_joins_the_first_two() -> None:
    first, second = join(series_of(on_three_gpus("c9")))
    assert {run.machine.gpu for run in first.series.runs} == {OLD}
    assert [run.machine.gpu for run in second.series.runs] == [NEW] * 5 + ["GPU-3"] * 5
    assert [(bridge.old, bridge.new, bridge.commit) for bridge in second.bridges] == [
        (OLD, NEW, ""),
        (NEW, "GPU-3", "c9"),
    ]


def test_a_third_gpu_goes_on_with_the_first_where_only_that_one_has_a_bridge() -> None:
    first, second = join(series_of(on_three_gpus("c4")))
    assert [run.machine.gpu for run in first.series.runs] == [OLD] * 5 + ["GPU-3"] * 5
    assert [(bridge.old, bridge.new) for bridge in first.bridges] == [(OLD, "GPU-3")]
    assert {run.machine.gpu for run in second.series.runs} == {NEW}


def test_without_any_bridge_a_third_gpu_replaces_the_one_that_ran_last() -> None:
    *_, third = join(series_of(on_three_gpus("other")))
    assert [(bridge.old, bridge.new) for bridge in third.bridges] == [(NEW, "GPU-3")]


def test_a_case_that_was_split_goes_on_with_a_later_gpu() -> None:
    every = replaced()
    cases = every[5].cases
    every[5] = replace(every[5], cases=(cases[0], replace(cases[1], kernel=HistoryKernel(code="other"))))
    every += [run_on("GPU-3", 10 + day, f"c{day + 9}", a=18.0, b=48.0) for day in range(3)]
    joined, old, new = join(series_of(every))
    gpus = [[run.machine.gpu for run in item.series.runs] for item in (joined, old, new)]
    assert [item.series.cases for item in (joined, old, new)] == [("a",), ("b",), ("b",)]
    assert gpus == [[OLD] * 5 + [NEW] * 5 + ["GPU-3"] * 3, [OLD] * 5, [NEW] * 5 + ["GPU-3"] * 3]
    assert [(bridge.old, bridge.new, bool(bridge.ratios)) for bridge in new.bridges] == [
        (OLD, NEW, False),
        (NEW, "GPU-3", True),
    ]


def test_changes_before_a_replacement_are_those_of_a_gpu_that_stayed() -> None:
    noise = np.exp(np.random.default_rng(1).normal(0, 0.002, size=90))
    times = noise * np.where(np.arange(90) < 30, 10.0, 11.0)

    def history(gpu: str, factor: float) -> SuiteHistory:
        every = [run_on(OLD, day, f"c{day}", a=time_us) for day, time_us in enumerate(times[:60])]
        days = enumerate(times[60:], 60)
        every += [run_on(gpu, day - 0.5, f"c{max(day - 1, 60)}", a=factor * time_us) for day, time_us in days]
        bridge = replace(every[59], machine=every[-1].machine, started=started_on(59.25))
        cases = tuple(replace(case, time_us=factor * (case.time_us or 0)) for case in bridge.cases)
        (only,) = history_of([*every, replace(bridge, cases=cases)])
        return only

    stayed, replaced = history(OLD, 1.0), history(NEW, 0.5)
    (change,), (again,) = stayed.changes, replaced.changes
    assert (again.first, again.seen, again.old) == (change.first, change.seen, change.old)
    assert (again.ratio, again.low, again.high) == pytest.approx((change.ratio, change.low, change.high))
    assert again.after_us == pytest.approx(change.after_us / 2)
    assert (stayed.gpu, replaced.gpu) == (OLD, NEW)
    assert [2 * (level.time_us or 0) for level in replaced.levels] == pytest.approx([stayed.levels[0].time_us])


def overlapping(*shares: float) -> list[HistoryRun]:
    """Return runs on two GPUs with so many common commits: the second needs so much of the time of the first."""
    every = [run_on(OLD, day, f"c{day}", a=10.0, b=20.0) for day in range(10)]
    for place, share in enumerate(shares):
        commit = f"c{10 - len(shares) + place}"
        every.append(run_on(NEW, 9.5 + place, commit, a=10 * share, b=20 * share))
    return every + [run_on(NEW, 20 + day, f"d{day}", a=9.0, b=18.0) for day in range(5)]


def test_one_wrong_run_of_several_common_commits_does_not_shift_the_series() -> None:
    (joined,) = join(series_of(overlapping(0.927, 0.9, 0.9)))
    (bridge,) = joined.bridges
    assert bridge.ratios == pytest.approx((0.9, 0.9))
    assert (bridge.commit, bridge.commits) == ("c7", 3)


def test_a_case_that_the_first_common_commit_lacks_is_joined_by_another_one() -> None:
    every = overlapping(0.9, 0.9)
    every[10] = replace(every[10], cases=every[10].cases[:1])
    (joined,) = join(series_of(every))
    assert joined.series.cases == ("a", "b")


def test_repeated_runs_of_a_commit_count_once_and_by_their_median() -> None:
    every = overlapping(0.9, 0.9)
    every += [run_on(OLD, 9 + part / 10, "c9", a=10.0 * share, b=20.0) for part, share in ((1, 1.0), (2, 1.5))]
    (joined,) = join(series_of(every))
    assert joined.bridges[0].ratios == pytest.approx((0.9, 0.9))


def test_the_ratio_is_fixed_after_the_third_run_of_the_new_gpu() -> None:
    every = overlapping(0.9, 0.9, 0.9)
    late = [run_on(NEW, 30 + day, f"c{day}", a=20.0, b=40.0) for day in range(7)]
    assert join(series_of([*every, *late]))[0].bridges == join(series_of(every))[0].bridges


def test_a_slower_gpu_is_no_change_of_a_case() -> None:
    every = [run_on(OLD, day, f"c{day}", a=10.0, b=20.0) for day in range(30)]
    every += [run_on(NEW, 29.5 + day, f"c{day + 29}", a=11.0, b=22.0) for day in range(30)]
    (history,) = history_of(every)
    assert history.changes == ()
