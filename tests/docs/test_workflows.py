"""GitHub's workflows run commands and targets that exist, and pull requests get no rights."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.docs.commands import unknown

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WRITERS = {  # jobs that publish, after all others of their workflow
    "release": {"publish": {"contents": "read", "id-token": "write", "attestations": "write"}},
    "site": {"deploy": {"pages": "write", "id-token": "write"}},
}
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def load(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    return content


def commands() -> list[list[str]]:
    """Return the words of each command that a workflow runs."""
    jobs = [job for path in WORKFLOWS for job in load(path)["jobs"].values()]
    return [step["run"].split() for job in jobs for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_of_a_workflow_exists(words: list[str]) -> None:
    match words:
        case ["make", target]:
            assert target in TARGETS
        case ["shflbench", *rest]:
            assert unknown(rest) == set()
        case ["test" | "cyclonedx-py", *_]:
            pass
        case ["docker", "build", *_]:
            assert "." in words
        case ["docker", "run", "--rm", "shflbench", *rest]:
            assert unknown(rest) == set()
        case _:
            assert words[:2] == ["pip", "install"]


def test_workflows_run_all_tests_and_try_the_wheel() -> None:
    run = [" ".join(words[:2]) for words in commands()]
    assert {
        "make test",
        "make test-archs",
        "make test-complete",
        "make release-check",
        "make wheel",
        "pip install",
        "shflbench run",
        "shflbench check",
    } <= set(run)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_ends_in_time(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    writers = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert writers == WRITERS.get(path.stem, {})
    assert all(job["timeout-minutes"] <= 120 for job in workflow["jobs"].values())
