"""Files that are not what a run wrote: one sentence that says which and why, what to do, and nothing on stdout."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from shflbench.store import read_run
from shflbench.store.run_files import RESTORE as RESTORED
from shflbench.store.run_files import WHICH_FOLDER as GIVEN
from tests.cli.gate.runs import SHFL, SMEM, lay, process, put_rows
from tests.conftest import Command

BASE, NEW = Path("base"), Path("new")
CSV, SAMPLES, INFO = (NEW / name for name in ("results.csv", "samples.csv.gz", "run.json"))
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"


@pytest.fixture
def two(tmp_path: Path) -> None:
    """Two runs, `base` and `new`, that are the same."""
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2)


def change(path: Path, made: Callable[[bytes], bytes]) -> Callable[[], object]:
    """Let a file hold what is made of its content."""
    return lambda: path.write_bytes(made(path.read_bytes()))


def cut(path: Path, count: int) -> Callable[[], object]:
    """Take so many bytes off the end of a file."""
    return change(path, lambda content: content[:-count])


def hold(path: Path, content: bytes) -> Callable[[], object]:
    """Let a file hold something else."""
    return change(path, lambda _: content)


def without_the_last_line(content: bytes) -> bytes:
    return b"".join(content.splitlines(keepends=True)[:-1])


def with_samples_twice(packed: bytes) -> bytes:
    _, *members = gzip.decompress(packed).splitlines(keepends=True)
    return packed + gzip.compress(b"".join(members))


def without_samples_of_a_case(packed: bytes) -> bytes:
    lines = gzip.decompress(packed).splitlines(keepends=True)
    return gzip.compress(b"".join(line for line in lines if not line.startswith(SHFL.encode())))


def of_a_newer_version(record: bytes) -> bytes:
    return json.dumps(json.loads(record) | {"schema": 99}).encode()


def replaced(path: Path, make: Callable[[Path], object]) -> Callable[[], object]:
    """Put something else in the place of a file or folder."""

    def apply() -> None:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        make(path)

    return apply


def row_twice() -> None:
    rows = read_run(NEW).rows
    put_rows(NEW, [*rows, rows[0]])


def time_of_zero() -> None:
    first, *others = read_run(NEW).rows
    put_rows(NEW, [replace(first, time_us=0.0), *others])


MIXED = f"the samples in new do not match its rows: {SHFL}"
DAMAGE: list[tuple[Callable[[], object], str, str]] = [
    (cut(CSV, 20), "new/results.csv: the last line is incomplete", RESTORED),
    (change(CSV, without_the_last_line), f"new/results.csv is damaged: it has no row of {SMEM}", RESTORED),
    (cut(SAMPLES, 20), "new/samples.csv.gz is damaged: its end is missing", RESTORED),
    (change(SAMPLES, without_samples_of_a_case), f"{MIXED} has", RESTORED),
    (cut(INFO, 20), "new/run.json:", RESTORED),
    (replaced(SAMPLES, partial(shutil.copy, BASE / SAMPLES.name)), f"{MIXED} took", RESTORED),
    (replaced(CSV, partial(shutil.copy, BASE / CSV.name)), f"{MIXED} took", RESTORED),
    (change(SAMPLES, with_samples_twice), f"{MIXED} has", RESTORED),
    (row_twice, f"new/results.csv:6: the case {SHFL} is there twice", RESTORED),
    (replaced(NEW, partial(shutil.copytree, BASE)), " contain the same run", "give two different runs"),
    (hold(CSV, b""), "new/results.csv is empty", RESTORED),
    (hold(SAMPLES, b""), "new/samples.csv.gz is empty", RESTORED),
    (hold(INFO, b""), "new/run.json is empty", RESTORED),
    (replaced(NEW, Path.mkdir), "new holds no run: no run.json in it or below it", GIVEN),
    (replaced(NEW, lambda new: new.write_bytes(PNG)), "new is in no known format", "give a run folder, or files of"),
    (INFO.unlink, "new holds no run: no run.json in it or below it", GIVEN),
    (hold(CSV, PNG), "new/results.csv is damaged: not UTF-8", RESTORED),
    (hold(CSV, b"name,price\ntea,3\n"), "new/results.csv:1: the column case_id is missing", RESTORED),
    (hold(SAMPLES, PNG), "new/samples.csv.gz is damaged: ", RESTORED),
    (
        hold(SAMPLES, gzip.compress(b"name,price\ntea,3\n")),
        "new/samples.csv.gz:1: the column case_id is missing",
        RESTORED,
    ),
    (hold(INFO, PNG), "new/run.json is damaged: not UTF-8", RESTORED),
    (hold(INFO, b'{"version": 3}'), "new/run.json: `schema` is missing", RESTORED),
    (hold(INFO, b"[]"), "new/run.json: not a JSON object", RESTORED),
    (
        change(INFO, of_a_newer_version),
        "new/run.json has schema 99, and this shflbench reads schemas up to 1",
        "read it with a newer version",
    ),
    (
        change(INFO, lambda content: content.replace(b"title: Shuffle", b"title: Scuffle")),
        "new/run.json: the suite's text does not match its hash",
        RESTORED,
    ),
    (replaced(CSV, Path.mkdir), "new/results.csv is a folder, not a file", RESTORED),
    (CSV.unlink, "new/results.csv cannot be read: No such file or directory", GIVEN),
    (time_of_zero, "new/results.csv:2: time_us is '0.0', not a time in µs", RESTORED),
]
IDS = [f"{number}-{sentence[:50]}" for number, (_, sentence, _) in enumerate(DAMAGE)]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("damage", "sentence", "advice"), DAMAGE, ids=IDS)
def test_damage_is_reported_in_a_sentence(
    shflbench: Command, damage: Callable[[], object], sentence: str, advice: str
) -> None:
    damage()
    for sides in (("base", "new"), ("new", "base"), ("base", "new", "--across", "--metric", "registers")):
        outcome = shflbench("compare", *sides)
        assert (outcome.code, outcome.out) == (3, "")
        said, to_do = outcome.err.splitlines()
        assert sentence in said
        assert said.startswith("error: ")
        assert to_do.lower().startswith(advice)


def test_damage_writes_no_file_in_a_process(tmp_path: Path) -> None:
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2)
    (tmp_path / "new/results.csv").write_bytes(PNG)
    outcome = process("compare", "base", "new", "--also", "json=report.json", "--plot", "chart.svg", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: new/results.csv is damaged: not UTF-8\nRestore the file as the run wrote it, or measure again\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "new"]


@pytest.mark.usefixtures("two")
def test_one_damaged_run_of_several_is_named(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "other", seed=3)
    (tmp_path / "other/samples.csv.gz").write_bytes(b"")
    outcome = shflbench("compare", "base", "new", "--new", "other")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: other/samples.csv.gz is empty\n")


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("sides", [("base", "base"), ("base", "./base"), ("base", "new", "--new", "new")])
def test_the_same_run_twice_is_refused(shflbench: Command, sides: tuple[str, ...]) -> None:
    outcome = shflbench("compare", *sides)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        f"error: {sides[-1].removeprefix('./')} and {sides[-1].removeprefix('./')} contain the same run\n"
        "Give two different runs, and each run once\n"
    )


@pytest.mark.usefixtures("two")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_file_that_may_not_be_read_is_named(shflbench: Command) -> None:
    CSV.chmod(0)
    outcome = shflbench("compare", "base", "new")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: new/results.csv cannot be read: Permission denied\n")


@pytest.mark.usefixtures("two")
def test_run_without_samples_is_a_report_with_a_warning(shflbench: Command) -> None:
    """Whoever keeps only the table of a run may still compare it."""
    SAMPLES.unlink()
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 0
    assert outcome.err == (
        "warning: a side has no samples, only medians and their intervals: "
        "changes below 5% or 3 times the threshold are only suspected\n"
    )


@pytest.mark.usefixtures("two")
def test_killed_run_lacks_cases_and_says_how_to_resume(shflbench: Command) -> None:
    """A kill leaves half a line, which is no damage: it is measured again with --resume."""
    INFO.write_text(json.dumps(json.loads(INFO.read_text()) | {"finished": None}))
    cut(CSV, 20)()
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert "not on the new side: its run is unfinished" in outcome.out
    assert outcome.err == (
        "warning: new/results.csv: the last line is incomplete and was skipped\n"
        "warning: new contains an unfinished run; resume it: shflbench run --resume new\n"
    )
