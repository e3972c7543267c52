"""A run on several scripted GPUs through a real local cluster, whose workers are killed, hang, or are interrupted."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from shflbench.model import Status
from shflbench.store.fleet_file import read_fleet
from tests.faults.conftest import CASES, Machine, Make, fault

pytestmark = [pytest.mark.expensive, pytest.mark.archs]  # a cluster takes seconds to start

ALL = ("suite.yaml", "--gpu", "all", "--output", "out")


def runs(made: Machine) -> list[str]:
    return [f"out/{member.folder}" for member in read_fleet(made.folder / "out").members]


def finished_rows(made: Machine) -> list[dict[str, Any]]:
    """Return the status of each case of each GPU."""
    return [{name: row.status for name, row in made.rows(run).items()} for run in runs(made)]


def test_each_gpu_runs_the_whole_suite_once_and_its_rows_equal_those_of_a_run_alone(make: Make) -> None:
    made = make(gpus=2)
    outcome = made.run(*ALL)
    assert outcome.code == 0, outcome.err
    assert outcome.out == "out\n"
    made.run("suite.yaml", "--gpu", "1", "--output", "alone")
    alone = [(row.case_id, row.status, row.time_us) for row in made.all_rows("alone")]
    assert [[(row.case_id, row.status, row.time_us) for row in made.all_rows(run)] for run in runs(made)] == [alone] * 2
    info = read_fleet(made.folder / "out")
    assert [(member.index, member.error) for member in info.members] == [(0, None), (1, None)]
    assert info.finished


def test_worker_that_is_killed_loses_no_finished_row_and_its_case_is_measured_again(make: Make) -> None:
    made = make(fault("reduce/shfl", "time", "lose the parent", 4, worker=0), gpus=2, cases_per_window=1)
    outcome = made.run(*ALL)
    assert outcome.code == 0, outcome.err
    assert "measuring continues with worker" in outcome.err
    assert finished_rows(made) == [dict.fromkeys(made.rows(runs(made)[0]), Status.TIMED)] * 2
    assert sum(len(member.losses) for member in read_fleet(made.folder / "out").members) == 1


def test_group_that_always_kills_its_worker_fails_and_the_others_are_timed(make: Make) -> None:
    made = make(fault("reduce/shfl", "time", "lose the parent", 4), gpus=2, cases_per_window=1)
    outcome = made.run(*ALL)
    assert outcome.code == 5, outcome.err
    for run in runs(made):
        assert {name.partition("/")[0] for name in made.failures(run)} == {"reduce"}
        assert len(made.all_rows(run)) == CASES


def test_worker_that_hangs_is_replaced(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "3s")
    made = make(fault("reduce/shfl", "time", "stop the parent", 4, worker=0), gpus=2, cases_per_window=1)
    outcome = made.run(*ALL)
    assert outcome.code == 0, outcome.err
    assert finished_rows(made) == [dict.fromkeys(made.rows(runs(made)[0]), Status.TIMED)] * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_leaves_no_process_and_is_resumed(make: Make, number: int) -> None:
    made = make(fault("reduce/shfl", "time", "wait", 4), gpus=2, cases_per_window=1)
    process = made.start(*ALL)
    made.wait_for("wait", already=1)
    process.send_signal(number)
    outcome = made.end(process)
    assert outcome.code == 128 + number
    assert "resume it with: shflbench run suite.yaml --resume out" in outcome.err.lower().replace("\n", " ")
    made.end_wait()
    again = made.run("suite.yaml", "--resume", "out")
    assert again.code == 0, again.err
    assert finished_rows(made) == [dict.fromkeys(made.rows(runs(made)[0]), Status.TIMED)] * 2
    assert json.loads((made.folder / "out" / "fleet.json").read_text(encoding="utf-8"))["finished"]


def test_run_that_is_killed_leaves_no_process(make: Make) -> None:
    made = make(fault("reduce/shfl", "time", "wait", 4), gpus=2, cases_per_window=1)
    process = made.start(*ALL)
    made.wait_for("wait", already=1)
    process.kill()
    assert made.end(process).code == -9


def test_refusals(make: Make, tmp_path: Path) -> None:
    made = make(gpus=2)
    (tmp_path / "distributed.py").write_text("", encoding="utf-8")
    for words, sentence in {
        ("--gpu", "0,5"): "there is no GPU 5; the driver lists: 0, 1",
        ("--gpu", "0,0"): "names a GPU twice",
        ("--gpu", "first"): "names no GPUs",
        ("--gpu", "all", "--arch", "sm_80"): "--gpu asks for GPUs",
    }.items():
        outcome = made.run("suite.yaml", *words)
        assert sentence in outcome.err
        assert outcome.code in {2, 4}
