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

from tests.conftest import Command
from tests.faults.conftest import RECORDED, shflbench_commands
from tests.faults.conftest import shflbench as shflbench_process

pytestmark = pytest.mark.expensive

SHOW, PLOT, COMPARE = ("show", "run"), ("plot", "run"), ("compare", "before", "run")
SAVE = ("baseline", "save", "main", "run")
FEW_CHARTS = RECORDED.parents[1] / "moving-average" / "nvidia-h200"
RUN_FILES = ("results.csv", "samples.csv.gz", "run.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Copy a recorded run twice, one to compare with."""
    return copy(RECORDED, tmp_path)


def copy(recorded: Path, folder: Path) -> Path:
    shutil.copytree(recorded, folder / "before")
    return shutil.copytree(recorded, folder / "run")


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


TIME = r"^((?:[^,]*,){6})[^,]*"  # of a sample, behind six other cells


def misplace_quotation_mark(run: Path) -> None:
    edit_rows(run, in_line(3, ",cuda,", ',"cuda,'))


def set_sample(run: Path, value: str = "nan") -> None:
    edit_samples(run, in_line(7, TIME, rf"\g<1>{value}"))


def set_row(run: Path, value: str = "nan") -> None:
    table = pd.read_csv(run / "results.csv", dtype=str)
    table.loc[4, "time_us"] = value
    table.to_csv(run / "results.csv", index=False)


def cut_samples(run: Path) -> None:
    path = run / "samples.csv.gz"
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("damage", "words", "sentence"),
    [
        (misplace_quotation_mark, SHOW, "run/results.csv:3: a quotation mark is out of place"),
        pytest.param(
            set_sample, PLOT, "run/samples.csv.gz:7: time_us is 'nan', not a time in µs", marks=pytest.mark.archs
        ),
        pytest.param(set_row, SHOW, "run/results.csv:6: time_us is 'nan', not a time in µs", marks=pytest.mark.archs),
        pytest.param(
            cut_samples, COMPARE, "run/samples.csv.gz is damaged: its end is missing", marks=pytest.mark.archs
        ),
    ],
)
def test_the_installed_command_reports_a_damaged_file_and_exits_3(
    run: Path, damage: Callable[[Path], None], words: tuple[str, ...], sentence: str
) -> None:
    damage(run)
    outcome = shflbench_process(run.parent, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: {sentence}\n" in outcome.err


@pytest.mark.parametrize("words", [SHOW, PLOT, COMPARE], ids=lambda words: words[0])
def test_a_stray_quotation_mark_is_reported_with_its_line(
    shflbench: Command, run: Path, words: tuple[str, ...]
) -> None:
    misplace_quotation_mark(run)
    outcome = shflbench(*words)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: run/results.csv:3: a quotation mark is out of place\n"
        "Restore the file as the run wrote it, or measure again\n"
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("words", "value"), [(PLOT, "inf"), (PLOT, "-3.5"), (PLOT, "0"), (COMPARE, "nan"), (SAVE, "inf")]
)
def test_a_sample_with_an_invalid_time_is_refused(
    shflbench: Command, run: Path, words: tuple[str, ...], value: str
) -> None:
    set_sample(run, value)
    outcome = shflbench(*words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: run/samples.csv.gz:7: time_us is '{value}', not a time in µs\n" in outcome.err
    assert not (run.parent / "plots").exists()


@pytest.mark.parametrize(
    ("words", "value"), [(SHOW, "inf"), (SHOW, "-3.5"), (PLOT, "nan"), (PLOT, "0"), (COMPARE, "inf")]
)
def test_a_row_with_an_invalid_time_is_refused(
    shflbench: Command, run: Path, words: tuple[str, ...], value: str
) -> None:
    set_row(run, value)
    outcome = shflbench(*words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: run/results.csv:6: time_us is '{value}', not a time in µs\n" in outcome.err


@pytest.mark.parametrize("words", [PLOT, SAVE], ids=lambda words: words[0])
def test_truncated_samples_are_refused(shflbench: Command, run: Path, words: tuple[str, ...]) -> None:
    cut_samples(run)
    outcome = shflbench(*words)
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
def test_rows_that_were_saved_again_are_shown_as_before(
    shflbench: Command, run: Path, save: Callable[[Path], None]
) -> None:
    before = (run / "results.csv").read_bytes()
    save(run)
    assert (run / "results.csv").read_bytes() != before
    shown, recorded = (shflbench("show", name) for name in ("run", "before"))
    assert (shown.code, shown.out.replace("run:", "before:", 1)) == (0, recorded.out)


@pytest.mark.archs
def test_samples_that_were_saved_again_are_drawn_and_compared_as_before(shflbench: Command, tmp_path: Path) -> None:
    run = copy(FEW_CHARTS, tmp_path)
    path = run / "samples.csv.gz"
    pd.read_csv(path).to_csv(path, index=False, float_format="%.9e")
    assert b",False," in gzip.decompress(path.read_bytes())
    assert shflbench("plot", "before", "run").code == 0
    charts, expected = (contents(tmp_path / "plots" / "moving-average" / name) for name in ("run", "before"))
    assert charts == expected
    compared = shflbench(*COMPARE)
    assert (compared.code, "contain the same run" in compared.err) == (3, True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.archs
@pytest.mark.parametrize(
    ("kind", "create"),
    [
        pytest.param("device", link_to_device, marks=pytest.mark.archs),
        ("FIFO", os.mkfifo),
        pytest.param("folder", Path.mkdir, marks=pytest.mark.archs),
    ],
)
def test_a_path_that_is_not_a_regular_file_is_refused_unread(
    run: Path, kind: str, create: Callable[[Path], None]
) -> None:
    typed = []
    for name in RUN_FILES:
        path = shutil.copytree(RECORDED, run.parent / f"run-{name}") / name
        path.unlink()
        create(path)
        commands = (PLOT, COMPARE) if name == "samples.csv.gz" else (SHOW, PLOT)
        typed += [(*words[:-1], f"run-{name}") for words in commands]
    outcomes = shflbench_commands(run.parent, *typed)
    for words, outcome in zip(typed, outcomes, strict=True):
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith(f"error: {words[-1]}/{words[-1].removeprefix('run-')} is a {kind}, not a file\n")
    outcome = shflbench_process(run.parent, "show", "run-results.csv")
    assert (outcome.code, outcome.out, outcome.err) == (3, "", outcomes[0].err)
