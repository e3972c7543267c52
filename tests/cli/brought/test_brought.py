"""Verdicts of the commands on files as people bring them: expected.tsv, a line for each file in inputs/.

`found` and `absent` are regular expressions for the output; `slow` files take seconds. The first comment of a file
says what is true of it.
"""

import csv
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.fakes.backend import unplug

FOLDER = Path(__file__).parent
INPUTS = FOLDER / "inputs"
LINES = (FOLDER / "expected.tsv").read_text(encoding="utf-8").splitlines()
ROWS = list(csv.DictReader(LINES, delimiter="\t", restval=""))


@pytest.mark.one_in(89, 10)
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row['command']}-{row['input']}", marks=[pytest.mark.archs] if row["slow"] else [])
        for row in ROWS
    ],
)
def test_the_verdict_is_the_true_one(
    row: dict[str, str], shflbench: Command, monkeypatch: pytest.MonkeyPatch, one_core: None, tmp_path: Path
) -> None:
    del one_core  # only for the machine
    unplug(monkeypatch)
    shutil.copytree(INPUTS, tmp_path / "brought")
    path = tmp_path / "brought" / row["input"]
    monkeypatch.chdir(path.parent)
    command, *options = row["command"].split()
    outcome = shflbench(command, path.name, *options)
    text = outcome.out + outcome.err
    assert str(outcome.code) in row["exit"].split(" or "), text
    assert re.search(row["found"], text), text
    assert not (row["absent"] and re.search(row["absent"], text)), text


def test_every_file_is_expected_to_say_something() -> None:
    known = {row["input"] for row in ROWS}
    files = {str(path.relative_to(INPUTS)) for path in INPUTS.rglob("*") if path.suffix in {".cu", ".ptx"}}
    assert sorted(files - known) == []
