import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import noise_learning, selftest
from shflbench.cli.console import Console
from shflbench.cli.noise.learn import learn_noise
from shflbench.store import Run, read_run
from shflbench.store.noise_file import HeldOutCheck, LearnedNoise, find, read
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
def record(runs: list[Run]) -> LearnedNoise:
    return noise_learning.learn_from(runs)


def alarming(record: LearnedNoise, *processes: int) -> LearnedNoise:
    """Return the record, had comparisons with these numbers of processes per side raised false alarms."""
    return replace(record, held_out={each: HeldOutCheck(200, 0.05 * (each in processes), 0.25) for each in (1, 2, 3)})


@pytest.fixture
def learn_into(
    runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Learn noise and keep it below the current folder; with a record, as if that had been learned."""

    def call(form: str = "table", record: LearnedNoise | None = None) -> Outcome:
        if record:
            monkeypatch.setattr(noise_learning, "learn_from", lambda _: record)
        code = learn_noise(Console(), runs, tmp_path, form)
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.mark.archs
def test_what_was_learned_is_printed_and_kept(
    learn_into: Callable[..., Outcome], record: LearnedNoise, tmp_path: Path
) -> None:
    outcome = learn_into()
    path = find(tmp_path, H200.uuid)
    assert path is not None
    assert read(path) == record
    assert "noise of NVIDIA H200, driver 580.159, from 20 processes of gtc2013, 2026-11-20:" in outcome.out
    assert f"a = {record.a_us:.3f} µs, b = {100 * record.b:.3f}%" in outcome.out
    assert (outcome.code, outcome.err) == (0, f"saved in {path}\n")


def test_json_output_is_the_content_of_the_file(learn_into: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = learn_into("json")
    path = find(tmp_path, H200.uuid)
    assert path is not None
    assert (outcome.code, outcome.out) == (0, path.read_text(encoding="utf-8"))


@pytest.mark.archs
def test_noise_that_raises_false_alarms_is_not_kept(
    learn_into: Callable[..., Outcome], record: LearnedNoise, tmp_path: Path
) -> None:
    outcome = learn_into(record=alarming(record, 3))
    assert (outcome.code, list(tmp_path.iterdir())) == (1, [])
    assert "of the comparisons with 3 processes per side raised a false alarm" in outcome.err
    assert "shflbench noise test" in outcome.err


def test_noise_that_needs_two_processes_per_side_says_so(
    learn_into: Callable[..., Outcome], record: LearnedNoise, tmp_path: Path
) -> None:
    outcome = learn_into(record=alarming(record, 1))
    assert outcome.code == 0
    assert "will not be used with fewer than 2 processes per side" in outcome.err
    assert find(tmp_path, H200.uuid)


def test_json_says_when_nothing_was_kept(learn_into: Callable[..., Outcome], record: LearnedNoise) -> None:
    outcome = learn_into("json", alarming(record, 1, 2, 3))
    assert outcome.code == 1
    assert json.loads(outcome.out)["held_out"]["3"]["alarmed"] == pytest.approx(0.05)


def test_the_command_learns_and_tries(shflbench: Command, runs: list[Run]) -> None:
    learned = shflbench("noise", "learn", runs[0].folder, "--baselines", "kept")
    assert (learned.code, learned.err) == (0, "saved in kept/noise/nvidia-h200-11111111.json\n")
    tried = shflbench("noise", "test", runs[0].folder, "--noise", "kept/noise/nvidia-h200-11111111.json")
    assert tried.code == 0
    assert "noise: learned from 20 processes on this GPU" in tried.out


@pytest.mark.parametrize("verb", ["learn", "test"])
def test_missing_and_unknown_runs_are_refused(shflbench: Command, verb: str) -> None:
    assert shflbench("noise", verb).code == 2
    assert shflbench("noise", verb, "nowhere").code == 3


def test_noise_alone_prints_its_help_and_counts_as_wrong_usage(shflbench: Command) -> None:
    outcome = shflbench("noise")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == shflbench("noise", "--help").out
