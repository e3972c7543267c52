"""A run on several scripted GPUs through a real local cluster, whose workers are killed, hang, or are interrupted."""

import json
import os
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.model import Status
from shflbench.store import read_info
from shflbench.store.fleet_file import read_fleet
from shflbench.store.limits_file import LIMITS_FILE, read_limits
from tests.fakes.device import CODES_READ, uuid_of
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


CLAIMS = """\
claims:
  - {id: fast, says: it is fast, holds: "speedup(shfl, smem) > 0.5", where: {pattern: reduce}}
  - {id: few, says: few registers, holds: "registers(shfl) < 2", where: {pattern: reduce}, required: true}
"""


def test_members_on_the_visible_gpus_have_limits_claims_and_logs_as_a_run_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(gpus=3, most_in_one_process=0)
    with (made.folder / "suite.yaml").open("a", encoding="utf-8") as suite:
        suite.write(CLAIMS)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", f"{uuid_of(2)},{uuid_of(0)}")
    outcome = made.run(*ALL)
    assert outcome.code == 1, outcome.err  # of the required claim
    members = read_fleet(made.folder / "out").members
    assert [(member.index, member.uuid) for member in members] == [(0, uuid_of(2)), (1, uuid_of(0))]
    table = [line.split() for line in outcome.err.splitlines()]
    assert ["fast", "confirmed", "all", "1.000×"] in table
    rows = made.all_rows(f"out/{members[0].folder}")
    (registers,) = {row.registers for row in rows if row.case_id.startswith("reduce/shfl/")}
    assert ["few", "refuted", "all", str(registers), "registers"] in table
    assert f"error: {members[0].host}:0: required claim `few` is refuted" in outcome.err
    assert len(claim_lines := [line for line in outcome.err.splitlines() if "required claims fail on" in line]) == 1
    assert f"{members[1].host}:1" in claim_lines[0]
    for member in members:
        folder = made.folder / "out" / member.folder
        timed = [row.case_id for row in made.all_rows(f"out/{member.folder}") if row.time_us]
        assert list(read_limits(folder)) == timed
        first, last = (made.folder / "out" / "logs" / f"{member.folder}.log").read_text().splitlines()[:2]
        assert re.fullmatch(rf"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ started: NVIDIA H200, {member.uuid}, .*", first)
        assert last.endswith("Z done, 9 of 9 cases")
    for command in ("show", "plot", "report"):
        assert made.call(f"out/{members[0].folder}", command=command).code == 0
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,0")
    refused = made.call("suite.yaml", "--gpu", "all")
    assert (refused.code, refused.err.splitlines()[0]) == (
        4,
        "error: CUDA lists no GPU: CUDA_VISIBLE_DEVICES names a GPU twice, `0`, and CUDA then lists none",
    )


def test_groups_that_a_kill_left_between_two_devices_are_measured_once(make: Make) -> None:
    made = make(gpus=2)
    assert made.run(*ALL, "--shard").code == 0
    reduced = next(run for run in runs(made) if any(row.pattern == "reduce" for row in made.all_rows(run)))
    rows = made.folder / reduced / "results.csv"
    lines = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    rows.write_text("".join(line for line in lines if "reduce/" not in line), encoding="utf-8")
    fleet = made.folder / "out" / "fleet.json"
    fleet.write_text(re.sub(r'"finished": "[^"]*"', '"finished": null', fleet.read_text(encoding="utf-8")), "utf-8")
    again = made.run("suite.yaml", "--resume", "out")
    assert again.code == 0, again.err
    case_ids = [row.case_id for run in runs(made) for row in made.all_rows(run)]
    assert len(case_ids) == len(set(case_ids)) == CASES
    assert read_fleet(made.folder / "out").finished


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


def test_run_of_a_gpu_is_concluded_while_another_gpu_still_measures(make: Make) -> None:
    made = make(fault("reduce/shfl", "time", "wait", 4, worker=0), gpus=2)
    process = made.start(*ALL)
    made.wait_for("wait")
    made.wait_until(lambda: list(made.folder.glob(f"out/*/{LIMITS_FILE}")))
    folders = [made.folder / run for run in runs(made)]
    is_concluded = [(folder / LIMITS_FILE).exists() for folder in folders]
    assert sorted(is_concluded) == [False, True]
    assert [read_info(folder).finished is not None for folder in folders] == is_concluded
    made.end_wait()
    outcome = made.end(process)
    assert outcome.code == 0, outcome.err
    assert [len(read_limits(folder)) for folder in folders] == [CASES] * 2


WAIT = fault("reduce/shfl", "time", "wait", 4)


def check_resumption(made: Machine, *words: str) -> None:
    """Check that the run is resumed to its end, without a row that is lost or doubled."""
    outcome = made.run("suite.yaml", "--resume", "out", *words)
    assert outcome.code == 0, outcome.err
    assert finished_rows(made) == [dict.fromkeys(made.rows(runs(made)[0]), Status.TIMED)] * 2
    assert all(len(made.all_rows(run)) == CASES for run in runs(made))
    assert read_fleet(made.folder / "out").finished


def is_compiling(made: Machine) -> bool:
    return bool(list(made.cache.rglob("*.kernel")))


def is_measuring(made: Machine) -> bool:
    return made.happened().count("wait") == 2


def is_concluding(made: Machine) -> bool:
    """Return whether both runs have ended, after which the processes start that compute their limits."""
    records = list(made.folder.glob("out/*/run.json"))
    return len(records) == 2 and all(read_info(record.parent).finished for record in records)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("number", "faults", "is_time"),
    [
        (signal.SIGHUP, [WAIT], is_measuring),
        (signal.SIGINT, [], is_compiling),
        (signal.SIGTERM, [], is_concluding),
    ],
)
def test_stopped_run_leaves_no_process_and_is_resumed_as_it_says(
    make: Make, tmp_path: Path, number: int, faults: list[dict[str, Any]], is_time: Callable[[Machine], bool]
) -> None:
    cold = {"cache": tmp_path / "cold"} if is_time is is_compiling else {}
    made = make(*faults, gpus=2, cases_per_window=1, most_in_one_process=0, **cold)
    process = made.start(*ALL, start_new_session=True)
    made.wait_until(lambda: is_time(made))
    os.killpg(process.pid, number) if number != signal.SIGTERM else process.send_signal(number)
    outcome = made.end(process)
    assert outcome.code == 128 + number, outcome.err
    assert outcome.err.endswith("Resume it with: shflbench run suite.yaml --resume out\n")
    assert outcome.err.count("error:") == 1
    made.end_wait()
    check_resumption(made)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_that_is_stopped_while_its_workers_start_leaves_no_process(make: Make, number: int) -> None:
    made = make(fault("device", "open", "wait"), gpus=2)
    process = made.start(*ALL)
    if number == signal.SIGINT:
        made.wait_for("wait", already=1)  # both workers open their GPU
    else:
        made.wait_for_text(process, "on each of 2 GPUs")  # the cluster starts
    process.send_signal(number)
    outcome = made.end(process)
    assert outcome.code == 128 + number
    assert not (made.folder / "out").exists()


def test_signals_that_come_together_end_a_run_as_one_does(make: Make) -> None:
    made = make(WAIT, gpus=2, cases_per_window=1)
    process = made.start(*ALL)
    # Both devices wait: the machine code is read while they measure.
    made.wait_until(lambda: is_measuring(made) and CODES_READ in made.happened())
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    outcome = made.end(process)
    assert outcome.code == 130
    assert "Resume it with: shflbench run suite.yaml --resume out\n" in outcome.err


def test_run_that_is_killed_leaves_no_process_and_is_resumed(make: Make) -> None:
    made = make(WAIT, gpus=2, cases_per_window=1)
    process = made.start(*ALL)
    made.wait_until(lambda: is_measuring(made))
    process.kill()
    assert made.end(process).code == -9
    assert [len(made.all_rows(run)) for run in runs(made)] == [CASES - 3] * 2  # the first group is kept
    made.end_wait()
    check_resumption(made)


def without_runs(made: Machine) -> list[dict[str, Any]]:
    """Remove one run of two, and what the start of the other wrote last; return the members."""
    first, second = (made.folder / run for run in runs(made))
    shutil.rmtree(first)
    for name in ("run.json", "kernels.zip", LIMITS_FILE):
        (second / name).unlink()
    rows = second / "results.csv"
    rows.write_text(rows.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    return [asdict(member) for member in read_fleet(made.folder / "out").members]


def without_members(made: Machine) -> list[dict[str, Any]]:
    """Remove all runs and logs; return no members."""
    for folder in [*(made.folder / run for run in runs(made)), made.folder / "out" / "logs"]:
        shutil.rmtree(folder)
    return []


@pytest.mark.parametrize("left", [without_runs, without_members])
def test_run_that_is_killed_before_any_record_of_a_gpu_is_resumed_with_its_options(
    make: Make, left: Callable[[Machine], list[dict[str, Any]]]
) -> None:
    made = make(gpus=2)
    assert made.run(*ALL, "--variant", "shfl").code == 0
    fleet = made.folder / "out" / "fleet.json"
    record = json.loads(fleet.read_text(encoding="utf-8"))
    fleet.write_text(json.dumps({**record, "finished": None, "members": left(made)}), encoding="utf-8")
    refused = made.run("--resume", "out", "--variant", "smem")
    assert "--resume keeps the options of the stopped run, and --variant cannot change them" in refused.err
    outcome = made.run("--resume", "out")
    assert outcome.code == 0, outcome.err
    timed = {"neighbor/shfl": Status.TIMED, "reduce/shfl": Status.TIMED}
    assert finished_rows(made) == [timed, timed]
    assert read_fleet(made.folder / "out").finished


def test_gpus_that_cannot_be_used_are_left_out_of_all_and_refused_in_a_list(make: Make) -> None:
    made = make(gpus=3, broken=[1], archs={"2": "sm_70"})
    for listed, sentence in {
        "0,1": "error: GPU 1 cannot be used: ",
        "0,2": "does not compile for sm_70; it supports sm_",
    }.items():
        refused = made.run("suite.yaml", "--gpu", listed, "--output", "out")
        assert (refused.code, refused.out) == (4, "")
        assert sentence in refused.err
        assert not (made.folder / "out").exists()
    outcome = made.run(*ALL)
    assert outcome.code == 4, outcome.err
    (member,) = read_fleet(made.folder / "out").members
    assert member.index == 0
    assert len(made.all_rows(f"out/{member.folder}")) == CASES
    assert "warning: GPU 1 cannot be used: " in outcome.err
    assert f"warning: {member.host}:2 is not used: NVRTC" in outcome.err


def test_members_that_cannot_be_resumed_do_not_hinder_the_others(make: Make) -> None:
    made = make(WAIT, gpus=3, cases_per_window=1)
    process = made.start(*ALL)
    made.wait_until(lambda: made.happened().count("wait") == 3)
    process.send_signal(signal.SIGINT)
    made.end(process)
    record = made.folder / runs(made)[1] / "run.json"
    content = record.read_text(encoding="utf-8")
    driver = read_info(record.parent).versions.driver
    record.write_text(content.replace(f'"driver": "{driver}"', '"driver": "1"'), encoding="utf-8")
    assert read_info(record.parent).versions.driver == "1"
    broken = make(gpus=3, broken=[2])
    outcome = broken.run("suite.yaml", "--resume", "out")
    assert outcome.code == 3, outcome.err
    first, second, third = read_fleet(made.folder / "out").members
    cannot = f"{record.parent.relative_to(made.folder)} cannot be resumed: its version of the driver was 1, "
    assert f"error: {second.host}:1: {cannot}" in outcome.err
    assert (first.error, third.error) == (None, "no worker offers its device")
    assert second.error
    assert second.error.startswith(cannot)
    assert f"error: {cannot}" in (made.folder / "out" / "logs" / f"{second.folder}.log").read_text(encoding="utf-8")
    assert [len(made.all_rows(run)) for run in runs(made)] == [CASES, CASES - 3, CASES - 3]
    record.write_text(content, encoding="utf-8")
    again = make(gpus=3).run("suite.yaml", "--resume", "out")
    assert again.code == 0, again.err
    assert [len(made.all_rows(run)) for run in runs(made)] == [CASES] * 3


def test_refusals(make: Make, tmp_path: Path) -> None:
    made = make(gpus=2)
    (tmp_path / "distributed.py").write_text("", encoding="utf-8")
    for words, sentence in {
        ("--gpu", "0,5"): "there is no GPU 5; CUDA lists: 0, 1",
        ("--gpu", "0,0"): "names a GPU twice",
        ("--gpu", "first"): "names no GPUs",
        ("--gpu", "all", "--arch", "sm_80"): "--gpu all asks for GPUs, and --arch for none",
    }.items():
        outcome = made.run("suite.yaml", *words)
        assert sentence in outcome.err
        assert outcome.code in {2, 4}
