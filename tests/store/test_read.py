import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import read_limits
from tests.fakes.runs import info, measured, write_run

ROWS, SAMPLES = measured(patterns=["neighbor"], dtypes=["f32"], samples=8)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", ROWS, SAMPLES)


def test_a_finished_run_comes_back_without_notes(run: Path) -> None:
    read = read_run(run)
    assert [row.case_id for row in read.rows] == [row.case_id for row in ROWS]
    assert read.info.suite == info().suite
    assert read.notes == ()
    assert len(read.samples()) == len(SAMPLES)
    assert list(read.samples(("time_us", "case_id"))) == ["case_id", "time_us"]  # in file order


def test_the_kept_samples_of_a_run_come_as_arrays(run: Path) -> None:
    found = read_run(run).kept_samples()
    assert found is not None
    assert sorted(found.time_us.tolist()) == sorted(sample.time_us for sample in SAMPLES)
    assert set(found.cases) == {row.case_id for row in ROWS}


def test_a_run_without_samples_has_no_kept_ones(run: Path) -> None:
    (run / "samples.csv.gz").unlink()
    assert read_run(run).kept_samples() is None


def test_only_an_unfinished_run_may_lack_the_end_of_its_samples(tmp_path: Path) -> None:
    for finished in (True, False):
        run = write_run(tmp_path / str(finished), ROWS, SAMPLES, finished=finished)
        path = run / "samples.csv.gz"
        path.write_bytes(path.read_bytes() + b"\x1f\x8b")
        if finished:
            with pytest.raises(ResultsError, match="its end is missing"):
                read_run(run).kept_samples()
        else:
            found = read_run(run).kept_samples()
            assert found is not None
            assert len(found.time_us) == len(SAMPLES)


def test_an_unfinished_run_says_how_to_go_on(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", ROWS, finished=False)
    (note,) = read_run(run).notes
    assert note == f"{run} contains an unfinished run; resume it: shflbench run --resume {run}"


def test_a_last_line_cut_off_at_any_byte_is_left_out_and_noted(run: Path) -> None:
    path = run / "results.csv"
    content = path.read_bytes()
    start = content.rindex(b"\n", 0, -1) + 1
    for length in range(start + 1, len(content)):
        path.write_bytes(content[:length])
        read = read_run(run)
        assert len(read.rows) == len(ROWS) - 1
        assert read.notes == (f"{path}: the last line is incomplete and was skipped",)


def test_reading_rows_needs_no_pandas(run: Path) -> None:
    code = f"""
import sys, pathlib
from shflbench.store import read_run
print(len(read_run(pathlib.Path({str(run)!r})).rows), sorted({{"numpy", "pandas"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(ROWS)} []\n"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("run.json", b"", r"run\.json is empty"),
        ("results.csv", b"", r"results\.csv is empty"),
        ("results.csv", None, r"results\.csv cannot be read: No such file or directory"),
        ("results.csv", b"case_id,patt", "the column case_id is missing"),
        ("run.json", b"\xff\xfe\n", r"run\.json is damaged: not UTF-8"),
        ("results.csv", b"\xff\xfe\n", r"results\.csv is damaged: not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(run: Path, name: str, content: bytes | None, sentence: str) -> None:
    (run / name).unlink()
    if content is not None:
        (run / name).write_bytes(content)
    with pytest.raises(ResultsError, match=sentence):
        read_run(run)


@pytest.mark.parametrize("name", ["run.json", "results.csv", "samples.csv.gz", "kernels.zip", "limits.csv"])
def test_file_of_a_terabyte_is_refused_before_it_is_read(run: Path, name: str) -> None:
    with (run / name).open("wb") as file:
        file.truncate(1 << 40)
    sentence = rf"{name} has 1,099,511,627,776 bytes, and no file of a run has more than 67,108,864"
    with pytest.raises(ResultsError, match=sentence):
        (read_run(run).kernels(), read_limits(run), read_run(run).kept_samples())


def test_a_mark_that_a_spreadsheet_put_in_front_does_no_harm(run: Path) -> None:
    path = run / "results.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_run(run).rows) == len(ROWS)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"is not a run folder: it has no run\.json"):
        read_run(tmp_path)
    with pytest.raises(ResultsError, match="cannot be read: No such file or directory"):
        read_run(tmp_path / "nothing")


def test_runs_are_found_at_any_depth_sorted_and_once(tmp_path: Path) -> None:
    names = ["quick/h200", "gtc2013/b200", "gtc2013/a100-20261120-1"]
    runs = [write_run(tmp_path / name, ROWS) for name in names]
    assert find_runs([tmp_path, runs[0]]) == sorted(runs)
    assert find_runs([runs[1]]) == [runs[1]]


def test_a_path_without_a_run_is_refused(tmp_path: Path, run: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultsError, match=r"empty holds no run: no run\.json in it or below it"):
        find_runs([run, tmp_path / "empty"])
    with pytest.raises(ResultsError, match="nowhere holds no run: there is no such folder"):
        find_runs([tmp_path / "nowhere"])
