import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import noise_learning, selftest
from shflbench.cli.compare.learned_noise import learn_noise
from shflbench.cli.console import Console
from shflbench.store import Run, read_run
from shflbench.store.noise_file import HeldOut, Learned, find, read
from tests.conftest import Command, Outcome
from tests.fakes.processes import Simulated, spread, write
from tests.fakes.runs import H200

FEW = spread(6)


@pytest.fixture(autouse=True, scope="module")
def _fewer_draws() -> Iterator[None]:
    """Draw as few comparisons as show what a test is about."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (noise_learning, selftest):
            patch.setattr(module, "DRAWS", 30)
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    return [read_run(write(tmp_path_factory.mktemp("runs") / "run", Simulated(processes=20, cases=FEW)))]


@pytest.fixture(scope="module")
def record(runs: list[Run]) -> Learned:
    return noise_learning.learn_from(runs)


def alarming(record: Learned, *processes: int) -> Learned:
    """Return the record, had comparisons of so many processes a side alarmed."""
    return replace(record, held_out={each: HeldOut(200, 0.05 * (each in processes), 0.25) for each in (1, 2, 3)})


@pytest.fixture
def learn_into(
    runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Learn noise and keep it below the current folder; with a record, as if that had been learned."""

    def call(form: str = "table", record: Learned | None = None) -> Outcome:
        if record:
            monkeypatch.setattr(noise_learning, "learn_from", lambda _: record)
        code = learn_noise(Console(), runs, tmp_path, form)
        return Outcome(code, *capsys.readouterr())

    return call


def test_what_was_learned_is_printed_and_kept(
    learn_into: Callable[..., Outcome], record: Learned, tmp_path: Path
) -> None:
    outcome = learn_into()
    path = find(tmp_path, H200.uuid)
    assert path is not None
    assert read(path) == record
    assert "noise of NVIDIA H200, driver 580.159, from 20 processes of gtc2013, 2026-11-20:" in outcome.out
    assert f"a = {record.a_us:.3f} µs, b = {100 * record.b:.3f} %" in outcome.out
    assert (outcome.code, outcome.err) == (0, f"kept in {path}\n")


def test_as_json_it_is_what_the_file_holds(learn_into: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = learn_into("json")
    path = find(tmp_path, H200.uuid)
    assert path is not None
    assert (outcome.code, outcome.out) == (0, path.read_text(encoding="utf-8"))


def test_what_alarms_on_processes_that_were_held_back_is_not_kept(
    learn_into: Callable[..., Outcome], record: Learned, tmp_path: Path
) -> None:
    outcome = learn_into(record=alarming(record, 3))
    assert (outcome.code, list(tmp_path.iterdir())) == (1, [])
    assert "nothing was kept: 5% of the comparisons of 3 processes a side alarmed" in outcome.err
    assert "--self-test" in outcome.err


def test_where_one_process_a_side_is_not_enough_it_says_so(
    learn_into: Callable[..., Outcome], record: Learned, tmp_path: Path
) -> None:
    outcome = learn_into(record=alarming(record, 1))
    assert outcome.code == 0
    assert "will not be used with less than 2 processes a side" in outcome.err
    assert find(tmp_path, H200.uuid)


def test_json_says_when_nothing_was_kept(learn_into: Callable[..., Outcome], record: Learned) -> None:
    outcome = learn_into("json", alarming(record, 1, 2, 3))
    assert outcome.code == 1
    assert json.loads(outcome.out)["held_out"]["3"]["alarmed"] == pytest.approx(0.05)


def test_the_command_learns_and_tries(shflbench: Command, runs: list[Run]) -> None:
    learned = shflbench("compare", "--learn-noise", runs[0].folder, "--baselines", "kept")
    assert (learned.code, learned.err) == (0, "kept in kept/noise/nvidia-h200-11111111.json\n")
    tried = shflbench("compare", "--self-test", runs[0].folder, "--noise", "kept/noise/nvidia-h200-11111111.json")
    assert tried.code == 0
    assert "noise: learned from 20 processes on this GPU" in tried.out


@pytest.mark.parametrize("question", ["--learn-noise", "--self-test"])
def test_the_command_refuses_what_it_cannot_answer(shflbench: Command, runs: list[Run], question: str) -> None:
    assert shflbench("compare", question).code == 2
    for flags in (("--format", "junit"), ("--also", "json=x.json"), ("--plot", "x.svg")):
        refused = shflbench("compare", question, runs[0].folder, *flags)
        assert refused.code == 2
        assert "formats are table and json" in refused.err
    assert shflbench("compare", question, "nowhere").code == 3
