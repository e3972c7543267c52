"""`shflbench.advise` returns what the command prints."""

import json
from pathlib import Path

import pytest

import shflbench as package
from shflbench.errors import ResultsError, UsageError
from tests.cli.advise.results import part_of, set_in_record
from tests.conftest import Command

QUICK = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200"


def test_measured_advice_is_that_of_the_command(shflbench: Command) -> None:
    result = package.advise("reduce", QUICK, dtype="f32", options={"width": 32})
    outcome = shflbench("advise", "reduce", str(QUICK), "--dtype", "f32", "--option", "width=32", "--format", "json")
    assert json.loads(json.dumps(result.records)) == json.loads(outcome.out)["advice"]
    assert (result.variants, result.predicted, result.notes) == ({"NVIDIA H200 (sm_90)": "shfl"}, None, ())
    printed = shflbench("advise", "reduce", str(QUICK), "--dtype", "f32", "--option", "width=32").out
    assert result.text() == str(result) == printed.partition("\n\n")[0]


def test_notes_of_the_runs_are_part_of_the_result(tmp_path: Path) -> None:
    folder = part_of("quick", tmp_path / "run", lambda row: row["pattern"] == "reduce")
    set_in_record(folder, lambda record: record.update(finished=None))
    (note,) = package.advise("reduce", folder).notes
    assert note == f"{folder} contains an unfinished run; resume it: shflbench run --resume {folder}"


@pytest.mark.archs
def test_without_results_an_architecture_is_predicted(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    result = package.advise("neighbor", arch="sm_100")
    assert result.predicted
    assert (result.variants, result.measured) == ({"sm_100": "shfl"}, ())
    printed = shflbench("advise", "neighbor", "--arch", "sm_100").out
    assert result.text() == printed.partition("\n\n")[0]


def test_a_pattern_that_the_results_of_an_architecture_lack_is_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PredictedError(Exception):
        """Stands for the prediction."""

    def predict(*_: object) -> None:
        raise PredictedError

    folder = part_of("quick", tmp_path / "run", lambda row: row["pattern"] == "reduce")
    monkeypatch.setattr("shflbench.advice.api.predict_answer", predict)
    with pytest.raises(PredictedError):
        package.advise("vote", folder, arch="sm_90")
    with pytest.raises(ResultsError, match="no timed case of vote"):
        package.advise("vote", folder)


def test_what_is_not_known_is_an_error_of_shflbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="unknown dtype"):
        package.advise("reduce", QUICK, dtype="f99")
    with pytest.raises(ResultsError):
        package.advise("memory-ladder", QUICK)


def test_a_program_and_a_notebook_get_what_the_command_prints(shflbench: Command) -> None:
    result = package.advise("reduce", QUICK, dtype="f32", options={"width": 32})
    words = ("advise", "reduce", str(QUICK), "--dtype", "f32", "--option", "width=32", "--format", "json")
    assert json.loads(json.dumps(result.to_dict())) == json.loads(shflbench(*words).out)
    assert repr(result) == "<AdviceResult: shfl on NVIDIA H200 (sm_90) (measured)>"
    html = result._repr_html_()
    assert html.startswith("<p>")
    assert "<th>time µs</th>" in html
    assert "<td>shfl</td>" in html
