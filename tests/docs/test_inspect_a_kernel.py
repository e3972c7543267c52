"""The page on `inspect` shows what the command prints."""

from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.docs.walk import walk

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "how-to" / "inspect-a-kernel.md"


@pytest.mark.archs
def test_each_command_of_the_page_prints_what_it_shows(reader: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)
    monkeypatch.chdir(REPOSITORY)  # the page names source lines and a run of the repository
    executions = walk(PAGE, reader)
    assert [execution.line.split()[:2] for execution in executions] == [["shflbench", "inspect"]] * 5
    for execution in executions:
        assert execution.outcome
        assert (execution.outcome.code, execution.missing) == (0, [])
