"""The page on histories: its commands exist, its tables name all words, and the jobs of its workflow lose nothing."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from shflbench.analysis.history.blame import CauseLabel
from shflbench.output.export.history.charts import MOST_POINTS
from shflbench.store.history.folder import read_history
from shflbench.store.history.marks import MarkKind
from tests.conftest import Outcome
from tests.docs.ci_machine import ROOT, SUITE, CiMachine
from tests.docs.commands import unknown

PAGE = (ROOT / "docs" / "how-to" / "follow-times-over-months.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
(WORKFLOW,) = (YAML(typ="safe").load(text) for kind, text in BLOCKS if kind == "yaml")
JOB: dict[str, Any] = WORKFLOW["jobs"]["measure"]
STEPS: dict[str, str] = {step["name"]: step["run"] for step in JOB["steps"] if "run" in step}
MOST_WORDS = 1500


def commands() -> list[list[str]]:
    texts = [*(text for kind, text in BLOCKS if not kind), *STEPS.values()]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("shflbench ")]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_and_option_of_the_page_exists(words: list[str]) -> None:
    assert not unknown(words)


def test_the_page_uses_every_command_of_a_history_and_is_short() -> None:
    assert {words[1] for words in commands() if words[0] == "history"} == {"add", "show", "mark", "report"}
    assert len(PAGE.split()) <= MOST_WORDS


def test_every_cause_and_every_mark_is_in_a_table() -> None:
    named = {word for row in re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE) for word in re.findall(r"`(.*?)`", row)}
    assert {*CauseLabel, *MarkKind} <= named


def test_the_page_says_how_many_points_a_chart_has() -> None:
    assert f"With more than {MOST_POINTS} runs" in PAGE


def test_workflow_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    file.write_text(json.dumps(WORKFLOW), encoding="utf-8")
    words = ["--builtin-schema", "vendor.github-workflows", str(file)]
    assert subprocess.run([sys.executable, "-m", "check_jsonschema", *words], check=False).returncode == 0


def test_workflow_runs_on_a_schedule_on_one_gpu_and_keeps_the_report() -> None:
    assert WORKFLOW["on"].keys() == {"schedule", "workflow_dispatch"}  # no code of a pull request
    assert WORKFLOW["concurrency"] == {"group": "gpu", "queue": "max"}
    assert [text for text in STEPS.values() if "${{" in text] == []
    upload = JOB["steps"][-1]
    assert upload["with"]["path"] == "history.html"


class Runner:
    """A runner with a checkout of the repository."""

    def __init__(self, folder: Path, cache: Path, origin: Path) -> None:
        folder.mkdir()
        self.machine = CiMachine(folder, cache)
        self.machine.write(self.machine.programs / "shflbench", (folder / "venv" / "shflbench").read_text("utf-8"))
        self.summary = folder / "summary"
        self.do(f"git clone --quiet {shlex.quote(str(origin))} . 2>&1")

    def do(self, script: str) -> Outcome:
        github = {"GITHUB_SHA": 40 * "1", "GITHUB_STEP_SUMMARY": str(self.summary), "TZ": "UTC"}
        outcome = self.machine.run(script, **JOB["env"], **github)
        assert outcome.code == 0, outcome.err
        return outcome

    def run(self, *names: str) -> None:
        for name in names:
            self.do(STEPS[name])

    def measure(self) -> None:
        """Run the steps up to the commit, in a clean checkout."""
        self.do("git clean -ffdqx")
        self.run("Measure", "Check out the history", "Add the run")


@pytest.fixture
def runner(tmp_path: Path, kernel_cache: Path) -> Callable[[str], Runner]:
    """Make runners of a repository with a suite."""
    origin = tmp_path / "origin.git"
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "gate.yaml").write_text(SUITE, encoding="utf-8")
    identity = "-c user.name=a -c user.email=a@b -c commit.gpgsign=false"
    for line in (
        f"git init --quiet --bare --initial-branch main {shlex.quote(str(origin))}",
        "git init --quiet --initial-branch main",
        "git add gate.yaml",
        f"git {identity} commit --quiet -m suite",
        f"git push --quiet {shlex.quote(str(origin))} main",
    ):
        subprocess.run(shlex.split(line), cwd=tmp_path / "first", check=True)
    return lambda name: Runner(tmp_path / name, kernel_cache, origin)


def runs_of(runner: Runner) -> int:
    """Return the number of runs on the branch of the repository."""
    runner.do("git worktree prune; git fetch --quiet origin history; git worktree add --detach ../seen FETCH_HEAD 2>&1")
    seen = read_history(runner.machine.folder / "seen")
    runner.do("git worktree remove --force ../seen")
    assert seen.problems == ()
    return len(seen.runs)


@pytest.mark.expensive
@pytest.mark.archs
def test_jobs_that_measure_at_once_lose_nothing_also_where_both_create_the_branch(
    runner: Callable[[str], Runner],
) -> None:
    one, other = runner("one"), runner("other")
    for expected in (2, 4):
        one.measure()
        other.measure()
        other.run("Push")
        one.run("Push")  # which is refused first
        assert runs_of(one) == expected


@pytest.mark.expensive
@pytest.mark.archs
def test_summary_and_report_are_of_the_branch(runner: Callable[[str], Runner]) -> None:
    job = runner("job")
    for _ in range(2):
        job.measure()
        job.run("Push")
    job.run("Show")
    summary = job.summary.read_text(encoding="utf-8")
    assert re.search(r"^```\ngate on .*: 2 runs from", summary)
    assert summary.endswith("```\n")
    assert "What changed: gate" in (job.machine.work / "history.html").read_text(encoding="utf-8")
    assert job.do("git -C .history log --format=%s").out.splitlines() == [
        *[f"Add a run of {40 * '1'}"] * 2,
        "Begin the history",
    ]
    assert "gate.yaml" not in job.do("git -C .history ls-files").out
