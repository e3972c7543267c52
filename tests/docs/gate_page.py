"""The how-to page of the gate, taken apart: its suite, its workflow, and the commands in both."""

import re
import shlex
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
PAGE = (HOW_TO / "performance-gate-in-ci.md").read_text(encoding="utf-8")
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
