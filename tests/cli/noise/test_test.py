import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import noise_learning, selftest
from shflbench.analysis.compare.pool import Pool
from shflbench.cli.console import Console
from shflbench.cli.noise.test import self_test
from shflbench.errors import ResultsError
from shflbench.store import Run, read_run
from shflbench.suite.revision import thresholds_of
from tests.fakes.pools import generated, noisier, recorded_some
from tests.fakes.processes import Simulated, spread, write

NOBODY: list[Run] = []


@pytest.fixture(autouse=True)
def _fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw as few comparisons as show what a test is about."""
    monkeypatch.setattr(selftest, "DRAWS", 30)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return what the self-test of a pool prints."""

    def text(pool: Pool, form: str = "table") -> str:
        monkeypatch.setattr(noise_learning, "pools_of", lambda _: {"compare-power": pool})
        assert self_test(Console(), NOBODY, form=form) == 0
        return capsys.readouterr().out

    return text


def test_runs_are_read_and_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = read_run(write(tmp_path / "run", Simulated(processes=4, cases=spread(6))))
    assert self_test(Console(), [run]) == 0
    text = capsys.readouterr().out
    assert text.startswith("gtc2013: 4 processes of unchanged code in 1 run\n")
    assert all(case.id in text for case in spread(6))
    assert "all processes are of one run" in text


@pytest.mark.archs
def test_recorded_suite_gets_options_noisy_cases_and_entries_for_its_file(printed: Callable[..., str]) -> None:
    text = printed(recorded_some())
    assert "\nuse --processes " in text
    assert "34 processes of unchanged code in 2 runs" in text
    assert "without common processes cannot distinguish" in text
    lines = text.splitlines()
    levels = next(line for line in lines if line.lstrip().startswith("memory-ladder/l2") and " levels " in line)
    assert "µs in" in levels
    entries = text[text.index("compare:\n") :]
    found = thresholds_of(f"schema: 1\n{entries}")
    assert str(found.all) in entries
    assert found.of("memory-ladder/l2/i32/26x1024/400/chains=1/lines=64") != found.all


def test_absence_of_a_good_setting_is_reported(printed: Callable[..., str]) -> None:
    text = printed(noisier(generated(16, cases=12), 0.1, slice(None)))
    assert "no setting is good enough" in text
    assert "use --processes" not in text
    assert " *" not in text.replace("(* = good enough)", "")


def test_json_has_the_settings_the_cases_and_the_flags(printed: Callable[..., str]) -> None:
    found = json.loads(printed(recorded_some(), "json"))["compare-power"]
    assert found["flags"].startswith("--processes")
    assert {setting["processes"] for setting in found["settings"]} == {1, 2, 3, 5}
    assert all(0 < setting["ceiling"] < 1 for setting in found["settings"])
    assert len(found["cases"]) == 18
    assert all(case["own_threshold"] is None or 0 < case["own_threshold"] <= 1 for case in found["cases"])
    assert [each["manner"] for each in found["noisy"]] == ["levels", "outliers"]


def test_unknown_values_are_null_in_json(printed: Callable[..., str]) -> None:
    pool = generated(16, cases=12)
    short = {name: replace(own, rounds=(2,) * 16) for name, own in pool.cases.items()}
    found = json.loads(printed(replace(pool, cases=short), "json"), parse_constant=pytest.fail)["compare-power"]
    assert found["flags"] is None
    assert {case["detectable"] for case in found["cases"]} == {None}


@pytest.mark.archs
def test_noise_of_another_gpu_is_refused(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run", Simulated(processes=20, cases=spread(6))))
    record = noise_learning.learn_from([run])
    assert self_test(Console(), [run], record) == 0
    with pytest.raises(ResultsError, match="the GPUs differ"):
        self_test(Console(), [run], replace(record, uuid="GPU-2"))


@pytest.mark.archs
def test_learned_noise_is_used_with_as_many_processes_as_it_is_good_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_run(write(tmp_path / "run", Simulated(processes=20, cases=spread(6))))
    record = noise_learning.learn_from([run])
    least = []
    for alarmed in (0.0, 0.1):  # with one process per side
        checks = {**record.held_out, 1: replace(record.held_out[1], alarmed=alarmed)}
        self_test(Console(), [run], replace(record, held_out=checks), form="json")
        settings = json.loads(capsys.readouterr().out)["gtc2013"]["settings"]
        least.append(min(each["threshold"] for each in settings if each["processes"] == 1))
    assert least == [0.0025, 0.02]
