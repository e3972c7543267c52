from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.errors import LaunchError
from shflbench.measure.sentinels import version
from shflbench.session import Compiling, GroupDone, NextPass, Note, Plan, ProcessPass, RunEvent, affordable, run
from shflbench.store import ResumedRun, Row, SentinelSet, read_run, resume
from tests import cases
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane
from tests.session.conftest import Planner, about, started

SUITE = """\
schema: 1
name: demo
measure: {min_seconds: 0.001, processes: 2}
defaults: {launch: 2x64, iterations: 1024, variants: [smem, shfl]}
experiments:
  - pattern: neighbor
    dtypes: [f32, i32]
  - pattern: reduce
    dtypes: i32
"""
SMEM, SHFL = (f"neighbor/{variant}/f32/2x64/1024/mode=idx" for variant in ("smem", "shfl"))
LAST = "reduce/shfl/i32/2x64/1024/width=32"


class Asking:
    """Returns the cases of one pass after another; keeps its arguments and what was on the disk."""

    def __init__(self, path: Path, *turns: Collection[str]) -> None:
        self._path, self._turns = path, list(turns)
        self.passes: list[ProcessPass] = []
        self.finished: list[str | None] = []

    def __call__(self, last: ProcessPass) -> NextPass:
        self.passes.append(last)
        self.finished.append(read_run(self._path).info.finished)
        return NextPass(frozenset(self._turns.pop(0) if self._turns else ()))


def going(plan: Plan, path: Path, *turns: Collection[str], stopped: ResumedRun | None = None) -> Iterator[RunEvent]:
    folder = stopped.folder if stopped else started(plan, path)
    return run(plan, folder, stopped, Asking(path, *turns))


def processes(path: Path) -> list[tuple[int, ...]]:
    return [row.processes for row in read_run(path).rows]


def row_of(path: Path, case_id: str) -> Row:
    (row,) = [row for row in read_run(path).rows if row.case_id == case_id]
    return row


def test_groups_of_undecided_cases_are_measured_in_one_more_process_each_time(plan: Planner, tmp_path: Path) -> None:
    device = FakeBackend()
    seen = list(going(plan(device), tmp_path / "run", {SHFL, LAST}, {SHFL}))
    assert device.process == 3
    assert processes(tmp_path / "run") == [(0, 1, 2, 3)] * 2 + [(0, 1)] * 2 + [(0, 1, 2)] * 2
    done = [event.rows[0].case_id for event in seen if isinstance(event, GroupDone)]
    assert done[3:] == [SMEM, LAST.replace("shfl", "smem"), SMEM]
    assert [row.case_id for row in read_run(tmp_path / "run").rows][:2] == [SMEM, SHFL]


def test_times_are_those_of_all_processes_together(plan: Planner, tmp_path: Path) -> None:
    offset = Script(offsets_us=(0.0, 0.0, 0.32, 0.32))
    list(going(plan(FakeBackend({"neighbor/shfl": offset})), tmp_path / "run", {SHFL}, {SHFL}))
    row = row_of(tmp_path / "run", SHFL)
    assert row.rounds == 4 * 9
    assert row.time_us == pytest.approx(4.0 + 20.48 + 0.16, abs=0.02)
    assert (row.time_high_us or 0) - (row.time_low_us or 0) == pytest.approx(0.32, abs=0.04)


def test_chooser_of_further_cases_gets_the_last_pass_and_a_finished_run(plan: Planner, tmp_path: Path) -> None:
    chosen, path = plan(FakeBackend()), tmp_path / "run"
    asking = Asking(path, {SHFL})
    list(run(chosen, started(chosen, path), None, asking))
    assert [turn.cases for turn in asking.passes] == [6, 2]
    assert all(turn.seconds > 0 for turn in asking.passes)
    assert None not in asking.finished


def test_run_that_is_measured_longer_is_unfinished_meanwhile_and_records_it(plan: Planner, tmp_path: Path) -> None:
    path = tmp_path / "run"
    events = going(plan(FakeBackend()), path, {SHFL})
    for _ in range(3):
        next(event for event in events if isinstance(event, GroupDone))
    next(event for event in events if isinstance(event, GroupDone))
    assert read_run(path).info.finished is None
    assert list(events) == [NextPass()]
    info = read_run(path).info
    assert info.finished is not None
    assert info.notes == ("2 cases were measured in one more process",)
    assert info.sentinels == SentinelSet(version())
    assert info.noise is not None
    assert info.noise.verdict == "quiet"


def test_sentinels_run_in_further_processes_as_well(plan: Planner, tmp_path: Path) -> None:
    list(going(plan(FakeBackend()), tmp_path / "run", {LAST}))
    samples = read_run(tmp_path / "run").samples()
    assert set(samples[samples["case_id"] == "sentinel/shuffle"]["process"]) == {0, 1, 2}
    assert not samples.duplicated(["case_id", "process", "round", "iterations", "sample"]).any()


def with_scripts(by_process: Mapping[int, Mapping[str, Script]]) -> FakeBackend:
    """Return a device with other scripts from these processes on."""
    device = FakeBackend(by_process.get(0))
    restart = device.restart

    def restarted() -> None:
        restart()
        if device.process in by_process:
            device._scripts = by_process[device.process]  # noqa: SLF001

    device.restart = restarted  # type: ignore[method-assign]
    return device


ILLEGAL = {"neighbor/shfl": Script(run_raises={0: LaunchError("illegal address")})}


@pytest.mark.parametrize(
    "script",
    [ILLEGAL["neighbor/shfl"], Script(burst_raises={7: LaunchError("illegal address")})],
    ids=["verified", "timed"],
)
def test_case_that_fails_in_a_further_process_keeps_its_earlier_times(
    plan: Planner, tmp_path: Path, script: Script
) -> None:
    path = tmp_path / "run"
    list(going(plan(FakeBackend()), tmp_path / "undisturbed"))
    seen = list(going(plan(with_scripts({2: {"neighbor/shfl": script}})), path, {SHFL}))
    assert row_of(path, SHFL) == row_of(tmp_path / "undisturbed", SHFL)
    assert processes(path) == [(0, 1, 2), *[(0, 1)] * 5]
    samples = read_run(path).samples()
    assert set(samples[samples["case_id"] == SHFL]["process"]) == {0, 1}
    sentence = f"{SHFL} failed in a further process, and keeps its earlier times: illegal address"
    assert [event.sentence for event in seen if isinstance(event, Note)] == [sentence]
    assert read_run(path).info.notes == ("2 cases were measured in one more process", sentence)


def test_case_that_failed_once_may_be_measured_again(plan: Planner, tmp_path: Path) -> None:
    device = with_scripts({2: ILLEGAL, 3: {}})
    list(going(plan(device), tmp_path / "run", {SHFL}, {SHFL}))
    assert processes(tmp_path / "run")[:2] == [(0, 1, 2, 3), (0, 1, 3)]


def test_result_that_is_wrong_in_a_further_process_is_reported(plan: Planner, tmp_path: Path) -> None:
    list(
        going(
            plan(with_scripts({2: {"neighbor/shfl": Script(fault=one_lane(in_iteration(0)))}})),
            tmp_path / "run",
            {SHFL},
        )
    )
    row = row_of(tmp_path / "run", SHFL)
    assert (row.status, row.time_us, row.processes) == (Status.INCORRECT, None, ())


def test_group_without_a_time_is_not_measured_longer(plan: Planner, tmp_path: Path) -> None:
    wrong = Script(fault=one_lane(in_iteration(0)))
    device = FakeBackend({"neighbor/smem": wrong, "neighbor/shfl": wrong})
    list(going(plan(device), tmp_path / "run", {SHFL}, {SHFL}))
    assert device.process == 1
    assert read_run(tmp_path / "run").info.notes == ()


def test_run_that_was_stopped_while_it_was_measured_longer_is_resumed_with_its_kernels(
    plan: Planner, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    chosen = plan(FakeBackend())
    events = going(chosen, path, {SHFL}, {LAST})
    for _ in range(4):
        next(event for event in events if isinstance(event, GroupDone))
    events.close()  # type: ignore[attr-defined]  # run is a generator
    stopped = resume(path, about(chosen), chosen.suite.cases)
    device = FakeBackend()
    seen = list(going(plan(device), path, {LAST}, stopped=stopped))
    assert sum(isinstance(event, Compiling) for event in seen) == 2
    assert device.process == 0  # a process that has measured nothing is fresh
    assert processes(path) == [(0, 1, 2)] * 2 + [(0, 1)] * 2 + [(0, 1, 3)] * 2


def test_budget_is_spent_on_the_cases_that_need_the_fewest_processes() -> None:
    one, two, three = (
        [cases.case("neighbor", name, dtype) for name in ("smem", "shfl")] for dtype in ("f32", "f64", "i32")
    )
    groups = {group[0].group: group for group in (one, two, three)}
    needs = {one[0].id: 3, two[0].id: 1, two[1].id: 2, three[0].id: 9}

    def chosen(budget: float) -> Collection[str]:
        return affordable(needs, groups, 1.0, budget)

    assert chosen(1.9) == frozenset()
    assert chosen(2.0) == {two[0].id}
    assert chosen(4.0) == {two[0].id, two[1].id}  # the group is measured once for both
    assert chosen(10.0) == {two[0].id, two[1].id, one[0].id}
    assert chosen(28.0) == needs.keys()


def test_budget_is_no_limit_before_the_first_pass() -> None:
    (case,) = [cases.case("neighbor", "shfl")]
    assert affordable({case.id: 50}, {case.group: [case]}, ProcessPass().seconds_per_case, 1.0) == {case.id}
