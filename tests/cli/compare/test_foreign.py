"""Results of other tools as sides of `compare`: the same reports and exit codes."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.gate.runs import lay
from tests.conftest import Command
from tests.store.readers.foreign_files import write_csv, write_nvbench

DATA = Path(__file__).parents[2] / "data/readers"
GOOGLE = DATA / "google-benchmark"
CASES = {"copy/T=F32": 50.0, "scan": 200.0}
SKIPPED = {"copy/T=I8": "narrow"}


@pytest.fixture
def nvbench(shflbench: Command) -> None:
    """Write three processes per side, of which the new ones are 2.4% slower in one case."""
    del shflbench  # only for its folder
    for number in range(3):
        write_nvbench(Path(f"base/{number}.json"), CASES, process=2 * number, skipped=SKIPPED)
        write_nvbench(
            Path(f"new/{number}.json"), {**CASES, "copy/T=F32": 51.2}, process=2 * number + 1, skipped=SKIPPED
        )


@pytest.mark.usefixtures("nvbench")
def test_nvbench_in_turn_is_slower_and_fails(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--alternated", "--also", "junit=j.xml", "--also", "json=j.json")
    assert outcome.code == 1
    assert outcome.out.splitlines()[0] == "base: base: NVIDIA H100 80GB HBM3, 1 run, 3 processes per case"
    assert "slower   copy/T=F32" in outcome.out
    assert outcome.out.endswith("1 slower of 2 cases\n")
    assert outcome.err.splitlines()[:2] == [
        "note: the processes of both sides ran in turn, as stated by --alternated",
        "note: 1 case was skipped on both sides",
    ]
    assert "warning" not in outcome.err
    record = json.loads(Path("j.json").read_text())
    assert (record["exit_code"], record["base"]["suite"], record["offset_us"]) == (1, "nvbench", None)
    assert ET.parse("j.xml").getroot().attrib["failures"] == "1"  # noqa: S314  (written by the command)


@pytest.mark.usefixtures("nvbench")
def test_nvbench_without_an_order_is_suspected(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 0
    assert "suspected  copy/T=F32" in outcome.out
    assert "run the processes of both sides in turn" in outcome.out
    assert "warning: without sentinels, changes below 5% are only suspected: the files do not show" in outcome.err
    assert shflbench("compare", "base", "new", "--strict").code == 6


@pytest.mark.usefixtures("nvbench")
def test_files_of_one_side_may_be_named_one_by_one(shflbench: Command) -> None:
    more = [word for side in ("base", "new") for number in (1, 2) for word in (f"--{side}", f"{side}/{number}.json")]
    outcome = shflbench("compare", "base/0.json", "new/0.json", *more, "--alternated", "--format", "json")
    assert outcome.code == 1
    assert [json.loads(outcome.out)[side]["processes"] for side in ("base", "new")] == [3, 3]


@pytest.mark.usefixtures("nvbench")
@pytest.mark.parametrize(
    ("sides", "sentence"),
    [
        (("base", "base"), "base and base contain the same run"),
        (("base", "new.csv"), "base and new.csv cannot be compared: the sides were measured by different tools"),
        (("base", "run"), "the sides were measured by different tools (nvbench, shflbench), which time differently"),
        (("base", "new", "--new", "new.csv"), "new/0.json was written by NVBench, and new.csv by plain CSV"),
        (("base", "new", "--new", "run"), "new and run cannot form one side: the suites differ (nvbench, gtc2013)"),
        (("base", "nothing.json"), "there is no folder nothing.json"),
    ],
)
def test_sides_that_do_not_fit_are_refused(shflbench: Command, sides: tuple[str, ...], sentence: str) -> None:
    write_csv(Path("new.csv"), CASES)
    lay(Path("run").resolve())
    outcome = shflbench("compare", *sides)
    assert (outcome.code, outcome.out) == (3, "")
    assert sentence in outcome.err


def test_different_tools_are_printed_side_by_side_on_request(shflbench: Command) -> None:
    write_nvbench(Path("nvbench.json"), CASES)
    outcome = shflbench("compare", "nvbench.json", write_csv(Path("new.csv"), CASES), "--across")
    assert outcome.code == 0
    assert "no verdict: the sides were measured by different tools" in outcome.out


def test_google_benchmark_finds_a_large_slowdown_on_a_busy_cpu(shflbench: Command) -> None:
    outcome = shflbench("compare", GOOGLE / "base", GOOGLE / "new")
    assert outcome.code == 1
    assert "slower          sum_integers" in outcome.out
    assert "failed (no such device) on the base side" in outcome.out
    assert "ran in turn, by the start times in the files" in outcome.err
    assert "the SM clock was not recorded" in outcome.err
    aggregates = shflbench("compare", GOOGLE / "base", GOOGLE / "aggregates")
    assert "warning: a side has no samples" in aggregates.err


def test_a_function_of_nanoseconds_is_found_slower(shflbench: Command) -> None:
    """The noise of the timer is divided by the iterations that are timed at once."""
    for side, time_ns in ((0, 140.0), (1, 160.0)):
        for process in range(3):
            entry = {"name": "BM_a", "run_type": "iteration", "iterations": 1_000_000, "time_unit": "ns"}
            times = [time_ns * (1 + 0.002 * process + 0.001 * index) for index in range(6)]
            entries = [{**entry, "repetition_index": index, "real_time": time} for index, time in enumerate(times)]
            date = f"2026-11-20T08:0{2 * process + side}:00+00:00"
            path = Path(("base", "new")[side]) / f"{process}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps({"context": {"date": date}, "benchmarks": entries}))
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert "slower   BM_a" in outcome.out
    manual = [path.write_text(path.read_text().replace("BM_a", "BM_a/manual_time")) for path in Path().glob("*/*.json")]
    assert len(manual) == 6
    assert shflbench("compare", "base", "new").code == 0


@pytest.mark.parametrize(
    ("tool", "slower"),
    [
        ("pytest-benchmark", "slower test_sums.py::test_sum_integers"),
        ("hyperfine", "slower wait"),
    ],
)
def test_other_tools_find_a_large_slowdown_on_a_busy_cpu(shflbench: Command, tool: str, slower: str) -> None:
    outcome = shflbench("compare", DATA / tool / "base", DATA / tool / "new", "--alternated")
    assert outcome.code == 1
    assert slower in " ".join(outcome.out.split())
    assert "the SM clock was not recorded" in outcome.err


def test_kernel_tuner_times_a_configuration_too_briefly_for_certainty(shflbench: Command) -> None:
    """Twice the work is suspected: 20 samples of 0.6 ms are one block, and a slow state of a machine lasts longer."""
    outcome = shflbench("compare", DATA / "kernel-tuner/base", DATA / "kernel-tuner/new")
    assert outcome.code == 0
    assert outcome.out.count("suspected") >= 3
    assert "measure three rounds or more per process" in outcome.out


def test_values_of_triton_are_compared_by_the_spread_between_files(shflbench: Command) -> None:
    new = [Path("slow") / str(number) / "sum-time.csv" for number in (1, 2, 3)]
    for number, path in enumerate(new, 1):
        path.parent.mkdir(parents=True)
        lines = ["M,N,Range (ms),List (ms)", f"8,1000,1.{number},0.25", "64,1000,20,"]
        path.write_text("\n".join(lines))
    sides = {"base": [DATA / "triton" / str(number) for number in (1, 2, 3)], "new": [path.parent for path in new]}
    for side, folders in sides.items():
        assert shflbench("convert", *folders, "-o", side).code == 0
    outcome = shflbench("compare", "base", "new")
    assert "warning: a side has no samples" in outcome.err
    assert "sum-time/Range/M=8/N=1000" in outcome.out
