"""Suites that cannot be used, as a user meets them: the real command, mostly in a process of its own."""

import os
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.fakes.project import SUITE, Project


@pytest.fixture
def project(tmp_path: Path, kernel_cache: Path) -> Project:
    return Project(tmp_path, kernel_cache)


RUN = ("run", "demo.yaml", "--device", "none")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("file", ["demo.yaml", "ring/pattern.py", "ring/kernels.cu"])
def test_a_fifo_is_refused_unread(project: Project, file: str) -> None:
    path = project.folder / file
    path.unlink()
    os.mkfifo(path)
    outcomes = project.call_all(RUN, ("check", "demo.yaml"), ("validate", "demo.yaml"))
    assert len(outcomes) == 3
    for outcome in outcomes:
        assert (outcome.code, outcome.out) == (3, "")
        assert "is a FIFO" in outcome.err.splitlines()[0]


def test_a_run_of_a_fifo_exits_3(project: Project) -> None:
    (project.folder / "demo.yaml").unlink()
    os.mkfifo(project.folder / "demo.yaml")
    outcome = project.call(*RUN)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: demo.yaml is a FIFO")


def test_a_device_or_a_folder_as_suite_is_refused(project: Project) -> None:
    suites = {"/dev/zero": "a device", "/dev/null": "a device", "ring": "a folder"}
    outcomes = project.call_all(*(("run", suite, "--device", "none") for suite in suites))
    for (suite, kind), outcome in zip(suites.items(), outcomes, strict=True):
        assert (outcome.code, outcome.out) == (3, "")
        remedy = "Its suite is the file beside it: ring.yaml" if suite == "ring" else "A suite is a text file in YAML"
        assert outcome.err == f"error: {suite} is {kind}, not a file\n{remedy}\n"


def test_a_launch_that_yaml_reads_as_a_number_is_shown_as_it_is_written(project: Project) -> None:
    (project.folder / "demo.yaml").write_text(SUITE.replace("1x32", "0x400"), encoding="utf-8")
    outcome = project.call("run", "demo.yaml", "--device", "none")
    assert outcome.code == 3
    assert outcome.err == (
        "error: demo.yaml:3:41: found `0x400`, which is the number 1024; allowed: grid x block, such as `26x1024`, "
        "`sms x 128`, `2*sms x 256`, `sms/2 x 64` or `fill x 1024`; of two or three "
        "dimensions grid:block, such as `8x8:16x16`\n"
    )


def test_an_unknown_suite_is_not_said_to_be_found(project: Project) -> None:
    outcome = project.call("run", "gtc2014", "--device", "none")
    assert outcome.code == 3
    assert outcome.err.startswith("error: unknown suite `gtc2014`; allowed: ")
    assert outcome.err.endswith("; did you mean `gtc2013`?\n`shflbench list suites` says what each of them measures\n")


def test_one_case_is_not_called_cases(project: Project, shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(project.cache))
    (project.folder / "demo.yaml").write_text(SUITE.replace("dtypes: f32", "dtypes: f32, variants: smem"), "utf-8")
    assert shflbench("validate", "demo.yaml").out == "demo.yaml: 1 case\n"
    run = shflbench("run", "demo.yaml", "--device", "none", "--output", "out")
    assert run.code == 0
    assert "1 case," in run.err
    assert "1 cases" not in run.err


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (("1x32", "33"), ""),
        (("schema: 1", "schema: 9"), ""),
        (("f32", "f99"), "`shflbench list` shows the patterns, with their variants, dtypes and options\n"),
        (("dtypes", "types"), "`shflbench schema suite` prints every key of a suite\n"),
    ],
)
def test_a_command_is_only_suggested_where_a_name_is_unknown(
    project: Project, shflbench: Command, change: tuple[str, str], advice: str
) -> None:
    (project.folder / "demo.yaml").write_text(SUITE.replace(*change), "utf-8")
    outcome = shflbench("validate", "demo.yaml")
    assert outcome.code == 3
    _, _, rest = outcome.err.partition("\n")
    assert rest == advice
