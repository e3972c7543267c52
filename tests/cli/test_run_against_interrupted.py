"""`shflbench run --against` and Ctrl-C, at each of its stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_info, read_run
from tests.cli.against_runs import INCONCLUSIVE, ONE_SLOW, in_process, processes_of, with_offsets
from tests.cli.demo import SCRIPTS, Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend
from tests.fakes.kept_runs import contents


@pytest.mark.usefixtures("main")
def test_run_that_is_interrupted_before_it_is_whole_is_resumed_and_compared(
    run: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.session.windows.CASES", 1)
    stopping = replace(SCRIPTS["smem"], burst_raises={9: KeyboardInterrupt()})
    plug(FakeBackend({**SCRIPTS, "reduce/smem": stopping}))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith("Go on with: shflbench run demo.yaml --resume mine --against main\n")
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--resume", "mine", "--against", "main")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert {len(row.processes) for row in rows_of(outcome).values()} == {3}


@pytest.mark.usefixtures("main")
def test_run_that_is_interrupted_while_it_is_measured_longer_is_resumed_and_decided(run: Command, plug: Plug) -> None:
    plug(in_process(FakeBackend(ONE_SLOW), 4, with_offsets(0.0, burst_raises={5: KeyboardInterrupt()})))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith("Go on with: shflbench run demo.yaml --resume mine --against main\n")
    left = read_run(Path("mine"))
    assert left.info.finished is None
    assert [row.processes for row in left.rows] == [(0, 1, 2, 3)] * 3 + [(0, 1, 2)] * 2
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--resume", "mine", "--against", "main")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert {name for name, _ in device.launched} == {f"neighbor/{variant}" for variant in SCRIPTS}
    assert processes_of(outcome) == [(0, 1, 2, 3, 4)] * 3 + [(0, 1, 2)] * 2


def test_run_that_is_interrupted_while_it_is_compared_is_whole_and_says_so(
    run: Command, plug: Plug, main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shflbench.analysis.compare.compare", interrupted)
    plug(FakeBackend(SCRIPTS))
    before = contents(main)
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert outcome.code == 130
    assert outcome.err.endswith(
        "error: interrupted; the run was finished, and is in mine\nCompare it with: shflbench compare main mine\n"
    )
    assert read_info(Path("mine")).finished is not None
    assert contents(main) == before
