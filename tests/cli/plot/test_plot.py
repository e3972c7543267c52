from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store.provenance import SuiteText
from tests.conftest import Command
from tests.fakes.fleets import write_fleet
from tests.fakes.runs import compiled, info, measured, write_run


def untimed_run(folder: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    write_run(folder, rows, about=info(device=None, backend="none"))


def test_charts_are_in_plots_by_suite_and_run_and_untimed_runs_are_skipped(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    write_run(tmp_path / "results/gtc2013/nvidia-h200", rows, samples)
    untimed_run(tmp_path / "results/gtc2013/none")
    outcome = shflbench("plot", "results", "--all")
    assert outcome.code == 0
    assert outcome.err == "results/gtc2013/none: nothing to draw, because no case was timed\n"
    printed = [Path(line) for line in outcome.out.splitlines()]
    assert {path.parent for path in printed} == {Path("plots/gtc2013/nvidia-h200")}
    assert sorted(printed) == sorted(path.relative_to(tmp_path) for path in tmp_path.glob("plots/*/*/*"))
    assert {path.suffix for path in printed} == {".svg"}


def test_runs_with_one_name_and_members_of_fleets_have_folders_of_their_own(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    fleet = write_fleet(tmp_path / "fleet-1", 1)
    for folder in (tmp_path / "old/run", tmp_path / "new/run", tmp_path / "other"):
        write_run(folder, rows, samples)
    (tmp_path / "link").symlink_to(tmp_path / "other")
    outcome = shflbench("plot", fleet, "old", "new", "other", "link")
    assert outcome.code == 0
    assert {str(Path(line).parent) for line in outcome.out.splitlines()} == {
        "plots/gtc2013/fleet-1/node-1-0",
        "plots/gtc2013/old/run",
        "plots/gtc2013/new/run",
        "plots/gtc2013/other",
    }


def test_charts_are_saved_in_the_given_formats(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    write_run(tmp_path / "run", rows, samples)
    outcome = shflbench("plot", "run", "--all", "--format", "png", "--format", "svg")
    assert [Path(line).name for line in outcome.out.splitlines()] == [
        "neighbor-time.png",
        "neighbor-time.svg",
        "samples.png",
        "samples.svg",
    ]


def test_run_in_the_current_folder_is_called_by_its_name(
    shflbench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    monkeypatch.chdir(write_run(tmp_path / "run", rows, samples))
    outcome = shflbench("plot", ".", "--output", tmp_path / "plots")
    assert outcome.code == 0
    assert {Path(line).parent for line in outcome.out.splitlines()} == {tmp_path / "plots/gtc2013/run"}


def test_nothing_to_draw_at_all_is_bad_input(shflbench: Command, tmp_path: Path) -> None:
    untimed_run(tmp_path / "run")
    outcome = shflbench("plot", "run", "--output", "charts")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: there is nothing to draw: no case was timed in run\n"
        "Draw a run that was measured on a GPU; `shflbench show` prints this one\n"
    )
    assert not (tmp_path / "charts").exists()


def test_a_run_gets_the_charts_that_its_suite_declares_and_all_gives_the_others(
    shflbench: Command, tmp_path: Path
) -> None:
    text = "schema: 1\nname: demo\ncharts: [reduce-time, samples]\nexperiments: {pattern: reduce}\n"
    rows, samples = measured(patterns=["neighbor", "reduce"], dtypes=["f32"])
    write_run(tmp_path / "run", rows, samples, replace(info(), suite=SuiteText("demo", "Demo", "demo.yaml", text)))
    outcome = shflbench("plot", "run")
    assert [Path(line).stem for line in outcome.out.splitlines()] == ["reduce-time", "samples"]
    assert outcome.err == "run: 2 of 3 charts; --all draws every chart\n"
    every = shflbench("plot", "run", "--all")
    assert [Path(line).stem for line in every.out.splitlines()] == ["neighbor-time", "reduce-time", "samples"]
    assert every.err == ""
