"""Sides of `shflbench compare` that a user may name: run folders, folders of runs, and baselines."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_info
from tests.cli.gate.runs import SHFL, lay
from tests.conftest import Command, Outcome
from tests.fakes.kept_runs import edit
from tests.fakes.runs import H200

NO_BASELINES = "Save one: shflbench baseline save NAME RUN; or name the folder of the baselines by --baselines\n"


@pytest.fixture(autouse=True)
def _two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs, `base` and `new`, where one case is slower, in the current folder."""
    monkeypatch.delenv("SHFLBENCH_BASELINES", raising=False)
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})


@pytest.fixture
def main(shflbench: Command) -> None:
    """Keep `base` as the baseline `main`."""
    assert shflbench("baseline", "save", "main", "base").code == 0


def sides(outcome: Outcome) -> list[tuple[str, int, int]]:
    """Return name, runs and processes of both sides."""
    report = json.loads(outcome.out)
    return [(side["name"], side["runs"], side["processes"]) for side in (report["base"], report["new"])]


def test_folders_are_the_two_sides(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--format", "json")
    assert (outcome.code, sides(outcome)) == (1, [("base", 1, 3), ("new", 1, 3)])


def test_swapped_sides_swap_the_verdict(shflbench: Command) -> None:
    outcome = shflbench("compare", "new", "base")
    assert outcome.code == 0
    assert outcome.out.endswith("1 faster of 4 cases\n")


def test_several_runs_are_one_side_of_more_processes(shflbench: Command, tmp_path: Path) -> None:
    for number in (3, 4):
        lay(tmp_path / f"base-{number}", seed=number, processes=1)
    lay(tmp_path / "new-5", seed=5, factors={SHFL: 1.1})
    more = ("--base", "base-3", "--base", "base-4", "--new", "new-5")
    outcome = shflbench("compare", "base", "new", *more, "--format", "json")
    assert (outcome.code, sides(outcome)) == (1, [("base, base-3, base-4", 3, 5), ("new, new-5", 2, 6)])


def test_sides_can_be_named_by_options_alone(shflbench: Command) -> None:
    named = shflbench("compare", "--base", "base", "--new", "new", "--format", "json")
    assert sides(named) == [("base", 1, 3), ("new", 1, 3)]
    assert named == shflbench("compare", "base", "--new", "new", "--format", "json")


def test_folder_of_several_runs_is_one_side(shflbench: Command, tmp_path: Path) -> None:
    for number in (3, 4):
        lay(tmp_path / f"results/gtc2013/{number}", seed=number)
    outcome = shflbench("compare", "results", "new", "--format", "json")
    assert (outcome.code, sides(outcome)) == (1, [("results", 2, 6), ("new", 1, 3)])


@pytest.mark.usefixtures("main")
def test_baseline_is_named_and_found_for_suite_and_gpu(shflbench: Command, tmp_path: Path) -> None:
    b200 = lay(tmp_path / "b200", seed=3)
    edit(b200, device=replace(H200, name="NVIDIA B200", arch="sm_100"), arch="sm_100")
    assert shflbench("baseline", "save", "main", "b200").code == 0
    outcome = shflbench("compare", "main", "new", "--format", "json")
    assert (outcome.code, sides(outcome)) == (1, [("main", 1, 3), ("new", 1, 3)])
    assert json.loads(outcome.out)["base"]["device"] == "NVIDIA H200"


@pytest.mark.usefixtures("main")
def test_baseline_may_stand_on_either_side(shflbench: Command) -> None:
    outcome = shflbench("compare", "new", "main", "--format", "json")
    assert (outcome.code, sides(outcome)) == (0, [("new", 1, 3), ("main", 1, 3)])


@pytest.mark.usefixtures("main")
def test_two_baselines_of_one_suite_and_gpu_are_compared(shflbench: Command) -> None:
    shflbench("baseline", "save", "v2", "new")
    outcome = shflbench("compare", "main", "v2", "--format", "json")
    assert (outcome.code, sides(outcome)) == (1, [("main", 1, 3), ("v2", 1, 3)])


@pytest.mark.usefixtures("main")
def test_baseline_of_several_suites_needs_a_run_that_says_which(shflbench: Command, tmp_path: Path) -> None:
    shflbench("baseline", "save", "main", lay(tmp_path / "quick", suite="quick"))
    shflbench("baseline", "save", "v2", "new")
    outcome = shflbench("compare", "main", "v2")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: baselines/main/gtc2013/nvidia-h200/1 and baselines/main/quick/nvidia-h200/1 cannot form one side: "
        "the suites differ (gtc2013, quick)\n"
        "Give runs of one suite on one model of GPU\n"
    )
    assert shflbench("compare", "main", "new").code == 1


def test_baselines_are_in_the_folder_of_the_option_or_the_environment(
    shflbench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shflbench("baseline", "save", "main", "base", "--baselines", "own")
    assert shflbench("compare", "main", "new", "--baselines", "own").code == 1
    assert shflbench("compare", "main", "new").code == 3
    monkeypatch.setenv("SHFLBENCH_BASELINES", str(tmp_path / "own"))
    assert shflbench("compare", "main", "new").code == 1


@pytest.mark.usefixtures("main")
def test_unknown_baseline_suggests_the_nearest_one(shflbench: Command) -> None:
    outcome = shflbench("compare", "mian", "new")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: there is no folder mian, and there is no baseline `mian` in baselines\n"
        "Did you mean `main`? there are main\n"
    )


@pytest.mark.usefixtures("main")
def test_baseline_without_this_suite_or_gpu_says_what_it_has(shflbench: Command, tmp_path: Path) -> None:
    edit(tmp_path / "new", device=replace(H200, name="NVIDIA B200"))
    outcome = shflbench("compare", "main", "new")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.splitlines()[0] == (
        "error: there is no folder main, and the baseline `main` in baselines has no runs of gtc2013 on nvidia-b200; "
        "it has gtc2013 on nvidia-h200"
    )


@pytest.mark.usefixtures("main")
def test_damaged_baseline_is_named(shflbench: Command, tmp_path: Path) -> None:
    (tmp_path / "baselines/main/gtc2013/nvidia-h200/1/results.csv").write_text("")
    outcome = shflbench("compare", "main", "new")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: baselines/main/gtc2013/nvidia-h200/1/results.csv is empty\n")


@pytest.mark.usefixtures("main")
def test_folder_goes_before_a_baseline_of_the_same_name(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "main", seed=3, factors={SHFL: 1.1})
    assert shflbench("compare", "main", "new").code == 0


@pytest.mark.usefixtures("main")
def test_emulated_run_cannot_be_compared_with_a_baseline(shflbench: Command, tmp_path: Path) -> None:
    edit(tmp_path / "new", device=None, backend="emulator")
    outcome = shflbench("compare", "main", "new")
    assert outcome.code == 3
    assert "the backends differ (cuda, emulator)" in outcome.err


@pytest.mark.parametrize(
    ("words", "sentence", "advice"),
    [
        ([], "no base given", "Give two: shflbench compare BASE NEW"),
        (["base"], "no new run given", "Give two: shflbench compare BASE NEW"),
        (["--new", "new"], "no base given", "Give two: shflbench compare BASE NEW"),
        (
            ["base", "new", "third"],
            "3 runs given, and a comparison has two sides",
            "Give two: shflbench compare BASE NEW, and further runs with --base and --new",
        ),
        (
            ["", "new"],
            "Invalid value for 'BASE NEW': it is empty; is a variable of a script not set?",
            "For usage, run: shflbench compare --help",
        ),
    ],
)
def test_wrong_number_of_sides_is_wrong_usage(shflbench: Command, words: list[str], sentence: str, advice: str) -> None:
    outcome = shflbench("compare", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: {sentence}\n{advice}\n"


@pytest.mark.parametrize(
    ("word", "sentence", "advice"),
    [
        (
            "-",
            "there is no folder -, and there is no baseline `-`: the folder baselines does not exist\n",
            NO_BASELINES,
        ),
        (
            "old",
            "there is no folder old, and there is no baseline `old`: the folder baselines does not exist\n",
            NO_BASELINES,
        ),
        (
            "results/old",
            "results/old holds no run: there is no such folder\n",
            "Give the folder that `shflbench run` printed, or one above it\n",
        ),
    ],
)
def test_missing_run_is_bad_input(shflbench: Command, word: str, sentence: str, advice: str) -> None:
    outcome = shflbench("compare", word, "new")
    assert (outcome.code, outcome.out, outcome.err) == (3, "", f"error: {sentence}{advice}")
    assert shflbench("compare", "base", word).err == outcome.err


def test_folder_name_that_is_not_utf8_is_printed(shflbench: Command, tmp_path: Path) -> None:
    (tmp_path / "new").rename(tmp_path / "n\udcffw")
    outcome = shflbench("compare", "base", "n\udcffw", "--also", "junit=report.xml", "--also", "table=report.txt")
    assert outcome.code == 1
    assert read_info(tmp_path / "base").suite.name in (tmp_path / "report.xml").read_text()
    assert "slower" in (tmp_path / "report.txt").read_text()
