"""The skill page for agents is short, and names tools, parameters, verdicts, codes and keys that exist."""

import json
import re
from pathlib import Path

import pytest

from shflbench.checker import KernelVerdict
from shflbench.cli.mcp.tools import MOST_TIME, TIME, TIME_LIMIT, TOOLS
from shflbench.schemas import json_schema
from shflbench.user_kernels.judge.verdict import Decision, ReasonCode

DOCS = Path(__file__).parents[2] / "docs"
SKILL = DOCS / "skills" / "shflbench" / "SKILL.md"
HOW_TO = DOCS / "how-to" / "call-from-an-agent.md"
WORD = re.compile(r"`([a-z][a-z_-]*)`")
PARAMETERS = {name for spec in TOOLS.values() for name in spec.input_schema()["properties"]}


def words(text: str) -> set[str]:
    """Return the words in code spans that are lower case, without options and values."""
    return set(WORD.findall(text))


def keys(*commands: str) -> set[str]:
    """Return the keys of the JSON of commands."""
    return {key for name in commands for key in re.findall(r'"([a-z_]+)": \{', json.dumps(json_schema(name)))}


def test_front_matter_and_length_are_those_of_a_skill() -> None:
    lines = SKILL.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert lines[0] == lines[3] == "---"
    assert lines[1] == f"name: {SKILL.parent.name}"
    assert lines[2].startswith("description: ")
    assert ": " not in lines[2].removeprefix("description: ")


def test_each_line_of_results_names_verdicts_codes_and_keys_of_its_command() -> None:
    text = SKILL.read_text(encoding="utf-8")
    known = {
        "check": {str(verdict) for verdict in KernelVerdict} | keys("check"),
        "judge": {str(code) for code in (*ReasonCode, *Decision)} | keys("judge"),
        "bench": {"clear", "tie", "undecided"} | keys("bench"),
    }
    for name, allowed in known.items():
        (item,) = re.findall(rf"^- `{name}`.*?(?=^-|^#)", text, re.MULTILINE | re.DOTALL)
        assert words(item) - {name} - allowed == set()
        assert len(words(item)) > 4


@pytest.mark.parametrize("page", [SKILL, HOW_TO], ids=lambda page: page.stem)
def test_every_other_word_of_a_page_is_a_tool_or_a_parameter_or_a_key(page: Path) -> None:
    known = PARAMETERS | set(TOOLS) | keys("check", "judge", "bench")
    known |= {str(item) for item in (*KernelVerdict, *ReasonCode, *Decision)}
    assert words(page.read_text(encoding="utf-8")) - known <= {"clear", "tie", "mcp", "main"}


def test_every_tool_and_the_time_limits_are_on_the_pages() -> None:
    for page in (SKILL, HOW_TO):
        assert set(TOOLS) <= words(page.read_text(encoding="utf-8"))
    text = " ".join(HOW_TO.read_text(encoding="utf-8").split())
    assert f"`{TIME}` is {TIME_LIMIT} seconds by default, and at most {MOST_TIME}." in text
    sources = {file.source for spec in TOOLS.values() for file in spec.files if file.source} - {"new_source"}
    assert sources <= words(text)
