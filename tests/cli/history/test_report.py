"""`shflbench history report`: one HTML file of what changed."""

import errno
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from shflbench.store.history.folder import add_run
from tests.conftest import Command
from tests.output.export.history.made import LATE, STEPPED, runs
from tests.output.export.html.pages import Parsed


@pytest.fixture(autouse=True)
def _history(shflbench: Command) -> None:  # which changes the folder
    assert shflbench is not None
    for run in runs():
        add_run(Path("history"), run)


def test_the_report_is_one_file_whose_path_is_printed(shflbench: Command) -> None:
    outcome = shflbench("history", "report", "history")
    assert (outcome.code, outcome.out) == (0, "history.html\n")
    page = Parsed(Path("history.html").read_text(encoding="utf-8"))
    assert "What changed: quick" in page.text
    assert STEPPED in page.text


def test_title_and_filters_are_those_that_were_given(shflbench: Command) -> None:
    given = ("--case", "scan/*", "--title", "our kernels")
    assert shflbench("history", "report", "history", "-o", "out/scan.html", *given).code == 0
    text = Parsed(Path("out/scan.html").read_text(encoding="utf-8")).text
    assert "our kernels" in text
    assert LATE in text
    assert STEPPED not in text
    assert shflbench("history", "report", "history", "--suite", "none").code == 2


def test_a_report_may_be_replaced_and_no_other_file(shflbench: Command) -> None:
    for _ in range(2):
        assert shflbench("history", "report", "history").code == 0
    other = "<html><head><meta name='generator' content=\"shflbench report\">of runs</html>"
    for name, text in (("notes.html", "mine"), ("runs.html", other)):
        Path(name).write_text(text, encoding="utf-8")
        outcome = shflbench("history", "report", "history", "--output", name)
        assert outcome.code == 2
        assert f"error: {name} exists and is not a report" in outcome.err
        assert Path(name).read_text(encoding="utf-8") == text


def test_files_of_the_history_are_not_replaced(shflbench: Command) -> None:
    paths = {path: path.read_bytes() for path in Path("history").rglob("*") if path.is_file()}
    for path in [*sorted(paths)[:2], Path("history")]:
        assert shflbench("history", "report", "history", "-o", path).code == 2
    assert shflbench("history", "report", "history").code == 0
    assert {path: path.read_bytes() for path in Path("history").rglob("*") if path.is_file()} == paths


def test_a_full_disk_costs_no_earlier_report(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shflbench("history", "report", "history", "--title", "earlier").code == 0
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    outcome = shflbench("history", "report", "history", "--title", "later")
    assert outcome.code == 3
    assert "error: history.html cannot be written: no space left on device" in outcome.err
    assert "earlier" in Path("history.html").read_text(encoding="utf-8")
    assert [path.name for path in Path().glob("*history.html*")] == ["history.html"]


def test_a_damaged_file_costs_its_run_and_is_named(shflbench: Command) -> None:
    path = sorted(Path("history").rglob("*.gz"))[3]
    path.write_bytes(path.read_bytes()[:100])
    outcome = shflbench("history", "report", "history")
    assert outcome.code == 0
    assert path.name in outcome.err


def test_a_folder_that_is_no_history_is_refused(shflbench: Command) -> None:
    assert shflbench("history", "report", "none").code == 3
    assert not Path("history.html").exists()
