"""The command of the how-to page is found, prints its results and takes the options that every command has."""

import re
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

import shflbench
from tests.cli.gate.runs import lay, process
from tests.conftest import Outcome

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "add-a-command.md").read_text(encoding="utf-8")
CODE, LINE = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PACKAGE = Path(shflbench.__file__).parent


class Process(Protocol):
    """`shflbench` in a process of its own."""

    def __call__(self, *words: str) -> Outcome: ...


@pytest.fixture
def changed(tmp_path: Path) -> Process:
    """Call a copy of shflbench to which the file and the line of the page were added, as the page says."""
    (table, heading), folder = (
        re.findall(r"2\. Add a line to `(\w+)` .*`(\".*\")`", PAGE)[0],
        tmp_path / "copy/shflbench",
    )
    link_all(PACKAGE, folder)
    cli = folder / "cli"
    cli.unlink()
    link_all(PACKAGE / "cli", cli)
    registry = cli / "registry.py"
    above, line, below = registry.read_text(encoding="utf-8").partition(f"    {heading}: {{\n")
    assert f"\n{table}: " in above
    registry.unlink()
    registry.write_text(above + line + LINE + below, encoding="utf-8")
    (cli / "clock.py").write_text(CODE, encoding="utf-8")
    return partial(process, cwd=tmp_path, PYTHONPATH=str(folder.parent))


def link_all(source: Path, target: Path) -> None:
    """Fill a new folder with links to all that another one holds."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)


@pytest.mark.archs
def test_command_of_the_page_prints_its_results(changed: Process, tmp_path: Path) -> None:
    lay(tmp_path / "run")
    outcome = changed("clock", "run")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.fullmatch(r"run: \d+ MHz\n|run: unknown\n", outcome.out)
    assert changed("clock", "nowhere").code == 3
    assert changed("clock", "run", "--quiet", "-o", "clocks.txt").out == ""
    assert (tmp_path / "clocks.txt").read_text(encoding="utf-8") == outcome.out


def test_line_of_the_page_is_the_summary_of_the_command(changed: Process) -> None:
    (summary,) = re.findall(': "(.*)",', LINE)
    assert changed("clock", "--help").out.splitlines()[2].strip() == summary
    assert CODE.startswith(f'"""{summary}"""\n')
    understand = changed("--help").out.partition("Understand:\n")[2].partition("\n\n")[0]
    assert re.search(rf"^  clock +{re.escape(summary)}$", understand, re.MULTILINE)
