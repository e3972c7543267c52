"""Commands that read runs leave every file of a run as it is."""

from pathlib import Path

from tests.conftest import Command
from tests.fakes.kept_runs import contents, several

READING = (
    ("show",),
    ("claims",),
    ("advise", "neighbor"),
    ("plot",),
    ("report", "--output", "report.html"),
    ("compare",),
    ("limits",),
    ("fleet",),
    ("noise", "test"),
    ("noise", "learn"),
    ("baseline", "save", "main"),
)


def test_no_command_that_reads_runs_writes_into_them(shflbench: Command, tmp_path: Path) -> None:
    runs = several(tmp_path / "runs", 2)
    before = contents(tmp_path / "runs")
    codes = {words: shflbench(*words, *runs).code for words in READING}
    assert contents(tmp_path / "runs") == before
    assert {words for words, code in codes.items() if code not in {0, 1}} <= {
        ("noise", "test"),
        ("noise", "learn"),
        ("fleet",),
    }
