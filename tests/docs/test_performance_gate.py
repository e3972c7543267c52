"""The gate of the how-to page: its workflow is valid, its commands exist and do what it says on a scripted GPU."""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from shflbench.analysis.compare import FINDINGS, UNDECIDED, Outcome, noise_learning, selftest
from shflbench.cli.main import shflbench as root
from shflbench.store import read_run
from shflbench.store.baseline_runs import FILES
from shflbench.suite import load
from tests.cli.conftest import plug
from tests.cli.demo import Plug
from tests.conftest import Command
from tests.fakes.backend import H200, FakeBackend, Script, in_iteration, one_lane
from tests.fakes.processes import Simulated, spread, write

__all__ = ["plug"]  # a fixture

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "performance-gate-in-ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SUITE, WORKFLOW = (text for kind, text in BLOCKS if kind == "yaml")
RUNNER = "runner-a"  # the name of the page's runner


def workflow() -> dict[str, Any]:
    content: dict[str, Any] = YAML(typ="safe").load(WORKFLOW)
    return content


def words_of(text: str) -> list[list[str]]:
    """Return the words of each `shflbench` command in a script, as a shell on the runner makes them."""
    lines = text.replace("$RUNNER_NAME", RUNNER).splitlines()
    return [words[1:] for line in lines if (words := shlex.split(line, comments=True))[:1] == ["shflbench"]]


def job(name: str) -> list[list[str]]:
    """Return the words of each `shflbench` command of a job."""
    return [words for step in workflow()["jobs"][name]["steps"] for words in words_of(step.get("run", ""))]


ON_THE_PAGE = [words for kind, text in BLOCKS if not kind for words in words_of(text)]
IN_THE_WORKFLOW = [*job("gate"), *job("baseline")]


def on_the_page(*begin: str) -> list[str]:
    """Return the command of the page that begins with these words."""
    (found,) = [words for words in ON_THE_PAGE if words[: len(begin)] == list(begin)]
    return found


KERNELS = {"smem": Script(ns_per_iteration=80.0), "shfl": Script(ns_per_iteration=16.0)}
SLOWER = {**KERNELS, "shfl": Script(ns_per_iteration=16.6)}
WRONG = {**KERNELS, "shfl": Script(ns_per_iteration=16.0, fault=one_lane(in_iteration(0)))}
UNSURE = {**KERNELS, "shfl": Script(ns_per_iteration=16.0, offsets_us=(0.0, 0.86, 0.0))}


@pytest.mark.parametrize("words", [*ON_THE_PAGE, *IN_THE_WORKFLOW], ids=" ".join)
def test_every_command_and_every_option_of_the_page_exists(words: list[str]) -> None:
    command: click.Command = root
    context, rest = click.Context(root, **root.context_settings), words
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, name
        command = found
    known = {flag for option in command.params for flag in option.opts}
    assert {word for word in rest if word.startswith("-")} <= known
    assert command.make_context("shflbench", list(rest)).args == []  # which refuses values that none could be


def test_commands_of_the_page_are_found() -> None:
    assert {words[0] for words in ON_THE_PAGE} == {"doctor", "validate", "run", "gate", "baseline", "compare", "noise"}
    assert [words[0] for words in IN_THE_WORKFLOW] == ["gate", "run", "baseline"]


def test_workflow_runs_on_requests_and_main_and_by_hand() -> None:
    on = workflow()["on"]
    assert on.keys() == {"pull_request", "push", "workflow_dispatch"}
    assert on["push"] == {"branches": ["main"]}


def test_two_jobs_never_share_the_gpu_and_none_is_cancelled_for_another() -> None:
    assert workflow()["concurrency"] == {"group": "gpu", "queue": "max"}
    assert [each["runs-on"] for each in workflow()["jobs"].values()] == [["self-hosted", "gpu"]] * 2


def test_code_of_forks_does_not_reach_the_runner_and_only_the_baseline_may_write() -> None:
    jobs = workflow()["jobs"]
    assert "head.repo.full_name == github.repository" in jobs["gate"]["if"]
    assert workflow()["permissions"] == {"contents": "read"}
    assert [name for name, each in jobs.items() if "permissions" in each] == ["baseline"]


def test_what_the_gate_wrote_is_kept_also_where_it_failed() -> None:
    upload = workflow()["jobs"]["gate"]["steps"][-1]
    assert upload["uses"].startswith("actions/upload-artifact@")
    assert upload["if"] == "${{ !cancelled() }}"
    (words,) = job("gate")
    files = [word.partition("=")[2] or word for word in words if "gate/" in word]
    assert len(files) == 4
    assert all(path.startswith(upload["with"]["path"]) for path in files)


def test_extra_that_is_installed_is_one_of_the_package() -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"shflbench\[(\w+)\]", PAGE)) <= extras.keys()


@pytest.fixture
def project(swap_halves: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the kernels, in a project with the page's suite."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("gate.yaml").write_text(SUITE, encoding="utf-8")
    return swap_halves


def test_suite_of_the_page_has_a_threshold_of_each_kind(project: Path) -> None:
    suite = load(Path("gate.yaml"))
    assert project.name == "swap_halves"
    assert len(suite.cases) == 8
    found = {str(suite.thresholds.of(case.id)) for case in suite.cases}
    assert found == {"1%", "2%", "1us"}


@pytest.mark.expensive
@pytest.mark.archs
def test_gate_exits_with_the_codes_of_the_table(shflbench: Command, project: Path, plug: Plug) -> None:
    def device(scripts: dict[str, Script], **more: Any) -> None:
        plug(FakeBackend(scripts, folders=[project], **more))

    def gate(output: str, *more: str) -> int:
        (words,) = job("gate")
        return shflbench(*(word.replace("gate/run", output) for word in words), *more).code

    device(KERNELS)
    for begin in (
        ("validate",),
        ("run", "gate.yaml", "--dry-run"),
        ("run", "gate.yaml", "--processes", "5"),
        ("baseline", "save", "main", "run"),
    ):
        assert shflbench(*on_the_page(*begin)).code == 0
    assert "main  gate   NVIDIA H200  5 " in shflbench(*on_the_page("baseline", "list")).out

    device(KERNELS)
    assert gate("gate/run") == 0
    assert all(Path("gate", name).stat().st_size for name in ("table.txt", "junit.xml", "forest.svg"))
    device(SLOWER)
    assert gate("slower") == 1
    assert "4 slower of 8 cases" in Path("gate/table.txt").read_text(encoding="utf-8")
    device(KERNELS, device=replace(H200, name="NVIDIA H100", uuid="GPU-2"))
    assert gate("another") == 3
    device(WRONG)
    assert gate("wrong") == 5
    device(UNSURE)
    assert gate("unsure", "--budget", "0", "--strict") == 6
    device(UNSURE)
    assert gate("lenient", "--budget", "0") == 0
    table = PAGE.split("| exit code |")[1].split("\n\n", maxsplit=1)[0]
    assert re.findall(r"^\| (\d) \|", table, re.MULTILINE) == ["0", "1", "3", "4", "5", "6"]


@pytest.mark.expensive
@pytest.mark.archs
def test_other_commands_of_the_page_do_what_it_says(shflbench: Command, project: Path, plug: Plug) -> None:
    def typed(*begin: str) -> int:
        plug(FakeBackend(KERNELS, folders=[project]))
        return shflbench(*on_the_page(*begin)).code

    copytree(project, "old/swap_halves")  # as `git worktree add` checks it out
    copy("gate.yaml", "old")
    plug(FakeBackend(KERNELS, folders=[project]))
    assert [shflbench(*words).code for words in job("baseline")] == [0, 0]
    assert typed("baseline", "save", "main-runner-a") == 0
    assert typed("gate", "gate.yaml", "--against", f"main-{RUNNER}") == 0
    assert typed("run", "old/gate.yaml") == 0
    assert typed("gate", "gate.yaml", "--against", "gate/old") == 0
    assert [typed("run", "gate.yaml", "--output", side) for side in ("before", "after")] == [0, 0]
    assert typed("compare", "before", "after") == 0
    assert Path("change.svg").stat().st_size


@pytest.mark.archs
def test_noise_is_learned_and_the_gate_is_tested_by_the_commands_of_the_page(
    shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (noise_learning, selftest):
        monkeypatch.setattr(module, "DRAWS", 30)  # of 100
    processes = int(on_the_page("run", "gate.yaml", "--processes", "24")[3])
    write(Path("noise/gate/run"), Simulated(processes=processes, cases=spread(8, shortest_us=40.0)))
    outcome = shflbench(*on_the_page("noise", "test"))
    assert outcome.code == 0
    assert f"{processes} processes of unchanged code" in outcome.out
    assert shflbench(*on_the_page("noise", "learn")).code == 0
    assert list(Path("baselines/noise").glob("nvidia-h200-*.json"))


def test_size_of_the_reference_run_is_what_the_page_says() -> None:
    folder = ROOT / "results" / "gtc2013" / "nvidia-h200"
    size = sum(path.stat().st_size for name in FILES if (path := folder / name).is_file()) / 1e6
    found = re.search(r"with (\d+) cases in five processes, is ([\d.]+) MB", " ".join(PAGE.split()))
    assert found is not None
    assert int(found[1]) == len(read_run(folder).rows)
    assert float(found[2]) == pytest.approx(size, abs=0.006)


@pytest.mark.parametrize("outcome", sorted(FINDINGS | UNDECIDED - {Outcome.NOT_COMPARABLE}))
def test_every_outcome_that_needs_an_answer_has_one(outcome: Outcome) -> None:
    section = PAGE.split("## 8. When the job fails")[1].split("\n## ")[0]
    assert re.search(rf"\b{outcome}\b", section, re.IGNORECASE)
