"""The command of the how-to page is found, prints its results and takes the options that every command has."""

import re
import sys
from pathlib import Path

import pytest

from shflbench import cli
from shflbench.cli import registry
from tests.cli.gate.runs import lay
from tests.conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "add-a-command.md").read_text(encoding="utf-8")
CODE, LINE = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def clock(shflbench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench clock` where the folder and the line of the page were added."""
    folder = tmp_path / "cli" / "clock"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""Clocks of runs."""\n', encoding="utf-8")
    (folder / "command.py").write_text(CODE, encoding="utf-8")
    name, summary = re.findall('"(.*?)"', LINE)
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path / "cli")])
    monkeypatch.setattr(registry, "COMMANDS", {**registry.COMMANDS, name: summary})
    for module in ("shflbench.cli.clock", "shflbench.cli.clock.command"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return lambda *words: shflbench(name, *words)


def test_command_of_the_page_prints_its_results(clock: Command, tmp_path: Path) -> None:
    lay(tmp_path / "run")
    outcome = clock("run")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.fullmatch(r"run: \d+ MHz\n|run: unknown\n", outcome.out)
    assert clock("nowhere").code == 3
    assert clock("run", "--quiet", "-o", "clocks.txt").out == ""
    assert (tmp_path / "clocks.txt").read_text(encoding="utf-8") == outcome.out


def test_line_of_the_page_is_the_summary_of_the_command(clock: Command) -> None:
    (summary,) = re.findall(': "(.*)",', LINE)
    assert clock("--help").out.splitlines()[2].strip() == summary
    assert CODE.startswith(f'"""{summary}"""\n')
