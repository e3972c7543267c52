"""The claims of the how-to page: a valid suite, the tables of the code, the verdicts of the run."""

import re
import shlex
from pathlib import Path

import click
import pytest

from shflbench.analysis.claims.claim_verdicts import judge_claims, read_claim_run
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.cli.main import shflbench as root
from shflbench.core.claims.functions import DEVICE_PROPERTIES, FUNCTIONS
from shflbench.core.claims.parse import parse_expression
from shflbench.suite import load
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "state-claims.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
((_, SUITE),) = (block for block in BLOCKS if block[0] == "yaml")


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table below this head."""
    table = PAGE.partition(f"{head}\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("warp-sums.yaml")
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_the_tables_are_those_of_the_code() -> None:
    functions = [[f"`{one.signature}`", str(one.kind), one.unit, one.meaning] for one in FUNCTIONS.values()]
    assert rows("| function | returns | unit | meaning |") == functions
    properties = [[f"`{name}`", meaning] for name, meaning in DEVICE_PROPERTIES.items()]
    assert rows("| property | meaning |") == properties
    assert [name for name, _ in rows("| verdict | meaning |")] == [str(verdict) for verdict in ClaimStatus]


def test_the_expressions_of_the_page_can_be_parsed() -> None:
    text = PAGE.partition("## 4. Expressions")[2]
    expressions = [code for code in re.findall(r"`([^`\n]+\([^`\n]+\)[^`\n]*)`", text) if "{" not in code]
    examples = [code for code in expressions if f"`{code}`" not in {row[0] for row in rows("| function |")}]
    assert len(examples) > len(FUNCTIONS)
    for example in examples:
        parse_expression(example.replace("OPCODE", "SHFL").replace("PROPERTY", "sms"))


def test_the_suite_of_the_page_has_the_verdicts_of_the_page(suite: Path) -> None:
    claims = load(suite).claims
    verdicts = judge_claims(claims, [read_claim_run(ROOT / "results" / "launch-sweep" / "nvidia-h200")])
    expected = rows("| claim | verdict | measured |")
    judged = [[f"`{one.claim.id}`", str(one.verdict), re.sub(" in .*", "", one.measured)] for one in verdicts]
    assert judged == expected


def test_the_commands_and_options_of_the_page_exist() -> None:
    lines = "".join(text for kind, text in BLOCKS if not kind).splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines]
    names = ["validate", "run", "claims", "claims", "run", "claims", "check", "claims"]
    assert [words[0] for words in commands] == names
    for name, *words in commands:
        command = root.get_command(click.Context(root, **root.context_settings), name)
        assert command is not None
        known = {flag for option in command.params for flag in option.opts}
        assert {word for word in words if word.startswith("-")} <= known


def test_the_error_of_the_page_is_printed(suite: Path, shflbench: Command) -> None:
    assert shflbench("validate", suite).out == "warp-sums.yaml: 18 cases\n"
    suite.write_text(SUITE.replace("speedup(shfl, smem-", "spedup(shfl, smem-"), encoding="utf-8")
    (message,) = [text for kind, text in BLOCKS if kind == "text"]
    start, end = message.strip().split(", p90, …")
    printed = shflbench("validate", suite).err.splitlines()[0]
    assert printed.startswith(start)
    assert printed.endswith(end)
