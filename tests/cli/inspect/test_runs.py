"""`shflbench inspect` on the folders of runs, whose patterns may be gone."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.conftest import bench as bench  # noqa: PLC0414  (a fixture)
from tests.cli.bench.test_bench import OTHER_CONTENTS, SUMS
from tests.conftest import Command

COMMITTED = Path(__file__).parents[3] / "results/gtc2013/nvidia-h200"
EDITED = OTHER_CONTENTS.replace("sum += part[warp];", "sum += 2 * part[warp];")


@pytest.fixture
def run(bench: BenchCommand) -> Path:
    """Compare two kernels with bench."""
    assert bench(SUMS).code == 0
    return Path("run")


def cells(line: str) -> list[str]:
    return re.split(r" {2,}", line.strip())


def test_kernels_of_bench_are_counted_whole(run: Path, shflbench: Command) -> None:
    outcome = shflbench("inspect", str(run))
    assert (outcome.code, outcome.err) == (0, "")
    title, header, *rows = outcome.out.splitlines()
    assert title.startswith("sums  f32  sm_90")
    named = {cells(row)[0]: dict(zip(cells(header), cells(row), strict=False)) for row in rows[:2]}
    assert set(named) == {"sums_smem", "sums_shfl"}
    assert int(named["sums_shfl"]["exchange"]) > int(named["sums_smem"]["exchange"]) > 0
    assert rows[-1].endswith("instructions are those of the whole code, each counted once")


def test_the_cause_of_a_ratio_is_what_one_kernel_has_and_the_other_lacks(run: Path, shflbench: Command) -> None:
    outcome = shflbench("inspect", str(run), "--diff", "sums_smem", "sums_shfl")
    assert outcome.code == 0
    assert re.search(r"more in sums_shfl: .*5 SHFL", outcome.out)
    assert re.search(r"more in sums_smem: .*1 BAR", outcome.out)


def test_two_runs_of_an_edited_file_are_compared_kernel_by_kernel(
    run: Path, bench: BenchCommand, shflbench: Command
) -> None:
    run.rename("old")
    assert bench(EDITED).code == 5  # it is wrong, and inspected all the same
    outcome = shflbench("inspect", "run", "--diff", "old", "run", "--format", "json")
    assert outcome.code == 0
    differences = {pair["kernels"][0]["variant"]: pair["differences"] for pair in json.loads(outcome.out)["pairs"]}
    assert any("have the same" in sentence for sentence in differences["sums_smem"])
    assert any(sentence.startswith("more in ") for sentence in differences["sums_shfl"])


def test_the_whole_code_is_listed_where_no_loop_is_timed(run: Path, shflbench: Command) -> None:
    listed = shflbench("inspect", str(run), "--sass", "--variant", "sums_shfl").out
    assert "the whole code" in listed
    assert len(re.findall(r"SHFL\.DOWN", listed)) == 5


def test_a_committed_run_shows_its_limits(shflbench: Command) -> None:
    outcome = shflbench("inspect", str(COMMITTED), "--pattern", "neighbor", "--dtype", "f32", "--variant", "shfl")
    assert outcome.code == 0
    assert "limit (cycles/iteration)" in outcome.out


@pytest.mark.parametrize("words", [["--accesses"], ["--arch", "sm_80"], ["neighbor"]])
def test_what_needs_files_of_a_pattern_is_refused(run: Path, shflbench: Command, words: list[str]) -> None:
    outcome = shflbench("inspect", str(run), *words)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")
