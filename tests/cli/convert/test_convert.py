"""Results of other tools become runs that the other commands read."""

from pathlib import Path

import pytest

import shflbench as package
from shflbench.store import read_run
from tests.conftest import Command
from tests.store.readers.foreign_files import write_csv, write_nvbench

DATA = Path(__file__).parents[2] / "data/readers"
GOOGLE = DATA / "google-benchmark"
TRITON = DATA / "triton"
COPY = "copy/T=F32/Elements=2^20"
CASES = {COPY: 50.0, "copy/T=F32/Elements=2^24": 400.0, "scan": 120.0}


@pytest.fixture
def nvbench(shflbench: Command) -> Path:
    """Write the results of three processes into the current folder."""
    del shflbench  # only for its folder
    skipped = {"copy/T=I8/Elements=2^20": "narrow"}
    for number in range(3):
        write_nvbench(Path(f"base/{number}.json"), CASES, process=number, skipped=skipped, samples=100)
    return Path("base")


def test_converted_nvbench_says_where_it_comes_from(shflbench: Command, nvbench: Path) -> None:
    outcome = shflbench("convert", nvbench, "-o", "run")
    assert (outcome.code, outcome.out) == (0, "run\n")
    assert outcome.err == "converted: 4 cases in 3 processes of NVBench\n"
    run = read_run(Path("run"))
    assert run.info.converted
    assert (run.info.converted.tool, run.info.converted.version) == ("nvbench", "0.2.0")
    assert [process.file for process in run.info.converted.processes] == [f"base/{number}.json" for number in range(3)]
    assert run.info.backend == run.info.suite.name == "nvbench"
    assert run.info.argv == ("shflbench", "convert", "base", "-o", "run")
    row = run.rows[0]
    assert (row.case_id, row.processes, row.samples, row.rounds) == (COPY, (0, 1, 2), 300, 30)
    assert run.clocks_mhz()[COPY][2] == pytest.approx(1980, rel=1e-3)


def test_converted_run_is_shown_drawn_loaded_and_reported(shflbench: Command, nvbench: Path) -> None:
    shflbench("convert", nvbench, "-o", "run")
    shown = shflbench("show", "run")
    assert shown.code == 0
    assert "run: Results of NVBench 0.2.0, NVIDIA H100 80GB HBM3\n\ncopy\n" in shown.out
    assert "T=F32/Elements=2^20   50" in shown.out
    assert "skipped: narrow" in shown.out
    assert "verified with" not in shown.out
    assert "not verified" in shown.out
    drawn = shflbench("plot", "run", "-o", "plots")
    assert drawn.code == 0
    assert [Path(line).name for line in drawn.out.split()] == ["copy-time.svg", "cases-time.svg"]
    chart = Path(drawn.out.split()[0]).read_text(encoding="utf-8")
    assert "copy: 2 cases of another tool" in chart
    assert "converted from nvbench" in chart
    assert shflbench("report", "run", "-o", "report.html").code == 0
    report = Path("report.html").read_text(encoding="utf-8")
    assert "T=F32/Elements=2^24" in report
    assert "emulated, or compiled only" not in report.partition("T=F32/Elements=2^24")[0]
    table = package.load("run")
    assert list(table["case_id"][:2]) == [COPY, "copy/T=F32/Elements=2^24"]
    assert table["registers"].isna().all()


def test_converted_run_compares_as_its_files_do(shflbench: Command, nvbench: Path) -> None:
    for number in range(3):
        write_nvbench(Path(f"new/{number}.json"), {**CASES, COPY: 52.0}, process=number + 10)
    shflbench("convert", nvbench, "-o", "base-run")
    assert shflbench("baseline", "save", "main", "base-run").code == 0
    reports = []
    for base in (nvbench, "base-run", "main"):
        outcome = shflbench("compare", base, "new", "--alternated")
        assert outcome.code == 1, outcome.err
        reports.append(outcome.out.partition("\n\n")[2].splitlines())
    for report in reports:
        slower, expected = (next(line for line in one if line.startswith("slower")) for one in (report, reports[0]))
        assert slower.split()[:5] == ["slower", COPY, *expected.split()[2:5]]
        assert report[-1] == "1 slower, 1 missing of 4 cases"


@pytest.mark.parametrize(
    "files",
    [
        ("base.csv",),
        (GOOGLE / "base",),
        (GOOGLE / "aggregates",),
        (DATA / "pytest-benchmark/base",),
        (DATA / "hyperfine/base",),
        (DATA / "kernel-tuner/base",),
        (TRITON / "1", TRITON / "2", TRITON / "3"),
    ],
)
def test_other_formats_are_converted_too(shflbench: Command, files: tuple[Path, ...]) -> None:
    write_csv(Path("base.csv"), CASES)
    assert shflbench("convert", *files, "-o", "run").code == 0
    shown = shflbench("show", "run")
    assert shown.code == 0
    assert "not verified" in shown.out


def test_converted_run_is_not_resumed(shflbench: Command, nvbench: Path) -> None:
    shflbench("convert", nvbench, "-o", "run")
    outcome = shflbench("run", "--resume", "run")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "error: run was converted from nvbench: it cannot be resumed\nMeasure anew\n"


def test_a_folder_that_is_not_empty_is_not_overwritten(shflbench: Command, nvbench: Path) -> None:
    outcome = shflbench("convert", nvbench, "-o", "base")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: base exists and is not empty\n")


def test_a_unit_is_stated_for_values_without_one(shflbench: Command) -> None:
    refused = shflbench("convert", TRITON / "sum-no-label.csv", "-o", "run")
    assert refused.code == 3
    assert "--unit ms" in refused.err
    assert shflbench("convert", TRITON / "sum-no-label.csv", "--unit", "ms", "-o", "run").code == 0
    (row, *_) = read_run(Path("run")).rows
    assert row.case_id == "sum-no-label/Range/M=8/N=1000"
    assert row.time_us == pytest.approx(194.618)


def test_a_header_without_labels_is_named_although_a_unit_is_stated(shflbench: Command) -> None:
    Path("old.csv").write_text("N,Triton,Torch\n1024.0,0.5,0.6\n", encoding="utf-8")
    outcome = shflbench("convert", "old.csv", "--unit", "ms", "-o", "run")
    assert outcome.code == 3
    assert outcome.err.startswith("error: old.csv:1: the header does not end with columns such as `Triton (ms)`\n")


def test_a_unit_is_refused_for_tools_whose_unit_is_known(shflbench: Command) -> None:
    outcome = shflbench("convert", GOOGLE / "base", "--unit", "ms", "-o", "run")
    assert outcome.code == 2
    assert "was written by Google Benchmark, whose unit is known" in outcome.err
    assert not Path("run").exists()
