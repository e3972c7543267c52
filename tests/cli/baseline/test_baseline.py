from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.store import RunSettings, read_info
from tests.conftest import Command
from tests.fakes.kept_runs import BUSY, contents, edit, quiet_run, several
from tests.fakes.runs import H200, info, measured, untimed, write_run

B200 = replace(H200, name="NVIDIA B200", arch="sm_100")
PLACE = "main/gtc2013/nvidia-h200"


@pytest.fixture(autouse=True)
def _no_folder_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHFLBENCH_BASELINES", raising=False)


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Three runs, `run-1` to `run-3`, in the current folder."""
    return several(tmp_path, 3)


def test_saving_prints_the_folder_and_nothing_else(shflbench: Command, three: list[Path]) -> None:
    outcome = shflbench("baseline", "save", "main", *three)
    assert (outcome.code, outcome.out, outcome.err) == (0, f"baselines/{PLACE}\n", "")


def test_a_folder_of_runs_is_saved_with_all_of_them(shflbench: Command, tmp_path: Path) -> None:
    runs = several(tmp_path / "results", 3)
    assert shflbench("baseline", "save", "main", "results").code == 0
    kept = [tmp_path / "baselines" / PLACE / str(number) for number in (1, 2, 3)]
    assert list(map(contents, kept)) == list(map(contents, runs))


def test_the_same_run_given_twice_is_refused(shflbench: Command, three: list[Path]) -> None:
    outcome = shflbench("baseline", "save", "main", three[0].name, three[0].name)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: run-1 and run-1 are the same run\nGive each run once; for several processes, measure again\n"
    )


def test_each_doubt_is_a_warning(shflbench: Command, tmp_path: Path) -> None:
    edit(quiet_run(tmp_path / "run"), noise=BUSY)
    outcome = shflbench("baseline", "save", "main", "run")
    assert (outcome.code, outcome.out) == (0, f"baselines/{PLACE}\n")
    one, busy = outcome.err.splitlines()
    assert one.startswith("warning: the baseline has one process per case")
    assert busy == "warning: run: busy GPU: another process computed on the GPU; stop it and run again"


def test_existing_baseline_is_replaced_only_with_force(shflbench: Command, three: list[Path]) -> None:
    shflbench("baseline", "save", "main", *three)
    outcome = shflbench("baseline", "save", "main", three[0])
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: the baseline `main` has runs of gtc2013 on nvidia-h200 already: "
        "2026-11-20, commit 0123456, driver 580.159\n"
        "Replace them by --force, or choose another name\n"
    )
    assert shflbench("baseline", "save", "main", three[0], "--force").code == 0
    assert " 1          6 " in shflbench("baseline", "list").out


def test_failed_cases_need_an_option(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=8)
    write_run(tmp_path / "run", [untimed(rows[0], Status.FAILED, "it crashed"), *rows[1:]], samples)
    outcome = shflbench("baseline", "save", "main", "run")
    assert outcome.code == 3
    assert "--allow-failed" in outcome.err
    assert shflbench("baseline", "save", "main", "run", "--allow-failed").code == 0


@pytest.mark.parametrize("name", ["../main", "Main", "/main", "noise"])
def test_invalid_name_is_wrong_usage(shflbench: Command, three: list[Path], tmp_path: Path, name: str) -> None:
    outcome = shflbench("baseline", "save", name, *three)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 2
    assert not (tmp_path / "baselines").exists()


def test_list_describes_each_baseline(shflbench: Command, three: list[Path], tmp_path: Path) -> None:
    versions = replace(read_info(three[1]).versions, git_commit="fedcba9876543210", git_dirty=True, driver="590.1")
    edit(three[1], versions=versions, started="2026-11-21T08:00:00Z")
    shflbench("baseline", "save", "main", *three[:2])
    shflbench("baseline", "save", "v1", quiet_run(tmp_path / "b200", processes=3, about=info(device=B200)))
    outcome = shflbench("baseline", "list")
    assert (outcome.code, outcome.err) == (0, "")
    assert (
        outcome.out
        == """\
name  suite    GPU          processes  cases  date                    commit                  driver
main  gtc2013  NVIDIA H200  2          6      2026-11-20, 2026-11-21  0123456, fedcba9-dirty  580.159, 590.1
v1    gtc2013  NVIDIA B200  3          6      2026-11-20              0123456                 580.159
"""
    )


def test_an_installed_shflbench_is_named_by_its_version(shflbench: Command, three: list[Path]) -> None:
    for run in three:
        edit(run, versions=replace(read_info(run).versions, git_commit=None, git_dirty=None))
    shflbench("baseline", "save", "main", *three)
    assert " v0.1.0 " in shflbench("baseline", "list").out


def test_empty_list_says_how_to_save_a_baseline(shflbench: Command, tmp_path: Path) -> None:
    said = "There are no baselines in baselines. Save one: shflbench baseline save NAME RUN\n"
    for _ in range(2):
        outcome = shflbench("baseline", "list")
        assert (outcome.code, outcome.out, outcome.err) == (0, "", said)
        (tmp_path / "baselines").mkdir(exist_ok=True)


def test_a_damaged_baseline_does_not_hide_the_others(shflbench: Command, three: list[Path], tmp_path: Path) -> None:
    for name in ("broken", "main"):
        shflbench("baseline", "save", name, *three)
    (tmp_path / "baselines/broken/gtc2013/nvidia-h200/1/results.csv").write_text("")
    outcome = shflbench("baseline", "list")
    assert outcome.code == 3
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["name", "main"]
    assert outcome.err.startswith("warning: `broken` is left out: baselines/broken/gtc2013/nvidia-h200/1/results.csv")


def test_a_baseline_is_shown_with_its_gpus_software_noise_and_settings(shflbench: Command, three: list[Path]) -> None:
    edit(three[1], noise=BUSY, device=replace(H200, uuid="GPU-2"))
    edit(three[2], noise=None, sentinels=None, settings=RunSettings(seed=7))
    shflbench("baseline", "save", "main", *three)
    outcome = shflbench("baseline", "show", "main")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "main: suite gtc2013 on NVIDIA H200, processes: 3, cases: 6"
    assert lines[2].split() == ["run", "started", "driver", "CUDA", "commit", "GPU", "noise", "sentinels"]
    assert [line.split() for line in lines[3:6]] == [
        [f"baselines/{PLACE}/{number}", "2026-11-20T08:00:00Z", "580.159", "13.0", "0123456", *rest]
        for number, rest in (
            ("1", [H200.uuid, "quiet", "1-95de7a58"]),
            ("2", ["GPU-2", "busy", "GPU", "1-95de7a58"]),
            ("3", [H200.uuid, "none"]),
        )
    ]
    assert lines[7] == (
        "settings of 1, 2: precision 0.005, max_seconds 2.0, seed 1, "
        'overrides {"patterns": [], "variants": [], "dtypes": [], "launches": [], "iterations": []}'
    )
    assert lines[8:] == ["settings of 3: seed 7"]


def test_every_suite_and_gpu_of_a_name_is_shown(shflbench: Command, tmp_path: Path) -> None:
    for number, about in enumerate((info(), info(name="quick"), info(device=B200))):
        shflbench("baseline", "save", "main", quiet_run(tmp_path / str(number), about=about))
    outcome = shflbench("baseline", "show", "main")
    assert [line for line in outcome.out.splitlines() if line.startswith("main:")] == [
        "main: suite gtc2013 on NVIDIA B200, processes: 1, cases: 6",
        "main: suite gtc2013 on NVIDIA H200, processes: 1, cases: 6",
        "main: suite quick on NVIDIA H200, processes: 1, cases: 6",
    ]


@pytest.mark.parametrize("verb", ["show", "rm"])
def test_an_unknown_name_suggests_the_nearest(shflbench: Command, three: list[Path], verb: str) -> None:
    shflbench("baseline", "save", "main", *three)
    outcome = shflbench("baseline", verb, "mian")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "error: there is no baseline `mian` in baselines\nDid you mean `main`? there are main\n"


def test_removing_prints_what_is_removed_and_kept(shflbench: Command, three: list[Path], tmp_path: Path) -> None:
    shflbench("baseline", "save", "main", *three)
    (tmp_path / "baselines/main/why.txt").write_text("mine")
    outcome = shflbench("baseline", "rm", "main")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == (
        "removed main: gtc2013 on nvidia-h200\nbaselines/main/why.txt is kept: it is not part of the baseline\n"
    )
    assert contents(tmp_path / "baselines") == {"main/why.txt": b"mine"}


def test_one_suite_and_gpu_is_removed(shflbench: Command, tmp_path: Path) -> None:
    for number, about in enumerate((info(), info(name="quick"), info(device=B200))):
        shflbench("baseline", "save", "main", quiet_run(tmp_path / str(number), about=about))
    outcome = shflbench("baseline", "rm", "main", "--suite", "gtc2013", "--gpu", "nvidia-b200")
    assert outcome.err == "removed main: gtc2013 on nvidia-b200\n"
    outcome = shflbench("baseline", "rm", "main", "--suite", "quick", "--gpu", "nvidia-b200")
    assert outcome.code == 3
    assert outcome.err.splitlines()[0] == (
        "error: the baseline `main` in baselines has no runs of quick on nvidia-b200; "
        "it has gtc2013 on nvidia-h200, quick on nvidia-h200"
    )


def test_folder_is_that_of_the_option_or_of_the_environment(
    shflbench: Command, three: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_BASELINES", str(tmp_path / "shared"))
    assert shflbench("baseline", "save", "main", *three).out == f"{tmp_path}/shared/{PLACE}\n"
    assert shflbench("baseline", "save", "main", *three, "--baselines", "own").out == f"own/{PLACE}\n"
    assert shflbench("baseline", "list", "--baselines", "own").out == shflbench("baseline", "list").out
    monkeypatch.setenv("SHFLBENCH_BASELINES", "")
    assert shflbench("baseline", "list").err.startswith("There are no baselines in baselines.")


def test_a_baseline_is_shown_as_any_run(shflbench: Command, three: list[Path]) -> None:
    shflbench("baseline", "save", "main", three[0])
    own, kept = (shflbench("show", folder).out.splitlines() for folder in ("run-1", "baselines"))
    assert kept[0].startswith(f"baselines/{PLACE}/1: suite gtc2013, NVIDIA H200")
    assert kept[1:] == own[1:]


def test_help_is_shown_without_a_command(shflbench: Command) -> None:
    outcome = shflbench("baseline")
    assert (outcome.code, outcome.out) == (2, "")
    assert [word for word in ("save", "list", "show", "rm") if f"  {word} " not in outcome.err] == []
    assert shflbench("baseline", "sav", "main").code == 2
