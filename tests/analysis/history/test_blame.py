"""The causes of a change: each alone, several together, and those that are not known."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shflbench.analysis.history.blame import Blame, blame
from shflbench.analysis.history.levels import Drift, LevelChange
from shflbench.analysis.history.series import RunSeries, series_of
from shflbench.store.history.record import HistoryKernel, HistoryMachine, HistoryRun
from tests.fakes.histories import history_run, machine

CASES = ("a", "b", "c", "d", "e", "f")
STEP = 10  # run
CHANGE = LevelChange(series=0, first=STEP, seen=STEP + 2, before=10.0, after=10.3, low=1.02, high=1.04)


def runs(
    kernel: Callable[[bool], HistoryKernel] = lambda _: HistoryKernel(code="x", source="s"),
    around: Callable[[bool], HistoryMachine] = lambda _: machine(),
    moved: tuple[str, ...] = ("a",),
) -> list[HistoryRun]:
    """Return runs in which some cases become 3% slower; kernels and machine know whether that is past."""
    every = []
    for day in range(STEP + 3):
        is_after = day >= STEP
        times = dict.fromkeys(CASES, 10.0) | (dict.fromkeys(moved, 10.3) if is_after else {})
        run = history_run(day, times, around(is_after))
        cases = tuple(replace(case, kernel=kernel(is_after)) if case.case == "a" else case for case in run.cases)
        every.append(replace(run, cases=cases))
    return every


def series(every: list[HistoryRun]) -> RunSeries:
    (only,) = series_of(every)
    return only


def of(every: list[HistoryRun], change: LevelChange = CHANGE) -> Blame:
    return blame(series(every), change)


def kernel_of(before: HistoryKernel, after: HistoryKernel) -> Callable[[bool], HistoryKernel]:
    return lambda is_after: after if is_after else before


def machine_of(**values: Any) -> Callable[[bool], HistoryMachine]:
    return lambda is_after: machine(**(values if is_after else {}))


OLD = HistoryKernel(code="x", source="s", registers=32, launch="26x1024")
EDITED = replace(OLD, code="y", source="t", registers=40)


def recompiled_to(code: str, of: str = "s") -> HistoryKernel:
    """Return the edited kernel, whose compiler makes this code of an earlier source."""
    return replace(EDITED, recompiled=code, recompiled_of=of)


KERNELS: dict[str, tuple[HistoryKernel, HistoryKernel, dict[str, Any], tuple[str, ...]]] = {
    "nothing": (OLD, OLD, {}, ("unexplained",)),
    "source": (OLD, EDITED, {}, ("code",)),
    "comment": (OLD, replace(OLD, source="t"), {}, ("unexplained",)),
    "compiler": (OLD, replace(OLD, code="y"), {"compiler": "14.0"}, ("compiler",)),
    "options": (OLD, replace(OLD, code="y"), {"options": "-lineinfo"}, ("compiler",)),
    "patch": (OLD, replace(OLD, code="y"), {}, ("compiler",)),
    "architecture": (OLD, replace(OLD, code="y"), {"arch": "sm_90a"}, ("compiler",)),
    "architecture and source": (OLD, EDITED, {"arch": "sm_90a"}, ("code or compiler",)),
    "both": (OLD, recompiled_to("z"), {"compiler": "14.0"}, ("code", "compiler")),
    "both, of which code matters": (OLD, recompiled_to("x"), {"compiler": "14.0"}, ("code",)),
    "both, of which the compiler matters": (OLD, recompiled_to("y"), {"compiler": "14.0"}, ("compiler",)),
    "both, not compiled again": (OLD, EDITED, {"compiler": "14.0"}, ("code or compiler",)),
    "both, of another pair": (OLD, recompiled_to("y", of="r"), {"compiler": "14.0"}, ("code or compiler",)),
    "both, of which one is unknown": (
        replace(OLD, source=""),
        recompiled_to("y", of=""),
        {"compiler": "14.0"},
        ("code or compiler",),
    ),
    "compiler of the same code": (OLD, OLD, {"compiler": "14.0"}, ("unexplained",)),
    "source unknown": (OLD, HistoryKernel(code="y"), {"compiler": "14.0"}, ("code or compiler",)),
    "driver": (OLD, OLD, {"driver": "590.2"}, ("driver",)),
    "method": (OLD, OLD, {"method": "other"}, ("method",)),
    "GPU settings": (OLD, OLD, {"gpu_settings": "power limit 600"}, ("GPU",)),
    "host": (OLD, OLD, {"host": "other"}, ("environment",)),
    "code and driver": (OLD, EDITED, {"driver": "590.2"}, ("code", "driver")),
    "launch": (OLD, replace(OLD, launch="52x1024"), {}, ("launch",)),
    "no identity": (HistoryKernel(), HistoryKernel(), {}, ("unknown",)),
    "identity since": (HistoryKernel(), OLD, {}, ("unknown",)),
    "no identity, driver": (HistoryKernel(), HistoryKernel(), {"driver": "590.2"}, ("driver", "unknown")),
}


@pytest.mark.parametrize("name", KERNELS)
def test_what_changed_with_a_step_is_blamed(name: str) -> None:
    before, after, values, labels = KERNELS[name]
    usual: dict[str, Any] = {"options": "-std=c++20", "method": "usual", "host": "usual", "gpu_settings": "usual"}
    values = {**usual, **values}
    found = of(runs(kernel_of(before, after), lambda is_after: machine(**(values if is_after else usual))))
    assert found.labels == labels
    assert (found.old, found.new) == (STEP - 1, STEP)


def test_the_records_are_named_with_the_cause() -> None:
    found = of(runs(kernel_of(OLD, EDITED), machine_of(driver="590.2")))
    changes = [(change.name, change.before, change.after) for cause in found.causes for change in cause.changes]
    assert changes == [("registers", "32", "40"), ("driver", "580.1", "590.2")]


@pytest.mark.parametrize("direction", [1, -1])
def test_other_cases_of_the_same_code_that_moved_likewise_show_another_environment(direction: int) -> None:
    every = runs(moved=("a", "b", "c"))
    if direction < 0:
        every = [
            replace(run, cases=tuple(replace(case, time_us=100 / (case.time_us or 1)) for case in run.cases))
            for run in every
        ]
    change = CHANGE if direction > 0 else replace(CHANGE, after=100 / 10.3)
    (cause,) = of(every, change).causes
    assert (cause.label, cause.moved, cause.others) == ("environment", 2, 5)


def test_cases_that_moved_the_other_way_explain_nothing() -> None:
    every = runs()
    others = [
        replace(run, cases=tuple(replace(case, time_us=9.7) if case.case in "bcd" else case for case in run.cases))
        if place >= STEP
        else run
        for place, run in enumerate(every)
    ]
    assert of(others).labels == ("unexplained",)


def test_sentinels_show_another_environment() -> None:
    (cause,) = of(runs(around=lambda is_after: machine(scale=1.01 if is_after else 1.0))).causes
    assert cause.label == "environment"
    assert [change.name for change in cause.changes] == ["sentinels"]


def test_code_is_blamed_beside_the_environment() -> None:
    assert of(runs(kernel_of(OLD, EDITED), moved=("a", "b", "c"))).labels == ("code", "environment")


@pytest.mark.parametrize("early", [1, 2])
def test_a_change_of_code_at_a_run_between_both_levels_is_named(early: int) -> None:
    every = runs()
    for place in range(STEP - early, len(every)):
        between = 10.15 if place < STEP else 10.3
        cases = (replace(every[place].cases[0], time_us=between, kernel=EDITED), *every[place].cases[1:])
        every[place] = replace(every[place], cases=cases)
    for place in range(STEP - early):
        every[place] = replace(
            every[place], cases=(replace(every[place].cases[0], kernel=OLD), *every[place].cases[1:])
        )
    found = of(every)
    assert found.labels == ("code",)
    assert found.old == STEP - early - 1


def test_a_case_that_one_run_lacks_is_compared_with_the_run_before() -> None:
    every = runs(kernel_of(OLD, EDITED))
    every[STEP - 1] = replace(every[STEP - 1], cases=every[STEP - 1].cases[1:])
    found = of(every)
    assert (found.labels, found.old) == (("code",), STEP - 2)


DRIFT = replace(CHANGE, first=2, drift=Drift(per_month=1.01, since=2, named=STEP + 2))


def test_one_change_of_code_or_driver_is_no_cause_of_a_drift() -> None:
    assert of(runs(kernel_of(OLD, EDITED), machine_of(driver="590.2")), DRIFT).labels == ("unexplained",)


def test_code_that_changes_again_and_again_is_a_cause_of_a_drift() -> None:
    every = runs()
    for place, run in enumerate(every):
        kernel = HistoryKernel(code=f"code {place // 3}", source=f"source {place // 3}")
        every[place] = replace(run, cases=(replace(run.cases[0], kernel=kernel), *run.cases[1:]))
    assert of(every, DRIFT).labels == ("code",)


def test_other_cases_that_drift_likewise_show_another_environment() -> None:
    every = [history_run(day, dict.fromkeys(CASES, 10 + 0.03 * day)) for day in range(STEP + 3)]
    assert of(every, DRIFT).labels == ("environment",)


def test_what_changed_with_a_step_stays_a_cause_of_the_drift_that_it_began() -> None:
    drift = replace(CHANGE, drift=Drift(per_month=1.01, since=2, named=STEP + 2), seen=STEP + 1)
    assert of(runs(kernel_of(OLD, EDITED)), drift).labels == ("code",)


def test_how_many_other_cases_moved_is_said_where_they_explain_nothing() -> None:
    for moved in (("a",), ("a", "b")):
        (cause,) = of(runs(moved=moved)).causes
        assert (cause.label, cause.moved, cause.others) == ("unexplained", len(moved) - 1, 5)
