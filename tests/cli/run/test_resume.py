"""A run that was interrupted goes on where it stopped."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.demo import NEIGHBOR, SCRIPTS, Plug
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script


def interrupted(scripts: Mapping[str, Script]) -> dict[str, Script]:
    """Return the scripts of a run that somebody interrupts while `reduce` is timed."""
    return {**scripts, "reduce/smem": replace(scripts["smem"], burst_raises={9: KeyboardInterrupt()})}


@pytest.fixture(autouse=True)
def a_group_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.session.windows.CASES", 1)


def test_interrupted_run_keeps_its_finished_groups_and_says_how_to_resume(run: Command, plug: Plug) -> None:
    plug(FakeBackend(interrupted(SCRIPTS)))
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith(
        "error: interrupted; the finished groups are in mine\nResume it with: shflbench run demo.yaml --resume mine\n"
    )
    left = read_run(Path("mine"))
    assert [row.case_id for row in left.rows] == NEIGHBOR
    assert left.info.finished is None


def test_resumed_run_ends_as_one_that_was_never_interrupted(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--output", "whole", "--seed", "7").code == 0
    plug(FakeBackend(interrupted(SCRIPTS)))
    assert run("demo.yaml", "--output", "mine", "--seed", "7").code == 130
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--resume", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert {name for name, _ in device.launched} == {"reduce/smem", "reduce/shfl"}
    whole, mine = read_run(Path("whole")), read_run(Path("mine"))
    numbers = [(0,), (0,), (0,), (1,), (1,)]  # who goes on is another process
    assert mine.rows == tuple(replace(row, processes=own) for row, own in zip(whole.rows, numbers, strict=True))
    assert mine.info.finished is not None
    first = [run.samples().query("process == 0 and case_id in @NEIGHBOR") for run in (mine, whole)]
    assert len(first[0]) > 0
    assert first[0].reset_index(drop=True).equals(first[1].reset_index(drop=True))
    assert len(mine.samples()) == len(whole.samples())
    assert run("demo.yaml", "--resume", "mine").code == 3


def test_resuming_keeps_the_options_of_the_start(run: Command, plug: Plug) -> None:
    plug(FakeBackend(interrupted(SCRIPTS)))
    flags = ("--variant", "smem", "--variant", "shfl", "--launch", "4x32", "--precision", "1%", "--seed", "3")
    assert run("demo.yaml", "--output", "mine", *flags).code == 130
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--resume", "mine").code == 0
    assert [row.case_id for row in read_run(Path("mine")).rows] == [
        f"{pattern}/{variant}/f32/4x32/4096/{option}"
        for pattern, option in (("neighbor", "mode=idx"), ("reduce", "width=32"))
        for variant in ("smem", "shfl")
    ]
    outcome = run("demo.yaml", "--resume", "mine", "--seed", "4")
    assert outcome.code == 2
    assert "--seed cannot change them" in outcome.err


def test_output_and_resume_exclude_each_other(run: Command) -> None:
    outcome = run("demo.yaml", "--output", "a", "--resume", "b")
    assert outcome.code == 2
    assert outcome.err.startswith(
        "error: --resume keeps the options of the stopped run, and --output cannot change them\n"
    )
