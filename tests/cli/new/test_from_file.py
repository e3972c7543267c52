"""`shflbench new --from FILE`: a pattern and a suite for kernels that exist."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.conftest import Command
from tests.fakes.backend import unplug

SUMS = (Path(__file__).parents[1] / "bench" / "sums.cu").read_text(encoding="utf-8")


@pytest.fixture
def new(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, one_core: None) -> Command:
    """Call `shflbench new --from sums.cu` on a machine without a GPU."""
    del one_core
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    Path("sums.cu").write_text(SUMS, encoding="utf-8")
    return lambda *words: shflbench("new", "--from", "sums.cu", *words)


def test_pattern_and_suite_run_as_they_are(new: Command, shflbench: Command) -> None:
    outcome = new("sums_shfl", "sums_smem")
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines() == ["sums/kernels.cu", "sums/pattern.py", "sums.yaml"]
    ran = shflbench("run", "sums.yaml", "--output", "run")
    assert ran.code == 0, ran.err
    assert {(row.case_id, row.status.value, row.reference) for row in read_run(Path("run")).rows} == {
        ("sums/sums_shfl/f32/64x256/1", "verified", "sums_shfl"),
        ("sums/sums_smem/f32/64x256/1", "verified", "sums_shfl"),
    }


def test_nothing_is_overwritten(new: Command) -> None:
    Path("sums.yaml").write_text("mine", encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert outcome.err.startswith("error: sums.yaml exists; nothing was written\n")
    assert not Path("sums").exists()


def test_launches_that_a_suite_cannot_have_are_refused(new: Command) -> None:
    Path("sums.cu").write_text(SUMS.replace("sums_shfl<<<rows, 256>>>", "sums_shfl<<<rows, 64>>>"), encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert "the launch `own` of `sums_smem` cannot be that of a suite" in outcome.err


def test_missing_options_are_named(new: Command) -> None:
    Path("sums.cu").write_text(SUMS.partition("int main")[0], encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert "sums_smem: give --launch GRIDxBLOCK --arg out=f32[COUNT]" in outcome.err


def test_options_of_files_need_a_file(new: Command, shflbench: Command) -> None:
    del new  # for the machine
    assert shflbench("new", "my-swap", "--launch", "4x256").code == 2
