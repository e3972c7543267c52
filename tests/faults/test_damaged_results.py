"""Files of a run that were damaged, or saved again by other programs: read them, or say in a sentence what is wrong."""

import csv
import gzip
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.faults.conftest import RECORDED, shflbench

pytestmark = pytest.mark.expensive

SHOW, PLOT, COMPARE = ("show", "run"), ("plot", "run"), ("compare", "before", "run")
SAVE = ("baseline", "save", "main", "run")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Copy a recorded run twice, one to compare with."""
    shutil.copytree(RECORDED, tmp_path / "before")
    shutil.copytree(RECORDED, tmp_path / "run")
    return tmp_path / "run"


def edit_rows(run: Path, change: Callable[[str], str]) -> None:
    path = run / "results.csv"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def edit_samples(run: Path, change: Callable[[str], str]) -> None:
    path = run / "samples.csv.gz"
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()).decode()).encode()))


def in_line(number: int, old: str, new: str) -> Callable[[str], str]:
    """Return what replaces a pattern in one line, counted from 1."""

    def change(text: str) -> str:
        lines = text.split("\n")
        lines[number - 1], count = re.subn(old, new, lines[number - 1], count=1)
        assert count == 1
        return "\n".join(lines)

    return change


@pytest.mark.parametrize("words", [SHOW, PLOT, COMPARE], ids=lambda words: words[0])
def test_a_stray_quotation_mark_is_blamed_on_its_line(run: Path, words: tuple[str, ...]) -> None:
    edit_rows(run, in_line(3, ",cuda,", ',"cuda,'))
    outcome = shflbench(run.parent, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: run/results.csv:3: a quotation mark is out of place\n"
        "Restore the file as the run wrote it, or measure again\n"
    )


TIME = r"^((?:[^,]*,){6})[^,]*"  # of a sample, behind six other cells


@pytest.mark.parametrize(
    ("words", "value"), [(PLOT, "nan"), (PLOT, "inf"), (PLOT, "-3.5"), (PLOT, "0"), (COMPARE, "nan"), (SAVE, "inf")]
)
def test_a_sample_that_is_no_time_is_refused(run: Path, words: tuple[str, ...], value: str) -> None:
    edit_samples(run, in_line(7, TIME, rf"\g<1>{value}"))
    outcome = shflbench(run.parent, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: run/samples.csv.gz:7: time_us is '{value}', not a time in µs\n" in outcome.err
    assert not (run.parent / "plots").exists()


@pytest.mark.parametrize(
    ("words", "value"), [(SHOW, "nan"), (SHOW, "inf"), (SHOW, "-3.5"), (PLOT, "nan"), (PLOT, "0"), (COMPARE, "inf")]
)
def test_a_row_that_is_no_time_is_refused(run: Path, words: tuple[str, ...], value: str) -> None:
    table = pd.read_csv(run / "results.csv", dtype=str)
    table.loc[4, "time_us"] = value
    table.to_csv(run / "results.csv", index=False)
    outcome = shflbench(run.parent, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: run/results.csv:6: time_us is '{value}', not a time in µs\n" in outcome.err


@pytest.mark.parametrize("words", [PLOT, COMPARE, SAVE], ids=lambda words: words[0])
def test_samples_without_their_end_are_refused(run: Path, words: tuple[str, ...]) -> None:
    path = run / "samples.csv.gz"
    path.write_bytes(path.read_bytes()[:-100])
    outcome = shflbench(run.parent, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: run/samples.csv.gz is damaged: its end is missing\n" in outcome.err


def save_rows_by_pandas(run: Path) -> None:
    table = pd.read_csv(run / "results.csv")
    table["grid"] = table["grid"].astype(float)  # as in a run of which a grid is not known
    table.to_csv(run / "results.csv")


def save_rows_by_spreadsheet(run: Path) -> None:
    path = run / "results.csv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = [[cell.upper() if cell in {"true", "false"} else cell for cell in cells] for cells in csv.reader(file)]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(lines)


@pytest.mark.parametrize("save", [save_rows_by_pandas, save_rows_by_spreadsheet])
def test_rows_that_were_saved_again_are_shown_as_before(run: Path, save: Callable[[Path], None]) -> None:
    before = (run / "results.csv").read_bytes()
    save(run)
    assert (run / "results.csv").read_bytes() != before
    shown, recorded = (shflbench(run.parent, "show", name) for name in ("run", "before"))
    assert (shown.code, shown.out.replace("run:", "before:", 1)) == (0, recorded.out)


def test_samples_that_were_saved_again_are_drawn_and_compared_as_before(run: Path) -> None:
    path = run / "samples.csv.gz"
    pd.read_csv(path).to_csv(path, index=False, float_format="%.9e")
    assert b",False," in gzip.decompress(path.read_bytes())
    assert shflbench(run.parent, "plot", "before", "run").code == 0
    charts, expected = (contents(run.parent / "plots" / "quick" / name) for name in ("run", "before"))
    assert charts == expected
    compared = shflbench(run.parent, *COMPARE)
    assert (compared.code, "contain the same run" in compared.err) == (3, True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["results.csv", "samples.csv.gz", "run.json"])
@pytest.mark.parametrize("kind", ["device", "FIFO", "folder"])
def test_what_is_no_file_is_refused_unread(run: Path, name: str, kind: str) -> None:
    path = run / name
    path.unlink()
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "FIFO":
        os.mkfifo(path)
    else:
        path.mkdir()
    for words in (PLOT, COMPARE) if name == "samples.csv.gz" else (SHOW, PLOT):
        outcome = shflbench(run.parent, *words)
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith(f"error: run/{name} is a {kind}, not a file\n")
